"""Which columns say beforehand what may be of a kind: text that is compared, or numbers that are measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ofakind.errors import InvalidInputError
from ofakind.priors.records import MISSING, read_columns
from ofakind.progress import progressed
from ofakind.project.fields import Content
from ofakind.project.graphs import as_number, is_number, records
from ofakind.project.numbers import is_name_of_digits, read_number
from ofakind.project.objects import Brought

MEASURED_AT_LEAST = 3  # columns of numbers that together say what is alike

ColumnNames = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FeatureData:
    """What is known beforehand of new objects: vectors (n, d), scores (two ids and a number), or columns.

    ``fields`` are columns of text and ``numbers`` columns of numbers; where both are None, those that tell
    something are taken, without what is to be ``ignored``. ``descriptor`` names what made the vectors.
    """

    vectors: Any = None
    scores: Any = None
    fields: Iterable[str] | str | None = None
    numbers: Iterable[str] | str | None = None
    ignored: ColumnNames = ()
    descriptor: str | None = None


def chosen_columns(brought: Brought, data: FeatureData) -> tuple[ColumnNames | None, ColumnNames | None]:
    """Return the columns of text to compare and the columns of numbers, at most one of them."""
    if data.fields is not None and data.numbers is not None:
        raise InvalidInputError("columns of text and columns of numbers are named; expected one of the two")
    if data.fields is not None:
        return _named("fields", data.fields, brought) or None, None
    if data.numbers is not None:
        names = _named("numbers", data.numbers, brought)
        _refuse_other_than_numbers(brought, names)
        return None, names or None
    progressed("looking at the columns")
    kept = {name: column for name, column in brought.columns.items() if name not in data.ignored}
    brought = brought._replace(columns=kept)
    if brought.table is not None and not brought.table.typed and (found := _measured_in_text(brought)):
        return None, found
    fields = _telling(brought)
    return fields, None if fields else _measured(brought)


def _named(option: str, given: Iterable[str] | str, brought: Brought) -> ColumnNames:
    wanted = (given,) if isinstance(given, str) else tuple(given)
    unknown = [name for name in wanted if name not in brought.columns]
    if unknown:
        known = ", ".join(brought.columns) or "none"
        raise InvalidInputError(f"{option} has {unknown[0]!r}; expected some of {known}")
    return tuple(dict.fromkeys(wanted))


def _refuse_other_than_numbers(brought: Brought, names: ColumnNames) -> None:
    for name in names:
        for row, value in enumerate(brought.columns[name]):
            if not is_missing(value):
                read_number(value, brought.where(row, name))


def is_missing(value: Content) -> bool:
    """Whether a cell says that nothing is known.

    >>> is_missing(None), is_missing(" n/a "), is_missing(0)
    (True, True, False)
    """
    return value is None or (isinstance(value, str) and value.strip().casefold() in MISSING)


def _telling(brought: Brought) -> ColumnNames | None:
    """Return the columns that tell something, where some hold text."""
    if not brought.texts:
        return None
    rows = records(brought.columns, tuple(brought.columns), len(brought.ids))
    try:
        return read_columns(rows).names or None
    except InvalidInputError:  # all columns look like keys, and say nothing
        return None


def _measured(brought: Brought) -> ColumnNames | None:
    """Return the columns of numbers, where there are at least three and nothing but numbers.

    Those that are the same everywhere, and whole numbers that only count the rows, tell nothing.
    """
    if brought.texts or len(brought.ids) < 2:
        return None
    found = []
    for name, column in brought.columns.items():
        values = [float(one) for one in column if one is not None and is_number(one)]
        if _tells(values, len(column)):
            found.append(name)
    return tuple(found) if len(found) >= MEASURED_AT_LEAST else None


def _measured_in_text(brought: Brought) -> ColumnNames | None:
    """Do as `_measured` does for a file in which everything is text, if every cell of it is a number."""
    if len(brought.ids) < 2:
        return None
    found = []
    for name, column in brought.columns.items():
        values = []
        for one in column:
            if not is_missing(one):
                number = None if is_name_of_digits(str(one)) else as_number(one)
                if number is None:
                    return None
                values.append(number)
        if _tells(values, len(column)):
            found.append(name)
    return tuple(found) if len(found) >= MEASURED_AT_LEAST else None


def _tells(values: Sequence[float], rows: int) -> bool:
    """Whether numbers say anything: not all are equal, and they do not just count the rows."""
    distinct = set(values)
    whole = all(one.is_integer() for one in distinct)
    counts = whole and len(distinct) == rows and rows == max(distinct) - min(distinct) + 1
    return len(distinct) > 1 and not counts
