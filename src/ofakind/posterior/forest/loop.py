"""One round with a feature prior, from top to bottom.

    start, map, scale, (sample, learn)*, sample

The features of a candidate give it the probability p (the pair map), and the weight f = s p / (1 - p) in the
trees of the prior (`kernels.partition.forest`); any other pair has the background's. The scale is such that
the prior by itself gives the candidates on average what the map gives them: a chain that no answer touches is
kept for that (`scaling`). The map is learned from surprises, what answers are worth from the samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, read_only
from ofakind.noise.calibration import Calibration
from ofakind.noise.calibration import learn as learn_calibration
from ofakind.noise.leave_one_out import LeaveOneOut, log_predictive
from ofakind.parallel import run_each, run_on_all_cores
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.carried import CarriedForests, Parents
from ofakind.posterior.forest.incremental import (
    INCREMENTAL,
    Entries,
    around,
    blended,
    companions,
    draws,
    drift_between,
    sweeps,
)
from ofakind.posterior.forest.samples import ForestSamples
from ofakind.posterior.forest.scaling import rescaled, slopes_of
from ofakind.posterior.forest.surprises import Surprises
from ofakind.posterior.forest.trees import Scale, answer_weights, log_odds, resolved, tree_prior_of
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.calibrated import answer_ratios, learned_calibration
from ofakind.posterior.partition.chains import rows_of_each, twin_of
from ofakind.posterior.partition.diagnostics import diagnose
from ofakind.posterior.partition.schedule import Plan
from ofakind.priors.pair_map import MapStart, PairMap
from ofakind.priors.start import start_of


@dataclass(frozen=True, slots=True)
class ForestRules:
    """Tuned numbers of a round with a feature prior; from a prototype, or chosen by judgement."""

    chains: int = 4  # as many as without features
    first_burn_in: int = 60  # sweeps before the first round's samples,
    burn_in: int = 20  # and before those of any other round
    samples: int = 12  # of each chain, every
    thin: int = 3  # sweeps
    lessons: int = 2  # samples from which calibration is learned in a round, with so many
    lesson_burn_in: int = 10  # sweeps before, and so many
    lesson_samples: int = 4  # of each chain
    slope: float = 4.0  # log ratio of a sure answer before anything is learned: 2 % are wrong
    much_work: int = 20_000  # entries that a chain reads, from which on another thread is worth its start
    quick_beyond: int = 20_000  # of more nodes a round is a quick one


FOREST = ForestRules()

QUICK_FOREST = replace(FOREST, burn_in=6, thin=1, lesson_burn_in=2, lesson_samples=2)
"""For very many nodes. What a round learns is a mean over all of them, and an answer concerns few: chains
are where they were but for these, and a third of the sweeps find nearly as much (docs/results/features.md).
"""


def rules_for(nodes: int) -> ForestRules:
    """Return how a round is sampled, for so many nodes.

    >>> rules_for(20_000).burn_in, rules_for(20_001).burn_in
    (20, 6)
    """
    return FOREST if nodes <= FOREST.quick_beyond else QUICK_FOREST


@dataclass(frozen=True, slots=True, eq=False)
class ForestProblem:
    """What a round is given: the answers, the candidates with where their map starts, and how to compute."""

    graph: AnswerGraph
    candidates: CandidateGraph
    start: MapStart
    n_jobs: int | None

    @classmethod
    def of(cls, graph: AnswerGraph, candidates: CandidateGraph, n_jobs: int | None) -> "ForestProblem":
        """Look up where the map starts."""
        return cls(graph, candidates, start_of(candidates.near), n_jobs)

    @property
    def answers(self) -> Answers:
        """All answers, in order of arrival."""
        return self.graph.answers


class DrawnForests(NamedTuple):
    """Samples of all chains, and P(same) of each candidate and of each answered pair."""

    labels: NDArray[np.int32]
    parents: Parents
    candidate_same: Floats
    same: Floats


class News(NamedTuple):
    """What is new where that is little: each chain draws so many samples, and ``nodes`` have new answers.

    ``concerned`` are these nodes and some that may be with them; ``drift`` is how far the map has moved since
    the last whole round.
    """

    draws: int
    nodes: Ints
    concerned: Ints
    drift: float


@dataclass(frozen=True, slots=True, eq=False)
class ForestFit:
    """Where a round stands: a forest for each chain and the prior's own, and what was learned.

    ``streams`` are the chains' random numbers.
    """

    streams: Sequence[Generator]
    parents: Parents  # (chains, nodes)
    own: Parents  # (nodes,)
    pair_map: PairMap
    scale: Scale
    surprises: Surprises
    calibration: Calibration
    ratios: Floats
    prior: Any = None  # a kernels.partition.forest.TreePrior, of this map and scale
    drawn: DrawnForests | None = None
    log_likelihood: tuple[float, ...] = ()

    @property
    def samples(self) -> DrawnForests:
        """The newest samples."""
        if self.drawn is None:
            raise AssertionError("nothing was sampled yet")
        return self.drawn


def one_round(problem: ForestProblem, carried: CarriedForests | None, rng: Generator) -> ForestSamples:
    """Sample given all answers, going on from what was carried over."""
    own, *streams = rng.spawn(FOREST.chains + 1)
    fit = cold_start(problem, streams) if carried is None else warm_start(problem, carried, streams, own)
    fit = learn_map(problem, fit)
    if carried is not None and (news := little_news(problem, carried, fit)) is not None:
        return updated(problem, carried, weighed(problem, fit), news)
    fit = weighed(problem, scaled(problem, fit, own, first=carried is None))
    rules = rules_for(problem.candidates.nodes)
    lesson = Plan(rules.lesson_burn_in, rules.lesson_samples, 1)
    for _ in range(rules.lessons if len(problem.answers) else 0):
        fit = learn_answers(problem, sample(problem, fit, lesson))
    burn_in = rules.first_burn_in if carried is None else rules.burn_in
    return result(problem, sample(problem, fit, Plan(burn_in, rules.samples, rules.thin)))


# -- start -------------------------------------------------------------------------------------------------


def cold_start(problem: ForestProblem, streams: Sequence[Generator]) -> ForestFit:
    """Start with every object alone; answers that are there already are as likely as the map says."""
    near, usual = problem.candidates.near, learn_calibration(problem.graph.evidence, slope=FOREST.slope)
    alone = np.full((FOREST.chains, problem.candidates.nodes), -1, np.int32)
    first = PairMap.at(near.names, problem.start)
    found = Surprises.none()
    new = found.new(problem.graph.judging(problem.answers), near)
    surprises = found.adding(new, np.zeros(len(new)))
    ratios = answer_ratios(problem.graph, usual)
    return ForestFit(streams, alone, alone[0], first, Scale(), surprises, usual, ratios)


def warm_start(
    problem: ForestProblem, carried: CarriedForests, streams: Sequence[Generator], rng: Generator
) -> ForestFit:
    """Start from the last forest of each chain, and note what was expected of candidates with new answers."""
    near, surprises = problem.candidates.near, carried.surprises.answered(problem.answers)
    new = surprises.new(problem.graph.judging(problem.answers), near)
    if len(new):
        surprises = surprises.adding(new, carried.offsets(near, new))
    ratios = answer_ratios(problem.graph, carried.calibration)
    known = carried.pair_map
    if known.names != near.names:  # other features came with more objects
        known = PairMap.at(near.names, problem.start)
    scale = carried.scale._replace(slope=float(np.clip(carried.scale.slope, *slopes_of(problem.candidates))))
    prior = partial(tree_prior_of, problem.candidates, known, scale)
    parents, own = carried.forests(problem.graph, prior, FOREST.chains, rng)
    return ForestFit(streams, parents, own, known, scale, surprises, carried.calibration, ratios)


# -- the prior: map and scale ------------------------------------------------------------------------------


def learn_map(problem: ForestProblem, fit: ForestFit) -> ForestFit:
    """Learn what each feature is worth from all surprises so far."""
    near, evidence = problem.candidates.near, problem.graph.evidence
    return replace(fit, pair_map=fit.surprises.learned(near, problem.start, evidence, fit.calibration))


def scaled(problem: ForestProblem, fit: ForestFit, rng: Generator, *, first: bool) -> ForestFit:
    """Move the scale towards where the prior by itself gives candidates what the map gives them."""
    scale, own = rescaled(problem.candidates, fit.pair_map, fit.scale, fit.own, rng, first=first)
    return replace(fit, scale=scale, own=own)


def weighed(problem: ForestProblem, fit: ForestFit) -> ForestFit:
    """Give the candidates the weights that follow from map and scale."""
    return replace(fit, prior=tree_prior_of(problem.candidates, fit.pair_map, fit.scale))


# -- sample (the E step) and learn (the M step) ------------------------------------------------------------


class ForestSegment(NamedTuple):
    """What running a chain on gave: where it then is, its samples, and the sums that P(same) comes from."""

    rng: Generator
    parents: Parents  # (nodes,)
    drawn: tuple[NDArray[np.int32], Parents]
    candidate_sums: Floats
    answer_sums: Floats


def run_on(prior: Any, answers: Any, parents: Parents, plan: Plan, rng: Generator) -> ForestSegment:
    """Run a chain on from a forest, with a copy of its random numbers: it may be another process's."""
    from ofakind.kernels.partition.forest import forest_at
    from ofakind.kernels.partition.forest_chain import sample_forests

    forest, rng = forest_at(parents), twin_of(rng)
    sums = np.zeros(len(prior.candidates.indices)), np.zeros(len(answers.indices))
    sweeps = (plan.burn_in, plan.samples, plan.thin)
    labels, drawn, _ = sample_forests(prior, answers, forest, sweeps, sums, rng)
    return ForestSegment(rng, forest.parent, (labels, drawn), *sums)


