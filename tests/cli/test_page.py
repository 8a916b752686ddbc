"""``ofakind label`` with and without the page."""

import importlib.util

import pytest
from typer.testing import CliRunner

from ofakind.cli import label
from ofakind.cli.main import app
from ofakind.errors import OfakindError


@pytest.fixture
def without_page(monkeypatch):
    found = importlib.util.find_spec

    def find(name, *more):
        return None if name in ("fastapi", "uvicorn") else found(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", find)


def test_without_the_page_a_sentence_says_how_to_get_it_and_the_terminal_goes_on(
    without_page, monkeypatch, capsys
):
    monkeypatch.setattr("ofakind.cli.terminal.desks.is_terminal", lambda: True)
    assert label._has_page(asked_for=False) is False
    assert "pip install 'ofakind[web]'" in capsys.readouterr().err
    with pytest.raises(OfakindError, match="the page is not installed"):
        label._has_page(asked_for=True)


def test_a_script_gets_the_terminal_s_lines_and_not_a_page(monkeypatch):
    monkeypatch.setattr("ofakind.cli.terminal.desks.is_terminal", lambda: False)
    assert label._has_page(asked_for=False) is False
    assert label._has_page(asked_for=True) is True


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--people", "Ada,Ada"], "expected names, each once"),
        (["--port", "70000"], "65535"),
        (["--host", "192.0.2.77", "--port", "0"], "cannot listen on 192.0.2.77"),
        (["--port", "0"], "is not there"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(tmp_path, options, words):
    done = CliRunner().invoke(app, ["label", str(tmp_path / "none.ofk"), "--no-browser", *options])
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--people", "Ada,Bob", "--terminal"], "--people is for the page, and --terminal for the terminal"),
        (["--people", "Ada,Bob", "--terminal"], "one person answers, and --annotator says who"),
        (
            ["--people", "Ada,Bob", "--budget", "20"],
            "--people is for the page, and --budget for the terminal",
        ),
        (["--port", "0", "--terminal"], "--port is for the page"),
        (["--host", "::1", "--terminal"], "--host is for the page"),
        (["--tokens", "t.json", "--terminal"], "--tokens is for the page"),
        (["--people", "Ada,Bob", "--annotator", "Ada"], "--people and --annotator are given"),
    ],
)
def test_options_of_the_page_are_refused_in_the_terminal_and_not_ignored(tmp_path, options, words):
    done = CliRunner().invoke(app, ["label", str(tmp_path / "none.ofk"), *options])
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
