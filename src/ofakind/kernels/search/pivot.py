"""The pivot algorithm (KwikCluster) for a given order of the objects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


@compiled
def pivot_labels(S: tuple[Array, Array, Array], order: Array) -> Array:
    """Each object still free, in this order, takes the free objects with S > 0. O(objects + asked pairs)."""
    indptr, indices, values = S
    labels = np.full(len(order), -1, np.int64)
    k = 0
    for pivot in order:
        if labels[pivot] >= 0:
            continue
        labels[pivot] = k
        for slot in range(indptr[pivot], indptr[pivot + 1]):
            if values[slot] > 0 and labels[indices[slot]] < 0:
                labels[indices[slot]] = k
        k += 1
    return labels
