"""What people bring: a file, any data frame, a list of dictionaries or of ids, as ids and columns."""

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ofakind.errors import InvalidInputError, SimilarIdsWarning, warn
from ofakind.project.fields import Content, ObjectId
from ofakind.project.lookup import is_whole
from ofakind.project.tables import ID_OF_A_LIST, LISTS, FileTable

MISSING_TYPES = ("NAType", "NaTType")  # how pandas calls what is missing


class Brought(NamedTuple):
    """Objects as an event has them: their ids, their contents by columns, and what they came as.

    ``id_column`` is the column that the ids were in, and ``table`` the file, where there is one.
    ``frame`` is the package of the data frame that they came in, None if in none.
    """

    ids: tuple[ObjectId, ...]
    columns: dict[str, tuple[Content, ...]]
    source: str
    id_column: str | None = None
    table: FileTable | None = None
    pictures: Mapping[str, Any] | None = None  # as `ObjectsAdded` has them
    copies: Mapping[str, bytes] | None = None  # of pictures, by their SHA-256
    frame: str | None = None

    def where(self, row: int, column: str | None = None) -> str:
        """Say where an object, or something of it, stands, for messages."""
        if self.table is not None:
            return self.table.where(row, column)
        return f"object {row}" if column is None else f"column {column!r:.60}, row {row}"

    @property
    def texts(self) -> dict[str, tuple[Content, ...]]:
        """The columns that hold some text."""
        every = self.columns.items()
        return {name: column for name, column in every if any(isinstance(one, str) for one in column)}


def read_objects(given: Any, id: str | None = None, *, first: int = 0) -> Brought:  # noqa: A002
    """Read objects; ``id`` names the column with their ids. Without it they are numbered from ``first`` on.

    >>> read_objects([{"key": "a7", "name": "Ann"}, {"key": "b2", "name": "Bob"}], "key")[:3]
    (('a7', 'b2'), {'name': ('Ann', 'Bob')}, '2 records')
    >>> read_objects(["s1", "s2", "s3"]).ids
    ('s1', 's2', 's3')
    """
    if isinstance(given, Brought):
        return given
    if isinstance(given, FileTable):
        return _objects_in(given, id, first)
    given = list(given) if isinstance(given, Iterator) else given  # which can be read but once
    raw = _columns_of(given)
    if raw is None:
        if id is not None:
            raise InvalidInputError(f"id is {id!r}, and the objects are a list of ids; leave id out")
        ids = _checked_ids(list(given), "object {}".format, "row {}".format)
        return Brought(ids, {}, f"{len(ids)} ids")
    n, columns = raw
    if id is None:
        ids = tuple(range(first, first + n))
    else:
        if not isinstance(id, str) or id not in columns:
            raise InvalidInputError(
                f"id is {id!r}; expected one of the columns: {', '.join(columns) or 'none'}"
            )
        ids = _checked_ids(columns.pop(id), lambda row: f"column {id!r}, row {row}", "row {}".format)
    contents = {name: _contents(name, column) for name, column in columns.items()}
    return Brought(ids, contents, f"{n} records", id, frame=frame_package(given))


def frame_package(given: Any) -> str | None:
    """Return the name of the package whose data frame this is, such as "polars"; None if it is none."""
    import narwhals as nw

    frame = nw.from_native(given, pass_through=True, eager_only=True)
    return str(frame.implementation.value) if isinstance(frame, nw.DataFrame) else None


def _objects_in(table: FileTable, id: str | None, first: int) -> Brought:  # noqa: A002
    """Read the objects of a file."""
    columns, n = {**table.columns}, len(table)
    only = [*columns] == [ID_OF_A_LIST] and table.path.suffix.lower() in LISTS
    column = ID_OF_A_LIST if id is None and only else id
    if column is None:
        ids: tuple[ObjectId, ...] = tuple(range(first, first + n))
    else:
        values = table.column(column, "--id")
        del columns[column]
        if None in values:
            got = f"{table.where(values.index(None), column)}: the id is empty"
            raise InvalidInputError(f"{got}; expected text or a whole number")
        ids = _checked_ids(
            values,
            lambda row: table.where(row, column),
            lambda row: f"{table.unit} {table.places[row]}",
        )
    contents = {name: _contents(name, values, table) for name, values in columns.items()}
    source = f"{n} {'ids' if only else 'records'} of {table.path.name}"
    return Brought(ids, contents, source, None if only else column, table)


