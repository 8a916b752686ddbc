"""Equal bits: the same questions, labels, reports and saved bytes whatever processor they are computed on.

Each test starts a process that takes this machine for an older one: other kernels of BLAS, NumPy without its
vector instructions, a C library without fused products, one core.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from portable_arithmetic import broken, offences

TESTS = Path(__file__).parent
CPU = {name for name, there in np._core._multiarray_umath.__cpu_features__.items() if there}
BASELINE = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"}
NO_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"}
ELSEWHERE = {
    "Haswell's BLAS": {"OPENBLAS_CORETYPE": "Haswell"},
    "SkylakeX's BLAS": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Prescott's BLAS": {"OPENBLAS_CORETYPE": "Prescott"},
    "NumPy's baseline": BASELINE,
    "a C library without FMA": NO_FMA,
    "the oldest of all, on one core": {"OPENBLAS_CORETYPE": "Prescott", **BASELINE, **NO_FMA},
}
NEEDS = {
    "SkylakeX's BLAS": {"AVX512F"},
    "Haswell's BLAS": {"AVX2", "FMA3"},
}  # else it is an illegal instruction
if os.environ.get("OFAKIND_SOAK"):  # to compile everything takes minutes
    ELSEWHERE["NumPy without AVX-512"] = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"}
    ELSEWHERE["kernels compiled for any processor"] = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
SETTINGS = {name for settings in ELSEWHERE.values() for name in settings}
POSSIBLE = [name for name in ELSEWHERE if NEEDS.get(name, set()) <= CPU]


def elsewhere(what, folder, settings=None, *, cores=None):
    """Start `twins.elsewhere` with these settings, and return what it prints."""
    inherited = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    command = [sys.executable, "-W", "ignore", "-m", "twins.elsewhere", what, str(folder)]
    done = subprocess.run(
        command,
        cwd=TESTS,
        env={**inherited, **(settings or {})},
        capture_output=True,
        text=True,
        preexec_fn=None if cores is None else lambda: os.sched_setaffinity(0, cores),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout) if what == "replay" else None


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder of projects that were made here, and what comes out of them and of the fixed runs."""
    folder = tmp_path_factory.mktemp("projects")
    elsewhere("make", folder)
    return folder, elsewhere("replay", folder)


@pytest.mark.slow
def test_projects_replay_here(here):
    found = here[1]
    assert {found[name]["replay"] for name in ("plain", "records", "points", "pictures", "judged")} == {
        "None"
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", POSSIBLE)
def test_the_same_comes_out_on(name, here):
    """Questions, labels, accuracy and document of runs; replay, groups, report and questions of projects."""
    folder, expected = here
    settings = {**ELSEWHERE[name], "NUMBA_CACHE_DIR": str(folder)} if "compiled" in name else ELSEWHERE[name]
    found = elsewhere(
        "replay", folder, settings, cores={min(os.sched_getaffinity(0))} if "one core" in name else None
    )
    there = found.pop("arithmetic")
    taken = {  # or else the test would prove nothing
        "OPENBLAS_CORETYPE": lambda wanted: there["blas"] == [{"Prescott": "Katmai"}.get(wanted, wanted)],
        "NPY_DISABLE_CPU_FEATURES": lambda wanted: not set(wanted.split()) & set(there["simd"]),
        "GLIBC_TUNABLES": lambda _: "FMA3" not in CPU or there["exp"] != expected["arithmetic"]["exp"],
        "NUMBA_CPU_NAME": lambda wanted: there["compiled for"] == wanted,
        "NUMBA_CPU_FEATURES": lambda _: True,
    }
    assert all(taken[setting](wanted) for setting, wanted in ELSEWHERE[name].items()), there
    assert {run: found[run] for run in found} == {run: expected[run] for run in found}


@pytest.mark.slow
def test_settings_that_this_machine_cannot_take_are_few():
    """Any processor of the last ten years can take all but SkylakeX's."""
    assert len(POSSIBLE) >= len(ELSEWHERE) - 1


# -- the rule ----------------------------------------------------------------------------------------------


def test_what_decides_anything_is_computed_by_portable_functions():
    assert broken() == []


@pytest.mark.parametrize(
    "code",
    [
        "np.exp(x)",
        "import math\nmath.log(2)",
        "from math import ceil, lgamma",
        "from scipy.special import expit",
        "import scipy.special as s",
        "from numpy.linalg import norm",
        "np.linalg.solve(a, b)",
        "a @ b",
        "a @= b",
        "x ** y",
        "x ** 0.5",
        "x ** -0.5",
        "np.argsort(x)",
        "x.argsort()",
        'np.argsort(x, kind="quicksort")',
        "np.argpartition(x, 3)",
        "np.partition(x, 3)",
        "x.argpartition(3)",
        "x.dot(y)",
        "list(map(np.tanh, x))",
        "rng.standard_exponential(3)",
    ],
)
def test_the_rule_refuses(code):
    assert list(offences(ast.parse(code)))


@pytest.mark.parametrize("code", ["compiled(fastmath=True)", "compiled(parallel=True)", 'flags("reassoc")'])
def test_the_rule_refuses_licences_of_compilers(code):
    assert list(offences(ast.parse(code), compiled=True))


@pytest.mark.parametrize(
    "code",
    [
        "portable.exp(x)",
        "x ** 2",
        "10 ** digits",
        "2.0 ** -53",
        'np.argsort(x, kind="stable")',
        "np.sort(x)",
        '"a=b".partition("=")',
        "np.sqrt(x)",
        "from math import ceil, sqrt",
        "portable.dot(x, y)",
    ],
)
def test_the_rule_allows(code):
    assert not list(offences(ast.parse(code)))


def test_a_line_may_say_why_it_is_allowed(tmp_path):
    (tmp_path / "a.py").write_text("x = a @ b\ny = a @ b  # portable: whole numbers\n")
    assert broken(tmp_path) == ["src/ofakind/a.py:1: @"]
