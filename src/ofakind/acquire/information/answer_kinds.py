"""Kinds of answers, two or three, that stand for all: what several answers tell together is summed over them.

What one answer tells can be summed over all its kinds, what eight tell together only over few: "different",
"says little" and "same". The kinds that a posterior has are put together so that little is lost.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ofakind.arrays import Floats
from ofakind.kernels import portable
from ofakind.posterior.base import Abilities


@dataclass(frozen=True, slots=True)
class AnswerKindRules:
    """When two kinds of answers are enough; by judgement."""

    third: float = 0.02  # a third kind that tells less than this share more is not kept apart


ANSWER_KIND = AnswerKindRules()


@dataclass(frozen=True, slots=True)
class AnswerKinds:
    """Probability of each kind of answer to a pair of a kind, ``if_same``, and to any other pair.

    >>> AnswerKinds.wrong(0.1).information(np.array([0.5, 1.0])).round(3).tolist()
    [0.368, 0.0]
    """

    if_same: tuple[float, ...]
    if_different: tuple[float, ...]

    @classmethod
    def wrong(cls, missed: float, mistaken: float | None = None) -> "AnswerKinds":
        """Two kinds: of pairs of a kind so many are ``missed``, of others so many ``mistaken`` for one."""
        other = missed if mistaken is None else mistaken
        return cls((missed, 1 - missed), (1 - other, other))

    @classmethod
    def of(cls, able: Abilities) -> "AnswerKinds":
        """Read what a posterior takes answers to be like; where it does not say, they count as right."""
        answers: Any = able.answers
        if hasattr(answers, "same"):
            return cls.fewest(np.asarray(answers.same), np.asarray(answers.different))
        return cls.wrong(float(getattr(answers, "wrong", 0.0)))

    @classmethod
    def fewest(cls, same: Floats, different: Floats) -> "AnswerKinds":
        """Put kinds together, by what they speak for, into the three that tell most; or two, if these do.

        O(kinds^2).

        >>> AnswerKinds.fewest(np.array([0.6, 0.25, 0.15, 0.0]), np.array([0.0, 0.15, 0.25, 0.6]))
        AnswerKinds(if_same=(0.0, 0.4, 0.6), if_different=(0.6, 0.4, 0.0))
        """
        order = np.argsort(same / np.maximum(same + different, np.finfo(np.float64).tiny), kind="stable")
        up_to = [np.r_[0.0, np.cumsum(table[order])] for table in (same, different)]
        low, high = np.triu_indices(len(order) + 1)  # the first kind ends at low, the second at high
        told = _told(*(total[low] for total in up_to))
        told += _told(*(total[high] - total[low] for total in up_to))
        told += _told(*(total[-1] - total[high] for total in up_to))
        two = np.where(high == len(order), told, 0.0)
        best = int(np.argmax(told if told.max() > (1 + ANSWER_KIND.third) * two.max() else two))
        ends = np.unique([0, low[best], high[best], len(order)])
        return cls(*(tuple(np.diff(total[ends]).round(15).tolist()) for total in up_to))

    def chances(self, same: Floats) -> Floats:
        """Probability of each kind of answer, along a new first axis, for some P(same)."""
        shape = (-1, *(1,) * np.ndim(same))
        if_same, if_different = (np.reshape(table, shape) for table in (self.if_same, self.if_different))
        return np.asarray(if_different + (if_same - if_different) * same, np.float64)

    def entropy(self, same: Floats) -> Floats:
        """Mean entropy, in nats, of an answer given whether its pair is of a kind."""
        of_same, of_different = (_nats(np.array(t)).sum() for t in (self.if_same, self.if_different))
        return np.asarray(same * of_same + (1 - same) * of_different)

    def information(self, same: Floats) -> Floats:
        """What an answer tells by itself, in nats."""
        return np.asarray(np.maximum(_nats(self.chances(same)).sum(axis=0) - self.entropy(same), 0.0))


def _told(same: Floats, different: Floats) -> Floats:
    """What answers of a kind with these probabilities tell of a pair that is as likely as not of a kind."""
    both = np.maximum(same + different, np.finfo(np.float64).tiny)
    return np.asarray(
        (same + different) / 2 * (portable.log(2) - _nats(same / both) - _nats(different / both))
    )


def _nats(p: Floats) -> Floats:
    """The part of an entropy that is an outcome's; rounding may have left its probability below 0."""
    return np.asarray(portable.entr(np.maximum(p, 0.0)), np.float64)
