"""The mark of slow tests is kept true by what tests compute."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CONFTEST = """
import tiers
tiers.LIMIT = 0.3
"""
TESTS = """
import subprocess, sys, time
import numba, numpy, pytest

COMPUTE = "import time\\nwhile time.process_time() < 0.6: pass"

@pytest.mark.slow
def test_marked():
    exec(COMPUTE)

def test_waits():
    time.sleep(0.6)

def test_compiles():
    begin = time.process_time()
    for size in range(1, 9):
        numba.njit(lambda x: numpy.sort(x)[:size])(numpy.ones(size))
    assert time.process_time() - begin > 0.5
"""
UNMARKED = """
import subprocess, sys, time

def test_computes():
    end = time.process_time() + 0.6
    while time.process_time() < end:
        pass

def test_lets_another_compute():
    code = "import time\\nwhile time.process_time() < 0.6: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
"""


@pytest.fixture
def run(tmp_path):
    """Run tests in a process of its own, or in one and two workers."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_right.py").write_text(TESTS)
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    surroundings["PYTHONPATH"] = str(Path(__file__).parent)

    def run(*options):
        plugins = ("--disable-plugin-autoload", "-pxdist", "-ptiers", "-pno:cacheprovider")
        command = [sys.executable, "-m", "pytest", *plugins, *options]
        return subprocess.run(
            command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=900
        )

    run.folder = tmp_path
    return run


def test_waiting_compiling_and_what_is_marked_slow_are_no_matter(run):
    done = run()
    assert done.returncode == 0, done.stdout
    assert " 3 passed" in done.stdout
    assert "mark it" not in done.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_slow_tests_without_the_mark_are_named_and_do_not_fail(run, workers):
    (run.folder / "test_wrong.py").write_text(UNMARKED)
    done = run("-n", workers, "-k", "wrong")
    assert done.returncode == 0, done.stdout
    for name in ("computes", "lets_another_compute"):
        advice = f"mark it @pytest.mark.slow, or make it faster: test_wrong.py::test_{name} (0."
        assert done.stdout.count(advice) == 1


def test_what_is_marked_slow_can_be_left_out(run):
    assert " 2 passed, 1 deselected" in run("-m", "not slow").stdout
