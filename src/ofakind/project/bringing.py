"""From a file, or a folder of pictures, to objects and features, as the command line takes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ofakind.arrays import Floats
from ofakind.errors import InvalidInputError
from ofakind.priors.records import looks_like_key
from ofakind.project.beforehand import Beforehand
from ofakind.project.choosing import FeatureData
from ofakind.project.decoding import BytesRead, check_file_is_there
from ofakind.project.objects import Brought, read_objects
from ofakind.project.tables import read_table

ARRAY = ".npy"


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How objects stand in a file: the column of ids, and how the file is written."""

    id: str | None = None
    encoding: str | None = None
    delimiter: str | None = None


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
        return cls(found["show"], found["text"], found["vector"], found["ignore"] or ())


@dataclass(frozen=True, slots=True)
class ExtraFiles:
    """Further files: vectors of all objects, scores of pairs, pairs that must or cannot be of a kind."""

    vectors: Path | None = None
    scores: Path | None = None
    must_link: Path | None = None
    cannot_link: Path | None = None


def bring_file(
    path: Path, options: SourceOptions, *, first: int = 0, progress: BytesRead | None = None
) -> tuple[Brought, Floats | None]:
    """Read the objects of a file, and their vectors where it holds nothing else."""
    if path.suffix.lower() == ARRAY:
        if options.id is not None:
            raise InvalidInputError(f"{path} is an array, which has no columns; leave --id out")
        vectors = read_vectors_file(path)
        numbers = tuple(range(first, first + len(vectors)))
        return Brought(numbers, {}, f"{len(vectors)} vectors of {path.name}"), vectors
    table = read_table(path, encoding=options.encoding, delimiter=options.delimiter, progress=progress)
    return read_objects(table, options.id, first=first), None


def read_vectors_file(path: Path) -> Floats:
    """Read an array (n, d) of finite numbers from a .npy file; nothing in it is run."""
    check_file_is_there(path)
    if path.suffix.lower() != ARRAY:
        raise InvalidInputError(f"{path} is no {ARRAY} file; expected an array that numpy.save wrote")
    try:
        found: Any = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InvalidInputError(f"{path} cannot be read as an array of numbers: {error}") from error
    if found.ndim != 2 or found.dtype.kind not in "biuf" or not found.shape[1]:
        got = f"{path} has shape {found.shape} and type {found.dtype}"
        raise InvalidInputError(f"{got}; expected numbers, (n, d): a row for each object")
    finite = np.isfinite(found)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        got = f"{path}, row {row}, column {column} is {found[row, column]}"
        raise InvalidInputError(f"{got}; expected finite numbers; rows and columns count from 0")
    return np.asarray(found, np.float64)


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
        vectors = read_vectors_file(files.vectors)
        if len(vectors) != len(brought.ids):
            got = f"{files.vectors} has {len(vectors):,} rows"
            raise InvalidInputError(f"{got}; expected {len(brought.ids):,}, one for each object, in order")
    scores = None if files.scores is None else read_table(files.scores)
    ignored = (*choice.ignore, *((groups,) if groups is not None else ()))
    _refuse_ignored(choice, ignored)
    return FeatureData(vectors, scores, choice.text, choice.vector, ignored)


def beforehand_of(files: ExtraFiles, groups: str | None) -> Beforehand:
    """Return what must or cannot be of a kind, from files, and which column holds groups."""
    must, cannot = (
        None if path is None else read_table(path) for path in (files.must_link, files.cannot_link)
    )
    return Beforehand(must, cannot, groups)


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
