"""What people bring: any data frame, a list of dictionaries or a list of ids, as ids and columns."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ofakind.errors import InvalidInputError
from ofakind.project.fields import Content, ObjectId

MISSING_TYPES = ("NAType", "NaTType")  # how pandas calls what is missing


class Brought(NamedTuple):
    """Objects as an event has them: their ids, their contents by columns, and what they came as.

    ``frame`` is the package of the data frame that they came in, None if in none.
    """

    ids: tuple[ObjectId, ...]
    columns: dict[str, tuple[Content, ...]]
    source: str
    frame: str | None = None

    @property
    def texts(self) -> dict[str, tuple[Content, ...]]:
        """The columns that hold some text."""
        every = self.columns.items()
        return {name: column for name, column in every if any(isinstance(one, str) for one in column)}


def read_objects(given: Any, id: str | None = None, *, first: int = 0) -> Brought:  # noqa: A002
    """Read objects; ``id`` names the column with their ids. Without it they are numbered from ``first`` on.

    >>> read_objects([{"key": "a7", "name": "Ann"}, {"key": "b2", "name": "Bob"}], "key")
    Brought(ids=('a7', 'b2'), columns={'name': ('Ann', 'Bob')}, source='2 records', frame=None)
    >>> read_objects(["s1", "s2", "s3"]).ids
    ('s1', 's2', 's3')
    """
    given = list(given) if isinstance(given, Iterator) else given  # which can be read but once
    raw = _columns_of(given)
    if raw is None:
        if id is not None:
            raise InvalidInputError(f"id is {id!r}, and the objects are a list of ids; leave id out")
        ids = _checked_ids(list(given), "object")
        return Brought(ids, {}, f"{len(ids)} ids")
    n, columns = raw
    if id is None:
        ids = tuple(range(first, first + n))
    else:
        if not isinstance(id, str) or id not in columns:
            raise InvalidInputError(
                f"id is {id!r}; expected one of the columns: {', '.join(columns) or 'none'}"
            )
        ids = _checked_ids(columns.pop(id), f"column {id!r}, row")
    contents = {name: _contents(name, column) for name, column in columns.items()}
    return Brought(ids, contents, f"{n} records", frame_package(given))


def frame_package(given: Any) -> str | None:
    """Return the name of the package whose data frame this is, such as "polars"; None if it is none."""
    import narwhals as nw

    frame = nw.from_native(given, pass_through=True, eager_only=True)
    return str(frame.implementation.value) if isinstance(frame, nw.DataFrame) else None


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


def _checked_ids(given: Sequence[Any], where: str) -> tuple[ObjectId, ...]:
    """Return ids as text or whole numbers; missing and repeated ones are refused with their rows."""
    seen: dict[ObjectId, int] = {}
    for row, value in enumerate(given):
        one = value.item() if isinstance(value, np.generic) else value
        one = int(one) if isinstance(one, float) and one.is_integer() else one
        if isinstance(one, bool) or not isinstance(one, str | int) or one == "":
            raise InvalidInputError(
                f"{where} {row}: the id is {value!r:.60}; expected text or a whole number"
            )
        if seen.setdefault(one, row) != row:
            raise InvalidInputError(f"{where} {row}: the id {one!r:.60} is that of row {seen[one]}, too")
    return tuple(seen)


def _contents(name: str, values: Sequence[Any]) -> tuple[Content, ...]:
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
