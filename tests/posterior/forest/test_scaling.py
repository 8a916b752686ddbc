"""The scale of the tree prior: it moves until candidates have what the map gives them."""

import numpy as np
import pytest
from scipy.special import expit

from ofakind import Answers, Neighbours, Pairs
from ofakind.posterior.forest import scaling
from ofakind.posterior.forest.scaling import SCALING, ScalingRules, moved, rescaled, slopes_of
from ofakind.posterior.forest.trees import TREES, Scale, log_odds, tree_prior_of
from ofakind.priors.judged import judged_graph
from ofakind.priors.pair_map import PairMap
from twins.featured import near_vectors, problem_of

GIVEN = np.array([1.0, 2.0, -1.0, -2.0])


def test_a_scale_stays_where_candidates_have_what_the_map_gives_them():
    assert moved(Scale(0.3, 1.2), GIVEN, expit(GIVEN)) == pytest.approx((0.3, 1.2))


def test_the_level_falls_where_all_are_too_likely_and_the_slope_grows_where_they_are_too_alike():
    level, slope = moved(Scale(), GIVEN, expit(GIVEN + 1.0))
    assert level < 0
    assert slope == pytest.approx(1.0, abs=0.05)
    level, slope = moved(Scale(), GIVEN, expit(GIVEN / 2))
    assert level == pytest.approx(0.0, abs=1e-9)
    assert slope > 1


def test_equally_likely_candidates_leave_the_slope_as_it_is():
    assert moved(Scale(0.0, 1.7), np.zeros(5), np.full(5, 0.9)).slope == 1.7


@pytest.mark.parametrize("found", [0.0, 1.0])
def test_a_scale_stays_in_bounds(found):
    scale = Scale()
    for _ in range(100):
        scale = moved(scale, GIVEN, np.array([found, found, 1 - found, found]))
    assert abs(scale.level) <= TREES.largest
    assert SCALING.slopes[0] <= scale.slope <= SCALING.slopes[1]


def test_where_there_is_nothing_but_judges_only_the_level_moves():
    rng = np.random.default_rng(1)
    said = Answers.none(20).adding(np.asarray(Pairs.all(20)), rng.uniform(-1, 1, 190), "model")
    for near, steady in ((judged_graph(said, None), True), (near_vectors(4, 5)[1], False)):
        problem = problem_of(Answers.none(20), near)
        known, own = PairMap.at(near.names, problem.start), np.full(near.n, -1, np.int32)
        scale, _ = rescaled(problem.candidates, known, Scale(), own, rng, first=True)
        assert scale.level != 0
        assert (scale.slope == 1) == steady


@pytest.mark.slow
def test_the_likelier_half_and_the_other_half_get_on_average_what_the_map_gives_them(monkeypatch):
    monkeypatch.setattr(scaling, "SCALING", ScalingRules(first_steps=40))
    truth, near = near_vectors(12, 8)
    problem = problem_of(Answers.none(len(truth)), near)
    known, own = PairMap.at(near.names, problem.start), np.full(near.n, -1, np.int32)
    rng = np.random.default_rng(0)
    scale, own = rescaled(problem.candidates, known, Scale(), own, rng, first=True)
    from ofakind.kernels.partition.forest import forest_at, size_weights
    from ofakind.kernels.partition.forest_chain import prior_same

    h = size_weights(near.n, TREES.usual_resolution)
    prior = tree_prior_of(problem.candidates, known, scale)._replace(h=h)
    found = problem.candidates.shares(prior_same(prior, forest_at(own), 2_000, rng), 1)
    given = log_odds(near, known)
    likely = given > np.median(given)
    for half in (likely, ~likely):
        assert found[half].mean() == pytest.approx(expit(given[half]).mean(), abs=0.07)


@pytest.mark.slow
def test_with_many_nodes_fewer_sweeps_find_the_same_scale(monkeypatch):
    truth, near = near_vectors(60, 8)
    problem = problem_of(Answers.none(len(truth)), near)
    known, own = PairMap.at(near.names, problem.start), np.full(near.n, -1, np.int32)

    def scales():
        each = [
            rescaled(problem.candidates, known, Scale(), own, np.random.default_rng(seed), first=True)[0]
            for seed in range(4)
        ]
        return np.mean(each, axis=0)

    whole = scales()
    monkeypatch.setattr(scaling, "SCALING", ScalingRules(quick_beyond=near.n - 1))
    quick = scales()
    assert (whole != quick).all()
    np.testing.assert_allclose(quick, whole, atol=0.15)


def test_without_candidates_there_is_nothing_to_scale():
    near = Neighbours.from_scores(np.empty((0, 2), int), [], n=3)
    problem = problem_of(Answers.none(3), near)
    known, own = PairMap.at(near.names, problem.start), np.full(3, -1, np.int32)
    found = rescaled(problem.candidates, known, Scale(0.5, 2.0), own, np.random.default_rng(0), first=True)
    assert found[0] == (0.5, 2.0)


def test_links_are_less_steep_where_a_judge_is_beside_features_for_both_err_about_the_same():
    rng = np.random.default_rng(1)
    near = near_vectors(4, 5)[1]
    said = Answers.none(20).adding(np.asarray(near.pairs), rng.uniform(-1, 1, len(near.pairs)), "model")
    beside = slopes_of(problem_of(Answers.none(20), judged_graph(said, near)).candidates)
    features = slopes_of(problem_of(Answers.none(20), near).candidates)
    assert beside == SCALING.beside
    assert features == SCALING.slopes
    assert beside[1] < features[1]
