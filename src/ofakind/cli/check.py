"""``ofakind check`` and ``ofakind backup``: is the file as it was written, and a copy of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, told_of

if TYPE_CHECKING:
    from ofakind.project.log import Checked


def check(
    path: ProjectPath,
    *,
    replay: Annotated[
        bool, typer.Option("--replay", help="Make all calls again, and compare the questions; may take long.")
    ] = False,
) -> None:
    """Say whether a project is as it was written.

    If it is not, the first event that was changed is named, and the exit code is 1. Another version of
    ofakind may ask other questions than the one that made a project: --replay says so, and that is no damage.

    Example: ofakind check customers.ofk
    """
    found = checked(path, replay=replay)
    if found:
        typer.echo(f"{printable(path)}: {found}")
        return
    typer.echo(f"{printable(path)}: {printable(found)}", err=True)
    raise typer.Exit(1)


def checked(path: Path, *, replay: bool) -> "Checked":
    """Look at a whole file, and with ``replay`` make all calls again."""
    from ofakind.cli.watching import shown
    from ofakind.errors import DamagedProjectError
    from ofakind.project.log import Checked, check_file
    from ofakind.project.opening import open_project

    found = check_file(path)
    if not found or not replay:
        return found
    try:
        with open_project(path, read_only=True) as project, shown():
            return project.check(replay=True, progress=told_of(f"replaying {path.name}"))
    except DamagedProjectError as error:
        return Checked(found.n_events, str(error))


def backup(
    path: ProjectPath,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="COPY.ofk", help="The copy, a new file.")],
) -> None:
    """Copy a project, also while it is in use.

    Example: ofakind backup customers.ofk -o customers-monday.ofk
    """
    from ofakind.cli.export import refuse_standard_output
    from ofakind.project.store import back_up

    refuse_standard_output(output, "a project", "COPY.ofk")

    found = back_up(path, output)
    typer.echo(f"written: {printable(output)} ({found})")
