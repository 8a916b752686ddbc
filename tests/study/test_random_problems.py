"""Problems that are drawn: within their limits, always the same, and as noisy as they say."""

import numpy as np
import pytest

from ofakind.oracles.base import NamingOracle
from ofakind.pairs import Pairs
from ofakind.study.cell import run_cell
from ofakind.study.problem import prepare
from ofakind.study.random_problems import DRAWING, NOISES, PROBLEM_KINDS, OneSidedOracle, draw
from ofakind.study.spec import Answerer, Cell, Data, Method, PartSpec

SEEDS = range(20)


def some_pairs(n, count=4000):
    every = Pairs.all(n)
    return every.take(np.random.default_rng(0).permutation(len(every))[:count])


@pytest.mark.parametrize("kind", PROBLEM_KINDS)
def test_sizes_are_within_their_limits_and_no_group_is_empty(kind):
    low, high = DRAWING.objects if kind in NOISES else DRAWING.few_objects
    sizes = []
    for seed in SEEDS:
        problem = draw(kind, seed)
        groups = np.bincount(problem.truth)
        assert low <= len(problem.truth) <= high
        assert 2 <= len(groups) <= min(DRAWING.groups[1], len(problem.truth) / DRAWING.fewest_members + 1)
        assert groups.min() >= 1
        assert problem.budget == DRAWING.answers * len(problem.truth)
        sizes.append(len(problem.truth))
    assert len(set(sizes)) > 10


@pytest.mark.parametrize("kind", PROBLEM_KINDS)
def test_the_same_seed_draws_the_same_problem_and_another_one_another(kind):
    first, again, other = draw(kind, 3), draw(kind, 3), draw(kind, 4)
    pairs = some_pairs(len(first.truth), 500)
    assert np.array_equal(first.truth, again.truth)
    assert np.array_equal(first.oracle(pairs), again.oracle(pairs))
    assert not np.array_equal(first.truth, other.truth)


@pytest.mark.parametrize("kind", [kind for kind in NOISES if kind != "one-sided"])
def test_answers_are_as_often_wrong_as_the_problem_says(kind):
    for seed in (1, 2, 3):
        problem = draw(kind, seed)
        pairs = some_pairs(len(problem.truth))
        same = problem.truth[pairs.u] == problem.truth[pairs.v]
        wrong = (problem.oracle(pairs) > 0) != same
        chance = np.mean([wrong[same].mean(), wrong[~same].mean()])
        assert chance == pytest.approx(problem.noise, abs=0.05)


def test_errors_may_be_about_one_sort_of_pairs():
    truth = np.arange(200) % 2
    pairs = some_pairs(200)
    same = truth[pairs.u] == truth[pairs.v]
    answers = OneSidedOracle(truth, np.array([0.3, 0.0]), 0)(pairs)
    assert np.mean(answers[same] < 0) == pytest.approx(0.3, abs=0.03)
    assert (answers[~same] == -1).all()


def test_several_people_are_named_and_err_each_in_their_own_way():
    truth = np.arange(300) % 3
    wrong = np.array([[0.0, 0.0], [0.4, 0.4]])
    oracle = OneSidedOracle(truth, wrong, 0)
    pairs = some_pairs(300)
    answers, names = oracle.answers_with_names(pairs)
    assert isinstance(oracle, NamingOracle)
    assert set(names) == {"person 1", "person 2"}
    is_wrong = (answers > 0) != (truth[pairs.u] == truth[pairs.v])
    first = np.array([name == "person 1" for name in names])
    assert not is_wrong[first].any()
    assert is_wrong[~first].mean() == pytest.approx(0.4, abs=0.05)


def test_a_misleading_pair_misleads_every_time_and_other_errors_do_not_repeat():
    truth = np.zeros(100, np.int64)
    pairs = some_pairs(100)
    always = OneSidedOracle(truth, np.zeros(2), 0, misleading=0.2)
    first, second = always(pairs), always(pairs)
    assert np.array_equal(first, second)
    assert np.mean(first < 0) == pytest.approx(0.2, abs=0.03)
    now_and_then = OneSidedOracle(truth, np.full(2, 0.2), 0)
    first, second = now_and_then(pairs), now_and_then(pairs)
    assert np.mean((first < 0) & (second < 0)) == pytest.approx(0.04, abs=0.02)


@pytest.mark.slow
def test_a_cell_runs_on_the_terms_of_its_problem_and_says_what_it_forecasts():
    seed = next(s for s in range(50) if draw("few objects", s).batch is not None)
    problem = draw("few objects", seed)
    data = Data("random", 10**6, variant="few objects")
    cell = Cell(data, Answerer("random"), Method("ours", PartSpec("ofakind:InformationGain")), seed, 3)
    rows, _, _ = run_cell(cell)
    assert np.array_equal(prepare(data, cell.oracle, seed).truth, problem.truth)
    answers = np.array([row["answers"] for row in rows])
    assert (np.diff(answers) >= problem.look).all()
    assert answers[-1] <= problem.budget
    assert {"forecast_low", "forecast", "forecast_high", "wrong_low"} <= rows[0].keys()
