"""S11: nothing that is read is run: no pickle, marshal, eval, exec, no shell."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "ofakind"
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "code", "codeop"}
FORBIDDEN_FLAGS = {"allow_pickle", "shell"}

# A process that makes, fills, copies, writes out and reads a project, and says what was unpickled or run.
EVERYTHING = """
import sys
from pathlib import Path
import numpy as np
import ofakind as ok
from ofakind.project.transfer import project_from_log, write_log
folder, seen = Path(sys.argv[1]), []

def hook(name, arguments):
    if name in ("pickle.find_class", "subprocess.Popen", "os.system", "os.exec", "os.spawn"):
        frame, files = sys._getframe(1), []
        while frame is not None:
            files.append(frame.f_code.co_filename)
            frame = frame.f_back
        if not any("/numba/" in file for file in files):  # which keeps compiled code in its own way
            seen.append((name, files[:3]))

path = folder / "a.ofk"
sys.addaudithook(hook)
with ok.new_project(["a", "b", "c"], path=path, vectors=np.eye(3)) as project:
    project.tell(("a", "b"), 1)
    project.backup(folder / "b.ofk")
    project.check()
    project.labels()
with ok.open_project(path) as project:
    project.labels()
write_log(path, folder / "log.jsonl")
project_from_log(folder / "log.jsonl", folder / "c.ofk")
print(seen)
"""


def dangers(tree):
    """Lines that import what may run data, evaluate text, call a shell or let NumPy unpickle."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            flags = {one.arg for one in node.keywords if getattr(one.value, "value", None) is not False}
            found = name in FORBIDDEN_CALLS or bool(flags & FORBIDDEN_FLAGS)
        elif isinstance(node, ast.Import):
            found = bool({one.name.split(".")[0] for one in node.names} & FORBIDDEN_MODULES)
        else:
            home = node.module if isinstance(node, ast.ImportFrom) else None
            found = (home or "").split(".")[0] in FORBIDDEN_MODULES
        if found:
            yield node.lineno


@pytest.mark.slow
def test_S11_no_source_file_unpickles_evaluates_or_calls_a_shell():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    assert [f"{path}:{line}" for path, tree in trees.items() for line in dangers(tree)] == []
    assert len(trees) > 100


def test_S11_what_is_dangerous_is_found():
    bad = ["eval(text)", "run(command, shell=True)", "np.load(path, allow_pickle=True)"]
    bad += ["import pickle", "import json, code.x", "from marshal import loads"]
    assert [len(list(dangers(ast.parse(code)))) for code in bad] == [1] * len(bad)
    assert list(dangers(ast.parse("np.load(path, allow_pickle=False)\nre.compile(x)\nimport codecs"))) == []


@pytest.mark.slow
def test_S11_reading_a_project_unpickles_and_runs_nothing(tmp_path):
    done = subprocess.run([sys.executable, "-c", EVERYTHING, tmp_path], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
