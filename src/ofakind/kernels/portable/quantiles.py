"""Shares and quantiles of the normal, Student's and the beta distribution, for intervals in reports.

Of the quantiles it is known how large a share lies below them, and they are found by halving.
"""

from collections.abc import Callable
from functools import lru_cache
from math import sqrt
from typing import Final

from ofakind.kernels.portable.arrays import exp, log, log1p, log_gamma
from ofakind.kernels.portable.elementary import HALF_LOG_2PI

HALVINGS: Final = 120  # at most; a double has no more digits
TERMS: Final = 500  # of a series or a continued fraction, at most
FAR: Final = 2.5  # from here on the continued fraction of the normal distribution converges fast


def normal_share(z: float) -> float:
    """Share of the standard normal distribution that lies below z.

    >>> normal_share(0.0), round(normal_share(-1.96), 4)
    (0.5, 0.025)
    """
    if z > 0:
        return 1.0 - normal_share(-z)
    density = float(exp(-0.5 * z * z - HALF_LOG_2PI))
    if z > -FAR:
        term = total = z
        for k in range(1, TERMS):
            term *= z * z / (2 * k + 1)
            total += term
            if abs(term) < 1e-18:
                break
        return 0.5 + density * total
    fraction = 0.0
    for k in range(100, 0, -1):
        fraction = k / (-z + fraction)
    return density / (-z + fraction)


@lru_cache(256)
def normal_quantile(share: float) -> float:
    """Return what this share of the standard normal distribution lies below.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    if share > 0.5:
        return -normal_quantile(1.0 - share)
    return _halved(normal_share, share, -40.0, 0.0)


def beta_share(a: float, b: float, x: float) -> float:
    """Share of the beta distribution that lies below x: the regularised incomplete beta function.

    >>> round(beta_share(2.0, 3.0, 0.5), 12)
    0.6875
    """
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - beta_share(b, a, 1.0 - x)
    beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b)
    front = float(exp(a * log(x) + b * log1p(-x) - beta)) / a
    return front * _beta_fraction(a, b, x)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0) or tiny)
    value = d
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1.0 / (1.0 + step * d or tiny)
            c = 1.0 + step / c or tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return value


@lru_cache(1024)
def beta_quantile(a: float, b: float, share: float) -> float:
    """Return what this share of the beta distribution lies below.

    >>> round(beta_quantile(1.0, 1.0, 0.25), 12)
    0.25
    """
    return _halved(lambda x: beta_share(a, b, x), share, 0.0, 1.0)


@lru_cache(256)
def t_quantile(freedom: float, share: float) -> float:
    """Return what this share of Student's t distribution lies below, with so many degrees of freedom.

    >>> round(t_quantile(3.0, 0.975), 4), t_quantile(3.0, 0.5)
    (3.1824, 0.0)
    """
    if share == 0.5:
        return 0.0
    x = beta_quantile(freedom / 2, 0.5, 2.0 * min(share, 1.0 - share))
    size = sqrt(freedom * (1.0 - x) / x)
    return size if share > 0.5 else -size


def _halved(share_below: Callable[[float], float], share: float, low: float, high: float) -> float:
    """Find where a rising function is this share, by halving."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if share_below(middle) < share else (low, middle)
    return (low + high) / 2
