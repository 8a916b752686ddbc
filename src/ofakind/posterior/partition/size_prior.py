"""What is believed of a partition before any answer: a prior for few large clusters and many small ones.

    p(c | alpha, a) = alpha^K prod_k Gamma(n_k)^a / Z(alpha, a)

With a = 1 it is the Chinese restaurant process, in which large clusters grow; with a = 0 and alpha = 1 every
partition is equally probable, most of them into many small clusters. Alpha is learned: a grid of it is part
of what is sampled.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, read_only
from ofakind.kernels import portable
from ofakind.pairs import Pairs

if TYPE_CHECKING:
    from ofakind.kernels.partition.moves import SizeTables


@dataclass(frozen=True, slots=True)
class PriorRules:
    """Tuned numbers of the grid of alphas and of its normaliser, chosen by judgement."""

    alphas: int = 24  # of the grid, on a logarithmic scale,
    smallest: float = 0.3  # from this one
    coarse_up_to: int = 2_000  # objects, for which so few alphas will do
    least_largest: float = 100.0  # the largest alpha is the number of objects, and at least this
    exact_up_to: int = 100  # objects, for which log Z is summed exactly; a saddle point errs by about 1 / n


PRIOR = PriorRules()


class PriorGrid(NamedTuple):
    """A grid of alphas and the tables of sizes, as `kernels.partition.moves.Prior` takes them."""

    log_weights: Floats  # (g,)
    log_alphas: Floats  # (g,)
    powers: Floats  # (n + 1,)
    factors: Floats  # (n + 1,)
    background: float


def log_normaliser(n: int, alphas: Floats, exponent: float) -> Floats:
    """Return log Z of partitions of n objects, for each alpha: their total weight before normalising.

    Exact for a = 1 (a rising factorial) and up to 100 objects. Else Z is n! times the coefficient of x^n
    in exp(alpha A(x)), A(x) = sum_m Gamma(m)^a / m! x^m, and comes from a saddle point: its relative error
    is about 1 / n.
    """
    if exponent == 1.0:
        return np.asarray(portable.log_gamma(alphas + n) - portable.log_gamma(alphas))
    if n <= PRIOR.exact_up_to:
        return _exact(n, alphas, exponent)
    sizes = np.arange(1, n + 1)
    terms = exponent * portable.log_gamma(sizes) - portable.log_gamma(sizes + 1)
    logs = [_saddle(n, portable.log(alpha) + terms, sizes) for alpha in alphas]
    return np.asarray(np.array(logs) + portable.log_gamma(n + 1))


def _exact(n: int, alphas: Floats, exponent: float) -> Floats:
    """Sum over the size m of one object's cluster: Z_n = sum_m C(n-1, m-1) alpha Gamma(m)^a Z_{n-m}."""
    logs = np.zeros((n + 1, len(alphas)))
    for size in range(1, n + 1):
        m = np.arange(1, size + 1)
        choices = (
            portable.log_gamma(size)
            - portable.log_gamma(m)
            - portable.log_gamma(size - m + 1)
            + exponent * portable.log_gamma(m)
        )
        logs[size] = portable.log(alphas) + portable.logsumexp(choices[:, None] + logs[size - m])
    return np.asarray(logs[n])


def _saddle(n: int, terms: Floats, sizes: NDArray[np.int64]) -> float:
    """Log of the coefficient of x^n in exp(sum_m e^{terms_m} x^m), by the saddle point in y = log x."""
    low, high = -50.0, 50.0 + portable.log(n)
    for _ in range(60):  # the y at which the expected number of objects is n
        y = (low + high) / 2
        low, high = (y, high) if _total(terms + y * sizes, sizes) < n else (low, y)
    logs = terms + y * sizes
    count, spread = portable.exp(logs).sum(), (portable.exp(logs) * sizes**2).sum()
    return float(count - n * y - 0.5 * portable.log(2 * np.pi * spread))


