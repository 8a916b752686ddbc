"""Probability that a pair is of a kind (q q^T) and its entropy in nats, for given pairs or for all of them.

The logarithm is written out in plain arithmetic, because the compiler turns such a loop into vector
instructions and leaves a call into the C library as it is. Errors stay near 1e-15. The compiler gets no
licence to fuse or reorder arithmetic: what it makes of that depends on what else it compiles at the time, and
equal seeds must give equal bits.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]

LN2 = 0.6931471805599453
SQRT_HALF_BITS = 0x3FE6A09E667F3BCD  # sqrt(1/2) as stored


def reinterpret(source: Any, target: Any) -> Any:
    """Make a compiled function that reads the 64 bits of one type as another."""

    @intrinsic
    def read(_typing: Any, _x: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(target))

        return target(source), generate

    return read


bits_of = reinterpret(types.float64, types.int64)
float_of = reinterpret(types.int64, types.float64)


@compiled(error_model="numpy")
def fast_log(x: float) -> float:
    """Natural logarithm of a positive float; some finite number at 0, so that 0 log 0 is 0.

    x = 2^e m with m in [sqrt(1/2), sqrt(2)), and log m = 2 atanh(f) with f = (m - 1) / (m + 1): |f| < 0.172,
    so ten terms of the series are exact to the last bits.
    """
    bits = bits_of(x)
    e = (bits - SQRT_HALF_BITS) >> 52
    m = float_of(bits - (e << 52))
    f = (m - 1.0) / (m + 1.0)
    s = f * f
    tail = 1 / 13 + s * (1 / 15 + s * (1 / 17 + s * (1 / 19)))
    series = s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * tail)))))
    return float(e * LN2 + 2.0 * f * (1.0 + series))


@compiled(error_model="numpy")
def binary_entropy(p: float) -> float:
    """Entropy in nats of a coin with probability p, clipped to [0, 1]: in [0, ln 2], exactly 0 at 0 and 1."""
    p = min(max(p, 0.0), 1.0)  # min and max, not branches: these vectorise
    h = 0.0 - (p * fast_log(p) + (1.0 - p) * fast_log(1.0 - p))
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
