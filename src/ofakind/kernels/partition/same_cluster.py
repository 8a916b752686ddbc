"""Probability that pairs share a cluster, from samples of partitions, one object's label averaged out.

Given all other labels, an object joins cluster k with the probability m_k^a e^{b n_k + W_k} and a new one
with alpha, but for a common factor (see `moves.sweep_objects`). Samples are in the outer loop: one row of
labels stays in the cache.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.attraction import attraction, drawn
from ofakind.kernels.partition.moves import SizeTables, evidence, forget, scratch
from ofakind.kernels.partition.ties import (
    Ties,
    add_ties,
    count_ties,
    count_units,
    forget_ties,
    join_units,
    leave_units,
    tie_counts,
)
from ofakind.kernels.portable.elementary import exp

Array = NDArray[Any]


@compiled
def probability_against(
    graph: Graph,
    labels: Array,
    alphas: Array,
    tables: SizeTables,
    ties: Ties | None,
    objects: Array,
    starts: Array,
    others: Array,
) -> Array:
    """Mean over samples of the probability that each object joins the cluster of each of its others.

    The others of objects[t] are others[starts[t]:starts[t + 1]]. ``labels`` is (samples, n), ``tables`` are
    the `SizeTables` of a prior.
    """
    indptr, indices, w = graph
    power, b, n = tables.powers, tables.background, labels.shape[1]
    reach = attraction(power, b)
    found = np.zeros(len(others))
    (W, touched, seen), D = scratch(n), tie_counts(ties, n)
    for s in range(len(labels)):
        label, alpha = labels[s], alphas[s]
        sizes = _sizes(label)
        units, held = count_units(ties, graph, label, sizes)
        mass = _mass(ties, reach, b, sizes, units)
        for t in range(len(objects)):
            i = objects[t]
            many = evidence(indptr, indices, w, label, i, W, touched, seen)
            count_ties(ties, indptr, indices, label, i, D)
            own = label[i]
            before = drawn(ties, reach, b, sizes[own], units[own])
            sizes[own] -= 1
            leave_units(ties, units, held, own, 1, D)
            drawing = mass - before + drawn(ties, reach, b, sizes[own], units[own])
            add_ties(ties, power, units, alpha, n - held[0], D, W, seen, many)
            rest = _normalise(ties, sizes, units, drawing, alpha, power, reach, b, W, seen, many)
            for p in range(starts[t], starts[t + 1]):
                k = np.uint32(label[others[p]])
                found[p] += W[k] + (1 - touched[k]) * (drawn(ties, reach, b, sizes[k], units[k]) * rest)
            sizes[own] += 1
            join_units(ties, units, held, own, 1, D)
            forget(W, touched, seen, many)
            forget_ties(ties, D, seen, many)
    found /= len(labels)
    return found


@compiled
def probability_against_common(
    graph: Graph,
    labels: Array,
    alphas: Array,
    tables: SizeTables,
    ties: Ties | None,
    objects: Array,
    others: Array,
) -> Array:
    """Mean over samples of the probability that each object joins the cluster of each of some others: (m, r).

    As `probability_against`, but the others are the same for all objects: only their clusters are looked at,
    which are few.
    """
    indptr, indices, w = graph
    power, b, n = tables.powers, tables.background, labels.shape[1]
    reach = attraction(power, b)
    found = np.zeros((len(objects), len(others)))
    (W, touched, seen), D = scratch(n), tie_counts(ties, n)
    met, joins = np.empty(len(others), np.uint32), np.empty(len(others))
    for s in range(len(labels)):
        label, alpha = labels[s], alphas[s]
        sizes = _sizes(label)
        units, held = count_units(ties, graph, label, sizes)
        mass = _mass(ties, reach, b, sizes, units)
        place, count = _number(label, others, met)
        for t in range(len(objects)):
            i = objects[t]
            many = evidence(indptr, indices, w, label, i, W, touched, seen)
            count_ties(ties, indptr, indices, label, i, D)
            own = label[i]
            before = drawn(ties, reach, b, sizes[own], units[own])
            sizes[own] -= 1
            leave_units(ties, units, held, own, 1, D)
            drawing = mass - before + drawn(ties, reach, b, sizes[own], units[own])
            add_ties(ties, power, units, alpha, n - held[0], D, W, seen, many)
            rest = _normalise(ties, sizes, units, drawing, alpha, power, reach, b, W, seen, many)
            for c in range(count):
                k = met[c]
                joins[c] = W[k] + (1 - touched[k]) * (drawn(ties, reach, b, sizes[k], units[k]) * rest)
            for p in range(len(place)):
                found[t, p] += joins[place[p]]
            sizes[own] += 1
            join_units(ties, units, held, own, 1, D)
            forget(W, touched, seen, many)
            forget_ties(ties, D, seen, many)
    found /= len(labels)
    return found


@compiled
def _sizes(label: Array) -> Array:
    """Return the sizes of the clusters of a sample."""
    sizes = np.zeros(len(label) + 1, np.int64)
    for k in label:
        sizes[k] += 1
    return sizes


@compiled(forceinline=True)
def _mass(ties: Ties | None, reach: Array, b: float, sizes: Array, units: Array) -> float:
    """Return how much all clusters of a sample draw an object."""
    mass = 0.0
    for k in range(len(sizes)):
        mass += drawn(ties, reach, b, sizes[k], units[k])
    return mass


@compiled
def _number(label: Array, others: Array, met: Array) -> tuple[Array, int]:
    """Number the clusters that these objects are in, which are put into ``met``: each one's, and how many."""
    rank, place, count = np.full(len(label) + 1, -1), np.empty(len(others), np.uint32), 0
    for p in range(len(others)):
        k = label[others[p]]
        if rank[k] < 0:
            rank[k], met[count] = count, k
            count += 1
        place[p] = rank[k]
    return place, count


@compiled(forceinline=True)
def _normalise(
    ties: Ties | None,
    sizes: Array,
    units: Array,
    mass: float,
    alpha: float,
    power: Array,
    reach: Array,
    b: float,
    W: Array,
    seen: Array,
    many: int,
) -> float:
    """Turn W of the seen clusters into probabilities of joining them; those of others are `drawn` times this.

    ``mass`` is what all clusters draw.
    """
    top = 0.0
    for c in range(many):
        W[seen[c]] += b * sizes[seen[c]]
        top = max(top, W[seen[c]])
    scale = exp(-top)
    total = (mass + alpha) * scale
    for c in range(many):
        k = seen[c]
        W[k] = power[units[k]] * exp(W[k] - top)
        total += W[k] - drawn(ties, reach, b, sizes[k], units[k]) * scale
    for c in range(many):
        W[seen[c]] /= total
    return float(scale / total)
