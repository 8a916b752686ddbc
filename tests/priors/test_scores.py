"""Given scores become features: probabilities as log odds, others by their spread, missing ones as such."""

import numpy as np
import pytest

from ofakind import InvalidInputError, Neighbours
from ofakind.priors.scores import SCORES, standardised

PAIRS = [(0, 1), (2, 1), (3, 0)]


def column(near, name):
    return near.features[:, near.names.index(name)]


def test_probabilities_become_log_odds():
    near = Neighbours.from_scores(PAIRS, [0.9, 0.5, 0.2])
    assert list(near.pairs) == [(0, 1), (0, 3), (1, 2)]
    np.testing.assert_allclose(column(near, "log odds"), np.log([9, 0.25, 1]))
    np.testing.assert_allclose(column(near, "log odds above 0"), np.maximum(np.log([9, 0.25, 1]), 0))
    np.testing.assert_allclose(column(near, "log odds of best, least"), [1, 0.2 / 0.9, 0.5 / 0.9])
    np.testing.assert_allclose(column(near, "log odds log rank, most"), np.log([1, 2, 2]))
    assert column(near, "no log odds").tolist() == [0, 0, 0]
    assert (near.kind, near.n) == ("scores", 4)


def test_certain_probabilities_stay_finite():
    near = Neighbours.from_scores(PAIRS, [0, 1, 1])
    assert column(near, "log odds").tolist() == [-SCORES.surest, SCORES.surest, SCORES.surest]


def test_other_scores_only_count_by_order_and_distance():
    rng = np.random.default_rng(0)
    pairs = [(i, i + 1) for i in range(200)]
    scores = rng.normal(0, 2, 200)
    plain = Neighbours.from_scores(pairs, scores)
    moved = Neighbours.from_scores(pairs, 1000 * scores - 7)
    np.testing.assert_allclose(plain.features, moved.features, atol=1e-9)
    assert abs(np.median(column(plain, "score"))) < 1e-9
    assert np.std(column(plain, "score")) == pytest.approx(1, abs=0.2)


def test_infinite_scores_are_the_surest_and_move_no_others():
    given = np.array([-3.0, -1, 0, 1, 3])
    values = standardised(np.array([*given, 1e200, -1e200]), odds=False)
    np.testing.assert_allclose(values[:5], standardised(given, odds=False))
    assert values[5:].tolist() == [7, -7]
    near = Neighbours.from_scores(PAIRS, [np.inf, -np.inf, 2.0])
    assert column(near, "score").tolist() == [7, 0, -7]
    assert np.isfinite(Neighbours.from_scores(PAIRS, [np.inf, -np.inf, np.inf]).features).all()


def test_equal_scores_say_nothing():
    near = Neighbours.from_scores(PAIRS, [5, 5, 5])
    assert column(near, "score").tolist() == [0, 0, 0]


def test_a_pair_given_twice_has_the_mean():
    near = Neighbours.from_scores([(0, 1), (1, 0), (1, 2)], [0.2, 0.6, np.nan])
    assert column(near, "log odds")[0] == pytest.approx(np.log(0.4 / 0.6))
    assert column(near, "no log odds").tolist() == [0, 1]


def test_several_columns_have_features_each():
    near = Neighbours.from_scores(PAIRS, [[0.5, 3], [0.6, np.nan], [0.9, 9]], n=7)
    assert near.n == 7
    assert {"log odds", "score 2", "no score 2"} <= set(near.names)
    assert column(near, "no score 2").tolist() == [0, 0, 1]
    assert column(near, "score 2")[2] == 0


def test_scores_add_pairs_and_columns_to_another_graph():
    texts = Neighbours.from_records(["ann lee", "ann leigh", "bob ray", "bob roy"])
    near = Neighbours.from_scores([(0, 3), (0, 1)], [0.1, 0.8], on=texts)
    assert near.kind == "text+scores"
    assert near.names[: len(texts.names)] == texts.names
    assert set(texts.pairs) | {(0, 3)} == set(near.pairs)
    assert dict(zip(near.pairs, column(near, "no log odds"), strict=True))[0, 3] == 0
    assert column(near, "no log odds").sum() == len(near.pairs) - 2
    unscored = near.features[column(near, "no log odds") == 1, len(texts.names) : -1]
    assert (unscored == 0).all()
    same = texts.including([(0, 3)])  # a new pair is described as all others are
    assert same.pairs == near.pairs
    np.testing.assert_array_equal(same.features, near.features[:, : len(texts.names)])


def test_scores_on_scores_are_further_columns():
    first = Neighbours.from_scores(PAIRS, [0.5, 0.6, 0.9])
    both = Neighbours.from_scores([(2, 3)], [40], on=first)
    again = Neighbours.from_scores([(2, 3)], [40], on=Neighbours.from_entry(first.to_entry(), first.n))
    for near in (both, again):
        assert near.kind == "scores"
        assert set(near.pairs) == {(0, 1), (1, 2), (0, 3), (2, 3)}
        assert len(set(near.names)) == len(near.names) == 2 * len(first.names) - 1
    assert column(both, "no score 2").tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("scores", [[], np.empty(0), np.empty((0, 1))])
def test_no_pairs_are_no_pairs(scores):
    near = Neighbours.from_scores([], scores, n=3)
    assert (near.n, len(near.pairs)) == (3, 0)
    assert Neighbours.from_scores([], scores).n == 0
    assert len(Neighbours.from_scores(PAIRS, [1, 2, 3]).names) == len(near.names)


@pytest.mark.parametrize(
    ("pairs", "scores", "options", "message"),
    [
        (PAIRS, [0.5], {}, r"scores have shape \(1,\) .* for 3 pairs; expected"),
        (PAIRS, ["a", "b", "c"], {}, "type .* for 3 pairs; expected a number"),
        (PAIRS, np.zeros((3, 1, 1)), {}, r"shape \(3, 1, 1\)"),
        (PAIRS, None, {}, "scores come as a NoneType"),
        (PAIRS, [1, 2, 3], {"n": 3}, r"pair 2 is \(3, 0\); expected two different objects below 3"),
        ([(1, 1)], [1], {}, r"pair 0 is \(1, 1\); expected two different"),
        ([(0, 1, 2)], [1], {}, r"pairs have shape \(1, 3\); expected"),
        (PAIRS, [1, 2, 3], {"n": -1}, "n is -1; expected"),
        (PAIRS, [1, 2, 3], {"n": 5, "on": Neighbours.from_scores(PAIRS, [1, 2, 3])}, "n is 5; expected 4"),
    ],
)
def test_strange_scores_are_refused(pairs, scores, options, message):
    with pytest.raises(InvalidInputError, match=message):
        Neighbours.from_scores(pairs, scores, **options)