def revised_and_run_on(
    prior: Any, answers: Any, older: Parents, nodes: Ints, plan: Plan, rng: Generator
) -> ForestSegment:
    """Draw the parents of some nodes anew in a chain's older samples, and run it on from the last of them."""
    from ofakind.kernels.partition.forest_chain import revise_forests

    rng = twin_of(rng)
    kept = revise_forests(prior, answers, older, nodes, rng)
    found = run_on(prior, answers, kept[1][-1], plan, rng)
    labels, parents = (np.concatenate(each) for each in zip(kept, found.drawn, strict=True))
    return found._replace(drawn=(labels, parents))


def sample(
    problem: ForestProblem, fit: ForestFit, plan: Plan, kept: tuple[Sequence[Parents], Ints] | None = None
) -> ForestFit:
    """Run all chains on; where older samples of each are ``kept``, once these nodes have a parent anew."""
    from ofakind.kernels.partition.chain import canonical_rows

    graph, prior = problem.graph, fit.prior
    answers = answer_weights(graph, fit.ratios)
    given = [(resolved(prior, chain), answers) for chain in range(len(fit.streams))]
    work = (len(prior.candidates.indices) + len(answers.indices)) * (plan.burn_in + plan.samples * plan.thin)
    share_out = run_on_all_cores if work > FOREST.much_work else run_each
    if kept is None:
        calls = [
            (*each, row, plan, rng) for each, row, rng in zip(given, fit.parents, fit.streams, strict=True)
        ]
        segments = list(share_out(run_on, calls, problem.n_jobs))
    else:
        older = zip(given, kept[0], fit.streams, strict=True)
        several = [(*each, rows, kept[1], plan, rng) for each, rows, rng in older]
        segments = list(share_out(revised_and_run_on, several, problem.n_jobs))
    count = plan.samples * len(segments)
    drawn = DrawnForests(
        canonical_rows(np.concatenate([segment.drawn[0] for segment in segments])),
        np.concatenate([segment.drawn[1] for segment in segments]),
        problem.candidates.shares(np.sum([segment.candidate_sums for segment in segments], axis=0), count),
        np.clip(graph.shares(np.sum([segment.answer_sums for segment in segments], axis=0), count), 0.0, 1.0),
    )
    streams, parents = zip(*((segment.rng, segment.parents) for segment in segments), strict=True)
    return _scored(problem, replace(fit, streams=streams, parents=np.array(parents), drawn=drawn))


