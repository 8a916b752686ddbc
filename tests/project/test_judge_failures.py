"""When failures in a row are those of one or two records, and when they are the judge's."""

import pytest

from ofakind.oracles.judge.base import JudgeRequest
from ofakind.project.judge_calls import PlannedCall
from ofakind.project.judge_failures import FAILURES, FailedCalls


def call(*pairs, swapped=False):
    return PlannedCall(pairs, swapped, JudgeRequest(str((pairs, swapped)), (), None))


def failing(failed, calls, *, works=True):
    """Let calls fail one after the other; whether the judge is given up at the end."""
    return [failed.gives_up(one, works=works) for one in calls]


def test_an_object_that_all_calls_in_a_row_are_about_is_left_out_and_the_judge_goes_on():
    failed, about = FailedCalls(), [call((3, other)) for other in range(10, 40)]
    assert not any(failing(failed, about))
    assert failed.spoiling == {3}
    assert not any(failing(failed, about))  # they count no more


def test_two_objects_that_fail_by_turns_are_left_out():
    failed = FailedCalls()
    assert not any(failing(failed, [call(((3, 9)[n % 2], 10 + n)) for n in range(30)]))
    assert failed.spoiling == {3, 9}


def test_calls_about_different_objects_give_up_the_judge():
    found = failing(FailedCalls(), [call((n, n + 50)) for n in range(FAILURES.hopeless)])
    assert found == [False] * (FAILURES.hopeless - 1) + [True]


def test_a_judge_that_never_said_anything_is_given_up_at_once():
    assert failing(FailedCalls(), [call((3, 10 + n)) for n in range(FAILURES.hopeless)], works=False)[-1]


def test_a_judge_is_given_up_when_one_object_after_the_other_fails():
    failed = FailedCalls()
    calls = [call((one, 100 * one + other)) for one in range(1, 20) for other in range(10)]
    given_up = failing(failed, calls).index(True)
    assert len(failed.spoiling) == FAILURES.suspects
    assert given_up < (FAILURES.suspects + 1) * FAILURES.hopeless


def test_an_answer_in_between_begins_anew():
    failed = FailedCalls()
    for n in range(100):
        assert not failed.gives_up(call((n, n + 200)), works=True)
        if n % 5 == 4:
            failed.answered()
    assert not failed.spoiling


@pytest.mark.parametrize("swapped", [False, True])
def test_pairs_of_a_call_come_again_alone_and_are_lost_then_but_not_for_the_other_order(swapped):
    failed, together = FailedCalls(), call((1, 2), (1, 3), swapped=swapped)
    failed.add(together)
    assert failed.alone == (set() if swapped else {(1, 2), (1, 3)})
    failed.add(call((1, 2), swapped=swapped))
    assert failed.lost == (set() if swapped else {(1, 2)})
    assert together.request.digest in failed.digests
