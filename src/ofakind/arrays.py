"""The array types that everybody uses, and views that cannot be written through."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


def read_only(array: NDArray[T]) -> NDArray[T]:
    """View of an array that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view
