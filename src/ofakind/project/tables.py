r"""Tables in files: CSV, TSV, lines of JSON, Parquet, lists of ids, each cell with its file, line and column.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     file = Path(folder, "people.csv")
...     _ = file.write_text("id,name\n007,Ann\n008,\n", encoding="utf-8")
...     table = read_table(file)
>>> table.columns
{'id': ['007', '008'], 'name': ['Ann', None]}
>>> table.where(1, "name").removeprefix(str(file))
", line 3, column 'name'"
"""

import json
import math
import os
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ofakind.errors import InvalidInputError, OfakindError
from ofakind.project.decoding import check_file_is_there, lines_of
from ofakind.project.delimited import read_delimited
from ofakind.project.fields import Content
from ofakind.project.json_lines import read_json_lines

DELIMITED = (".csv", ".tsv", ".tab")
JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
LISTS = (".txt", ".ids")
KNOWN_ENDINGS = (*DELIMITED, *JSON_LINES, *PARQUET, *LISTS)
ID_OF_A_LIST = "id"  # the name of the only column of a list


@dataclass(frozen=True, slots=True, eq=False)
class FileTable:
    """A table as it stands in a file: columns by their names, and the line (or row) of each row.

    Cells of text files are text; where ``typed``, numbers and truth values are what the file says they are.
    """

    path: Path
    columns: dict[str, list[Content]]
    places: Sequence[int]
    typed: bool = False
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.places)

    def where(self, row: int, column: str | None = None) -> str:
        """Say where a row, or a cell, stands, for messages."""
        place = f"{self.path}, {self.unit} {self.places[row]}"
        return place if column is None else f"{place}, column {column!r:.60}"

    def column(self, name: str, meant: str) -> list[Content]:
        """Return a column by its name; ``meant`` says who names it, for the message if there is none."""
        if name not in self.columns:
            there = ", ".join(repr(one) for one in self.columns) or "none"
            raise InvalidInputError(
                f"{self.path} has no column {name!r:.60}, which {meant} names; its columns: {there}"
            )
        return self.columns[name]


def read_table(
    path: str | os.PathLike[str],
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> FileTable:
    """Read a table by the ending of its name: .csv, .tsv, .jsonl, .parquet, or .txt with an id on each line.

    Whatever cannot be is refused with the file, the line and the column; see `read_delimited` and
    `read_json_lines`. Nothing is guessed from cells of text: ``007`` stays what it is.
    """
    file = Path(path)
    ending = file.suffix.lower()
    check_file_is_there(file)
    if delimiter is not None and ending not in DELIMITED:
        raise InvalidInputError(f"a delimiter is given for {file}, which is no CSV; leave it out")
    if ending in PARQUET:
        return _parquet(file)
    if ending in JSON_LINES:
        columns, begins = read_json_lines(file, encoding=encoding)
        return FileTable(file, columns, begins, typed=True)
    if ending in LISTS:
        return _list_of_ids(file, encoding)
    if ending in DELIMITED:
        columns, begins = read_delimited(file, delimiter=delimiter, encoding=encoding)
        return FileTable(file, columns, begins)
    raise InvalidInputError(f"{file} ends in {ending!r}; expected a table: {', '.join(KNOWN_ENDINGS)}")


def _list_of_ids(path: Path, encoding: str | None) -> FileTable:
    """Read a file with an id on each line; an empty line is refused, but at the end."""
    ids: list[Content] = [line.rstrip("\r\n") for line in lines_of(path, encoding)]
    while ids and not ids[-1]:
        ids.pop()
    if "" in ids:
        raise InvalidInputError(f"{path}, line {ids.index('') + 1} is empty; expected an id on each line")
    return FileTable(path, {ID_OF_A_LIST: ids}, array("q", range(1, len(ids) + 1)))


def _parquet(path: Path) -> FileTable:
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        got = f"{path} is Parquet, which needs pyarrow, and that is not here"
        raise OfakindError(f"{got}: pip install ofakind[parquet]; or save it as CSV") from error
    import pyarrow as pa

    try:
        found: Any = pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{path} cannot be read as Parquet: {error}") from error
    names = [str(name) for name in found.column_names]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInputError(f"{path}: two columns are called {twice!r:.60}; rename one")
    rows = range(1, found.num_rows + 1)
    columns = {name: found.column(place).to_pylist() for place, name in enumerate(names)}
    table = FileTable(path, columns, rows, typed=True, unit="row")
    for name, column in columns.items():
        for row, value in enumerate(column):
            if isinstance(value, bytes | dict | list | float):
                column[row] = _plain_value(value, table, row, name)
    return table


def _plain_value(value: Any, table: FileTable, row: int, name: str) -> Content:
    """Return a value of a Parquet file as others have it; bytes and what is not finite are refused."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bytes):
        got = f"{table.where(row, name)}: the value is bytes"
        raise InvalidInputError(f"{got}; expected text or a number; decode it first, or leave it out")
    if math.isinf(value):
        got = f"{table.where(row, name)}: {value} is not finite"
        raise InvalidInputError(f"{got}; expected a finite number, or none")
    return None if math.isnan(value) else float(value)
