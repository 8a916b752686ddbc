"""The functions of `elementary` for arrays, as NumPy ufuncs over float64, and what is put together from them.

They broadcast, and take ``out`` and ``where``, as NumPy's own do. The logarithm of 0 is -inf without a
warning. Single precision comes back as double.
"""

from collections.abc import Sequence
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats
from ofakind.kernels.compiled import elementwise
from ofakind.kernels.portable import elementary


class OfOne(Protocol):
    """A function of a number, or of each number of an array."""

    @overload
    def __call__(self, x: float, /) -> float: ...
    @overload
    def __call__(self, x: NDArray[Any] | Sequence[float], /, out: NDArray[Any] | None = None) -> Floats: ...


class OfTwo(Protocol):
    """A function of two numbers, or of arrays that are broadcast together."""

    @overload
    def __call__(self, x: float, y: float, /) -> float: ...
    @overload
    def __call__(self, x: ArrayLike, y: ArrayLike, /) -> Floats: ...


exp: OfOne = elementwise(elementary.exp)
expm1: OfOne = elementwise(elementary.expm1)
log: OfOne = elementwise(elementary.log)
log1p: OfOne = elementwise(elementary.log1p)
log_gamma: OfOne = elementwise(elementary.log_gamma)
tanh: OfOne = elementwise(elementary.tanh)
arctanh: OfOne = elementwise(elementary.arctanh)
expit: OfOne = elementwise(elementary.expit)
log_expit: OfOne = elementwise(elementary.log_expit)
logit: OfOne = elementwise(elementary.logit)
entr: OfOne = elementwise(elementary.entr)
xlogy: OfTwo = elementwise(elementary.xlogy)
logaddexp: OfTwo = elementwise(elementary.logaddexp)
sin: OfOne = elementwise(elementary.sin)
cos: OfOne = elementwise(elementary.cos)


@overload
def power(x: float, y: float) -> float: ...
@overload
def power(x: ArrayLike, y: ArrayLike) -> Floats: ...
def power(x: ArrayLike, y: ArrayLike) -> Floats | float:
    """x^y for x > 0, or x = 0 and y > 0, of which the error grows with y log x; exact for one y of 0 or 1."""
    if np.ndim(y) == 0 and y in (0, 1):
        return np.multiply(x, 1.0) if y else np.ones(np.shape(x))[()]
    return exp(np.multiply(y, log(np.asarray(x))))


def logsumexp(values: Floats) -> Floats:
    """Log of the sum of e^values over the first axis."""
    most = values.max(axis=0)
    level = np.where(np.isfinite(most), most, 0.0)
    return np.asarray(log(exp(values - level).sum(axis=0)) + level)


def geomspace(first: float, last: float, count: int) -> Floats:
    """Return so many positive numbers, each the same multiple of the one before; the ends are exact."""
    found = exp(np.linspace(log(first), log(last), count))
    found[:1], found[1:][-1:] = first, last
    return found
