"""Tests that need a browser, where the system's cannot be driven."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TESTS = """
def test_with(chromium):
    pass

def test_without():
    pass
"""


@pytest.fixture
def run(tmp_path):
    """Run those tests in a process of its own, with a browser that ends at once."""
    (tmp_path / "chromium").write_text("#!/bin/sh\necho 'no such option' >&2\nexit 1\n")
    (tmp_path / "chromium").chmod(0o755)
    (tmp_path / "test_some.py").write_text(TESTS)
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    surroundings |= {"PYTHONPATH": str(Path(__file__).parent), "OFAKIND_DATA": str(tmp_path)}
    surroundings["PATH"] = f"{tmp_path}:{os.environ['PATH']}"

    def run():
        plugins = ("-preal_files", "-pbrowsers", "-pno:cacheprovider", "-pno:hypothesispytest", "-ra")
        command = [sys.executable, "-m", "pytest", *plugins]
        return subprocess.run(
            command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=900
        )

    return run


def test_a_browser_that_cannot_be_driven_is_named_and_the_other_tests_run(run):
    done = run()
    assert done.returncode == 0, done.stdout
    assert " 1 passed, 1 skipped" in done.stdout
    assert "chromium cannot be driven, perhaps for its version: " in done.stdout
