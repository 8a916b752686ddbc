"""An oracle that writes down what it was asked, for tests that trust nobody else's counting."""

import numpy as np

from ofakind.similarity import Similarity


class Witness:
    """Knows the truth; with probability gamma answers uniformly in [-1, 1], anew at each question."""

    def __init__(self, truth, gamma=0.0, seed=0):
        self.truth = np.asarray(truth, np.int64)
        self.gamma = gamma
        self.rng = np.random.default_rng([seed, 1])
        self.calls = []  # (pairs as an (m, 2) array, answers), one for each call

    def __call__(self, pairs):
        asked = np.asarray(pairs)
        u, v = asked.T
        true = np.where(self.truth[u] == self.truth[v], 1.0, -1.0)
        noise, coin = self.rng.uniform(-1, 1, len(u)), self.rng.random(len(u))
        answers = np.where(coin < self.gamma, noise, true)
        self.calls.append((asked.copy(), answers.copy()))
        return answers

    @property
    def asked(self):
        """All pairs in the order of asking, repeated ones repeatedly: (answers, 2)."""
        return np.concatenate([np.empty((0, 2), np.int64), *(pairs for pairs, _ in self.calls)])

    @property
    def answers(self):
        return np.concatenate([np.empty(0), *(answers for _, answers in self.calls)])

    def similarity(self):
        return Similarity.from_pairs(len(self.truth), *self.asked.T, self.answers)


def sized(sizes):
    """The truth with clusters of these sizes."""
    return np.repeat(np.arange(len(sizes)), sizes)
