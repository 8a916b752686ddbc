"""The candidate graph as chains see it: a weight for each pair of nodes, objects or pinned units."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.priors.base import sorted_pairs
from ofakind.priors.neighbours import CONSTANT, Neighbours


def without_features(n: int, candidates: Pairs) -> Neighbours:
    """Return the graph of candidates of which nothing else is known: all have one feature, the constant.

    >>> without_features(4, Pairs.of([2, 0], [3, 1])).pairs
    Pairs(2: (0, 1), (2, 3))
    """
    pairs = sorted_pairs(candidates.u, candidates.v, n)
    return Neighbours(n, pairs, np.ones((len(pairs), 1)), (CONSTANT,), "scores")


@dataclass(frozen=True, slots=True, eq=False)
class CandidateGraph:
    """Candidates as CSR arrays of nodes. With pins, pairs between two units are one, with the sum of weights.

    That is exact: a tree over units uses any one of the pairs between two of them. ``place`` is where each
    pair of ``near`` stands among the pairs of nodes, -1 inside a unit; ``entry`` has the pair of each entry.
    ``unseen`` is the share of all pairs that may be candidates as well as these, but that nobody looked at.
    """

    near: Neighbours
    indptr: Ints
    indices: Any
    entry: Ints
    place: Ints
    unseen: float = 0.0

    @classmethod
    def of(cls, near: Neighbours, pins: Pins | None, *, unseen: float = 0.0) -> Self:
        """Contract the pinned units, and list both directions of every pair: O(m log m)."""
        from ofakind.kernels.graph.csr import symmetric_csr

        n, (u, v) = near.n, (near.pairs.u, near.pairs.v)
        if pins is not None:
            n, (u, v) = len(pins.first), (pins.units[u], pins.units[v])
        keys = np.where(u == v, -1, np.minimum(u, v) * n + np.maximum(u, v))
        every = np.unique(keys[keys >= 0])
        indptr, indices, entry = symmetric_csr(n, every // max(n, 1), every % max(n, 1))
        place = np.where(keys < 0, -1, np.searchsorted(every, keys))
        return cls(near, indptr, indices, entry, place, unseen)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    def weights(self, each: Floats) -> Floats:
        """Weight of each entry, from those of the pairs of ``near``."""
        across = self.place >= 0
        sums = np.bincount(self.place[across], each[across], minlength=len(self.entry) // 2)
        return np.ascontiguousarray(sums[self.entry])

    def shares(self, amounts: Floats, count: int) -> Floats:
        """Return the mean of both entries of each pair of ``near``, as a share of this count; 1 in units."""
        total = np.bincount(self.entry, amounts, minlength=len(self.entry) // 2) / max(2 * count, 1)
        found = np.where(self.place < 0, 1.0, np.append(total, 1.0)[self.place])
        return np.clip(found, 0.0, 1.0)
