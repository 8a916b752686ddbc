"""Two tiers of tests: ``make quick`` leaves out those marked slow, ``make test`` runs them all.

A test that needs more than 0.3 seconds of computing is marked slow. So that the marks stay true, what each
test computes is measured, and a run says which tests are slow without the mark. It never fails for that,
since machines differ. Waiting does not count, so that a busy machine makes no test slow, nor does compiling,
which comes in whatever test is the first.
"""

import os
from functools import cache
from time import monotonic

import pytest

MARK = "slow"
LIMIT = 5.0  # seconds, far more than in the rule: machines differ, and the first test to use something pays
SLOW = pytest.StashKey[list[str]]()


def pytest_configure(config):
    meaning = "needs more than 0.3 seconds of computing; left out by make quick"
    config.addinivalue_line("markers", f"{MARK}: {meaning}")
    config.stash[SLOW] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    compiling, begin = _compiling(), monotonic()
    before = _computed() - _seconds(compiling)
    result = yield
    computed = _computed() - _seconds(compiling) - before
    spent = min(computed, monotonic() - begin)  # processes of an earlier test may have ended in this one
    if spent > LIMIT and not item.get_closest_marker(MARK):
        item.config.stash[SLOW].append(f"{item.nodeid} ({spent:.1f} s)")
    return result


def _computed():
    """Seconds that this process has computed, and those that it started and that have ended."""
    return sum(os.times()[:4])


@cache
def _compiling():
    """Measure from now on how long numba compiles in this process."""
    from numba.core import event

    event.register("numba:compile", listener := event.TimingListener())
    return listener


def _seconds(listener):
    return listener.duration if listener.done else 0.0


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    config = session.config
    if hasattr(config, "workeroutput"):  # of pytest-xdist, which tells the process that started it
        config.workeroutput[MARK] = config.stash[SLOW]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.stash[SLOW] += getattr(node, "workeroutput", {}).get(MARK, [])


def pytest_terminal_summary(terminalreporter, config):
    for test in config.stash[SLOW]:
        terminalreporter.write_line(f"mark it @pytest.mark.{MARK}, or make it faster: {test}")
