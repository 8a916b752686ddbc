"""Chains of partitions, and what they take over from the round before: samples, and what was known then."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.pairs import Ints, Pairs
from ofakind.posterior.answered import Answered
from ofakind.posterior.effort import Plan
from ofakind.posterior.evidence import Evidence
from ofakind.posterior.prior import Grid

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class Chain(NamedTuple):
    """Where a chain is and its random numbers.

    It may have ``older`` samples, drawn before some objects, the ``stale`` ones, had their newest answers.
    These samples are brought up to date first, and the chain goes on from the last of them.
    """

    clusters: Any  # kernels.partition.Clusters
    place: Ints  # (1,) in the grid of alphas
    rng: Generator
    older: Labels  # (samples, n)
    stale: Ints

    @classmethod
    def at(cls, labels: Labels, rng: Generator) -> Self:
        """Begin at a partition, labels below n."""
        from ofakind.kernels.partition import clusters_of

        none = np.empty((0, len(labels)), np.int32), np.empty(0, np.int64)
        return cls(clusters_of(labels), np.zeros(1, np.int64), rng, *none)


def run_on(
    chain: Chain, grid: Callable[[], Grid], plan: Plan, indptr: Ints, indices: Ints, weights: Floats
) -> tuple[Chain, tuple[Any, Any], Floats]:
    """Run a chain on: where it then is, labels and alphas drawn, and how often each entry was together.

    Its older samples, brought up to date, come before those that are drawn.
    """
    from ofakind.kernels.chain import revise, sample
    from ofakind.kernels.csr import Graph
    from ofakind.kernels.partition import Prior

    after, older = deepcopy(chain), []
    graph, prior = Graph(indptr, indices, weights), Prior(*grid(), after.place)
    if len(after.older):
        older.append(revise(graph, after.older, prior, after.stale, after.rng))
        after = Chain.at(older[0][0][-1], after.rng)._replace(place=after.place)
    same = np.zeros(len(indices))
    drawn = sample(graph, after.clusters, prior, plan, same, after.rng)
    labels, places = map(np.concatenate, zip(*older, drawn, strict=True))
    return after, (labels, places), same


def rows_of_each(chain: Ints) -> list[Ints]:
    """Return where the samples of each chain stand, those of a chain side by side.

    >>> [rows.tolist() for rows in rows_of_each(np.array([0, 0, 1]))]
    [[0, 1], [2]]
    """
    return np.split(np.arange(len(chain)), np.flatnonzero(np.diff(chain)) + 1)


def first_answered(answered: Answered, count: int) -> Answered:
    """Return what was answered when there were ``count`` answers: as `Answered.of` them, but in O(m).

    The kinds of answers and the similarity stay those of all answers; there must be no candidates.
    """
    evidence, (indptr, indices) = answered.evidence, answered.frame
    old = evidence.row < count
    asked = np.bincount(evidence.pair[old], minlength=len(evidence.pairs)) > 0
    number, held = np.cumsum(asked) - 1, asked[answered.pair_of_entry]
    before = Evidence(
        Pairs.trusted(evidence.pairs.u[asked], evidence.pairs.v[asked]),
        number[evidence.pair[old]],
        evidence.value[old],
        evidence.bins,
        evidence.kind[old],
        evidence.annotators,
        evidence.who[old],
        evidence.row[old],
    )
    frame = np.r_[0, np.cumsum(held)][indptr], indices[held]
    return Answered(before, answered.similarity, frame, number[answered.pair_of_entry[held]])
