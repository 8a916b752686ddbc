"""One round of our posterior, from top to bottom: expectation maximisation over samples of partitions.

    start, (sample, learn)*, temper, sample, perhaps restart

The chains say how likely each pair is of a kind; from that is learned what answers are worth (calibration);
and with that the chains go on. Every step is a function of the `Problem` and a `Fit`, neither of which ever
changes, and returns a new `Fit`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, T
from ofakind.kernels import portable
from ofakind.noise.calibration import CALIBRATION, Calibration, pair_weights
from ofakind.noise.calibration import learn as learn_calibration
from ofakind.noise.correlated_errors import correlation
from ofakind.noise.evidence import Evidence
from ofakind.noise.leave_one_out import log_predictive
from ofakind.noise.tempering import UNTEMPERED, Tempering
from ofakind.parallel import run_each, run_on_all_cores
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.calibrated import answer_ratios, learned_calibration
from ofakind.posterior.partition.carried import CarriedSamples
from ofakind.posterior.partition.chains import Chain, chains_at, rows_of_each, run_on
from ofakind.posterior.partition.restarts import Reading, alternatives, is_doubtful, is_due, margin
from ofakind.posterior.partition.samples import PartitionSamples
from ofakind.posterior.partition.schedule import LOOK, Plan, Schedule, gathered, seated
from ofakind.posterior.partition.size_prior import PriorGrid, blocked_grid, prior_grid
from ofakind.posterior.partition.told import contracted_pairs
from ofakind.solve.multilevel import Multilevel
from ofakind.solve.pinned import contracted


@dataclass(frozen=True, slots=True)
class RoundRules:
    """Tuned numbers of a round, all chosen by judgement on runs with simulated noise."""

    heats: tuple[float, ...] = (0.25, 0.35, 0.5, 0.7)  # inverse temperatures of a cold start
    sweeps: int = 10  # at each
    correlated: float = 5.0  # deviations of the errors' correlation beyond which calibration is not learned
    settled: float = 0.5  # agreement of the chains from which on their predictions are judged
    usual: float = 0.3  # questions for each object in a usual round; smaller ones are parts of one
    much_work: int = 20_000  # entries that a chain reads, from which on another thread is worth its start


ROUND = RoundRules()


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What a round is given: the answers, the prior, how much to sample."""

    graph: AnswerGraph
    grid: Callable[[], PriorGrid]
    exponent: float
    schedule: Schedule
    calibrate: bool
    n_jobs: int | None

    @property
    def answers(self) -> Answers:
        """All answers, in order of arrival."""
        return self.graph.answers

    @property
    def empty(self) -> bool:
        """Whether nothing is answered, about so many objects that going through it would take long."""
        return self.schedule.quick and not len(self.answers)


def grid_of(graph: AnswerGraph, exponent: float) -> Callable[[], PriorGrid]:
    """Return how to make the prior's grid; with candidates, all other pairs are treated as different."""
    candidates, ties = graph.candidate_nodes(), graph.ties
    units = None if ties is None else ties.units
    if candidates is None:
        return partial(prior_grid, graph.nodes, exponent, units)
    if ties is not None:
        candidates = contracted_pairs(candidates, ties.unit)
    return partial(blocked_grid, graph.nodes, exponent, candidates, units)