def ids_like(before: Sequence[ObjectId], brought: Brought) -> Brought:
    """Return objects of a text file with whole numbers as ids, where all ids are such, before and now."""
    text = brought.table is not None and not brought.table.typed
    if not text or not before or not all(isinstance(one, int) for one in before):
        return brought
    numbers = [int(one) if is_whole(str(one)) else one for one in brought.ids]
    return brought._replace(ids=tuple(numbers)) if all(isinstance(n, int) for n in numbers) else brought


def _columns_of(given: Any) -> tuple[int, dict[str, Sequence[Any]]] | None:
    """Return the number of objects and their columns as they are; None if they are but ids."""
    import narwhals as nw

    try:
        frame = nw.from_native(given, allow_series=True, pass_through=True)
        names = [str(name) for name in frame.columns] if isinstance(frame, nw.DataFrame) else []
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in given.columns]
    _refuse_one_name_twice(names)
    if isinstance(frame, nw.LazyFrame):
        raise InvalidInputError(
            "the objects are a lazy frame; expected one in memory: call its collect() first"
        )
    if isinstance(frame, nw.DataFrame):
        return len(frame), {str(column.name): column.to_list() for column in frame.iter_columns()}
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        got = f"the objects come as a {type(given).__name__}"
        raise InvalidInputError(f"{got}; expected a data frame, a list of dictionaries or a list of ids")
    if isinstance(given, np.ndarray) and given.ndim != 1:
        raise InvalidInputError(f"the ids have shape {given.shape}; expected one dimension")
    rows = list(given)
    if not any(isinstance(row, Mapping) for row in rows):
        return None
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InvalidInputError(f"object {number} is {row!r:.60}; expected a dictionary, like the others")
    keys = dict.fromkeys(name for row in rows for name in row)
    _refuse_one_name_twice([str(name) for name in keys])
    return len(rows), {str(name): [row.get(name) for row in rows] for name in keys}


def _refuse_one_name_twice(names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            got = f"two columns are called {name!r:.60}"
            raise InvalidInputError(f"{got}; expected a name for each; rename one or leave it out")


def _checked_ids(
    given: Sequence[Any], where: Callable[[int], str], other: Callable[[int], str]
) -> tuple[ObjectId, ...]:
    """Return ids as text or whole numbers; missing and repeated ones are refused with their rows."""
    seen: dict[ObjectId, int] = {}
    for row, value in enumerate(given):
        one = value.item() if isinstance(value, np.generic) else value
        one = int(one) if isinstance(one, float) and one.is_integer() else one
        if isinstance(one, bool) or not isinstance(one, str | int) or one == "":
            raise InvalidInputError(f"{where(row)}: the id is {value!r:.60}; expected text or a whole number")
        if seen.setdefault(one, row) != row:
            raise InvalidInputError(f"{where(row)}: the id {one!r:.60} is that of {other(seen[one])}, too")
    _warn_of_twins(seen, where, other)
    return tuple(seen)


def _warn_of_twins(
    rows: Mapping[ObjectId, int], where: Callable[[int], str], other: Callable[[int], str]
) -> None:
    """Warn where ids look the same and are not: blanks around them, other code points, invisible ones."""
    looks: dict[str, ObjectId] = {}
    twins = [
        (one, known)
        for one in rows
        if isinstance(one, str) and (known := looks.setdefault(_as_seen(one), one)) != one
    ]
    if twins:
        one, known = twins[0]
        got = f"{where(rows[one])}: the id {one!a:.60} looks like {known!a:.60}"
        more = f" (and {len(twins) - 1} more like this)" if len(twins) > 1 else ""
        text = f"{got} of {other(rows[known])}{more}; they are kept apart; if they are one, mend that"
        warn(text, SimilarIdsWarning)


def _as_seen(one: str) -> str:
    if one.isascii() and one.isprintable() and one == one.strip():
        return one
    composed = unicodedata.normalize("NFC", one)
    return "".join(each for each in composed if unicodedata.category(each) != "Cf").strip()


def _contents(name: str, values: Sequence[Any], table: FileTable | None = None) -> tuple[Content, ...]:
    if table is not None and not table.typed:
        return tuple(values)  # text, as it is
    return tuple(_content(name, row, value) for row, value in enumerate(values))


def _content(name: str, row: int, value: Any) -> Content:
    """Return a value as JSON has it: what is missing is None, and dates and the like are text."""
    value = value.item() if isinstance(value, np.generic) else value
    if (
        value is None
        or type(value).__name__ in MISSING_TYPES
        or (isinstance(value, float) and math.isnan(value))
    ):
        return None
    if isinstance(value, bytes | bytearray | memoryview):
        got = f"column {name!r:.40}, row {row} is {type(value).__name__}"
        raise InvalidInputError(f"{got}; expected text or a number; decode it first")
    if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)
