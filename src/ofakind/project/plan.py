"""How many questions it may take, before any is asked: played through on groups that features allow.

What features are worth differs from set to set, and nobody knows it before the first answers. So several
partitions are drawn, from maps that are sharper than the one that ships (it is an average over sets, and
blurred by that) and that call more or fewer pairs the same. On each the learner is asked, and told what is
true there, until few pairs are wrong. Of many objects a part is played, whole neighbourhoods of it. Time is
that of computing, so that a busy machine makes no other plan.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, sqrt
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Ints
from ofakind.checks import real_number
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import noting
from ofakind.pairs import Pairs
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import MapStart, PairMap
from ofakind.priors.start import start_of
from ofakind.report.assessment import features_map_of


@dataclass(frozen=True, slots=True)
class PlanRules:
    """How the plan is played, by judgement; sharpness and shifts so that real sets of records lie within."""

    objects: int = 250  # that are played, at most
    ball: int = 30  # neighbours in one neighbourhood of them
    sharper: tuple[float, ...] = (4.0, 2.5)  # than the map that ships, which is blurred over sets,
    shifts: tuple[float, ...] = (0.0, -1.5, 1.5)  # and log odds by which more or fewer pairs are the same
    fixed: float = 1e6  # precision of the map that groups are drawn from
    batch: int = 15  # questions in the first rounds of a game,
    coarse: float = 0.3  # and this share of all questions before in later ones: it is an estimate
    luck: float = 1.25  # factor by which the range of games is widened: each is played but once
    fewest: int = 3  # games that must have ended
    longest: float = 1.2  # questions for each object that are played, at most
    target: float = 0.01  # share of wrong pairs that is aimed at where nobody says otherwise
    learned: int = 20  # answers from which on it is known what features are worth
    answers: int = 50  # before which nothing can be said without features
    seconds_each: float = 4.0  # that somebody takes for a question
    early: float = 0.35  # of the questions, after which it is said how far one is
    worth_saying: float = 0.3  # share of wrong pairs below which that is said


PLAN = PlanRules()


class Game(NamedTuple):
    """One game: questions asked and the share of wrong pairs after each batch; whether it was over."""

    asked: Sequence[int]
    wrong: Sequence[float]
    ended: bool

    @property
    def needed(self) -> float:
        """The questions that it took; infinite if that was not seen."""
        return self.asked[-1] if self.ended else inf

    def wrong_after(self, questions: float) -> float:
        """Return the share of wrong pairs after so many questions."""
        return self.wrong[max(int(np.searchsorted(self.asked, questions, "right")) - 1, 0)]


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """About how many questions it takes until the share of wrong pairs is ``target``.

    The share is of the wrong pairs that groups of these sizes would have by chance. It takes ``low`` to
    ``high`` questions (None: nobody can tell how many) if features tell as much as elsewhere, and perhaps
    ``more``: some games were not over. After ``early`` of them the share is about ``early_wrong``. Without a
    ``low`` nothing is known yet.

    >>> print(QuestionPlan(0.01, 420, 640, 150, 0.04))
    about 420–640 questions to 1 % wrong pairs (35 min at 4 s each); 150 already reach about 4 %
    >>> print(QuestionPlan(0.01))
    nothing known yet: a plan after the first 50 answers
    """

    target: float
    low: int | None = None
    high: int | None = None
    early: int | None = None
    early_wrong: float | None = None
    more: bool = False

    def __str__(self) -> str:
        goal = f"{100 * self.target:g} % wrong pairs"
        if self.low is None:
            return f"nothing known yet: a plan after the first {PLAN.answers} answers"
        if self.high is None:
            return f"at least {self.low:,} questions to {goal}, maybe many more{self._early}"
        if self.high == 0:
            return f"features alone may do: {goal} or fewer before any question"
        minutes = (self.low + self.high) / 2 * PLAN.seconds_each / 60
        took = f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.0f} h"
        took = f"{took} at {PLAN.seconds_each:g} s each"
        number = f"about {self.low:,}\u2013{self.high:,}" if self.low else f"at most about {self.high:,}"
        more = ", maybe more" if self.more else ""
        return f"{number} questions to {goal}{more} ({took}){self._early}"

    @property
    def _early(self) -> str:
        if self.early is None or self.early_wrong is None:
            return ""
        return f"; {self.early:,} already reach about {100 * self.early_wrong:.0f} %"


def plan_of(learner: ActiveClustering, target: float, *, seconds: float) -> QuestionPlan:
    """Plan from what a learner knows by now; without features only after some answers, by its forecast."""
    goal = real_number("target", target, least=0.001, most=0.9)
    near, given = learner.prior, learner.n_answers
    known = None if near is None else features_map_of(learner.posterior)
    if near is not None and len(near.pairs) and known is not None:
        learned = known if given >= PLAN.learned else None
        return planned(near, goal, known=learned, seconds=seconds, seed=learner.seed)
    if given < PLAN.answers or learner.n < 2:
        return QuestionPlan(goal)
    forecast = learner.forecast(1 - goal)
    return QuestionPlan(goal, given + forecast.low, None if forecast.high is None else given + forecast.high)


def planned(
    near: Neighbours,
    target: float = 0.01,
    *,
    known: PairMap | None = None,
    seconds: float = 4.0,
    seed: int = 0,
) -> QuestionPlan:
    """Play the questions through, for so many seconds of computing; ``known`` is the features' map by now."""
    goal, limit = real_number("target", target, above=0, most=1), process_time() + seconds
    rng = np.random.default_rng((seed, len(near.pairs)))
    part = restricted(near, neighbourhoods(near, PLAN.objects, rng))
    games: list[Game] = []
    with noting({}):
        for start in scenarios(part, known):
            if len(games) >= PLAN.fewest and process_time() > limit:
                break
            truth = drawn(part, start, rng)
            games.append(play(part, truth, goal, seed=seed, until=max(limit, process_time() + seconds / 4)))
    return summary(games, goal, near.n / max(part.n, 1))


