"""Biconnected blocks of a graph that may have several edges between two vertices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


@compiled
def biconnected(ends: Array, n: int) -> Array:
    """Number the block of each edge: two edges share a block when a cycle runs through both. O(n + edges).

    There are no edges from a vertex to itself. Parallel edges are a cycle. A bridge is a block of its own.
    """
    indptr, slots = _incidence(ends, n)
    seen, low = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    at, came_by = indptr[:n].copy(), np.full(n, -1, np.int64)
    block, pending = np.full(len(ends), -1, np.int64), np.empty(len(ends), np.int64)
    n_pending, n_blocks, clock = 0, 0, 0
    for start in range(n):
        if seen[start] >= 0:
            continue
        seen[start] = low[start] = clock
        clock += 1
        x = start
        while True:
            if at[x] < indptr[x + 1]:
                e = slots[at[x]]
                at[x] += 1
                y = ends[e, 0] + ends[e, 1] - x
                if e == came_by[x] or seen[y] > seen[x]:
                    continue  # the tree edge upwards, or an edge that was followed from below
                pending[n_pending] = e
                n_pending += 1
                if seen[y] >= 0:
                    low[x] = min(low[x], seen[y])
                    continue
                came_by[y] = e
                seen[y] = low[y] = clock
                clock += 1
                x = y
                continue
            if x == start:
                break
            e = came_by[x]
            above = ends[e, 0] + ends[e, 1] - x
            low[above] = min(low[above], low[x])
            if low[x] >= seen[above]:  # nothing below reaches higher: the edges since then are a block
                while block[e] < 0:
                    n_pending -= 1
                    block[pending[n_pending]] = n_blocks
                n_blocks += 1
            x = above
    return block


@compiled
def _incidence(ends: Array, n: int) -> tuple[Array, Array]:
    """Which edges meet at each vertex: ``slots[indptr[x]:indptr[x + 1]]``."""
    indptr = np.zeros(n + 1, np.int64)
    for e in range(len(ends)):
        indptr[ends[e, 0] + 1] += 1
        indptr[ends[e, 1] + 1] += 1
    indptr = np.cumsum(indptr)
    slots, free = np.empty(2 * len(ends), np.int64), indptr[:n].copy()
    for e in range(len(ends)):
        for side in range(2):
            slots[free[ends[e, side]]] = e
            free[ends[e, side]] += 1
    return indptr, slots
