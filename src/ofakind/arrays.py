"""The array types that everybody uses, views that cannot be written through, and rows in random order."""

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class ShuffleRules:
    """How rows are put into random order; chosen by judgement."""

    many_rows: int = 10_000  # from so many on,
    run: int = 64  # so many neighbours are visited one after another: memory is read faster in its order


SHUFFLE = ShuffleRules()


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


def shuffled(n: int, rng: Generator) -> Ints:
    """Return 0..n-1 in random order; from 10,000 on, runs of 64 neighbours in random order.

    >>> sorted(shuffled(4, np.random.default_rng(0)).tolist())
    [0, 1, 2, 3]
    """
    run = SHUFFLE.run if n >= SHUFFLE.many_rows else 1
    order = (run * rng.permutation(-(-n // run))[:, None] + np.arange(run)).ravel()
    return order[order < n]


# NumPy's unstable sorts and selections put equal values into an order that depends on the processor. So they
# are only used here, where that cannot be seen.


def nth(values: NDArray[T], place: int) -> T:
    """Return the value that stands at this place when all are sorted. O(m).

    >>> int(nth(np.array([3, 1, 2]), 1))
    2
    """
    found: T = np.partition(values, place)[place]
    return found


def largest(values: NDArray[Any], count: int) -> Ints:
    """Positions of the ``count`` largest values, in ascending order; of equal ones the first. O(m).

    >>> largest(np.array([1, 3, 1, 2]), 3).tolist()
    [0, 1, 3]
    """
    if count >= len(values):
        return np.arange(len(values))
    if count <= 0:
        return np.empty(0, np.int64)
    least = nth(values, len(values) - count)
    taken = values > least
    taken[np.flatnonzero(values == least)[: count - np.count_nonzero(taken)]] = True
    return np.flatnonzero(taken)


def order_of_distinct(keys: NDArray[Any]) -> Ints:
    """Positions that sort keys of which no two are equal; of equal ones the order is not promised."""
    return np.argsort(keys)
