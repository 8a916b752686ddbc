"""Proposing pairs in proportion to a bound on their entropy when there are very many clusters.

Of a million objects in a hundred thousand clusters nearly all pairs share none, and a pair of uniformly drawn
objects is hardly ever in doubt. So pairs are proposed in two ways: any two objects, for the little doubt that
every pair has, and two objects that share a cluster, for the rest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.posterior.mean_field.sparse import SparseMeanField


@dataclass(frozen=True, slots=True, eq=False)
class ClusterProposal:
    """Proposes pairs of a sparse mean field; H ** power is at most ``bound * ceiling`` of each.

    The bound is a sum of terms (`ofakind.kernels.field.cluster_pairs`): one for each of the two objects, and
    one for each cluster that both may be in. Each term has its own way of being drawn, so a pair is proposed
    in proportion to its bound. Memory: 28 bytes for each entry of the field.
    """

    field: SparseMeanField
    power: float
    ceiling: float
    alone: Floats  # (n,) cumulative weights of the objects, drawn with any other
    indptr: Ints  # (k + 1,)
    homes: Ints  # (k,) where the homes of each cluster end
    objects: NDArray[np.int32]  # (entries,) by cluster
    first: Floats  # (entries,) cumulative weights
    second: Floats

    @classmethod
    def of(cls, field: SparseMeanField, power: float) -> "ClusterProposal":
        """Prepare to draw from this field. O(n + k + entries)."""
        from ofakind.kernels.field.cluster_pairs import columns, doubts, weights
        from ofakind.kernels.portable.elementary import LN2

        part = min(power, 1.0)
        indptr, homes, objects, a = columns(field.arrays(), field.k)
        first, second = weights(indptr, homes, a, part)
        ceiling = portable.power(LN2, max(power - 1, 0.0))
        alone = np.cumsum(doubts(field.rest, part))
        return cls(field, power, ceiling, alone, indptr, homes, objects, np.cumsum(first), np.cumsum(second))

    @property
    def possible(self) -> bool:
        """Whether there is anything to propose."""
        return len(self.alone) >= 2 and sum(self._totals()) > 0

    def draw(self, count: int, rng: Generator) -> tuple[Ints, Ints, Floats]:
        """Make ``count`` proposals; return the pairs of two different objects and their bounds."""
        from ofakind.kernels.field.cluster_pairs import entropy_bound

        any_two, sharing = self._totals()
        by_cluster = rng.binomial(count, sharing / (any_two + sharing))
        drawn = self._any_two(count - by_cluster, rng), self._sharing(by_cluster, rng)
        u, v = (np.concatenate(ends) for ends in zip(*drawn, strict=True))
        u, v = u[u != v], v[u != v]
        bound = entropy_bound(self.field.arrays(), u, v, min(self.power, 1.0))
        return u, v, bound * self.ceiling

    def _totals(self) -> tuple[float, float]:
        """Sum of the weights of all pairs as any two objects, and as two that share a cluster."""
        n = len(self.alone)
        return (n - 1) * float(self.alone[-1]), float(self.first[-1]) if len(self.first) else 0.0

    def _any_two(self, count: int, rng: Generator) -> tuple[Ints, Ints]:
        first = _picked(self.alone, np.sort(rng.random(count)) * self.alone[-1])
        second = rng.integers(len(self.alone) - 1, size=count)
        return first, second + (second >= first)

    def _sharing(self, count: int, rng: Generator) -> tuple[Ints, Ints]:
        if not count:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        first = _picked(self.first, np.sort(rng.random(count)) * self.first[-1])
        cluster = np.searchsorted(self.indptr, first, side="right") - 1
        start, home_end, end = self.indptr[cluster], self.homes[cluster], self.indptr[cluster + 1]
        at = rng.random(count)
        home = start + (at * (home_end - start)).astype(np.int64)
        before = np.where(start > 0, self.second[start - 1], 0.0)
        other = _picked(self.second, before + at * (self.second[end - 1] - before))
        second = np.where(first < home_end, home, np.clip(other, start, end - 1))
        return self.objects[first].astype(np.int64), self.objects[second].astype(np.int64)


def _picked(cumulative: Floats, at: Floats) -> Ints:
    """Positions of these points among cumulative weights."""
    return np.minimum(np.searchsorted(cumulative, at, side="right"), len(cumulative) - 1)
