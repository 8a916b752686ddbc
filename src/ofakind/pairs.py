"""Pairs of objects, and the one place that knows how a pair and its rank correspond."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.errors import InvalidInputError

Ints = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)


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
        if not np.all(u < v):
            row = int(np.argmax(u >= v))
            raise InvalidInputError(f"pair {row} is ({u[row]}, {v[row]}); expected u < v (use Pairs.of)")
        if len(u) and u.min() < 0:
            row = int(np.argmax(u < 0))
            raise InvalidInputError(f"pair {row} is ({u[row]}, {v[row]}); objects are numbered from 0")
        duplicate = first_duplicate(u, v)
        if duplicate is not None:
            raise InvalidInputError(f"pair {duplicate} ({u[duplicate]}, {v[duplicate]}) stands there twice")
        object.__setattr__(self, "u", read_only(u))
        object.__setattr__(self, "v", read_only(v))

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
        object.__setattr__(pairs, "u", read_only(u))
        object.__setattr__(pairs, "v", read_only(v))
        return pairs

    @classmethod
    def empty(cls) -> Self:
        """No pairs."""
        return cls.trusted(np.empty(0, np.int64), np.empty(0, np.int64))

    @classmethod
    def all(cls, n: int) -> Self:
        """All ``n (n - 1) / 2`` pairs in order of their rank. Memory grows as n squared: small n only."""
        return cls.from_ranks(np.arange(count_pairs(n)), n)

    @classmethod
    def from_ranks(cls, ranks: ArrayLike, n: int) -> Self:
        """Make the pairs with these (distinct) ranks among n objects; the inverse of `ranks`."""
        u, v = unrank(np.asarray(ranks, np.int64), n)
        return cls.trusted(u, v)

    def ranks(self, n: int) -> Ints:
        """Position of each pair in the list (0, 1), (0, 2), ..., (n-2, n-1)."""
        return rank(self.u, self.v, n)

    def take(self, index: ArrayLike | slice) -> Self:
        """Keep the rows at these distinct positions (or where a mask is true), in that order."""
        where = index if isinstance(index, slice) else np.asarray(index)
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

    def __repr__(self) -> str:
        shown = ", ".join(f"({u}, {v})" for u, v in zip(self.u[:3].tolist(), self.v[:3].tolist(), strict=True))
        return f"Pairs({len(self)}: {shown}{', ...' if len(self) > 3 else ''})"


def count_pairs(n: int) -> int:
    """Number of unordered pairs among n objects."""
    return n * (n - 1) // 2


def rank(u: Ints, v: Ints, n: int) -> Ints:
    """Position of ``u < v`` in the list (0, 1), (0, 2), ..., (n-2, n-1)."""
    return np.asarray(u * (2 * n - u - 1) // 2 + (v - u - 1), np.int64)


def unrank(ranks: Ints, n: int) -> tuple[Ints, Ints]:
    """Pairs ``u < v`` at these positions; the inverse of `rank`."""
    if len(ranks) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # Counted from the end, the row before u holds 1 + 2 + ... pairs: solve the triangular number, then
    # correct the float root by at most one.
    from_end = count_pairs(n) - 1 - ranks
    rows = ((np.sqrt(8.0 * from_end + 1) - 1) // 2).astype(np.int64)
    rows -= rows * (rows + 1) // 2 > from_end
    rows += (rows + 1) * (rows + 2) // 2 <= from_end
    u = n - 2 - rows
    v = n - 1 - (from_end - rows * (rows + 1) // 2)
    return u, v


def as_endpoints(u: ArrayLike, v: ArrayLike) -> tuple[Ints, Ints]:
    """Two equally long int64 vectors; anything else is refused."""
    first, second = as_objects(u), as_objects(v)
    if first.shape != second.shape:
        raise InvalidInputError(f"u has {len(first)} entries and v has {len(second)}; expected equally many")
    return first, second


def as_objects(objects: ArrayLike) -> Ints:
    """One-dimensional int64 vector of object numbers; fractions and text are refused."""
    array = np.asarray(objects)
    if array.ndim != 1:
        raise InvalidInputError(f"objects have shape {array.shape}; expected one dimension")
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind == "f" and np.all(np.isfinite(array)) and np.array_equal(array, np.round(array)):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise InvalidInputError(f"objects have type {array.dtype}; expected whole numbers")
    return array.astype(np.int64, copy=False)


def split_columns(pairs: ArrayLike) -> tuple[Ints, Ints]:
    """Columns of an ``(m, 2)`` array or list of two-tuples; an empty list is no pairs."""
    if isinstance(pairs, Pairs):
        return pairs.u, pairs.v
    array = np.asarray(pairs)
    if array.size == 0 and array.ndim <= 2:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidInputError(f"pairs have shape {array.shape}; expected (m, 2)")
    return as_objects(array[:, 0]), as_objects(array[:, 1])


def first_duplicate(u: Ints, v: Ints) -> int | None:
    """Row of the first pair that stands earlier in the list too, or None."""
    order = np.lexsort((v, u))
    again = (np.diff(u[order]) == 0) & (np.diff(v[order]) == 0)
    return int(order[1:][again].min()) if again.any() else None


def read_only(array: NDArray[T]) -> NDArray[T]:
    """View of an array that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view
