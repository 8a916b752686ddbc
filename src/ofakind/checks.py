"""Validators of options and input, each written once: what is wrong is refused under its name."""

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints, Mask
from ofakind.errors import InvalidInputError

LARGEST_FEATURE = 1e100  # squares of larger numbers overflow when they are summed

# -- options ----------------------------------------------------------------------------------------------


def whole_number(name: str, value: Any, *, least: int) -> int:
    """Return the value as an int, or say under its name why not."""
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InvalidInputError(f"{name} is {value!r}; expected a whole number, {least} or more")
    return number


def as_count(n: Any) -> int:
    """Return a number of objects as an int; anything but a whole number, 0 or more, is refused."""
    return whole_number("n", n, least=0)


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


def check_jobs(n_jobs: Any) -> None:
    """Refuse what joblib would not take for a number of jobs: it is None or a whole number other than 0."""
    try:
        fits = n_jobs is None or (not isinstance(n_jobs, bool) and operator.index(n_jobs) != 0)
    except TypeError:
        fits = False
    if not fits:
        raise InvalidInputError(
            f"n_jobs is {n_jobs!r}; expected a whole number, 1 or more, or -1 for all cores, or None"
        )


# -- arrays ------------------------------------------------------------------------------------------------


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


def numbers_within(name: str, given: ArrayLike, least: float) -> Floats:
    """Numbers from ``least`` to 1, of any shape; others, and NaN, are refused under their name.

    >>> numbers_within("values", [0.5, 1], least=-1).tolist()
    [0.5, 1.0]
    """
    numbers = np.asarray(given, np.float64)
    fits = (numbers >= least) & (numbers <= 1)
    if not fits.all():
        wrong = numbers[~fits].flat[0]
        raise InvalidInputError(f"{name} hold {wrong:g}; expected numbers from {least:g} to 1")
    return numbers


def as_features(given: ArrayLike, n: int | None = None) -> Floats:
    """Table of finite numbers (n, d), a row for each object and at least one column; others are refused.

    >>> as_features([[0, 1], [2, 3]]).shape
    (2, 2)
    """
    table = plain_array(given, "features")
    if n == 0 and table.shape == (0,):
        table = table.reshape(0, 1)  # an empty list
    if table.ndim != 2 or not table.shape[1] or len(table) != (len(table) if n is None else n):
        expected = f"expected ({'n' if n is None else n}, d), a row of d >= 1 numbers for each object"
        raise InvalidInputError(f"features have shape {table.shape}; {expected}")
    if table.dtype.kind not in "biuf":
        raise InvalidInputError(f"features have type {table.dtype}; expected numbers")
    numbers = table.astype(np.float64)
    fits = np.abs(numbers) <= LARGEST_FEATURE  # False for NaN too
    if not fits.all():
        row, column = np.argwhere(~fits)[0]
        got = f"feature {column} of object {row} is {numbers[row, column]}"
        limit = f"finite numbers up to {LARGEST_FEATURE:g}"
        raise InvalidInputError(f"{got}; expected {limit}; fill in or leave out what is missing")
    return numbers


def as_endpoints(u: ArrayLike, v: ArrayLike) -> tuple[Ints, Ints]:
    """Two equally long int64 vectors; anything else is refused."""
    first, second = as_objects(u), as_objects(v)
    if first.shape != second.shape:
        raise InvalidInputError(f"u has {len(first)} entries and v has {len(second)}; expected equally many")
    return first, second


def as_known_endpoints(u: ArrayLike, v: ArrayLike, n: int) -> tuple[Ints, Ints]:
    """Two equally long vectors of objects below n; anything else is refused."""
    first, second = as_endpoints(u, v)
    outside = (np.minimum(first, second) < 0) | (np.maximum(first, second) >= n)
    refuse_pair(outside, first, second, f"expected two of the {n} objects, numbered from 0")
    return first, second


def pair_faults(u: Ints, v: Ints, n: int | None = None) -> dict[str, Mask]:
    """Everything that keeps a row from being a pair of two different objects below n, and where it does."""
    faults = {"an object below 0": np.minimum(u, v) < 0}
    if n is not None:
        faults[f"an object that is not one of the {n}, numbered from 0"] = np.maximum(u, v) >= n
    return faults | {"an object paired with itself": u == v}


def first_fault(faults: dict[str, Mask]) -> tuple[int, str] | None:
    """Return the first row with a fault, and that fault; None where there is none.

    >>> first_fault({"a": np.array([False, False]), "b": np.array([False, True])})
    (1, 'b')
    """
    bad = np.logical_or.reduce(list(faults.values()))
    row = int(np.argmax(bad)) if bad.any() else None
    return None if row is None else (row, next(fault for fault, rows in faults.items() if rows[row]))


def refuse_strange_pairs(u: Ints, v: Ints, n: int | None = None, *, what: str = "pair") -> None:
    """Refuse, under its row, what is no pair of two different objects; of the first n where n is given."""
    fault = first_fault(pair_faults(u, v, n))
    if fault is not None:
        limit = ", numbered from 0" if n is None else f" below {n}"
        got = f"{what} {fault[0]} is ({u[fault[0]]}, {v[fault[0]]})"
        raise InvalidInputError(f"{got}; expected two different objects{limit}")


def refuse_pair(bad: Mask, u: Ints, v: Ints, expected: str) -> None:
    """Refuse the first pair where ``bad`` is true, if any."""
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInputError(f"pair {row} is ({u[row]}, {v[row]}); {expected}")


def as_known_rows(objects: ArrayLike, others: ArrayLike, n: int) -> tuple[Ints, Ints]:
    """Objects (m,) and a row of others for each (m, r), all of them below n; anything else is refused.

    >>> as_known_rows([4, 0], [[1, 2], [3, 0]], n=5)[1].shape
    (2, 2)
    """
    first, table = as_objects(objects), plain_array(others, "others")
    if table.ndim != 2 or len(table) != len(first):
        got = f"others have shape {table.shape} for {len(first)} objects"
        raise InvalidInputError(f"{got}; expected a row for each, such as [[1, 2]] for [0]")
    second = as_objects(table.ravel(), "others").reshape(table.shape)
    for name, given in (("objects", first), ("others", second)):
        if given.size and not 0 <= given.min() <= given.max() < n:
            wrong = given[(given < 0) | (given >= n)][0]
            raise InvalidInputError(f"{name} hold {wrong}; expected some of the {n} objects, numbered from 0")
    return first, np.ascontiguousarray(second)
