"""Tests that need the real data files, which cannot be shipped: they run where OFAKIND_DATA names the folder.

A test needs them when it uses the fixture ``data_folder``, directly or through another one. Without the
variable such tests are left out, and the last lines of a run say how many. No other test sees the variable.
"""

import os
from pathlib import Path

import pytest

VARIABLE = "OFAKIND_DATA"
MARK = "needs_data"
REMEDY = f"set {VARIABLE} to the folder with the data files (docs/datasets.md)"
LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser):
    text = f"fail where a test would be left out or skipped; {VARIABLE} must then name the data folder"
    parser.addoption("--require-all", action="store_true", help=text)


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARK}: needs the real data files (set by the fixture data_folder)")
    config.stash[LEFT_OUT] = 0
    named = os.environ.get(VARIABLE, "")
    if named and not Path(named).is_dir():
        raise pytest.UsageError(f"{VARIABLE} is {named!r}, which is no folder; correct it or unset it")
    if not named and config.getoption("--require-all"):
        raise pytest.UsageError(f"--require-all was given, but {VARIABLE} is not set; {REMEDY}")


@pytest.fixture(scope="session")
def data_folder():
    """The folder with the real files (ecoli/records.csv, ...)."""
    return Path(os.environ[VARIABLE])


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item):
    if "data_folder" in getattr(item, "fixturenames", ()):
        item.add_marker(MARK)


@pytest.hookimpl(trylast=True)  # after -k and -m: only what would have run is counted
def pytest_collection_modifyitems(config, items):
    if os.environ.get(VARIABLE):
        return
    left_out = [item for item in items if item.get_closest_marker(MARK)]
    items[:] = [item for item in items if not item.get_closest_marker(MARK)]
    config.stash[LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Hide the variable from tests that do not ask for the files, so that none needs them unawares."""
    named = os.environ.pop(VARIABLE, None)
    if named is not None and item.get_closest_marker(MARK):
        os.environ[VARIABLE] = str(Path(named).resolve())
    try:
        return (yield)
    finally:
        if named is not None:
            os.environ[VARIABLE] = named


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    return _failed_if_skipped((yield), item.config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _failed_if_skipped((yield), collector.config)


def _failed_if_skipped(report, config):
    if report.skipped and not hasattr(report, "wasxfail") and config.getoption("--require-all"):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped, which --require-all forbids: {report.longrepr}"
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Tell the process that started this one, if it is a worker of pytest-xdist, how many were left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[MARK] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Every worker collects all tests, so each of them knows the number."""
    known = getattr(node, "workeroutput", {}).get(MARK, 0)
    node.config.stash[LEFT_OUT] = max(node.config.stash[LEFT_OUT], known)


def pytest_terminal_summary(terminalreporter, config):
    if count := config.stash[LEFT_OUT]:
        tests = "1 test was" if count == 1 else f"{count} tests were"
        terminalreporter.write_line(f"{tests} left out, for want of real data; to run them, {REMEDY}")
