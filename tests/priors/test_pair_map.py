"""The pair map: what it learns from surprises, and how it is written down."""

import json
import pickle

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from ofakind import InvalidInputError
from ofakind.engine.document import plain
from ofakind.priors.pair_map import MAP, MapStart, PairMap, learn_map, offsets_of

NAMES = ("constant", "cosine", "rank")


def made(m, seed, *, noise=2.0, others=0):
    """A start, and pairs whose answers come from coefficients of their own, with offsets and noisy ratios.

    What the start gives so many ``others`` counts as 7 answers.
    """
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    rows = np.c_[np.ones(others), np.random.default_rng(seed + 1).normal(size=(others, 2))]
    start = MapStart(rng.normal(size=3), root @ root.T + 0.3 * np.eye(3), rows, 7.0)
    features = np.c_[np.ones(m), rng.normal(size=(m, 2))]
    offsets = rng.normal(size=m)
    same = rng.random(m) < expit(offsets + features @ np.array([-1.0, 2.0, 0.5]))
    ratios = np.where(same, noise, -noise) + rng.normal(size=m)
    return start, features, offsets, ratios


def objective(beta, start, features, offsets, ratios):
    """The log posterior of coefficients, as it is stated: a mixture of what an answer says of either kind."""
    s = expit(offsets + features @ beta)
    return np.log(s * np.exp(ratios) + 1 - s).sum() + log_prior(beta, start)


def log_prior(beta, start):
    """A normal, and answers about others that are as the start expects, spread over them."""
    away = beta - start.mean
    found = -away @ start.precision @ away / 2
    for row in start.candidates:
        p0, p = expit(row @ start.mean), expit(row @ beta)
        gained = p0 * np.log(p / p0) + (1 - p0) * np.log((1 - p) / (1 - p0))
        found += start.answers / len(start.candidates) * gained
    return found


@pytest.mark.parametrize("others", [0, 25])
def test_derivatives_of_the_prior_are_those_of_small_steps(others):
    start, step = made(1, 3, others=others)[0], 1e-5
    for beta in (start.mean, start.mean + np.array([0.5, -2.0, 1.0])):
        found = start.log_prior(beta)
        assert found.height == pytest.approx(log_prior(beta, start))
        for i, a in enumerate(np.eye(3) * step):
            up, down = start.log_prior(beta + a), start.log_prior(beta - a)
            assert found.gradient[i] == pytest.approx((up.height - down.height) / (2 * step), abs=1e-5)
            slopes = (up.gradient - down.gradient) / (2 * step)
            np.testing.assert_allclose(-slopes, found.information[i], atol=1e-5)


def test_all_the_same_at_one_score_makes_likely_pairs_surer_and_not_every_pair_likelier():
    """A hundred doubtful pairs turn out to be the same; most candidates have a far lower score."""
    others = np.c_[np.ones(50), np.linspace(-6.0, 0.0, 50)]
    features, ratios = np.c_[np.ones(100), np.zeros(100)], np.full(100, 4.0)
    lowest = {}
    for answers in (0.0, 10.0):
        start = MapStart(np.array([0.0, 1.0]), np.diag([0.25, 2.0]), others, answers)
        found = learn_map(("constant", "score"), start, features, np.zeros(100), ratios)
        assert found.coefficients[0] > 1.5  # the doubtful ones are likely now
        lowest[answers] = found.log_odds([[1.0, -4.0]])[0]
    assert lowest[0.0] > -2
    assert lowest[10.0] < lowest[0.0] - 1.5


