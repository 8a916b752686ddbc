"""How far long work has come: whoever does it says so, and whoever watches is told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, int, int], None]  # what is being done, how much of it is done, and how much there is
WATCHER: ContextVar[Watcher | None] = ContextVar("WATCHER", default=None)


def progressed(doing: str, done: int = 0, total: int = 0) -> None:
    """Say how far something has come; nothing happens where nobody watches. A total of 0 is not known."""
    watcher = WATCHER.get()
    if watcher is not None:
        watcher(doing, done, total)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Tell somebody how far the work in this block has come, as far as it is done in this thread.

    >>> with watched_by(print):
    ...     progressed("counting", 1, 3)
    counting 1 3
    """
    token = WATCHER.set(watcher)
    try:
        yield
    finally:
        WATCHER.reset(token)
