"""Sets of numbers that can only grow together: an array holds the parent of each, a root its own number."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


@compiled(forceinline=True)
def root(parent: Array, i: int) -> int:
    """Return the root of i's set; the way there is shortened for the next time."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@compiled
def spanning_forest(n: int, u: Array, v: Array) -> tuple[Array, Array]:
    """Return which edges join parts that no edge before them joins, and the part of each of n nodes."""
    parent, kept = np.arange(n), np.zeros(len(u), np.bool_)
    for e in range(len(u)):
        a, b = root(parent, u[e]), root(parent, v[e])
        if a != b:
            kept[e], parent[max(a, b)] = True, min(a, b)
    for i in range(n):
        parent[i] = root(parent, i)
    return kept, parent
