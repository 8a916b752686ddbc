"""Asking in order of score: the likeliest pair first, unless earlier answers imply what it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Ints
from ofakind.kernels import portable
from ofakind.priors.start import start_of
from ofakind.rivals.base import BudgetedRival, Given, Questions, checked_graph


@dataclass(frozen=True, slots=True)
class TransitiveJoin(BudgetedRival):
    """Pairs in order of score, with transitivity, by Wang, Li, Kraska, Franklin and Feng (2013).

    The pairs of a candidate graph are gone through from the highest P(same) down, as the shipped start of the
    pair map has it. A pair is asked unless earlier answers imply what it is: objects that a chain of "same"
    joins are the same, and two such groups with a "different" between them are different. What "same" joins
    is a cluster. When the graph is through, the run ends by itself: pairs outside are never asked.

    Every answer above 0 is taken for "same", at its word: one wrong answer joins two groups for good. The
    authors ask many pairs at a time, in parallel; this asks one after another, which takes the fewest.

    Nearly O(1) a pair.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> from ofakind.priors.neighbours import Neighbours
    >>> near = Neighbours.from_records(["Joe's Diner", "Joes Diner", "The Ritz", "Ritz", "Joe Diner"])
    >>> oracle = NoisyOracle([0, 0, 1, 1, 0], gamma=0)
    >>> TransitiveJoin()(5, oracle, budget=10, rng=np.random.default_rng(0), prior=near)
    Outcome(5 objects in 2 clusters, cost 0, 4 answers)
    """

    anytime: ClassVar[bool] = True
    needs_prior: ClassVar[bool] = True

    def _labellings(self, questions: Questions, rng: Generator, given: Given) -> Iterator[Ints]:  # noqa: ARG002
        """Yield the labels after each answer."""
        near = checked_graph(given.prior, questions.n, "TransitiveJoin")
        scores = portable.matmul(near.features, start_of(near).mean)
        groups = KnownGroups(questions.n)
        for row in np.argsort(-scores, kind="stable").tolist():
            u, v = int(near.pairs.u[row]), int(near.pairs.v[row])
            if not groups.implies(u, v):
                groups.tell(u, v, same=bool(questions.ask([u], [v])[0] > 0))
                yield groups.labels()


class KnownGroups:
    """What follows from answers that are all true: groups of objects, and which groups are different.

    >>> groups = KnownGroups(4)
    >>> groups.tell(0, 1, same=True), groups.tell(1, 2, same=False)
    (None, None)
    >>> groups.implies(2, 0), groups.implies(0, 3), groups.labels().tolist()
    (True, False, [0, 0, 2, 3])
    """

    def __init__(self, n: int) -> None:
        self._members = {number: [number] for number in range(n)}
        self._group = np.arange(n)
        self._different: dict[int, set[int]] = {number: set() for number in range(n)}

    def implies(self, u: int, v: int) -> bool:
        """Whether the answers so far say what the pair is."""
        a, b = int(self._group[u]), int(self._group[v])
        return a == b or b in self._different[a]

    def tell(self, u: int, v: int, *, same: bool) -> None:
        """Take in an answer about a pair that is not implied."""
        a, b = int(self._group[u]), int(self._group[v])
        if not same:
            self._different[a].add(b)
            self._different[b].add(a)
            return
        if len(self._members[a]) < len(self._members[b]):
            a, b = b, a
        moved = self._members.pop(b)
        self._members[a] += moved
        self._group[moved] = a
        for other in self._different.pop(b):
            self._different[other].discard(b)
            self._different[other].add(a)
            self._different[a].add(other)

    def labels(self) -> Ints:
        """Return the group of each object, by the number of one of its members."""
        return self._group.copy()
