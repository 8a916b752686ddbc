"""A clustering, its two costs and the gain of one move: the paper's definitions, written plainly."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints, Mask, restore_read_only
from ofakind.checks import as_objects, plain_array
from ofakind.errors import InvalidInputError
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """A partition of objects: canonical labels 0..k-1 in order of first appearance, and its cost R_CC.

    >>> c = Clustering.of(Similarity.from_pairs(3, [0, 1], [1, 2], [1.0, -1.0]), [7, 7, 2])
    >>> c.labels.tolist(), c.k, c.cost
    ([0, 0, 1], 2, 0.0)
    """

    labels: Ints
    k: int
    cost: float

    @classmethod
    def of(cls, similarity: Similarity, labels: ArrayLike) -> Self:
        """Canonicalise labels and compute their cost (`cost`)."""
        canonical = renumbered(_checked(similarity, labels))
        canonical.flags.writeable = False
        k = int(canonical.max()) + 1 if len(canonical) else 0
        return cls(canonical, k, _cost(*_asked(similarity, canonical)))

    def sizes(self) -> Ints:
        """Return the number of objects in each cluster."""
        return np.bincount(self.labels, minlength=self.k)

    def __repr__(self) -> str:
        return f"Clustering({len(self.labels)} objects in {self.k} clusters, cost {self.cost:.6g})"

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)


def cost(similarity: Similarity, labels: ArrayLike) -> float:
    """R_CC (eq:cost): summed strength of the asked pairs that the labels contradict; lower is better."""
    return _cost(*_asked(similarity, _checked(similarity, labels)))


def correlation_cost(similarity: Similarity, labels: ArrayLike) -> float:
    """R_MC (eq:maxcorrfn): minus the similarity inside clusters; equals `cost` minus a constant."""
    same, values = _asked(similarity, _checked(similarity, labels))
    return 0.0 - float(values[same].sum())


def move_gain(similarity: Similarity, labels: ArrayLike, item: int, target: int) -> float:
    """By how much either cost falls when one object moves to cluster `target` (an unused label: alone)."""
    given = _checked(similarity, labels)
    if not 0 <= item < similarity.n:
        raise InvalidInputError(
            f"item is {item}; expected one of the {similarity.n} objects, numbered from 0"
        )
    row = slice(similarity.indptr[item], similarity.indptr[item + 1])
    neighbours, values = given[similarity.indices[row]], similarity.values[row]
    return float(values[neighbours == target].sum() - values[neighbours == given[item]].sum())


def canonical_labels(labels: ArrayLike) -> Ints:
    """Labels renumbered 0..k-1 in order of first appearance (the partition stays the same)."""
    return renumbered(as_labels(labels))


def renumbered(labels: NDArray[Any]) -> Ints:
    """Renumber labels as `canonical_labels` does, without checking them."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[inverse]


def adjusted_rand_index(labels: ArrayLike, truth: ArrayLike) -> float:
    """Agreement of two clusterings over pairs: 1 when equal, about 0 when unrelated (ARI).

    >>> adjusted_rand_index([0, 0, 1, 1], [5, 5, 3, 3])
    1.0
    """
    a, b = canonical_labels(labels), canonical_labels(truth)
    if len(a) != len(b):
        raise InvalidInputError(f"got {len(a)} labels and {len(b)} true labels; expected equally many")
    return rand_index(a, b)


def rand_index(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Return the adjusted Rand index of equally many labels, whole numbers from 0 to n each."""
    a, b = a.astype(np.int64), b.astype(np.int64)
    cells = np.unique(a * (len(b) + 1) + b, return_counts=True)[1]
    both = _pairs_within(cells)
    in_a, in_b = _pairs_within(np.bincount(a)), _pairs_within(np.bincount(b))
    expected = in_a * in_b / max(_pairs_within(np.array([len(a)])), 1)
    limit = (in_a + in_b) / 2
    return 1.0 if limit == expected else float((both - expected) / (limit - expected))


def rand_indices(some: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """Return the adjusted Rand index of each partition (a, n) with each other (b, n), labels below n: (a, b).

    >>> rand_indices(np.array([[0, 0, 1, 1]]), np.array([[0, 0, 1, 1], [0, 1, 0, 1]])).round(6).tolist()
    [[1.0, -0.5]]
    """
    from ofakind.kernels.search.consensus import together, within

    n = some.shape[1]
    mass, first, second = np.ones(n, np.int64), some.astype(np.int64), others.astype(np.int64)
    both = together(second, mass, first)
    in_a, in_b = within(first, mass)[:, None], within(second, mass)
    expected, limit = in_a * in_b / max(n * (n - 1) // 2, 1), (in_a + in_b) / 2
    found = np.divide(both - expected, limit - expected, out=np.ones(both.shape), where=limit != expected)
    return np.asarray(found, np.float64)


def _pairs_within(sizes: NDArray[np.int64]) -> float:
    return float((sizes * (sizes - 1) // 2).sum())


def as_labels(labels: ArrayLike, what: str = "labels") -> NDArray[Any]:
    """One-dimensional array of labels: whole numbers, text or truth values."""
    array = plain_array(labels, what)
    if array.dtype.kind == "U" and array.ndim and not isinstance(labels, np.ndarray):
        array = plain_array(np.asarray(labels, object), what)  # NumPy writes a NaN among text as "nan"
    if array.ndim == 1 and array.dtype.kind in "biuU":
        return array
    return as_objects(array, what)


def _checked(similarity: Similarity, labels: ArrayLike) -> NDArray[Any]:
    given = as_labels(labels)
    if len(given) != similarity.n:
        raise InvalidInputError(f"got {len(given)} labels for {similarity.n} objects; expected one each")
    return given


def _cost(same: Mask, values: Floats) -> float:
    return float(np.maximum(-values[same], 0).sum() + np.maximum(values[~same], 0).sum())


def _asked(similarity: Similarity, given: NDArray[Any]) -> tuple[Mask, Floats]:
    """Whether each asked pair is inside a cluster, and its similarity."""
    rows = np.repeat(np.arange(similarity.n), np.diff(similarity.indptr))
    upper = similarity.indices > rows
    return given[rows[upper]] == given[similarity.indices[upper]], similarity.values[upper]
