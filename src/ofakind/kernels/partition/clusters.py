"""A partition that is cheap to change: lists of used and unused labels, and draws of clusters in use."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.partition.attraction import drawn
from ofakind.kernels.partition.ties import Ties, join_units, leave_units

Array = NDArray[Any]
NOWHERE = -1  # the label of no cluster

# Chosen by judgement, for what a sweep may take. It stands alone because numba needs globals.
TRIES = 64  # draws of a random object's cluster, if there are more clusters than this, before all are listed


class Clusters(NamedTuple):
    """A partition that is cheap to change: labels below n + 1, sizes, and lists of used and unused labels."""

    labels: Array  # (n,)
    sizes: Array  # (n + 1,)
    used: Array  # (n + 1,) the first counts[0] are the labels in use
    place: Array  # (n + 1,) where each label in use stands among them
    unused: Array  # (n + 1,) the first counts[1] are the labels not in use
    counts: Array  # (2,)


@compiled
def clusters_of(labels: Array) -> Clusters:
    """Index a partition whose labels are below n; they are copied."""
    n = len(labels)
    sizes, used, place = np.zeros(n + 1, np.int64), np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    unused, counts = np.empty(n + 1, np.int32), np.zeros(2, np.int64)
    for label in labels:
        sizes[label] += 1
    for k in range(n + 1):
        if sizes[k]:
            used[counts[0]], place[k] = k, counts[0]
            counts[0] += 1
        else:
            unused[counts[1]] = k
            counts[1] += 1
    return Clusters(labels.astype(np.int32), sizes, used, place, unused, counts)


@compiled
def close_label(clusters: Clusters, k: int) -> None:
    """Put the label of a cluster that became empty among the unused ones."""
    counts = clusters.counts
    counts[0] -= 1
    last = clusters.used[counts[0]]
    clusters.used[clusters.place[k]] = last
    clusters.place[last] = clusters.place[k]
    clusters.unused[counts[1]] = k
    counts[1] += 1


@compiled
def open_label(clusters: Clusters) -> int:
    """Take an unused label for a new cluster."""
    counts = clusters.counts
    counts[1] -= 1
    k = clusters.unused[counts[1]]
    clusters.used[counts[0]], clusters.place[k] = k, counts[0]
    counts[0] += 1
    return int(k)


@compiled
def mass_of(clusters: Clusters, ties: Ties | None, units: Array, reach: Array, b: float) -> float:
    """Sum m_k^a e^{b n_k} over all clusters, of m_k units and n_k objects."""
    total = 0.0
    for c in range(clusters.counts[0]):
        k = clusters.used[c]
        total += drawn(ties, reach, b, clusters.sizes[k], units[k])
    return total


@compiled(forceinline=True)
def leave(
    ties: Ties | None,
    sizes: Array,
    units: Array,
    held: Array,
    reach: Array,
    b: float,
    k: Any,
    m: int,
    own: int,
    D: Array,
) -> float:
    """Take a block of m objects and ``own`` units out of cluster k, with D[k] ties to others in it.

    Returns by how much this changes the sum of `mass_of`. The lists of labels stay.
    """
    before = drawn(ties, reach, b, sizes[k], units[k])
    sizes[k] -= m
    leave_units(ties, units, held, k, own, D)
    return drawn(ties, reach, b, sizes[k], units[k]) - before


@compiled(forceinline=True)
def join(
    ties: Ties | None,
    sizes: Array,
    units: Array,
    held: Array,
    reach: Array,
    b: float,
    k: Any,
    m: int,
    own: int,
    D: Array,
) -> float:
    """Put a block into cluster k; as `leave`."""
    before = drawn(ties, reach, b, sizes[k], units[k])
    sizes[k] += m
    join_units(ties, units, held, k, own, D)
    return drawn(ties, reach, b, sizes[k], units[k]) - before


@compiled(forceinline=True)
def draw_untouched(
    labels: Array,
    sizes: Array,
    used: Array,
    count: int,
    ties: Ties | None,
    units: Array,
    reach: Array,
    b: float,
    touched: Array,
    total: float,
    rng: Generator,
) -> int:
    """Draw one of the ``count`` clusters in use without a mark, by how much it draws an object (`drawn`).

    All of them draw ``total``.
    """
    if count > TRIES:  # a random object's cluster, thinned from its size
        for _ in range(TRIES):
            k = labels[int(rng.random() * len(labels))]
            if k == NOWHERE or touched[k]:
                continue
            if rng.random() * sizes[k] < drawn(ties, reach, b, sizes[k], units[k]):
                return int(k)
    left, chosen = rng.random() * total, NOWHERE
    for c in range(count):
        k = used[c]
        if not touched[k]:
            chosen = k
            left -= drawn(ties, reach, b, sizes[k], units[k])
            if left < 0:
                break
    return int(chosen)
