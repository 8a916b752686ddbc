"""What a judge's scores are worth for each object: learned like columns of a dense table, one for each."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

from ofakind import Answers, InvalidInputError, Pairs
from ofakind.engine.document import plain
from ofakind.priors.by_object import ByObject, solve_each
from ofakind.priors.judged import judged_graph
from ofakind.priors.pair_map import MapStart, PairMap, learn_map
from ofakind.priors.start import START, start_of
from twins import by_object as twin

NAMES = ("constant", "judge: a", "judge: b")
N = 30


def made(m, seed, *, noise=3.0, wrong=()):
    """A start, and pairs whose answers go by two judges' scores, the first one wrong about some objects."""
    rng = np.random.default_rng(seed)
    pairs = Pairs.all(N).take(np.sort(rng.permutation(N * (N - 1) // 2)[:m]))
    start = MapStart(np.array([-0.5, 1.0, 0.5]), np.diag([0.3, 0.5, 0.5]), None, 0.0, (1, 2), 0.25)
    features = np.c_[np.ones(m), rng.normal(size=(m, 2))]
    lies = np.isin(pairs.u, wrong) | np.isin(pairs.v, wrong)
    log_odds = features @ np.array([-0.5, 3.0, 0.5]) * np.where(lies, -1, 1)
    ratios = np.where(rng.random(m) < expit(log_odds), noise, -noise) + rng.normal(size=m)
    return start, features, rng.normal(size=m) / 2, ratios, pairs


def learned(given):
    start, features, offsets, ratios, pairs = given
    return learn_map(NAMES, start, features, offsets, ratios, (pairs, N))


@pytest.mark.parametrize("m", [1, 25, 200])
@pytest.mark.parametrize("noise", [1.0, 4.0])
def test_the_coefficients_are_those_that_a_plain_optimiser_finds(m, noise):
    for seed in range(3):
        start, features, offsets, ratios, pairs = given = made(m, seed, noise=noise)
        table, found = twin.dense(features, pairs, start.varying, N), learned(given)

        def objective(coefficients, table=table, known=(start, offsets, ratios)):
            return twin.log_posterior(coefficients, table, *known)

        ours = np.concatenate([found.coefficients, found.by_object.ravel()])
        best = minimize(lambda x, objective=objective: -objective(x), ours, tol=1e-9)
        np.testing.assert_allclose(ours, best.x, atol=1e-2)
        assert objective(ours) > -best.fun - 1e-4
        assert objective(ours) > objective(np.concatenate([start.mean, np.zeros(2 * N)])) - 1e-9


def test_deviations_are_those_of_the_curvature_with_what_varies_integrated_out():
    start, features, offsets, ratios, pairs = given = made(150, 1)
    found, table = learned(given), twin.dense(features, pairs, start.varying, N)
    odds = offsets + table @ np.concatenate([found.coefficients, found.by_object.ravel()])
    same, known = expit(odds), expit(odds + ratios)
    information = (table * np.maximum(same * (1 - same) - known * (1 - known), 0)[:, None]).T @ table
    information[:3, :3] += start.precision
    information[3:, 3:] += start.alike * np.eye(2 * N)
    expected = np.sqrt(np.diag(np.linalg.inv(information))[:3])
    np.testing.assert_allclose(found.deviations, expected, rtol=1e-5)


def test_answers_that_tell_nothing_leave_deviations_as_they_were():
    start, features, offsets, _, pairs = made(150, 1)
    found = learned((start, features, offsets, np.zeros(150), pairs))
    np.testing.assert_allclose(found.deviations, PairMap.at(NAMES, start).deviations)


def test_what_an_answer_taught_of_its_own_pair_is_what_the_twin_finds():
    start, features, _, _, pairs = made(60, 7)
    rng = np.random.default_rng(7)
    model = ByObject.of(features[:, start.varying], pairs, N, start.alike)
    weights, gradient = rng.random(60), rng.normal(size=60)
    expected = twin.taught(features[:, start.varying], pairs, weights, gradient, start.alike)
    np.testing.assert_allclose(model.taught(weights, gradient), expected)


@pytest.mark.parametrize(("judges", "left"), [(1, 0.3), (2, 0.4), (5, 0.4)])
def test_an_answer_counts_once_for_its_own_pair_by_one_judge_and_by_several_that_agree(judges, left):
    """Whatever others taught: by refits without each of some answers. What is left is of its neighbours."""
    _, features, _, _, pairs = made(100, 8)
    alike = features[:, 1:2] + 0.1 * np.random.default_rng(8).normal(size=(100, judges))
    table, names = np.c_[np.ones(100), alike], ("constant", *(f"judge: {each}" for each in range(judges)))
    # so sure of the others that only what varies is learned
    start = MapStart(
        np.zeros(1 + judges), np.eye(1 + judges) * 1e6, None, 0.0, tuple(range(1, 1 + judges)), 0.25 * judges
    )
    ratios = np.where(np.arange(100) % 5, 3.0, -3.0)

    def taught_by(kept):
        rows = table[kept], np.zeros(len(kept)), ratios[kept]
        return learn_map(names, start, *rows, (pairs.take(kept), N))

    found, looked_at, every = taught_by(np.arange(100)), np.arange(0, 100, 5), np.arange(100)
    without = [
        taught_by(np.delete(every, i)).log_odds(table[i : i + 1], pairs.take([i]))[0] for i in looked_at
    ]
    odds, own = found.log_odds(table, pairs)[looked_at], found.own.of_pairs(pairs, N)[looked_at]
    assert np.abs(odds - without).mean() < left * np.abs(odds + own - without).mean()
    unasked = Pairs.all(N).take(~np.isin(Pairs.all(N).ranks(N), pairs.ranks(N)))
    assert not found.own.of_pairs(unasked, N).any()


def test_a_judge_that_is_wrong_about_some_objects_is_found_out_and_goes_on_counting_for_the_others():
    wrong = [1, 8, 12, 20, 27]
    given = made(400, 2, wrong=wrong, noise=6.0)
    found, right = learned(given), np.setdiff1d(np.arange(N), wrong)
    assert found.by_object[0, wrong].max() < found.by_object[0, right].min()
    _, features, _, _, pairs = given
    odds = found.log_odds(features, pairs)
    for lies in (True, False):
        these = (np.isin(pairs.u, wrong) | np.isin(pairs.v, wrong)) == lies
        slope = np.polyfit(features[these, 1], odds[these], 1)[0]
        assert (slope < -0.5) if lies else (slope > 1.5)


def test_log_odds_add_what_is_known_of_both_objects_of_a_pair():
    own = np.arange(6.0).reshape(2, 3)
    known = PairMap(NAMES, np.array([1.0, 2.0, 3.0]), np.ones(3), (1, 2), own)
    pairs, rows = Pairs.of([0, 0], [1, 2]), np.array([[1.0, 0.5, 0.0], [1.0, 1.0, -1.0]])
    assert known.log_odds(rows, pairs).tolist() == [1 + 1 + 0.5 * (0 + 1), 1 + 2 - 3 + (0 + 2) - (3 + 5)]
    assert known.log_odds(rows).tolist() == [2.0, 0.0]
    more = known.extended(2)
    assert more.by_object.shape == (2, 5)
    assert more.log_odds(rows, pairs).tolist() == known.log_odds(rows, pairs).tolist()


def test_objects_without_an_answered_candidate_stay_as_all_are():
    given = made(5, 3)
    found, ends = learned(given), np.concatenate([given[4].u, given[4].v])
    assert (found.by_object[:, np.setdiff1d(np.arange(N), ends)] == 0).all()
    assert (found.by_object[:, ends] != 0).all()


def test_nothing_varies_where_no_judge_said_anything_or_nothing_was_answered():
    start, features, offsets, ratios, pairs = made(50, 4)
    none = replace(start, varying=())
    assert learn_map(NAMES, none, features, offsets, ratios, (pairs, N)).by_object is None
    empty = learn_map(NAMES, start, features[:0], offsets[:0], ratios[:0], (Pairs.empty(), N))
    assert empty.by_object is None
    np.testing.assert_array_equal(empty.coefficients, start.mean)


def test_the_start_lets_each_judge_differ_by_object_and_nothing_else():
    said = Answers.none(4).adding([(0, 1), (1, 2)], [0.9, -0.5], "a").adding([(2, 3)], [0.1], "b")
    near = judged_graph(said, None)
    start = start_of(near)
    assert [near.names[column] for column in start.varying] == ["judge: a", "judge: b"]
    assert start.alike == START.alike


def test_a_copy_cannot_be_written_to_either():
    found = pickle.loads(pickle.dumps(learned(made(20, 5)))).own  # noqa: S301
    for array in (found.u, found.v, found.taught):
        assert not array.flags.writeable


@pytest.mark.parametrize("saved", [False, True])
def test_it_is_read_as_it_was_written(saved):
    found = learned(made(60, 5))
    entry = found.to_entry()
    again = PairMap.from_entry(json.loads(json.dumps(plain(entry))) if saved else entry, N)
    assert again.varying == (1, 2)
    np.testing.assert_array_equal(again.by_object, found.by_object)
    for name in ("u", "v", "taught"):
        np.testing.assert_array_equal(getattr(again.own, name), getattr(found.own, name))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"by_object": np.zeros((2, N - 1))}, "expected 30 objects"),
        ({"by_object": np.zeros((1, N))}, "a row for each of 2"),
        ({"by_object": np.full((2, N), np.nan)}, "finite numbers"),
        ({"varying": [1, 7]}, "vary"),
        ({"own": {"u": [0], "v": [1], "taught": [np.inf]}}, "finite number"),
        ({"own": {"u": [0], "v": [N], "taught": [0.5]}}, "below 30"),
    ],
)
def test_what_cannot_be_is_refused(wrong, error):
    entry = learned(made(60, 5)).to_entry()
    with pytest.raises(InvalidInputError, match=error):
        PairMap.from_entry({**entry, **wrong}, N)


