"""The steps of the mean field (Alg. 3) on sparse similarities; q and m are (n, k)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.portable import elementary
from ofakind.kernels.portable.simd import LANES, absolute, exp, fma, largest, load, splat, store, summed

Array = NDArray[Any]


@compiled
def label_costs(indptr: Array, indices: Array, S: Array, labels: Array, k: int) -> Array:
    """M_uk = - sum of S_uv over the v with label k: the start of Alg. 3. O(n k + pairs)."""
    m = np.zeros((len(labels), k))
    for u in range(len(labels)):
        for p in range(indptr[u], indptr[u + 1]):
            m[u, labels[indices[p]]] -= S[p]
    return m


@compiled
def expected_costs(indptr: Array, indices: Array, S: Array, q: Array) -> Array:
    """M = - S Q (eq:EM2). O(pairs k)."""
    n, k = q.shape
    m = np.zeros((n, k))
    for u in range(n):
        for p in range(indptr[u], indptr[u + 1]):
            v, s = indices[p], S[p]
            for c in range(k):
                m[u, c] -= s * q[v, c]
    return m


@compiled
def softmax_rows(m: Array, beta: float) -> Array:
    """Q = softmax(-beta M), row by row (eq:EM1)."""
    q = np.empty_like(m)
    for u in range(len(m)):
        _softmax(m[u], beta, q[u])
    return q


def padded(q: Array) -> Array:
    """Copy of q with columns of zeros up to a multiple of sixteen, which `asynchronous_sweep` works on."""
    n, k = q.shape
    wide = np.zeros((n, -(-k // LANES) * LANES))
    wide[:, :k] = q
    return wide


@compiled
def asynchronous_sweep(graph: Graph, order: Array, k: int, beta: float, q: Array) -> float:
    """Update each object in the given order from its neighbours' newest q, in place; largest change of q.

    Each single update minimises the free energy in that row, so a sweep never raises it. q is (n, padded
    k); sixteen clusters are computed side by side.
    """
    width = q.shape[1]
    flat = q.reshape(q.size)
    x = np.empty(width)
    off = np.zeros(width)
    off[k:] = -np.inf  # padded columns take no part
    zero, scale = splat(0.0), splat(beta)
    residual = 0.0
    for u in order:
        highest = -np.inf
        for group in range(0, width, LANES):
            total = zero
            for p in range(graph.indptr[u], graph.indptr[u + 1]):
                total = fma(splat(graph.S[p]), load(flat, graph.indices[p] * width + group), total)
            total = total + load(off, group)
            store(x, group, total)
            highest = max(highest, largest(total))
        norm = 0.0
        for group in range(0, width, LANES):
            weight = exp(scale * (load(x, group) - splat(highest)))
            store(x, group, weight)
            norm += summed(weight)
        for group in range(0, width, LANES):
            fresh = load(x, group) / splat(norm)
            at = u * width + group
            residual = max(residual, largest(absolute(fresh - load(flat, at))))
            store(flat, at, fresh)
    return residual


@compiled
def row_entropies(q: Array) -> Array:
    """H(y_u | Q) = - sum_k Q_uk log Q_uk of each object, in nats."""
    h = np.zeros(len(q))
    for u in range(len(q)):
        for c in range(q.shape[1]):
            if q[u, c] > 0.0:
                h[u] -= q[u, c] * elementary.log(q[u, c])
    return h


@compiled(inline="always")
def _softmax(m: Array, beta: float, out: Array) -> None:
    lowest = m.min()
    total = 0.0
    for c in range(len(m)):
        out[c] = elementary.exp(-beta * (m[c] - lowest))
        total += out[c]
    for c in range(len(m)):
        out[c] /= total
