"""A project from files: what the options of the command line mean, and what they may not mean together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from ofakind.arrays import Floats
from ofakind.errors import InvalidInputError, OfakindError, warn
from ofakind.priors.pictures import DESCRIPTOR
from ofakind.priors.records import looks_like_key
from ofakind.progress import progressed
from ofakind.project.adding import Made
from ofakind.project.assigning import Placement
from ofakind.project.beforehand import Beforehand
from ofakind.project.bringing import SourceOptions, bring, read_vectors_file
from ofakind.project.choosing import FeatureData
from ofakind.project.making import ProjectOptions, make_project, refuse_existing
from ofakind.project.objects import Brought
from ofakind.project.opening import open_made
from ofakind.project.project import Project
from ofakind.project.tables import KNOWN_ENDINGS, LISTS, FileTable, read_table
from ofakind.project.transfer import refuse_log


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Names of columns: shown to people, compared as text, measured as numbers, or not to be compared."""

    show: tuple[str, ...] | None = None
    text: tuple[str, ...] | None = None
    vector: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()

    @classmethod
    def of(cls, brought: Brought, given: Mapping[str, Sequence[str] | None]) -> Self:
        """Read names that are separated by commas, by option; those of no column are refused."""
        table, found = brought.table, {}
        for option, names in given.items():
            found[option] = names_in(names, () if table is None else tuple(table.columns))
            for name in found[option] or ():
                if table is None:
                    raise InvalidInputError(f"--{option} names {name!r:.60}, and there are no columns")
                table.column(name, f"--{option}")
                if name == brought.id_column and option in ("text", "vector"):
                    raise InvalidInputError(f"--{option} names {name!r:.60}, which holds the ids")
        return cls(found.get("show"), found.get("text"), found.get("vector"), found.get("ignore") or ())


@dataclass(frozen=True, slots=True)
class ExtraFiles:
    """Further files: vectors of all objects, scores of pairs, pairs that must or cannot be of a kind.

    ``encoding`` is that of those which are text.
    """

    vectors: Path | None = None
    scores: Path | None = None
    must_link: Path | None = None
    cannot_link: Path | None = None
    encoding: str | None = None

    def table(self, path: Path | None) -> FileTable | None:
        """Read one of these files that is a table, if it is given."""
        return None if path is None else read_table(path, encoding=self.encoding)


@dataclass(frozen=True, slots=True)
class NewProject:
    """What a new project is made from: a file or folder, and what the options say of it.

    ``columns`` are the names that --show, --text, --vector and --ignore give, as they were written.
    """

    source: Path
    target: Path
    how: SourceOptions = field(default_factory=SourceOptions)
    columns: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    files: ExtraFiles = field(default_factory=ExtraFiles)
    groups: str | None = None

    @property
    def says_more(self) -> bool:
        """Whether anything is said of the source besides where it is."""
        return (
            self.how != SourceOptions()
            or any(self.columns.values())
            or self.files != ExtraFiles()
            or self.groups is not None
        )

    def make(self, options: ProjectOptions) -> tuple[Brought, Made]:
        """Make it, with its learner in the cache, so that the first question comes quickly."""
        refuse_existing(self.target)
        refuse_log(self.source)
        brought, vectors = bring(self.source, self.target, self.how, described=self.files.vectors is None)
        refuse_nothing(brought, self.source)
        if len(brought.ids) == 1:
            warn("one object: there is nothing to ask before `ofakind add` brings more", UserWarning)
        if self.how.id is None and (key := likely_id(brought)):
            warn(f"rows are numbered; the column {key!r:.60} could hold the ids: --id", UserWarning)
        choice = ColumnChoice.of(brought, self.columns)
        if self.groups is not None and brought.table is not None:
            brought.table.column(self.groups, "--groups")
        data = features_of(brought, choice, self.files, vectors=vectors, groups=self.groups)
        known = beforehand_of(self.files, self.groups)
        options = replace(options, show=shown_columns(brought, choice, self.groups))
        made = make_project(self.target, brought, data, known=known, options=options)
        with open_made(self.target, made, on_network=options.on_network) as project:
            keep_learner(project)
        return brought, made


def add_from(project: Project, source: Path, how: SourceOptions, files: ExtraFiles) -> Brought:
    """Add the objects of a file or folder to a project; those that are there say what is needed of them."""
    brought, vectors, scores = like_those_of(project, source, how, files)
    refuse_nothing(brought, source)
    project.add(brought, vectors=vectors, scores=scores)
    keep_learner(project)
    return brought


def assign_from(project: Project, source: Path, how: SourceOptions, files: ExtraFiles) -> list[Placement]:
    """Say where the objects of a file or folder would belong; nothing is added."""
    brought, vectors, scores = like_those_of(project, source, how, files)
    return project.assign(brought, vectors=vectors, scores=scores)


