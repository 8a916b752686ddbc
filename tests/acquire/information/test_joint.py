"""What answers tell together is what plain enumeration says, and a set grows by what is new."""

import numpy as np
import pytest

from ofakind.acquire.information.joint import Errors, grown, joint_information
from ofakind.noise.calibration import Calibration
from ofakind.noise.channel import SymmetricChannel
from ofakind.posterior.base import Abilities
from twins.joint import joint_information_plainly


@pytest.mark.parametrize("seed", range(20))
def test_the_information_of_a_set_of_answers_is_that_of_plain_enumeration(seed):
    rng = np.random.default_rng(seed)
    pairs, samples = rng.integers(1, 6), rng.integers(1, 7)
    same = rng.random((pairs, samples))
    if seed % 2:
        same = same.round()  # samples that leave no doubt
    errors = Errors(*(rng.random(2) * 0.4))
    plain = joint_information_plainly(same.tolist(), errors.missed, errors.mistaken)
    assert joint_information(same, errors) == pytest.approx(plain, abs=1e-12)


def test_answers_that_are_always_right_tell_the_entropy_of_the_truth():
    same = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
    assert joint_information(same, Errors()) == pytest.approx(2 * np.log(2))


def test_of_two_others_that_are_always_together_the_second_tells_what_errors_leave():
    together = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.4]])
    rows, gains = grown(together, Errors(), 2)
    assert rows.tolist() == [0, 2]  # the copy of the first comes last, though alone it tells more
    rows, gains = grown(together[:2], Errors(), 2)
    assert gains[1] == pytest.approx(0, abs=1e-12)
    rows, noisy = grown(together[:2], Errors(0.2, 0.2), 2)
    assert 0 < noisy[1] < noisy[0]


def test_a_set_grows_by_the_answer_that_tells_most_beyond_those_before_it():
    rng = np.random.default_rng(3)
    same, errors = rng.random((12, 8)).round(1), Errors(0.1, 0.05)
    rows, gains = grown(same, errors, 5)
    chosen = []
    for row, gain in zip(rows.tolist(), gains, strict=True):
        before = joint_information(same[chosen], errors) if chosen else 0.0
        more = {c: joint_information(same[[*chosen, c]], errors) - before for c in set(range(12)) - {*chosen}}
        assert more[row] == pytest.approx(max(more.values()))
        assert gain == pytest.approx(more[row])
        chosen.append(row)


def test_what_other_reasons_leave_of_a_worth_counts():
    same = np.array([[0.5, 0.5], [0.9, 0.9]])
    assert grown(same, Errors(), 1)[0].tolist() == [0]
    assert grown(same, Errors(), 1, np.array([0.01, 1.0]))[0].tolist() == [1]


def test_more_answers_than_can_be_compared_exactly_are_still_chosen_once_each():
    same = np.random.default_rng(0).random((14, 6))
    rows, gains = grown(same, Errors(0.1, 0.1), 14)
    assert sorted(rows.tolist()) == list(range(14))
    assert (gains >= 0).all()


def test_errors_are_what_a_posterior_takes_answers_to_be_like():
    assert Errors.of(Abilities()) == Errors()
    channel = Errors.of(Abilities(answers=SymmetricChannel(0.1)))
    assert channel == Errors(0.1, 0.1)
    learned = Errors.of(Abilities(answers=Calibration.fixed(3)))
    assert (learned.missed, learned.mistaken) == pytest.approx((0.0474, 0.0474), abs=1e-3)
