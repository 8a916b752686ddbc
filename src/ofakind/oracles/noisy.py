"""Simulated oracles that know the truth and err: at random (the paper's Oracle 1), by sign, by degrees."""

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats
from ofakind.checks import real_number
from ofakind.kernels import portable
from ofakind.oracles.noise import HiddenTruth

CENTRE = 0.5  # of a graded answer to a pair of a kind; minus that to another (chosen by judgement)


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
        self._hidden = HiddenTruth(truth, seed)
        self.seed = self._hidden.seed

    def __call__(self, pairs: ArrayLike) -> Floats:
        """Answer `Pairs` or an ``(m, 2)`` array of object numbers."""
        truth, coin, value = self._hidden.ask(pairs)
        return np.where(coin < self.gamma, 2 * value - 1, truth)

    def __repr__(self) -> str:
        return f"NoisyOracle({len(self._hidden)} objects, gamma={self.gamma}, seed={self.seed})"


class FlippingOracle:
    """Always sure and sometimes wrong: the truth (1 same, -1 different), flipped with probability share.

    Noise and memory are those of a `NoisyOracle`: equal questions get equal answers, a repeated one a fresh
    answer.

    >>> FlippingOracle(["cat", "dog", "cat"], share=0)([(0, 1), (2, 0)]).tolist()
    [-1.0, 1.0]
    """

    def __init__(self, truth: ArrayLike, share: float = 0.1, seed: int = 0) -> None:
        self.share = real_number("share", share, least=0, most=1)
        self._hidden = HiddenTruth(truth, seed)
        self.seed = self._hidden.seed

    def __call__(self, pairs: ArrayLike) -> Floats:
        """Answer `Pairs` or an ``(m, 2)`` array of object numbers."""
        truth, coin, _ = self._hidden.ask(pairs)
        return np.where(coin < self.share, -truth, truth)

    def __repr__(self) -> str:
        return f"FlippingOracle({len(self._hidden)} objects, share={self.share}, seed={self.seed})"


class GradedOracle:
    """Answers by degrees: 0.5 (same) or -0.5 plus normal noise of deviation spread, cut to [-1, 1].

    Noise and memory are those of a `NoisyOracle`: equal questions get equal answers, a repeated one a fresh
    answer.

    >>> GradedOracle(["cat", "dog", "cat"], spread=0)([(0, 1), (2, 0)]).tolist()
    [-0.5, 0.5]
    """

    def __init__(self, truth: ArrayLike, spread: float = 0.5, seed: int = 0) -> None:
        self.spread = real_number("spread", spread, least=0)
        self._hidden = HiddenTruth(truth, seed)
        self.seed = self._hidden.seed

    def __call__(self, pairs: ArrayLike) -> Floats:
        """Answer `Pairs` or an ``(m, 2)`` array of object numbers."""
        truth, first, second = self._hidden.ask(pairs)
        normal = np.sqrt(-2 * portable.log1p(-first)) * portable.cos(2 * np.pi * second)  # Box and Muller
        answers: Floats = np.clip(CENTRE * truth + self.spread * normal, -1.0, 1.0)
        return answers

    def __repr__(self) -> str:
        return f"GradedOracle({len(self._hidden)} objects, spread={self.spread}, seed={self.seed})"
