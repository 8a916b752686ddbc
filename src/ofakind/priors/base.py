"""What a candidate graph is made from, and what all of that can do: propose pairs, and describe any pairs."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, Ints
from ofakind.pairs import Pairs

JUDGE = "judge"
KINDS = ("text", "vectors", "scores", JUDGE)


class Prepared(NamedTuple):
    """A source at work: the pairs that it proposes, and the function that describes any pairs, (m, d)."""

    pairs: Pairs
    describe: Callable[[Pairs], Floats]


class FeatureSource(Protocol):
    """What the features of pairs are computed from: records, vectors, given scores, or what was saved."""

    @property
    def n(self) -> int:
        """Number of objects."""

    @property
    def kind(self) -> str:
        """One of `KINDS`, or several, joined by a plus."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its features, the constant not among them."""

    def prepared(self) -> Prepared:
        """Find its pairs, and get ready to describe these and others."""

    def extended(self, more: Any) -> Self:
        """Return the source with more objects behind its own."""


def sorted_pairs(u: ArrayLike, v: ArrayLike, n: int) -> Pairs:
    """Distinct pairs in canonical order; objects paired with themselves, and below 0, are left out.

    >>> sorted_pairs([3, 1, 1, 2, 0], [1, 3, -1, 2, 2], n=4)
    Pairs(2: (0, 2), (1, 3))
    """
    a, b = np.asarray(u, np.int64), np.asarray(v, np.int64)
    low, high = np.minimum(a, b), np.maximum(a, b)
    kept = (low >= 0) & (low < high)
    keys = np.sort(low[kept] * n + high[kept])  # and not np.unique, whose table takes five times as long
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return Pairs.trusted(keys // max(n, 1), keys % max(n, 1))


def union(n: int, *graphs: Pairs) -> Pairs:
    """All pairs of some graphs, once each, in canonical order."""
    return sorted_pairs(
        np.concatenate([np.empty(0, np.int64), *(graph.u for graph in graphs)]),
        np.concatenate([np.empty(0, np.int64), *(graph.v for graph in graphs)]),
        n,
    )


def positions(pairs: Pairs, others: Pairs, n: int) -> Ints:
    """Where each of the others stands among pairs in canonical order; -1 where it does not."""
    keys, wanted = pairs.u * n + pairs.v, others.u * n + others.v
    if not len(keys):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)
