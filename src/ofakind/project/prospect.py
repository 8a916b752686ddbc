"""What is left to ask: questions to a target, and what the next ones are expected to bring.

The target is a share of wrong pairs. Its base are the wrong pairs that groups of these sizes would have if
objects were dealt to them at random: of that number, 1 - ARI are wrong (ARI, the adjusted Rand index). So a
target of 0.01 is an index of 0.99, whatever the sizes of groups.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from ofakind.arrays import Ints
from ofakind.checks import real_number, whole_number
from ofakind.engine.learner import ActiveClustering
from ofakind.kernels import portable
from ofakind.pairs import count_pairs
from ofakind.project.curve import CurvePoint
from ofakind.report.accuracy import Accuracy
from ofakind.report.forecast import FORECASTS, Forecast

HIGHEST_TARGET = 0.999  # of the index, as `forecast` has it
CORRELATED = "errors of the answers are correlated: how many pairs are wrong cannot be said"


@dataclass(frozen=True, slots=True)
class PaceRules:
    """How the pace so far is taken on; by judgement, tried on few runs."""

    least: int = 20  # answers over which a pace is measured, at least,
    share: float = 1 / 3  # and this share of all of them
    slower: float = 0.5  # how fast it goes on, against before: what is left is harder


PACE = PaceRules()


@dataclass(frozen=True, slots=True)
class UnsureRules:
    """When a target that is expected to be reached is not called so; chosen by judgement.

    Beside a judge no limit is better than 0.7 % of the objects in a wrong group (`INTERVAL`), whatever is
    answered. So more than that must be allowed, or a tight target could never be reached.
    """

    times: float = 5.0  # where so many times the target's wrong pairs cannot be ruled out,
    objects: int = 3  # and more than so many objects in a wrong group have,
    share: float = 0.01  # or than this share of all objects, if these are more


UNSURE = UnsureRules()


@dataclass(frozen=True, slots=True)
class Prospect:
    """Questions left to a ``target`` (a share of wrong pairs), and what the next ``questions`` may bring.

    ``fewer_wrong_pairs`` is how many fewer wrong pairs are expected after them: by the forecast, where it
    says how many questions it takes, else by the pace of the last ``pace`` answers, taken at half (0 if by
    the forecast). None while it is too early to say. ``doubtful`` is how many wrong pairs cannot be ruled out
    where the target is expected to be reached, and this is far more: features and judges may be wrong about
    objects that nobody doubts. Else it is None. Where errors of the answers are correlated, it is
    ``open_ended`` instead: nobody can say how many.
    """

    target: float
    forecast: Forecast
    questions: int
    fewer_wrong_pairs: float | None
    pace: int = 0
    doubtful: int | None = None
    open_ended: bool = False

    @property
    def reached(self) -> bool:
        """Whether the target is reached, as far as can be known."""
        return self.forecast.reached and self.doubtful is None and not self.open_ended

    @property
    def left(self) -> str:
        """What is said of the questions left to the target."""
        if self.open_ended:
            return f"perhaps none, but {CORRELATED}"
        if self.doubtful is not None:
            return f"perhaps none: up to {self.doubtful:,} wrong pairs cannot be ruled out yet"
        return str(self.forecast).replace(f" to an expected ARI of {self.forecast.target:g}", "")

    @property
    def next(self) -> str:
        """What is said of the next questions."""
        if self.fewer_wrong_pairs is None:
            return "too early to say"
        count = round(self.fewer_wrong_pairs)
        by = f", going by the last {self.pace:,} answers" if self.pace else ""
        if not count:
            return f"hardly any wrong pair fewer{by}"
        return f"about {count:,} fewer wrong pair{'' if count == 1 else 's'}{by}"


def prospect(
    learner: ActiveClustering,
    found: Accuracy | None,
    points: Sequence[CurvePoint],
    *,
    target: float,
    questions: int,
    early: bool,
) -> Prospect:
    """Look ahead from what a learner believes; ``found`` is its accuracy, None where there is none."""
    goal = 1 - real_number("target", target, least=0.001, most=0.9)
    size = whole_number("questions", questions, least=1)
    if found is None:
        return Prospect(target, Forecast(goal, 0.0, None, 0, None, count_pairs(learner.n)), size, None)
    forecast = learner.forecast(min(goal, HIGHEST_TARGET))
    if early:
        return Prospect(target, forecast, size, None)
    placed = _by_placing(learner, found, size)
    if placed is not None:
        return _with_doubt(Prospect(target, forecast, size, placed), learner, found)
    fewer, over = by_pace(points, size)
    share = None if fewer is None else fewer / max(points[-1].expected, 1e-9)
    now = found.expected_wrong_pairs
    ahead = Prospect(target, forecast, size, None if share is None else share * now, over)
    return _with_doubt(ahead, learner, found)


def _with_doubt(ahead: Prospect, learner: ActiveClustering, found: Accuracy) -> Prospect:
    """Say what speaks against a target that features or judges let expect to be reached."""
    if not ahead.forecast.reached or learner.reading == "people":
        return ahead
    if found.open_ended:
        return replace(ahead, open_ended=True)
    return replace(ahead, doubtful=doubtful_beyond(learner.labels, found, ahead.target))


def doubtful_beyond(labels: Ints, found: Accuracy, target: float) -> int | None:
    """Return how many wrong pairs cannot be ruled out, where that is far more than the target; else None."""
    sizes, everything = np.bincount(labels), count_pairs(len(labels))
    together = float((sizes * (sizes - 1) // 2).sum())
    by_chance = 2 * together * (everything - together) / max(1, everything)
    of_an_object = 2 * float((sizes**2).sum()) / max(1, len(labels))
    few = max(UNSURE.objects, UNSURE.share * len(labels))
    limit = found.wrong_pairs_interval[1]
    far = limit > max(UNSURE.times * target * by_chance, few * of_an_object)
    return round(min(limit, everything)) if far else None


def by_pace(points: Sequence[CurvePoint], questions: int) -> tuple[float | None, int]:
    """Return how many fewer wrong pairs come of going on at half the pace, and over how many answers it was.

    >>> told = [(0, 1000), (40, 62.5), (60, 15.625)]
    >>> by_pace([CurvePoint(0, answers, wrong, 0, 0, 9, False) for answers, wrong in told], 20)
    (7.8125, 20)
    """
    if len(points) < 2:
        return None, 0
    last = points[-1]
    before = last.answers - max(PACE.least, PACE.share * last.answers)
    base = next((point for point in reversed(points) if point.answers <= before), None)
    if base is None or last.expected <= 0 or base.expected <= 0:
        return (0.0, 0) if last.expected <= 0 else (None, 0)
    over = last.answers - base.answers
    rate = PACE.slower * max(portable.log(base.expected / last.expected), 0.0) / over
    return round(last.expected * float(1 - portable.exp(-rate * questions)), 9), over


def _by_placing(learner: ActiveClustering, found: Accuracy, questions: int) -> float | None:
    """Follow the forecast: if the share p of objects is placed, the index is p^2, and p grows evenly."""
    far = learner.forecast(HIGHEST_TARGET)
    if far.questions is None:
        return None
    if far.questions == 0 or far.reached:
        return 0.0
    placed = sqrt(max(found.expected_ari, 0.0))
    later = min(1.0, placed + (sqrt(far.target) - placed) * questions / far.questions)
    return found.expected_wrong_pairs * (1 - (1 - later * later) / (1 - placed * placed))


def answers_lacking(learner: ActiveClustering, found: Accuracy | None) -> int:
    """Return about how many more answers it takes until numbers of wrong pairs mean something; 0 if now.

    With features, until it is known what they are worth; without, until groups begin to show.
    """
    n, given = learner.n, learner.n_answers
    if learner.prior is not None:
        return max(0, min(FORECASTS.few_with_features, n) - given)
    everything = given >= count_pairs(n)
    if found is None or (found.expected_ari < FORECASTS.early and not everything):
        return max(1, min(n, count_pairs(n)) - given)
    return 0
