"""A learner and an oracle, left to themselves until the budget is spent."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Ints
from ofakind.checks import whole_number
from ofakind.clustering import Clustering, adjusted_rand_index
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import InvalidInputError
from ofakind.oracles.base import NamingOracle, Oracle
from ofakind.pairs import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Where a learner stands after one round: asked, answered, told.

    ``seconds`` is what the learner itself took for the round, without the oracle.
    """

    round: int
    n_answers: int
    clustering: Clustering
    seconds: float

    @property
    def labels(self) -> Ints:
        """The cluster of each object."""
        return self.clustering.labels

    @property
    def k(self) -> int:
        """Number of clusters."""
        return self.clustering.k

    def ari(self, truth: ArrayLike) -> float:
        """Agreement with the true labels (`adjusted_rand_index`): 1 perfect, about 0 by chance."""
        return adjusted_rand_index(self.labels, truth)


def run(learner: ActiveClustering, oracle: Oracle, budget: int) -> Iterator[Step]:
    """Ask, answer and tell until the learner has ``budget`` answers or nothing is open; one step per round.

    The last batch is cut so that the budget is met to the letter; answers that the learner had before count.
    Rounds happen as the steps are taken from the iterator, so a loop may stop at any time. If the oracle
    fails or is interrupted, its questions stay pending; another ``run`` begins with what is pending and goes
    on as if nothing had happened. An oracle with ``answers_with_names`` is asked by that, and the learner
    hears who said what.

    >>> import numpy as np
    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> truth = np.arange(30) % 3
    >>> steps = list(run(ActiveClustering(30, seed=1), NoisyOracle(truth, gamma=0.1), budget=200))
    >>> steps[-1].n_answers, steps[-1].ari(truth)
    (200, 1.0)
    """
    answers = whole_number("budget", budget, least=0)
    if not isinstance(learner, ActiveClustering):
        raise InvalidInputError(f"the learner is {learner!r}; expected an ActiveClustering")
    if not callable(oracle):
        raise InvalidInputError(f"the oracle is {oracle!r}; expected a function from pairs to answers")
    return _steps(learner, oracle, answers)


def _steps(learner: ActiveClustering, oracle: Oracle, budget: int) -> Iterator[Step]:
    while (left := budget - learner.n_answers) > 0:
        start = perf_counter()
        pairs = learner.pending.take(slice(left)) or learner.ask(left if left < learner.next_size else None)
        asked = perf_counter()
        if not len(pairs):
            return
        answers, names = _answers(oracle, pairs)
        answered = perf_counter()
        learner.tell(pairs, answers, names)
        clustering = learner.clustering
        seconds = (asked - start) + (perf_counter() - answered)
        yield Step(learner.round - 1, learner.n_answers, clustering, seconds)


def _answers(oracle: Oracle, pairs: Pairs) -> tuple[NDArray[np.float64], tuple[str, ...] | None]:
    """Ask the oracle, and who gave each answer if it can say so."""
    if isinstance(oracle, NamingOracle):
        return oracle.answers_with_names(pairs)
    return oracle(pairs), None
