"""Graded answers of a language model: the form that is asked for, and reading it without leniency."""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from ofakind.errors import JudgeFailedError

UNDECIDED_PERCENT = 50.0  # percent that say nothing
THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)  # before the answer of a model that thinks aloud
FENCE = re.compile(r"\A```(?:json)?\s*\n(.*)\n```\Z", re.DOTALL)


def answer_schema(others: int) -> dict[str, Any]:
    """Return the JSON schema of an answer about so many others.

    >>> answer_schema(2)["required"]
    ['1', '2']
    """
    names = [str(number) for number in range(1, others + 1)]
    return {
        "type": "object",
        "properties": {name: {"type": "integer", "minimum": 0, "maximum": 100} for name in names},
        "required": names,
        "additionalProperties": False,
    }


def read_scores(content: Any, others: int, hide: Callable[[str], str] = str) -> tuple[float, ...]:
    """Read the scores from what a model wrote; anything but the JSON object that was asked for is refused.

    Thoughts before it, and a fence around it, are passed over. Errors show what ``hide`` leaves.

    >>> read_scores('{"1": 100, "2": 25}', 2)
    (1.0, -0.5)
    """
    if not isinstance(content, str):
        raise JudgeFailedError(f"it holds {_short(content, hide)} instead of text")
    text = THOUGHTS.sub("", content).strip()
    fenced = FENCE.match(text)
    try:
        tree = json.loads(fenced[1] if fenced else text, parse_constant=_refuse, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise JudgeFailedError(f"it is no JSON: {_short(text, hide)}") from error
    names = [str(number) for number in range(1, others + 1)]
    if not isinstance(tree, dict) or sorted(tree) != sorted(names):
        raise JudgeFailedError(f"expected a number for each of 1 to {others}, got {_short(tree, hide)}")
    return tuple(_score(tree[name], hide) for name in names)


def _score(percent: Any, hide: Callable[[str], str]) -> float:
    fits = isinstance(percent, int | float) and not isinstance(percent, bool) and 0 <= percent <= 100
    if not fits or percent % 1:  # one that says 0.82 may well mean 82
        raise JudgeFailedError(f"expected whole numbers from 0 to 100, got {_short(percent, hide)}")
    return float(percent) / UNDECIDED_PERCENT - 1.0


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _short(value: Any, hide: Callable[[str], str]) -> str:
    return hide(repr(value))[:120]
