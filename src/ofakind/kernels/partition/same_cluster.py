"""Probability that pairs share a cluster, from samples of partitions, one object's label averaged out."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.attraction import attraction
from ofakind.kernels.partition.moves import SizeTables

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
    the `SizeTables` of a prior. Given all other labels, an object joins cluster k with the probability
    n_k^a e^{b n_k + W_k} and a new one with alpha, but for a common factor. Samples in the outer loop: one
    row of labels stays in the cache.
    """
    n_samples, n = labels.shape
    indptr, indices, w = graph
    power, b = tables.powers, tables.background
    reach = attraction(power, b)
    found = np.zeros(len(others))
    W, touched, seen = np.zeros(n + 1), np.zeros(n + 1, np.bool_), np.empty(n + 1, np.int64)
    for s in range(n_samples):
        label = labels[s]
        sizes = np.zeros(n + 1, np.int64)
        for k in label:
            sizes[k] += 1
        mass = 0.0
        for size in sizes:
            mass += reach[size]
        for t in range(len(objects)):
            i = objects[t]
            own, many, top = label[i], 0, 0.0
            for slot in range(indptr[i], indptr[i + 1]):
                k = label[indices[slot]]
                if not touched[k]:
                    touched[k], W[k], seen[many] = True, 0.0, k
                    many += 1
                W[k] += w[slot]
            sizes[own] -= 1
            for c in range(many):
                W[seen[c]] += b * sizes[seen[c]]
                top = max(top, W[seen[c]])
            scale = math.exp(-top)
            total = (mass - reach[sizes[own] + 1] + reach[sizes[own]] + alphas[s]) * scale
            for c in range(many):
                k = seen[c]
                W[k] = power[sizes[k]] * math.exp(W[k] - top)
                total += W[k] - reach[sizes[k]] * scale
            for c in range(many):
                W[seen[c]] /= total
            rest = scale / total
            for p in range(starts[t], starts[t + 1]):
                k = label[others[p]]
                found[p] += W[k] if touched[k] else reach[sizes[k]] * rest
            sizes[own] += 1
            for c in range(many):
                touched[seen[c]] = False
    found /= n_samples
    return found
