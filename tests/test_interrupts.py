"""Ctrl-C, with real signals: what computes stops cleanly, wherever the signal comes."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from threading import Thread

import pytest

from ofakind import interrupts
from ofakind.interrupts import stoppable

# In a process of its own, since what goes wrong here is a crash. It counts how often each outcome came.
BEGIN = """
import collections, os, signal, threading
import numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by processes in the background
seen = collections.Counter()

def press_ctrl_c(after, action):
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        action()
        timer.join()
        seen["done before"] += 1
    except BaseException as error:
        seen[type(error).__name__] += 1
"""

KERNELS = """
from typing import NamedTuple
from numba import njit
from ofakind.interrupts import stoppable

class Both(NamedTuple):
    a: np.ndarray
    b: np.ndarray

@njit(nogil=True)
def work(size):
    total = 0.0
    for i in range(size):
        total += np.sin(i * 1.0) * np.cos(total)
    return np.full(3, total)

@njit(nogil=True)
def kernel(size):
    x = work(size)
    return RESULT

def call():
    with stoppable():
        kernel(3_000_000)

kernel(10)
for _ in range(10):
    press_ctrl_c(0.02, call)
print(dict(seen))
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""

LEARNER = """
import json
import ofakind as ok

learner, oracle = ok.ActiveClustering(800, seed=1), ok.NoisyOracle(np.arange(800) % 9, seed=0)
for _ in range(2):
    pairs = learner.ask()
    learner.tell(pairs, oracle(pairs))

def document():
    return json.dumps(learner.to_document(), sort_keys=True)

def compute():  # for ever: all of a round but its end
    while True:
        learner._current = None
        learner.ask()

before, learner._advance = document(), lambda *ends: None
for turn in range(12):
    press_ctrl_c(0.05 + 0.06 * turn, compute)
    assert document() == before
print(dict(seen))
"""


def outcome(script):
    """What a script printed at its end."""
    command = [sys.executable, "-c", BEGIN + script]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout.strip()


@pytest.mark.parametrize("result", ["x, x", "x, 1.0", "Both(x, x)"])
def test_ctrl_c_while_a_kernel_runs_is_a_keyboard_interrupt_whatever_it_returns(result):
    assert outcome(KERNELS.replace("RESULT", result)) == "{'KeyboardInterrupt': 10}"


def test_ctrl_c_during_a_round_is_a_keyboard_interrupt_and_leaves_the_learner_as_it_was():
    assert outcome(LEARNER) == "{'KeyboardInterrupt': 12}"


@pytest.fixture
def heard():
    """Signals that a handler of the user's has heard, while it is in force."""
    numbers = []
    before = signal.signal(signal.SIGINT, lambda number, _: numbers.append(number))
    yield numbers
    signal.signal(signal.SIGINT, before)


def test_the_handler_in_force_is_called_and_is_in_force_again_afterwards(heard):
    handler = signal.getsignal(signal.SIGINT)
    with stoppable():
        inside = signal.getsignal(signal.SIGINT)
        with stoppable():
            assert signal.getsignal(signal.SIGINT) is inside
            os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is inside
    assert signal.getsignal(signal.SIGINT) is handler is not inside
    assert heard == [signal.SIGINT]


def press_ctrl_c_in(module, heard):
    """Whether the signal is heard while a function of that module runs."""
    names = {"__name__": module, "os": os, "signal": signal, "heard": heard}
    exec("os.kill(os.getpid(), signal.SIGINT)\nfound = bool(heard)", names)  # noqa: S102
    return names["found"]


@pytest.mark.parametrize("module", ["numba.core.serialize", "namedtuple_Graph"])
def test_a_signal_at_a_bad_time_is_heard_once_and_soon_after(heard, module):
    with stoppable():
        assert not press_ctrl_c_in(module, heard)
        wait_for(heard)
    assert heard == [signal.SIGINT]
    with stoppable():
        assert press_ctrl_c_in("anything.else", heard)


def wait_for(heard):
    end = time.monotonic() + 60
    while not heard and time.monotonic() < end:
        time.sleep(0.001)


def test_a_signal_that_is_still_waiting_at_the_end_is_heard_there_and_only_there(heard, monkeypatch):
    monkeypatch.setattr(interrupts, "INTERRUPT", replace(interrupts.INTERRUPT, soon=0.05))
    with stoppable():
        assert not press_ctrl_c_in("namedtuple_Graph", heard)
    assert heard == [signal.SIGINT]
    time.sleep(0.2)
    assert heard == [signal.SIGINT]


def test_where_ctrl_c_is_ignored_it_stays_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stoppable():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_the_handler_alone():
    found = []

    def look():
        with stoppable():
            found.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]


def test_what_is_raised_inside_comes_out():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), stoppable():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before
