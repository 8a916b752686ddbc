"""Tests that need real data: left out and counted where it is missing, required by continuous integration."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
TESTS = """
import os
import pytest

@pytest.fixture(scope="module")
def numbers(data_folder):
    return (data_folder / "numbers").read_text().split()

def test_directly(data_folder):
    assert os.environ["OFAKIND_DATA"] == str(data_folder)

def test_through_another_fixture(numbers):
    assert numbers == ["1", "2"]

def test_without():
    assert "OFAKIND_DATA" not in os.environ
"""
LINE = (
    "left out, for want of real data; to run them, "
    "set OFAKIND_DATA to the folder with the data files (docs/datasets.md)"
)


@pytest.fixture
def run(tmp_path):
    """Run those tests in a process of its own."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "numbers").write_text("1 2")
    (tmp_path / "test_some.py").write_text(TESTS)
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    surroundings["PYTHONPATH"] = str(ROOT / "tests")
    surroundings.pop("OFAKIND_DATA", None)

    def run(*options, data=None):
        named = {} if data is None else {"OFAKIND_DATA": data}
        plugins = ("--disable-plugin-autoload", "-pxdist", "-preal_files", "-pno:cacheprovider")
        command = [sys.executable, "-m", "pytest", *plugins, *options]
        return subprocess.run(
            command, cwd=tmp_path, env={**surroundings, **named}, capture_output=True, text=True, timeout=900
        )

    run.folder = tmp_path
    return run


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_without_the_files_the_tests_that_need_them_are_left_out_and_one_line_says_so(run, workers):
    done = run("-n", workers)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(f"2 tests were {LINE}\n") == 1
    assert done.stdout.count("left out") == 1
    assert " 1 passed" in done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.slow
def test_only_what_would_have_run_is_counted(run):
    assert f"1 test was {LINE}" in run("-k", "directly or without").stdout
    assert "left out" not in run("-k", "without").stdout


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "options"), [("0", ()), ("2", ("--require-all",))])
def test_with_the_files_all_tests_run_and_the_others_do_not_see_the_variable(run, workers, options):
    done = run("-n", workers, *options, data="data")
    assert done.returncode == 0, done.stdout
    assert " 3 passed" in done.stdout
    assert "left out" not in done.stdout


def test_a_variable_that_names_no_folder_is_an_error(run):
    done = run(data="nowhere")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: OFAKIND_DATA is 'nowhere', which is no folder; correct it or unset it" in done.stderr


def test_where_all_are_required_missing_files_are_an_error(run):
    done = run("--require-all")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert (
        "ERROR: --require-all was given, but OFAKIND_DATA is not set; set OFAKIND_DATA to the" in done.stderr
    )


@pytest.mark.slow
def test_where_all_are_required_tests_that_skip_have_failed(run):
    skipping = [
        "def test_x():\n    pytest.skip('no wish')",
        "@pytest.mark.skip('no wish')\ndef test_x(): pass",
        "pytest.skip('no wish', allow_module_level=True)",
    ]
    for number, code in enumerate(skipping):
        (run.folder / f"test_more_{number}.py").write_text(f"import pytest\n{code}\n")
    done = run(data="data")
    assert done.returncode == 0
    assert " 3 passed, 3 skipped" in done.stdout
    done = run("--require-all", "--continue-on-collection-errors", data="data")
    assert done.returncode != 0
    assert " 1 failed, 3 passed, 2 errors" in done.stdout
    for number in range(3):
        assert re.search(rf"test_more_{number}.py.* was skipped, which --require-all forbids", done.stdout)
    assert done.stdout.count("no wish") >= 3


def test_continuous_integration_names_the_files_and_requires_all(tmp_path):
    (tmp_path / "make").write_text('#!/bin/sh\necho "$OFAKIND_DATA: $*"\n')
    (tmp_path / "make").chmod(0o755)
    surroundings = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [ROOT / ".ci" / "run"], env=surroundings, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1:] == [
        f"../shared/data: {target} OPTIONS=--require-all" for target in ("test", "test-torch")
    ]
