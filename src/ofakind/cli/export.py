"""``ofakind export``: results as files."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, opened
from ofakind.errors import InvalidInputError

if TYPE_CHECKING:
    from ofakind.project.results import TableColumns

KINDS_OF_RESULTS = (
    "groups, golden, answers, doubtful, pairs, judged, must-link, cannot-link, splink or dedupe"
)


def export(
    path: ProjectPath,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
    ] = Path("-"),
    what: Annotated[str, typer.Option(metavar="WHAT", help=f"One of {KINDS_OF_RESULTS}.")] = "groups",
    format: Annotated[  # noqa: A002
        str | None, typer.Option(metavar="FORMAT", help="csv, jsonl or parquet; else by the file's ending.")
    ] = None,
    columns: Annotated[bool, typer.Option("--columns", help="Groups with the records' own columns.")] = False,
    least: Annotated[
        float, typer.Option(metavar="P", min=0, max=1, help="Pairs with P(same) from P on.")
    ] = 0.0,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Doubtful pairs, at most.")] = 100,
    raw: Annotated[
        bool, typer.Option("--raw", help="CSV as it is, even what a spreadsheet computes.")
    ] = False,
    log: Annotated[
        bool, typer.Option("--log", help="The whole project as lines of JSON, for `ofakind new --log`.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write groups, answers and more to a file.

    As CSV, JSON lines or Parquet, by the ending of its name; whole or not at all.

    Example: ofakind export customers.ofk -o groups.csv --columns
    """
    from ofakind.files import check_target
    from ofakind.project.results import ResultOptions, table_of
    from ofakind.project.writing import check_format, format_of

    screen = str(output) == "-"
    options = ResultOptions(columns, least, limit)
    if log and (what != "groups" or format not in (None, "jsonl") or raw or options != ResultOptions()):
        raise InvalidInputError(
            "--log writes everything, as lines of JSON; leave all other options out, but -o"
        )
    if what not in KINDS_OF_RESULTS.replace(" or ", ", ").split(", "):
        raise InvalidInputError(f"--what is {what!r:.40}; expected one of {KINDS_OF_RESULTS}")
    kind = "jsonl" if log else format or format_of(None if screen else output, what)
    check_format(what, kind)
    if not screen:
        refuse_to_replace(check_target(output), output, force=force)
    if log:
        deliver_log(path, output)
        return
    with opened(path) as project:
        table = table_of(project, what, options)
    deliver_table(table, output, what=what, kind=kind, raw=raw)


def deliver_log(path: Path, output: Path) -> None:
    """Write the log of a project to a file, whole or not at all, or to standard output."""
    from ofakind.project.transfer import log_lines, write_log

    if str(output) == "-":
        _to_screen("".join(f"{line}\n" for line in log_lines(path)).encode("ascii"), "jsonl")
        return
    events = write_log(path, output)
    typer.echo(f"written: {printable(output)} ({events:,} event{'' if events == 1 else 's'})")


def deliver_table(
    table: "TableColumns", output: Path, *, what: str = "groups", kind: str | None = None, raw: bool = False
) -> None:
    """Write a table to a file, whole or not at all, or to standard output."""
    from ofakind.files import write_whole
    from ofakind.project.writing import format_of, written_table

    screen = str(output) == "-"
    kind = kind or format_of(None if screen else output, what)
    content = written_table(table, what, kind, raw=raw)
    if screen:
        _to_screen(content, kind)
        return
    write_whole(output, content)
    rows = len(next(iter(table.values()), []))
    typer.echo(f"written: {printable(output)} ({rows} row{'' if rows == 1 else 's'})")


def refuse_to_replace(target: Path, given: Path, *, force: bool) -> None:
    """Refuse a file that is there already, unless it may be replaced; a project never is."""
    if is_project(target):
        raise InvalidInputError(f"{given} is a project, which is never replaced; choose another name")
    if target.exists() and not force:
        raise InvalidInputError(
            f"{given} is there already, and is left as it is; choose another name or --force"
        )


def refuse_standard_output(output: Path, what: str, example: str) -> None:
    """Refuse ``-``, which elsewhere is standard output, where a file is written."""
    if str(output) == "-":
        raise InvalidInputError(
            f"{what} is a file, and no text to print; expected -o with a name: -o {example}"
        )


def is_project(path: Path) -> bool:
    """Whether a file, links followed, is an SQLite database, as every project is; or is called like one."""
    from ofakind.project.beside import SQLITE

    where = path.resolve()
    if not where.is_file():
        return False
    with where.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE or where.suffix == ".ofk"


def _to_screen(content: bytes, kind: str) -> None:
    """Write to standard output: as it is into a file or a pipe, made safe where it is a terminal."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(content)
    elif kind == "parquet":
        raise InvalidInputError("Parquet is no text; expected -o with the name of a file")
    else:
        for line in content.decode().splitlines():
            typer.echo(printable(line))
