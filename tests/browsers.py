"""Tests that need a browser: they run where there is Chromium; elsewhere they are left out, and counted.

A test needs it when it uses the fixture ``chromium``. ``make test`` installs it where it may.
"""

import shutil

import pytest

MARK = "needs_browser"
REMEDY = "install it (Debian: apt-get install chromium)"
LEFT_OUT = pytest.StashKey[int]()
FLAGS = (
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium_path():
    return shutil.which("chromium") or shutil.which("chromium-browser")


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARK}: needs Chromium (set by the fixture chromium)")
    config.stash[LEFT_OUT] = 0
    if config.getoption("--require-all") and chromium_path() is None:
        raise pytest.UsageError(f"--require-all was given, but there is no Chromium; {REMEDY}")


@pytest.fixture(scope="module")  # its event loop would be in the way of other files' tests
def chromium():
    """A browser without any window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item):
    if "chromium" in getattr(item, "fixturenames", ()):
        item.add_marker(MARK)
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if chromium_path() is not None:
        return
    left_out = [item for item in items if item.get_closest_marker(MARK)]
    items[:] = [item for item in items if not item.get_closest_marker(MARK)]
    config.stash[LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[MARK] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    known = getattr(node, "workeroutput", {}).get(MARK, 0)
    node.config.stash[LEFT_OUT] = max(node.config.stash[LEFT_OUT], known)


def pytest_terminal_summary(terminalreporter, config):
    if count := config.stash[LEFT_OUT]:
        tests = "1 test was" if count == 1 else f"{count} tests were"
        terminalreporter.write_line(f"{tests} left out, for want of Chromium; to run them, {REMEDY}")
