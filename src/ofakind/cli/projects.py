"""What commands about a project share: opening it with progress, ids as people type them, times ago."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.printable import printable
from ofakind.errors import InvalidInputError
from ofakind.progress import progressed

if TYPE_CHECKING:
    from ofakind.project.fields import ObjectId
    from ofakind.project.project import Project

ProjectPath = Annotated[Path, typer.Argument(metavar="NAME.ofk", help="The project.")]

UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


@contextmanager
def opened(path: Path, *, read_only: bool = True, on_network: bool = False) -> "Iterator[Project]":
    """Open a project and compute what is believed, with progress if it takes long and somebody looks."""
    from ofakind.cli.waiting import waiting
    from ofakind.cli.watching import shown
    from ofakind.project.opening import open_project

    with open_project(path, read_only=read_only, on_network=on_network) as project:
        with shown():
            project.catch_up(told_of(f"reading {path.name}"))
        with waiting(f"computing the groups of {printable(path.name)}"):
            project.labels()
        yield project


def told_of(doing: str) -> Callable[[int, int], None]:
    """Return a function of what is done and all there is, which tells whoever watches."""

    def tell(done: int, total: int) -> None:
        progressed(doing, done, total)

    return tell


def id_of(project: "Project", typed: str) -> "ObjectId":
    """Return the id that somebody means: as it is, or as a number where ids are numbers."""
    known = set(project.ids)
    if typed in known:
        return typed
    number = int(typed) if typed.lstrip("-").isdecimal() else None
    if number is not None and number in known:
        return number
    raise InvalidInputError(f"{typed!r:.60} is no object of {project.path.name}; expected one of its ids")


def ago(at: str, now: datetime) -> str:
    """Say how long ago a time of the log was.

    >>> ago("2026-01-01T00:00:00.000000Z", datetime.fromisoformat("2026-01-01T02:30:00Z"))
    '2 hours ago'
    """
    seconds = (now - datetime.fromisoformat(at)).total_seconds()
    for word, size in UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {word}{'' if count == 1 else 's'} ago"
    return "just now"
