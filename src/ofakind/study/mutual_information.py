"""The adjusted mutual information of two partitions, also of thousands of small clusters."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable

QUICK_PAIRS = 10_000  # pairs of clusters, for which scikit-learn is quick


def adjusted_mutual_information(labels: Ints, truth: Ints) -> float:
    """Mutual information beyond chance, by the mean of both entropies; 1 for equal partitions.

    It is that of scikit-learn, whose time grows with the number of clusters of one times those of the other.
    Where that is large, here it grows with the number of different sizes, of which small groups have few.

    >>> adjusted_mutual_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    >>> adjusted_mutual_information(np.array([0, 0, 0, 0]), np.array([0, 1, 2, 3]))
    0.0
    """
    (one, a), (two, b) = (np.unique(each, return_inverse=True) for each in (labels, truth))
    if len(one) == len(two) <= 1:
        return 1.0
    if min(len(one), len(two)) == 1:
        return 0.0
    if len(one) * len(two) <= QUICK_PAIRS:
        from sklearn.metrics import adjusted_mutual_info_score

        return float(adjusted_mutual_info_score(b, a))
    sizes = np.bincount(a), np.bincount(b)
    joint = np.unique(a * len(two) + b, return_counts=True)[1]
    entropies = [_entropy(counts) for counts in sizes]
    shared, expected = sum(entropies) - _entropy(joint), _expected(*sizes)
    beyond, most = shared - expected, sum(entropies) / 2 - expected
    least = float(np.finfo(np.float64).eps)  # 0 / 0 where chance gives all there is: a perfect match
    return float(_away_from_0(beyond, least) / _away_from_0(most, least))


def _entropy(counts: Ints) -> float:
    share = counts / counts.sum()
    return float(-(share * portable.log(share)).sum())


def _expected(a: Ints, b: Ints) -> float:
    """Return the mutual information that chance gives partitions with clusters of these sizes."""
    n = int(a.sum())
    factorial: Floats = portable.log_gamma(np.arange(n + 1) + 1.0)  # its logarithm
    total = 0.0
    for (x, times), (y, often) in product(_sizes(a), _sizes(b)):
        k: NDArray[np.int64] = np.arange(max(1, x + y - n), min(x, y) + 1)
        log_chance = factorial[x] + factorial[y] + factorial[n - x] + factorial[n - y] - factorial[n]
        log_chance = (
            log_chance - factorial[k] - factorial[x - k] - factorial[y - k] - factorial[n - x - y + k]
        )
        information = k / n * (portable.log(n) + portable.log(k) - portable.log(x) - portable.log(y))
        total += times * often * float((information * portable.exp(log_chance)).sum())
    return total


def _sizes(counts: Ints) -> list[tuple[int, int]]:
    """Return each size, and how many clusters have it."""
    size, number = np.unique(counts, return_counts=True)
    return list(zip(size.tolist(), number.tolist(), strict=True))


def _away_from_0(value: float, least: float) -> float:
    return min(value, -least) if value < 0 else max(value, least)
