"""Answers on one side of 0 are noticed, and can be read in relation to one another."""

import numpy as np
import pytest

from ofakind.answers import Answers
from ofakind.noise.calibration import Calibration, learn
from ofakind.noise.evidence import Evidence
from ofakind.noise.one_sided import ONE_SIDED, never_below_zero, relative, sides


def told(values, names=None):
    return Answers.none(len(values) + 1).adding([(0, i + 1) for i in range(len(values))], values, names)


@pytest.mark.parametrize(
    ("values", "noticed"),
    [
        ([1, 0], True),
        ([0.8, 0.3], True),
        ([1], True),
        ([0], True),
        ([1, -1], False),
        ([1, 1, 1, -0.01], False),
        ([-1, 0], False),
        ([-1], False),
    ],
)
def test_answers_none_of_which_is_below_0_are_noticed_when_there_are_enough(values, noticed):
    enough = told(np.resize(values, ONE_SIDED.expected))
    assert never_below_zero(enough) == noticed
    assert not never_below_zero(enough.first(ONE_SIDED.expected - 1))
    assert not never_below_zero(Answers.none(3))


def test_under_the_usual_worth_the_sides_are_the_signs():
    rng = np.random.default_rng(0)
    values = rng.choice([-1, -0.4, 0, 0.2, 1], 500)
    evidence = Evidence.of(told(values, rng.choice(["", "Ada", "Ben"], 500)))
    signs = (np.count_nonzero(values > 0), np.count_nonzero(values < 0))
    assert sides(evidence, learn(evidence)) == signs
    assert sides(evidence, Calibration.fixed(3)) == signs
    assert sides(evidence, Calibration.fixed(0)) == (0, 0)


def test_the_sides_are_those_that_were_learned():
    values = np.resize([1.0, 0.0, 0.0], 300)
    evidence = Evidence.of(told(values))
    assert sides(evidence, learn(evidence)) == (100, 0)
    same = (evidence.value == 1).astype(float)
    assert sides(evidence, learn(evidence, same)) == (100, 200)


@pytest.mark.parametrize("values", [(1, 0), (0.8, 0.3), (0.9, 0.1), (1, 0.5), (0, -1), (1, -1)])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_two_values_speak_for_two_sides_when_read_in_relation_to_each_other(values, share):
    many = 100
    high = round(share * many)
    evidence = Evidence.of(told([values[0]] * high + [values[1]] * (many - high), ["Ada"] * many))
    calibration = relative(evidence)
    assert sides(evidence, calibration) == (high, many - high)
    np.testing.assert_allclose(calibration.tables()[0].sum(axis=1), 1)
    assert calibration.annotators == ("Ada",)


def test_read_in_relation_to_one_another_larger_answers_speak_more_for_the_same():
    values = np.random.default_rng(1).uniform(0.1, 0.9, 400)
    calibration = relative(Evidence.of(told(values)))
    ratios = calibration.log_ratio(np.linspace(0.1, 0.9, 9))
    assert (np.diff(ratios) >= 0).all()
    assert ratios[0] < -1
    assert ratios[-1] > 1


@pytest.mark.parametrize("values", [[], [1.0] * 40, [0.0] * 40])
def test_equal_answers_or_none_can_be_read_so_too(values):
    evidence = Evidence.of(told(values))
    assert np.isfinite(relative(evidence).log_ratios()).all()
