"""Whether samples of partitions can be relied on: do the chains agree, and what are they worth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Ints
from ofakind.clustering import rand_indices
from ofakind.posterior.partition.chains import rows_of_each


@dataclass(frozen=True, slots=True)
class AgreementRules:
    """When chains agree; chosen by judgement."""

    compared: int = 400  # labels at the beginning and the end of a chain: several samples of few objects
    tolerance: float = 0.1  # by which samples of different chains may agree less than those of one chain


AGREEMENT = AgreementRules()


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How samples of different chains compare with those of one chain.

    ``between`` and ``within`` are mean adjusted Rand indices of two samples, taken from different chains and
    from the beginning and the end of one. Chains that have found the same posterior agree as much with one
    another as with themselves, however little that is while nothing is known. ``effective_samples`` is the
    number of independent samples that would tell the number of pairs of a kind as well as these do.
    ``log_likelihood`` is how well each answer is predicted from all others, in nats, each time that samples
    were drawn in the round: it rises while calibration is learned, and then stays about where it is.
    """

    between: float
    within: float
    effective_samples: float
    log_likelihood: tuple[float, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether different chains agree about as much as each agrees with itself."""
        return self.between >= self.within - AGREEMENT.tolerance


def diagnose(labels: NDArray[np.int32], chain: Ints, log_likelihood: tuple[float, ...] = ()) -> Diagnostics:
    """Compare samples, (S, n) labels, those of a chain side by side. O(chains^2 n + S n).

    >>> stuck = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]])
    >>> diagnose(stuck, np.array([0, 0, 1, 1])).converged
    False
    """
    rows = rows_of_each(chain)
    several = max(1, AGREEMENT.compared // max(labels.shape[1], 1))  # of few objects, from either end
    counts = [min(several, (len(row) + 1) // 2) for row in rows]
    first = np.concatenate([row[:count] for row, count in zip(rows, counts, strict=True)])
    last = np.concatenate([row[-count:] for row, count in zip(rows, counts, strict=True)])
    agreement = rand_indices(labels[first], labels[last])
    same = chain[first][:, None] == chain[last]
    within = np.mean(agreement[same])
    between = np.mean(agreement[~same]) if len(rows) > 1 else within
    return Diagnostics(float(between), float(within), _effective(labels, rows), log_likelihood)


def _effective(labels: NDArray[np.int32], rows: list[Ints]) -> float:
    """Return the variance of the pairs together over that of their mean, as seen between chains."""
    together = np.array([(np.bincount(row).astype(np.float64) ** 2).sum() for row in labels])
    if len(rows) < 2 or not len(labels):
        return float(len(labels))
    of_mean = np.var([together[row].mean() for row in rows], ddof=1) / len(rows)
    return float(min(len(labels), together.var(ddof=1) / of_mean)) if of_mean > 0 else float(len(labels))
