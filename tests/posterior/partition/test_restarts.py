"""Other readings of the answers: liars are noticed, what was learned does not run off, all else stays."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

from ofakind import ActiveClustering, Answers, ContradictedWarning, adjusted_rand_index
from ofakind.engine.document import plain
from ofakind.noise.calibration import Calibration, learn, pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.noise.leave_one_out import LeaveOneOut, by_chance, log_predictive
from ofakind.posterior.partition import loop
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.restarts import RESTART, Reading, alternatives, is_due
from ofakind.report.assessment import errors_correlate
from ofakind.study.random_problems import draw

BELIEF = PartitionBelief()


def every_pair(n):
    return np.stack(np.triu_indices(n, 1), axis=1)


def told(truth, count, wrong, *, seed=0):
    """Answers to random pairs; ``wrong`` says how often each annotator answers the opposite of the truth."""
    rng, pairs = np.random.default_rng(seed), every_pair(len(truth))
    pairs = pairs[rng.permutation(len(pairs))[:count]]
    right = np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 1.0, -1.0)
    who = rng.integers(len(wrong), size=len(pairs))
    flipped = rng.random(len(pairs)) < np.array(list(wrong.values()))[who]
    return Answers.none(len(truth)).adding(
        pairs, np.where(flipped, -right, right), [list(wrong)[i] for i in who]
    )


def follow(answers, *, belief=BELIEF, carried=None, seed=0):
    return belief.update(answers, carried=carried, rng=np.random.default_rng(seed))


def agreement(posterior, truth):
    return np.mean([adjusted_rand_index(labels, truth) for labels in posterior.labels])


def run(truth, budget, share, *, seed=0):
    """Return a learner whose answers are flipped at random, and a fresh one with the same answers."""
    rng, learner = np.random.default_rng(seed), ActiveClustering(len(truth), seed=seed)
    while learner.n_answers < budget and len(pairs := learner.ask()):
        right = np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0)
        learner.tell(pairs, np.where(rng.random(len(right)) < share, -right, right))
    fresh = ActiveClustering(len(truth), seed=seed)
    fresh.tell(np.stack([learner.answers.u, learner.answers.v], axis=1), learner.answers.values)
    return learner, fresh


# -- liars -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [2, 5])
@pytest.mark.parametrize("seed", range(2))
def test_who_inverts_everything_is_read_the_other_way_round(groups, seed):
    truth = np.arange(60) % groups
    posterior = follow(told(truth, 900, {"liar": 1.0}, seed=seed), seed=seed)
    assert agreement(posterior, truth) > 0.95
    assert min(posterior.calibration.error_rates()) > 0.5
    assert posterior.fit.contradicted > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [
        {"a": 0.0, "b": 0.0, "c": 0.05, "x": 1.0},
        {"a": 0.0, "b": 0.0, "x": 1.0, "y": 1.0},
        {"a": 0.05, "x": 1.0, "y": 1.0, "z": 0.95},
    ],
)
def test_liars_among_honest_people_are_told_apart_even_if_they_are_many(wrong):
    truth = np.arange(60) % 5
    posterior = follow(told(truth, 1500, wrong))
    assert agreement(posterior, truth) > 0.95
    for name, share in wrong.items():
        assert max(posterior.calibration.error_rates(name)) == pytest.approx(share, abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_liar_who_answers_round_by_round_is_noticed_and_warned_of(seed):
    truth = np.arange(60) % 4
    learner, _ = run(truth, 800, 1.0, seed=seed)
    assert adjusted_rand_index(learner.labels, truth) > 0.95
    with pytest.warns(ContradictedWarning, match="contradict 100 % of the answers: .* opposite"):
        _ = learner.accuracy


def test_a_liar_about_objects_that_are_all_alone_is_believed():
    truth = np.arange(20)
    posterior = follow(told(truth, 190, {"liar": 1.0}))  # all answers are "same", as in one cluster
    assert posterior.share_same > 0.99


# -- the worth of answers does not run off -----------------------------------------------------------------


@pytest.mark.slow
def test_groups_of_three_are_found_about_as_well_as_by_a_fresh_learner():
    truth, found = np.arange(60) % 20, []
    for seed in range(2):
        both = run(truth, 1770, 0.05, seed=seed)
        found.append([adjusted_rand_index(learner.labels, truth) for learner in both])
    kept, fresh = np.mean(found, axis=0)
    assert fresh > 0.8
    assert kept > fresh - 0.15


def test_what_was_carried_over_and_is_astray_is_left_behind():
    truth = np.arange(60) % 5
    answers = told(truth, 900, {"a": 0.05})
    astray = BELIEF.carry(follow(answers.first(600)))
    evidence = Evidence.of(answers.first(600))
    together = learn(evidence, np.ones(len(evidence.pairs)))  # all are of a kind, and most answers wrong
    astray = replace(astray, labels=np.zeros_like(astray.labels), calibration=together)
    posterior = follow(answers, carried=astray)
    assert agreement(posterior, truth) > 0.95


# -- nothing else changes ----------------------------------------------------------------------------------


def test_where_it_is_rejected_nothing_changes(monkeypatch):
    truth = np.arange(60) % 6
    answers = told(truth, 500, {"a": 0.2})
    carried = replace(BELIEF.carry(follow(answers.first(200))), tried_at=200)
    with_one = follow(answers, carried=carried)
    assert with_one.tried_at == 500
    monkeypatch.setattr(loop, "perhaps_restart", lambda *given: given[1])
    without = follow(answers, carried=carried)
    assert without.fit is None
    for name in ("labels", "weights", "concentration", "answered_same"):
        np.testing.assert_array_equal(getattr(with_one, name), getattr(without, name))


@pytest.mark.slow
def test_it_goes_on_equally_after_a_save_and_with_any_number_of_jobs():
    answers = told(np.arange(60) % 5, 700, {"x": 1.0, "y": 0.9})
    carried = BELIEF.carry(follow(answers.first(200)))
    assert carried.tried_at > 0
    saved = BELIEF.restore(json.loads(json.dumps(plain(carried.to_entry()))), 60)
    first, again = follow(answers, carried=carried), follow(answers, carried=saved)
    parallel = follow(answers, belief=PartitionBelief(n_jobs=2), carried=carried)
    assert np.array_equal(first.labels, again.labels)
    assert np.array_equal(first.labels, parallel.labels)
    assert first.fit == again.fit == parallel.fit
    assert first.tried_at == again.tried_at == parallel.tried_at


def test_what_was_saved_before_there_were_restarts_is_understood():
    entry = BELIEF.carry(follow(told(np.arange(9) % 3, 20, {"a": 0.0}))).to_entry()
    del entry["opinion"]
    assert BELIEF.restore(entry, 9).tried_at == 0


@pytest.mark.parametrize("value", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("n", [2, 20])
def test_answers_that_are_all_equal_leave_nothing_to_predict(value, n):
    posterior = follow(Answers.none(n).adding(every_pair(n), np.full(n * (n - 1) // 2, value)))
    assert posterior.fit.surprise == 0
    assert posterior.tried_at == 0


def test_contradictory_answers_call_for_no_certainty():
    pairs = np.repeat(every_pair(12), 2, axis=0)
    posterior = follow(Answers.none(12).adding(pairs, np.tile([1.0, -1.0], len(pairs) // 2)))
    assert posterior.fit.gain < RESTART.least_margin
    assert posterior.fit.contradicted == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "share"), [(1, 0.05), (4, 0.1), (40, 0.0)])
def test_ordinary_answers_bring_no_warning(groups, share):
    learner, _ = run(np.arange(40) % groups, 500, share)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, _ = learner.accuracy, learner.forecast()


def test_a_certain_cluster_that_predicts_nothing_is_warned_of():
    learner = ActiveClustering(40)
    learner.tell(every_pair(40), np.where(np.random.default_rng(0).random(780) < 0.2, -1.0, 1.0))
    assert learner.labels.max() == 0
    with pytest.warns(ContradictedWarning, match="predict the others no better than chance"):
        _ = learner.accuracy
    with pytest.warns(ContradictedWarning, match="less certain than they seem"):
        learner.forecast()


# -- the parts ---------------------------------------------------------------------------------------------


def test_an_answer_is_predicted_from_all_others_but_not_from_itself():
    values = np.random.default_rng(0).choice([-1.0, -0.5, 1.0], size=60)
    evidence = Evidence.of(Answers.none(9).adding(np.resize(every_pair(9)[:20], (60, 2)), values))
    calibration = learn(evidence, np.linspace(0.1, 0.9, 20))
    elsewhere, expected = np.linspace(0.01, 0.99, 20), 0.0
    for pair, q in enumerate(elsewhere):
        kinds = evidence.kind[evidence.pair == pair]
        same, different = (
            calibration.looks_same[0][kinds].prod(),
            calibration.looks_different[0][kinds].prod(),
        )
        expected += np.log(q * same + (1 - q) * different)
    ratios = pair_weights(evidence, calibration)
    odds = elsewhere / (1 - elsewhere) * np.exp(ratios)
    assert calibration.misleading == (0, 0)
    assert log_predictive(evidence, calibration, odds / (1 + odds), ratios) == pytest.approx(expected)


@pytest.mark.parametrize(("wrong", "less"), [(0.05, 0.0), (1.0, 15.0)])
def test_a_reading_by_which_people_are_mostly_wrong_counts_for_less(wrong, less):
    truth = np.arange(40) % 4
    answers = told(truth, 600, {"Ada": wrong})
    posterior, evidence = follow(answers), Evidence.of(answers)
    assert agreement(posterior, truth) > 0.9
    plainly = log_predictive(
        evidence,
        posterior.calibration,
        posterior.answered_same,
        pair_weights(evidence, posterior.calibration),
    )
    assert Reading.of(posterior).score == pytest.approx(plainly - less)


def test_a_reading_that_gave_up_learning_is_never_followed(monkeypatch):
    truth = np.arange(60) % 6
    answers = told(truth, 500, {"a": 0.2})
    carried = replace(BELIEF.carry(follow(answers.first(200))), tried_at=200)
    given_up, learned = Calibration.fixed(3.0), loop.without_correlated
    posterior = replace(follow(answers), calibration=given_up)
    assert Reading.of(posterior).score == -np.inf

    def give_up(problem, fit):  # only the scouts, which are one chain
        return learned(problem, fit) if len(fit.chains) > 1 else replace(fit, calibration=given_up)

    monkeypatch.setattr(loop, "without_correlated", give_up)
    found = follow(answers, carried=carried)
    assert found.tried_at == 500
    assert found.calibration.slope is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, 17])
def test_graded_answers_about_many_objects_are_not_taken_for_correlated(seed):
    problem = draw("graded", seed)
    learner = ActiveClustering(len(problem.truth), seed=seed)
    while learner.n_answers < 5 * len(problem.truth):
        learner.tell(pairs := learner.ask(), problem.oracle(pairs))
        assert learner.calibration.slope is None
    assert not errors_correlate(learner.posterior, learner.answers)
    assert adjusted_rand_index(learner.labels, problem.truth) > 0.7


def test_chance_is_the_entropy_of_what_each_annotator_says():
    answers = Answers.none(9).adding(every_pair(9)[:8], [1, 1, 1, -1, 1, -1, 1, -1], ["a"] * 4 + ["b"] * 4)
    expected = 3 * np.log(3 / 4) + np.log(1 / 4) + 4 * np.log(1 / 2)
    assert by_chance(Evidence.of(answers)) == pytest.approx(expected)
    assert by_chance(Evidence.of(Answers.none(9))) == 0


def test_alternatives_are_the_usual_one_its_opposite_and_those_of_single_annotators():
    evidence = Evidence.of(told(np.arange(9) % 3, 30, {"a": 0.0, "b": 0.0}))
    rng = np.random.default_rng(0)
    assert len(list(alternatives(evidence, rng, doubtful=False))) == 1
    usual, opposite, *single = alternatives(evidence, rng, doubtful=True)
    np.testing.assert_allclose(opposite.log_ratio([-1, 1]), usual.log_ratio([1, -1]))
    believed = [[bool(reading.log_ratio([1.0], name)[0] > 1) for name in "ab"] for reading in single]
    assert sorted(believed) == [[False, True], [True, False]]


def test_restarts_are_rare_where_objects_are_many_or_answers_are_predicted():
    fits = [LeaveOneOut(gain, 500.0) for gain in (10.0, 150.0, 300.0)]
    assert [is_due(fit, 1000, 2000, quick=False) for fit in fits] == [True, True, False]
    assert [is_due(fit, 1000, 2000, quick=True) for fit in fits] == [True, False, False]
    assert not any(is_due(fit, 1000, 1400, quick=False) for fit in fits)