def summary(games: Sequence[Game], target: float, times: float) -> QuestionPlan:
    """Say what games come to, for so many times the objects that were played.

    What is learned of features need not be learned again for more objects, and what is in doubt among them
    must be asked. Nobody knows which it is that takes the questions: it may be as many as for the objects
    that were played, or ``times`` as many.
    """
    needed = np.sort([game.needed for game in games])
    ended = needed[np.isfinite(needed)]
    if 2 * len(ended) < len(games):
        asked = float(np.median([game.asked[-1] for game in games]))
        return QuestionPlan(target, _round(asked, floor))
    low, high = ended[0] / PLAN.luck, ended[-1] * PLAN.luck
    middle = float(needed[(len(needed) - 1) // 2])
    early = _round(PLAN.early * middle * (sqrt(times) + times) / 2, ceil)
    wrong = float(np.median([game.wrong_after(PLAN.early * middle) for game in games]))
    said = target < wrong < PLAN.worth_saying and 0 < early < high
    return QuestionPlan(
        target,
        _round(low, floor),
        _round(times * high, ceil),
        early if said else None,
        wrong if said else None,
        more=len(ended) < len(games),
    )


def _round(number: float, how: Callable[[float], int]) -> int:
    """Keep the two digits that count, down or up.

    >>> _round(1234, floor), _round(1234, ceil)
    (1200, 1300)
    """
    unit = 10 ** max(0, len(str(int(number))) - 2)
    return int(unit * how(number / unit))


def scenarios(near: Neighbours, known: PairMap | None) -> Iterator[MapStart]:
    """Give maps that may be true: from the one that ships, or from what is known of features by now."""
    start = start_of(near)
    mean = start.mean if known is None else known.coefficients
    for times in PLAN.sharper:
        for shift in PLAN.shifts:
            beta = mean * times
            beta[0] += shift * times
            yield MapStart(beta, start.precision * PLAN.fixed)


def drawn(near: Neighbours, start: MapStart, rng: Generator) -> Ints:
    """Draw groups from the prior that a map gives, before any answer."""
    from ofakind.answers import Answers
    from ofakind.posterior.forest.candidate_graph import CandidateGraph
    from ofakind.posterior.forest.loop import ForestProblem, one_round
    from ofakind.posterior.partition.answer_graph import AnswerGraph

    graph = AnswerGraph.of(Answers.none(near.n), None, None, None)
    problem = ForestProblem(graph, CandidateGraph.of(near, None), start, None)
    labels = one_round(problem, None, rng).labels[-1]
    linked = labels[near.pairs.u] == labels[near.pairs.v]
    return connected(near.n, near.pairs.u[linked], near.pairs.v[linked])


def connected(n: int, u: Ints, v: Ints) -> Ints:
    """Return the connected parts of a graph of n objects; what only the background links falls apart."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(u), np.int8), (u, v)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def play(near: Neighbours, truth: Ints, target: float, *, seed: int, until: float) -> Game:
    """Ask and tell what is true, until few pairs are wrong, the questions are many, or the time is up."""
    from ofakind.posterior.forest.belief import FeatureBelief

    learner = ActiveClustering(near.n, prior=near, belief=FeatureBelief(guard=False), seed=seed)
    least = 0.5 / max(_together(np.bincount(truth)), 1)  # of few pairs that belong together, one may be wrong
    asked, wrong = [0], [_wrong_share(truth, learner.labels)]
    while wrong[-1] > max(target, least) and asked[-1] < PLAN.longest * near.n and process_time() < until:
        pairs = learner.ask(max(PLAN.batch, int(PLAN.coarse * asked[-1])))
        if not len(pairs):
            break
        learner.tell(pairs, np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0))
        asked.append(asked[-1] + len(pairs))
        wrong.append(_wrong_share(truth, learner.labels))
    return Game(asked, wrong, ended=wrong[-1] <= max(target, least))


def _wrong_share(truth: Ints, labels: Ints) -> float:
    """Wrong pairs, as a share of those that groups of these sizes would have by chance: 1 - ARI.

    >>> round(_wrong_share(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])), 2)
    0.43
    """
    both = np.unique(truth * (labels.max(initial=0) + 1) + labels, return_counts=True)[1]
    right, found, shared = (_together(sizes) for sizes in (np.bincount(truth), np.bincount(labels), both))
    by_chance = right + found - 2 * right * found / max(len(truth) * (len(truth) - 1) / 2, 1)
    return (right + found - 2 * shared) / max(by_chance, 1)


def _together(sizes: Ints) -> int:
    """Return the pairs inside groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def neighbourhoods(near: Neighbours, size: int, rng: Generator) -> Ints:
    """Return so many objects, or all of fewer: random ones, each with those around it in the graph."""
    if near.n <= size:
        return np.arange(near.n)
    ends = np.concatenate([near.pairs.u, near.pairs.v])
    order = np.argsort(ends, kind="stable")
    others = np.concatenate([near.pairs.v, near.pairs.u])[order]
    starts = np.searchsorted(ends[order], np.arange(near.n + 1))
    chosen: set[int] = set()
    for first in rng.permutation(near.n).tolist():
        if first not in chosen:
            chosen.update(_around(first, others, starts)[: size - len(chosen)])
        if len(chosen) >= size:
            break
    return np.array(sorted(chosen), np.int64)


def _around(first: int, others: Ints, starts: Ints) -> list[int]:
    """Return an object and those that are nearest to it in steps of the graph."""
    found, known, place = [first], {first}, 0
    while place < len(found) < PLAN.ball:
        for other in others[starts[found[place]] : starts[found[place] + 1]].tolist():
            if other not in known:
                known.add(other)
                found.append(other)
        place += 1
    return found[: PLAN.ball]


def restricted(near: Neighbours, keep: Ints) -> Neighbours:
    """Return the graph of some of the objects, numbered anew."""
    number = np.full(near.n, -1)
    number[keep] = np.arange(len(keep))
    u, v = number[near.pairs.u], number[near.pairs.v]
    inside = (u >= 0) & (v >= 0)
    pairs = Pairs.of(u[inside], v[inside])
    return Neighbours(len(keep), pairs, near.features[inside], near.names, near.kind)
