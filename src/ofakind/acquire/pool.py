"""Which pairs may be asked now: not asked too often, not out with somebody, not ruled out, not pinned."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.arrays import Ints, Mask
from ofakind.checks import as_known_endpoints, refuse_strange_pairs, whole_number
from ofakind.errors import TooLargeError
from ofakind.pairs import Pairs, count_pairs, rank, unrank
from ofakind.pins import Pins
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True)
class PoolRules:
    """Tuned numbers of the open pairs, chosen by judgement."""

    list_limit: int = 4_000_000  # open pairs, at most, that are listed: some 40 bytes each, for a moment
    scarce: int = 4  # pairs are listed before some are drawn if fewer than one in so many are left,
    plenty: int = 2  # or if not so many are left for each one that is wanted
    surplus: int = 2  # ranks that are drawn for each pair that is missing,
    surplus_more: int = 16  # and so many more


POOL = PoolRules()


@dataclass(frozen=True, eq=False)
class Pool:
    """The open pairs: those that may be asked now.

    A pair is open when it has fewer than ``repeats`` answers, is not ``pending`` (out with somebody) and, if
    ``allowed`` is given, is one of those, unless ``pins`` decide it. The open pairs can be counted, tested
    and drawn without listing them; `listable` says whether there are few enough (``list_limit``) to list them
    all. With ``allowed`` all work is done on that list, however many objects there are.

    >>> pool = Pool(Similarity.from_pairs(4, [0], [1], [1.0]), pending=Pairs.of([3], [2]))
    >>> pool.size, list(pool.list())
    (4, [(0, 2), (0, 3), (1, 2), (1, 3)])
    """

    similarity: Similarity
    pending: Pairs
    allowed: Pairs | None = None
    repeats: int = 1
    list_limit: int = POOL.list_limit
    pins: Pins | None = None

    def __post_init__(self) -> None:
        whole_number("repeats", self.repeats, least=1)
        whole_number("list_limit", self.list_limit, least=0)
        for name, pairs in (("pending", self.pending), ("allowed", self.allowed)):
            if pairs is not None and pairs.v.max(initial=0) >= max(self.similarity.n, 1):
                refuse_strange_pairs(pairs.u, pairs.v, self.similarity.n, what=f"{name} pair")

    @classmethod
    def everything(cls, n: int, list_limit: int = POOL.list_limit) -> Self:
        """Return the pool in which every pair of n objects is open."""
        nothing = np.empty(0, np.int64)
        blank = Similarity.from_pairs(n, nothing, nothing, nothing)
        return cls(blank, pending=Pairs.empty(), list_limit=list_limit)

    @cached_property
    def size(self) -> int:
        """Number of open pairs. O(pending); with repeats or pins O(answers), with ``allowed`` O(those)."""
        if self.allowed is not None:
            return int(np.count_nonzero(self._free(self.allowed.u, self.allowed.v)))
        similarity = self.similarity
        if self.pins is not None:
            closed = np.union1d(self._answered().ranks(similarity.n), self.pending.ranks(similarity.n))
            decided = self.pins.implied(*unrank(closed, similarity.n)) != 0
            return count_pairs(similarity.n) - self.pins.n_implied - int(np.count_nonzero(~decided))
        answered = similarity.n_pairs
        if self.repeats > 1:
            answered = int(np.count_nonzero(similarity.counts >= self.repeats)) // 2
        unanswered = similarity.counts_of(self.pending.u, self.pending.v) < self.repeats
        return count_pairs(similarity.n) - answered - int(np.count_nonzero(unanswered))

    @property
    def listable(self) -> bool:
        """Whether listing the open pairs is cheap: they are restricted, or at most ``list_limit``."""
        return self.allowed is not None or self.size <= self.list_limit

    def is_open(self, u: ArrayLike, v: ArrayLike) -> Mask:
        """Tell for each pair, endpoints in either order, whether it is open."""
        low, high = np.minimum(u, v), np.maximum(u, v)
        whole = low.dtype == np.int64 and low.ndim == 1
        if not whole or low.min(initial=0) < 0 or high.max(initial=-1) >= self.similarity.n:
            first, second = as_known_endpoints(u, v, self.similarity.n)  # or says what is wrong
            low, high = np.minimum(first, second), np.maximum(first, second)
        open_now: Mask = self._free(low, high) & (low != high)
        if self.allowed is not None:
            return open_now & _among(low, high, self.allowed, self.similarity.n)
        return open_now

    def ranks(self) -> Ints:
        """Ranks of the open pairs, ascending. O(pairs that pins leave) bytes, or O(allowed) if restricted."""
        n = self.similarity.n
        if self.allowed is not None:
            return np.sort(self.allowed.take(self._free(self.allowed.u, self.allowed.v)).ranks(n))
        asked, pending, pins = self._answered().ranks(n), self.pending.ranks(n), self.pins
        if pins is not None and POOL.plenty * pins.n_implied > count_pairs(n):
            return np.setdiff1d(pins.undecided_ranks(), np.concatenate([asked, pending]))
        open_now = np.ones(count_pairs(n), np.bool_)
        open_now[asked] = False
        open_now[pending] = False
        if pins is not None:
            open_now[pins.implied_ranks()] = False
        return np.flatnonzero(open_now)

    def list(self) -> Pairs:
        """Return the open pairs in order of their rank.

        Raises:
            TooLargeError: more than ``list_limit`` pairs are open; draw some of them instead.
        """
        if not self.listable:
            raise TooLargeError(
                f"{self.size} pairs are open, list_limit is {self.list_limit}; use draw or raise it"
            )
        return Pairs.from_ranks(self.ranks(), self.similarity.n)

    def draw(self, size: int, rng: Generator, exclude: Pairs | None = None) -> Pairs:
        """Draw ``size`` distinct open pairs uniformly, none from ``exclude``; all there are when fewer.

        O(size + exclude) while most pairs are open. When few are left, or most are wanted, they are listed,
        which then costs no more than the answers, ``exclude`` or the result already do.
        """
        n = self.similarity.n
        taken = Pairs.empty() if exclude is None else exclude
        left = self.size - int(np.count_nonzero(self.is_open(taken.u, taken.v)))
        undecided = count_pairs(n) - (0 if self.pins is None else self.pins.n_implied)
        scarce = POOL.scarce * left < undecided or POOL.plenty * size > left
        if self.allowed is None and not scarce:
            return Pairs.from_ranks(self._draw_by_rejection(size, rng, taken), n)
        ranks = np.setdiff1d(self.ranks(), taken.ranks(n), assume_unique=True)
        return Pairs.from_ranks(rng.choice(ranks, min(size, left), replace=False), n)

    def _draw_by_rejection(self, size: int, rng: Generator, taken: Pairs) -> Ints:
        n = self.similarity.n
        found = np.empty(0, np.int64)
        while len(found) < size:
            count = POOL.surplus * (size - len(found)) + POOL.surplus_more
            if self.pins is not None:  # what pins decide is drawn too, and in vain
                count = count * count_pairs(n) // (count_pairs(n) - self.pins.n_implied)
            ranks = rng.integers(count_pairs(n), size=count)
            u, v = unrank(ranks, n)
            new = ranks[self.is_open(u, v) & ~_among(u, v, taken, n)]
            found = np.concatenate([found, new])
            found = found[first_rows(found)]
        return found[:size]

    def _free(self, u: Ints, v: Ints) -> Mask:
        """Tell which pairs u < v are not answered often enough, pending or pinned, whether allowed or not."""
        few_answers = self.similarity.counts_of(u, v) < self.repeats
        free = few_answers & ~_among(u, v, self.pending, self.similarity.n)
        return free if self.pins is None else free & (self.pins.implied(u, v) == 0)

    def _answered(self) -> Pairs:
        """Return the pairs that were answered often enough."""
        asked = self.similarity.pairs()
        if self.repeats > 1:
            asked = asked.take(self.similarity.counts_of(asked.u, asked.v) >= self.repeats)
        return asked


def first_rows(ranks: Ints) -> Ints:
    """Positions, ascending, at which a rank stands for the first time. O(m log m)."""
    return np.sort(np.unique(ranks, return_index=True)[1])


def _among(u: Ints, v: Ints, others: Pairs, n: int) -> Mask:
    if not others.u.size:
        return np.zeros(len(u), np.bool_)
    wanted, known = rank(u, v, n), np.sort(others.ranks(n))  # to sort the others alone takes less than isin
    return np.asarray(known[np.minimum(np.searchsorted(known, wanted), len(known) - 1)] == wanted)
