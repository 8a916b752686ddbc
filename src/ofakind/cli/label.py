"""``ofakind label``: answer questions, on a page or in the terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.options import OnNetworkOption
from ofakind.cli.printable import printable
from ofakind.errors import InvalidInputError, OfakindError

if TYPE_CHECKING:
    from ofakind.cli.terminal.budget import SittingBudget
    from ofakind.cli.terminal.desks import Heading
    from ofakind.cli.terminal.progress import Standing
    from ofakind.cli.terminal.sitting import LabellingDesk
    from ofakind.cli.terminal.words import Ending
    from ofakind.project.latest import Latest

LOCAL = "127.0.0.1"  # the page's address, unless another is given


def label(
    project: Annotated[Path, typer.Argument(metavar="NAME.ofk", help="The project.")],
    *,
    terminal: Annotated[bool, typer.Option("--terminal", help="Answer in the terminal.")] = False,
    annotator: Annotated[
        str, typer.Option(metavar="NAME", help="Who answers; give it where several people do.")
    ] = "",
    budget: Annotated[
        str | None,
        typer.Option(metavar="N|TIME", help="Stop after so many answers, or so long: 60, 20min, 1.5h."),
    ] = None,
    people: Annotated[
        str, typer.Option(metavar="A,B", help="Several people, each with a link to the page.")
    ] = "",
    port: Annotated[
        int | None, typer.Option(metavar="P", min=0, max=65535, help="The page's port; 0 for any.")
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="H", help="The page's address; other than this machine's own: see below.")
    ] = LOCAL,
    tokens: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the tokens of links here: they stay the same.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    on_network: OnNetworkOption = False,
) -> None:
    """Answer questions: are these two of a kind?

    A page opens in the browser. Two records stand side by side, with what differs marked. Keys: S same, D
    different, Space unsure, K would rather not, Z undo, W why, ? help. Every answer is on the disk before it
    counts as saved, so Ctrl-C, a closed page or a crash loses nothing; the same command goes on.

    With --terminal, or with a --budget, or where the page is not installed (ofakind[web]), the same happens
    in the terminal (Q quits). Where input is no terminal either, answers are read line by line (s, d, u, k,
    z, w, q).

    Only this machine reaches the page, and only with the link. With --host 0.0.0.0 everybody in the network
    does who has a link; what is sent is not encrypted, so use it in a network that you trust.

    Example: ofakind label customers.ofk --people Ada,Bob
    """
    of_the_page = given(people=people, tokens=tokens, port=port is not None, host=host != LOCAL)
    refuse_both(of_the_page, given(terminal=terminal, budget=budget is not None))
    if people and annotator:
        raise InvalidInputError(
            "--people and --annotator are given; expected one of them: --people names everybody who answers"
        )
    if not terminal and budget is None and _has_page(asked_for=bool(of_the_page)):
        from ofakind.cli.page import PageOptions, show_page

        names = tuple(people.split(",")) if people else (annotator,)
        code = show_page(project, PageOptions(names, host, port, tokens, browser, on_network))
        raise typer.Exit(code)
    from ofakind.cli.terminal.budget import read_budget

    ending = _sit(project, annotator, read_budget(budget), on_network=on_network)
    with suppress(OSError):  # nobody may be there any more
        say_goodbye(ending, project, annotator)
    if ending.code:
        raise typer.Exit(ending.code)


def given(**options: object) -> list[str]:
    """Return the names of options that somebody gave.

    >>> given(people="Ada,Bob", port=False, tokens=None)
    ['--people']
    """
    return [f"--{name}" for name, one in options.items() if one]


def refuse_both(of_the_page: list[str], of_the_terminal: list[str]) -> None:
    """Refuse options of the page together with those of the terminal, of which one would be ignored."""
    if of_the_page and of_the_terminal:
        page, other = of_the_page[0], of_the_terminal[0]
        remedy = (
            "; in the terminal one person answers, and --annotator says who" if page == "--people" else ""
        )
        raise InvalidInputError(
            f"{page} is for the page, and {other} for the terminal; leave one of them out{remedy}"
        )


def _has_page(*, asked_for: bool) -> bool:
    """Whether there is a page to show: it is installed, and somebody sits there or asked for it.

    Without it, that is said in a sentence, and it goes on in the terminal.
    """
    from importlib.util import find_spec

    from ofakind.cli.terminal.desks import is_terminal

    if not asked_for and not is_terminal():
        return False
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        remedy = "pip install 'ofakind[web]' gives you the page"
        if asked_for:
            raise OfakindError(f"the page is not installed; {remedy}; or answer with --terminal")
        typer.echo(f"in the terminal, since the page is not installed; {remedy}", err=True)
        return False
    return True


def _sit(path: Path, annotator: str, budget: "SittingBudget", *, on_network: bool) -> "Ending":
    """Open the project, let somebody answer, and close it."""
    from ofakind.cli.terminal.desks import Heading, is_terminal
    from ofakind.cli.terminal.progress import AIM, progress_parts
    from ofakind.cli.terminal.sitting import Sitting
    from ofakind.cli.waiting import open_to_answer
    from ofakind.project.latest import Latest

    failing = "the numbers above the question are not known"
    with open_to_answer(path, on_network=on_network) as project:
        beside = Latest(lambda: (project.status(), project.prospect(AIM)), failing, forgets=True)
        beside.want()
        heading = Heading(project.question, lambda: progress_parts(project, beside.newest), project.about)
        try:
            with _desk(heading, beside, keys=is_terminal()) as desk:
                return Sitting(project, annotator, budget, desk, beside.want).run()
        finally:
            beside.close()


@contextmanager
def _desk(heading: "Heading", beside: "Latest[Standing]", *, keys: bool) -> "Iterator[LabellingDesk]":
    """Give the desk that fits: single keys in a terminal, lines elsewhere."""
    from ofakind.cli.terminal.desks import KeyDesk, LineDesk
    from ofakind.cli.terminal.keyboard import Keyboard, single_keys

    if not keys:
        yield LineDesk(heading, sys.stdin, by_hand=sys.stdin.isatty())
        return
    source = sys.stdin.fileno()
    with single_keys(source) as signals:
        beside.seen = signals.poke
        yield KeyDesk(heading, Keyboard(source, signals), source)


def say_goodbye(ending: "Ending", path: Path, annotator: str) -> None:
    """Say why it ended, that everything is kept, and how to go on."""
    from ofakind.project.status import counted

    kept = (
        f"{counted(ending.answers, 'answer')} of this sitting {'is' if ending.answers == 1 else 'are'} kept"
    )
    who = f" --annotator {quote(annotator)}" if annotator else ""
    typer.echo(f"{ending.reason}; {kept}; go on with: {printable(f'ofakind label {quote(str(path))}{who}')}")
