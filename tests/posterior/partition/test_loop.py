"""The steps of a round: what each takes over from the round before, and what it leaves to the next."""

from dataclasses import replace

import numpy as np
import pytest

from ofakind import Answers
from ofakind.noise.calibration import Calibration, learn, pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.noise.tempering import Tempering
from ofakind.posterior.partition import loop
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.carried import CarriedSamples
from ofakind.posterior.partition.loop import Drawn, Fit, Past, Problem, grid_of
from ofakind.posterior.partition.schedule import QUICK, THOROUGH

TRUTH = np.arange(12) % 3
SURPRISED = Tempering().after(np.full(100, 0.99), np.resize([3.0, -3.0], 100))


def every_pair(n):
    return np.stack(np.triu_indices(n, 1), axis=1)


def right(pairs):
    return np.where(TRUTH[pairs[:, 0]] == TRUTH[pairs[:, 1]], 1.0, -1.0)


def problem_of(answers, schedule=THOROUGH):
    graph = AnswerGraph.of(answers)
    return Problem(graph, grid_of(graph, 1.0), exponent=1.0, schedule=schedule, calibrate=True, n_jobs=None)


def streams(count):
    return np.random.default_rng(0).spawn(count)


def fit_of(problem, *, same=None, tempering=SURPRISED):
    """A fit under the usual worth of answers, whose samples are the truth."""
    usual = learn(problem.graph.evidence)
    samples = problem.schedule.chains * problem.schedule.final.samples
    labels = np.tile(TRUTH, (samples, 1)).astype(np.int32)
    drawn = Drawn(labels, np.zeros(samples, np.int64), np.ones(0) if same is None else same)
    return Fit((), usual, pair_weights(problem.graph.evidence, usual), tempering, drawn)


def one_answer_more():
    """A problem of a short round, with a new answer about objects 10 and 11, and what was carried over."""
    pairs = every_pair(12)
    answers = Answers.none(12).adding(pairs, right(pairs))
    answers = answers.adding(pairs[-60:], right(pairs[-60:]))
    labels, chain = np.tile(TRUTH, (16, 1)).astype(np.int32), np.repeat([0, 1], 8)
    usual = learn(Evidence.of(answers))
    carried = CarriedSamples(
        labels, chain, np.ones(16), usual, SURPRISED, len(answers) - 1, renewed_at=len(answers) - 1
    )
    return problem_of(answers, QUICK), carried


# -- start -------------------------------------------------------------------------------------------------


def test_without_anything_carried_over_every_second_chain_starts_at_a_solution(monkeypatch):
    monkeypatch.setattr(loop, "_cooled", lambda _problem, chains, _ratios: chains)
    pairs = every_pair(12)
    fit = loop.cold_start(problem_of(Answers.none(12).adding(pairs, right(pairs))), streams(4))
    alone = np.arange(12)
    np.testing.assert_array_equal([chain.labels for chain in fit.chains], [alone, TRUTH, alone, TRUTH])


def test_chains_that_start_alone_are_cooled_down_as_answers_count_for_more_and_more(monkeypatch):
    strongest = []

    def watched(_problem, chains, weights, _plan):
        strongest.append(np.abs(weights).max())
        return chains, None

    monkeypatch.setattr(loop, "_run_on", watched)
    loop.cold_start(problem_of(Answers.none(3).adding([(0, 1), (1, 2)], [1.0, -1.0])), streams(2))
    np.testing.assert_allclose(strongest, 3 * np.array([0.25, 0.35, 0.5, 0.7]))


def test_each_chain_starts_from_its_last_carried_sample():
    labels = np.array([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 1, 1], [0, 1, 2, 2]], np.int32)
    carried = CarriedSamples(
        labels, np.array([0, 0, 1, 1]), np.ones(4), Calibration.fixed(3.0), Tempering(), 0
    )
    answers = Answers.none(4).adding([(0, 1)], [1.0])
    fit, _ = loop.warm_start(problem_of(answers), carried, streams(2))
    np.testing.assert_array_equal([chain.labels for chain in fit.chains], labels[[1, 3]])


