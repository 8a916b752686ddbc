"""Which objects of a set are used: the draws of the paper, and splits for training."""

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Floats, Ints
from ofakind.checks import real_number
from ofakind.datasets.base import Dataset
from ofakind.errors import InvalidInputError


def bootstrap(n: int, size: int, *, seed: int) -> Ints:
    """Draw ``size`` of n objects with replacement, as the paper's authors did (NumPy's legacy generator)."""
    return np.random.RandomState(seed).choice(n, size).astype(np.int64)


def stratified(labels: Ints, sizes: tuple[int, ...], *, seed: int) -> Ints:
    """Positions of exactly ``sizes[c]`` distinct objects of each class c, in ascending order.

    >>> stratified(np.array([0, 0, 0, 1, 1]), (1, 2), seed=0).tolist()
    [2, 3, 4]
    """
    rng = np.random.default_rng(seed)
    members = (np.flatnonzero(labels == number) for number in range(len(sizes)))
    drawn = [rng.choice(m, size, replace=False) for m, size in zip(members, sizes, strict=True)]
    return np.sort(np.concatenate(drawn))


def split(dataset: Dataset, rng: Generator, *, share: float = 0.5) -> tuple[Ints, Ints]:
    """Two disjoint lists of positions, to train on and to test on; every class is divided by ``share``.

    Objects that are there twice are used once: those drawn twice, and those with equal features, so that
    nothing of the test objects is seen in training. Rounding is to the nearest whole object over all
    classes, by chance where classes tie, so an odd one out (a class of one object) falls on either side.

    >>> rows, truth = np.array([0, 1, 2, 3, 3]), np.array([0, 0, 1, 1, 1])
    >>> d = Dataset(name="d", rows=rows, truth=truth, classes=("a", "b"))
    >>> train, test = split(d, np.random.default_rng(0))
    >>> len(train), len(test), d.take(train).sizes().tolist()
    (2, 2, [1, 1])
    """
    real_number("share", share, above=0, most=1)
    if share == 1:
        raise InvalidInputError("share is 1, which leaves nothing to test on; expected below 1")
    distinct = distinct_positions(dataset)
    shuffled = rng.permutation(distinct)
    labels = dataset.labels[shuffled]
    quota = _rounded(share * np.bincount(labels).astype(np.float64), round(len(distinct) * share), rng)
    train = np.concatenate(
        [shuffled[labels == number][:count] for number, count in enumerate(quota.tolist())] or [shuffled]
    )
    return np.sort(train), np.setdiff1d(distinct, train)


def distinct_positions(dataset: Dataset) -> Ints:
    """Position of the first of all objects that have the same row of the set, or equal features."""
    first = np.unique(dataset.rows, return_index=True)[1]
    if dataset.features is not None:
        first = first[np.unique(dataset.features[first], axis=0, return_index=True)[1]]
    return np.sort(first)


def _rounded(shares: Floats, total: int, rng: Generator) -> Ints:
    """Whole numbers near the shares that sum to the total: largest remainders are rounded up."""
    whole = np.floor(shares).astype(np.int64)
    order = np.lexsort((rng.random(len(shares)), whole - shares))
    whole[order[: total - int(whole.sum())]] += 1
    return whole