class Drawn(NamedTuple):
    """Samples of all chains, and P(same) of each answered pair."""

    labels: NDArray[np.int32]
    places: Ints  # in the grid of alphas
    same: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Where a round stands: the chains, what answers are worth, the newest samples.

    ``ratios`` are the log ratios of the answered pairs under the calibration. ``log_likelihood`` is how well
    each answer was predicted from all others, each time that samples were drawn.
    """

    chains: Sequence[Chain]
    calibration: Calibration
    ratios: Floats
    tempering: Tempering = UNTEMPERED
    drawn: Drawn | None = None
    log_likelihood: tuple[float, ...] = ()

    @property
    def samples(self) -> Drawn:
        """The newest samples."""
        if self.drawn is None:
            raise AssertionError("nothing was sampled yet")
        return self.drawn


class Past(NamedTuple):
    """What the round before says of this one: its tempering, and what it predicted of the new answers.

    With ``draws``, its samples are kept but for the ``stale`` objects, and only so many are drawn.
    """

    tempering: Tempering = UNTEMPERED
    new: Evidence | None = None
    predicted: Floats = np.empty(0)
    draws: int | None = None
    stale: Ints = np.empty(0, np.int64)


# -- a round -----------------------------------------------------------------------------------------------


def one_round(problem: Problem, carried: CarriedSamples | None, rng: Generator) -> PartitionSamples:
    """Sample given all answers, going on from what was carried over; restart where that is clearly better."""
    found = run(problem, carried, rng)
    tried_at = 0 if carried is None else carried.tried_at
    if found.calibration.slope is not None or not found.n_answers:
        return replace(found, tried_at=tried_at)
    return perhaps_restart(problem, found, tried_at, rng.spawn(1)[0])


def run(
    problem: Problem,
    carried: CarriedSamples | None,
    rng: Generator,
    *,
    labels: Ints | None = None,
    calibration: Calibration | None = None,
) -> PartitionSamples:
    """Sample without a look at alternatives; a cold start may begin at a partition, or a calibration."""
    streams = rng.spawn(problem.schedule.chains)
    if carried is None:
        fit, past = cold_start(problem, streams, labels=labels, calibration=calibration), Past()
    else:
        fit, past = warm_start(problem, carried, streams)
    if past.draws is not None and carried is not None:  # so little is new that what is learned can wait
        fit = sample(
            problem, replace(fit, tempering=past.tempering), Plan(0, past.draws, problem.schedule.sweeps)
        )
        if fit.calibration.slope is None:
            fit = learn(problem, fit)
        found = result(problem, scored(problem, temper(problem, fit, past)))
        return replace(found, renewed_at=carried.renewed_at, stale=past.stale)
    for plan in lessons(problem, first=carried is None):
        fit = learn(problem, sample(problem, fit, plan))
    fit = temper(problem, without_correlated(problem, fit), past)
    return result(problem, sample(problem, fit, problem.schedule.final))


# -- start -------------------------------------------------------------------------------------------------


def cold_start(
    problem: Problem,
    streams: Sequence[Generator],
    *,
    labels: Ints | None = None,
    calibration: Calibration | None = None,
) -> Fit:
    """Start at a partition; or with all objects alone and cooled down, every second chain at a solution."""
    graph, usual = problem.graph, calibration or _usual(problem)
    n, ratios = graph.nodes, answer_ratios(graph, usual)
    if labels is not None:
        return Fit(chains_at(graph.onto_nodes(np.array([labels] * len(streams))), streams), usual, ratios)
    solved = np.arange(n)
    if calibration is None:
        pins, sums = graph.pins, graph.similarity
        sums = sums if pins is None else contracted(sums, pins)
        solved = Multilevel()(sums, start=None, rng=streams[0]).labels
    alone = np.arange(n) if graph.ties is None else graph.ties.unit
    starts = [solved if chain % 2 else alone for chain in range(len(streams))]
    if graph.candidates is None and (problem.schedule.quick or graph.ties is not None):
        gather = gathered if graph.ties is None else seated
        starts = [gather(start, rng) for start, rng in zip(starts, streams, strict=True)]
    chains = chains_at(starts, streams)
    if not problem.empty:
        chains[::2] = _cooled(problem, chains[::2], ratios)
    return Fit(chains, usual, ratios)


def warm_start(problem: Problem, carried: CarriedSamples, streams: Sequence[Generator]) -> tuple[Fit, Past]:
    """Start from the last state of each chain, and see how well the answers since then were predicted."""
    new = problem.answers.since(carried.n_answers)
    rows, graph = rows_of_each(carried.chain), problem.graph
    last = np.resize([each[-1] for each in rows], len(streams))
    ratios = answer_ratios(graph, carried.calibration)
    fit = Fit(chains_at(graph.onto_nodes(carried.labels[last]), streams), carried.calibration, ratios)
    before = _before(problem, carried)
    agreement, past = before.diagnostics, Past(carried.tempering)
    if agreement.between > ROUND.settled:  # a belief that chains do not share is not judged
        evidence = Evidence.of(graph.judging(new))
        predicted = before.same_probability(evidence.pairs.u, evidence.pairs.v)
        past = Past(carried.tempering, evidence, predicted)
    changes = len(new) + len(carried.touched)
    draws = problem.schedule.draws(changes, len(problem.answers), carried.renewed_at)
    older = problem.schedule.final.samples - draws
    if not agreement.converged or not older or len(rows) != len(streams) or min(map(len, rows)) < older:
        return fit, past
    nodes, stale = graph.concerned(np.unique(np.concatenate([new.u, new.v, carried.touched])))
    chains = [
        chain._replace(older=graph.onto_nodes(carried.labels[each[-older:]]), stale=nodes)
        for chain, each in zip(fit.chains, rows, strict=True)
    ]
    return replace(fit, chains=chains), past._replace(draws=draws, stale=stale)


def _cooled(problem: Problem, chains: Sequence[Chain], ratios: Floats) -> Sequence[Chain]:
    """Let chains cool down, from answers that count for little to answers that count nearly in full."""
    for heat in ROUND.heats:
        weights = problem.graph.weights(ratios, heat=heat)
        chains, _ = _run_on(problem, chains, weights, Plan(ROUND.sweeps, 0, 1))
    return chains


def _before(problem: Problem, carried: CarriedSamples) -> PartitionSamples:
    """Return the posterior of the round before, as far as the answers are those of then."""
    graph = problem.graph.before(carried.n_answers, tempered=carried.tempering.value != 1)
    return carried.posterior(graph, problem.exponent)


# -- sample (the E step) -----------------------------------------------------------------------------------


def lessons(problem: Problem, *, first: bool) -> list[Plan]:
    """Return how to sample each time before calibration is learned."""
    if not problem.calibrate or problem.empty:
        return []
    schedule = problem.schedule
    return [LOOK, *[schedule.lesson] * (schedule.first_lessons if first else schedule.later_lessons)]


def sample(problem: Problem, fit: Fit, plan: Plan) -> Fit:
    """Run all chains on."""
    weights = problem.graph.weights(fit.ratios, fit.tempering)
    chains, drawn = _run_on(problem, fit.chains, weights, plan)
    return scored(problem, replace(fit, chains=chains, drawn=drawn))


def scored(problem: Problem, fit: Fit) -> Fit:
    """Note how well each answer is predicted from all others."""
    found = log_predictive(problem.graph.evidence, fit.calibration, fit.samples.same, fit.ratios)
    return replace(fit, log_likelihood=(*fit.log_likelihood, found))


def _run_on(
    problem: Problem, chains: Sequence[Chain], weights: Floats, plan: Plan
) -> tuple[Sequence[Chain], Drawn]:
    graph = problem.graph
    calls = [(chain, problem.grid, plan, graph.frame, weights, graph.ties) for chain in chains]
    work = len(weights) * (plan.burn_in + plan.samples * plan.thin)
    share_out = run_on_all_cores if work > ROUND.much_work else run_each
    segments = list(share_out(run_on, calls, problem.n_jobs))
    together = sum((segment.together for segment in segments), start=np.zeros(len(weights)))
    drawn = Drawn(
        np.concatenate([segment.labels for segment in segments]),
        np.concatenate([segment.places for segment in segments]),
        graph.shares(together, plan.samples * len(segments)),
    )
    return [segment.chain for segment in segments], drawn


# -- learn (the M step) ------------------------------------------------------------------------------------


def learn(problem: Problem, fit: Fit) -> Fit:
    """Learn what answers are worth; where nearly all say the same, no contrast can teach it."""
    if not problem.calibrate:
        return _calibrated(problem, fit, Calibration.fixed(CALIBRATION.slope))
    found = learned_calibration(problem.graph, fit.calibration, fit.samples.same, fit.ratios)
    return _calibrated(problem, fit, found)


def without_correlated(problem: Problem, fit: Fit) -> Fit:
    """Fall back to the usual worth of answers where errors are strongly correlated, in the chains' eyes."""
    if not problem.calibrate or problem.schedule.quick:
        return fit
    partitions = problem.graph.onto_objects(np.array([chain.labels for chain in fit.chains]))
    if correlation(problem.graph.evidence, partitions) <= ROUND.correlated:
        return fit
    return _calibrated(problem, fit, Calibration.fixed(CALIBRATION.slope))


