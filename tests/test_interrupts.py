"""Ctrl-C and other signals, real ones: what computes stops cleanly, wherever they come."""

import os
import re
import signal
import subprocess
import sys
from itertools import count
from threading import Thread

import pytest

from ofakind import interrupts
from ofakind.interrupts import uninterrupted

PATIENCE = 900  # seconds until a test gives up: the first round compiles, and the machine may be busy
SIGNALS = 2000 if os.environ.get("OFAKIND_SOAK") else 200

# In a process of its own, since what goes wrong here is a crash. It counts how often each outcome came.
BEGIN = """
import collections, os, signal, sys, threading, time
import numpy as np
seen = collections.Counter()

class TimedOutError(Exception): ...

def time_out(number, frame):
    raise TimedOutError

HANDLERS = {signal.SIGINT: signal.default_int_handler, signal.SIGALRM: time_out}
for number, handler in HANDLERS.items():
    signal.signal(number, handler)

def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)

def note(action):
    try:
        action()
        seen["never came"] += 1
    except BaseException as error:
        seen[type(error).__name__] += 1

def check_handlers():
    assert all(signal.getsignal(number) is handler for number, handler in HANDLERS.items())
"""

# The kernel says that it runs, and ends when Ctrl-C was pressed.
KERNELS = """
import ctypes
from typing import NamedTuple
from ofakind.kernels.compiled import compiled

class Both(NamedTuple):
    a: np.ndarray
    b: np.ndarray

pause = ctypes.CDLL(None).usleep
pause.argtypes = [ctypes.c_uint]

@compiled(cache=False)
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
        kernel(state)
    finally:
        presser.join()

kernel(np.ones(2, np.int64))
for _ in range(10):
    note(call)
    check_handlers()
print(dict(seen))
"""

# Ctrl-C at the first call of each function in a round that is neither ours nor NumPy's: those that numba
# calls on the way into a kernel and out of it are among them.
LEARNER = """
import json
import ofakind as ok

alone = ok.PartitionBelief(n_jobs=1)  # in this thread
learner, oracle = ok.ActiveClustering(30, belief=alone, seed=1), ok.NoisyOracle(np.arange(30) % 3, seed=0)
for _ in range(3):
    pairs = learner.ask()
    learner.tell(pairs, oracle(pairs))

def document():
    return json.dumps(learner.to_document(), sort_keys=True)

saved, before = learner.to_document(), document()

def at_each_call(action):  # in a round of a learner that was just loaded
    global learner
    learner = ok.ActiveClustering.from_document(saved, belief=alone)
    def watch(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and not module.startswith(("ofakind", "numpy")):
            action((module, frame.f_code.co_name))
    sys.setprofile(watch)
    try:
        learner.ask()
    finally:
        sys.setprofile(None)

def press_at(wanted):
    def press_once(function):
        if function == wanted and not pressed:
            pressed.append(function)
            press_ctrl_c()
    pressed = []
    at_each_call(press_once)

learner.ask()  # what is done once only has been done
functions = {}
at_each_call(lambda function: functions.setdefault(function))
assert ("ctypes", "cast") in functions, "no kernel was given a generator"
assert ("numba.core.serialize", "_numba_unpickle") in functions, "no kernel handed over arrays"
for function in functions:
    print(function, file=sys.stderr)
    note(lambda: press_at(function))
    check_handlers()
    assert document() == before
print(dict(seen), seen.total() - len(functions))
"""

