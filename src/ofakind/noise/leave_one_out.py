"""Leave-one-out prediction: how well the answers to each pair are predicted from all other answers.

    sum over pairs of log [q p(answers | same) + (1 - q) p(answers | different)]

where q is P(same) of the pair without what its own answers add to the log odds. It is how two readings of the
same answers are compared, and how a belief knows that it explains nothing.
"""

from dataclasses import dataclass

import numpy as np

from ofakind.arrays import Floats
from ofakind.kernels import portable
from ofakind.noise.calibration import Calibration
from ofakind.noise.evidence import Evidence


@dataclass(frozen=True, slots=True)
class PredictionRules:
    """Tuned numbers of leave-one-out prediction, chosen by judgement."""

    surest: float = 1e-4  # no probability from a few dozen samples is nearer to 0 or 1 than this
    odd: float = 0.4  # from this share of wrong answers on, about either sort of pairs, a reading is odd


PREDICTION = PredictionRules()


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """How well a belief predicts the answers to each pair from all others.

    ``gain`` is by how many nats they are predicted better than by chance, and ``surprise`` what chance
    leaves: no gain is larger. A reading is ``odd`` when it takes many answers to be wrong. ``contradicted``
    is the expected share of all answers that the clusters contradict, each counted by how far it is from 0.
    """

    gain: float = 0.0
    surprise: float = 0.0
    odd: bool = False
    contradicted: float = 0.0

    @classmethod
    def of(cls, evidence: Evidence, calibration: Calibration, same: Floats, *, score: float) -> "LeaveOneOut":
        """Sum up a reading: P(same) of each pair given all answers, and its log predictive probability."""
        chance, size = by_chance(evidence), np.abs(evidence.value)
        believed = same[evidence.pair]
        against = portable.dot(size, np.where(evidence.value > 0, 1 - believed, believed))
        contradicted = float(against) / max(float(size.sum()), PREDICTION.surest)
        odd = max(calibration.error_rates()) > PREDICTION.odd
        return cls(score - chance, -chance, odd, contradicted)


def log_predictive(evidence: Evidence, calibration: Calibration, same: Floats, ratios: Floats) -> float:
    """Log probability of the answers to each pair given all others, summed: 0 or less.

    ``same`` is P(same) of each pair given all answers, ``ratios`` are the log ratios of its own answers
    (`pair_weights`). O(answers).

    >>> from ofakind.answers import Answers
    >>> from ofakind.noise.calibration import learn, pair_weights
    >>> evidence = Evidence.of(Answers.none(3).adding([(0, 1), (1, 2)], [1, 1]))
    >>> usual = learn(evidence)
    >>> ratios = pair_weights(evidence, usual)
    >>> own = 1 / (1 + np.exp(-ratios))  # nothing is known from elsewhere
    >>> round(float(np.exp(log_predictive(evidence, usual, own, ratios))), 3)
    0.25
    """
    surest = PREDICTION.surest
    p = np.clip(same, surest * surest, 1 - surest * surest)
    q = np.clip(portable.expit(portable.logit(p) - ratios), surest, 1 - surest)
    cells = evidence.cells(calibration.bins, calibration.annotators)
    if_same = evidence.sums(portable.log(calibration.looks_same)[cells])
    if_different = evidence.sums(portable.log(calibration.looks_different)[cells])
    d, e = calibration.misleading
    looks_same = q * (1 - d) + (1 - q) * e
    return float(
        portable.logaddexp(
            portable.log(looks_same) + if_same, portable.log1p(-looks_same) + if_different
        ).sum()
    )


def by_chance(evidence: Evidence) -> float:
    """Log probability of the answers if each annotator drew them with the shares of their own, of any pair.

    >>> from ofakind.answers import Answers
    >>> by_chance(Evidence.of(Answers.none(3).adding([(0, 1), (1, 2)], [1, 1])))
    0.0
    """
    kinds = len(evidence.bins.centres)
    cells = np.bincount(
        evidence.who * kinds + evidence.kind, minlength=kinds * (len(evidence.annotators) + 1)
    )
    counts = cells.reshape(-1, kinds)
    total = counts.sum(axis=1)
    return float(portable.xlogy(counts, counts).sum() - portable.xlogy(total, total).sum())
