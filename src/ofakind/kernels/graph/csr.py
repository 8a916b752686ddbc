"""Symmetric sparse matrices as CSR arrays: building them and looking pairs up."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


class Graph(NamedTuple):
    """Symmetric similarities as CSR arrays: S[p] is that of a row's object and indices[p]."""

    indptr: Array
    indices: Array
    S: Array


@compiled
def symmetric_csr(n: int, u: Array, v: Array) -> tuple[Array, Array, Array]:
    """Both directions of pairs sorted by (u, v), u < v: indptr, sorted indices, and each slot's pair.

    O(n + pairs). Entries below the diagonal are placed first, so every row comes out sorted.
    """
    indptr = np.zeros(n + 1, np.int64)
    for e in range(len(u)):
        indptr[u[e] + 1] += 1
        indptr[v[e] + 1] += 1
    for i in range(n):
        indptr[i + 1] += indptr[i]
    free = indptr[:-1].copy()
    indices = np.empty(2 * len(u), np.int32)
    pair = np.empty(2 * len(u), np.int64)
    for e in range(len(u)):
        slot = free[v[e]]
        indices[slot], pair[slot] = u[e], e
        free[v[e]] += 1
    for e in range(len(u)):
        slot = free[u[e]]
        indices[slot], pair[slot] = v[e], e
        free[u[e]] += 1
    return indptr, indices, pair


@compiled
def find_slot(indptr: Array, indices: Array, i: int, j: int) -> int:
    """Slot of entry (i, j), or -1. O(log degree)."""
    low, high = indptr[i], indptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    if low < indptr[i + 1] and indices[low] == j:
        return int(low)
    return -1


@compiled
def find_slots(indptr: Array, indices: Array, u: Array, v: Array) -> Array:
    """Slot of each entry (u, v), or -1."""
    slots = np.empty(len(u), np.int64)
    for e in range(len(u)):
        slots[e] = find_slot(indptr, indices, u[e], v[e])
    return slots
