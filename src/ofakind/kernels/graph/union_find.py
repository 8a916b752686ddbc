"""Sets of numbers that can only grow together: an array holds the parent of each, a root its own number."""

from typing import Any

from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


@njit(cache=True, nogil=True)
def root(parent: Array, i: int) -> int:
    """Return the root of i's set; the way there is shortened for the next time."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
