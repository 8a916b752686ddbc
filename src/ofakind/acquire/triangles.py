"""maxmin and maxexp: ask the weakest pair of a triangle whose answers contradict each other.

A triangle is bad when exactly two of its three similarities are positive (one that was never asked counts
as not positive): "of a kind" is then not transitive. Whatever the clustering, a bad triangle that was asked
in full has a violating pair: two objects in one cluster with a negative similarity, or in two clusters with
a positive one. So only triangles over violating pairs are looked at.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import Scores, State
from ofakind.acquire.pool import Pool
from ofakind.arrays import Ints, order_of_distinct
from ofakind.checks import real_number, whole_number
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True)
class MaxExp:
    """Ask the weakest pairs of the bad triangles that are expected to cost most.

    A pair's value is the largest expected cost (`expected_triangle_cost`) of a triangle in which it is the
    weakest, and 0 when there is none. A pair that was never asked can have a value: it may be the third
    side of a triangle with two positive ones.

    ``explore`` is the probability, one coin for the whole batch, of asking the least-asked pairs instead.
    ``beta`` says how much the expectation prefers cheap partitions; infinity gives `MaxMin`.
    ``violations`` is how many violating pairs are drawn to look for triangles, all of them if there are
    fewer; None stands for the number of objects, the authors' choice.
    """

    explore: float = 0.3
    beta: float = 1.0
    violations: int | None = None

    def __post_init__(self) -> None:
        real_number("explore", self.explore, least=0, most=1)
        real_number("beta", self.beta, above=0, infinite=True)
        if self.violations is not None:
            whole_number("violations", self.violations, least=0)

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:
        """Score any pairs; 0 for a pair that is the weakest of no triangle looked at. No coin is thrown."""
        known = weakest_pairs(state, self.beta, violations=self.violations, rng=rng)
        return _look_up(known, pairs, state.similarity.n)

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """Open pairs of the largest values above 0, ties at random; all of them if there are fewer.

        If the coin says explore: the least-asked open pairs, drawn uniformly, with minus their number of
        answers for a value. When no pair may be asked twice these are simply the open pairs, and none is
        returned: a batch is filled uniformly anyway.
        """
        if rng.random() < self.explore:
            return _least_asked(state, pool, size=size, rng=rng)
        known = weakest_pairs(state, self.beta, violations=self.violations, rng=rng)
        return _best_open(known, pool, size=size, rng=rng)


@dataclass(frozen=True, slots=True)
class MaxMin:
    """Ask the weakest pairs of the bad triangles whose cheapest partition costs most.

    This is `MaxExp` at infinite beta: a pair's value is its own |S| when it is the weakest of a bad
    triangle, and 0 otherwise. A pair that was never asked has |S| = 0, so when no pair may be asked twice
    nothing has a value above 0 and every batch is uniform. The options are those of `MaxExp`.
    """

    explore: float = 0.3
    violations: int | None = None

    def __post_init__(self) -> None:
        self._as_maxexp()

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:
        """Score any pairs; 0 for a pair that is the weakest of no triangle looked at. No coin is thrown."""
        return self._as_maxexp().score(state, pairs, rng)

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """Choose as `MaxExp.select` does."""
        return self._as_maxexp().select(state, pool, size, rng)

    def _as_maxexp(self) -> MaxExp:
        return MaxExp(self.explore, math.inf, self.violations)


def expected_triangle_cost(a: float, b: float, d: float, beta: float = 1.0) -> float:
    """Return the mean cost of the five partitions of three objects with similarities a, b and d.

    A partition weighs exp(-beta * cost), made to sum to 1. Infinite beta leaves the least cost, which is
    min(|a|, |b|, |d|) for a bad triangle and 0 for any other. The order of the sides does not matter.

    >>> round(expected_triangle_cost(0, 1, 1), 4), expected_triangle_cost(-0.2, 1, 1, math.inf)
    (0.6365, 0.2)
    """
    from ofakind.kernels.graph.triangles import expected_cost

    a, b, d = (real_number(name, side) for name, side in (("a", a), ("b", b), ("d", d)))
    return float(expected_cost(a, b, d, real_number("beta", beta, least=0, infinite=True)))


def violating_slots(similarity: Similarity, clustering: Clustering) -> tuple[Ints, Ints]:
    """Return row and CSR slot of each asked pair that the clustering contradicts, once each. O(answers)."""
    labels = clustering.labels
    rows = np.repeat(np.arange(similarity.n), np.diff(similarity.indptr))
    same = labels[rows] == labels[similarity.indices]
    contradicted = np.where(same, similarity.values < 0, similarity.values > 0)
    slots = np.flatnonzero(contradicted & (similarity.indices > rows))
    return rows[slots], slots


def weakest_pairs(state: State, beta: float, *, violations: int | None, rng: Generator) -> Scores:
    """Weakest pair of each bad triangle over the violating pairs drawn, with its largest expected cost.

    Equally weak sides are chosen between evenly, for each triangle anew. Time and memory grow with
    n, the answers, and the answers about the objects of the pairs drawn; nothing grows with n squared.
    """
    from ofakind.kernels.graph.triangles import largest_per_pair, weakest_sides

    similarity = state.similarity
    rows, slots = violating_slots(similarity, state.clustering)
    limit = similarity.n if violations is None else violations
    if len(slots) > limit:
        drawn = np.sort(rng.choice(len(slots), size=limit, replace=False, shuffle=False))
        rows, slots = rows[drawn], slots[drawn]
    csr = similarity.indptr, similarity.indices, similarity.values
    dice = rng.integers(6, size=len(slots)), rng.integers(6, size=similarity.n)
    u, v, values = largest_per_pair(similarity.n, *weakest_sides(csr, rows, slots, dice, float(beta)))
    return Scores(Pairs.trusted(u, v), values)


def _look_up(known: Scores, pairs: Pairs, n: int) -> Scores:
    """Give each pair its value among the known ones, 0 when it is not there."""
    if not len(known.pairs):
        return Scores(pairs, np.zeros(len(pairs)))
    ranks, wanted = known.pairs.ranks(n), pairs.ranks(n)
    order = order_of_distinct(ranks)
    at = order[np.minimum(np.searchsorted(ranks, wanted, sorter=order), len(order) - 1)]
    return Scores(pairs, np.where(ranks[at] == wanted, known.values[at], 0.0))


def _best_open(scores: Scores, pool: Pool, *, size: int, rng: Generator) -> Scores:
    """Keep the ``size`` open pairs with the largest values above 0, ties at random, best first."""
    worth = np.flatnonzero((scores.values > 0) & pool.is_open(scores.pairs.u, scores.pairs.v))
    order = np.lexsort((rng.random(len(worth)), -scores.values[worth]))
    best = worth[order[:size]]
    return Scores(scores.pairs.take(best), scores.values[best])


def _least_asked(state: State, pool: Pool, *, size: int, rng: Generator) -> Scores:
    """Draw open pairs uniformly among the least asked (`MaxExp.select` says what is returned)."""
    if pool.repeats == 1:
        return Scores(Pairs.empty(), np.empty(0))
    asked = state.similarity.pairs()
    fresh = pool.draw(size, rng, exclude=asked)
    again = asked.take(pool.is_open(asked.u, asked.v))
    counts = state.similarity.count(again.u, again.v)
    order = np.lexsort((rng.random(len(again)), counts))[: size - len(fresh)]
    again, counts = again.take(order), counts[order]
    pairs = Pairs.trusted(np.r_[fresh.u, again.u], np.r_[fresh.v, again.v])
    return Scores(pairs, np.r_[np.zeros(len(fresh)), -counts.astype(np.float64)])
