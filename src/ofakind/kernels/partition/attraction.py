"""What draws an object to a cluster with which it has no pair of the graph."""

import math
from typing import Any

from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


@compiled
def attraction(powers: Array, b: float) -> Array:
    """How much a cluster of each size draws an object that has no pair of the graph with it: m^a e^{b m}."""
    reach = powers.copy()
    if b != 0.0:
        for m in range(len(reach)):
            reach[m] *= math.exp(b * m)
    return reach
