"""Super-instances: groups of objects that stand in for their members, and how k-means splits them."""

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, Ints, read_only
from ofakind.checks import as_features
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable


@dataclass(frozen=True, slots=True)
class SplitRules:
    """How a group is split; chosen by judgement."""

    few: int = 7  # members: for so many, trying all partitions (at most 350) beats any search for a good one


SPLIT = SplitRules()


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """A checked row of numbers for each object, and which rows are identical.

    >>> Features.of([[0, 1], [2, 3], [0, 1]], n=3).kinds.tolist()
    [0, 1, 0]
    """

    rows: Floats  # (n, d)
    kinds: Ints  # (n,) equal numbers for identical rows

    @classmethod
    def of(cls, given: ArrayLike | None, n: int) -> Self:
        """Check features once, for the whole run."""
        if given is None:
            raise InvalidInputError("features are missing; COBRAS splits by features; pass features=X")
        rows = read_only(as_features(given, n))
        return cls(rows, np.unique(rows, axis=0, return_inverse=True)[1])


@dataclass(slots=True, eq=False)
class SuperInstance:
    """A group of objects that is asked about through one of them.

    ``representative`` is the member closest to the ``centroid``, the first one on ties. ``tried`` is set once
    k-means could not split the group.
    """

    members: Ints
    centroid: Floats
    representative: int
    tried: bool = False

    @classmethod
    def of(cls, members: Ints, features: Features) -> Self:
        """Make the super-instance of these objects, at least one."""
        rows = features.rows[members]
        centroid = rows.mean(axis=0)
        closest = ((rows - centroid) ** 2).sum(axis=1).argmin()
        return cls(members, centroid, int(members[closest]))

    def __len__(self) -> int:
        return len(self.members)


SuperClusters = list[list[SuperInstance]]


def one_cluster(features: Features) -> SuperClusters:
    """All objects in one super-instance, in one cluster; no cluster without objects."""
    n = len(features.rows)
    return [[SuperInstance.of(np.arange(n), features)]] if n else []


def labels_of(clusters: SuperClusters, n: int) -> Ints:
    """Label each of the n objects with the position of its cluster."""
    labels = np.empty(n, np.int64)
    for label, cluster in enumerate(clusters):
        labels[np.concatenate([instance.members for instance in cluster])] = label
    return labels


def largest(clusters: SuperClusters) -> SuperInstance | None:
    """Find the super-instance to split next: most members, the first on ties; None when none is left."""
    splittable = (s for cluster in clusters for s in cluster if len(s) > 1 and not s.tried)
    return max(splittable, key=len, default=None)


def split(
    instance: SuperInstance, k: int, *, features: Features, rng: Generator, n_init: int = 10
) -> list[SuperInstance]:
    """Split a super-instance by k-means into at most k parts, none of them empty.

    Identical rows always stay together, so a group of them comes back as one part: features cannot tell them
    apart, even where the answers would. With no more than k distinct rows each becomes a part, and among a
    few members the best of all partitions is found; else it is scikit-learn's k-means, the best of ``n_init``
    starts seeded from ``rng``.

    >>> features = Features.of([[0.0], [0.1], [5.0], [5.0]], n=4)
    >>> everything = SuperInstance.of(np.arange(4), features)
    >>> parts = split(everything, 2, features=features, rng=np.random.default_rng(0))
    >>> [part.members.tolist() for part in parts]
    [[0, 1], [2, 3]]
    """
    rows = features.rows[instance.members]
    distinct, kinds = np.unique(features.kinds[instance.members], return_inverse=True)
    if len(distinct) <= k:
        label = kinds
    elif len(instance) <= SPLIT.few:
        label = _best_partition(rows, k)
    else:
        label = _k_means(rows, k, n_init=n_init, seed=int(rng.integers(2**31)))
    return [SuperInstance.of(instance.members[label == part], features) for part in np.unique(label)]


def _best_partition(rows: Floats, k: int) -> Ints:
    """Labels of the partition into k parts with the least squared distance to the centroids."""
    centred = rows - rows.mean(axis=0)
    labels, parts = _partitions(len(rows), k)
    # What is least then is |x|^2 summed over the rows minus |sum of x|^2 / size summed over the parts.
    explained = (
        portable.matmul(parts.reshape(-1, len(rows)), portable.gram(centred.T)).reshape(parts.shape) * parts
    ).sum(axis=2) / parts.sum(axis=2)  # (partitions, k)
    best: Ints = labels[explained.sum(axis=1).argmax()]
    return best


@cache
def _partitions(m: int, k: int) -> tuple[Ints, Floats]:
    """All partitions of m things into exactly k parts: labels (partitions, m), and who is in which part."""
    grown: list[tuple[int, ...]] = [(0,)]
    for _ in range(m - 1):
        grown = [(*labels, new) for labels in grown for new in range(min(max(labels) + 2, k))]
    every = np.array([labels for labels in grown if max(labels) == k - 1])
    return every, (every[:, None, :] == np.arange(k)[:, None]).astype(np.float64)  # (partitions, k, m)


def _k_means(rows: Floats, k: int, *, n_init: int, seed: int) -> Ints:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    # Rows that differ by little more than rounding can end in one part although more parts were wanted; that
    # is fine here, and no reason to warn. One thread gives the same parts on every machine; threads that wait
    # for each other are many times slower on sets of this size.
    with warnings.catch_warnings(), _threads().limit(limits=1, user_api="openmp"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: Ints = KMeans(k, n_init=n_init, random_state=seed).fit_predict(rows)
    return labels


@cache
def _threads() -> Any:
    """Return the handle on scikit-learn's threads; to look for them takes a while, so it is done once."""
    from threadpoolctl import ThreadpoolController  # scikit-learn brings it

    return ThreadpoolController()
