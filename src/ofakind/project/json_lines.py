"""Records as lines of JSON."""

import json
import math
from array import array
from pathlib import Path
from typing import Any, NoReturn

from ofakind.errors import InvalidInputError
from ofakind.project.decoding import lines_of
from ofakind.project.fields import Content


def read_json_lines(
    path: Path, *, encoding: str | None = None
) -> tuple[dict[str, list[Content]], "array[int]"]:
    """Read the columns of a file with an object of JSON on each line, and the line of each row.

    What an object does not have is None. A list or an object as a value is kept as its JSON. Refused, with
    the line: what is no object, a name that stands in one twice, NaN and other numbers that are not finite.
    """
    columns: dict[str, list[Content]] = {}
    begins = array("q")
    for number, line in enumerate(lines_of(path, encoding), 1):
        if not line.strip():
            continue
        row = _object(path, number, line)
        for name in row:
            if name not in columns:
                columns[name] = [None] * len(begins)
        for name, column in columns.items():
            column.append(_value(path, number, name, row.get(name)))
        begins.append(number)
    return columns, begins


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line, parse_constant=_refuse, object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        got = f"{path}, line {number} is no JSON: {error.msg} at character {error.pos + 1}"
        raise InvalidInputError(f"{got}; expected an object on each line") from error
    except (ValueError, RecursionError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidInputError(f"{path}, line {number}: {what}; expected an object of JSON") from error
    if not isinstance(found, dict):
        got = f"{path}, line {number} is {line.strip()!r:.60}"
        raise InvalidInputError(f'{got}; expected an object, such as {{"id": 1, "name": "Ann"}}')
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON; write null for what is not known")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r:.60} stands there twice")
    return found


def _value(path: Path, number: int, name: str, value: Any) -> Content:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and not math.isfinite(value):
        got = f"{path}, line {number}, column {name!r:.60}: the number is too large"
        raise InvalidInputError(f"{got}; expected a finite one")
    content: Content = value
    return content
