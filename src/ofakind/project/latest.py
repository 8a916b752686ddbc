"""Something that takes long to look at, computed beside: whoever asks gets the newest at once."""

import logging
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """A thread that looks when something has changed, with rests, and keeps the ``newest`` that it saw.

    It rests as long as a look took, so that half of the time is left to the choice of questions. When a look
    fails, that is logged with the words ``failing``; the last one is kept, or forgotten if ``forgets``.
    """

    def __init__(self, look: Callable[[], T], failing: str, *, forgets: bool = False) -> None:
        self.newest: T | None = None
        self.seen: Callable[[], None] = lambda: None  # called after every look
        self._look, self._failing, self._forgets = look, failing, forgets
        self._news = Condition()
        self._wanted = self._closed = False
        self._thread = Thread(target=self._run, name="ofakind-latest", daemon=True)
        self._thread.start()

    def want(self) -> None:
        """Say that something has changed."""
        with self._news:
            self._wanted = True
            self._news.notify_all()

    def get(self, seconds: float) -> T | None:
        """Return the newest; wait some seconds for the first."""
        with self._news:
            self._news.wait_for(lambda: self.newest is not None or self._closed, seconds)
            return self.newest

    def close(self, seconds: float = 0.0) -> None:
        """Stop looking; a look that has begun is waited for so long."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._wanted or self._closed)
                if self._closed:
                    return
                self._wanted = False
            start = monotonic()
            found = None if self._forgets else self.newest
            try:
                found = self._look()
            except Exception:  # the outermost loop of this thread: answers are still taken
                if not self._closed:
                    logging.getLogger(__name__).exception(self._failing)
            with self._news:
                self.newest = found
                self._news.notify_all()
            self.seen()
            with self._news:
                self._news.wait_for(lambda: self._closed, monotonic() - start)