def _calibrated(problem: Problem, fit: Fit, calibration: Calibration) -> Fit:
    return replace(fit, calibration=calibration, ratios=answer_ratios(problem.graph, calibration))


def _usual(problem: Problem) -> Calibration:
    """Return what answers are worth before anything is learned."""
    if not problem.calibrate:
        return Calibration.fixed(CALIBRATION.slope)
    return learn_calibration(problem.graph.evidence)


# -- temper ------------------------------------------------------------------------------------------------


def temper(problem: Problem, fit: Fit, past: Past) -> Fit:
    """Trust calibration as far as the new answers were predicted, if they were by anybody."""
    if past.new is None:
        return replace(fit, tempering=past.tempering)
    ratios = pair_weights(past.new, fit.calibration)
    rounds = min(1.0, len(ratios) / (ROUND.usual * problem.answers.n))
    return replace(fit, tempering=past.tempering.after(past.predicted, ratios, rounds))


# -- the result --------------------------------------------------------------------------------------------


def result(problem: Problem, fit: Fit) -> PartitionSamples:
    """Return the posterior that the newest samples are."""
    from ofakind.kernels.partition.chain import canonical_rows

    graph, drawn, schedule = problem.graph, fit.samples, problem.schedule
    return PartitionSamples(
        similarity=graph.similarity,
        frame=graph.frame,
        weights=graph.weights(fit.ratios, fit.tempering),
        background=graph.background,
        labels=_frozen(graph.onto_objects(canonical_rows(drawn.labels))),
        chain=_frozen(np.repeat(np.arange(schedule.chains), schedule.final.samples)),
        concentration=_frozen(portable.exp(problem.grid().log_alphas[drawn.places])),
        exponent=problem.exponent,
        calibration=fit.calibration,
        tempering=fit.tempering,
        answered_same=_frozen(np.clip(drawn.same, 0.0, 1.0)),
        n_answers=problem.answers.values.size,
        log_likelihood=fit.log_likelihood,
        renewed_at=problem.answers.values.size,
        pins=graph.pins,
        ties=graph.ties,
    )


