"""Sets of numbers that can only grow together: an array holds the parent of each, a root its own number."""

from typing import Any

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
