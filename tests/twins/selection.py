"""Plain definitions of pair entropies and of power batches, and the smallest posteriors that have them."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np


def entropy_of(p):
    """Entropy in nats of a coin with probability p, by the textbook formula."""
    p = np.clip(np.asarray(p, float), 0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p), 0) + np.where(p < 1, (1 - p) * np.log1p(-p), 0)
    return np.clip(-terms, 0, np.log(2))


def dense_entropy(q):
    """The (n, n) matrix of pair entropies."""
    return entropy_of(q @ q.T)


@dataclass(frozen=True)
class BarePosterior:
    """Only what the `Posterior` protocol asks for."""

    q: np.ndarray

    def same_probability(self, u, v):
        return np.clip(np.sum(self.q[u] * self.q[v], axis=1), 0, 1)

    def pair_entropy(self, u, v):
        return entropy_of(self.same_probability(u, v))


@dataclass(frozen=True)
class LabelPosterior(BarePosterior):
    """Knows the entropy of each object's label too."""

    def label_entropy(self):
        return -np.sum(np.where(self.q > 0, self.q * np.log(np.maximum(self.q, 1e-300)), 0), axis=1)


@dataclass(frozen=True)
class FullPosterior(LabelPosterior):
    """Knows a way to all pair entropies too."""

    def all_pair_entropy(self):
        return dense_entropy(self.q)[np.triu_indices(len(self.q), 1)]


POSTERIORS = [BarePosterior, LabelPosterior, FullPosterior]


def random_q(n, k, rng, confident=0.0):
    """Rows of probabilities; about this share of them nearly certain."""
    q = rng.dirichlet(np.ones(k), n) if n else np.empty((0, k))
    sure = rng.random(n) < confident
    q[sure] = 0.01 / k + 0.99 * np.eye(k)[rng.integers(k, size=int(sure.sum()))]
    return q


def gumbel_top(values, size, noise, rng):
    """The paper's power batch, word for word: the highest log a + noise * Gumbel."""
    keys = np.log(np.maximum(values, 1e-16)) + noise * rng.gumbel(size=len(values))
    return np.argsort(-keys)[:size]


def draw_probabilities(values, size, noise):
    """Probability of every ordered draw without replacement, in proportion to values ** (1 / noise)."""
    weights = np.asarray(values, float) ** (1 / noise)
    result = {}
    for draw in permutations(range(len(weights)), size):
        probability, left = 1.0, weights.sum()
        for row in draw:
            probability *= weights[row] / left
            left -= weights[row]
        result[draw] = probability
    return result


def authors_style_selection(q, size, rng):
    """A plain dense selection: Q Q^T, its entropy, log plus Gumbel on every pair, a full sort."""
    p = np.clip(q @ q.T, 1e-16, 1 - 1e-16)
    h = -p * np.log(p) - (1 - p) * np.log(1 - p)
    u, v = np.triu_indices(len(q), 1)
    keys = np.log(np.maximum(h[u, v], 1e-16)) + rng.gumbel(size=len(u))
    best = np.argsort(-keys)[:size]
    return u[best], v[best]
