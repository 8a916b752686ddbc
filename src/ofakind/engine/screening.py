"""Asking by screens: one object and several others at a time."""

from threading import RLock
from typing import Protocol

from ofakind.acquire.base import Acquisition, Batch, State
from ofakind.acquire.screens import Screen, choose_screen, random_screen
from ofakind.acquire.uniform import Uniform
from ofakind.checks import whole_number
from ofakind.engine.alone import alone
from ofakind.engine.inference import CHOOSE, stream
from ofakind.engine.kept import Kept
from ofakind.engine.kept_view import KeptView
from ofakind.posterior.base import Belief
from ofakind.similarity import Similarity


class _Asking(Protocol):
    """What asking by screens needs of a learner."""

    _kept: Kept
    _lock: RLock

    @property
    def acquisition(self) -> Acquisition: ...
    @property
    def belief(self) -> Belief: ...
    @property
    def seed(self) -> int: ...
    @property
    def repeats(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def _starting(self) -> bool: ...
    def _fold(self) -> Similarity: ...
    def _state(self) -> State: ...
    def ask_screen(self, size: int = 8) -> Screen: ...


class Screening(KeptView):
    """The side of a learner that asks by screens."""

    @alone
    def ask_screen(self: _Asking, size: int = 8) -> Screen:
        """Give one object and at most ``size`` others: which of these are of its kind?

        The object and the set are those that tell most together; what one answer tells, another does not tell
        again. Answer it with ``tell(screen.pairs, values)``. Its pairs are `pending` until they are told or
        released, and it is a round, as an `ask` is. When nothing is open, the screen is empty.
        """
        wanted = whole_number("size", size, least=1)
        pool = self._kept.pool(self._fold(), self.repeats)
        if pool.size == 0:
            return Screen.empty()
        state, rng = self._state(), stream(self.seed, CHOOSE, self.round)
        if self._starting:
            how, screen = repr(Uniform()), random_screen(pool, wanted, rng)
        else:
            how, screen = repr(self.acquisition), choose_screen(self.acquisition, state, pool, wanted, rng)
        batch = Batch(screen.pairs, screen.worth, how, self.round, self.seed)
        self._kept = self._kept.asked(batch, state, self.belief)
        return screen

    @alone
    def ask_screens(self: _Asking, count: int, size: int = 8) -> tuple[Screen, ...]:
        """Give several screens at once, best first, none of which repeats a pair of another one.

        They are the same as those of ``count`` calls of `ask_screen`; fewer when nothing else is open.
        """
        screens = (self.ask_screen(size) for _ in range(whole_number("count", count, least=1)))
        return tuple(screen for screen in screens if screen)
