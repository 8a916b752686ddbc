"""Probability that pairs share a cluster, from samples of partitions, one object's label averaged out."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.attraction import attraction
from ofakind.kernels.partition.clusters import drawn
from ofakind.kernels.partition.moves import SizeTables
from ofakind.kernels.partition.ties import Ties, count_held, log_joined, log_return, ties_of

Array = NDArray[Any]


@compiled
def probability_against(
    graph: Graph,
    labels: Array,
    alphas: Array,
    tables: SizeTables,
    ties: Ties,
    objects: Array,
    starts: Array,
    others: Array,
) -> Array:
    """Mean over samples of the probability that each object joins the cluster of each of its others.

    The others of objects[t] are others[starts[t]:starts[t + 1]]. ``labels`` is (samples, n), ``tables`` are
    the `SizeTables` of a prior. Given all other labels, an object joins cluster k with the probability
    m_k^a e^{b n_k + W_k} and a new one with alpha, but for a common factor (see `sweep_objects`). Samples in
    the outer loop: one row of labels stays in the cache.
    """
    n_samples, n = labels.shape
    power, b = tables.powers, tables.background
    reach = attraction(power, b)
    found = np.zeros(len(others))
    W, touched, seen = np.zeros(n + 1), np.zeros(n + 1, np.bool_), np.empty(n + 1, np.int64)
    D = np.zeros(n + 1 if len(ties.slots) else 0, np.int64)
    for s in range(n_samples):
        label = labels[s]
        sizes = np.zeros(n + 1, np.int64)
        for k in label:
            sizes[k] += 1
        units = sizes.copy()
        free = n - count_held(graph, ties, label, units)
        mass = 0.0
        for k in range(n + 1):
            mass += drawn(reach, b, sizes[k], units[k])
        for t in range(len(objects)):
            i = objects[t]
            own, top, d = label[i], 0.0, 0
            many = _seen_clusters(graph, label, i, (W, touched, seen))
            before = drawn(reach, b, sizes[own], units[own])
            if len(ties.slots):
                ties_of(graph, ties, label, i, D)
                d = D[own]
            sizes[own] -= 1
            units[own] -= 1 - d
            if len(ties.slots):
                _add_ties(W, D, seen[:many], power, units, ties, alphas[s], free + d)
            for c in range(many):
                W[seen[c]] += b * sizes[seen[c]]
                top = max(top, W[seen[c]])
            scale = math.exp(-top)
            total = (mass - before + drawn(reach, b, sizes[own], units[own]) + alphas[s]) * scale
            for c in range(many):
                k = seen[c]
                W[k] = power[units[k]] * math.exp(W[k] - top)
                total += W[k] - drawn(reach, b, sizes[k], units[k]) * scale
            for c in range(many):
                W[seen[c]] /= total
            rest = scale / total
            for p in range(starts[t], starts[t + 1]):
                k = label[others[p]]
                found[p] += W[k] if touched[k] else drawn(reach, b, sizes[k], units[k]) * rest
            sizes[own] += 1
            units[own] += 1 - d
            for c in range(many):
                touched[seen[c]] = False
    found /= n_samples
    return found


@compiled
def _add_ties(
    W: Array, D: Array, seen: Array, power: Array, units: Array, ties: Ties, alpha: float, free: int
) -> None:
    """Add to W what the prior says of an object's ties with the clusters it sees, D[k] with k; clear D."""
    for k in seen:
        if D[k] > 0:
            W[k] += log_joined(power, units[k], D[k]) + log_return(ties, alpha, free, D[k])
            D[k] = 0


@compiled
def _seen_clusters(graph: Graph, label: Array, i: int, scratch: Any) -> int:
    """Sum w from an object to each cluster it has answers with; return how many these are."""
    W, touched, seen = scratch
    many = 0
    for slot in range(graph.indptr[i], graph.indptr[i + 1]):
        k = label[graph.indices[slot]]
        if not touched[k]:
            touched[k], W[k], seen[many] = True, 0.0, k
            many += 1
        W[k] += graph.S[slot]
    return many
