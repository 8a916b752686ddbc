"""Parts of a learner as a user might write them: plain, and sensitive to everything they are handed."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.acquire.base import Scores, State
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity


@dataclass(frozen=True)
class OwnAcquisition:
    """Scores that depend on the posterior, the clustering, the answers and the stream."""

    weight: float = 1.0

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:
        labels = state.clustering.labels
        together = labels[pairs.u] == labels[pairs.v]
        belief = state.posterior.same_probability(pairs.u, pairs.v)
        return Scores(pairs, belief + self.weight * together * rng.random(len(pairs)))


@dataclass(frozen=True)
class OwnSolver:
    """Random labels, pulled towards the neighbours' and the start's: depends on all it is handed."""

    k: int = 4

    def __call__(
        self, similarity: Similarity, *, start: Clustering | None = None, rng: Generator
    ) -> Clustering:
        labels = rng.integers(0, self.k, similarity.n)
        if start is not None:
            labels = np.where(rng.random(similarity.n) < 0.5, start.labels, labels)
        for u, v in similarity.pairs():
            if similarity.value([u], [v])[0] > 0:
                labels[v] = labels[u]
        return Clustering.of(similarity, labels)


@dataclass(frozen=True)
class OwnPosterior:
    weight: NDArray[np.float64]

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        return self.weight[np.asarray(u)] * self.weight[np.asarray(v)]

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        p = np.clip(self.same_probability(u, v), 1e-9, 1 - 1e-9)
        return -p * np.log(p) - (1 - p) * np.log(1 - p)


@dataclass(frozen=True)
class OwnBelief:
    """A weight per object that depends on the clustering, the answers and the stream."""

    def __call__(self, similarity: Similarity, clustering: Clustering, *, rng: Generator) -> OwnPosterior:
        total = np.asarray(similarity.to_scipy().sum(axis=1)) if similarity.n else np.empty(0)
        drive = total + clustering.labels + rng.random(similarity.n)
        return OwnPosterior(1 / (1 + np.exp(-drive)))