def learn_answers(problem: ForestProblem, fit: ForestFit) -> ForestFit:
    """Learn what answers are worth from the newest samples."""
    known = fit.calibration, fit.samples.same, fit.ratios
    found = learned_calibration(problem.graph, *known, slope=FOREST.slope)
    return replace(fit, calibration=found, ratios=answer_ratios(problem.graph, found))


def _scored(problem: ForestProblem, fit: ForestFit) -> ForestFit:
    found = log_predictive(problem.graph.evidence, fit.calibration, fit.samples.same, fit.ratios)
    return replace(fit, log_likelihood=(*fit.log_likelihood, found))


# -- a round in which little is new ------------------------------------------------------------------------


def little_news(problem: ForestProblem, carried: CarriedForests, fit: ForestFit) -> News | None:
    """Return what is new if most samples can be kept, or None if all must be drawn."""
    near, rows, answers = problem.candidates.near, rows_of_each(carried.chain), problem.answers
    new = answers.since(carried.n_answers)
    many = draws(len(new), len(answers), carried.renewed_at, FOREST.samples)
    whole = len(rows) == FOREST.chains and {FOREST.samples} == set(map(len, rows))
    if carried.moved or not whole or many >= FOREST.samples or carried.pair_map.names != near.names:
        return None
    before, now = (log_odds(near, each) for each in (carried.pair_map, fit.pair_map))
    drift = carried.drift + drift_between(before, now)
    if drift > INCREMENTAL.drift or not diagnose(carried.labels, carried.chain).converged:
        return None
    nodes, _ = problem.graph.concerned(np.unique(np.concatenate([new.u, new.v])))
    return News(many, nodes, companions(problem.graph.onto_nodes(carried.labels), nodes), drift)


