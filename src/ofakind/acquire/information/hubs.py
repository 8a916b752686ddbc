"""The start: some hubs, compared with each other and with everybody, before any cluster is known."""

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.random import Generator

from ofakind.acquire.information.known import FAMILIARITY, Familiarity
from ofakind.acquire.pool import Pool
from ofakind.arrays import Ints, nth
from ofakind.pairs import Pairs


@dataclass(frozen=True, slots=True)
class HubRules:
    """Tuned numbers of the start; docs/results/attempts.md has what it gives. Chosen by judgement."""

    share: float = 0.3  # of the first batch goes to questions among the hubs
    fewest: int = 3  # hubs; a batch that has room for fewer needs no such start
    founded: float = 0.5  # answers of each hub, by their number, from which on it is too late for a start
    unknown: float = 0.5  # mean unknownness below which more is known of the clusters than a start could tell


HUBS = HubRules()


def hub_questions(known: Familiarity, pool: Pool, size: int, rng: Generator) -> Pairs:
    """Choose a first batch that founds many clusters at once; none when something is known already.

    While nothing is known, no question tells more than another, and a large batch would all be put to the
    one cluster that happens to show. So the objects with most answers, as many as `count_hubs` says, are
    compared with each other, and each of the others in turn with one of them. It is too late for that when
    so many objects have half as many answers each, or most of what can be known is. O(n + size log size).

    >>> nothing = Familiarity(np.ones(100), np.ones(100))
    >>> batch = hub_questions(nothing, Pool.everything(100), 150, np.random.default_rng(0))
    >>> asked = np.bincount(np.concatenate([batch.u, batch.v]))
    >>> count_hubs(150), int(sum(asked >= 10)), int(sum(asked <= 2))
    (10, 10, 90)
    """
    n, wanted = pool.similarity.n, count_hubs(size)
    answers = np.diff(pool.similarity.indptr)
    if not HUBS.fewest <= wanted <= n:
        return Pairs.empty()
    if nth(answers, n - wanted) >= HUBS.founded * wanted:
        return Pairs.empty()
    if known.unknown.mean() < HUBS.unknown:
        return Pairs.empty()
    busiest = np.lexsort((rng.random(n), -answers))
    hubs, others = busiest[:wanted], rng.permutation(busiest[wanted:])
    first, second = np.triu_indices(wanted, 1)
    left = np.arange(size - len(first)) if len(others) else np.empty(0, np.int64)
    u = np.concatenate([hubs[first], np.resize(others, len(left))])
    v = np.concatenate([hubs[second], hubs[left % wanted]])
    return _open_once(pool, np.minimum(u, v), np.maximum(u, v))


def count_hubs(size: int) -> int:
    """Count the objects whose pairs fill 30 % of a batch of this size, at most as many as landmarks.

    >>> [count_hubs(size) for size in (10, 100, 1000, 100_000)]
    [3, 8, 25, 64]
    """
    return min(FAMILIARITY.landmarks, (1 + isqrt(1 + int(8 * HUBS.share * size))) // 2)


def _open_once(pool: Pool, u: Ints, v: Ints) -> Pairs:
    """The open ones of these pairs, each once, in their order."""
    kept = np.flatnonzero(pool.is_open(u, v))
    _, first = np.unique(u[kept] * pool.similarity.n + v[kept], return_index=True)
    kept = kept[np.sort(first)]
    return Pairs.trusted(u[kept], v[kept])
