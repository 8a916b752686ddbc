"""Tests that need a browser, or axe-core in it; where it cannot be had they are left out, and counted.

A test needs Chromium when it uses the fixture ``chromium``, and axe-core when it uses ``axe``. ``make test``
fetches both where it may; axe-core comes from the npm registry into ``build``, and is used in tests alone.
"""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

AXE = Path(__file__).parents[1] / "build" / "axe" / "package" / "axe.min.js"
# Of the version that the Makefile names.
AXE_DIGEST = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"
LEFT_OUT = pytest.StashKey[dict[str, int]]()
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


def axe_path():
    return AXE if AXE.is_file() else None


@dataclass(frozen=True)
class Needed:
    fixture: str
    name: str
    find: Callable[[], object]
    remedy: str

    @property
    def mark(self):
        return f"needs_{self.fixture}"


NEEDED = (
    Needed("chromium", "Chromium", chromium_path, "install it (Debian: apt-get install chromium)"),
    Needed("axe", "axe-core", axe_path, "fetch it (make browser, with npm)"),
)


def pytest_configure(config):
    config.stash[LEFT_OUT] = {one.mark: 0 for one in NEEDED}
    for one in NEEDED:
        config.addinivalue_line("markers", f"{one.mark}: needs {one.name} (set by the fixture {one.fixture})")
        if config.getoption("--require-all") and one.find() is None:
            raise pytest.UsageError(f"--require-all was given, but there is no {one.name}; {one.remedy}")


@pytest.fixture(scope="module")  # its event loop would be in the way of other files' tests
def chromium():
    """A browser without any window."""
    from playwright.sync_api import Error, expect, sync_playwright

    expect.set_options(timeout=120_000)  # milliseconds until a test gives up: machines can be slow
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        except Error as error:
            pytest.skip(f"{chromium_path()} cannot be driven, perhaps for its version: {error.message}")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    """The script that looks for what keeps people from using a page."""
    content = AXE.read_bytes()
    assert hashlib.sha256(content).hexdigest() == AXE_DIGEST, "another axe-core than the Makefile names"
    return content.decode()


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item):
    for one in NEEDED:
        if one.fixture in getattr(item, "fixturenames", ()):
            item.add_marker(one.mark)
            item.add_marker("slow")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    for one in NEEDED:
        if one.find() is None:
            left_out = [item for item in items if item.get_closest_marker(one.mark)]
            items[:] = [item for item in items if not item.get_closest_marker(one.mark)]
            config.stash[LEFT_OUT][one.mark] = len(left_out)
            config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput.update(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    counts = node.config.stash[LEFT_OUT]
    for mark in counts:
        counts[mark] = max(counts[mark], getattr(node, "workeroutput", {}).get(mark, 0))


def pytest_terminal_summary(terminalreporter, config):
    for one in NEEDED:
        if count := config.stash[LEFT_OUT][one.mark]:
            tests = "1 test was" if count == 1 else f"{count} tests were"
            terminalreporter.write_line(
                f"{tests} left out, for want of {one.name}; to run them, {one.remedy}"
            )
