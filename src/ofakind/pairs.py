"""Pairs of objects, and the one place that knows how a pair and its rank correspond."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Ints, read_only, restore_read_only
from ofakind.checks import as_count, as_endpoints, as_objects, plain_array, refuse_pair, refuse_strange_pairs
from ofakind.errors import InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Distinct unordered pairs of objects, each written once as ``u < v``.

    NumPy sees an ``(m, 2)`` int64 array; iterating gives tuples.

    >>> pairs = Pairs.of([3, 0], [1, 2])
    >>> [tuple(pair) for pair in pairs]
    [(1, 3), (0, 2)]
    """

    u: Ints
    v: Ints

    def __post_init__(self) -> None:
        u, v = as_endpoints(self.u, self.v)
        refuse_strange_pairs(u, v)
        refuse_pair(u > v, u, v, "expected u < v; Pairs.of takes either order")
        duplicate = first_duplicate(u, v)
        if duplicate is not None:
            raise InvalidInputError(f"pair {duplicate} ({u[duplicate]}, {v[duplicate]}) stands there twice")
        # Copies, so that whoever still holds the arrays that were given cannot change the pairs.
        object.__setattr__(self, "u", read_only(u.copy()))
        object.__setattr__(self, "v", read_only(v.copy()))

    @classmethod
    def of(cls, u: ArrayLike, v: ArrayLike) -> Self:
        """Make pairs from endpoints in either order; a pair given twice is refused."""
        first, second = as_endpoints(u, v)
        return cls(np.minimum(first, second), np.maximum(first, second))

    @classmethod
    def from_array(cls, array: ArrayLike) -> Self:
        """Make pairs from an ``(m, 2)`` array (or a list of two-tuples), endpoints in either order."""
        return cls.of(*split_columns(array))

    @classmethod
    def trusted(cls, u: Ints, v: Ints) -> Self:
        """Wrap arrays that are known to be canonical and distinct, without checking them again."""
        pairs = object.__new__(cls)
        u, v = u.view(), v.view()
        u.flags.writeable = v.flags.writeable = False
        object.__setattr__(pairs, "u", u)
        object.__setattr__(pairs, "v", v)
        return pairs

    @classmethod
    def empty(cls) -> Self:
        """No pairs."""
        return cls.trusted(np.empty(0, np.int64), np.empty(0, np.int64))

    @classmethod
    def all(cls, n: int) -> Self:
        """All ``n (n - 1) / 2`` pairs in order of their rank. Memory grows as n squared: small n only."""
        return cls.from_ranks(np.arange(count_pairs(as_count(n))), n)

    @classmethod
    def from_ranks(cls, ranks: ArrayLike, n: int) -> Self:
        """Make the pairs with these (distinct) ranks among n objects; the inverse of `ranks`."""
        given, limit = as_objects(ranks, "ranks"), count_pairs(as_count(n))
        if len(given) and not 0 <= given.min() <= given.max() < limit:
            row = int(np.argmax((given < 0) | (given >= limit)))
            raise InvalidInputError(
                f"rank {row} is {given[row]}; expected below {limit}, the pairs of {n} objects"
            )
        return cls.trusted(*unrank(given, n))

    def ranks(self, n: int) -> Ints:
        """Position of each pair in the list (0, 1), (0, 2), ..., (n-2, n-1)."""
        refuse_strange_pairs(self.u, self.v, n)
        return rank(self.u, self.v, n)

    def take(self, index: ArrayLike | slice) -> Self:
        """Keep the rows at these distinct positions (or where a mask is true), in that order."""
        where = index if isinstance(index, slice) else np.asarray(index)
        if isinstance(where, np.ndarray) and where.size == 0:  # an empty list is an array of floats
            return type(self).empty()
        return type(self).trusted(self.u[where], self.v[where])

    def __len__(self) -> int:
        return len(self.u)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.u.tolist(), self.v.tolist(), strict=True)

    def __getitem__(self, index: int | slice) -> "tuple[int, int] | Pairs":
        if isinstance(index, slice):
            return Pairs.trusted(self.u[index], self.v[index])
        return int(self.u[index]), int(self.v[index])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001
        if copy is False:
            raise ValueError("pairs are two columns; an (m, 2) array is always a copy")
        return np.stack([self.u, self.v], axis=1).astype(dtype or np.int64, copy=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pairs):
            return NotImplemented
        return np.array_equal(self.u, other.u) and np.array_equal(self.v, other.v)

    __hash__ = None  # type: ignore[assignment]

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)

    def __repr__(self) -> str:
        shown = ", ".join(
            f"({u}, {v})" for u, v in zip(self.u[:3].tolist(), self.v[:3].tolist(), strict=True)
        )
        return f"Pairs({len(self)}: {shown}{', ...' if len(self) > 3 else ''})"