def like_those_of(
    project: Project, source: Path, how: SourceOptions, files: ExtraFiles
) -> tuple[Brought, Floats | None, FileTable | None]:
    """Read objects, their vectors and scores, as the objects of a project need them."""
    used = project.features_used
    described = used is not None and used.descriptor == DESCRIPTOR and files.vectors is None
    how = how if how.id is not None or not _has_columns(source) else replace(how, id=project.id_column)
    brought, vectors = bring(source, project.path, how, described=described, first=len(project.ids))
    if files.vectors is not None:
        vectors = vectors_for(brought, files.vectors)
    if used is not None and brought.table is not None:
        _compare_columns(brought, used.fields or used.numbers or ())
    scores = files.table(files.scores)
    return brought, vectors, scores


def refuse_nothing(brought: Brought, source: Path) -> None:
    """Refuse a file without objects: somebody means another one, or has lost its rows."""
    if not brought.ids:
        what = (
            "a header, and no records" if brought.table is not None and brought.columns else "nothing in it"
        )
        raise InvalidInputError(f"{source} has {what}; expected objects; nothing was changed")


def keep_learner(project: Project) -> None:
    """Put the learner into the file's cache; where that fails, it is computed again later."""
    try:
        progressed("saving")
        project.checkpoint()
    except OfakindError:
        pass


def features_of(
    brought: Brought,
    choice: ColumnChoice,
    files: ExtraFiles,
    *,
    vectors: Floats | None = None,
    groups: str | None = None,
) -> FeatureData:
    """Return what is known of new objects beforehand: from further files, or from their columns."""
    if choice.text is not None and choice.vector is not None:
        raise InvalidInputError("--text and --vector are given; expected one of them")
    if files.vectors is not None:
        if choice.text is not None or choice.vector is not None:
            raise InvalidInputError("--vectors come from a file; leave --text and --vector out")
        vectors = vectors_for(brought, files.vectors)
    scores = files.table(files.scores)
    ignored = (*choice.ignore, *((groups,) if groups is not None else ()))
    _refuse_ignored(choice, ignored)
    descriptor = DESCRIPTOR if brought.pictures is not None and files.vectors is None else None
    return FeatureData(vectors, scores, choice.text, choice.vector, ignored, descriptor)


def vectors_for(brought: Brought, path: Path) -> Floats:
    """Read vectors of objects, one for each."""
    vectors = read_vectors_file(path)
    if len(vectors) != len(brought.ids):
        got = f"{path} has {len(vectors):,} rows"
        raise InvalidInputError(f"{got}; expected {len(brought.ids):,}, one for each object, in order")
    return vectors


def beforehand_of(files: ExtraFiles, groups: str | None) -> Beforehand:
    """Return what must or cannot be of a kind, from files, and which column holds groups."""
    return Beforehand(files.table(files.must_link), files.table(files.cannot_link), groups)


def shown_columns(brought: Brought, choice: ColumnChoice, groups: str | None) -> tuple[str, ...] | None:
    """Return the columns that people are shown, None for all; groups that exist would tell the answer."""
    if choice.show is not None:
        return tuple(name for name in choice.show if name in brought.columns)
    return None if groups is None else tuple(name for name in brought.columns if name != groups)


def names_in(given: Sequence[str] | None, columns: Sequence[str]) -> tuple[str, ...] | None:
    """Split names that are separated by commas, unless a column is called so as a whole.

    >>> names_in(["name,city", "a,b"], ["name", "city", "a,b"]), names_in([], ["name"])
    (('name', 'city', 'a,b'), None)
    """
    if not given:
        return None
    found = [[one] if one in columns else [part.strip() for part in one.split(",")] for one in given]
    return tuple(dict.fromkeys(name for part in found for name in part if name))


def likely_id(brought: Brought) -> str | None:
    """Return a column that could hold the ids, where none was named."""
    if brought.table is None or brought.id_column is not None or not len(brought.ids):
        return None
    for name, column in brought.columns.items():
        if looks_like_key(name, tuple("" if value is None else str(value) for value in column)):
            return name
    return None


def _refuse_ignored(choice: ColumnChoice, ignored: Sequence[str]) -> None:
    for name in (*(choice.text or ()), *(choice.vector or ())):
        if name in ignored:
            raise InvalidInputError(f"the column {name!r:.60} is to be compared and to be left out")


def _has_columns(source: Path) -> bool:
    return source.suffix.lower() in KNOWN_ENDINGS and source.suffix.lower() not in LISTS


def _compare_columns(brought: Brought, compared: Sequence[str]) -> None:
    """Refuse records that have none of the columns that are compared; say which are missing."""
    missing = [name for name in compared if name not in brought.columns]
    if compared and len(missing) == len(compared) and brought.table is not None:
        there = ", ".join(brought.columns) or "none"
        got = f"{brought.table.path} has none of the columns that are compared ({', '.join(compared)})"
        raise InvalidInputError(f"{got}; it has {there}; expected records as before")
    if missing:
        warn(f"not there, and so not compared: {', '.join(missing)}", UserWarning)
