"""The array types that everybody uses, and views that cannot be written through."""

from dataclasses import fields
from typing import Any, TypeVar

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


def restore_read_only(instance: Any, values: list[Any]) -> None:
    """Fill the fields of a frozen dataclass with slots that was copied or pickled; its arrays are read-only.

    A copy of an array can be written to, however the original was. So a core type calls this in its
    ``__setstate__``.
    """
    for field, value in zip(fields(instance), values, strict=True):
        object.__setattr__(instance, field.name, read_only(value) if isinstance(value, np.ndarray) else value)