@dataclass(frozen=True, slots=True, eq=False)
class PairSet:
    """Pairs of any number of objects, sorted, so that it is quickly seen whether others are among them.

    >>> PairSet.of(np.array([0, 2]), np.array([1, 3])).holds(np.array([0, 2]), np.array([2, 3])).tolist()
    [False, True]
    """

    keys: Ints  # sorted: v in the upper 32 bits, u in the lower

    @classmethod
    def of(cls, u: Ints, v: Ints) -> Self:
        """All of these pairs ``u < v``, which may stand there more than once."""
        return cls(np.unique(_key(u, v)))

    @classmethod
    def none(cls) -> Self:
        """No pairs."""
        return cls(np.empty(0, np.int64))

    def adding(self, u: Ints, v: Ints) -> Self:
        """Return the set with these pairs ``u < v``, too."""
        new = np.unique(_key(u, v))
        new = new[~_among(self.keys, new)]
        return type(self)(np.insert(self.keys, np.searchsorted(self.keys, new), new)) if len(new) else self

    def holds(self, u: Ints, v: Ints) -> NDArray[np.bool_]:
        """Tell which of these pairs ``u < v`` are in the set."""
        return _among(self.keys, _key(u, v))

    def without(self, others: "PairSet") -> Pairs:
        """Return the pairs that are not among the others, in order of v, then u."""
        left = self.keys[~_among(others.keys, self.keys)]
        return Pairs.trusted(left & 0xFFFFFFFF, left >> 32)

    def __len__(self) -> int:
        return len(self.keys)


def _key(u: Ints, v: Ints) -> Ints:
    return np.asarray(v << 32 | u, np.int64)


def _among(keys: Ints, wanted: Ints) -> NDArray[np.bool_]:
    """Tell which of the wanted keys are among these sorted ones."""
    if not len(keys):
        return np.zeros(len(wanted), np.bool_)
    return np.asarray(keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted)


def count_pairs(n: int) -> int:
    """Return the number of unordered pairs among n objects."""
    return n * (n - 1) // 2


def rank(u: Ints, v: Ints, n: int) -> Ints:
    """Position of ``u < v`` in the list (0, 1), (0, 2), ..., (n-2, n-1)."""
    return np.asarray(u * (2 * n - u - 1) // 2 + (v - u - 1), np.int64)


def unrank(ranks: Ints, n: int) -> tuple[Ints, Ints]:
    """Pairs ``u < v`` at these positions; the inverse of `rank`."""
    if len(ranks) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # Counted from the end, the rows hold 1, 2, 3, ... pairs: solve the triangular number. The rounded root
    # may be one too large, just before the next row; it is never too small.
    from_end = count_pairs(n) - 1 - ranks
    rows = ((np.sqrt(8.0 * from_end + 1) - 1) // 2).astype(np.int64)
    rows -= rows * (rows + 1) // 2 > from_end
    u = n - 2 - rows
    v = n - 1 - (from_end - rows * (rows + 1) // 2)
    return u, v


def unique_pairs(u: ArrayLike, v: ArrayLike, n: int) -> tuple[Pairs, Ints]:
    """Distinct pairs among the given ones, and for each given one its position there."""
    first, second = as_endpoints(u, v)
    refuse_strange_pairs(first, second, n)
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys, position = np.unique(low * n + high, return_inverse=True)
    return Pairs.trusted(keys // max(n, 1), keys % max(n, 1)), position


def split_columns(pairs: ArrayLike) -> tuple[Ints, Ints]:
    """Columns of an ``(m, 2)`` array or list of two-tuples; an empty list is no pairs."""
    if isinstance(pairs, Pairs):
        return pairs.u, pairs.v
    array = plain_array(pairs, "pairs")
    if array.ndim in (1, 2) and len(array) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidInputError(f"pairs have shape {array.shape}; expected (m, 2), such as [(0, 1), (0, 2)]")
    first, second = array[:, 0], array[:, 1]
    return (first, second) if array.dtype == np.int64 else (as_objects(first), as_objects(second))


def first_duplicate(u: Ints, v: Ints) -> int | None:
    """Row of the first pair that stands earlier in the list too, or None."""
    order = np.lexsort((v, u))
    again = (np.diff(u[order]) == 0) & (np.diff(v[order]) == 0)
    return int(order[1:][again].min()) if again.any() else None
