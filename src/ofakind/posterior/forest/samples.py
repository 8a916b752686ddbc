"""Samples of forests: what the posterior with a feature prior says of every pair."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.noise.calibration import Calibration
from ofakind.noise.leave_one_out import LeaveOneOut
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.base import Abilities
from ofakind.posterior.forest.surprises import Surprises
from ofakind.posterior.forest.trees import Scale, mean_same
from ofakind.posterior.partition.diagnostics import Diagnostics, diagnose
from ofakind.posterior.sampled import SampledPartitions
from ofakind.priors.pair_map import PairMap
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class ForestSamples(SampledPartitions):
    """Samples of the partition, rows of ``labels``, and of the forests behind them, rows of ``parents``.

    ``prior`` (a `kernels.partition.forest.TreePrior`) and ``graph`` (the answers' evidence) are what they
    were drawn from, ``pair_map`` is what each feature is worth, ``scale`` how its log odds become
    weights of links. ``candidates`` have ``candidate_same``, P(same) given all answers;
    ``answered_same`` is that of the answered pairs. ``own`` is the forest of a chain that no answer touches.
    ``renewed_at`` is the number of answers in the last whole round, in which no sample of before was kept;
    since then the map has moved by ``drift``, and ``stale`` are objects that the newest answers concern.
    With ``pins``, the nodes of forests are units of objects.
    """

    similarity: Similarity
    prior: Any
    graph: Any
    labels: NDArray[np.int32]  # (samples, n)
    parents: NDArray[np.int32]  # (samples, nodes)
    chain: Ints  # (samples,)
    calibration: Calibration
    pair_map: PairMap
    scale: Scale
    surprises: Surprises
    own: NDArray[np.int32]  # (nodes,)
    candidates: Pairs
    candidate_same: Floats
    answered_same: Floats
    n_answers: int
    log_likelihood: tuple[float, ...] = ()
    fit: LeaveOneOut | None = None
    renewed_at: int = 0
    drift: float = 0.0
    stale: Ints | None = None
    pins: Pins | None = None

    @property
    def featured(self) -> bool:
        """Whether candidates differ by features, and are not merely listed."""
        return len(self.pair_map.names) > 1

    @property
    def abilities(self) -> Abilities:
        """What it can do besides P(same) of any pair."""
        likely = (self.candidates, self.candidate_same)
        return Abilities(self, self.calibration, self.fit, blocked=True, stale=self.stale, likely=likely)

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree, and how many independent samples these are worth."""
        return diagnose(self.labels, self.chain, self.log_likelihood)

    def thinned(self, count: int) -> Self:
        """Return it with only so many of its samples, evenly spaced."""
        rows = np.linspace(0, len(self.labels) - 1, min(count, len(self.labels))).round().astype(np.int64)
        return replace(self, labels=self.labels[rows], parents=self.parents[rows], chain=self.chain[rows])

    def _averaged(self, nodes: Ints, starts: Ints, others: Ints) -> Floats:
        return mean_same((self.prior, self.graph, self.parents, self.chain), nodes, starts, others)
