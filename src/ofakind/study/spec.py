"""What a study is: datasets, oracles, methods and seeds, read from TOML; each combination is one cell."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any, Self

from ofakind import __version__
from ofakind.errors import InvalidInputError
from ofakind.pairs import whole_number

# Where the methods that a study may name without a module live.
KNOWN = {
    "Uniform": "ofakind:Uniform",
    "MaxMin": "ofakind:MaxMin",
    "MaxExp": "ofakind:MaxExp",
    "Entropy": "ofakind:Entropy",
    "EIG-O": "ofakind:EIGO",
    "JEIG": "ofakind:JEIG",
    "QECC": "ofakind.rivals:QECC",
    "KC-FB": "ofakind.rivals:KCFB",
    "COBRAS": "ofakind.rivals:COBRAS",
    "nCOBRAS": "ofakind.rivals:NCOBRAS",
    "LocalSearch": "ofakind:LocalSearch",
    "Pivot": "ofakind:Pivot",
    "MeanFieldBelief": "ofakind:MeanFieldBelief",
}
# The paper's first batch B0 and batch size B for each of its datasets.
BATCHES = {
    "cifar10": (2500, 1250),
    "newsgroups5": (2500, 250),
    "cardiotocography": (2500, 750),
    "ecoli": (280, 85),
    "forest_type_mapping": (500, 350),
    "user_knowledge": (400, 200),
    "mnist": (2500, 1250),
    "synthetic": (500, 300),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A class by its name (one of the known ones, or ``module:Class``) and the options to make it with."""

    use: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Data:
    """A dataset and how many answers a run on it may buy, in a first random batch and then in batches.

    A batch size that is not given is the paper's for its own datasets, else n and 0.6 n. ``objects`` keeps a
    random part of a large dataset.
    """

    name: str
    variant: str | None = None
    objects: int | None = None
    budget: int = 0
    first_batch: int | None = None
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers: ``noisy`` (Oracle 1, with a ``gamma``), ``model`` (Oracle 2) or ``crowd`` (people)."""

    kind: str = "noisy"
    gamma: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("noisy", "model", "crowd"):
            raise InvalidInputError(f"the oracle is {self.kind!r}; expected noisy, model or crowd")
        if (self.gamma is None) == (self.kind == "noisy"):
            raise InvalidInputError(f"gamma is {self.gamma}; it goes with the noisy oracle, and only with it")

    @property
    def title(self) -> str:
        """What a reader sees."""
        titles = {"noisy": f"Oracle 1, gamma {self.gamma}", "model": "Oracle 2", "crowd": "real workers"}
        return titles[self.kind]


@dataclass(frozen=True, slots=True)
class Method:
    """A name for the reader, the acquisition function or rival behind it, and the learner's other parts.

    A rival starts again for each of at most ``points`` budgets between the first batch and the whole budget.
    """

    name: str
    part: Part
    solver: Part | None = None
    belief: Part | None = None
    points: int = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a study. It depends on nothing but itself and the version of the package."""

    data: Data
    oracle: Answerer
    method: Method
    seed: int
    settled: int

    @property
    def key(self) -> str:
        """A hash of everything that may change the result, the version of ofakind included."""
        content = asdict(self)
        del content["method"]["name"]
        text = json.dumps([__version__, content], sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def __str__(self) -> str:
        return f"{self.data.name}, {self.oracle.title}, {self.method.name}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Study:
    """A comparison: every dataset with every oracle, every method and every seed.

    A run ends when its budget is spent, or when it had the whole truth (ARI 1) for ``settled`` rounds
    running. ``folder`` is where modules named in the file are looked for first.
    """

    name: str
    title: str
    cells: tuple[Cell, ...]
    folder: str | None = None

    @classmethod
    def load(cls, name: str) -> Self:
        """Read a TOML file, or one of the studies that come with the package (see `names`)."""
        if name in names():
            text = (_catalogue() / f"{name}.toml").read_text("utf-8")
            return cls.parse(text, name)
        path = Path(name)
        if not path.is_file():
            hint = ", ".join(names())
            raise InvalidInputError(f"there is no study {name!r}; expected a TOML file or one of: {hint}")
        return cls.parse(path.read_text("utf-8"), path.stem, str(path.resolve().parent))

    @classmethod
    def parse(cls, text: str, name: str, folder: str | None = None) -> Self:
        """Make a study from the text of a TOML file; an error names the place."""
        try:
            document = tomllib.loads(text)
            return cls(name, *_read(document), folder)
        except (tomllib.TOMLDecodeError, InvalidInputError) as error:
            raise InvalidInputError(f"study {name}: {error}") from error


def names() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(
        file.name.removesuffix(".toml") for file in _catalogue().iterdir() if file.name.endswith(".toml")
    )


def _catalogue() -> Any:
    return resources.files("ofakind.study") / "catalogue"


def _read(document: Mapping[str, Any]) -> tuple[str, tuple[Cell, ...]]:
    """Title and cells of a parsed file."""
    keys = ("title", "seeds", "budget", "settled", "datasets", "oracles", "methods")
    _refuse_unknown(document, keys, "the study")
    oracles = [_build(Answerer, table, "an oracle") for table in _tables(document, "oracles", "kind")]
    methods = [_method(table) for table in _tables(document, "methods", "name")]
    if len({method.name for method in methods}) < len(methods):
        raise InvalidInputError("two methods have the same name; expected a name of its own for each")
    settled = whole_number("settled", document.get("settled", 5), least=1)
    cells = tuple(
        Cell(data, oracle, method, seed, settled)
        for data, seeds in (_dataset(table, document) for table in _tables(document, "datasets", "name"))
        for oracle in oracles
        for seed in seeds
        for method in methods
    )
    return str(document.get("title", "")), cells


def _tables(document: Mapping[str, Any], key: str, short: str) -> Iterator[dict[str, Any]]:
    """Entries of a list, each a table; a plain text stands for a table with that one entry."""
    entries = document.get(key)
    if not isinstance(entries, list) or not entries:
        raise InvalidInputError(f"{key} is {entries!r}; expected a list with at least one entry")
    for entry in entries:
        if not isinstance(entry, str | dict):
            raise InvalidInputError(f"an entry of {key} is {entry!r}; expected a name or a table")
        yield {short: entry} if isinstance(entry, str) else entry


def _dataset(table: dict[str, Any], study: Mapping[str, Any]) -> tuple[Data, list[int]]:
    """Return a dataset with the study's budget and seeds where it has none of its own."""
    given = dict(table)
    seeds = _seeds(given.pop("seeds", study.get("seeds", 1)))
    given.setdefault("budget", study.get("budget", 0))
    data = _build(Data, given, "a dataset")
    whole_number(f"the budget of {data.name}", data.budget, least=1)
    return data, seeds


def _seeds(given: Any) -> list[int]:
    """Seeds 0, 1, ... when their number is given, else the listed ones."""
    if isinstance(given, list):
        return [whole_number("a seed", seed, least=0) for seed in given]
    return list(range(whole_number("seeds", given, least=1)))


def _method(table: dict[str, Any]) -> Method:
    given = dict(table)
    name = given.get("name")
    part = Part(_use(given.pop("use", name)), given.pop("options", {}))
    for key in ("solver", "belief"):
        if key in given:
            inner = _build(Part, given[key], f"the {key} of {name}")
            given[key] = Part(_use(inner.use), inner.options)
    method: Method = _build(Method, {**given, "part": part}, "a method")
    return method


def _use(name: Any) -> str:
    if isinstance(name, str) and (":" in name or name in KNOWN):
        return KNOWN.get(name, name)
    raise InvalidInputError(f"the method is {name!r}; expected module:Class or one of {', '.join(KNOWN)}")


def _build(kind: type[Any], table: Any, what: str) -> Any:
    """Make a dataclass from a table, refusing keys that it does not know and missing ones."""
    if not isinstance(table, dict):
        raise InvalidInputError(f"{what} is {table!r}; expected a table")
    _refuse_unknown(table, [item.name for item in fields(kind)], what)
    try:
        return kind(**table)
    except TypeError as error:
        raise InvalidInputError(f"{what} is {table!r}: {error}") from error


def _refuse_unknown(table: Mapping[str, Any], known: Any, what: str) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(known)}"
            raise InvalidInputError(f"{what} has an unknown entry {key!r}; {hint}")
