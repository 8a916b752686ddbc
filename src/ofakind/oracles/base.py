"""What an oracle is, and how one reads the pairs it is asked."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Ints
from ofakind.checks import refuse_strange_pairs
from ofakind.pairs import Pairs, split_columns


@runtime_checkable
class Oracle(Protocol):
    """Answers every pair with a value in [-1, 1]: 1 of a kind, -1 not, 0 undecided.

    A plain function will do. People are not oracles: their answers come through ``ask`` and ``tell``.
    """

    def __call__(self, pairs: Pairs, /) -> NDArray[np.float64]:
        """Answer each pair, in order."""
        ...


def endpoints(pairs: ArrayLike, n: int) -> tuple[Ints, Ints]:
    """Objects ``u < v`` of `Pairs` or an ``(m, 2)`` array, checked to be two different ones of n objects."""
    first, second = split_columns(pairs)
    refuse_strange_pairs(first, second, n, what="question")
    return np.minimum(first, second), np.maximum(first, second)


@runtime_checkable
class NamingOracle(Oracle, Protocol):
    """An oracle that can say who gave each answer ("" when that is not known)."""

    def answers_with_names(self, pairs: Pairs) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """Answer as a call does, and name who gave each answer."""
        ...
