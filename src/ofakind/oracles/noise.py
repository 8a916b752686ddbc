"""The truth that simulated oracles know, and noise that depends on nothing but seed, pair and count."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import whole_number
from ofakind.clustering import as_labels
from ofakind.oracles.base import endpoints
from ofakind.pairs import rank

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class HiddenTruth:
    """Kinds of n objects, and two random numbers for every answer about them.

    The numbers depend on the seed, on the pair and on how often that pair was asked before, and on nothing
    else. Memory: one dictionary entry per distinct pair asked.

    >>> HiddenTruth(["cat", "dog", "cat"], seed=0).ask([(0, 1), (2, 0)])[0].tolist()
    [-1.0, 1.0]
    """

    def __init__(self, truth: ArrayLike, seed: int) -> None:
        self.seed = whole_number("seed", seed, least=0)
        self._kinds = np.unique(as_labels(truth, "labels in truth"), return_inverse=True)[1]
        self._key = np.random.SeedSequence(self.seed).generate_state(1, np.uint64)
        self._times_asked: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._kinds)

    def ask(self, pairs: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return the truth of each pair (1 same, -1 different) and two fresh numbers in [0, 1)."""
        u, v = endpoints(pairs, len(self))
        truth = np.where(self._kinds[u] == self._kinds[v], 1.0, -1.0)
        ranks = rank(u, v, len(self))
        before, after = self._counts(ranks)
        numbers = self._numbers(ranks, before)
        self._times_asked |= after  # at last: a question that is interrupted has not been asked
        return truth, *numbers

    def _numbers(self, ranks: Ints, times: Ints) -> tuple[Floats, Floats]:
        """Hash the seed, the pair and its count so far, twice."""
        state = _mix(_mix(ranks.astype(np.uint64) + self._key) + times.astype(np.uint64))
        return _unit(_mix(state + GOLDEN)), _unit(_mix(state + GOLDEN + GOLDEN))

    def _counts(self, ranks: Ints) -> tuple[Ints, dict[int, int]]:
        """How often each pair was asked before, and after this time."""
        before = np.empty(len(ranks), np.int64)
        after: dict[int, int] = {}
        for row, pair in enumerate(ranks.tolist()):
            before[row] = times = after.get(pair, self._times_asked.get(pair, 0))
            after[pair] = times + 1
        return before, after


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit numbers with the finaliser of SplitMix64: a bijection whose output looks random."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _unit(bits: NDArray[np.uint64]) -> Floats:
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
