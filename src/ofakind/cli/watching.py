"""A live picture of long work on a terminal: what is being done, how far it is, how long it takes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from ofakind.cli.printable import printable
from ofakind.progress import watched_by

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass(frozen=True, slots=True)
class WatchRules:
    """When work is shown, chosen by judgement."""

    patience: float = 0.7  # seconds after which it is worth a look
    every: float = 0.05  # seconds between two looks


WATCH = WatchRules()


@contextmanager
def shown() -> Iterator[None]:
    """Show how far the work in this block has come, if it takes a while and somebody looks at a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    picture = LivePicture()
    try:
        with watched_by(picture.tell):
            yield
    finally:
        picture.close()


def time_left(seconds: float, done: int, to_do: int) -> str:
    """Say how long what is to do may take, after so much was done in so many seconds; "" if nobody knows.

    >>> time_left(10, 4, 8), time_left(60, 1, 9), time_left(1, 0, 8)
    ('about 20 s left', 'about 9 min left', '')
    """
    if done <= 0 or to_do <= 0:
        return ""
    left = seconds / done * to_do
    return f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} min left"


class LivePicture:
    """A line for each part of the work, which go away when all is done."""

    def __init__(self) -> None:
        self._begun = perf_counter()
        self._looked = 0.0
        self._bars: Progress | None = None
        self._rows: dict[str, TaskID] = {}
        self._starts: dict[str, tuple[float, int]] = {}  # when each part was first seen, and how far it was

    def tell(self, doing: str, done: int, total: int) -> None:
        """Take note of how far a part is; a new one ends the others."""
        now = perf_counter()
        new = doing not in self._rows
        if now - self._begun < WATCH.patience or (not new and now - self._looked < WATCH.every):
            return
        self._looked = now
        bars = self._shown()
        if new:
            for row in self._rows.values():
                bars.update(row, total=1, completed=1, left="")
            self._rows[doing] = bars.add_task(printable(doing), total=total or None, left="")
            self._starts[doing] = now, done
        left = time_left(now - self._starts[doing][0], done - self._starts[doing][1], total - done)
        bars.update(self._rows[doing], completed=done, total=total or None, left=left, refresh=True)

    def close(self) -> None:
        """Take the picture away."""
        if self._bars is not None:
            self._bars.stop()

    def _shown(self) -> "Progress":
        if self._bars is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=30),
                TaskProgressColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[left]}", markup=False),
            )
            self._bars = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bars.start()
        return self._bars
