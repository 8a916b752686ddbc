"""Tables as files: CSV that does nothing in a spreadsheet, JSON lines that are exact, Parquet, JSON."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ofakind.checks import one_of
from ofakind.errors import InvalidInputError
from ofakind.project.results import RESULTS, TableColumns, as_rows

# What spreadsheets may compute, in full width, too.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
FORMAT_OF_ENDING = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
}


def format_of(path: Path | None, what: str) -> str:
    """Return the format that a file's name asks for; without a name, CSV, or JSON where it must be.

    >>> format_of(Path("groups.JSONL"), "groups"), format_of(None, "dedupe")
    ('jsonl', 'json')
    """
    usual = "json" if what == "dedupe" else "csv"
    if path is None:
        return usual
    if path.suffix.lower() not in FORMAT_OF_ENDING:
        got = f"{path.name!r:.80} does not say in which format"
        raise InvalidInputError(f"{got}; expected a name with .csv, .jsonl or .parquet, or --format")
    return FORMAT_OF_ENDING[path.suffix.lower()]


def check_format(what: str, format: str) -> None:  # noqa: A002
    """Refuse a table that is not there, and a format that it cannot have."""
    one_of("what", what, *RESULTS)
    if what == "dedupe" and format != "json":
        raise InvalidInputError(f"dedupe reads JSON, and {format} was asked for; expected .json")
    if format not in FORMAT_OF_ENDING.values():
        raise InvalidInputError(f"the format is {format!r:.40}; expected csv, jsonl or parquet")


def written_table(columns: TableColumns, what: str, format: str, *, raw: bool = False) -> bytes:  # noqa: A002
    """Return a table as the content of a file; ``raw`` leaves cells of a CSV as they are."""
    check_format(what, format)
    if what == "dedupe":
        return _dedupe(columns)
    if format == "csv":
        return as_csv(columns, raw=raw)
    writers = {"jsonl": as_jsonl, "json": _as_json, "parquet": _as_parquet}
    return writers[format](columns)


def as_csv(columns: TableColumns, *, raw: bool = False) -> bytes:
    r"""Return CSV in UTF-8; a text that a spreadsheet might compute gets an apostrophe before it.

    >>> as_csv({"name": ["=1+1", "Ann"], "value": [-1.0, None]})
    b"name,value\r\n'=1+1,-1.0\r\nAnn,\r\n"
    """
    shown: Callable[[Any], Any] = _as_it_is if raw else inert
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow([shown(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([shown(cell) for cell in row])
    return file.getvalue().encode("utf-8", "backslashreplace")


def inert(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers are none.

    >>> inert("-1+1"), inert(-1.5), inert("plain")
    ("'-1+1", -1.5, 'plain')
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def as_jsonl(columns: TableColumns) -> bytes:
    r"""Return a JSON object for each row, exact: read again, it is what was there.

    >>> as_jsonl({"id": ["é"], "group": [3]})
    b'{"id":"\xc3\xa9","group":3}\n'
    """
    return b"".join(_json(row) + b"\n" for row in as_rows(columns))


def _as_json(columns: TableColumns) -> bytes:
    return b"[" + b",\n ".join(_json(row) for row in as_rows(columns)) + b"]\n"


def _json(tree: Any) -> bytes:
    text = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 does not have
        return json.dumps(tree, allow_nan=False, separators=(",", ":")).encode()


def _as_parquet(columns: TableColumns) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise InvalidInputError(
            "Parquet needs the package pyarrow; pip install 'ofakind[parquet]', or write .csv or .jsonl"
        ) from error
    arrays = {name: pa.array(_of_one_type(column)) for name, column in columns.items()}
    file = io.BytesIO()
    parquet.write_table(pa.table(arrays), file)
    return file.getvalue()


def _of_one_type(column: list[Any]) -> list[Any]:
    """Return a column as it is if its values are of one type, or all numbers; else as texts."""
    kinds = {type(one) for one in column if one is not None}
    whole = not any(isinstance(one, int) and abs(one) >= 2**63 for one in column)
    if (len(kinds) <= 1 and kinds != {str} and whole) or (kinds == {int, float} and whole):
        return [float(one) if kinds == {int, float} and one is not None else one for one in column]
    texts = (None if one is None else str(one) for one in column)
    return [None if one is None else one.encode("utf-8", "backslashreplace").decode() for one in texts]


def _dedupe(columns: TableColumns) -> bytes:
    """Return what dedupe's ``prepare_training`` reads: couples of records, marked as tuples."""
    couples: dict[str, list[Any]] = {"distinct": [], "match": []}
    for same, records in zip(columns["match"], columns["records"], strict=True):
        couples["match" if same else "distinct"].append({"__class__": "tuple", "__value__": records})
    return _json(couples) + b"\n"


def _as_it_is(cell: Any) -> Any:
    return cell
