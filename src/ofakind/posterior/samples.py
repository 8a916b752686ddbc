"""Samples of partitions: what our posterior says of every pair."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.pairs import Ints, as_known_endpoints
from ofakind.posterior.answered import Frame
from ofakind.posterior.base import as_known_rows
from ofakind.posterior.calibration import Calibration
from ofakind.posterior.diagnostics import Diagnostics, diagnose
from ofakind.posterior.prior import size_tables
from ofakind.posterior.second_opinion import UNASKED, Opinion
from ofakind.posterior.trust import Trust
from ofakind.similarity import Similarity

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PartitionSamples:
    """Samples of the partition, each a row of ``labels``, and what they were drawn from.

    ``weights`` is the log-likelihood ratio of each entry of ``similarity`` (the evidence for "same"); or of
    the graph ``frame`` of answered pairs and candidates, all others having the log odds ``background``.
    ``answered`` is the probability of being of a kind for each answered pair, ``chain`` says where a sample
    comes from, ``concentration`` (alpha) and ``exponent`` (a) say which prior it has. ``calibration`` is what
    an answer is worth as learned, ``trust`` how far that is believed, ``opinion`` how well it foresees them.
    """

    similarity: Similarity
    weights: Floats  # (entries,)
    labels: NDArray[np.int32]  # (samples, n)
    chain: Ints  # (samples,)
    concentration: Floats  # (samples,)
    exponent: float
    calibration: Calibration
    trust: Trust
    answered: Floats  # (pairs,)
    n_answers: int
    frame: Frame | None = None
    background: float = 0.0
    opinion: Opinion = UNASKED

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.similarity.n

    @property
    def share_same(self) -> float:
        """Probability that a random pair is of a kind."""
        if self.n < 2:
            return 0.0
        sizes = [np.bincount(row) for row in self.labels]
        return float(np.mean([(size * (size - 1.0)).sum() for size in sizes])) / (self.n * (self.n - 1.0))

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree, and how many independent samples these are worth."""
        return diagnose(self.labels, self.chain)

    @property
    def graph(self) -> Any:
        """The pairs with a weight of their own, for kernels: a `kernels.csr.Graph`."""
        from ofakind.kernels.csr import Graph

        indptr, indices = self.frame or (self.similarity.indptr, self.similarity.indices)
        return Graph(indptr, indices, self.weights)

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Probability that each pair is of a kind; either object's label is averaged out in turn."""
        first, second = as_known_endpoints(u, v, self.n)
        found = np.clip((self._towards(first, second) + self._towards(second, first)) / 2, 0.0, 1.0)
        return np.where(first == second, 1.0, found)

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Entropy in nats of whether each pair is of a kind."""
        from scipy.special import entr

        same = self.same_probability(u, v)
        return np.asarray(entr(same) + entr(1 - same), np.float64)

    def against(self, objects: ArrayLike, others: ArrayLike) -> NDArray[np.float32]:
        """Probability that each object is of a kind with each of its row of others: (m,), (m, r) -> (m, r).

        The objects' labels are averaged out. O(samples (entries of the objects + m r)).
        """
        rows, columns = as_known_rows(objects, others, self.n)
        starts = np.arange(len(rows) + 1) * columns.shape[1]
        found = self._probabilities(rows, starts, columns.ravel()).astype(np.float32).reshape(columns.shape)
        return np.where(columns == rows[:, None], np.float32(1), found)

    def _towards(self, objects: Ints, others: Ints) -> Floats:
        order = np.argsort(objects, kind="stable")
        rows, starts = np.unique(objects[order], return_index=True)
        found = np.empty(len(objects))
        found[order] = self._probabilities(rows, np.r_[starts, len(objects)], others[order])
        return found

    def _probabilities(self, objects: Ints, starts: Ints, others: Ints) -> Floats:
        from ofakind.kernels.same_cluster import probability_against

        tables = size_tables(self.n, self.exponent, self.background)
        found = probability_against(
            self.graph, self.labels, self.concentration, tables, objects, starts.astype(np.int64), others
        )
        return np.asarray(found, np.float64)
