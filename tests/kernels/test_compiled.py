"""Kernels from the outside: to Python they are functions, to one another they are what numba made of them."""

import os
import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from ofakind import kernels
from ofakind.kernels.compiled import Kernel, compiled
from ofakind.kernels.field.pair_entropy import pair_entropy

SCALE = 3.0
CALLING = """
from ofakind.kernels.compiled import compiled

@compiled
def twice(x):
    return 2 * x

@compiled
def four_times(x):
    return twice(twice(x))

def hits():
    assert four_times(1.0) == 4
    return sum(four_times.dispatcher.stats.cache_hits.values())
"""


@compiled(cache=False, inline="always")
def scaled(x):
    return SCALE * x


@compiled(cache=False)
def sum_of_scaled(numbers):
    """Add them up."""
    total = 0.0
    for x in numbers:
        total += scaled(x)
    return total


def test_kernels_call_one_another_and_inline():
    assert sum_of_scaled(np.arange(4.0)) == sum_of_scaled.py_func(np.arange(4.0)) == 18
    assert scaled.targetoptions["inline"] == "always"


@pytest.mark.slow
def test_compiled_code_is_kept_for_the_next_process(tmp_path):
    (tmp_path / "calling.py").write_text(CALLING)
    command = [sys.executable, "-c", "import calling; print(calling.hits())"]
    hits = [subprocess.check_output(command, cwd=tmp_path, text=True).strip() for _ in range(2)]
    assert hits == ["0", "1"]


@pytest.mark.slow
def test_where_no_folder_can_be_written_to_code_is_compiled_all_the_same(tmp_path):
    (tmp_path / "calling.py").write_text(CALLING)
    (tmp_path / "__pycache__").write_text("not a folder")
    nowhere = {"HOME": str(tmp_path / "__pycache__"), "XDG_CACHE_HOME": str(tmp_path / "__pycache__")}
    surroundings = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    command = [sys.executable, "-c", "import calling; print(calling.four_times(1.0))"]
    done = subprocess.run(command, cwd=tmp_path, env=surroundings | nowhere, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("4.0\n", "")


def test_a_kernel_looks_like_its_function():
    assert sum_of_scaled.__name__ == "sum_of_scaled"
    assert sum_of_scaled.__doc__ == "Add them up."
    assert sum_of_scaled.__wrapped__ is sum_of_scaled.py_func


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(pair_entropy)) is pair_entropy  # noqa: S301


def test_every_compiled_function_of_the_package_is_a_kernel():
    names = [one.name for one in pkgutil.walk_packages(kernels.__path__, "ofakind.kernels.")]
    homes = [import_module(name) for name in names if ".gpu" not in name]
    values = [value for home in homes for value in vars(home).values()]
    assert sum(isinstance(value, Kernel) for value in values) > 100
    assert not [value for value in values if isinstance(value, Dispatcher)]
