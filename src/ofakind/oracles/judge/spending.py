"""Money: a cap that holds whatever calls do, because each sets aside the most that it can cost beforehand.

An attempt that was refused costs nothing, one that was answered what the answer says. Of one whose answer
never came nobody knows, so it goes on counting with all that was set aside.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from threading import Condition, Event

from ofakind.errors import BudgetSpentError

ROUNDING_OF_SUMS = 1e-12  # of sums of floats that should be equal


class SpendingCap:
    """What may be spent in all, by calls in several threads; ``spent`` was before. None is without limit.

    ``stop`` ends all waiting.
    """

    def __init__(self, most: float | None = None, spent: float = 0.0) -> None:
        self.most, self.spent = most, spent
        self.stop = Event()
        self._out: dict[object, float] = {}  # what calls under way have set aside
        self._until: dict[object, float] = {}  # when calls that wait are made again
        self._changed = Condition()

    @property
    def waits(self) -> tuple[float, ...]:
        """In how many seconds calls that wait for a server are made again, the next one first."""
        now = time.monotonic()
        return tuple(sorted(max(until - now, 0.0) for until in list(self._until.values())))

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Count a call among those that wait, for so long at most."""
        token = object()
        self._until[token] = time.monotonic() + seconds
        try:
            yield
        finally:
            del self._until[token]

    @property
    def left(self) -> float | None:
        """What is neither spent nor set aside; None without a limit."""
        return None if self.most is None else max(self.most - self.spent - sum(self._out.values()), 0.0)

    def take(self, cost: float) -> object:
        """Set something aside; waits for others to settle while that may help, and else is refused."""
        token = object()
        with self._changed:
            while self.most is not None and self._total() + cost > self.most + ROUNDING_OF_SUMS:
                if self.stop.is_set() or not self._out:
                    got = f"{self.spent:.4g} of {self.most:.4g} is spent, with what is set aside"
                    raise BudgetSpentError(f"{got}, and another call may cost {cost:.4g}")
                self._changed.wait(0.2)
            self._out[token] = cost
        return token

    def give_back(self, token: object, cost: float) -> None:
        """Count what something did cost, in place of what was set aside."""
        with self._changed:
            self._out.pop(token, None)
            self.spent += cost
            self._changed.notify_all()

    def _total(self) -> float:
        return self.spent + sum(self._out.values())


class CallAllowance:
    """What one call spends under a cap: ``cost``.

    ``reserved`` is called when something is set aside, ``waits`` before and after it waits for a server.

    >>> cap = SpendingCap(1.0)
    >>> call = CallAllowance(cap)
    >>> call.reserve(0.6)
    >>> call.settle(0.25)
    >>> call.cost, cap.left
    (0.25, 0.75)
    """

    def __init__(
        self,
        cap: SpendingCap,
        reserved: Callable[[float], None] | None = None,
        waits: Callable[[], None] | None = None,
    ) -> None:
        self._cap, self._reserved, self._waits = cap, reserved, waits
        self._token: object | None = None
        self._aside = 0.0
        self.cost = 0.0
        self.unknown = 0.0  # of that, what was set aside where nobody knows the cost

    def reserve(self, cost: float) -> None:
        """Set aside the most that an attempt can cost."""
        if self._cap.stop.is_set():
            raise CancelledError
        token = self._cap.take(cost)
        try:
            if self._reserved is not None and cost > 0:
                self._reserved(cost)
        except BaseException:
            self._cap.give_back(token, 0.0)
            raise
        self._token, self._aside = token, cost

    def settle(self, cost: float | None = None) -> None:
        """Say what the attempt did cost; without a number, all that was set aside."""
        if self._token is not None:
            spent = self._aside if cost is None else cost
            self._cap.give_back(self._token, spent)
            self._token, self.cost = None, self.cost + spent
            self.unknown += spent if cost is None else 0.0

    def wait(self, seconds: float) -> None:
        """Wait before another attempt; stopped early when everything is to stop."""
        with self._cap.waiting(seconds):
            if self._waits is not None:
                self._waits()
            if self._cap.stop.wait(seconds):
                raise CancelledError
        if self._waits is not None:
            self._waits()
