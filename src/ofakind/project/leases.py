"""Who has which question now, and what somebody gets next.

A question is lent for some minutes, by a clock that no change of the time of day moves. While it is lent
nobody else gets it; afterwards it may go to somebody else, and a late answer still counts. Leases are not in
the log: after a restart, what was shown and not answered is lent anew, and whoever had it gets it first.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ofakind.project.fields import Pair
from ofakind.project.ledger import Ledger

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class LeaseRules:
    """How long a question is lent; chosen by judgement."""

    seconds: float = 600.0  # long enough for a hard question, short enough for somebody who went home


LEASE = LeaseRules()


class Leases:
    """Pairs that are out, with whom, and until when."""

    def __init__(self, clock: Clock = time.monotonic, seconds: float = LEASE.seconds) -> None:
        self._clock, self._seconds = clock, seconds
        self._until: dict[Pair, tuple[str, float]] = {}
        self._before: set[Pair] = set()  # lent before a restart

    @classmethod
    def after_restart(cls, ledger: Ledger, clock: Clock = time.monotonic) -> "Leases":
        """Lend anew what was shown and is still open."""
        leases = cls(clock)
        for annotator, pairs in ledger.shown.values():
            for pair in ((min(one), max(one)) for one in pairs):
                if pair in ledger.open and not ledger.skipped.get((annotator, pair)):
                    leases.lend(pair, annotator)
                    leases._before.add(pair)
        return leases

    def lend(self, pair: Pair, annotator: str) -> None:
        """Lend a pair from now on."""
        self._until[pair] = annotator, self._clock() + self._seconds
        self._before.discard(pair)

    def give_back(self, pair: Pair, annotator: str) -> None:
        """End the lease of somebody, if it is theirs."""
        if self._until.get(pair, ("", 0.0))[0] == annotator:
            self._until.pop(pair, None)

    def may_have(self, pair: Pair, annotator: str) -> bool:
        """Whether nobody has a pair; what somebody had before a restart, they may have again."""
        return self.is_free(pair) or (self._until[pair][0] == annotator and pair in self._before)

    def is_free(self, pair: Pair) -> bool:
        """Whether nobody has a pair."""
        return pair not in self._until or self._until[pair][1] < self._clock()

    @property
    def out(self) -> int:
        """Number of pairs that are lent now."""
        now = self._clock()
        return sum(until >= now for _, until in self._until.values())


def available(ledger: Ledger, leases: Leases, annotator: str) -> Iterator[Pair]:
    """Give the open questions that somebody may get, best of the newest first; none that they skipped.

    Those of screens come last.
    """
    for pair in sorted(ledger.open, key=lambda pair: (pair in ledger.screen_of, -ledger.open[pair])):
        if leases.may_have(pair, annotator) and not ledger.skipped.get((annotator, pair)):
            yield pair