def _frozen(array: NDArray[T]) -> NDArray[T]:
    """Let a new array not be written to from now on."""
    array.flags.writeable = False
    return array


# -- perhaps restart ---------------------------------------------------------------------------------------


def perhaps_restart(
    problem: Problem, found: PartitionSamples, tried_at: int, rng: Generator
) -> PartitionSamples:
    """Start again with other readings of the answers, if that is due; keep the clearly best one.

    Where new answers were not predicted as they should be (a tempering below 1), errors are not independent;
    then an answer that others predict proves nothing, and nothing is tried. Restarts are drawn hastily, which
    flatters them: the best one must keep its margin when it is drawn with all chains.
    """
    evidence, schedule = problem.graph.evidence, problem.schedule
    mine = Reading.of(found)
    fit = mine.summary(evidence)
    if found.tempering.value < 1 or not is_due(fit, tried_at, found.n_answers, quick=schedule.quick):
        return replace(found, fit=fit, tried_at=tried_at)
    hasty = replace(problem, schedule=schedule.scouting())
    scouts = [
        Reading.of(run(hasty, None, rng, calibration=other))
        for other in alternatives(evidence, rng, doubtful=is_doubtful(fit))
    ]
    best = max(scouts, key=lambda reading: reading.score)
    if best.score > mine.score + margin(fit):
        carried = CarriedSamples.of(best.posterior)
        best = Reading.of(run(problem, carried, rng))
    chosen = best if best.score > mine.score + margin(fit) else mine
    return replace(chosen.posterior, fit=chosen.summary(evidence), tried_at=found.n_answers)
