"""What would be expected without judges at this moment, where groups go by them."""

from dataclasses import dataclass, replace
from typing import Any, Self

from ofakind.engine.inference import FORECAST, Known, read_samples
from ofakind.errors import noting
from ofakind.posterior.base import Posterior
from ofakind.report.accuracy import Accuracy
from ofakind.report.assessment import assess
from ofakind.report.forecast import Forecast, forecast_questions
from ofakind.solve.base import SampleSolver

HIGHEST_GOAL, LOWEST_GOAL = 0.999, 0.001  # of the expected index that a forecast may aim at


@dataclass(frozen=True, slots=True)
class WithoutJudges:
    """What people's answers, and features, say without judges: an estimate by the model.

    It knows the first ``n_answers``: all of them or, where judges lead clearly and it is looked at seldom,
    two thirds at least. ``accuracy`` is that of the groups that it would make. ``forecast`` says how many
    more questions than these it would take to a target.
    """

    n_answers: int
    accuracy: Accuracy
    forecast: Forecast

    @classmethod
    def of(
        cls, kept: Posterior, known: Known, solver: SampleSolver, *, target: float, **askable: Any
    ) -> Self:
        """Say what ``kept``, the reading without judges, expects; it has read the answers that are ``known``.

        Nothing is sampled: groups are read from its samples as the learner reads its own. What speaks against
        them is not said, for it does not speak against what is believed. ``askable`` is what can still be
        asked, for the forecast.
        """
        answers, goal = known.answers, min(max(target, LOWEST_GOAL), HIGHEST_GOAL)
        with noting({}):
            labels = read_samples(solver, kept, replace(known, before=None)).labels
            found = assess(kept, labels, answers, known.pins)
            rng = known.stream(FORECAST)
            forecast = forecast_questions(kept, labels, goal, answers=answers, rng=rng, **askable)
        return cls(len(answers), found, forecast)
