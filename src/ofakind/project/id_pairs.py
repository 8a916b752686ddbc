"""Pairs of ids that people bring: scores, and what must or cannot be of a kind."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.project.fields import ObjectId, Pair
from ofakind.project.lookup import find_object
from ofakind.project.numbers import read_number
from ofakind.project.tables import FileTable

# How Splink calls the ids of a pair, and other programs.
SIDES = (("unique_id_l", "unique_id_r"), ("id_l", "id_r"), ("left_id", "right_id"), ("id1", "id2"))
PROBABILITY, WEIGHT = "match_probability", "match_weight"  # Splink's; a weight is a log of odds to base 2
JUST_ABOVE = 1.001  # a score up to here is a probability that was rounded badly, rather than another scale


class PairRows(NamedTuple):
    """Rows of ids and perhaps a number, with the words for where each stands."""

    entries: Sequence[Any]
    table: FileTable | None
    columns: tuple[str, ...]
    meant: str

    def where(self, row: int, place: int = 0) -> str:
        """Say where a row stands."""
        if self.table is None:
            return f"row {row} of the {self.meant}"
        return self.table.where(row, self.columns[place])


def read_id_scores(given: Any, ids: Sequence[ObjectId]) -> tuple[Ints, Floats]:
    """Read scores of pairs: rows of two ids and a number, a data frame with three such columns, or a file.

    A file may be what Splink writes: ``unique_id_l``, ``unique_id_r`` and ``match_probability``, or
    ``match_weight``, which is turned into a probability. Otherwise its first three columns are taken.

    >>> read_id_scores([("a", "c", 0.9)], ["a", "b", "c"])
    (array([[0, 2]]), array([0.9]))
    """
    rows = _score_rows(given) if isinstance(given, FileTable) else _listed_rows(given, 3, "scores")
    pairs = _pairs_of(rows, ids)
    values = np.array([_score(rows, row, entry[2]) for row, entry in enumerate(rows.entries)], np.float64)
    if rows.table is not None:
        values = _checked_scores(rows, values)
    return np.array(pairs, np.int64).reshape(-1, 2), values


def read_id_pairs(given: Any, ids: Sequence[ObjectId], meant: str) -> tuple[Pair, ...]:
    """Read pairs of ids, each once, the smaller number first: rows of two, a data frame, or a file.

    >>> read_id_pairs([("c", "a"), ("a", "c")], ["a", "b", "c"], "pairs")
    ((0, 2),)
    """
    if isinstance(given, FileTable):
        sides = _sides(given, 2, meant)
        entries = list(zip(*(given.columns[name] for name in sides), strict=True))
        rows = PairRows(entries, given, sides, meant)
    else:
        rows = _listed_rows(given, 2, meant)
    return tuple(dict.fromkeys((min(pair), max(pair)) for pair in _pairs_of(rows, ids)))


def _pairs_of(rows: PairRows, ids: Sequence[ObjectId]) -> list[Pair]:
    numbers: Mapping[ObjectId, int] = {one: number for number, one in enumerate(ids)}
    pairs = []
    for row, entry in enumerate(rows.entries):
        found = [find_object(numbers, one) for one in entry[:2]]
        for place, (one, number) in enumerate(zip(entry, found, strict=False)):
            if number is None:
                got = f"{rows.where(row, place)}: {one!r:.60} is no object"
                raise InvalidInputError(f"{got}; expected two ids of the project")
        u, v = (int(number or 0) for number in found)
        if u == v:
            got = f"{rows.where(row)} pairs {entry[0]!r:.60} with itself"
            raise InvalidInputError(f"{got}; expected two ids of the project")
        pairs.append((u, v))
    return pairs


# -- lists and data frames ---------------------------------------------------------------------------------


def _listed_rows(given: Any, size: int, meant: str) -> PairRows:
    rows = PairRows(_rows(given, meant, size), None, (), meant)
    for row, entry in enumerate(rows.entries):
        if not isinstance(entry, list | tuple) or len(entry) != size:
            raise InvalidInputError(f"{rows.where(row)} is {entry!r:.80}; expected {_expected(size)}")
    return rows


def _expected(size: int) -> str:
    return "two ids and a number" if size == 3 else "two ids"


def _rows(given: Any, meant: str, size: int) -> list[Any]:
    """Return the rows of a list or a data frame, their numbers as Python has them."""
    import narwhals as nw

    frame = nw.from_native(given, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        return [
            tuple(row) for row in zip(*(column.to_list() for column in frame.iter_columns()), strict=True)
        ]
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        got = f"{meant} come as a {type(given).__name__}"
        raise InvalidInputError(f"{got}; expected rows of {_expected(size)}")
    rows = [[*row] if isinstance(row, Iterable) and not isinstance(row, str) else row for row in given]
    return [[_python(one) for one in row] if isinstance(row, list) else row for row in rows]


def _python(one: Any) -> Any:
    return one.item() if isinstance(one, np.generic) else one


def _score(rows: PairRows, row: int, value: Any) -> float:
    if rows.table is not None:
        return read_number(value, rows.where(row, 2))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInputError(f"{rows.where(row)} has {value!r:.60}; expected a number")
    return float(value)


# -- files -------------------------------------------------------------------------------------------------


def _sides(table: FileTable, size: int, meant: str) -> tuple[str, ...]:
    """Return the columns with the ids: under names that are known, or the first two."""
    for sides in SIDES:
        if set(sides) <= table.columns.keys():
            return sides
    if len(table.columns) < size:
        got = f"{table.path} has {len(table.columns)} columns"
        raise InvalidInputError(f"{got}; expected {_expected(size)} on each row of the {meant}")
    return tuple(table.columns)[:2]


def _score_rows(table: FileTable) -> PairRows:
    sides = _sides(table, 3, "scores")
    others = [name for name in table.columns if name not in sides]
    if not others:
        raise InvalidInputError(f"{table.path} has no column beside the ids; expected one with a number")
    known = [name for name in (PROBABILITY, WEIGHT) if name in others]
    columns = (*sides, (known or others)[0])
    entries = list(zip(*(table.columns[name] for name in columns), strict=True))
    return PairRows(entries, table, columns, "scores")


def _checked_scores(rows: PairRows, values: Floats) -> Floats:
    """Return probabilities where a file has them; what lies just outside is refused, not rescaled."""
    name = rows.columns[2]
    if name == WEIGHT:
        return portable.expit(portable.log(2) * np.clip(values, -1000, 1000))
    outside = (values < 0) | (values > 1)
    meant = "prob" in name.lower() or (values.size > 0 and values.min() >= 0 and values.max() <= JUST_ABOVE)
    if meant and outside.any():
        row = int(np.flatnonzero(outside)[0])
        got = f"{rows.where(row, 2)}: {float(values[row])!r} is no probability"
        raise InvalidInputError(f"{got}; expected numbers from 0 to 1, or scores on another scale")
    return values
