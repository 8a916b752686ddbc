"""Numbers as they stand in files: read strictly, and refused with the reason."""

import math
import re
from typing import Any

from ofakind.errors import InvalidInputError

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
PADDED = re.compile(r"[+-]?0\d", re.ASCII)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)


def number_in(text: str) -> float | None:
    """Return the finite number that a text is, None if it is none.

    >>> number_in("1.5e3"), number_in(" 7"), number_in("0,5"), number_in("1e999"), number_in("nan")
    (1500.0, 7.0, None, None, None)
    """
    plain = text.strip()
    if not NUMBER.fullmatch(plain):
        return None
    found = float(plain)
    return found if math.isfinite(found) else None


def is_name_of_digits(text: str) -> bool:
    """Whether digits are a name rather than a number, as in 007: zeros stand before it.

    >>> is_name_of_digits("007"), is_name_of_digits("0.5"), is_name_of_digits("70")
    (True, False, False)
    """
    return PADDED.match(text.strip()) is not None


def read_number(value: Any, where: str) -> float:
    """Return a finite number from a cell; anything else is refused, with a word on why.

    >>> read_number("0,5", "a.csv, line 3")
    Traceback (most recent call last):
    ofakind.errors.InvalidInputError: a.csv, line 3: '0,5' has a decimal comma; expected a point, as in 0.5
    """
    if isinstance(value, str):
        text = value.strip()
        if NUMBER.fullmatch(text) and math.isfinite(found := float(text)):
            return found
        if DECIMAL_COMMA.fullmatch(text):
            got, expected = "has a decimal comma", f"a point, as in {text.replace(',', '.')}"
        elif NUMBER.fullmatch(text) or text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            got, expected = "is not finite", "a finite number"
        else:
            got, expected = "is no number", "a number such as 0.5"
        raise InvalidInputError(f"{where}: {value!r:.60} {got}; expected {expected}")
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        got = "there is nothing" if value is None else f"{value!r:.60} is no number"
        raise InvalidInputError(f"{where}: {got}; expected a number such as 0.5")
    if not math.isfinite(value):
        raise InvalidInputError(f"{where}: {value!r} is not finite; expected a finite number")
    return float(value)
