"""The ``ofakind`` command: its help, its version and what happens when a command fails or is stopped."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ofakind import __version__
from ofakind.cli.demo import demo
from ofakind.errors import OfakindError


class Commands(TyperGroup):
    """Turns expected errors and Ctrl-C into one plain sentence and an exit code, for every command."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command: exit code 2 for an error of the user's, 130 when stopped."""
        try:
            return super().invoke(ctx)
        except OfakindError as error:
            typer.secho(f"ofakind: {error}", fg="red", err=True)
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
    """Run the command line; the console script's entry point."""
    app(prog_name="ofakind")
