"""Probability that a pair is of a kind (q q^T) and its entropy in nats, for given pairs or for all of them.

The compiler gets no licence to fuse or reorder arithmetic: what it makes of that depends on what else it
compiles at the time, and equal seeds must give equal bits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.portable.elementary import LN2, log_of_normal

Array = NDArray[Any]


@compiled(error_model="numpy")
def binary_entropy(p: float) -> float:
    """Entropy in nats of a coin with probability p, clipped to [0, 1]: in [0, ln 2], exactly 0 at 0 and 1."""
    p = min(max(p, 0.0), 1.0)  # min and max, not branches: these vectorise
    # of 0 the logarithm is some finite number here, and 0 log 0 is 0
    h = 0.0 - (p * log_of_normal(p, 0.0) + (1.0 - p) * log_of_normal(1.0 - p, 0.0))
    return min(h, LN2)


@compiled
def same_probability(q: Array, u: Array, v: Array) -> Array:
    """P(E_uv = 1) = q_u . q_v of each pair, clipped to [0, 1]. O(pairs k)."""
    k = q.shape[1]
    out = np.empty(len(u))
    for e in range(len(u)):
        p = 0.0
        for c in range(k):
            p += q[u[e], c] * q[v[e], c]
        out[e] = min(max(p, 0.0), 1.0)
    return out


@compiled(error_model="numpy")
def pair_entropy(q: Array, u: Array, v: Array) -> Array:
    """H(E_uv) of each pair in nats. O(pairs k)."""
    out = same_probability(q, u, v)
    for e in range(len(u)):
        out[e] = binary_entropy(out[e])
    return out


@compiled(error_model="numpy")
def all_pair_entropy(q: Array) -> Array:
    """H(E_uv) of every pair in nats, in order of rank. O(n^2 k) time, 8 bytes per pair: small n only."""
    n, k = q.shape
    columns = q.T.copy()  # (k, n): neighbouring v lie side by side
    out = np.zeros(n * (n - 1) // 2)
    start = 0
    for u in range(n - 1):
        row = out[start : start + n - 1 - u]
        for c in range(k):
            weight, column = q[u, c], columns[c, u + 1 :]
            for j in range(len(row)):
                row[j] += weight * column[j]
        for j in range(len(row)):
            row[j] = binary_entropy(row[j])
        start += len(row)
    return out