# Signals at random times, from Ctrl-C and from a timer in turn: into the calls of a learner, which must go on
# as one does that nothing disturbs, and into others. A call that is over waits for its signal. Where that is
# heard in a finaliser, Python itself keeps the error.
RANDOM_TIMES = """
import json, subprocess
import ofakind as ok

N, SIGNALS = 60, int(sys.argv[1])
SENDER = "import os, sys, time\\nfor line in sys.stdin: time.sleep(float(line)); os.kill(os.getppid(), 2)"
sender = subprocess.Popen([sys.executable, "-c", SENDER], stdin=subprocess.PIPE)
rng, kept = np.random.default_rng(), []
sys.unraisablehook = lambda found: kept.append(found.exc_value)

def send_ctrl_c(delay):
    os.write(sender.stdin.fileno(), f"{delay}\\n".encode())

def send_alarm(delay):
    signal.setitimer(signal.ITIMER_REAL, delay)

def disturb(action, seconds):
    def call():
        send(1e-6 + 1.3 * seconds * rng.random())
        action()
        end = time.monotonic() + 60
        while not kept and time.monotonic() < end:
            time.sleep(0.001)
        if kept:
            raise kept.pop()
    send = (send_ctrl_c, send_alarm)[seen.total() % 2]
    note(call)

def seconds_of(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start

def tell(learner):
    learner.tell(learner.pending, ok.NoisyOracle(np.arange(N) % 5, seed=0)(learner.pending))

def look(learner):
    return learner.labels.tolist()

def make():
    return ok.ActiveClustering(N, initial=40, batch_size=20, seed=1)

def document(learner):
    return json.dumps(learner.to_document(), sort_keys=True)

STEPS = [ok.ActiveClustering.ask, tell, look, ok.ActiveClustering.ask, tell] * 4

def states(learner):
    yield document(learner), 0, None
    for step in STEPS:
        seconds = seconds_of(lambda: step(learner))
        yield document(learner), seconds, look(learner) if step is look else None

twin = make()
list(states(make()))  # compiles
expected = list(states(twin))
u, v = np.triu_indices(N, 1)
posterior, similarity = twin.posterior, twin.similarity
calls = [
    lambda: ok.LocalSearch()(similarity, rng=np.random.default_rng(0)).labels,
    lambda: ok.LocalSearch(runs=4, n_jobs=2)(similarity, rng=np.random.default_rng(0)).labels,
    lambda: ok.Multilevel()(similarity, rng=np.random.default_rng(0)).labels,
    lambda: ok.Consensus().from_samples(posterior.labels, rng=np.random.default_rng(0)),
    lambda: ok.mean_field(similarity, twin.labels).q,
    lambda: posterior.same_probability(u, v),
]
found = [call() for call in calls]
times = [seconds_of(call) for call in calls]
learner, past = make(), 0
while seen.total() < SIGNALS:
    step, (before, *_), (after, seconds, labels) = STEPS[past], *expected[past : past + 2]
    disturb(lambda: step(learner), seconds)
    now = document(learner)
    assert now in (before, after), "a call was done in part"
    assert step is not look or look(learner) == labels
    past += now == after
    if past == len(STEPS):
        learner, past = make(), 0
    which = rng.integers(len(calls))
    disturb(calls[which], times[which])
    assert np.array_equal(calls[which](), found[which])
    check_handlers()
sender.kill()
print(dict(sorted(seen.items())))
"""

# A signal while a function is compiled, and while numba is imported.
COMPILING = """
from importlib.abc import MetaPathFinder

class Press(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "numba.core.dispatcher":
            press_ctrl_c()

def load():
    import ofakind.kernels.compiled

sys.meta_path.insert(0, Press())
note(load)
from ofakind.kernels.compiled import compiled
from numba.core import event

class Alarm(event.Listener):
    def on_start(self, event):
        signal.raise_signal(signal.SIGALRM)
    def on_end(self, event): ...

@compiled(cache=False)
def kernel(x, rng):
    return x + 1, rng.random()

with event.install_listener("numba:compile", Alarm()):
    note(lambda: kernel(np.ones(1), np.random.default_rng(0)))
check_handlers()
assert kernel(np.ones(1), np.random.default_rng(0))[0] == 2
print(dict(seen))
"""

# While signals wait, another thread forks: in the new process they do not wait.
FORK = """
import warnings
from ofakind.interrupts import uninterrupted
warnings.simplefilter("ignore")

def child():
    if process := os.fork():
        found.append(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
    else:
        note(press_ctrl_c)
        os._exit(seen["KeyboardInterrupt"] + 10)

def work():
    thread = threading.Thread(target=child)
    thread.start()
    thread.join()

found = []
uninterrupted(work)
print(found)
"""


def outcome(script, *arguments):
    """What a script printed at its end."""
    command = [sys.executable, "-c", BEGIN + script, *arguments]
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


@pytest.mark.slow
def test_signals_at_random_times_raise_what_their_handlers_raise_and_leave_everything_as_it_was():
    each = SIGNALS // 2
    assert outcome(RANDOM_TIMES, str(SIGNALS)) == f"{{'KeyboardInterrupt': {each}, 'TimedOutError': {each}}}"


@pytest.mark.slow
def test_a_signal_while_numba_is_imported_or_compiles_is_heard_afterwards_and_all_is_well():
    assert outcome(COMPILING) == "{'KeyboardInterrupt': 1, 'TimedOutError': 1}"


