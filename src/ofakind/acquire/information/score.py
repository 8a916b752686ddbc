"""Information gain: ask the pairs whose answers tell most about the partition."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.acquire.base import Scores, State
from ofakind.acquire.information.answer_kinds import AnswerKinds
from ofakind.acquire.information.batch import Shortlist, shortlist, without_repetition
from ofakind.acquire.information.candidates import Found, featured, listed, proposed
from ofakind.acquire.information.hubs import hub_questions
from ofakind.acquire.information.known import Familiarity, familiarity_of, featured_familiarity
from ofakind.acquire.information.overlap import without_overlap
from ofakind.acquire.information.screen import SCREEN_CHOICE, ScreenSearch
from ofakind.acquire.pool import Pool
from ofakind.acquire.screens import Screen
from ofakind.arrays import Floats
from ofakind.checks import real_number
from ofakind.kernels import portable
from ofakind.noise.channel import SymmetricChannel
from ofakind.pairs import Pairs
from ofakind.posterior.base import Abilities

Information = Callable[[ArrayLike], Floats]


@dataclass(frozen=True, slots=True)
class InformationRules:
    """Tuned numbers of the acquisition, chosen on runs with simulated noise (docs/results/fewer.md)."""

    small_batch: int = 64  # questions; for so few it is enough to know roughly who is known
    large_batch: float = 0.6  # share of the objects; smaller batches focus less (docs/results/one-by-one.md)
    few_pairs: int = 4096  # when no more pairs than this are open, every one of them is a candidate
    waits: float = 0.5  # a question that is worth less than this share of the best one waits,
    least: float = 0.25  # if this share of the batch is left
    nobody_waits: int = 100_000  # no question of so large a batch waits; of half as many half may, and so on
    quiet: float = 0.1  # nats: when no question is worth more, nothing is in serious doubt and none waits
    jitter: float = 0.05  # worths are raised at random by up to this share, so that ties follow no order
    least_useless: float = 0.2  # a second question about the same keeps at least this share of its worth,
    most_useless: float = 0.9  # and at most this one, however noisy the answers are
    table: int = 1001  # probabilities for which the information of an answer is tabulated


INFORMATION = InformationRules()


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
        focus: the share of its worth that a question between two hardly known objects loses in a batch of
            0.6 n questions or more; in a smaller one, less in proportion. 0: none.

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
        information = answer_information(state.abilities)
        return Scores(pairs, information(state.posterior.same_probability(pairs.u, pairs.v)))

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """Choose a batch of open pairs, the most valuable first.

        A pair's value is what it tells, the more the better known one of its objects is, less what the pairs
        before it and those that are pending tell of the same. Of a first batch (`hub_questions`) all values
        are equal.
        """
        if min(size, pool.size) == 0:
            return Scores(Pairs.empty(), np.empty(0))
        information = answer_information(state.abilities)
        known = _known(state, size)
        hubs = state.abilities.likely is None and not _few(pool)
        if hubs and (first := hub_questions(known, pool, size, rng)).u.size:
            return Scores(first, np.full(first.u.size, self.score(state, first, rng).values.mean()))
        found, focus = self._candidates(state, pool, known, size, rng)
        worths = _worths(found, _tabulated(information), known, focus, rng)
        best, useless = shortlist(worths, pool, size, rng), _useless(information)
        samples = state.abilities.samples
        if state.abilities.likely is not None and samples is not None:
            chosen = without_overlap(best, samples, size, pending=pool.pending, useless=useless)
        else:
            chosen = without_repetition(best, known, state, size, pending=pool.pending, useless=useless)
        if not len(chosen.u):
            return self.score(state, pool.draw(size, rng), rng)
        return Scores(Pairs.trusted(chosen.u, chosen.v), chosen.worth)

    def select_screen(self, state: State, pool: Pool, size: int, rng: Generator) -> Screen:
        """Choose one object and others whose answers together tell most, each beyond those before it.

        Pending pairs count as asked. Others that tell next to nothing are left out. Without samples no
        redundancy can be counted: then the screen is empty, and cut from single pairs.
        """
        samples = state.abilities.samples
        if samples is None or not len(samples.labels):
            return Screen.empty()
        information, known = answer_information(state.abilities), _known(state, size)
        found, focus = self._candidates(state, pool, known, size, rng)
        worths = _worths(found, _tabulated(information), known, focus, rng)
        best = shortlist(worths, pool, SCREEN_CHOICE.listed * size, rng)
        kinds, useless = AnswerKinds.of(state.abilities), _useless(information)
        return ScreenSearch(state, pool, known, samples, kinds, useless).choose(best, size, rng)

    def _candidates(
        self, state: State, pool: Pool, known: Familiarity, size: int, rng: Generator
    ) -> tuple[Iterable[Found], float]:
        """Return candidates, and how far questions against well-known objects are preferred."""
        if state.abilities.likely is not None:
            return (listed(state, pool) if pool.allowed is not None else featured(state, rng)), 0.0
        found = listed(state, pool) if _few(pool) else proposed(state, known, size, rng)
        return found, self.focus * min(1.0, size / (INFORMATION.large_batch * state.similarity.n))

    def urgent(self, batch: Scores) -> Scores:
        """Keep the questions of a batch that need not wait for the others' answers: a quarter, or more.

        Those of less than half the best one's value wait, such as a second one about the same object, unless
        the best is worth little itself. Of more than 25,000 questions a larger share is kept, and all of
        100,000: so many are for very many objects, whose rounds take long.
        """
        values = np.nan_to_num(batch.values, nan=0.0)
        best = values.max(initial=0.0)
        rules = INFORMATION
        kept = values >= (rules.waits * best if best >= rules.quiet else 0.0)
        kept[: ceil(max(rules.least, len(values) / rules.nobody_waits) * len(values))] = True
        return Scores(batch.pairs.take(kept), batch.values[kept])


def _worths(
    found: Iterable[Found],
    information: Callable[[Floats], Floats],
    known: Familiarity,
    focus: float,
    rng: Generator,
) -> Iterator[Shortlist]:
    """Candidates and their worth: what they tell, more of it against well-known objects."""
    for u, v, probability in found:
        weight = 1 - focus + focus * np.maximum(known.weight[u], known.weight[v])
        worth = information(probability) * weight * (1 + INFORMATION.jitter * rng.random(len(u)))
        yield Shortlist(np.minimum(u, v), np.maximum(u, v), worth)


def _known(state: State, size: int) -> Familiarity:
    """How well each object is known; roughly, for a few questions."""
    if state.abilities.likely is not None:
        return featured_familiarity(state)
    roughly = size <= INFORMATION.small_batch
    return state.once(("familiarity", roughly), partial(familiarity_of, state, roughly=roughly))


def _useless(information: Information) -> float:
    """How likely an answer tells nothing: the share of its worth that a second one about the same keeps."""
    useless = 1 - float(information(0.5)) / portable.log(2)
    return min(max(useless, INFORMATION.least_useless), INFORMATION.most_useless)


def _few(pool: Pool) -> bool:
    """Whether every open pair is a candidate: when these are few, or restricted."""
    return pool.allowed is not None or (pool.listable and pool.size <= INFORMATION.few_pairs)


def answer_information(able: Abilities) -> Information:
    """How many nats one more answer tells of the partition, as a function of its pair's P(same).

    ``able`` is what the posterior can do. It may say what it takes answers to be like; if it does not,
    answers count as always right, and tell the entropy of their pair.

    >>> from ofakind.posterior.mean_field.dense import mean_field
    >>> from ofakind.similarity import Similarity
    >>> field = mean_field(Similarity.from_pairs(2, [0], [1], [1.0]), [0, 0])
    >>> answer_information(field.abilities)([0.5, 0.9, 1.0]).round(3).tolist()
    [0.502, 0.21, 0.0]
    """
    answers = able.answers or SymmetricChannel(0.0)
    return answers.information


def _tabulated(information: Information) -> Callable[[Floats], Floats]:
    """The same function, read from a table that is dense near 0 and 1, where it bends most."""
    grid = portable.sin(np.linspace(0, np.pi / 2, INFORMATION.table)) ** 2
    values = information(grid)
    return lambda probability: np.interp(probability, grid, values)
