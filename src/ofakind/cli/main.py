"""The ``ofakind`` command: its help, its version and what happens when a command fails or is stopped."""

import os
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ofakind import __version__
from ofakind.cli import study
from ofakind.cli.add import add
from ofakind.cli.assign import assign
from ofakind.cli.check import backup, check
from ofakind.cli.demo.command import demo
from ofakind.cli.export import export
from ofakind.cli.judge import judge
from ofakind.cli.label import label
from ofakind.cli.new import new
from ofakind.cli.printable import printable
from ofakind.cli.rename import rename
from ofakind.cli.report import report
from ofakind.cli.status import status
from ofakind.cli.why import why
from ofakind.errors import OfakindError


class Commands(TyperGroup):
    """Turns expected errors and Ctrl-C into one plain sentence and an exit code, for every command."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command: exit code 2 for an error of the user's, 130 when stopped."""
        try:
            return super().invoke(ctx)
        except OfakindError as error:
            typer.secho(f"ofakind: {printable(error)}", fg="red", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as stop:
            typer.echo("stopped", err=True)
            raise typer.Exit(130) from stop


# Plain help: rich's would take half of the time that `ofakind --help` may take.
app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command()(new)
app.command()(add)
app.command()(assign)
app.command()(label)
app.command()(judge)
app.command()(status)
app.command()(why)
app.command()(export)
app.command()(report)
app.command()(check)
app.command()(backup)
app.command()(rename)
app.add_typer(study.app, name="study")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer hands the flag over by position
    if wanted:
        typer.echo(f"ofakind {__version__}")
        raise typer.Exit


@app.callback()
def ofakind(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Sort things into groups by asking few, well-chosen questions: "are these two of a kind?".

    Example: ofakind demo
    """


def main() -> None:
    """Run the command line; the console script's entry point.

    What the system refuses (a full disk, say) is one plain sentence and exit code 2. A closed pipe, as in
    ``ofakind demo | head -1``, is no error worth a word: exit code 1.
    """
    try:
        try:
            app(prog_name="ofakind")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()
        sys.exit(1)
    except OSError as error:
        _let_go_of_output()
        with suppress(OSError):  # there may be nobody to tell
            place = f"{error.filename}: " if error.filename else ""
            typer.secho(f"ofakind: the system refused: {place}{error.strerror or error}", fg="red", err=True)
        sys.exit(2)


def _let_go_of_output() -> None:
    """Drop what could not be written; Python would try again at its end, and complain."""
    with suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