def test_signals_that_wait_here_do_not_wait_in_a_process_that_another_thread_forks():
    assert outcome(FORK) == "[11]"


# -- one call ----------------------------------------------------------------------------------------------


class HeardError(Exception):
    pass


@pytest.fixture
def heard():
    """Signals that handlers of the user's have heard, while they are in force."""
    numbers = []
    kinds = (signal.SIGINT, signal.SIGALRM)
    before = [signal.signal(kind, lambda number, _: numbers.append(number)) for kind in kinds]
    yield numbers
    for kind, handler in zip(kinds, before, strict=True):
        signal.signal(kind, handler)


def test_a_signal_is_heard_when_all_is_over_and_its_handler_is_in_force_again(heard):
    handler = signal.getsignal(signal.SIGINT)

    def work():
        signal.raise_signal(signal.SIGINT)
        return list(heard), signal.getsignal(signal.SIGINT)

    found, inside = uninterrupted(work)
    assert found == []
    assert heard == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is handler is not inside


def test_a_call_inside_another_waits_for_the_outer_one(heard):
    def work():
        uninterrupted(signal.raise_signal, signal.SIGINT)
        return list(heard)

    assert uninterrupted(work) == []
    assert heard == [signal.SIGINT]


def test_several_signals_of_a_kind_are_one_and_every_kind_is_heard(heard):
    def work():
        for kind in (signal.SIGALRM, signal.SIGINT, signal.SIGALRM, signal.SIGINT):
            signal.raise_signal(kind)

    uninterrupted(work)
    assert heard == [signal.SIGALRM, signal.SIGINT]


def test_a_handler_that_raises_keeps_no_other_from_hearing(heard):
    def fail(*_):
        raise HeardError

    def work():
        signal.raise_signal(signal.SIGALRM)
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGALRM, fail)
    with pytest.raises(HeardError):
        uninterrupted(work)
    assert heard == [signal.SIGINT]
    assert signal.getsignal(signal.SIGALRM) is fail


def test_what_a_handler_makes_of_handlers_stays(heard):
    def once(*_):
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    signal.signal(signal.SIGINT, once)
    uninterrupted(signal.raise_signal, signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_handler_may_itself_call_what_must_not_be_interrupted(heard):
    def compute(*_):
        heard.append(uninterrupted(max, 1, 2))

    signal.signal(signal.SIGINT, compute)
    uninterrupted(signal.raise_signal, signal.SIGINT)
    assert heard == [2]
    assert signal.getsignal(signal.SIGINT) is compute


@pytest.mark.parametrize("ignored", [signal.SIG_IGN, signal.SIG_DFL])
def test_a_signal_without_a_handler_is_left_alone(heard, ignored):
    signal.signal(signal.SIGALRM, ignored)
    assert uninterrupted(signal.getsignal, signal.SIGALRM) is ignored


def test_other_threads_leave_the_handlers_alone(heard):
    found = []
    thread = Thread(target=lambda: found.append(uninterrupted(signal.getsignal, signal.SIGINT)))
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]


def test_what_is_raised_inside_comes_out(heard):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError):
        uninterrupted(divmod, 1, 0)
    assert signal.getsignal(signal.SIGINT) is before


# -- a signal at every step of the guard itself --------------------------------------------------------------


def at_step(chosen, action):
    """Raise a signal at one step of Python code in `interrupts`, and tell whether there are so many."""
    steps = count()

    def watch(frame, event, _):
        if frame.f_code.co_filename != interrupts.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps) == chosen:
            signal.raise_signal(signal.SIGINT)
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        action()
    finally:
        sys.settrace(before)
    return next(steps) > chosen


@pytest.mark.parametrize("raising", [False, True])
def test_a_signal_at_any_step_is_heard_once_and_leaves_nothing_behind(heard, raising):
    def hear(number, _):
        heard.append(number)
        if raising:
            raise HeardError

    signal.signal(signal.SIGINT, hear)
    alarm = signal.getsignal(signal.SIGALRM)
    for step in count():
        heard.clear()
        try:
            more = at_step(step, lambda: uninterrupted(max, 1, 2))
        except HeardError:
            more = True
        if not more:
            break
        assert heard == [signal.SIGINT]
        uninterrupted(max, 1, 2)
        assert signal.getsignal(signal.SIGINT) is hear
        assert signal.getsignal(signal.SIGALRM) is alarm
        assert not interrupts.WAITING.now
        assert not interrupts.WAITING.came
    assert step > 100
