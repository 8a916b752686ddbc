"""What the fields of events may hold; each kind of field is checked by one function."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ofakind.checks import truth_value, whole_number
from ofakind.errors import InvalidInputError

Pair = tuple[int, int]
ObjectId = str | int
Content = str | int | float | bool | None  # what a column may hold

LONGEST_NAME = 200  # characters of an annotator's name, and of a key


def listed(name: str, value: Any) -> Sequence[Any]:
    """Return a list or tuple as it is; anything else is refused."""
    if not isinstance(value, list | tuple):
        raise InvalidInputError(f"{name} is {value!r:.80}; expected a list")
    return value


def same_length(name: str, values: Any, others: Sequence[Any]) -> None:
    """Refuse a list that has not one entry for each pair."""
    if len(listed(name, values)) != len(others):
        raise InvalidInputError(f"got {len(values)} {name} for {len(others)} pairs; expected one each")


def text(name: str, value: Any) -> str:
    """Return a text as it is; anything else is refused."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} is {value!r:.80}; expected text")
    return value


def short_text(name: str, value: Any) -> str:
    """Return a name; one that is too long is refused."""
    if len(text(name, value)) > LONGEST_NAME:
        raise InvalidInputError(f"{name} has {len(value)} characters; expected at most {LONGEST_NAME}")
    return str(value)


def key_text(value: Any) -> str:
    """Return a key: a name that is not empty."""
    if not short_text("key", value):
        raise InvalidInputError("the key is empty; expected one that belongs to this answer alone")
    return str(value)


def digest_text(name: str, value: Any) -> None:
    """Refuse what is no SHA-256 in hexadecimal digits."""
    if len(text(name, value)) != 64 or not set(value) <= set("0123456789abcdef"):
        raise InvalidInputError(f"{name} is {value!r:.80}; expected the 64 digits of a SHA-256")


def optional_count(name: str, value: Any) -> int | None:
    """Return a whole number, 0 or more, or None."""
    return None if value is None else whole_number(name, value, least=0)


def two_counts(name: str, value: Any) -> tuple[int, int]:
    """Return two whole numbers, 0 or more."""
    if len(listed(name, value)) != 2:
        raise InvalidInputError(f"{name} has {value!r:.80}; expected two numbers")
    return whole_number(name, value[0], least=0), whole_number(name, value[1], least=0)


def object_id(value: Any, row: int) -> ObjectId:
    """Return an id: a text that is not empty, or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InvalidInputError(f"the id of object {row} is {value!r:.80}; expected text or a whole number")
    return value


def column_of(name: Any, values: Any, ids: Sequence[Any]) -> tuple[Content, ...]:
    """Return the contents of a column, one for each object."""
    if len(listed(text("a column", name), values)) != len(ids):
        raise InvalidInputError(f"column {name!r:.40} has {len(values)} values; expected {len(ids)}")
    for row, value in enumerate(values):
        fits = value is None or isinstance(value, str | int | float)
        if not fits or (isinstance(value, float) and not math.isfinite(value)):
            got = f"column {name!r:.40} of object {row} is {value!r:.80}"
            raise InvalidInputError(f"{got}; expected text, a finite number, a truth value or None")
    return tuple(values)


def pictures_of(given: Any, ids: Sequence[ObjectId]) -> dict[str, Any]:
    """Return what is known of pictures, one for each id: ``folder``, ``sizes``, ``digests``, ``copied``.

    A picture lies in ``folder`` (as seen from the project file) under its id, or, where ``copied``, in the
    project under its SHA-256.
    """
    names = {"folder", "sizes", "digests", "copied"}
    if not isinstance(given, Mapping) or given.keys() != names:
        raise InvalidInputError(f"pictures is {given!r:.80}; expected {', '.join(sorted(names))}")
    for name in ("sizes", "digests"):
        if len(listed(name, given[name])) != len(ids):
            raise InvalidInputError(f"got {len(given[name])} {name} of pictures; expected {len(ids)}")
    for digest in given["digests"]:
        digest_text("digests", digest)
    truth_value("copied", given["copied"])
    return {
        "folder": text("folder", given["folder"]),
        "sizes": tuple(whole_number("sizes", size, least=0) for size in given["sizes"]),
        "digests": tuple(given["digests"]),
        "copied": bool(given["copied"]),
    }


def either_order(pair: Any) -> Pair:
    """Return two different objects in the order that they came in."""
    u, v = (whole_number("object", one, least=0) for one in _two(pair))
    if u == v:
        raise InvalidInputError(f"pair ({u}, {v}) is an object with itself; expected two objects")
    return u, v


def _two(pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise InvalidInputError(f"a pair is {pair!r:.80}; expected two objects")
    return pair[0], pair[1]


def ordered_pairs(given: Any) -> tuple[Pair, ...]:
    """Return pairs ``u < v``, each once; anything else is refused."""
    found = tuple(either_order(pair) for pair in listed("pairs", given))
    for u, v in found:
        if u > v:
            raise InvalidInputError(f"pair ({u}, {v}) is the wrong way round; expected the smaller one first")
    if len(set(found)) < len(found):
        raise InvalidInputError("a pair stands there twice; expected each once")
    return found
