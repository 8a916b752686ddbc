"""Information gain: ask the pairs whose answers tell most about the partition."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.acquire.base import Scores, State
from ofakind.acquire.information.batch import Shortlist, shortlist, without_repetition
from ofakind.acquire.information.candidates import listed, proposed
from ofakind.acquire.information.hubs import start
from ofakind.acquire.information.known import Cores, find_cores
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats
from ofakind.checks import real_number
from ofakind.noise.channel import SymmetricChannel
from ofakind.pairs import Pairs
from ofakind.posterior.base import Posterior, abilities_of

FEW_PAIRS = 4096
"""When no more pairs than this are open, every one of them is a candidate."""

WAITS, LEAST = 0.5, 0.25
"""A question that is worth less than this share of the best one waits, if this share of the batch is left."""

LARGE = 100_000
"""No question of so large a batch waits; of half as many, half of them may, and so on."""

QUIET = 0.1
"""When no question is worth more nats than this, nothing is in serious doubt, and none need wait."""

JITTER = 0.05
"""Worths are raised at random by up to this share, so that ties do not follow the order of the objects."""

Information = Callable[[ArrayLike], Floats]


@dataclass(frozen=True, slots=True)
class InformationGain:
    """Asks the pairs with the most mutual information between their next answer and the partition.

    An answer depends on the partition only through whether its pair is of a kind, so this information is a
    function of P(same) alone (`answer_information`), whatever the posterior.

    Questions against well-known objects are preferred, because they also settle where the other one belongs.
    Within a batch a question is worth less the more of it has been asked: the same object against the same
    cluster, the same two clusters, or the same object at all. A learner that chooses the size of its batch
    itself asks only the `urgent` ones.

    Candidates are objects in doubt against representatives of the clusters; all open pairs only when these
    are few or restricted. Memory O(n + batch), and time O(n k + batch) while there are few clusters.

    Args:
        focus: the share of its worth that a question between two hardly known objects loses; 0: none.

    >>> from ofakind.engine.learner import ActiveClustering
    >>> learner = ActiveClustering(30, acquisition=InformationGain(), seed=1)
    >>> learner.tell(pairs := learner.ask(), [1 if (u - v) % 3 == 0 else -1 for u, v in pairs])
    >>> len(learner.ask(5))
    5
    """

    focus: float = 0.95

    def __post_init__(self) -> None:
        real_number("focus", self.focus, least=0, most=1)

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:  # noqa: ARG002
        """Mutual information in nats between one more answer to each pair and the partition."""
        information = answer_information(state.posterior)
        return Scores(pairs, information(state.posterior.same_probability(pairs.u, pairs.v)))

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """Choose a batch of open pairs, the most valuable first.

        A pair's value is what it tells, the more the better known one of its objects is, less what the pairs
        before it tell of the same. Of a first batch (`start`) all values are equal.
        """
        if min(size, pool.size) == 0:
            return Scores(Pairs.empty(), np.empty(0))
        cores = find_cores(state, rng)
        if not _few(pool) and len(first := start(cores, pool, size, rng)):
            return Scores(first, np.full(len(first), self.score(state, first, rng).values.mean()))
        best = shortlist(self._candidates(state, pool, cores, rng), pool, size, rng)
        useless = 1 - float(answer_information(state.posterior)(0.5)) / log(2)
        useless = min(max(useless, 0.2), 0.9)
        chosen = without_repetition(best, cores, state, size, useless=useless)
        if not len(chosen.u):
            return self.score(state, pool.draw(size, rng), rng)
        return Scores(Pairs.trusted(chosen.u, chosen.v), chosen.worth)

    def urgent(self, batch: Scores) -> Scores:
        """Keep the questions of a batch that need not wait for the others' answers: a quarter, or more.

        Those of less than half the best one's value wait, such as a second one about the same object, unless
        the best is worth little itself. Of more than 25,000 questions a larger share is kept, and all of
        100,000: so many are for very many objects, whose rounds take long.
        """
        values = np.nan_to_num(batch.values, nan=0.0)
        best = values.max(initial=0.0)
        kept = values >= (WAITS * best if best >= QUIET else 0.0)
        kept[: ceil(max(LEAST, len(values) / LARGE) * len(values))] = True
        return Scores(batch.pairs.take(kept), batch.values[kept])

    def _candidates(self, state: State, pool: Pool, cores: Cores, rng: Generator) -> Iterator[Shortlist]:
        """Candidates and their worth: what they tell, more of it against well-known objects."""
        information = _tabulated(answer_information(state.posterior))
        for u, v, probability in listed(state, pool) if _few(pool) else proposed(state, cores, rng):
            known = 1 - self.focus + self.focus * np.maximum(cores.weight[u], cores.weight[v])
            worth = information(probability) * known * (1 + JITTER * rng.random(len(u)))
            yield Shortlist(np.minimum(u, v), np.maximum(u, v), worth)


def _few(pool: Pool) -> bool:
    """Whether every open pair is a candidate: when these are few, or restricted."""
    return pool.allowed is not None or (pool.listable and pool.size <= FEW_PAIRS)


def answer_information(posterior: Posterior) -> Information:
    """How many nats one more answer tells of the partition, as a function of its pair's P(same).

    A posterior may say what it takes answers to be like. Of one that does not, answers count as always right,
    and tell the entropy of their pair.

    >>> from ofakind.posterior.mean_field.dense import mean_field
    >>> from ofakind.similarity import Similarity
    >>> field = mean_field(Similarity.from_pairs(2, [0], [1], [1.0]), [0, 0])
    >>> answer_information(field)([0.5, 0.9, 1.0]).round(3).tolist()
    [0.502, 0.21, 0.0]
    """
    answers = abilities_of(posterior).answers or SymmetricChannel(0.0)
    return answers.information


def _tabulated(information: Information) -> Callable[[Floats], Floats]:
    """The same function, read from a table that is dense near 0 and 1, where it bends most."""
    grid = np.sin(np.linspace(0, np.pi / 2, 1001)) ** 2
    values = information(grid)
    return lambda probability: np.interp(probability, grid, values)
