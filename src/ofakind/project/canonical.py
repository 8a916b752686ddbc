"""JSON that is written in one way only, so that equal things have equal bytes and equal hashes.

Names are sorted, nothing is put between the parts, every character beyond ASCII is escaped (so any text can
be written, half a surrogate pair too), and a float is written as the shortest text that is read as the same
float. What is not finite is refused, in writing and in reading.
"""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from ofakind.errors import InvalidInputError


def written(tree: Any) -> str:
    """Return a tree of dictionaries, lists, text, numbers, truth values and None as its only JSON.

    >>> written({"b": [1, 0.5, -0.0], "a": "text"})
    '{"a":"text","b":[1,0.5,0.0]}'
    """
    try:
        return json.dumps(_plain(tree), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise InvalidInputError(f"a number is not finite ({error}); expected finite numbers") from error


def read(text: str) -> Any:
    """Read JSON; NaN and infinity, which some programs write, are refused.

    >>> read('{"a":[1,2.5]}')
    {'a': [1, 2.5]}
    """
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"this is no JSON: {error}") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _plain(tree: Any) -> Any:
    """Return the tree with 0.0 for -0.0, which are equal; other kinds of things are refused."""
    if isinstance(tree, Mapping):
        strange = next((name for name in tree if not isinstance(name, str)), None)
        if strange is not None:
            raise InvalidInputError(f"{strange!r:.80} is a name; expected text")
        return {str(name): _plain(branch) for name, branch in tree.items()}
    if isinstance(tree, list | tuple):
        return [_plain(branch) for branch in tree]
    if isinstance(tree, float):
        return tree + 0.0
    if tree is None or isinstance(tree, str | int):
        return tree
    raise InvalidInputError(
        f"{tree!r:.80} cannot be written; expected text, numbers, truth values, lists, None"
    )
