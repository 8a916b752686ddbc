"""What is left to ask: questions to a target, and what the next ones are expected to bring.

The target is a share of wrong pairs. Its base are the wrong pairs that groups of these sizes would have if
objects were dealt to them at random: of that number, 1 - ARI are wrong (ARI, the adjusted Rand index). So a
target of 0.01 is an index of 0.99, whatever the sizes of groups.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ofakind.checks import real_number, whole_number
from ofakind.engine.learner import ActiveClustering
from ofakind.noise.calibration import Calibration
from ofakind.pairs import PairSet, count_pairs
from ofakind.posterior.base import abilities_of
from ofakind.report.accuracy import Accuracy
from ofakind.report.forecast import FORECASTS, Forecast

HIGHEST_TARGET = 0.999  # of the index, as `forecast` has it


@dataclass(frozen=True, slots=True)
class Outlook:
    """Questions left to a ``target`` (a share of wrong pairs), and what the next ``questions`` may bring.

    ``fewer_wrong_pairs`` is how many fewer wrong pairs are expected after them: with features what the
    questions settle by themselves, so that it may well be more. None while it is too early to say.
    """

    target: float
    forecast: Forecast
    questions: int
    fewer_wrong_pairs: float | None

    @property
    def left(self) -> str:
        """What is said of the questions left to the target."""
        return str(self.forecast).replace(f" to an expected ARI of {self.forecast.target:g}", "")

    @property
    def next(self) -> str:
        """What is said of the next questions."""
        if self.fewer_wrong_pairs is None:
            return "too early to say"
        count = round(self.fewer_wrong_pairs)
        if not count:
            return "hardly any wrong pair fewer"
        more = ", or more" if self.forecast.featured else ""
        return f"about {count:,} fewer wrong pair{'' if count == 1 else 's'}{more}"


def outlook(
    learner: ActiveClustering, found: Accuracy | None, *, target: float, questions: int, early: bool
) -> Outlook:
    """Look ahead from what a learner believes; ``found`` is its accuracy, None where there is none."""
    goal = 1 - real_number("target", target, least=1 - HIGHEST_TARGET, most=0.9)
    size = whole_number("questions", questions, least=1)
    if found is None:
        left = count_pairs(learner.n)
        return Outlook(target, Forecast(goal, 0.0, None, 0, None, left), size, None)
    forecast = learner.forecast(min(goal, HIGHEST_TARGET))
    if early:
        return Outlook(target, forecast, size, None)
    gain = _by_features(learner, size)
    gain = _by_placing(learner, found, size) if gain is None else gain
    return Outlook(target, forecast, size, None if gain is None else min(gain, found.expected_wrong_pairs))


def _by_features(learner: ActiveClustering, questions: int) -> float | None:
    """Sum what the best questions settle by themselves: errors of their own pairs that an answer ends.

    A pair with P(same) = p is wrong with min(p, 1 - p), if groups go by it; after an answer of kind r, which
    is as likely as a_r if it is of a kind and b_r if not, with sum_r min(p a_r, (1 - p) b_r).
    """
    able = abilities_of(learner.posterior)
    if able.likely is None or not isinstance(able.answers, Calibration):
        return None
    pairs, same = able.likely
    known = learner.similarity.pairs()
    open_ones = ~PairSet.of(known.u, known.v).holds(pairs.u, pairs.v)
    p = same[open_ones][:, None]
    after = np.minimum(p * able.answers.same, (1 - p) * able.answers.different).sum(axis=1)
    gains = np.minimum(p[:, 0], 1 - p[:, 0]) - after
    return float(np.sort(np.maximum(gains, 0))[::-1][:questions].sum())


def _by_placing(learner: ActiveClustering, found: Accuracy, questions: int) -> float | None:
    """Follow the forecast: if the share p of objects is placed, the index is p^2, and p grows evenly."""
    far = learner.forecast(HIGHEST_TARGET)
    if far.questions is None:
        return None
    if far.questions == 0 or far.reached:
        return 0.0
    placed = sqrt(max(found.expected_ari, 0.0))
    later = min(1.0, placed + (sqrt(far.target) - placed) * questions / far.questions)
    return found.expected_wrong_pairs * (1 - (1 - later**2) / (1 - placed**2))


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
