"""``ofakind demo --page``: one command, and digits are ready to label."""

import os
import signal
import subprocess
import sys

import httpx
import numpy as np
import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.demo.digits import drawn, make_digits
from ofakind.cli.main import app
from ofakind.project.picture_types import media_type, size_of


def test_a_digit_becomes_a_picture_dark_on_white():
    content = drawn(np.full((8, 8), 16.0))
    assert media_type(content) == "image/png"
    assert size_of("png", content) == (96, 96)
    assert drawn(np.zeros((8, 8))) != content


@pytest.mark.slow
def test_digits_are_pictures_with_features_and_names_that_tell_nothing(tmp_path):
    make_digits(tmp_path, 40, 1)
    with ok.open_project(tmp_path / "digits.ofk", read_only=True) as project:
        assert project.ids[:2] == ("0000.png", "0001.png")
        assert project.features_used is not None
        assert project.question == "Are these the same digit?"
        assert media_type(project.picture("0039.png")) == "image/png"


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False])
def test_one_command_serves_them_and_without_a_folder_leaves_nothing(tmp_path, kept):
    options = ["--folder", str(tmp_path / "here")] if kept else []
    surroundings = {**os.environ, "BROWSER": "true", "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "ofakind", "demo", "--page", "--objects", "30", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=surroundings, **pipes) as process:
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Ctrl-C"):
                break
        url, _, token = next(line for line in said if line.startswith("http")).strip().partition("/#")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=600, trust_env=False) as client:
            (question,) = client.post("/api/next", json={"n": 1}).json()["questions"]
            picture = client.get(f"/api/picture/{question['left']['number']}")
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert picture.headers["content-type"] == "image/png"
    assert process.returncode == 130, rest
    assert "30 handwritten digits are ready" in "".join(said)
    assert ("go on with" in rest) is kept
    assert (tmp_path / "here" / "digits.ofk").exists() is kept
    assert list(tmp_path.glob("ofakind-*")) == []


def test_a_folder_without_the_page_is_refused(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--folder", str(tmp_path)])
    assert done.exit_code == 2
    assert "--folder is for the page" in done.output
