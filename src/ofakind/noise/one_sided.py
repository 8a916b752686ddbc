"""Answers that all lie on one side of 0: whoever gave them may have counted from elsewhere.

Who says 1 and 0 for "same" and "different", or has scores of 0.8 and 0.3, never says anything that speaks for
"different" as answers are read here: below 0. What such answers are worth is not learned from them, for want
of a contrast, but they can be read in relation to one another.
"""

from dataclasses import dataclass, replace

import numpy as np

from ofakind.answers import Answers
from ofakind.arrays import Mask
from ofakind.kernels import portable
from ofakind.noise.calibration import CALIBRATION, Calibration, learn
from ofakind.noise.evidence import Evidence


@dataclass(frozen=True, slots=True)
class OneSidedRules:
    """Tuned numbers of answers on one side of 0, chosen by judgement."""

    # Where one pair in ten differs, all of so many random pairs are alike in 4 % of cases.
    expected: int = 30  # answers from which on one below 0 is expected
    fewest: int = 5  # answers of the rarer side from which on calibration is learned,
    least_share: float = 0.01  # if they are also this share of all
    silent: float = 1e-9  # a log ratio no larger than this says nothing: rounding


ONE_SIDED = OneSidedRules()


def never_below_zero(answers: Answers) -> bool:
    """Whether no answer is below 0, though there are enough to expect one.

    >>> pairs = [(0, i) for i in range(1, 41)]
    >>> [never_below_zero(Answers.none(41).adding(pairs, [1] * 39 + [last])) for last in (0, -0.1)]
    [True, False]
    """
    return len(answers) >= ONE_SIDED.expected and float(answers.values.min()) >= 0


def sides(evidence: Evidence, calibration: Calibration, heard: Mask | None = None) -> tuple[int, int]:
    """Return how many answers speak for "same" and how many for "different", each by itself. O(answers).

    If only some pairs are ``heard``, those to other pairs do not count.

    >>> evidence = Evidence.of(Answers.none(4).adding([(0, 1), (0, 2), (0, 3)], [1, 0, 0.3]))
    >>> sides(evidence, learn(evidence)), sides(evidence, relative(evidence))
    ((2, 0), (1, 2))
    """
    if calibration.slope is not None:
        ratios = calibration.slope * evidence.value
    else:
        ratios = calibration.log_ratios()[evidence.cells(calibration.bins, calibration.annotators)]
    ratios = ratios if heard is None else ratios * heard[evidence.pair]
    same, different = (np.count_nonzero(sign * ratios > ONE_SIDED.silent) for sign in (1, -1))
    return int(same), int(different)


def lacks_contrast(evidence: Evidence, calibration: Calibration, heard: Mask | None = None) -> bool:
    """Whether nearly all answers speak for the same side: then no contrast can teach what they are worth.

    If only some pairs are ``heard``, it goes by the answers to these.
    """
    count = len(evidence.value) if heard is None else np.count_nonzero(heard[evidence.pair])
    least = max(ONE_SIDED.fewest, ONE_SIDED.least_share * count)
    return min(sides(evidence, calibration, heard)) < least


def relative(evidence: Evidence) -> Calibration:
    """Return what answers may be worth if they are counted from their mean, and their range is the whole one.

    The log ratio rises with the answers as that of the usual worth does from -1 to 1, and is about 0 at
    their mean. O(answers).
    """
    usual, centres = learn(evidence), evidence.bins.centres
    given = np.bincount(evidence.kind, minlength=len(centres))
    seen = centres[given > 0]
    half = max(float(np.ptp(seen)) / 2, ONE_SIDED.silent) if len(seen) else 1.0
    middle = float(evidence.value.mean()) if len(seen) else 0.0
    tilt = portable.exp(CALIBRATION.slope / 2 * np.clip((centres - middle) / half, -1, 1))
    tables = np.stack([(given + CALIBRATION.unseen) * tilt, (given + CALIBRATION.unseen) / tilt])
    tables /= tables.sum(axis=1, keepdims=True)
    same, different = np.repeat(tables[:, None], len(evidence.annotators) + 1, axis=1)
    return replace(usual, looks_same=same, looks_different=different)
