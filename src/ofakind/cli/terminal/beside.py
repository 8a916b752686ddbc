"""Where the project stands, computed beside: whoever answers never waits for it."""

from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic

from ofakind.errors import OfakindError
from ofakind.project.prospect import Prospect
from ofakind.project.status import ProjectStatus

Standing = tuple[ProjectStatus, Prospect]


class StatusBeside:
    """A thread that looks at a project after answers, with rests, and keeps the newest that it saw.

    A look may take as long as the learner takes; half of the time is left to the choice of questions.
    """

    def __init__(self, look: Callable[[], Standing]) -> None:
        self.newest: Standing | None = None
        self.seen: Callable[[], None] = lambda: None  # called when there is something new
        self._look, self._news = look, Condition()
        self._wanted = self._closed = False
        self._thread = Thread(target=self._run, name="ofakind-status", daemon=True)
        self._thread.start()

    def want(self) -> None:
        """Say that something has changed."""
        with self._news:
            self._wanted = True
            self._news.notify_all()

    def close(self) -> None:
        """Stop looking; a look that has begun is not waited for."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._wanted or self._closed)
                if self._closed:
                    return
                self._wanted = False
            start = monotonic()
            try:
                self.newest = self._look()
            except OfakindError:
                self.newest = None  # what failed is said where questions are chosen
            self.seen()
            with self._news:
                self._news.wait_for(lambda: self._closed, monotonic() - start)