def test_conjugate_gradients_solve_what_a_dense_solver_does():
    rng = np.random.default_rng(0)
    for size in (1, 5, 80):
        root = rng.normal(size=(size, size))
        matrix, given = root @ root.T + np.eye(size), rng.normal(size=(size, 3))
        given[:, 1] = 0
        np.testing.assert_allclose(
            solve_each(csr_array(matrix), given), np.linalg.solve(matrix, given), atol=1e-6
        )


def test_a_step_is_newtons_on_the_dense_table():
    start, features, _, _, pairs = made(120, 6)
    rng = np.random.default_rng(1)
    model = ByObject.of(features[:, start.varying], pairs, N, start.alike)
    weights, gradient = rng.random(120), rng.normal(size=3)
    own_gradient = rng.normal(size=model.rows.shape[1])
    table = np.concatenate([features, model.rows.toarray()], axis=1)
    full = (table * weights[:, None]).T @ table
    full[:3, :3] += start.precision
    full[3:, 3:] += start.alike * np.eye(model.rows.shape[1])
    expected = np.linalg.solve(full, np.concatenate([gradient, own_gradient]))
    information = (features * weights[:, None]).T @ features + start.precision
    found = model.step(model.blocks(features, weights), information, gradient, own_gradient)
    np.testing.assert_allclose(np.concatenate(found), expected, atol=1e-3)
