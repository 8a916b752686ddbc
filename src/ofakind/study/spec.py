"""What a study is: datasets, oracles, methods and seeds, read from TOML; each combination is one cell."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any, Self

from ofakind import __version__
from ofakind.checks import one_of, truth_value, whole_number
from ofakind.errors import InvalidInputError
from ofakind.registry import names_in_studies
from ofakind.study.revision import revision
from ofakind.study.setting import JUDGES, JUDGING, PRIORS, RANDOM, Answerer, Data, hint

STUDY_KEYS = ("title", "seeds", "budget", "shuffle", "settled", "measure", "datasets", "oracles", "methods")
JUDGE_KEYS = ("judge", "judging")
METHOD_KEYS = (
    "name",
    "use",
    "options",
    "solver",
    "belief",
    "reader",
    "points",
    "features",
    "one_run",
    *JUDGE_KEYS,
)
MEASURED = ("ari", "pair_f1")  # what tables may count the answers to
FEATURES = ("own", "shuffled", "half")  # whose features objects get: see `ofakind.study.features`
# Fields that came later: they are part of a key only where they are set, so that older results keep theirs.
LATER = {
    "data": ("shuffle", "repeats", "features", "whole_groups", "prior", "judge_features"),
    "oracle": ("share", "spread", "anonymous"),
    "method": ("reader", "features", "one_run", *JUDGE_KEYS),
}


@dataclass(frozen=True, slots=True)
class PartSpec:
    """A class by its name (one of the known ones, or ``module:Class``) and the options to make it with.

    ``source`` is a hash of the module's file where that lies beside the study, else empty: a method that is
    still being written is run anew when it has changed.
    """

    use: str
    options: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        _check_text("the class", self.use)
        try:
            json.dumps(self.options)
        except TypeError as error:
            raise InvalidInputError(f"the options of {self.use} are {self.options!r}: {error}") from error
        if not isinstance(self.options, Mapping):
            raise InvalidInputError(f"the options of {self.use} are {self.options!r}; expected a table")


@dataclass(frozen=True, slots=True)
class Method:
    """A name for the reader, the acquisition function or rival behind it, and the learner's other parts.

    With a ``reader``, a belief in samples, its clusters are those that the reader finds in its answers.
    A rival starts again for each of at most ``points`` budgets between the first batch and the whole budget;
    in ``one_run``, it is looked at after every batch. With ``features``, it gets the candidate graph of the
    dataset: of each object's own features, or "shuffled" ones, or such where "half" of them are shuffled.
    A ``judge`` looks at pairs beside the person (`ofakind.study.judges`), or several do ("good+random"): what
    they say is a "prior", or, with ``judging``, one is "pooled" as one more person's answers, or "alone",
    without the person.
    """

    name: str
    part: PartSpec
    solver: PartSpec | None = None
    belief: PartSpec | None = None
    points: int = 12
    reader: PartSpec | None = None
    features: str | None = None
    one_run: bool = False
    judge: str | None = None
    judging: str | None = None

    def __post_init__(self) -> None:
        _check_text("the name of a method", self.name)
        whole_number(f"points of {self.name}", self.points, least=2)
        truth_value(f"one_run of {self.name}", self.one_run)
        if self.features is not None:
            one_of(f"features of {self.name}", self.features, *FEATURES)
        for judge in self.judges:
            one_of(f"the judge of {self.name}", judge, *JUDGES)
        _refuse_doubles(f"judges of {self.name}", list(self.judges))
        if self.judging is not None:
            one_of(f"judging of {self.name}", self.judging, *JUDGING)
            if self.judge is None:
                raise InvalidInputError(f"{self.name} has judging and no judge; expected both")
            if len(self.judges) > 1 and self.judging != JUDGING[0]:
                got = f"{self.name} has {len(self.judges)} judges"
                raise InvalidInputError(f"{got} and judging {self.judging!r}; expected one judge for that")

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges that look at pairs, in this order."""
        if not isinstance(self.judge, str):
            return () if self.judge is None else (self.judge,)
        return tuple(self.judge.split("+"))

    @property
    def revision(self) -> str:
        """Which revision of its family the method is, as in ``"ours 1"``."""
        parts = (self.part, self.solver, self.belief, self.reader)
        return revision(part.use for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a study. It depends on nothing but itself and the code: its version and revision."""

    data: Data
    oracle: Answerer
    method: Method
    seed: int
    settled: int

    def content(self) -> dict[str, Any]:
        """Return all fields as dictionaries; those that came later only where they are set."""
        content = asdict(self)
        for part, names_ in LATER.items():
            for name in names_:
                if content[part][name] is None or content[part][name] is False:
                    del content[part][name]
        return content

    @property
    def key(self) -> str:
        """A hash of all that may change the result: version and revision too, but no method's name."""
        text = json.dumps([__version__, self.method.revision, nameless(self.content())], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def __str__(self) -> str:
        return f"{self.data.title}, {self.oracle.title}, {self.method.name}, seed {self.seed}"


def nameless(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a cell without what a method is called, which changes nothing."""
    method = {name: value for name, value in content["method"].items() if name != "name"}
    return {**content, "method": method}


@dataclass(frozen=True, slots=True)
class Study:
    """A comparison: every dataset with every oracle, every method and every seed.

    A run ends when its budget is spent, or when it had the whole truth (ARI 1) for ``settled`` rounds
    running. Its tables count the answers to values of the ``measure``, the ARI or the F1 over pairs.
    ``folder`` is where modules named in the file are looked for first.
    """

    name: str
    title: str
    cells: tuple[Cell, ...]
    measure: str = "ari"
    folder: str | None = None

    @classmethod
    def load(cls, name: str) -> Self:
        """Read a TOML file, or one of the studies that come with the package (see `names`)."""
        if name in names():
            text = (_catalogue() / f"{name}.toml").read_text("utf-8")
            return cls.parse(text, name)
        path = Path(name)
        if not path.is_file():
            known = ", ".join(names())
            raise InvalidInputError(f"there is no study {name!r}; expected a TOML file or one of: {known}")
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInputError(f"{name} is not a text in UTF-8: {error}") from error
        return cls.parse(text, path.stem, str(path.resolve().parent))

    @classmethod
    def parse(cls, text: str, name: str, folder: str | None = None) -> Self:
        """Make a study from the text of a TOML file; an error names the place."""
        try:
            return cls(name, *_read(tomllib.loads(text), folder), folder)
        except (tomllib.TOMLDecodeError, InvalidInputError) as error:
            raise InvalidInputError(f"study {name}: {error}") from error


def names() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(
        file.name.removesuffix(".toml") for file in _catalogue().iterdir() if file.name.endswith(".toml")
    )


def _catalogue() -> Any:
    return resources.files("ofakind.study") / "catalogue"


def _read(document: Mapping[str, Any], folder: str | None) -> tuple[str, tuple[Cell, ...], str]:
    """Title, cells and measure of a parsed file."""
    _refuse_unknown(document, STUDY_KEYS, "the study")
    methods = [_method(table, folder) for table in _tables(document, "methods", "name")]
    datasets = [_dataset(table, document) for table in _tables(document, "datasets", "name")]
    _refuse_doubles("methods", [method.name for method in methods])
    for oracle in {oracle: 0 for _, oracles, _ in datasets for oracle in oracles}:
        _refuse_doubles("datasets", [data.title for data, oracles, _ in datasets if oracle in oracles])
    settled = whole_number("settled", document.get("settled", 5), least=1)
    cells = tuple(
        Cell(data, oracle, method, seed, settled)
        for data, oracles, seeds in datasets
        for oracle in oracles
        for seed in seeds
        for method in methods
    )
    for data, _, _ in datasets:
        _refuse_without_features(data, methods)
    measure = document.get("measure", MEASURED[0])
    one_of("measure", measure, *MEASURED)
    return _check_text("the title", document.get("title", "")), cells, measure


def _refuse_without_features(data: Data, methods: Sequence[Method]) -> None:
    """Refuse a dataset of which it is not said what the features are that a method is to get."""
    wanting = next((method.name for method in methods if method.features is not None), None)
    if wanting is not None and data.prior is None:
        got = f"{wanting} uses features, and {data.name} has no prior"
        raise InvalidInputError(f"{got}; expected {' or '.join(map(repr, PRIORS))}")


def _tables(document: Mapping[str, Any], key: str, short: str) -> Iterator[dict[str, Any]]:
    """Entries of a list, each a table; a plain text stands for a table with that one entry."""
    entries = document.get(key)
    if not isinstance(entries, list) or not entries:
        got = f"{key} is {entries!r}" if key in document else f"it has no {key}"
        raise InvalidInputError(f"{got}; expected a list with at least one entry")
    for entry in entries:
        if not isinstance(entry, str | dict):
            raise InvalidInputError(f"an entry of {key} is {entry!r}; expected a name or a table")
        yield {short: entry} if isinstance(entry, str) else entry


def _dataset(table: dict[str, Any], study: Mapping[str, Any]) -> tuple[Data, list[Answerer], list[int]]:
    """Return a dataset with its oracles and seeds; what it has not of its own is the study's."""
    shared = ("budget", "seeds", "shuffle", "oracles")
    given = {key: study[key] for key in shared if key in study} | table
    seeds = _seeds(given.pop("seeds", 1))
    oracles = [_build(Answerer, entry, "an oracle") for entry in _tables(given, "oracles", "kind")]
    _refuse_doubles("oracles", [oracle.title for oracle in oracles])
    given.pop("oracles")
    data: Data = _build(Data, given, "a dataset")
    for oracle in oracles:
        if (oracle.kind == RANDOM) != (data.name == RANDOM):
            got = f"{data.name} is answered by {oracle.kind}"
            raise InvalidInputError(f"{got}; the random oracle goes with random problems, and only with them")
        if data.prior is not None and oracle.kind in (RANDOM, "model"):
            got = f"{data.name} has a prior, and {oracle.kind} answers"
            raise InvalidInputError(f"{got}; expected no prior, or an oracle of another kind")
    return data, oracles, seeds


def _seeds(given: Any) -> list[int]:
    """Seeds 0, 1, ... when their number is given, else the listed ones, or a ``count`` from a ``first`` on.

    >>> _seeds(2), _seeds({"first": 1000, "count": 3})
    ([0, 1], [1000, 1001, 1002])
    """
    if isinstance(given, dict):
        _refuse_unknown(given, ("first", "count"), "seeds")
        first = whole_number("the first seed", given.get("first"), least=0)
        return list(range(first, first + whole_number("the count of seeds", given.get("count"), least=1)))
    if not isinstance(given, list):
        return list(range(whole_number("seeds", given, least=1)))
    if not given:
        raise InvalidInputError("seeds is an empty list; expected at least one")
    _refuse_doubles("seeds", given)
    return [whole_number("a seed", seed, least=0) for seed in given]


def _method(table: dict[str, Any], folder: str | None) -> Method:
    _refuse_unknown(table, METHOD_KEYS, "a method")
    if "name" not in table:
        raise InvalidInputError(f"a method has no name: {table!r}")
    name, given = table["name"], dict(table)
    given["part"] = _part({"use": given.pop("use", name), "options": given.pop("options", {})}, folder, name)
    for key in ("solver", "belief", "reader"):
        if key in given:
            given[key] = _part(given[key], folder, f"the {key} of {name}")
    return Method(**given)


def _part(table: Any, folder: str | None, what: str) -> PartSpec:
    if isinstance(table, dict):
        _refuse_unknown(table, ("use", "options"), what)
    part: PartSpec = _build(PartSpec, table, what)
    known = names_in_studies()
    if ":" not in part.use and part.use not in known:
        near = hint(part.use, list(known))
        raise InvalidInputError(f"there is no method {part.use!r}; {near} (one of your own: module:Class)")
    return replace(part, use=known.get(part.use, part.use), source=hash_beside(part.use, folder))


def hash_beside(use: str, folder: str | None) -> str:
    """Return a hash of the module's file in the folder of the study; empty if it is not there."""
    module, colon, _ = use.partition(":")
    file = Path(folder or "", *module.split(".")).with_suffix(".py")
    if not colon or folder is None or not file.is_file():
        return ""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:20]


def _build(kind: type[Any], table: Any, what: str) -> Any:
    """Make a dataclass from a table, refusing keys that it does not know and missing ones."""
    if not isinstance(table, dict):
        raise InvalidInputError(f"{what} is {table!r}; expected a table")
    _refuse_unknown(table, [item.name for item in fields(kind)], what)
    for item in fields(kind):
        if item.default is MISSING and item.default_factory is MISSING and item.name not in table:
            raise InvalidInputError(f"{what} has no {item.name}: {table!r}")
    return kind(**table)


def _refuse_unknown(table: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for key in table:
        if key not in known:
            raise InvalidInputError(f"{what} has an unknown entry {key!r}; {hint(key, known)}")


def _refuse_doubles(what: str, entries: Sequence[Any]) -> None:
    for place, entry in enumerate(entries):
        if entry in entries[:place]:
            raise InvalidInputError(f"two of the {what} are {entry!r}; expected each to be another")


def _check_text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(f"{what} is {value!r}; expected a text")
    return value