def updated(problem: ForestProblem, carried: CarriedForests, fit: ForestFit, news: News) -> ForestSamples:
    """Keep most samples, brought up to date around the new answers, draw some, and learn from all."""
    plan = Plan(0, news.draws, sweeps(problem.graph.nodes))
    older = [carried.parents[rows[news.draws :]] for rows in rows_of_each(carried.chain)]
    fit = sample(problem, fit, plan, (older, news.concerned))
    met = companions(fit.samples.labels, news.nodes)
    fit = learn_answers(problem, replace(fit, drawn=_looked_up(problem, carried, fit, met, plan)))
    found = result(problem, _scored(problem, fit))
    stale = problem.graph.objects_in(np.union1d(news.concerned, met))
    return replace(found, renewed_at=carried.renewed_at, drift=news.drift, stale=stale)


def _looked_up(
    problem: ForestProblem, carried: CarriedForests, fit: ForestFit, nodes: Ints, plan: Plan
) -> DrawnForests:
    """Return the samples with P(same) from all of them: of these nodes anew, else what was known counts."""
    graph, near, drawn = problem.graph, problem.candidates, fit.samples
    share = plan.samples / FOREST.samples
    chain = np.repeat(np.arange(len(fit.parents)), len(drawn.parents) // len(fit.parents))
    source = fit.prior, answer_weights(graph, fit.ratios), drawn.parents, chain
    of_candidates = around(Entries(near.indptr, near.indices, near.entry, near.place), nodes, source)
    of_answered = around(Entries(*graph.frame, graph.pair_of_entry, graph.place), nodes, source)
    before, old = drawn.same.copy(), np.zeros(len(drawn.same), np.bool_)
    old[graph.evidence.pair[graph.evidence.row < carried.n_answers]] = True
    before[old] = carried.answered_same
    return drawn._replace(
        candidate_same=blended(carried.candidate_same, drawn.candidate_same, share, of_candidates),
        same=blended(before, drawn.same, share, of_answered),
    )


# -- the result --------------------------------------------------------------------------------------------


def result(problem: ForestProblem, fit: ForestFit) -> ForestSamples:
    """Return the posterior that the newest samples are."""
    graph, drawn = problem.graph, fit.samples
    each = len(drawn.labels) // len(fit.parents)
    score = fit.log_likelihood[-1]
    return ForestSamples(
        similarity=graph.similarity,
        prior=fit.prior,
        graph=answer_weights(graph, fit.ratios),
        labels=read_only(graph.onto_objects(drawn.labels)),
        parents=read_only(drawn.parents),
        chain=read_only(np.repeat(np.arange(len(fit.parents)), each)),
        calibration=fit.calibration,
        pair_map=fit.pair_map,
        scale=fit.scale,
        surprises=fit.surprises,
        own=read_only(fit.own),
        candidates=problem.candidates.near.pairs,
        candidate_same=read_only(drawn.candidate_same),
        answered_same=read_only(drawn.same),
        n_answers=len(problem.answers),
        log_likelihood=fit.log_likelihood,
        fit=LeaveOneOut.of(graph.evidence, fit.calibration, drawn.same, score=score),
        renewed_at=len(problem.answers),
        pins=graph.pins,
    )
