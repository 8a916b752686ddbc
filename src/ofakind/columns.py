"""Columns that grow at their end, shared by everybody who holds rows of them."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import read_only

LEAST_ROOM = 16  # rows, so that the first few additions need no new arrays (chosen by judgement)


class Columns:
    """Equally long arrays that grow at their end, in time proportional to what is added, taken together.

    Rows never change: what is new is written behind them, in arrays twice as long when there is no room. Who
    adds behind rows that are not the last any more gets a copy instead. Several threads may add at once.

    >>> columns = Columns(np.array([1, 2]))
    >>> more, other = columns.adding(2, ([3],)), columns.adding(2, ([4, 5],))
    >>> more.rows(0, 0, 3).tolist(), other.rows(0, 1, 4).tolist(), (more is columns, other is columns)
    ([1, 2, 3], [2, 4, 5], (True, False))
    """

    __slots__ = ("_arrays", "_lock", "_shown", "_size")

    def __init__(self, *arrays: NDArray[Any]) -> None:
        self._arrays, self._shown = arrays, tuple(map(read_only, arrays))
        self._size = len(arrays[0])
        self._lock = Lock()

    def rows(self, column: int, begin: int, end: int) -> NDArray[Any]:
        """Return some rows of a column, which cannot be written to."""
        return self._shown[column][begin:end]

    def adding(self, end: int, new: Sequence[ArrayLike]) -> "Columns":
        """Return columns with new rows behind the first ``end``: these or, if others are there now, a copy.

        The first column's rows say how many there are; of others a single value may be given for all.
        """
        with self._lock:
            if end == self._size:
                self._append(new)
                return self
        copy = Columns(*(array[:end] for array in self._arrays))  # without room: it is copied when it grows
        copy._append(new)
        return copy

    def _append(self, new: Sequence[ArrayLike]) -> None:
        begin, end = self._size, self._size + np.size(new[0])
        if end > len(self._arrays[0]):
            self._make_room(max(end, 2 * begin, LEAST_ROOM))
        for array, rows in zip(self._arrays, new, strict=True):
            array[begin:end] = rows
        self._size = end  # last of all: until here nothing has changed for anybody

    def _make_room(self, room: int) -> None:
        larger = tuple(np.empty(room, array.dtype) for array in self._arrays)
        for array, old in zip(larger, self._arrays, strict=True):
            array[: self._size] = old[: self._size]
        self._shown = tuple(map(read_only, larger))  # first: nothing may be written to that is not shown
        self._arrays = larger
