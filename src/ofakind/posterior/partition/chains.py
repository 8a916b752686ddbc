"""Chains of partitions: where one is, and how it is run on."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.posterior.partition.answer_graph import Frame
from ofakind.posterior.partition.schedule import Plan
from ofakind.posterior.partition.size_prior import PriorGrid
from ofakind.posterior.partition.told import TiedNodes

Labels = NDArray[np.int32]


class Chain(NamedTuple):
    """Where a chain is and its random numbers.

    It may have ``older`` samples, drawn before some objects, the ``stale`` ones, had their newest answers.
    These samples are brought up to date first, and the chain goes on from the last of them.
    """

    clusters: Any  # kernels.partition.clusters.Clusters
    place: Ints  # (1,) in the grid of alphas
    rng: Generator
    older: Labels  # (samples, n)
    stale: Ints

    @property
    def labels(self) -> Ints:
        """The partition that the chain is at, labels 0..k-1."""
        return np.asarray(np.unique(self.clusters.labels, return_inverse=True)[1])


def chains_at(starts: Sequence[Ints] | Labels, streams: Sequence[Generator]) -> list[Chain]:
    """Begin a chain at each of these partitions, labels below n."""
    from ofakind.kernels.partition.clusters import clusters_of

    rows = np.ascontiguousarray(starts, np.int32)
    none = np.empty((0, rows.shape[1]), np.int32), np.empty(0, np.int64)
    return [
        Chain(clusters_of(row), np.zeros(1, np.int64), rng, *none)
        for row, rng in zip(rows, streams, strict=True)
    ]


class Segment(NamedTuple):
    """What running a chain on gave: where it then is, samples, and how often each entry was together."""

    chain: Chain
    labels: Labels  # (samples, n)
    places: Ints  # (samples,) in the grid of alphas
    together: Floats  # (entries,)


def run_on(
    chain: Chain,
    grid: Callable[[], PriorGrid],
    plan: Plan,
    frame: Frame,
    weights: Floats,
    ties: TiedNodes | None = None,
) -> Segment:
    """Run a copy of a chain on; its older samples, brought up to date, come before those that are drawn."""
    from ofakind.kernels.graph.csr import Graph
    from ofakind.kernels.partition.chain import revise, sample
    from ofakind.kernels.partition.moves import Prior

    rng, place, older = twin_of(chain.rng), chain.place.copy(), []
    graph, prior = Graph(*frame, weights), Prior(*grid(), place)
    prior = prior if ties is None else prior._replace(ties=ties.kernel)
    if len(chain.older):
        older.append(revise(graph, chain.older, prior, chain.stale, rng))
        after = chains_at(older[0][0][-1:], [rng])[0]._replace(place=place)
    else:
        clusters = type(chain.clusters)(*(part.copy() for part in chain.clusters))
        after = chain._replace(clusters=clusters, place=place, rng=rng)
    together = np.zeros(len(weights))
    drawn = sample(graph, after.clusters, prior, (plan.burn_in, plan.samples, plan.thin), together, after.rng)
    labels, places = map(np.concatenate, zip(*older, drawn, strict=True))
    return Segment(after, labels, places, together)


def twin_of(rng: Generator) -> Generator:
    """Return a generator that will give the same numbers: a copy, but much quicker than `deepcopy`.

    >>> rng = np.random.default_rng(0)
    >>> twin_of(rng).random() == rng.random()
    True
    """
    bits = type(rng.bit_generator)(0)
    bits.state = rng.bit_generator.state
    return Generator(bits)


def rows_of_each(chain: Ints) -> list[Ints]:
    """Return where the samples of each chain stand, those of a chain side by side.

    >>> [rows.tolist() for rows in rows_of_each(np.array([0, 0, 1]))]
    [[0, 1], [2]]
    """
    return np.split(np.arange(len(chain)), np.flatnonzero(np.diff(chain)) + 1)
