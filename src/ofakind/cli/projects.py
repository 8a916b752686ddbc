"""What commands about a project share: opening it with progress, ids as people type them, times ago."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.errors import InvalidInputError

if TYPE_CHECKING:
    from ofakind.project.fields import ObjectId
    from ofakind.project.project import Project

ProjectPath = Annotated[Path, typer.Argument(metavar="NAME.ofk", help="The project.")]

PATIENCE = 1.0  # seconds before progress is shown
UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


@contextmanager
def opened(path: Path, *, read_only: bool = True) -> "Iterator[Project]":
    """Open a project and bring its learner up to date, with progress if it takes long and somebody looks."""
    from ofakind.project.opening import open_project

    with open_project(path, read_only=read_only) as project:
        with shown_progress(f"reading {path.name}") as report:
            project.catch_up(report)
        yield project


class _Report:
    """Shows how far it is once that takes longer than a moment."""

    def __init__(self, words: str) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._begun, self._words = datetime.now(UTC), words
        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(words)
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        waited = (datetime.now(UTC) - self._begun).total_seconds()
        if not self._shown and waited > PATIENCE and done < total:
            self._progress.start()
            self._shown = True
        self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        """Wipe it away."""
        if self._shown:
            self._progress.stop()


def _nothing(_done: int, _total: int) -> None:
    """Say nothing: nobody looks."""


@contextmanager
def shown_progress(words: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function of what is done and all there is; it shows that where somebody looks."""
    if not sys.stderr.isatty():
        yield _nothing
        return
    report = _Report(words)
    try:
        yield report
    finally:
        report.close()


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

    >>> ago("2026-01-01T00:00:00.000000Z", datetime(2026, 1, 1, 2, 30, tzinfo=UTC))
    '2 hours ago'
    """
    seconds = (now - datetime.fromisoformat(at)).total_seconds()
    for word, size in UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {word}{'' if count == 1 else 's'} ago"
    return "just now"
