"""``ofakind label``: answer questions, in the terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ofakind.cli.terminal.beside import StatusBeside
    from ofakind.cli.terminal.budget import Budget
    from ofakind.cli.terminal.desks import Heading
    from ofakind.cli.terminal.sitting import Desk
    from ofakind.cli.terminal.words import Ending


def label(
    project: Annotated[Path, typer.Argument(metavar="NAME.ofk", help="The project.")],
    *,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Answer in the terminal; so far there is no other way.")
    ] = False,
    annotator: Annotated[
        str, typer.Option(metavar="NAME", help="Who answers; give it where several people do.")
    ] = "",
    budget: Annotated[
        str | None,
        typer.Option(metavar="N|TIME", help="Stop after so many answers, or so long: 60, 20min, 1.5h."),
    ] = None,
) -> None:
    """Answer questions: are these two of a kind?

    Two records stand side by side, with what differs marked. Keys: S same, D different, Space unsure, K would
    rather not, Z undo, W why, ? help, Q quit. Every answer is on the disk before the next question is shown,
    so Ctrl-C, a closed terminal or a crash loses nothing; the same command goes on. Where input is no
    terminal, answers are read line by line (s, d, u, k, z, w, q).

    Example: ofakind label customers.ofk --terminal --budget 20min
    """
    from ofakind.cli.terminal.budget import read_budget

    _ = terminal  # the only way there is
    ending = _sit(project, annotator, read_budget(budget))
    with suppress(OSError):  # nobody may be there any more
        say_goodbye(ending, project)
    if ending.code:
        raise typer.Exit(ending.code)


def _sit(path: Path, annotator: str, budget: "Budget") -> "Ending":
    """Open the project, let somebody answer, and close it."""
    from ofakind.cli.terminal.beside import StatusBeside
    from ofakind.cli.terminal.desks import Heading, is_terminal
    from ofakind.cli.terminal.progress import TARGET, progress_parts
    from ofakind.cli.terminal.sitting import Sitting
    from ofakind.cli.waiting import open_to_answer

    with open_to_answer(path) as project:
        beside = StatusBeside(lambda: (project.status(), project.prospect(TARGET)))
        beside.want()
        heading = Heading(project.question, lambda: progress_parts(project, beside.newest), project.about)
        try:
            with _desk(heading, beside, keys=is_terminal()) as desk:
                return Sitting(project, annotator, budget, desk, beside.want).run()
        finally:
            beside.close()


@contextmanager
def _desk(heading: "Heading", beside: "StatusBeside", *, keys: bool) -> "Iterator[Desk]":
    """Give the desk that fits: single keys in a terminal, lines elsewhere."""
    from ofakind.cli.terminal.desks import KeyDesk, LineDesk
    from ofakind.cli.terminal.keyboard import Keyboard, single_keys

    if not keys:
        yield LineDesk(heading, sys.stdin)
        return
    source = sys.stdin.fileno()
    with single_keys(source) as signals:
        beside.seen = signals.poke
        yield KeyDesk(heading, Keyboard(source, signals), source)


def say_goodbye(ending: "Ending", path: Path) -> None:
    """Say why it ended, that everything is kept, and how to go on."""
    from ofakind.project.status import counted

    kept = (
        f"{counted(ending.answers, 'answer')} of this sitting {'is' if ending.answers == 1 else 'are'} kept"
    )
    typer.echo(f"{ending.reason}; {kept}; go on with: ofakind label {quote(str(path))}")
