"""The race: fair settings, a fair sample, turns in order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.cli.demo.race import Digits, RaceSettings, contestants, race, stratified
from twins.curves import curve


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.floats(0, 1), st.integers(0, 2**32))
def test_a_stratified_sample_gives_each_kind_its_share(kinds, share, seed):
    kinds = np.array(kinds)
    count = round(share * len(kinds))
    chosen = stratified(kinds, count, seed)
    assert len(chosen) == len(set(chosen.tolist())) == count
    assert chosen.tolist() == sorted(chosen)
    for kind in set(kinds.tolist()):
        fair = count * (kinds == kind).mean()
        assert abs((kinds[chosen] == kind).sum() - fair) <= len(set(kinds.tolist())) / 2 + 1e-9


def test_another_seed_draws_another_sample():
    kinds = np.arange(300) % 3
    assert stratified(kinds, 100, 0).tolist() != stratified(kinds, 100, 1).tolist()


def test_the_digits_are_images_with_their_truth():
    digits = Digits.load(200, seed=0)
    assert digits.images.shape == (200, 8, 8)
    assert np.bincount(digits.truth).tolist() == pytest.approx([20] * 10, abs=1)
    everything = Digits.load(1797, seed=0)
    assert len(everything.truth) == 1797


def test_the_budget_is_never_more_than_there_are_pairs():
    assert RaceSettings.of(10, None, 0.4, 0).budget == 45
    assert RaceSettings.of(10, 10**9, 0.4, 0).budget == 45
    assert RaceSettings.of(10, 7, 0.4, 0).budget == 7
    assert RaceSettings.of(1000, None, 0.4, 0).budget == 40_000


@pytest.mark.slow
def test_methods_take_turns_and_spend_the_same_budget_to_the_letter():
    curves, truth = contestants(), np.arange(20) % 2
    moves = [curve.name for curve in race(curves, truth, RaceSettings(20, 90, 0.2, 0))]
    assert moves[:15] == ["ofakind", "JEIG", "Uniform"] * 5
    assert set(moves[15:]) <= {"ofakind"}  # ours may ask less at a time
    for each in curves:
        answers = [point.answers for point in each.points]
        assert (answers[0], answers[-1]) == (20, 90)
        assert each.name == "ofakind" or answers == [20, 40, 60, 80, 90]
        seconds = [point.seconds for point in each.points]
        assert seconds == sorted(seconds)
    first = [each.points[0].labels.tolist() for each in curves]
    assert first[1] == first[2]  # the same random questions, noise and solver to start with


def test_without_noise_every_pair_asked_gives_the_truth():
    curves, truth = contestants(), np.arange(12) % 3
    list(race(curves, truth, RaceSettings.of(12, None, 0.0, 0)))
    assert [each.last.ari for each in curves] == [1.0, 1.0, 1.0]


def test_needed_is_the_first_time_a_level_is_reached():
    reached = curve("x", [0.2, 0.6, 0.4, 0.7])
    assert [reached.needed(level) for level in (0.0, 0.5, 0.7, 0.71)] == [100, 200, 400, None]
