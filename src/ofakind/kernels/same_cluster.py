"""Probability that pairs share a cluster, from samples of partitions, one object's label averaged out."""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ofakind.kernels.csr import Graph

Array = NDArray[Any]


@njit(cache=True, nogil=True)
def probability_against(
    graph: Graph, labels: Array, alphas: Array, power: Array, objects: Array, starts: Array, others: Array
) -> Array:
    """Mean over samples of the probability that each object joins the cluster of each of its others.

    The others of objects[t] are others[starts[t]:starts[t + 1]]. ``labels`` is (samples, n), ``power``
    (n + 1,) holds m^a. An object's probabilities given all other labels are n_k^a e^{W_k} for each
    cluster and alpha for a new one. Samples in the outer loop: one row of labels stays in the cache.
    """
    n_samples, n = labels.shape
    indptr, indices, w = graph
    found = np.zeros(len(others))
    W, touched, seen = np.zeros(n + 1), np.zeros(n + 1, np.bool_), np.empty(n + 1, np.int64)
    for s in range(n_samples):
        label = labels[s]
        sizes = np.zeros(n + 1, np.int64)
        for k in label:
            sizes[k] += 1
        mass = 0.0
        for size in sizes:
            mass += power[size]
        for t in range(len(objects)):
            i = objects[t]
            own, many, top = label[i], 0, 0.0
            for slot in range(indptr[i], indptr[i + 1]):
                k = label[indices[slot]]
                if not touched[k]:
                    touched[k], W[k], seen[many] = True, 0.0, k
                    many += 1
                W[k] += w[slot]
            for c in range(many):
                top = max(top, W[seen[c]])
            sizes[own] -= 1
            scale = math.exp(-top)
            total = (mass - power[sizes[own] + 1] + power[sizes[own]] + alphas[s]) * scale
            for c in range(many):
                k = seen[c]
                W[k] = power[sizes[k]] * math.exp(W[k] - top)
                total += W[k] - power[sizes[k]] * scale
            for p in range(starts[t], starts[t + 1]):
                k = label[others[p]]
                found[p] += (W[k] if touched[k] else power[sizes[k]] * scale) / total
            sizes[own] += 1
            for c in range(many):
                touched[seen[c]] = False
    found /= n_samples
    return found
