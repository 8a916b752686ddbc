"""What a rival is, the counter through which it asks, and how a run ends."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import check_answers
from ofakind.arrays import Ints
from ofakind.checks import as_count, refuse_strange_pairs, whole_number
from ofakind.clustering import Clustering
from ofakind.errors import BudgetSpentError, GaveUpError, InvalidInputError
from ofakind.oracles.base import Oracle
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity


class Rival(Protocol):
    """An algorithm that spends a budget of answers by itself: a frozen dataclass, its fields its options.

    All rivals are called alike, so a comparison is one loop. One that does not use features ignores them.
    """

    def __call__(
        self, n: int, oracle: Oracle, *, budget: int, rng: Generator, features: ArrayLike | None = None
    ) -> "Outcome":
        """Cluster n objects with at most ``budget`` answers of the oracle."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Outcome(Clustering):
    """The clustering that a rival found: its cost is over the answers that it got.

    ``n_answers`` were used. ``stopped`` says why the run ended before the algorithm was done with it; it is
    empty when the algorithm ended by itself.
    """

    n_answers: int
    stopped: str = ""

    def __repr__(self) -> str:
        return f"{Clustering.__repr__(self)[:-1]}, {self.n_answers} answers)".replace("Clustering", "Outcome")


class Questions:
    """An oracle with a counter: it enforces a budget to the letter and remembers every answer.

    >>> questions = Questions(3, lambda pairs: -np.ones(len(pairs)), budget=2)
    >>> questions.ask([0, 0], [1, 2]).tolist(), questions.left
    ([-1.0, -1.0], 0)
    >>> questions.ask([1], [2])
    Traceback (most recent call last):
      ...
    ofakind.errors.BudgetSpentError: 1 more answer was wanted, and 0 of the budget of 2 are left
    """

    def __init__(self, n: int, oracle: Oracle, budget: int) -> None:
        self.n = as_count(n)
        self.budget = whole_number("budget", budget, least=0)
        if not callable(oracle):
            raise InvalidInputError(f"the oracle is {oracle!r}; expected a function from pairs to answers")
        self._oracle = oracle
        self._answered: list[tuple[Ints, Ints, NDArray[np.float64]]] = []
        self.used = 0

    @property
    def left(self) -> int:
        """How many more answers the budget allows."""
        return self.budget - self.used

    def ask(self, u: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Answers to these distinct pairs, endpoints in either order; all of them or, with an error, none.

        Raises:
            BudgetSpentError: fewer answers are left; nothing was asked.
            InvalidInputError: an unknown object, an object paired with itself or a pair given twice.
            InvalidAnswerError: the oracle gave something else than a number in [-1, 1] for each pair.
        """
        pairs = Pairs.of(u, v)
        refuse_strange_pairs(pairs.u, pairs.v, self.n)
        if len(pairs) > self.left:
            wanted = f"{len(pairs)} more {'answer was' if len(pairs) == 1 else 'answers were'} wanted"
            raise BudgetSpentError(f"{wanted}, and {self.left} of the budget of {self.budget} are left")
        if not len(pairs):
            return np.empty(0)
        answered = check_answers(self.n, pairs, self._oracle(pairs))
        self._answered.append(answered)
        self.used += len(pairs)
        return answered[2]

    def similarity(self) -> Similarity:
        """Fold the answers so far."""
        if not self._answered:
            return Similarity.from_pairs(self.n, [], [], [])
        return Similarity.from_pairs(self.n, *map(np.concatenate, zip(*self._answered, strict=True)))


class BudgetedRival(ABC):
    """What all rivals of this package share: how they are called, count their questions and end.

    A rival says only which questions it asks, and which labels it has found so far (see `play`).
    """

    __slots__ = ()

    @abstractmethod
    def _labellings(
        self, questions: Questions, rng: Generator, features: ArrayLike | None
    ) -> Iterator[NDArray[Any]]:
        """Ask through ``questions`` and yield the labels of all objects whenever they are worth keeping."""

    def __call__(
        self, n: int, oracle: Oracle, *, budget: int, rng: Generator, features: ArrayLike | None = None
    ) -> Outcome:
        """Cluster n objects with at most ``budget`` answers of the oracle.

        ``features`` has a row of numbers for each object; a rival that does not use them ignores them.
        """
        questions = Questions(n, oracle, budget)
        return play(questions, self._labellings(questions, rng, features))


def play(questions: Questions, labellings: Iterator[NDArray[Any]]) -> Outcome:
    """Run an algorithm until it ends, asks beyond the budget or gives up; the last labelling is kept.

    The algorithm is a generator that asks through ``questions`` and yields the labels of all objects whenever
    it has a clustering worth keeping. Before the first one, every object is alone.
    """
    labels: NDArray[Any] = np.arange(questions.n)
    stopped = ""
    try:
        for found in labellings:
            labels = found.copy()
    except (BudgetSpentError, GaveUpError) as error:
        stopped = str(error)
    return _outcome(questions, labels, stopped)


def _outcome(questions: Questions, labels: NDArray[Any], stopped: str) -> Outcome:
    plain = Clustering.of(questions.similarity(), labels)
    return Outcome(plain.labels, plain.k, plain.cost, questions.used, stopped)
