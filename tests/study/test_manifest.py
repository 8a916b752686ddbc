"""What a result says about its origin."""

import json
import os
import re
import subprocess
from datetime import UTC, datetime, timedelta

import numpy as np

import ofakind
from ofakind.study import manifest as module
from ofakind.study.manifest import manifest


def test_a_manifest_names_versions_machine_and_moment():
    made = manifest()
    assert made["ofakind"] == ofakind.__version__
    assert made["numpy"] == np.__version__
    assert None not in {made[library] for library in module.LIBRARIES}
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", made["python"])
    assert made["cores"] >= 1
    assert made["cpu"]
    assert abs(datetime.now(UTC) - datetime.fromisoformat(made["finished"])) < timedelta(minutes=1)
    assert json.loads(json.dumps(made)) == made


def test_a_library_that_is_not_installed_has_no_version():
    assert module._version("no-such-library") is None


def commit_of(folder, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(folder / "manifest.py"))
    return module._commit()


def test_the_commit_is_that_of_the_checkout_and_says_whether_files_have_changed(tmp_path, monkeypatch):
    def git(*words):
        names = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        return subprocess.run(
            ["git", *names, *words], cwd=tmp_path, check=True, capture_output=True, text=True
        )

    assert commit_of(tmp_path, monkeypatch) is None
    git("init")
    (tmp_path / "a.py").write_text("1")
    git("add", ".")
    git("commit", "-m", "a")
    head = git("rev-parse", "HEAD").stdout[:12]
    assert commit_of(tmp_path, monkeypatch) == head
    os.utime(tmp_path / "a.py", (0, 0))  # git would write its index anew, and lock it for that
    index = (tmp_path / ".git" / "index").read_bytes()
    assert commit_of(tmp_path, monkeypatch) == head
    assert (tmp_path / ".git" / "index").read_bytes() == index
    (tmp_path / "a.py").write_text("2")
    assert commit_of(tmp_path, monkeypatch) == f"{head}+"


def test_without_git_there_is_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert module._commit() is None


def test_a_processor_without_further_vector_instructions_has_none_to_name(monkeypatch):
    extensions = {"baseline": ["SSE"]}
    monkeypatch.setattr(np, "show_config", lambda **_: {"SIMD Extensions": extensions})
    assert module._simd() == ""
    extensions["found"] = ["A", "B"]
    assert module._simd() == "A B"
