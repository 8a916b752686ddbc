"""A simulated oracle that knows the truth and sometimes answers at random (the paper's Oracle 1)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.clustering import as_labels
from ofakind.oracles.base import endpoints
from ofakind.pairs import Ints, rank, real_number, whole_number

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class NoisyOracle:
    """Oracle 1: the truth (1 same, -1 different) with probability 1 - gamma, else uniform in [-1, 1].

    The noise of an answer depends on the seed, on the pair and on how often this oracle was asked that pair
    before, and on nothing else. So the same questions get the same answers in whatever order and batches
    they come (two methods with equal seeds can be compared question by question), and asking a pair again
    gets a fresh, independent answer. For noise-free first answers, tell the learner those of an oracle with
    ``gamma=0`` and go on with a noisy one.

    Memory: one dictionary entry per distinct pair asked.

    >>> NoisyOracle(["cat", "dog", "cat"], gamma=0)([(0, 1), (2, 0)]).tolist()
    [-1.0, 1.0]
    """

    def __init__(self, truth: ArrayLike, gamma: float = 0.4, seed: int = 0) -> None:
        self.gamma = real_number("gamma", gamma, least=0, most=1)
        self.seed = whole_number("seed", seed, least=0)
        self._kinds = np.unique(as_labels(truth, "labels in truth"), return_inverse=True)[1]
        self._key = np.random.SeedSequence(self.seed).generate_state(1, np.uint64)
        self._times_asked: dict[int, int] = {}

    def __call__(self, pairs: ArrayLike) -> NDArray[np.float64]:
        """Answer `Pairs` or an ``(m, 2)`` array of object numbers."""
        u, v = endpoints(pairs, len(self._kinds))
        truth = np.where(self._kinds[u] == self._kinds[v], 1.0, -1.0)
        coin, value = self._noise(rank(u, v, len(self._kinds)))
        return np.where(coin < self.gamma, 2 * value - 1, truth)

    def _noise(self, ranks: Ints) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Two numbers in [0, 1) for each pair: hashes of the seed, the pair and its count so far."""
        state = _mix(_mix(ranks.astype(np.uint64) + self._key) + self._count(ranks).astype(np.uint64))
        return _unit(_mix(state + GOLDEN)), _unit(_mix(state + GOLDEN + GOLDEN))

    def _count(self, ranks: Ints) -> Ints:
        """How often each pair was asked before; this time is counted too."""
        before = np.empty(len(ranks), np.int64)
        for row, pair in enumerate(ranks.tolist()):
            before[row] = times = self._times_asked.get(pair, 0)
            self._times_asked[pair] = times + 1
        return before

    def __repr__(self) -> str:
        return f"NoisyOracle({len(self._kinds)} objects, gamma={self.gamma}, seed={self.seed})"


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit numbers with the finaliser of SplitMix64: a bijection whose output looks random."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _unit(bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
