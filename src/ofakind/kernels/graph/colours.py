"""Colours for objects such that no two of a colour share an answered pair."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


@compiled
def greedy_colours(indptr: Array, indices: Array, order: Array) -> Array:
    """Give each object, in this order, the lowest colour that no neighbour has. O(n + pairs)."""
    n = len(indptr) - 1
    colours = np.full(n, -1, np.int64)
    taken = np.full(n + 1, -1, np.int64)  # the last object whose neighbour has this colour
    for u in order:
        for p in range(indptr[u], indptr[u + 1]):
            if colours[indices[p]] >= 0:
                taken[colours[indices[p]]] = u
        colour = 0
        while taken[colour] == u:
            colour += 1
        colours[u] = colour
    return colours


def colour_classes(indptr: Array, indices: Array, order: Array) -> list[Array]:
    """Objects of each colour; together they are each object once. At most one class more than neighbours.

    >>> colour_classes(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), np.arange(3))  # a path
    [array([0, 2]), array([1])]
    """
    colours = greedy_colours(indptr, indices, order)
    by_colour = order[np.argsort(colours[order], kind="stable")]
    sizes = np.bincount(colours, minlength=1)
    return list(np.split(by_colour, np.cumsum(sizes)[:-1]))
