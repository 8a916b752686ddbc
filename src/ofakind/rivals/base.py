"""What a rival is, the counter through which it asks, and how a run ends."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

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
from ofakind.priors.neighbours import Neighbours
from ofakind.similarity import Similarity


class Rival(Protocol):
    """An algorithm that spends a budget of answers by itself: a frozen dataclass, its fields its options.

    All rivals of this package also take ``prior``, a candidate graph, and ignore what they do not use, so a
    comparison is one loop. One that needs a graph says so: it has a true ``needs_prior``.
    """

    def __call__(
        self, n: int, oracle: Oracle, *, budget: int, rng: Generator, features: ArrayLike | None = None
    ) -> "Outcome":
        """Cluster n objects with at most ``budget`` answers of the oracle."""
        ...


class Given(NamedTuple):
    """What is known of the objects: a row of numbers for each, a candidate graph."""

    features: ArrayLike | None = None
    prior: Neighbours | None = None


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

    def similarity(self, first: int | None = None) -> Similarity:
        """Fold the answers so far, or the ``first`` ones of them."""
        if not self._answered:
            return Similarity.from_pairs(self.n, [], [], [])
        columns = map(np.concatenate, zip(*self._answered, strict=True))
        return Similarity.from_pairs(self.n, *(column[:first] for column in columns))


class BudgetedRival(ABC):
    """What all rivals of this package share: how they are called, count their questions and end.

    A rival says only which questions it asks, and which labels it has found so far (see `play`). It is
    ``anytime`` if it asks the same questions with any budget, until that is spent: then one run may be looked
    at instead of many (see `looks`). One that ``needs_prior`` works on a candidate graph.
    """

    __slots__ = ()
    anytime: ClassVar[bool] = False
    needs_prior: ClassVar[bool] = False

    @abstractmethod
    def _labellings(self, questions: Questions, rng: Generator, given: Given) -> Iterator[NDArray[Any]]:
        """Ask through ``questions`` and yield the labels of all objects whenever they are worth keeping."""

    def __call__(
        self,
        n: int,
        oracle: Oracle,
        *,
        budget: int,
        rng: Generator,
        features: ArrayLike | None = None,
        prior: Neighbours | None = None,
    ) -> Outcome:
        """Cluster n objects with at most ``budget`` answers of the oracle.

        ``features`` has a row of numbers for each object, ``prior`` is a candidate graph; a rival that does
        not use them ignores them.
        """
        questions = Questions(n, oracle, budget)
        return play(questions, self.labellings(questions, rng, Given(features, prior)))

    def labellings(self, questions: Questions, rng: Generator, given: Given) -> Iterator[NDArray[Any]]:
        """Return the run as it goes, checked: it asks through ``questions`` and yields what it found."""
        if self.needs_prior:
            checked_graph(given.prior, questions.n, type(self).__name__)
        return self._labellings(questions, rng, given)


def checked_graph(prior: Any, n: int, rival: str) -> Neighbours:
    """Return the candidate graph of n objects that a rival needs."""
    if not isinstance(prior, Neighbours):
        got = f"the prior is {prior!r:.60}, and {rival} works on a candidate graph"
        raise InvalidInputError(f"{got}; pass prior=Neighbours.from_records(...), or from_vectors(...)")
    if prior.n != n:
        raise InvalidInputError(f"the prior has {prior.n} objects; expected {n}, as many as are clustered")
    return prior


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
    return outcome_of(questions, labels, stopped)


def outcome_of(
    questions: Questions, labels: NDArray[Any], stopped: str = "", *, first: int | None = None
) -> Outcome:
    """Return labels with their cost over the answers so far, or over the ``first`` ones of them."""
    used = questions.used if first is None else min(first, questions.used)
    plain = Clustering.of(questions.similarity(used), labels)
    return Outcome(plain.labels, plain.k, plain.cost, used, stopped)
