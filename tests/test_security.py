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


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_S11_no_source_file_unpickles_evaluates_or_calls_a_shell(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            assert not (isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS)
            flags = {one.arg for one in node.keywords if getattr(one.value, "value", None) is not False}
            assert not flags & FORBIDDEN_FLAGS
        elif isinstance(node, ast.Import):
            assert not {one.name.split(".")[0] for one in node.names} & FORBIDDEN_MODULES
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in FORBIDDEN_MODULES


@pytest.mark.slow
def test_S11_reading_a_project_unpickles_and_runs_nothing(tmp_path):
    done = subprocess.run([sys.executable, "-c", EVERYTHING, tmp_path], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
