"""Samples of partitions: what our posterior says of every pair."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import as_known_rows
from ofakind.noise.calibration import Calibration
from ofakind.noise.leave_one_out import LeaveOneOut
from ofakind.noise.tempering import Tempering
from ofakind.pins import Pins
from ofakind.posterior.base import Abilities
from ofakind.posterior.partition.answer_graph import Frame, on_units
from ofakind.posterior.partition.diagnostics import Diagnostics, diagnose
from ofakind.posterior.partition.size_prior import size_tables
from ofakind.posterior.partition.told import TiedNodes
from ofakind.posterior.sampled import SampledPartitions
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class PartitionSamples(SampledPartitions):
    """Samples of the partition, each a row of ``labels``, and what they were drawn from.

    ``weights`` is the log-likelihood ratio (the evidence for "same") of each entry of the graph ``frame`` of
    answered pairs and candidates, all other pairs having the log odds ``background``. ``answered_same`` is
    the probability of being of a kind for each answered pair, ``chain`` says where a sample comes from,
    ``concentration`` (alpha) and ``exponent`` (a) say which prior it has. ``calibration`` is what an answer
    is worth as learned, ``tempering`` how far that is trusted, ``fit`` how well it predicts each answer
    from all others, and ``log_likelihood`` the same, in nats, each time that samples were drawn in the round.
    ``tried_at`` is the number of answers when restarts were last tried, ``renewed_at`` that of the last whole
    round, in which no sample of before was kept; since then, ``stale`` are the objects with new answers.
    With ``pins``, the nodes of the graph are units of objects; with ``ties`` the prior counts some as one.
    """

    similarity: Similarity
    frame: Frame
    weights: Floats  # (entries,)
    background: float
    labels: NDArray[np.int32]  # (samples, n)
    chain: Ints  # (samples,)
    concentration: Floats  # (samples,)
    exponent: float
    calibration: Calibration
    tempering: Tempering
    answered_same: Floats  # (pairs,)
    n_answers: int
    log_likelihood: tuple[float, ...] = ()
    fit: LeaveOneOut | None = None
    tried_at: int = 0
    renewed_at: int = 0
    stale: Ints | None = None
    pins: Pins | None = None
    ties: TiedNodes | None = None

    @property
    def abilities(self) -> Abilities:
        """What it can do besides P(same) of any pair."""
        return Abilities(self, self.calibration, self.fit, blocked=self.background != 0, stale=self.stale)

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree, and how many independent samples these are worth."""
        return diagnose(self.labels, self.chain, self.log_likelihood)

    @property
    def graph(self) -> Any:
        """The pairs with a weight of their own, for kernels: a `kernels.graph.csr.Graph`."""
        from ofakind.kernels.graph.csr import Graph

        return Graph(*self.frame, self.weights)

    @property
    def node_labels(self) -> NDArray[np.int32]:
        """The samples as partitions of the nodes of the graph, (samples, nodes)."""
        return self.labels if self.pins is None else on_units(self.labels, self.pins)

    def at(self, rows: Ints) -> Self:
        """Return it with only these of its samples."""
        labels, chain, concentration = self.labels[rows], self.chain[rows], self.concentration[rows]
        return replace(self, labels=labels, chain=chain, concentration=concentration)

    def against(self, objects: ArrayLike, others: ArrayLike) -> NDArray[np.float32]:
        """Probability that each object is of a kind with each of its row of others: (m,), (m, r) -> (m, r).

        The objects' labels are averaged out. O(samples (entries of the objects + m r)). Less is read where
        all rows are the same one (`numpy.broadcast_to`).
        """
        rows, columns = np.asarray(objects), np.asarray(others)
        if not _known(rows, columns, self.n):
            rows, columns = as_known_rows(objects, others, self.n)  # or says what is wrong
        if _is_common(columns):
            found = self._common_probabilities(rows, columns[0])
        else:
            starts = np.arange(len(rows) + 1) * columns.shape[1]
            found = self._probabilities(rows, starts, columns.ravel()).reshape(columns.shape)
        return np.where(columns == rows[:, None], np.float32(1), found.astype(np.float32))

    def _averaged(self, nodes: Ints, starts: Ints, others: Ints) -> Floats:
        from ofakind.kernels.partition.same_cluster import probability_against

        labels = self.node_labels
        tables = size_tables(labels.shape[1], self.exponent, self.background)
        ties = None if self.ties is None else self.ties.kernel
        found = probability_against(
            self.graph, labels, self.concentration, tables, ties, nodes, starts, others
        )
        return np.asarray(found, np.float64)

    def _common_probabilities(self, objects: Ints, others: Ints) -> Floats:
        from ofakind.kernels.partition.same_cluster import probability_against_common

        labels, nodes, against = self.node_labels, objects, np.ascontiguousarray(others)
        if self.pins is not None:
            nodes, against = self.pins.units[objects], self.pins.units[others]
        tables = size_tables(labels.shape[1], self.exponent, self.background)
        ties = None if self.ties is None else self.ties.kernel
        found = probability_against_common(
            self.graph, labels, self.concentration, tables, ties, nodes, against
        )
        if self.pins is not None:
            every = np.repeat(objects, len(others)), np.tile(others, len(objects))
            decided = self.pins.implied(*every).reshape(found.shape)
            found = np.where(decided == 0, found, decided > 0)
        return np.asarray(found, np.float64)


def _is_common(columns: NDArray[Any]) -> bool:
    """Whether all rows are the same one, and there is more than one."""
    return len(columns) > 1 and columns.strides[0] == 0


def _known(rows: NDArray[Any], columns: NDArray[Any], n: int) -> bool:
    """Whether these are objects and a row of others for each, ready to be used."""
    fit = rows.dtype == columns.dtype == np.int64 and rows.ndim == 1 and columns.ndim == 2
    if not fit or len(rows) != len(columns):
        return False
    parts = rows, columns[:1] if _is_common(columns) else columns
    ready = parts[1].flags.c_contiguous
    return ready and all(part.min(initial=0) >= 0 and part.max(initial=-1) < n for part in parts)