def _total(logs: Floats, sizes: NDArray[np.int64]) -> float:
    return np.inf if logs.max() > 700 else float((portable.exp(logs) * sizes).sum())


def sparse_log_normaliser(neighbours: NDArray[np.int64], alphas: Floats) -> Floats:
    """Return log Z, roughly, where only some pairs can be of a kind: ``neighbours`` of each object.

    Put the objects into an order. One after another opens a cluster, with weight alpha, or joins one of those
    before it that it can be with: about alpha + (how many these are). The mean logarithm over all orders is

        log Z ~ sum_i [log Gamma(alpha + d_i + 1) - log Gamma(alpha)] / (d_i + 1)

    for d_i neighbours, which is exact when all objects are neighbours and a = 1, or when none are.

    >>> everybody = sparse_log_normaliser(np.full(9, 8), np.array([2.0]))
    >>> bool(np.isclose(everybody, log_normaliser(9, np.array([2.0]), 1.0)))
    True
    """
    d, count = np.unique(neighbours, return_counts=True)
    each = (portable.log_gamma(np.add.outer(alphas, d + 1.0)) - portable.log_gamma(alphas)[:, None]) / (d + 1)
    return np.asarray(portable.matmul(each, count), np.float64)


@lru_cache(maxsize=4)
def size_tables(n: int, exponent: float, background: float = 0.0) -> "SizeTables":
    """Return powers m^a, factors a log Gamma(m) + b m (m - 1) / 2 for sizes m up to n, and b."""
    from ofakind.kernels.partition.moves import SizeTables

    sizes = np.arange(n + 1.0)
    powers = np.where(sizes > 0, portable.power(np.maximum(sizes, 1), exponent), 0.0)
    factors = exponent * portable.log_gamma(np.maximum(sizes, 1)) + background * sizes * (sizes - 1) / 2
    return SizeTables(read_only(powers), read_only(factors), background)


@lru_cache(maxsize=4)
def prior_grid(n: int, exponent: float, units: int | None = None) -> PriorGrid:
    """Return the grid for n objects, normalised for so many units of them (None: as many).

    The alphas go from 0.3 to n (at least 100) on a logarithmic scale, with a prior density of exp(-alpha).
    There are 24; of more than 2,000 objects so many that each is 1 / sqrt(n) above the one before. Given K
    clusters, alpha is known to about 1 / sqrt(K): in a coarse grid it could not follow a falling K. Only with
    a = 1, for else each alpha would take O(n).
    """
    alphas = _alphas(n, fine=exponent == 1.0)
    weights = portable.log(alphas) - alphas - log_normaliser(n if units is None else units, alphas, exponent)
    return PriorGrid(read_only(weights), read_only(portable.log(alphas)), *size_tables(n, exponent))


def blocked_grid(n: int, exponent: float, candidates: Pairs, units: int | None = None) -> PriorGrid:
    """Return the same where pairs that are no candidates have the log odds `ruled_out`, others 0.

    If there are fewer units than objects, the candidates are pairs of these.
    """
    count = n if units is None else units
    neighbours = np.bincount(np.concatenate([candidates.u, candidates.v]), minlength=count)
    alphas = _alphas(n, fine=True)
    weights = portable.log(alphas) - alphas - sparse_log_normaliser(neighbours, alphas)
    tables = size_tables(n, exponent, ruled_out(n))
    return PriorGrid(read_only(weights), read_only(portable.log(alphas)), *tables)


def ruled_out(n: int) -> float:
    """Log odds of a pair that is ruled out: all of an object's pairs together draw it like one neighbour."""
    return -portable.log(max(n, 2))


def _alphas(n: int, *, fine: bool) -> Floats:
    largest, count = max(PRIOR.least_largest, float(n)), PRIOR.alphas
    if n > PRIOR.coarse_up_to and fine:
        count = int(np.sqrt(n) * portable.log(largest / PRIOR.smallest))
    return portable.geomspace(PRIOR.smallest, largest, count)
