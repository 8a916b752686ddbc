"""What one similarity says of a pair: how large it is, and how it stands among those of its two objects."""

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.pairs import Pairs

SAME_VALUE = 6  # decimals: similarities that differ less are one value, with one rank


def similarity_names(name: str, hinges: tuple[float, ...]) -> tuple[str, ...]:
    """Names of the columns of `similarity_features`.

    >>> similarity_names("cosine", (0.4,))
    ('cosine', 'cosine above 0.4', 'cosine of best, least', 'cosine of best, most', 'cosine log rank, least', 'cosine log rank, most')
    """  # noqa: E501
    above = (f"{name} above {hinge:g}" for hinge in hinges)
    ends = (f"{name} {what}, {which}" for what in ("of best", "log rank") for which in ("least", "most"))
    return (name, *above, *ends)


def similarity_features(pairs: Pairs, values: Floats, shares: Floats, hinges: tuple[float, ...]) -> Floats:
    """Describe pairs by a similarity: itself, hinges, its share of the best and its rank at each end.

    A hinge at h is what the value has above h. ``shares`` are the similarities as numbers from 0 on, and
    are divided by the largest of each of the two objects: the smaller quotient, the larger one. The best
    pair of an object has rank 1, and equal pairs have the same rank, so that copies do not push others down;
    then the logarithm of the smaller rank, and of the larger.

    >>> pairs = Pairs.of([0, 0, 1], [1, 2, 2])
    >>> cosines = np.array([0.8, 0.4, 0.2])
    >>> similarity_features(pairs, cosines, cosines, (0.5,)).round(2).tolist()
    [[0.8, 0.3, 1.0, 1.0, 0.0, 0.0], [0.4, 0.0, 0.5, 1.0, 0.0, 0.69], [0.2, 0.0, 0.25, 0.5, 0.69, 0.69]]
    """
    above = [np.maximum(values - hinge, 0.0) for hinge in hinges]
    best, ranks = _standing(pairs, shares)
    share = np.divide(shares, best, out=np.zeros_like(best), where=best > 0)  # (2, m)
    log_ranks = portable.log(ranks)
    ends = [share.min(axis=0), share.max(axis=0), log_ranks.min(axis=0), log_ranks.max(axis=0)]
    return np.stack([values, *above, *ends], axis=1)


def _standing(pairs: Pairs, shares: Floats) -> tuple[Floats, Ints]:
    """Largest value among the pairs of each end, and the rank of each pair there: two tables (2, m)."""
    m = len(pairs)
    ends = np.concatenate([pairs.u, pairs.v])
    values = np.tile(np.round(shares, SAME_VALUE), 2)
    order = np.lexsort((-values, ends))
    ends, values = ends[order], values[order]
    first = np.ones(2 * m, np.bool_)
    first[1:] = ends[1:] != ends[:-1]
    lower = first.copy()
    lower[1:] |= values[1:] != values[:-1]
    start = np.maximum.accumulate(np.where(first, np.arange(2 * m), 0))
    steps = np.cumsum(lower)
    ranks, best = np.empty(2 * m, np.int64), np.empty(2 * m)
    ranks[order], best[order] = steps - steps[start] + 1, np.tile(shares, 2)[order][start]
    return best.reshape(2, m), ranks.reshape(2, m)
