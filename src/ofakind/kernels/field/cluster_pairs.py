"""Pairs that share a cluster in a sparse mean field: its columns, and a bound on the entropy of any pair.

A pair's P(same) is at most b_u + b_v + sum_k a_uk a_vk, with a the positive part of d. Entropy up to 1/2 is
concave and 0 at 0, so that of a sum is at most the sum of the entropies; and where a_uk and a_vk are both
above 1/2, P(different) is at most (1 - a_uk) + (1 - a_vk), which bounds the entropy by itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.field.pair_entropy import binary_entropy
from ofakind.kernels.field.sparse import Field
from ofakind.kernels.portable.elementary import LN2
from ofakind.kernels.portable.elementary import power as raised

Array = NDArray[Any]

HOME = 0.5
"""A cluster is an object's home when it has more than this above the rest; there is at most one."""

BEND = 0.5 / LN2
"""The entropy of p is at most ln 2 (4 p)^BEND, a bound that makes a product of a product."""

SCALE = np.sqrt(LN2 * np.e)


@compiled
def reach(a: float, power: float) -> float:
    """What a_uk puts into a bound: of x and y the product is at least the entropy of x y, to this power."""
    return raised(SCALE * raised(a, BEND), power)


@compiled
def doubt(p: float, power: float) -> float:
    """Entropy of a coin with probability p, or of a fair one where p is above 1/2, to this power."""
    return raised(binary_entropy(min(p, 0.5)), power)


@compiled
def doubts(p: Array, power: float) -> Array:
    """`doubt` of each of these probabilities."""
    out = np.empty(len(p))
    for i in range(len(p)):
        out[i] = doubt(p[i], power)
    return out


@compiled
def columns(field: Field, k: int) -> tuple[Array, Array, Array, Array]:
    """The positive entries by cluster, homes first: indptr, end of the homes, objects, a. O(entries + k)."""
    indptr, homes = np.zeros(k + 1, np.int64), np.zeros(k, np.int64)
    for e in range(len(field.d)):
        indptr[field.clusters[e] + 1] += field.d[e] > 0.0
        homes[field.clusters[e]] += field.d[e] > HOME
    for c in range(k):
        indptr[c + 1] += indptr[c]
        homes[c] += indptr[c]
    next_home, next_other = indptr[:-1].copy(), homes.copy()
    objects, a = np.empty(indptr[k], np.int32), np.empty(indptr[k])
    for u in range(len(field.b)):
        for e in range(field.indptr[u], field.indptr[u + 1]):
            if field.d[e] > 0.0:
                free = next_home if field.d[e] > HOME else next_other
                at = free[field.clusters[e]]
                objects[at], a[at] = u, field.d[e]
                free[field.clusters[e]] += 1
    return indptr, homes, objects, a


@compiled
def weights(indptr: Array, homes: Array, a: Array, power: float) -> tuple[Array, Array]:
    """How much each entry of the columns weighs as the first and as the second of a proposed pair.

    A home is followed by any home of its column, all alike; another entry by any of its column, by their
    second weights. So two homes x, y are proposed with weight doubt(1 - x) + doubt(1 - y), two others and
    one of each with reach(x) reach(y).
    """
    first, second = np.empty(len(a)), np.empty(len(a))
    for c in range(len(homes)):
        total = 0.0
        for e in range(indptr[c], indptr[c + 1]):
            second[e] = reach(a[e], power) * (1.0 if e < homes[c] else 0.5)
            total += second[e]
        for e in range(indptr[c], indptr[c + 1]):
            if e < homes[c]:
                first[e] = doubt(1.0 - a[e], power) * (homes[c] - indptr[c])
            else:
                first[e] = reach(a[e], power) * total
    return first, second


@compiled
def entropy_bound(field: Field, u: Array, v: Array, power: float) -> Array:
    """Bound on H(E_uv) of each pair, to a power of at most 1: all the weights it is proposed with."""
    out = np.empty(len(u))
    for i in range(len(u)):
        total = doubt(field.b[u[i]], power) + doubt(field.b[v[i]], power)
        e, e_end = field.indptr[u[i]], field.indptr[u[i] + 1]
        f, f_end = field.indptr[v[i]], field.indptr[v[i] + 1]
        while e < e_end and f < f_end:
            if field.clusters[e] < field.clusters[f]:
                e += 1
            elif field.clusters[e] > field.clusters[f]:
                f += 1
            else:
                x, y = field.d[e], field.d[f]
                if min(x, y) > HOME:
                    total += doubt(1.0 - x, power) + doubt(1.0 - y, power)
                elif min(x, y) > 0.0:
                    total += reach(x, power) * reach(y, power)
                e += 1
                f += 1
        out[i] = total
    return out