@pytest.mark.parametrize("others", [0, 25])
@pytest.mark.parametrize("noise", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("m", [1, 12, 150])
def test_the_coefficients_are_those_that_a_plain_optimiser_finds(m, noise, others):
    for seed in range(4):
        given = made(m, seed, noise=noise, others=others)
        found = learn_map(NAMES, *given).coefficients
        best = minimize(lambda beta, given=given: -objective(beta, *given), found, tol=1e-10)
        np.testing.assert_allclose(found, best.x, atol=2e-3)
        afar = minimize(lambda beta, given=given: -objective(beta, *given), given[0].mean, tol=1e-10)
        assert objective(found, *given) > -afar.fun - 1e-4


@pytest.mark.parametrize("others", [0, 25])
@pytest.mark.parametrize("m", [3, 40])
def test_deviations_are_those_of_the_curvature_where_the_coefficients_are(m, others):
    given = made(m, 5, others=others)
    found, step = learn_map(NAMES, *given), 1e-3
    curvature = np.empty((3, 3))
    for i, a in enumerate(np.eye(3) * step):
        for j, b in enumerate(np.eye(3) * step):
            around = [objective(found.coefficients + x, *given) for x in (a + b, a - b, b - a, -a - b)]
            curvature[i, j] = -(around[0] - around[1] - around[2] + around[3]) / (4 * step**2)
    np.testing.assert_allclose(found.deviations, np.sqrt(np.diag(np.linalg.inv(curvature))), rtol=1e-2)


def test_without_surprises_the_map_is_the_start():
    start, *_ = made(1, 0)
    found = learn_map(NAMES, start, np.empty((0, 3)), np.empty(0), np.empty(0))
    first = PairMap.at(NAMES, start)
    np.testing.assert_array_equal(found.coefficients, start.mean)
    np.testing.assert_allclose(found.deviations, first.deviations)
    np.testing.assert_allclose(first.deviations**2, np.diag(np.linalg.inv(start.precision)))


def test_an_answer_that_says_nothing_teaches_nothing():
    start, features, offsets, _ = made(80, 1)
    found = learn_map(NAMES, start, features, offsets, np.zeros(80))
    np.testing.assert_array_equal(found.coefficients, start.mean)
    np.testing.assert_allclose(found.deviations, PairMap.at(NAMES, start).deviations)


def test_answers_that_were_expected_do_not_move_the_map_and_the_same_answers_unexpected_do():
    start = MapStart(np.array([-1.0, 1.0, 0.0]), np.eye(3))
    features = np.c_[np.ones(60), np.random.default_rng(0).normal(size=(60, 2))]
    before, ratios = features @ start.mean, np.full(60, 6.0)
    known = learn_map(NAMES, start, features, offsets_of(np.full(60, 0.99), before), ratios)
    news = learn_map(NAMES, start, features, offsets_of(np.full(60, 0.3), before), ratios)
    assert np.abs(known.coefficients - start.mean).max() < 0.45
    assert news.coefficients[0] - start.mean[0] > 1.5
    assert np.abs(known.coefficients - start.mean).max() < (news.coefficients - start.mean).max() / 3


def test_what_was_expected_is_the_offset_and_the_map_together():
    log_odds = np.array([-3.0, 0.0, 2.0, 5.0])
    expected = np.array([0.2, 0.5, 0.9, 0.6])
    np.testing.assert_allclose(expit(offsets_of(expected, log_odds) + log_odds), expected)
    sure = offsets_of(np.array([0.0, 1.0]), np.zeros(2))
    np.testing.assert_allclose(sure, logit([MAP.surest, 1 - MAP.surest]))


def test_deviations_shrink_with_data():
    start, features, offsets, ratios = made(400, 2, noise=5.0)
    found = [learn_map(NAMES, start, features[:m], offsets[:m], ratios[:m]).deviations for m in (0, 40, 400)]
    assert (found[0] > found[1]).all()
    assert (found[1] > 1.5 * found[2]).all()


def test_coefficients_come_near_those_that_made_the_answers():
    start, features, offsets, ratios = made(4000, 3, noise=4.0)
    found = learn_map(NAMES, start, features, offsets, ratios)
    away = (found.coefficients - np.array([-1.0, 2.0, 0.5])) / found.deviations
    assert np.abs(away).max() < 4


@pytest.mark.parametrize("saved", [False, True])
def test_a_map_is_read_as_it_was_written(saved):
    found = learn_map(NAMES, *made(30, 4))
    entry = found.to_entry()
    again = PairMap.from_entry(json.loads(json.dumps(plain(entry))) if saved else entry, 9)
    assert again.names == NAMES
    np.testing.assert_array_equal(again.coefficients, found.coefficients)
    np.testing.assert_array_equal(again.deviations, found.deviations)
    for each in (again, pickle.loads(pickle.dumps(found))):  # noqa: S301
        with pytest.raises(ValueError, match="read-only"):
            each.coefficients[0] = 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"beta": [1.0, 2.0]},
        {"beta": [1.0, 2.0, np.nan]},
        {"deviations": [[1.0, 2.0, 3.0]]},
        {"deviations": [1.0, np.inf, 1.0]},
        {"names": ["constant"]},
    ],
)
def test_a_map_without_a_finite_number_for_each_feature_is_refused(wrong):
    entry = PairMap(NAMES, np.zeros(3), np.ones(3)).to_entry()
    with pytest.raises(InvalidInputError, match="finite number for each"):
        PairMap.from_entry({**entry, **wrong}, 9)


def test_a_map_is_printed_with_a_line_for_each_feature():
    text = str(PairMap(NAMES, np.array([-1.0, 2.5, 0.0]), np.ones(3)))
    assert text.splitlines()[1:] == [
        "constant   -1.00 ± 1.00",
        "cosine     +2.50 ± 1.00",
        "rank       +0.00 ± 1.00",
    ]


def test_a_plot_shows_every_coefficient_with_its_deviation_and_name():
    known = PairMap(("constant", "cosine", "rank"), [-2.0, 4.0, 0.5], [0.5, 1.0, 0.25])
    axes = known.plot()
    (points, _, (bars,)) = axes.containers[0]
    assert points.get_xdata().tolist() == [-2.0, 4.0, 0.5]
    assert points.get_ydata().tolist() == [2, 1, 0]  # the first on top
    widths = [segment[1, 0] - segment[0, 0] for segment in bars.get_segments()]
    assert widths == pytest.approx([1.0, 2.0, 0.5])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["constant", "cosine", "rank"]
    assert known.plot(axes) is axes
