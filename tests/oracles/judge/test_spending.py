"""A cap that holds, however many calls are under way."""

import threading

import numpy as np
import pytest

from ofakind.errors import BudgetSpentError
from ofakind.oracles.judge.spending import CallAllowance, SpendingCap


def test_many_threads_never_spend_more_than_the_cap_and_use_nearly_all_of_it():
    cap, most = SpendingCap(10.0), []

    def spend(seed):
        rng = np.random.default_rng(seed)
        while True:
            call = CallAllowance(cap)
            try:
                call.reserve(0.5)
            except BudgetSpentError:
                return
            most.append(cap.spent + sum(cap._out.values()))
            call.settle(float(rng.uniform(0, 0.5)) if rng.random() < 0.8 else None)

    threads = [threading.Thread(target=spend, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 9.5 <= cap.spent <= 10.0 + 1e-9
    assert max(most) <= 10.5  # a look at sums that change meanwhile


def test_what_was_spent_before_counts():
    cap = SpendingCap(1.0, spent=0.8)
    with pytest.raises(BudgetSpentError, match=r"0\.8 of 1 is spent"):
        CallAllowance(cap).reserve(0.3)
    CallAllowance(cap).reserve(0.2)


def test_it_is_known_which_calls_wait_for_a_server_and_how_long():
    cap, seen = SpendingCap(), []
    with cap.waiting(50.0), cap.waiting(20.0):
        CallAllowance(cap, waits=lambda: seen.append(cap.waits)).wait(0.001)
    begun, ended = seen
    assert [round(one, -1) for one in begun] == [0, 20, 50]
    assert [round(one, -1) for one in ended] == [20, 50]
    assert cap.waits == ()


def test_a_call_whose_setting_aside_cannot_be_written_sets_nothing_aside():
    def fails(cost):
        raise OSError("the disk is full")

    cap = SpendingCap(1.0)
    with pytest.raises(OSError, match="full"):
        CallAllowance(cap, fails).reserve(0.7)
    assert cap.left == 1.0
