"""What draws an object to a cluster with which it has no pair of the graph."""

from typing import Any

from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.partition.ties import Ties
from ofakind.kernels.portable.elementary import exp

Array = NDArray[Any]


@compiled
def attraction(powers: Array, b: float) -> Array:
    """How much a cluster of each size draws an object that has no pair of the graph with it: m^a e^{b m}."""
    reach = powers.copy()
    if b != 0.0:
        for m in range(len(reach)):
            reach[m] *= exp(b * m)
    return reach


@compiled(forceinline=True)
def drawn(ties: Ties | None, reach: Array, b: float, size: int, units: int) -> float:
    """How much a cluster of this size, and of so many units, draws such an object: m^a e^{b n}."""
    if ties is None:
        return reach[size]  # type: ignore[no-any-return]
    if b == 0.0 or size == units:
        return reach[units]  # type: ignore[no-any-return]
    return reach[units] * exp(b * (size - units))  # type: ignore[no-any-return]
