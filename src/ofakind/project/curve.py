"""How the expected number of wrong pairs fell: noted when a belief is there anyway, kept in the file's cache.

A point costs next to nothing, since it is taken where questions were just chosen. Points follow from the log:
they come back when it is replayed without its cache.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ofakind.engine.learner import ActiveClustering
from ofakind.errors import noting
from ofakind.report.accuracy import Accuracy

CURVE = "curve"  # its name in the cache


@dataclass(frozen=True, slots=True)
class CurveRules:
    """How often a point is noted; by judgement."""

    step: float = 0.02  # share of the answers so far that must have come since the last point


NOTED_EVERY = CurveRules()


class CurvePoint(NamedTuple):
    """What was expected after an event: wrong pairs with the limits of their interval, and groups.

    If ``open_ended``, only the lower limit holds.
    """

    event: int
    answers: int
    expected: float
    low: float
    high: float
    groups: int
    open_ended: bool


class ErrorCurve:
    """The points so far, in order of events and of answers: what was taken back is not on the way."""

    def __init__(self, points: Sequence[CurvePoint] = ()) -> None:
        self.points = list(points)

    def wants(self, answers: int) -> bool:
        """Whether enough has happened since the last point."""
        if not self.points:
            return True
        before = self.points[-1].answers
        return abs(answers - before) >= max(1.0, NOTED_EVERY.step * before)

    def note(self, event: int, answers: int, found: Accuracy, groups: int) -> None:
        """Add a point, if enough has happened since the last one."""
        if self.wants(answers):
            while self.points and self.points[-1].answers >= answers:
                self.points.pop()
            low, high = found.wrong_pairs_interval
            point = (event, answers, found.expected_wrong_pairs, low, high, groups, found.open_ended)
            self.points.append(CurvePoint(*point))

    def follow(self, event: int, learner: ActiveClustering) -> None:
        """Add a point for a learner that has just chosen questions, so that its belief is there."""
        answers = learner.n_answers
        if learner.n > 1 and answers and self.wants(answers):
            with noting({}):
                self.note(event, answers, learner.accuracy, learner.clustering.k)

    def to_bytes(self) -> bytes:
        """Return what `curve_in` reads."""
        return json.dumps(self.points, allow_nan=False).encode()


def curve_in(content: bytes) -> ErrorCurve:
    """Read a curve; one that cannot be read is empty."""
    try:
        return ErrorCurve([CurvePoint(*point) for point in json.loads(content)])
    except (ValueError, TypeError):
        return ErrorCurve()
