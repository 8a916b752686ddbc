"""Tempering: none while answers come as predicted, some when the posterior was too sure of itself."""

import numpy as np
import pytest

from ofakind import InvalidInputError
from ofakind.noise.tempering import FACTORS, Tempering


def rounds(tempering, factor, *, count=15, size=300, seed=0):
    """Tempering after rounds of answers, when the true log-odds are the predicted ones times a factor."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        log_odds = rng.normal(0, 3, size)
        same = rng.random(size) < 1 / (1 + np.exp(-log_odds * factor))
        right = rng.random(size) < 0.9
        tempering = tempering.after(
            1 / (1 + np.exp(-log_odds * tempering.value)), np.where(same == right, 2.2, -2.2)
        )
    return tempering


@pytest.mark.parametrize("seed", range(3))
def test_it_stays_high_when_probabilities_are_right(seed):
    assert rounds(Tempering(), 1.0, seed=seed).value > 0.85


@pytest.mark.parametrize("seed", range(3))
def test_it_falls_to_the_factor_by_which_the_posterior_is_too_sure(seed):
    assert rounds(Tempering(), 0.4, seed=seed).value == pytest.approx(0.4, abs=0.12)


def test_it_rises_again_when_answers_come_as_predicted():
    low = rounds(Tempering(), 0.3)
    assert low.value < 0.5
    assert rounds(low, 1.0).value > 0.8


def test_no_answers_change_nothing():
    low = rounds(Tempering(), 0.4)
    for tempering in (Tempering(), low):
        again = tempering.after(np.empty(0), np.empty(0))
        assert again.value == tempering.value
        np.testing.assert_array_equal(again.evidence, tempering.evidence)


def test_certain_probabilities_and_huge_ratios_stay_finite():
    tempering = Tempering().after(np.array([0.0, 1.0, 1.0]), np.array([7.0, -7.0, 7.0]))
    assert np.isfinite(tempering.evidence).all()
    assert 0 < tempering.value <= 1


def test_one_round_takes_the_factor_that_predicts_the_answers_best_less_a_penalty():
    p, ratios = np.resize([0.9, 0.1, 0.8], 120), np.resize([2.0, -2.0, -2.0, 2.0], 120)
    logs = []
    for factor in FACTORS:
        q = 1 / (1 + (1 / p - 1) ** factor)
        logs.append(np.log(q * np.exp(ratios) + 1 - q).sum() - 20 * (1 - factor))
    best = FACTORS[np.argmax(logs)]
    assert 0.1 < best < 1
    assert Tempering().after(p, ratios).value == pytest.approx(best)


def test_it_can_be_saved():
    tempering = rounds(Tempering(), 0.5, count=2)
    again = Tempering.from_entry({"value": tempering.value, "evidence": tempering.evidence.tolist()})
    assert again.value == tempering.value
    np.testing.assert_array_equal(again.evidence, tempering.evidence)


@pytest.mark.parametrize(
    "entry", [{"value": 0.0}, {"value": 2.0}, {"evidence": [1.0]}, {"evidence": [np.nan] * 19}]
)
def test_a_damaged_entry_is_refused(entry):
    with pytest.raises(InvalidInputError):
        Tempering.from_entry({"value": 1.0, "evidence": [0.0] * len(FACTORS), **entry})


def test_answers_of_long_ago_count_as_much_however_many_came_at_a_time():
    surprised = Tempering().after(np.full(100, 0.99), np.resize([3.0, -3.0], 100))
    at_once = surprised.after(np.full(12, 0.9), np.full(12, 2.0))
    by_one = surprised
    for _ in range(12):
        by_one = by_one.after(np.full(1, 0.9), np.full(1, 2.0), 1 / 12)
    assert by_one.value == pytest.approx(at_once.value, abs=0.15)
