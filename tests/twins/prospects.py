"""What is looked ahead from: a learner that only says what it is told to, and how wrong its groups may be."""

from types import SimpleNamespace

import numpy as np

from ofakind.project.prospect import prospect
from ofakind.report.accuracy import Accuracy
from ofakind.report.forecast import Forecast


def said(limit):
    """At most so many pairs are wrong."""
    return Accuracy(0.9, 1.0, (0.0, limit), 0.99, (0.5, 1.0), 15.0, (15.0, 15.0))


def ahead_of(found, *, index, reading="judge", target=0.01):
    """Look ahead from fifteen groups of four, at so high an expected index, at least 7 questions from any."""

    def forecast(goal):
        reached = index >= goal
        return Forecast(goal, index, 0 if reached else None, 0 if reached else 7, None, 100, featured=True)

    labels = np.repeat(np.arange(15), 4)
    learner = SimpleNamespace(n=60, labels=labels, reading=reading, forecast=forecast)
    return prospect(learner, found, [], target=target, questions=100, early=False)
