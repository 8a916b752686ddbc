"""Objects by their ids, as people and files write them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ofakind.project.fields import ObjectId


def find_object(numbers: Mapping[ObjectId, int], one: Any) -> int | None:
    """Return the number of an object by its id, None if there is none.

    An id of a text file is text, and may mean the whole number that it writes; and the other way round.

    >>> find_object({"a": 0, 7: 1, "8": 2}, "7"), find_object({"8": 2}, 8), find_object({7: 1}, "07")
    (1, 2, None)
    """
    plain = one.item() if isinstance(one, np.generic) else one
    plain = int(plain) if isinstance(plain, float) and plain.is_integer() else plain
    if isinstance(plain, bool) or not isinstance(plain, str | int):
        return None
    if plain in numbers:
        return numbers[plain]
    if isinstance(plain, int):
        return numbers.get(str(plain))
    return numbers.get(int(plain)) if is_whole(plain) else None


def is_whole(text: str) -> bool:
    """Whether a text is a whole number as Python writes it: without zeros before it, a sign +, or blanks."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) < 19 and str(int(text)) == text
