"""What answers tell together is what plain enumeration says, and a set grows by what is new."""

import numpy as np
import pytest

from ofakind.acquire.information.answer_kinds import AnswerKinds
from ofakind.acquire.information.joint import grown, joint_information
from twins.joint import joint_information_plainly


def three_kinds(rng):
    """Answers that are often right, seldom wrong, and tell little otherwise."""
    return AnswerKinds(*(tuple(rng.dirichlet(parts)) for parts in ((1, 3, 9), (9, 3, 1))))


@pytest.mark.parametrize("seed", range(5))
def test_the_information_of_a_set_of_answers_is_that_of_plain_enumeration(seed):
    rng = np.random.default_rng(seed)
    pairs, samples = rng.integers(1, 6), rng.integers(1, 7)
    same = rng.random((pairs, samples))
    if seed % 2:
        same = same.round()  # samples that leave no doubt
    kinds = AnswerKinds.wrong(*(rng.random(2) * 0.4)) if seed % 3 else three_kinds(rng)
    plain = joint_information_plainly(same.tolist(), kinds.if_same, kinds.if_different)
    assert joint_information(same, kinds) == pytest.approx(plain, abs=1e-12)


def test_answers_that_are_always_right_tell_the_entropy_of_the_truth():
    same = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
    assert joint_information(same, AnswerKinds.wrong(0)) == pytest.approx(2 * np.log(2))


def test_of_two_others_that_are_always_together_the_second_tells_what_errors_leave():
    together = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.4]])
    rows, gains = grown(together, AnswerKinds.wrong(0), 2)
    assert rows.tolist() == [0, 2]  # the copy of the first comes last, though alone it tells more
    rows, gains = grown(together[:2], AnswerKinds.wrong(0), 2)
    assert gains[1] == pytest.approx(0, abs=1e-12)
    rows, noisy = grown(together[:2], AnswerKinds.wrong(0.2), 2)
    assert 0 < noisy[1] < noisy[0]


@pytest.mark.parametrize("kinds", [AnswerKinds.wrong(0.1, 0.05), three_kinds(np.random.default_rng(1))])
def test_a_set_grows_by_the_answer_that_tells_most_beyond_those_before_it(kinds):
    same = np.random.default_rng(3).random((40, 8)).round(1)  # more than are looked at together
    rows, gains = grown(same, kinds, 5)
    chosen = []
    for row, gain in zip(rows.tolist(), gains, strict=True):
        before = joint_information(same[chosen], kinds) if chosen else 0.0
        more = {c: joint_information(same[[*chosen, c]], kinds) - before for c in set(range(40)) - {*chosen}}
        assert more[row] == pytest.approx(max(more.values()))
        assert gain == pytest.approx(more[row])
        chosen.append(row)


def test_a_set_is_given_up_when_it_cannot_tell_as_much_as_another_one():
    same, kinds = np.random.default_rng(5).random((20, 8)) ** 3, AnswerKinds.wrong(0.1)
    rows, gains = grown(same, kinds, 6)
    total = gains.sum()
    assert len(rows) == 6
    assert grown(same, kinds, 6, least=0.999 * total)[0].tolist() == rows.tolist()
    assert gains[0] + 5.02 * gains[1] < 6 * gains[0]
    early = grown(same, kinds, 6, least=gains[0] + 5.01 * gains[1])[0]  # each later one tells less still
    assert early.tolist() == rows[: len(early)].tolist()
    assert len(early) == 2


def test_what_other_reasons_leave_of_a_worth_counts():
    same = np.array([[0.5, 0.5], [0.9, 0.9]])
    assert grown(same, AnswerKinds.wrong(0), 1)[0].tolist() == [0]
    assert grown(same, AnswerKinds.wrong(0), 1, np.array([0.01, 1.0]))[0].tolist() == [1]


def test_more_answers_than_can_be_compared_exactly_are_still_chosen_once_each():
    same = np.random.default_rng(0).random((14, 6))
    rows, gains = grown(same, AnswerKinds.wrong(0.1), 14)
    assert sorted(rows.tolist()) == list(range(14))
    assert (gains >= 0).all()
