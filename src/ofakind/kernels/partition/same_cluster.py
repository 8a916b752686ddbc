"""Probability that pairs share a cluster, from samples of partitions, one object's label averaged out.

Given all other labels, an object joins cluster k with the probability n_k^a e^{b n_k + W_k} and a new one
with alpha, but for a common factor. Samples are in the outer loop: one row of labels stays in the cache.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.attraction import attraction
from ofakind.kernels.partition.moves import SizeTables, evidence, forget, scratch

Array = NDArray[Any]


@compiled
def probability_against(
    graph: Graph,
    labels: Array,
    alphas: Array,
    tables: SizeTables,
    objects: Array,
    starts: Array,
    others: Array,
) -> Array:
    """Mean over samples of the probability that each object joins the cluster of each of its others.

    The others of objects[t] are others[starts[t]:starts[t + 1]]. ``labels`` is (samples, n), ``tables`` are
    the `SizeTables` of a prior.
    """
    indptr, indices, w = graph
    power, b = tables.powers, tables.background
    reach = attraction(power, b)
    found = np.zeros(len(others))
    W, touched, seen = scratch(labels.shape[1])
    for s in range(len(labels)):
        label, alpha = labels[s], alphas[s]
        sizes, mass = _sizes(label, reach)
        for t in range(len(objects)):
            i = objects[t]
            many = evidence(indptr, indices, w, label, i, W, touched, seen)
            sizes[label[i]] -= 1
            rest = _normalise(sizes, label[i], mass, alpha, power, reach, b, W, seen, many)
            for p in range(starts[t], starts[t + 1]):
                k = np.uint32(label[others[p]])
                found[p] += W[k] + (1 - touched[k]) * (reach[sizes[k]] * rest)
            sizes[label[i]] += 1
            forget(W, touched, seen, many)
    found /= len(labels)
    return found


@compiled
def probability_against_common(
    graph: Graph, labels: Array, alphas: Array, tables: SizeTables, objects: Array, others: Array
) -> Array:
    """Mean over samples of the probability that each object joins the cluster of each of some others: (m, r).

    As `probability_against`, but the others are the same for all objects: only their clusters are looked at,
    which are few.
    """
    indptr, indices, w = graph
    power, b = tables.powers, tables.background
    reach = attraction(power, b)
    found = np.zeros((len(objects), len(others)))
    W, touched, seen = scratch(labels.shape[1])
    met, joins = np.empty(len(others), np.uint32), np.empty(len(others))
    for s in range(len(labels)):
        label, alpha = labels[s], alphas[s]
        sizes, mass = _sizes(label, reach)
        place, count = _number(label, others, met)
        for t in range(len(objects)):
            i = objects[t]
            many = evidence(indptr, indices, w, label, i, W, touched, seen)
            sizes[label[i]] -= 1
            rest = _normalise(sizes, label[i], mass, alpha, power, reach, b, W, seen, many)
            for c in range(count):
                k = met[c]
                joins[c] = W[k] + (1 - touched[k]) * (reach[sizes[k]] * rest)
            for p in range(len(place)):
                found[t, p] += joins[place[p]]
            sizes[label[i]] += 1
            forget(W, touched, seen, many)
    found /= len(labels)
    return found


@compiled
def _sizes(label: Array, reach: Array) -> tuple[Array, float]:
    """Return the sizes of the clusters of a sample, and how much all of them draw an object."""
    sizes, mass = np.zeros(len(label) + 1, np.int64), 0.0
    for k in label:
        sizes[k] += 1
    for size in sizes:
        mass += reach[size]
    return sizes, mass


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
    sizes: Array,
    own: int,
    mass: float,
    alpha: float,
    power: Array,
    reach: Array,
    b: float,
    W: Array,
    seen: Array,
    many: int,
) -> float:
    """Turn W of the seen clusters into probabilities of joining them; those of others are reach times this.

    ``own`` is the cluster that an object was taken out of, ``mass`` what all drew while it was there.
    """
    top = 0.0
    for c in range(many):
        W[seen[c]] += b * sizes[seen[c]]
        top = max(top, W[seen[c]])
    scale = math.exp(-top)
    total = (mass - reach[sizes[own] + 1] + reach[sizes[own]] + alpha) * scale
    for c in range(many):
        k = seen[c]
        W[k] = power[sizes[k]] * math.exp(W[k] - top)
        total += W[k] - reach[sizes[k]] * scale
    for c in range(many):
        W[seen[c]] /= total
    return float(scale / total)
