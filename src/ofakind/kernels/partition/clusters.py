"""A partition that is cheap to change: objects and blocks leave their clusters and join others."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.ties import Ties, count_held

Array = NDArray[Any]
NOWHERE = -1  # the label of no cluster

# Chosen by judgement, for what a sweep may take. It stands alone because numba needs globals.
TRIES = 64  # draws of a random object's cluster, if there are more clusters than this, before all are listed


class Clusters(NamedTuple):
    """A partition that is cheap to change: labels below n + 1, sizes, and lists of used and unused labels.

    What depends on ties and on the prior (units, ties that hold, mass) is counted when a sweep begins.
    """

    labels: Array  # (n,)
    sizes: Array  # (n + 1,)
    units: Array  # (n + 1,) sizes less the ties that hold
    used: Array  # (n + 1,) the first counts[0] are the labels in use
    place: Array  # (n + 1,) where each label in use stands among them
    unused: Array  # (n + 1,) the first counts[1] are the labels not in use
    counts: Array  # (3,) used labels, unused ones, ties that hold
    mass: Array  # (1,) sum of m_k^a e^{b n_k}


@compiled
def clusters_of(labels: Array) -> Clusters:
    """Index a partition whose labels are below n; they are copied."""
    n = len(labels)
    sizes, used, place = np.zeros(n + 1, np.int64), np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    unused, counts = np.empty(n + 1, np.int32), np.zeros(3, np.int64)
    for label in labels:
        sizes[label] += 1
    for k in range(n + 1):
        if sizes[k]:
            used[counts[0]], place[k] = k, counts[0]
            counts[0] += 1
        else:
            unused[counts[1]] = k
            counts[1] += 1
    return Clusters(labels.astype(np.int32), sizes, sizes.copy(), used, place, unused, counts, np.zeros(1))


@compiled
def count_units(graph: Graph, clusters: Clusters, ties: Ties) -> None:
    """Count the units of each cluster, and the ties that hold."""
    clusters.units[:] = clusters.sizes
    clusters.counts[2] = count_held(graph, ties, clusters.labels, clusters.units)


@compiled(inline="always")
def drawn(reach: Array, b: float, size: int, units: int) -> float:
    """How much a cluster draws an object that has no pair of the graph with it."""
    if b == 0.0 or size == units:
        return float(reach[units])
    return float(reach[units] * math.exp(b * (size - units)))


@compiled(inline="always")
def leave(clusters: Clusters, reach: Array, b: float, k: int, block: tuple[int, int, int]) -> None:
    """Take a block out of cluster k: so many objects, units, and ties with the rest of it."""
    m, own, d = block
    sizes, units, counts = clusters.sizes, clusters.units, clusters.counts
    before = drawn(reach, b, sizes[k], units[k])
    sizes[k] -= m
    units[k] -= own - d
    counts[2] -= d
    clusters.mass[0] += drawn(reach, b, sizes[k], units[k]) - before
    if sizes[k] == 0:
        counts[0] -= 1
        last = clusters.used[counts[0]]
        clusters.used[clusters.place[k]] = last
        clusters.place[last] = clusters.place[k]
        clusters.unused[counts[1]] = k
        counts[1] += 1


@compiled(inline="always")
def join(clusters: Clusters, reach: Array, b: float, k: int, block: tuple[int, int, int]) -> int:
    """Put a block (see `leave`) into cluster k, or into a new one if it is NOWHERE; return its label."""
    m, own, d = block
    sizes, units, counts = clusters.sizes, clusters.units, clusters.counts
    if k == NOWHERE:
        counts[1] -= 1
        k = clusters.unused[counts[1]]
        clusters.used[counts[0]], clusters.place[k] = k, counts[0]
        counts[0] += 1
    before = drawn(reach, b, sizes[k], units[k])
    sizes[k] += m
    units[k] += own - d
    counts[2] += d
    clusters.mass[0] += drawn(reach, b, sizes[k], units[k]) - before
    return k


@compiled
def draw_untouched(
    clusters: Clusters, reach: Array, b: float, touched: Array, total: float, rng: Generator
) -> int:
    """Draw a cluster without a mark, with probability m^a e^{b n} / total."""
    labels, sizes, units = clusters.labels, clusters.sizes, clusters.units
    if clusters.counts[0] > TRIES:  # a random object's cluster, thinned from its size
        for _ in range(TRIES):
            k = labels[int(rng.random() * len(labels))]
            if k == NOWHERE or touched[k]:
                continue
            if rng.random() * sizes[k] < drawn(reach, b, sizes[k], units[k]):
                return int(k)
    left, chosen = rng.random() * total, NOWHERE
    for c in range(clusters.counts[0]):
        k = clusters.used[c]
        if not touched[k]:
            chosen = k
            left -= drawn(reach, b, sizes[k], units[k])
            if left < 0:
                break
    return chosen
