"""QECC: take out one cluster after another, each around a pivot that is compared with all objects left."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Ints, Mask
from ofakind.checks import truth_value
from ofakind.errors import BudgetSpentError
from ofakind.pairs import count_pairs, unrank
from ofakind.rivals.base import BudgetedRival, Given, Questions


@dataclass(frozen=True, slots=True)
class QECC(BudgetedRival):
    """Query-efficient correlation clustering: the adaptive pivot algorithm with a budget.

    A random object is compared with all others left; those answered above 0 are its cluster, and the rest
    goes on the same way. When the budget does not allow the next comparison, the objects left stay alone.
    With Q questions about n objects the expected cost is at most 3 times the optimum plus O(n^3 / Q) when
    answers do not change; noisy answers are believed, each pair being asked about once. O(n) per cluster.

    ``positive_pair=True`` is the authors' heuristic: a cluster begins with a random pair answered 0 or more,
    found by asking one pair after another, and one object of it, either with probability 1/2, is the pivot.
    An answer is used once and forgotten, as in their code. Ours departs from it in two places: the budget
    is never overspent (when it ends a search or does not allow the comparison after it, the objects left
    stay alone); and when every pair of the objects left was answered below 0 they stay alone too, where
    theirs joins the last pair.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> oracle = NoisyOracle(np.arange(30) % 3, gamma=0)
    >>> QECC()(30, oracle, budget=100, rng=np.random.default_rng(0))
    Outcome(30 objects in 3 clusters, cost 0, 57 answers)
    """

    positive_pair: bool = False

    def __post_init__(self) -> None:
        truth_value("positive_pair", self.positive_pair)

    def _labellings(
        self,
        questions: Questions,
        rng: Generator,
        given: Given,  # noqa: ARG002
    ) -> Iterator[Ints]:
        """Yield the labels after each cluster that was taken out; features are not looked at."""
        around = around_a_positive_pair if self.positive_pair else around_an_object
        return one_by_one(questions.n, lambda rest: around(questions, rest, rng))


def one_by_one(n: int, find: Callable[[Ints], Mask]) -> Iterator[Ints]:
    """Take clusters out until at most one object is left or ``find`` finds none; labels after each.

    ``find`` tells which of the objects left are the next cluster. Objects not taken out are alone.
    """
    labels = np.arange(n)
    rest = np.arange(n)
    while len(rest) > 1 and (members := find(rest)).any():
        labels[rest[members]] = rest[members][0]
        rest = rest[~members]
        yield labels


def around_an_object(questions: Questions, rest: Ints, rng: Generator, *, samples: int = 1) -> Mask:
    """A random object and those that are similar to it by the mean of so many answers each."""
    pivot = int(rng.integers(len(rest)))
    members = np.ones(len(rest), np.bool_)
    others = np.arange(len(rest)) != pivot
    u, v = np.broadcast_arrays(rest[pivot], rest[others])
    members[others] = sum(questions.ask(u, v) for _ in range(samples)) > 0
    return members


def around_a_positive_pair(questions: Questions, rest: Ints, rng: Generator) -> Mask:
    """A random pair answered 0 or more and the objects similar to one of the two; nothing if there is none.

    Raises:
        BudgetSpentError: the search and the comparison take more answers than are left.
    """
    if questions.left < len(rest):  # the authors' condition; without it a search could be for nothing
        wanted = f"the next cluster takes at least {len(rest)} answers with one to spare"
        raise BudgetSpentError(f"{wanted}, and {questions.left} of the budget of {questions.budget} are left")
    members = np.zeros(len(rest), np.bool_)
    for pair in random_order(count_pairs(len(rest)), rng):
        ends = rng.permutation(np.concatenate(unrank(np.array([pair]), len(rest))))
        if questions.ask(rest[ends[:1]], rest[ends[1:]])[0] >= 0:
            others = np.delete(np.arange(len(rest)), ends)
            u, v = np.broadcast_arrays(rest[ends[1]], rest[others])
            members[others] = questions.ask(u, v) > 0
            members[ends] = True
            break
    return members


def random_order(count: int, rng: Generator) -> Iterator[int]:
    """Visit 0..count-1 in uniformly random order, drawn as it is taken: O(1) time and memory a number.

    >>> sorted(random_order(5, np.random.default_rng(0)))
    [0, 1, 2, 3, 4]
    """
    moved: dict[int, int] = {}  # a shuffled list of which only the places that changed are written down
    for last in range(count - 1, -1, -1):
        place = int(rng.integers(last + 1))
        yield moved.get(place, place)
        moved[place] = moved.get(last, last)
