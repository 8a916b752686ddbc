"""Records of any form as columns of text: which fields there are, what is missing, what looks like a key."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ofakind.errors import InvalidInputError

Column = tuple[str, ...]

# What people and programs write where they know nothing, in lower case.
MISSING = {"", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "none", "null", "nil", "missing", "unknown"}
MISSING |= {"-", "--", "---", "\u2013", "\u2014", ".", "?", "??"}
KEY_NAME = re.compile(
    r"(.*[\W_])?(id|ids|key|pk|uuid|guid|index|row|rowid|recid)|.*[a-z](ID|Id)|unnamed: 0", re.ASCII
)
LONGEST_VALUE = 200_000  # characters of a value that are compared; a cell may hold a whole book
TEXT_FIELD = "text"  # the name of the only field where records are just texts


@dataclass(frozen=True, slots=True)
class KeyRules:
    """When a column whose values all differ is taken for a key, which says nothing; chosen by judgement."""

    serial: int = 20  # rows from which on whole numbers that only rise are a key, whatever their name


KEYS = KeyRules()


class TextColumns(NamedTuple):
    """Records as text: the names of their fields, and a column of n texts for each, empty where missing."""

    n: int
    names: tuple[str, ...]
    texts: tuple[Column, ...]


def read_columns(rows: Any, fields: Sequence[str] | str | None = None) -> TextColumns:
    """Read a data frame, a list of dictionaries or a list of texts: all fields that tell something.

    Left out by themselves are fields that are missing everywhere, that are the same everywhere (if another
    is left), and keys: values that all differ, under a name such as "id" or that are rising whole numbers.

    >>> rows = [{"id": 7, "name": "Ann", "born": 1970.0}, {"id": 9, "name": "Bob", "born": None}]
    >>> read_columns(rows)
    TextColumns(n=2, names=('name', 'born'), texts=(('ann', 'bob'), ('1970', '')))
    """
    n, given = _raw_columns(rows)
    if fields is not None:
        wanted = _known_fields(fields, given)
        return TextColumns(n, wanted, tuple(_as_column(name, given[name]) for name in wanted))
    texts = {name: _as_column(name, values) for name, values in given.items()}
    texts = {name: column for name, column in texts.items() if any(column)}
    telling = {name: column for name, column in texts.items() if not looks_like_key(name, column)}
    if texts and not telling:
        got = f"the only fields of the records look like keys: {', '.join(texts)}"
        raise InvalidInputError(f"{got}; expected something to compare; to use them, name them in fields=")
    varied = {name: column for name, column in telling.items() if len(set(column)) > 1}
    kept = varied or telling
    return TextColumns(n, tuple(kept), tuple(kept.values()))


def read_more(rows: Any, names: tuple[str, ...]) -> TextColumns:
    """Read further records with the fields of earlier ones; a field that is not there is missing."""
    n, given = _raw_columns(rows)
    if n and names and not any(name in given for name in names):
        got = f"the records have none of the earlier fields ({', '.join(names)}) but {', '.join(given)}"
        raise InvalidInputError(f"{got}; expected records of the same form as before")
    texts = (_as_column(name, given[name]) if name in given else ("",) * n for name in names)
    return TextColumns(n, names, tuple(texts))


def looks_like_key(name: str, column: Column) -> bool:
    """Whether a column only numbers the records: all values differ, and a name or an order that says so.

    >>> looks_like_key("customer_id", ("a7", "b2")), looks_like_key("phone", ("a7", "b2"))
    (True, False)
    """
    if not all(column) or len(set(column)) < len(column):
        return False
    if KEY_NAME.fullmatch(name.strip()) or KEY_NAME.fullmatch(name.strip().lower()):
        return True
    serial = len(column) >= KEYS.serial and all(text.isdecimal() and len(text) < 19 for text in column)
    return serial and all(a < b for a, b in pairwise(map(int, column)))


def _raw_columns(rows: Any) -> tuple[int, dict[str, Sequence[Any]]]:
    """Read the number of records, and their columns as they are, by name."""
    import narwhals as nw

    frame = nw.from_native(rows, allow_series=True, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise InvalidInputError(
            "the records are a lazy frame; expected one in memory: call its collect() first"
        )
    if isinstance(frame, nw.DataFrame):
        return len(frame), {str(column.name): column.to_list() for column in frame.iter_columns()}
    if isinstance(frame, nw.Series):
        return len(frame), {TEXT_FIELD: frame.to_list()}
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
        got = f"the records come as a {type(rows).__name__}"
        raise InvalidInputError(f"{got}; expected a data frame, a list of dictionaries or a list of texts")
    if isinstance(rows, np.ndarray) and rows.ndim != 1:
        got = f"the records are an array of shape {rows.shape}"
        raise InvalidInputError(f"{got}; expected a list of texts; for vectors there is from_vectors")
    return _listed(list(rows))


def _listed(rows: list[Any]) -> tuple[int, dict[str, Sequence[Any]]]:
    """TextColumns of a list of dictionaries, in order of first appearance, or of texts."""
    kinds = [isinstance(row, Mapping) for row in rows]
    if any(kinds):
        names = {name: None for row in rows if isinstance(row, Mapping) for name in row}
        _refuse_strange(rows, lambda row: row is None or isinstance(row, Mapping), "a dictionary")
        return len(rows), {str(name): [None if r is None else r.get(name) for r in rows] for name in names}
    _refuse_strange(rows, lambda row: row is None or isinstance(row, str) or _is_nan(row), "a text")
    return len(rows), {TEXT_FIELD: rows}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _refuse_strange(rows: list[Any], fits: Callable[[Any], bool], expected: str) -> None:
    """Refuse the first record of another form, under its number."""
    for number, row in enumerate(rows):
        if not fits(row):
            got = f"record {number} is a {type(row).__name__}: {row!r:.60}"
            raise InvalidInputError(f"{got}; expected {expected}, like the others")


def _known_fields(fields: Sequence[str] | str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Check the names of fields."""
    wanted = [fields] if isinstance(fields, str) or not isinstance(fields, Iterable) else list(fields)
    for name in wanted:
        if not isinstance(name, str) or name not in given:
            raise InvalidInputError(f"fields has {name!r}; expected some of {', '.join(given) or 'none'}")
    if len(set(wanted)) < len(wanted) or not wanted:
        raise InvalidInputError(f"fields is {wanted!r}; expected one name or more, each once")
    return tuple(wanted)


def _as_column(name: str, values: Sequence[Any]) -> Column:
    """Texts of a column, small letters and single blanks; what is missing is empty."""
    known: dict[str, str] = {}
    texts = []
    for number, value in enumerate(values):
        if isinstance(value, bytes | bytearray):
            got = f"field {name!r} of record {number} is {type(value).__name__}"
            raise InvalidInputError(f"{got}; expected text or a number; decode it first")
        text = value if isinstance(value, str) else _written(value)
        if text not in known:
            known[text] = plain_text(text[:LONGEST_VALUE])
        texts.append(known[text])
    return tuple(texts)


def _written(value: Any) -> str:
    """Write a number or any other value as a text: 1970.0 is 1970, for a column with gaps holds floats."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def plain_text(text: str) -> str:
    """Bring a text into the form in which texts are compared; words for "missing" become empty.

    >>> plain_text("  Ｍüller  GmbH "), plain_text("N/A")
    ('müller gmbh', '')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = " ".join(text.casefold().split())
    return "" if text in MISSING else text