def test_both_objects_of_a_new_answer_are_brought_up_to_date_in_older_samples():
    problem, carried = one_answer_more()
    fit, past = loop.warm_start(problem, carried, streams(2))
    assert past.draws is not None
    assert [chain.stale.tolist() for chain in fit.chains] == [[10, 11], [10, 11]]
    assert [len(chain.older) for chain in fit.chains] == [8 - past.draws] * 2


# -- learn -------------------------------------------------------------------------------------------------


def test_only_pairs_that_are_known_from_elsewhere_tell_how_often_looks_mislead():
    known, guessed = [(0, i) for i in range(1, 101)], [(101, i) for i in range(102, 202)]
    values = np.r_[np.full(30, -1.0), np.full(170, 1.0)]  # 30 of the known ones look different
    answers = Answers.none(202).adding((known + guessed) * 3, np.tile(values, 3))
    problem = problem_of(answers)
    same = np.r_[
        np.full(100, 1 - 1e-7), np.full(100, 1 / (1 + np.exp(-7)))
    ]  # the others: by their own answers
    calibration = loop.learn(problem, fit_of(problem, same=same)).calibration
    assert calibration.misleading[0] == pytest.approx(0.25, abs=0.02)  # 30 %, shrunk to its prior


# -- temper ------------------------------------------------------------------------------------------------


def test_tempering_goes_on_from_that_of_the_round_before():
    problem = problem_of(Answers.none(12).adding([(0, 1)], [-1.0]))
    past = Past(SURPRISED, problem.graph.evidence, np.array([0.1]))
    assert SURPRISED.value < 0.2
    # One answer that was predicted does not make up for a hundred surprises.
    assert loop.temper(problem, fit_of(problem), past).tempering.value < 0.3


def test_where_nothing_is_judged_tempering_stays_as_it_was():
    untempered = fit_of(problem_of(Answers.none(12)), tempering=Tempering())
    assert loop.temper(problem_of(Answers.none(12)), untempered, Past(SURPRISED)).tempering is SURPRISED


def test_what_is_sampled_in_a_short_round_is_tempered_as_in_the_round_before(monkeypatch):
    problem, carried = one_answer_more()
    values, sample = [], loop.sample
    monkeypatch.setattr(
        loop, "sample", lambda *given: values.append(given[1].tempering.value) or sample(*given)
    )
    loop.run(problem, carried, np.random.default_rng(0))
    assert values == [SURPRISED.value]


# -- the result --------------------------------------------------------------------------------------------


def test_the_weights_of_a_posterior_are_tempered():
    answers = Answers.none(12).adding([(0, 1)] * 4, [1.0, 1.0, 1.0, -1.0])
    problem = problem_of(answers)
    fit = replace(fit_of(problem, same=np.ones(1)), ratios=np.array([6.0]))
    plain = 3 * 0.5  # three times the mean answer
    expected = SURPRISED.value * 6 + (1 - SURPRISED.value) * plain
    np.testing.assert_allclose(loop.result(problem, fit).weights, expected)


# -- perhaps restart ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("better", "followed"), [(5.0, False), (50.0, True)])
def test_a_restart_must_keep_its_margin_when_it_is_drawn_with_all_chains(monkeypatch, better, followed):
    pairs = every_pair(12)
    doubtful = np.random.default_rng(0).choice([-1.0, 1.0], len(pairs))
    problem = problem_of(Answers.none(12).adding(pairs, doubtful))
    fit = fit_of(problem, same=np.full(len(pairs), 0.5), tempering=Tempering())
    found = replace(loop.result(problem, fit), log_likelihood=(-50.0,))

    def drawn(_problem, carried, _rng, *, calibration=None):
        assert (carried is None) == (calibration is not None)
        return replace(found, log_likelihood=(-10.0 if carried is None else -50.0 + better,))

    monkeypatch.setattr(loop, "run", drawn)
    chosen = loop.perhaps_restart(problem, found, 0, np.random.default_rng(0))
    assert chosen.tried_at == len(pairs)
    assert chosen.log_likelihood == (-50.0 + better * followed,)
