"""One sweep of the mean field (Alg. 3), on the sparse similarities. Arrays: S as CSR, q and m are (n, k)."""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


@njit(cache=True, nogil=True)
def label_costs(indptr: Array, indices: Array, S: Array, labels: Array, k: int) -> Array:
    """M_uk = - sum of S_uv over the v with label k: the start of Alg. 3. O(n k + pairs)."""
    m = np.zeros((len(labels), k))
    for u in range(len(labels)):
        for p in range(indptr[u], indptr[u + 1]):
            m[u, labels[indices[p]]] -= S[p]
    return m


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def softmax_rows(m: Array, beta: float) -> Array:
    """Q = softmax(-beta M), row by row (eq:EM1)."""
    q = np.empty_like(m)
    for u in range(len(m)):
        _softmax(m[u], beta, q[u])
    return q


@njit(cache=True, nogil=True)
def asynchronous_sweep(indptr: Array, indices: Array, S: Array, order: Array, beta: float, q: Array) -> float:
    """Update each object in the given order from its neighbours' newest q, in place; largest change of q.

    Each single update minimises the free energy in that row, so a sweep never raises it.
    """
    k = q.shape[1]
    m, fresh = np.empty(k), np.empty(k)
    residual = 0.0
    for u in order:
        m[:] = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            v, s = indices[p], S[p]
            for c in range(k):
                m[c] -= s * q[v, c]
        _softmax(m, beta, fresh)
        for c in range(k):
            residual = max(residual, abs(fresh[c] - q[u, c]))
            q[u, c] = fresh[c]
    return residual


@njit(cache=True, nogil=True)
def row_entropies(q: Array) -> Array:
    """H(y_u | Q) = - sum_k Q_uk log Q_uk of each object, in nats."""
    h = np.zeros(len(q))
    for u in range(len(q)):
        for c in range(q.shape[1]):
            if q[u, c] > 0.0:
                h[u] -= q[u, c] * math.log(q[u, c])
    return h


@njit(cache=True, nogil=True, inline="always")
def _softmax(m: Array, beta: float, out: Array) -> None:
    lowest = m.min()
    total = 0.0
    for c in range(len(m)):
        out[c] = math.exp(-beta * (m[c] - lowest))
        total += out[c]
    for c in range(len(m)):
        out[c] /= total
