"""The checksum of a document: of what it says, however it is written.

The order of names, white space, and whether numbers stand in a list or an array make no difference, nor
whether a whole number is written as 1 or as 1.0. So a document may go through a database or another program's
JSON, and is still known again.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ofakind.arrays import Floats

LARGEST_WHOLE = 2.0**53  # whole numbers up to here are the same as floats


def checksum(tree: Any) -> str:
    """Return the SHA-256 of a tree of mappings, lists, arrays, numbers and text, in hexadecimal digits.

    >>> checksum({"a": [1, 2.0], "b": "x"}) == checksum({"b": "x", "a": np.array([1.0, 2.0])})
    True
    >>> checksum({"a": [1, 2]}) == checksum({"a": [1, 2.5]})
    False
    """
    digest = hashlib.sha256()
    _feed(digest, tree)
    return digest.hexdigest()


def _feed(digest: Any, tree: Any) -> None:
    """Add a tree. Each part begins with its sort and its length, so that no two trees are the same text."""
    if isinstance(tree, Mapping):
        digest.update(b"{%d:" % len(tree))
        for name, branch in sorted((str(name), branch) for name, branch in tree.items()):
            digest.update(_written(name))
            _feed(digest, branch)
    elif isinstance(tree, list | tuple) or (isinstance(tree, np.ndarray) and tree.ndim):
        _feed_list(digest, tree)
    else:
        digest.update(_written(_value(tree)))


def _feed_list(digest: Any, rows: Any) -> None:
    if not _is_text(rows):
        numbers = _numbers(rows)
        if numbers is not None:
            digest.update(b"#%d:" % len(numbers))
            digest.update(numbers.tobytes())
            return
        rows = [_value(row) for row in rows]
    if _is_text(rows):
        digest.update(b"$" + _written(rows))
        return
    digest.update(b"[%d:" % len(rows))
    for row in rows:
        _feed(digest, row)


def _is_text(rows: Any) -> bool:
    """Whether all of a list is text, such as the names of people, of which there may be many."""
    return isinstance(rows, list | tuple) and bool(rows) and all(isinstance(row, str) for row in rows)


def _numbers(rows: Any) -> Floats | None:
    """Return a list or an array as floats, if it has one dimension and they are all of its finite numbers."""
    try:
        array = np.asarray(rows)
    except ValueError:  # lists of different lengths
        return None
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        return None
    whole = array.dtype.kind != "f"
    fits = (array <= LARGEST_WHOLE) & (array >= -LARGEST_WHOLE) if whole else np.isfinite(array)
    return array.astype("<f8") + 0.0 if fits.all() else None  # -0 is 0


def _value(value: Any) -> Any:
    """Return a single value as it stands in a document, but numbers that are equal alike."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_WHOLE:
        return float(value) + 0.0
    return value


def _written(value: Any) -> bytes:
    text = json.dumps(value, default=repr).encode()
    return b"%d:" % len(text) + text
