"""Shortlist: the best of many candidates, and a batch chosen from them that does not repeat itself."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import State
from ofakind.acquire.information.known import Familiarity
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats, Ints, Mask, largest, order_of_distinct
from ofakind.kernels import portable
from ofakind.pairs import Pairs


@dataclass(frozen=True, slots=True)
class ShortlistRules:
    """Tuned numbers of the batch; the last from runs (docs/results/attempts.md), the others by judgement."""

    per_question: int = 60  # candidates that are kept for each question;
    most: int = 6_000_000  # fewer beyond so many in all,
    fewest: int = 10  # but at least so many for each
    looked_at: int = 4  # so many times as many, the best ones, are looked at first, whether they are open
    doubtful: float = 0.1  # objects less known than this are in doubt: a question about one is about it alone
    same_object: float = 0.5  # each question about an object leaves so much of the worth of others about it


SHORTLIST = ShortlistRules()
NOTHING = Pairs.empty()


@dataclass(frozen=True, slots=True, eq=False)
class Shortlist:
    """Candidate pairs ``u < v`` and how much each is worth; a pair may stand there twice."""

    u: Ints
    v: Ints
    worth: Floats

    @classmethod
    def empty(cls) -> Self:
        """No candidates."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))

    def take(self, rows: Ints | Mask) -> Self:
        """Keep the candidates at these positions, in that order."""
        return type(self)(self.u[rows], self.v[rows], self.worth[rows])

    @classmethod
    def joined(cls, parts: Sequence["Shortlist"]) -> Self:
        """Put the candidates of some lists, one after another, into one."""
        columns = zip(*((part.u, part.v, part.worth) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))

    def best(self, count: int) -> Self:
        """Keep so many candidates of highest worth, of equal ones the first; in any order. O(m)."""
        if len(self.u) <= count:
            return self
        return self.take(largest(self.worth, count))

    def distinct(self, n: int, rng: Generator) -> Self:
        """Keep each pair once, with its highest worth, in no particular order. O(m log m)."""
        if not len(self.u):
            return self
        # Times an odd number, modulo 2^64: pairs stay distinct, and their order forgets that of the objects.
        odd = 2 * rng.integers(2**63, dtype=np.uint64) + np.uint64(1)
        key = (self.u * n + self.v).astype(np.uint64) * odd
        order = order_of_distinct(key)  # equal ones are one pair, whichever comes first
        first = np.flatnonzero(np.r_[True, np.diff(key[order]) != 0])
        rows = order[first]
        return type(self)(self.u[rows], self.v[rows], np.maximum.reduceat(self.worth[order], first))


def shortlist(parts: Iterable[Shortlist], pool: Pool, size: int, rng: Generator) -> Shortlist:
    """The best open pairs of all parts, each once and in no order: 60 for each of ``size``, mostly.

    Memory: O(size), and one part at a time.
    """
    limit, kept, least = most_candidates(size), [Shortlist.empty()], 0.0
    for part in parts:
        kept.append(_best_open(part.take(part.worth > least), pool, limit))
        if sum(len(some.u) for some in kept) > 2 * limit:
            kept = [Shortlist.joined(kept).best(limit)]
            least = float(kept[0].worth.min())
    return Shortlist.joined(kept).best(limit).distinct(pool.similarity.n, rng)


def _best_open(part: Shortlist, pool: Pool, count: int) -> Shortlist:
    """Keep the open candidates, or at least ``count`` of them that no other one is worth more than."""
    best = part.best(SHORTLIST.looked_at * count)
    found = best.take(pool.is_open(best.u, best.v))
    if len(found.u) >= count or len(best.u) == len(part.u):
        return found
    return part.take(pool.is_open(part.u, part.v))


def most_candidates(size: int) -> int:
    """Return how many candidates are kept for a batch of this size.

    >>> [most_candidates(size) for size in (100, 100_000, 1_000_000)]
    [6000, 6000000, 10000000]
    """
    return min(SHORTLIST.per_question * size, max(SHORTLIST.most, SHORTLIST.fewest * size))


def without_repetition(
    best: Shortlist,
    known: Familiarity,
    state: State,
    size: int,
    *,
    useless: float,
    pending: Pairs = NOTHING,
) -> Shortlist:
    """Choose a batch: one after another the pair of highest worth, discounted by what was chosen before.

    Pending pairs were chosen before all others. It holds the discounted worths, each at most 2.3 % above the
    one before.

    A question is about its less-known object, if that is in doubt: then another one about the same object
    and the same cluster keeps only the share ``useless`` of its worth (as likely did the first answer tell
    nothing), and every other one about the object half. Otherwise it is a question between two clusters, and
    another one between these keeps the share ``useless``. Fewer than ``size`` pairs come when no other is
    worth a ten-thousandth of the best. O(m).
    """
    from ofakind.kernels.search.batch import greedy

    if not len(best.u):
        return best
    group, owner = _topics(best.u, best.v, known, state)
    loss = portable.log(best.worth.max()) - portable.log(best.worth)
    costs = (-portable.log(useless), -portable.log(SHORTLIST.same_object))
    if len(pending):
        groups, owners = _topics(pending.u, pending.v, known, state)
        loss += costs[0] * _times(group, groups) + costs[1] * _times(owner, owners[owners >= 0])
    least = loss.min()
    rows, lost = greedy(loss - least, group, owner, costs, size)
    return Shortlist(best.u[rows], best.v[rows], best.worth.max() * portable.exp(-least - lost))


def _topics(u: Ints, v: Ints, known: Familiarity, state: State) -> tuple[Ints, Ints]:
    """What each question is about: an object in doubt, or -1, and a cluster; or else two clusters."""
    labels, k, n = state.clustering.labels, state.clustering.k, state.similarity.n
    swap = known.unknown[v] > known.unknown[u]
    about, other = np.where(swap, v, u), np.where(swap, u, v)
    doubtful = known.unknown[about] >= SHORTLIST.doubtful
    a, b = labels[about], labels[other]
    group = np.where(doubtful, about * k + b, (n + np.minimum(a, b)) * k + np.maximum(a, b))
    return np.asarray(group), np.where(doubtful, about, -1)


def _times(keys: Ints, others: Ints) -> Ints:
    """How often each key stands among the others. O((m + others) log others)."""
    ordered = np.sort(others)
    return np.searchsorted(ordered, keys, side="right") - np.searchsorted(ordered, keys)
