"""The plainest posterior made of sampled partitions: P(same) is the share of samples that agree."""

from dataclasses import dataclass

import numpy as np

from ofakind.acquire.base import State
from ofakind.clustering import Clustering
from ofakind.posterior.base import Abilities
from ofakind.similarity import Similarity
from twins.selection import entropy_of


@dataclass(frozen=True)
class Answer:
    """An answer of +1 or -1 that is wrong with this probability."""

    wrong: float

    def information(self, probability):
        """Entropy of the answer minus its entropy when the pair is known."""
        p = np.asarray(probability, float)
        return entropy_of(p * (1 - self.wrong) + (1 - p) * self.wrong) - entropy_of(self.wrong)


@dataclass(frozen=True)
class Agreement:
    """Samples of partitions and what an answer is worth."""

    labels: np.ndarray  # (samples, n)
    calibration: Answer = Answer(0.1)

    @property
    def chain(self):
        return np.zeros(len(self.labels), int)

    @property
    def abilities(self):
        return Abilities(samples=self, answers=self.calibration)

    def same_probability(self, u, v):
        return (self.labels[:, u] == self.labels[:, v]).mean(axis=0)

    def pair_entropy(self, u, v):
        return entropy_of(self.same_probability(u, v))

    def thinned(self, count):
        return self

    def against(self, objects, others):
        return self.same_probability(np.asarray(objects)[:, None], others).astype(np.float32)

    @property
    def share_same(self):
        n = self.labels.shape[1]
        sizes = [np.bincount(row) for row in self.labels]
        return sum(float((size * (size - 1)).sum()) for size in sizes) / len(sizes) / max(n * (n - 1), 1)


def agreement_state(labels, *, estimate=None, similarity=None, wrong=0.1):
    """The state of a learner with these samples; its clustering is the first of them, if not given."""
    labels = np.atleast_2d(np.asarray(labels, np.int32))
    similarity = Similarity.from_pairs(labels.shape[1], [], [], []) if similarity is None else similarity
    posterior = Agreement(labels, Answer(wrong))
    return State(
        similarity, Clustering.of(similarity, labels[0] if estimate is None else estimate), lambda: posterior
    )


def perturbed(truth, samples, share, rng):
    """Samples in which this share of the objects (of each object apart, if an array) goes anywhere."""
    truth = np.asarray(truth)
    labels = np.tile(truth, (samples, 1)).astype(np.int32)
    moved = rng.random(labels.shape) < share
    labels[moved] = rng.integers(truth.max(initial=0) + 1, size=int(moved.sum()))
    return labels
