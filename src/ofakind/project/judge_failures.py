"""Calls of a judge that failed in a run: what is asked again alone, what is left out, when to give up.

A server that is down fails always, a record that a model refuses to read fails wherever it is. So the pairs
of a call that failed are asked again one by one, and after many failures in a row it is looked at what these
calls have in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ofakind.project.fields import Pair
from ofakind.project.judge_calls import PlannedCall


@dataclass(frozen=True, slots=True)
class FailureRules:
    """When to give up; by judgement."""

    hopeless: int = 10  # calls that fail one after the other until an object, or the judge, is given up
    suspects: int = 6  # objects that are given up on end until it is the judge


FAILURES = FailureRules()


@dataclass(slots=True)
class FailedCalls:
    """What failed: prompts by their ``digests``, and pairs that come again ``alone`` or are ``lost``.

    About ``spoiling`` objects no call is made any more.
    """

    digests: set[str] = field(default_factory=set)
    alone: set[Pair] = field(default_factory=set)
    lost: set[Pair] = field(default_factory=set)
    spoiling: set[int] = field(default_factory=set)
    row: list[set[int]] = field(default_factory=list)  # objects of each call since the last that was answered
    suspects: int = 0  # objects that were given up since then

    def add(self, call: PlannedCall) -> None:
        """Take note of a call; one that was made again in the other order takes nothing away."""
        self.digests.add(call.request.digest)
        if not call.swapped:
            (self.alone if len(call.pairs) > 1 else self.lost).update(call.pairs)

    def answered(self) -> None:
        """Take note that a call was answered."""
        self.row, self.suspects = [], 0

    def gives_up(self, call: PlannedCall, *, works: bool) -> bool:
        """Count another failure, and say whether the judge is to be given up.

        After too many in a row, one or two objects are given up instead, if each call was about one of these
        and the judge ``works``: it has said something before.
        """
        if call.objects & self.spoiling:
            return False
        self.row.append(call.objects)
        if len(self.row) < FAILURES.hopeless:
            return False
        found = common_to(self.row)
        self.suspects += len(found)
        if not found or not works or self.suspects > FAILURES.suspects:
            return True
        self.spoiling |= found
        self.row = []
        return False


def common_to(calls: Sequence[set[int]]) -> set[int]:
    """Return an object that all of these calls are about, or two of which each call is about one; or none.

    >>> sorted(common_to([{1, 2}, {3, 2}])), sorted(common_to([{1, 2}, {3, 2}, {5, 9}, {9, 4}]))
    ([2], [2, 9])
    >>> common_to([{1}, {2}, {3}])
    set()
    """
    if common := set.intersection(*calls):
        return {min(common)}
    for one in sorted(calls[0]):
        if common := set.intersection(*(each for each in calls if one not in each)):
            return {one, min(common)}
    return set()
