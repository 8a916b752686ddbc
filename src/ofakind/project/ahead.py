"""Questions that are chosen ahead, in a thread beside: nobody who asks waits for the learner.

While the learner is busy, questions come from those that were chosen before; when they run out, from what it
would have asked next, then from pairs that features call likely, then by chance, and the log says which. When
the learner fails, it goes on in this way, and `failure` says why.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition, Thread
from time import monotonic

import numpy as np

from ofakind.pairs import Pairs
from ofakind.project.fields import Pair
from ofakind.project.ledger import Ledger


@dataclass(frozen=True, slots=True)
class AheadRules:
    """How far ahead questions are chosen; by judgement."""

    questions: int = 16  # questions that are ready for whoever asks
    again: int = 8  # fewer than this, and more are chosen
    screens: int = 3  # screens that are ready, where somebody wants any,
    spare_screens: int = 4  # and that are kept for when the learner is not ready
    spare: int = 64  # questions that are kept for when the learner is not ready
    patience: float = 0.1  # seconds that somebody waits for a learner that is quick, when none is ready
    first: float = 60.0  # seconds that opening waits for the first questions
    ending: float = 3.0  # seconds that the learner has to finish when the project is closed


AHEAD = AheadRules()


class Ahead:
    """A thread that calls a function whenever somebody wants more questions."""

    def __init__(self, fill: Callable[[], None]) -> None:
        self.failure: str | None = None
        self._fill, self._news = fill, Condition()
        self._wanted = self._closed = False
        self._rounds, self._took = 0, 0.0  # how many, and how many seconds the last one took
        self._began: float | None = None  # the one that runs
        self._thread = Thread(target=self._run, name="ofakind-ahead", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Whether nobody wants any more."""
        return self._closed

    def want(self) -> None:
        """Say that more are wanted."""
        with self._news:
            self._wanted = True
            self._news.notify_all()

    def begin(self) -> None:
        """Wait for the first questions, but not for ever."""
        self.wait(AHEAD.first)

    def wait(self, seconds: float = AHEAD.patience) -> None:
        """Say that more are wanted, and wait for the end of a round, or so many seconds."""
        with self._news:
            rounds, self._wanted = self._rounds, True
            self._news.notify_all()
            self._news.wait_for(lambda: self._rounds > rounds or self._closed, seconds)

    def wait_if_quick(self) -> None:
        """Say that more are wanted, and wait for them where the last ones came, and these come, at once."""
        began = self._began
        left = AHEAD.patience - (0.0 if began is None else monotonic() - began)
        if self._took < AHEAD.patience and left > 0:
            self.wait(left)
        else:
            self.want()

    def close(self) -> bool:
        """Stop; returns whether the thread has ended within some seconds."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._thread.join(AHEAD.ending)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._wanted or self._closed)
                if self._closed:
                    return
                self._wanted = False
            begin = self._began = monotonic()
            try:
                self._fill()
                self.failure = None
            except Exception as error:  # the outermost loop of this thread: answers are still taken
                if self.closed:  # by somebody who did not wait any longer
                    return
                logging.getLogger(__name__).exception("questions could not be chosen")
                self.failure = f"questions are chosen without the learner: {type(error).__name__}: {error}"
            with self._news:
                self._took, self._began = monotonic() - begin, None
                self._rounds += 1
                self._news.notify_all()


def is_new(ledger: Ledger, pair: Pair) -> bool:
    """Whether a pair was never asked, answered or pinned."""
    return pair not in ledger.asked and pair not in ledger.answered and not ledger.implied(pair)


def by_chance(ledger: Ledger, near: Pairs | None, size: int, rng: np.random.Generator) -> tuple[Pair, ...]:
    """Return pairs that were never asked, answered or pinned, at random: of those that may be of a kind.

    Where features name no such pair, of all pairs. Fewer come where few are left.
    """
    n, found = len(ledger.ids), dict[Pair, None]()
    if n < 2:
        return ()
    for _ in range(50 * size):
        if near is not None and len(near) and rng.random() < 0.9:
            row = int(rng.integers(len(near)))
            pair = int(near.u[row]), int(near.v[row])
        else:
            u, v = sorted(rng.choice(n, 2, replace=False).tolist())
            pair = u, v
        if is_new(ledger, pair):
            found[pair] = None
        if len(found) == size:
            break
    return tuple(found)
