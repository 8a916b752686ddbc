"""What importing ofakind and asking for help may load: neither may keep a person waiting."""

import subprocess
import sys

import pytest

HEAVY = {"numba", "llvmlite", "scipy.stats", "sklearn", "matplotlib", "torch", "dask", "fastapi", "sqlite3"}
COMMANDS = {"typer", "rich"}


def loaded_by(code):
    """Names of all modules in a fresh interpreter that has run this code."""
    script = f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_importing_ofakind_loads_nothing_heavy():
    loaded = loaded_by("import ofakind")
    assert "ofakind" in loaded
    assert not loaded & (HEAVY | COMMANDS | {"numpy"})


@pytest.mark.slow
def test_rooms_that_people_name_need_no_import_of_their_own():
    code = "import ofakind as ok; ok.datasets.load('digits'); ok.rivals.QECC()"
    assert {"ofakind.datasets", "ofakind.rivals"} <= loaded_by(code)


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import ofakind; ofakind.ActiveClustering(5)",
        "import ofakind; ofakind.NoisyOracle([0, 1], gamma=0.1, seed=0)([(0, 1)])",
        "import ofakind; ofakind.JEIG(); ofakind.EIGO(); ofakind.Entropy(); ofakind.MaxExp()",
    ],
)
def test_making_things_loads_no_compiler_and_no_command_line(code):
    loaded = loaded_by(code)
    assert "numpy" in loaded
    assert not loaded & (HEAVY | COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["demo", "--help"], ["demo", "--objects", "1"]]
)
def test_help_and_version_load_no_numerics(arguments):
    loaded = loaded_by(f"from ofakind.cli.main import app\ntry: app({arguments})\nexcept SystemExit: pass")
    assert "ofakind.cli.demo.command" in loaded
    assert not loaded & (HEAVY | {"numpy", "scipy", "rich"})
