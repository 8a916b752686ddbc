"""What is believed of a partition before any answer: a prior for few large clusters and many small ones.

    p(c | alpha, a) = alpha^K prod_k Gamma(n_k)^a / Z(alpha, a)

With a = 1 it is the Chinese restaurant process, in which large clusters grow; with a = 0 and alpha = 1 every
partition is equally probable, most of them into many small clusters. Alpha is learned: a grid of it is part
of what is sampled.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ofakind.pairs import read_only

Floats = NDArray[np.float64]
N_ALPHAS, SMALLEST_ALPHA = 24, 0.3
SMALL = 100


def log_normaliser(n: int, alphas: Floats, exponent: float) -> Floats:
    """Return log Z of partitions of n objects, for each alpha: their total weight before normalising.

    Exact for a = 1 (a rising factorial) and up to SMALL objects. Else Z is n! times the coefficient of x^n
    in exp(alpha A(x)), A(x) = sum_m Gamma(m)^a / m! x^m, and comes from a saddle point: its relative error
    is about 1 / n.
    """
    from scipy.special import gammaln

    if exponent == 1.0:
        return np.asarray(gammaln(alphas + n) - gammaln(alphas))
    if n <= SMALL:
        return _exact(n, alphas, exponent)
    sizes = np.arange(1, n + 1)
    terms = exponent * gammaln(sizes) - gammaln(sizes + 1)
    logs = [_saddle(n, np.log(alpha) + terms, sizes) for alpha in alphas]
    return np.asarray(np.array(logs) + gammaln(n + 1))


def _exact(n: int, alphas: Floats, exponent: float) -> Floats:
    """Sum over the size m of one object's cluster: Z_n = sum_m C(n-1, m-1) alpha Gamma(m)^a Z_{n-m}."""
    from scipy.special import gammaln, logsumexp

    logs = np.zeros((n + 1, len(alphas)))
    for size in range(1, n + 1):
        m = np.arange(1, size + 1)
        choices = gammaln(size) - gammaln(m) - gammaln(size - m + 1) + exponent * gammaln(m)
        logs[size] = np.log(alphas) + logsumexp(choices[:, None] + logs[size - m], axis=0)
    return np.asarray(logs[n])


def _saddle(n: int, terms: Floats, sizes: NDArray[np.int64]) -> float:
    """Log of the coefficient of x^n in exp(sum_m e^{terms_m} x^m), by the saddle point in y = log x."""
    low, high = -50.0, 50.0 + np.log(n)
    for _ in range(60):  # the y at which the expected number of objects is n
        y = (low + high) / 2
        low, high = (y, high) if _total(terms + y * sizes, sizes) < n else (low, y)
    logs = terms + y * sizes
    count, spread = np.exp(logs).sum(), (np.exp(logs) * sizes**2).sum()
    return float(count - n * y - 0.5 * np.log(2 * np.pi * spread))


def _total(logs: Floats, sizes: NDArray[np.int64]) -> float:
    return np.inf if logs.max() > 700 else float((np.exp(logs) * sizes).sum())


@lru_cache(maxsize=4)
def prior_grid(n: int, exponent: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return log weights, log alphas, powers m^a and factors a log Gamma(m) for n objects (`kernels.Prior`).

    The alphas go from 0.3 to n (at least 100) on a logarithmic scale, with a prior density of exp(-alpha).
    """
    from scipy.special import gammaln

    alphas = np.geomspace(SMALLEST_ALPHA, max(100.0, float(n)), N_ALPHAS)
    weights = np.log(alphas) - alphas - log_normaliser(n, alphas, exponent)
    sizes = np.arange(n + 1.0)
    powers = np.where(sizes > 0, np.maximum(sizes, 1) ** exponent, 0.0)
    factors = exponent * gammaln(np.maximum(sizes, 1))
    return read_only(weights), read_only(np.log(alphas)), read_only(powers), read_only(factors)
