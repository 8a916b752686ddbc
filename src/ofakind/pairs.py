"""Pairs of objects, and the one place that knows how a pair and its rank correspond."""

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, fields
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
        refuse_pair(u == v, u, v, "expected two different objects")
        refuse_pair(u > v, u, v, "expected u < v; Pairs.of takes either order")
        refuse_pair(u < 0, u, v, "objects are numbered from 0")
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
        refuse_pair(self.v >= n, self.u, self.v, f"expected objects below {n}")
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


def as_endpoints(u: ArrayLike, v: ArrayLike) -> tuple[Ints, Ints]:
    """Two equally long int64 vectors; anything else is refused."""
    first, second = as_objects(u), as_objects(v)
    if first.shape != second.shape:
        raise InvalidInputError(f"u has {len(first)} entries and v has {len(second)}; expected equally many")
    return first, second


def as_count(n: Any) -> int:
    """Return a number of objects as an int; anything but a whole number, 0 or more, is refused."""
    return whole_number("n", n, least=0)


def whole_number(name: str, value: Any, *, least: int) -> int:
    """Return the value as an int, or say under its name why not."""
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InvalidInputError(f"{name} is {value!r}; expected a whole number, {least} or more")
    return number


def real_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    infinite: bool = False,
) -> float:
    """Return the value as a float, or say under its name why not; infinity only where it makes sense."""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        number = float(value) if real else math.nan
    except OverflowError:  # a whole number beyond all floats
        number = math.nan
    fits = (
        (math.isfinite(number) or (infinite and not math.isnan(number)))
        and (least is None or number >= least)
        and (above is None or number > above)
        and (most is None or number <= most)
    )
    if not fits:
        limits = {"at least": least, "above": above, "at most": most}
        words = " and ".join(f"{word} {limit}" for word, limit in limits.items() if limit is not None)
        kind = "a number" if infinite else "a finite number"
        raise InvalidInputError(f"{name} is {value!r}; expected {', '.join(filter(None, (kind, words)))}")
    return number


def one_of(name: str, value: Any, *choices: str) -> None:
    """Refuse under its name what is none of these words."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidInputError(f"{name} is {value!r}; expected {' or '.join(map(repr, choices))}")


def truth_value(name: str, value: Any) -> None:
    """Refuse under its name what is neither true nor false: 0, 1 and text are not."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} is {value!r}; expected True or False")


def as_objects(objects: ArrayLike, what: str = "objects") -> Ints:
    """One-dimensional int64 vector of whole numbers; fractions, text and truth values are refused."""
    array = plain_array(objects, what)
    if array.ndim != 1:
        raise InvalidInputError(
            f"{what} have shape {array.shape}; expected one dimension, such as [0] or [0, 1]"
        )
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iuf":
        raise InvalidInputError(f"{what} have type {array.dtype}; expected whole numbers")
    if array.dtype.kind != "i":
        _refuse_inexact(array, what)
    return array.astype(np.int64, copy=False)


def _refuse_inexact(array: NDArray[Any], what: str) -> None:
    """Refuse what does not survive becoming an int64: fractions, NaN, and numbers beyond 2**53."""
    numbers = array.astype(np.float64)
    whole = (np.abs(numbers) <= 2.0**53) & (numbers == np.round(numbers))
    if not whole.all():
        row = int(np.argmin(whole))
        raise InvalidInputError(
            f"{what} hold {array[row]} at position {row}; expected whole numbers up to 2**53"
        )


def plain_array(given: ArrayLike, what: str) -> NDArray[Any]:
    """Array of numbers or text; Python objects are read by value, and what is no list of rows is refused."""
    try:
        array = np.asarray(given)
        if array.dtype == object and array.ndim:
            array = _by_value(array)
    except ValueError as error:
        raise InvalidInputError(
            f"{what} have rows of different lengths; expected a list or an array"
        ) from error
    if array.dtype == object and not array.ndim:
        raise InvalidInputError(f"{what} come as a {type(given).__name__}; expected a list or an array")
    if isinstance(mask := getattr(given, "mask", None), np.ndarray) and mask.any():
        raise InvalidInputError(f"{what} hold masked entries; leave these rows out")
    return array


def _by_value(objects: NDArray[np.object_]) -> NDArray[Any]:
    """Python objects as numbers or text; a mixture such as text and NaN stays what it is."""
    array = np.array(objects.tolist())
    mixed = array.dtype.kind == "U" and not all(isinstance(value, str) for value in objects.flat)
    return objects if mixed else array


def as_known_endpoints(u: ArrayLike, v: ArrayLike, n: int) -> tuple[Ints, Ints]:
    """Two equally long vectors of objects below n; anything else is refused."""
    first, second = as_endpoints(u, v)
    outside = (np.minimum(first, second) < 0) | (np.maximum(first, second) >= n)
    refuse_pair(outside, first, second, f"expected two of the {n} objects, numbered from 0")
    return first, second


def unique_pairs(u: ArrayLike, v: ArrayLike, n: int) -> tuple[Pairs, Ints]:
    """Distinct pairs among the given ones, and for each given one its position there."""
    first, second = as_endpoints(u, v)
    low, high = np.minimum(first, second), np.maximum(first, second)
    strange = (low < 0) | (high >= n) | (low == high)
    refuse_pair(strange, first, second, f"expected two different objects below {n}")
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
    return as_objects(array[:, 0]), as_objects(array[:, 1])


def refuse_pair(bad: NDArray[np.bool_], u: Ints, v: Ints, expected: str) -> None:
    """Refuse the first pair where ``bad`` is true, if any."""
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInputError(f"pair {row} is ({u[row]}, {v[row]}); {expected}")


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


def restore_read_only(instance: Any, values: list[Any]) -> None:
    """Fill the fields of a frozen dataclass with slots that was copied or pickled; its arrays are read-only.

    A copy of an array can be written to, however the original was. So a core type calls this in its
    ``__setstate__``.
    """
    for field, value in zip(fields(instance), values, strict=True):
        object.__setattr__(instance, field.name, read_only(value) if isinstance(value, np.ndarray) else value)
