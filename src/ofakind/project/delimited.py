"""Tables as CSV: one line is the header, every row has as many cells, and nothing is guessed from cells."""

import csv
import re
import sys
import threading
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ofakind.errors import InvalidInputError
from ofakind.project.decoding import lines_of
from ofakind.project.fields import Content

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}
SEPARATOR_LINE = re.compile(r'"?sep=([^\r\n"])"?\s*', re.IGNORECASE)  # which Excel reads, and others see
AT_A_TIME = 10_000  # rows that are turned into columns together
LIMIT_LOCK = threading.Lock()  # the length of a cell is a limit of the whole process


def read_delimited(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> tuple[dict[str, list[Content]], "array[int]"]:
    """Read the columns of a CSV, TSV or similar file as text, and the line on which each row begins.

    An empty cell is None. Cells may hold line ends where they are quoted. Refused, with the line: rows with
    more or fewer cells than the header, quotes that are not closed or go on, names that are empty or twice.
    A first line such as ``sep=;``, which is for Excel, says what separates cells, and is no header.
    """
    lines = lines_of(path, encoding)
    header_line, at = next(lines, None), 1
    said = SEPARATOR_LINE.fullmatch(header_line or "")
    if said is not None:
        header_line, at = next(lines, None), 2
    if header_line is None:
        raise InvalidInputError(f"{path} is empty; expected a line with the names of the columns")
    used = _delimiter(path, header_line, said[1] if said and delimiter is None else delimiter)
    with _cells_of_any_length():
        rows = _rows(path, _with_first(header_line, lines), used, at)
        _, first = next(rows, (1, []))
        names = _header(path, first, at)
        columns: list[list[Content]] = [[] for _ in names]
        begins, waiting = array("q"), []
        for line, row in rows:
            if not row:
                continue  # an empty line
            if len(row) != len(names):
                raise InvalidInputError(_ragged(f"{path}, line {line}", row, names, used, at))
            begins.append(line)
            waiting.append(row)
            if len(waiting) == AT_A_TIME:
                _take(columns, waiting)
                waiting = []
        _take(columns, waiting)
    return dict(zip(names, columns, strict=True)), begins


def _with_first(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from rest


def _rows(path: Path, lines: Iterable[str], delimiter: str, first: int) -> Iterator[tuple[int, list[str]]]:
    """Give each row with the line on which it begins; the header is on the line ``first``."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    begin = first
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InvalidInputError(_broken_quote(path, begin, error)) from error
        if row is None:
            return
        yield begin, row
        begin = reader.line_num + first


def _take(columns: list[list[Content]], rows: list[list[str]]) -> None:
    for column, values in zip(columns, zip(*rows, strict=True), strict=False):
        column.extend(value or None for value in values)


def _header(path: Path, cells: list[str], line: int) -> list[str]:
    """Return the names of the columns, without blanks around them; each must be there, once."""
    names = [cell.strip() for cell in cells]
    if not names:
        raise InvalidInputError(f"{path}, line {line} is empty; expected the names of the columns")
    for place, name in enumerate(names, 1):
        if not name:
            raise InvalidInputError(
                f"{path}, line {line}: column {place} of {len(names)} has no name; expected a name for each"
            )
        if (before := names.index(name) + 1) != place:
            got = f"{path}, line {line}: columns {before} and {place} are both called {name!r:.60}"
            raise InvalidInputError(f"{got}; expected a name for each; rename one")
    return names


def _delimiter(path: Path, header: str, given: str | None) -> str:
    """Return what separates cells: as given, or what a .tsv has, or what the header has most of."""
    if given is not None:
        found = NAMED_DELIMITERS.get(given.lower(), given)
        if len(found) != 1 or found in '\r\n"\0':
            got = f"the delimiter is {given!r:.40}"
            raise InvalidInputError(f"{got}; expected one character, or tab, comma, semicolon, bar, space")
        return found
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    outside = "".join(header.split('"')[::2])  # not in quotes
    return max(DELIMITERS, key=outside.count)


def _ragged(where: str, row: list[str], names: list[str], delimiter: str, header: int) -> str:
    got = f"{where} has {len(row)} {'cell' if len(row) == 1 else 'cells'}"
    missing = f", from column {names[len(row)]!r:.60} on none" if len(row) < len(names) else ""
    by = DELIMITERS.get(delimiter, repr(delimiter))
    return (
        f"{got}{missing}; expected {len(names)}, as in line {header}, separated by {by}; "
        "put text that has it inside in quotes, or choose another with --delimiter"
    )


def _broken_quote(path: Path, line: int, error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return f"{path}, line {line}: a quote is opened in this row and not closed; close it"
    if "expected after" in str(error):
        got = f"{path}, line {line}: in this row something follows a closing quote"
        return f'{got}; expected the next cell; a quote inside of quotes is written twice: ""'
    return f"{path}, line {line}: this row cannot be read ({error})"


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Let cells be as long as they are, which Python's reader of CSV does not."""
    with LIMIT_LOCK:
        before = csv.field_size_limit(sys.maxsize if sys.maxsize < 2**31 else 2**31 - 1)
        try:
            yield
        finally:
            csv.field_size_limit(before)
