"""Surprises: which candidates have an offset, and what is learned from them."""

import json

import numpy as np
import pytest

from ofakind import Answers, InvalidInputError, Neighbours, Pairs
from ofakind.engine.document import plain
from ofakind.noise.calibration import learn, pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.posterior.forest.surprises import Surprises
from ofakind.priors.pair_map import learn_map
from ofakind.priors.start import start_of
from twins import judged as liar

PAIRS = [(0, 1), (0, 2), (1, 3), (2, 4), (3, 4)]
NEAR = Neighbours.from_scores(PAIRS, [0.9, 0.6, 0.5, 0.4, 0.2], 6)


def told(pairs, values):
    return Answers.none(6).adding(pairs, values)


def noted(*pairs):
    return Surprises.none().adding(Pairs.from_array(pairs), np.arange(float(len(pairs))))


def test_only_candidates_that_are_answered_and_have_no_offset_are_new():
    answers = told([(0, 1), (4, 2), (0, 5), (3, 1), (3, 1)], [1, -1, 1, 1, -1])
    assert list(Surprises.none().new(answers, NEAR)) == [(0, 1), (1, 3), (2, 4)]
    assert list(noted((1, 3)).new(answers, NEAR)) == [(0, 1), (2, 4)]
    assert len(Surprises.none().new(Answers.none(6), NEAR)) == 0


def test_the_first_offset_of_a_candidate_stays_and_new_ones_follow():
    found = noted((1, 3), (0, 1)).adding(Pairs.from_array([(3, 4)]), np.array([7.0]))
    assert [*zip(found.u, found.v, found.offset, strict=True)] == [(1, 3, 0.0), (0, 1, 1.0), (3, 4, 7.0)]


def test_a_candidate_without_an_answer_left_is_no_surprise():
    found = noted((1, 3), (0, 1), (2, 4)).answered(told([(4, 2), (1, 0)], [1, 1]))
    assert [*zip(found.u, found.v, found.offset, strict=True)] == [(0, 1, 1.0), (2, 4, 2.0)]


def test_the_map_is_learned_from_the_features_offsets_and_answers_of_each():
    answers = told([(3, 1), (0, 5), (0, 1), (1, 0), (2, 4)], [1, 1, -1, -1, 1])
    evidence, start = Evidence.of(answers), start_of(NEAR)
    calibration = learn(evidence)
    ratios = dict(zip(evidence.pairs, pair_weights(evidence, calibration), strict=True))
    rows = [2, 0, 3]
    expected = learn_map(
        NEAR.names,
        start,
        NEAR.features[rows],
        np.arange(3.0),
        np.array([ratios[1, 3], ratios[0, 1], ratios[2, 4]]),
    )
    found = noted((1, 3), (0, 1), (2, 4)).learned(NEAR, start, evidence, calibration)
    np.testing.assert_array_equal(found.coefficients, expected.coefficients)


def test_it_is_learned_too_about_which_objects_a_judge_is_wrong():
    """All pairs have the same features: only what is known of single objects tells them apart."""
    evidence, start = Evidence.of(liar.ANSWERS), start_of(liar.NEAR)
    surprises = Surprises.none().adding(liar.ASKED, np.zeros(len(liar.ASKED)))
    found = surprises.learned(liar.NEAR, start, evidence, learn(evidence))
    with_it, without = found.log_odds(liar.rows_of(liar.NEAR, liar.OPEN), liar.OPEN)
    assert with_it < without - 0.5


def test_surprises_that_are_no_candidates_any_more_teach_nothing():
    answers = told([(1, 3), (0, 5)], [1, -1])
    evidence, start = Evidence.of(answers), start_of(NEAR)
    calibration = learn(evidence)
    one = noted((1, 3)).learned(NEAR, start, evidence, calibration)
    both = noted((1, 3), (0, 5)).learned(NEAR, start, evidence, calibration)
    np.testing.assert_array_equal(both.coefficients, one.coefficients)


def test_surprises_are_read_as_they_were_written():
    found = noted((1, 3), (0, 1))
    again = Surprises.from_entry(json.loads(json.dumps(plain(found.to_entry()))), 6)
    for name in ("u", "v", "offset"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
        assert not getattr(again, name).flags.writeable
    assert Surprises.from_entry(json.loads(json.dumps(plain(Surprises.none().to_entry()))), 6).u.size == 0


@pytest.mark.parametrize(
    "wrong",
    [{"u": [1]}, {"v": [3, 6]}, {"u": [3, 0], "v": [3, 1]}, {"offset": [0.0]}, {"offset": [0.0, np.nan]}],
)
def test_damaged_surprises_are_refused(wrong):
    with pytest.raises(InvalidInputError):
        Surprises.from_entry({**noted((1, 3), (0, 1)).to_entry(), **wrong}, 6)
