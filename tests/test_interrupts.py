"""Ctrl-C, with real signals: what computes stops cleanly, wherever the signal comes."""

import os
import re
import signal
import subprocess
import sys
import time
from threading import Thread

import pytest

from ofakind import interrupts
from ofakind.interrupts import stoppable

PATIENCE = 900  # seconds until a test gives up: the first round compiles, and the machine may be busy

# In a process of its own, since what goes wrong here is a crash. It counts how often each outcome came.
BEGIN = """
import collections, os, signal, sys, threading
import numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by processes in the background
seen = collections.Counter()

def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)

def note(action):
    try:
        action()
        seen["never came"] += 1
    except BaseException as error:
        seen[type(error).__name__] += 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""

# The kernel says that it runs, and ends when Ctrl-C was pressed.
KERNELS = """
import ctypes, time
from typing import NamedTuple
from numba import njit
from ofakind.interrupts import stoppable

class Both(NamedTuple):
    a: np.ndarray
    b: np.ndarray

pause = ctypes.CDLL(None).usleep
pause.argtypes = [ctypes.c_uint]

@njit(nogil=True)
def kernel(state):
    state[0] = 1
    while state[1] == 0:
        pause(100)
    x = np.full(3, 1.0)
    return RESULT

def call():
    state = np.zeros(2, np.int64)

    def press_when_it_runs():
        while state[0] == 0:
            time.sleep(0.0001)
        press_ctrl_c()
        state[1] = 1

    presser = threading.Thread(target=press_when_it_runs)
    presser.start()
    try:
        with stoppable():
            kernel(state)
    finally:
        presser.join()

kernel(np.ones(2, np.int64))
for _ in range(10):
    note(call)
print(dict(seen))
"""

# Ctrl-C at the first call of each function in a round that is neither ours nor NumPy's: those that numba
# calls on the way into a kernel and out of it are among them.
LEARNER = """
import json
import ofakind as ok

learner, oracle = ok.ActiveClustering(30, seed=1), ok.NoisyOracle(np.arange(30) % 3, seed=0)
for _ in range(3):
    pairs = learner.ask()
    learner.tell(pairs, oracle(pairs))

def document():
    return json.dumps(learner.to_document(), sort_keys=True)

def compute():  # all of a round but its end
    learner._current = None
    learner.ask()

def at_each_call(action):
    def watch(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and not module.startswith(("ofakind", "numpy")):
            action((module, frame.f_code.co_name))
    sys.setprofile(watch)
    try:
        compute()
    finally:
        sys.setprofile(None)

def press_at(wanted):
    def press_once(function):
        if function == wanted and not pressed:
            pressed.append(function)
            press_ctrl_c()
    pressed = []
    at_each_call(press_once)

before, learner._advance = document(), lambda *ends: None
compute()  # what is done once only has been done
functions = {}
at_each_call(lambda function: functions.setdefault(function))
assert ("ctypes", "cast") in functions, "no kernel was given a generator"
assert ("numba.core.serialize", "_numba_unpickle") in functions, "no kernel handed over arrays"
for function in functions:
    print(function, file=sys.stderr)
    note(lambda: press_at(function))
    assert document() == before
print(dict(seen), seen.total() - len(functions))
"""


def outcome(script):
    """What a script printed at its end."""
    command = [sys.executable, "-c", BEGIN + script]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("result", ["x, x", "x, 1.0", "Both(x, x)"])
def test_ctrl_c_while_a_kernel_runs_is_a_keyboard_interrupt_whatever_it_returns(result):
    assert outcome(KERNELS.replace("RESULT", result)) == "{'KeyboardInterrupt': 10}"


@pytest.mark.slow
def test_ctrl_c_during_a_round_is_a_keyboard_interrupt_and_leaves_the_learner_as_it_was():
    assert re.fullmatch(r"\{'KeyboardInterrupt': \d+\} 0", outcome(LEARNER))


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


@pytest.mark.parametrize("module", ["numba.core.serialize", "namedtuple_Graph", "ctypes"])
def test_a_signal_at_a_bad_time_is_heard_once_and_soon_after(heard, module):
    with stoppable():
        assert not press_ctrl_c_in(module, heard)
        wait_for(heard)
    assert heard == [signal.SIGINT]
    with stoppable():
        assert press_ctrl_c_in("anything.else", heard)


def wait_for(heard):
    end = time.monotonic() + PATIENCE
    while not heard and time.monotonic() < end:
        time.sleep(0.001)


def test_a_signal_that_is_still_waiting_at_the_end_is_heard_there_and_only_there(heard, monkeypatch):
    reminders = []
    monkeypatch.setattr(interrupts, "Timer", lambda _, action: reminders.append(action) or Thread())
    with stoppable():
        assert not press_ctrl_c_in("namedtuple_Graph", heard)
        assert not heard
    assert heard == [signal.SIGINT]
    for remind in reminders:
        remind()
    assert heard == [signal.SIGINT]
    assert len(reminders) == 1


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
