"""The binary symmetric channel: answers of -1 and 1 that are all wrong with the same probability."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats
from ofakind.kernels import portable


@dataclass(frozen=True, slots=True)
class SymmetricChannel:
    """Answers that are wrong with the probability ``wrong``, whatever the pair.

    >>> SymmetricChannel.of_concentration(3.0).information([0.5, 0.9, 1.0]).round(3).tolist()
    [0.502, 0.21, 0.0]
    """

    wrong: float

    @classmethod
    def of_concentration(cls, beta: float) -> Self:
        """Return the channel that the Gibbs distribution stands for: wrong is 1 / (1 + e^beta)."""
        odds = portable.exp(-beta)
        return cls(odds / (1 + odds))

    def information(self, probability: ArrayLike) -> Floats:
        """Mutual information in nats between "same", of this probability, and one more answer."""
        p = np.asarray(probability, np.float64)
        answered_same = p + self.wrong * (1 - 2 * p)
        return np.maximum(_entropy(answered_same) - _entropy(np.asarray(self.wrong)), 0.0)


def _entropy(p: Floats) -> Floats:
    """Entropy in nats of a coin."""
    tiny = np.finfo(np.float64).tiny
    return -(p * portable.log(np.maximum(p, tiny)) + (1 - p) * portable.log(np.maximum(1 - p, tiny)))
