"""``ofakind study honesty`` and ``ofakind study reference`` as a person uses them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ofakind.cli.main import app

SMALL = """
title = "A small study"
seeds = 2
budget = 160
shuffle = true
methods = [
  { name = "ours", use = "InformationGain", belief = { use = "PartitionBelief", options = { chains = 2 } } },
  { name = "read", use = "Uniform", reader = { use = "PartitionBelief", options = { chains = 2 } } },
  "Uniform",
]
oracles = [{ kind = "flip", share = 0.1 }, "model"]
datasets = [{ name = "iris", objects = 40, first_batch = 40, batch = 40 }]
"""


def inside(*arguments):
    return CliRunner().invoke(app, ["study", *arguments], prog_name="ofakind")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL)


@pytest.mark.slow
def test_honesty_and_reference_of_a_small_study(here):
    before = inside("reference", "small.toml")
    assert before.exit_code == 0
    assert "iris (40 objects)" in before.stdout
    assert "ours" not in before.stdout

    assert inside("run", "small.toml").exit_code == 0
    table = inside("honesty", "small.toml", "-o", "drawn")
    assert table.exit_code == 0
    for words in ("Flipped answers, share 0.1", "Oracle 2", "ours: iris (40 objects)", "read: iris"):
        assert words in table.stdout
    assert "Uniform" not in table.stdout
    written = [line.removeprefix("written: ") for line in table.stdout.splitlines() if "written: " in line]
    assert len(written) == 2 * 2 * 2
    assert all(Path(file).stat().st_size > 5000 for file in written)
    assert "| rounds with | number |" in inside("honesty", "small.toml", "--markdown").stdout

    assert inside("honesty", "small.toml", "--short").exit_code == 0
    assert "by the reference, mean over seeds" in inside("reference", "small.toml", "--short").stdout
    beside = inside("reference", "small.toml", "--markdown")
    assert "| ours |" in beside.stdout
    assert "| Uniform |" in beside.stdout
    assert "Oracle 2" not in beside.stdout


def test_honesty_before_the_first_run_says_the_next_step(here):
    looked = inside("honesty", "small.toml")
    assert looked.exit_code == 2
    assert "first: ofakind study run small.toml" in looked.stderr


@pytest.mark.slow
def test_honesty_without_estimates_says_what_has_them(here):
    text = 'budget = 80\nmethods = ["Uniform"]\noracles = ["model"]\ndatasets = ["iris"]\n'
    Path("plain.toml").write_text(text)
    assert inside("run", "plain.toml").exit_code == 0
    looked = inside("honesty", "plain.toml")
    assert looked.exit_code == 2
    assert "no run says how wrong it may be" in looked.stderr


RANDOM = """
title = "Random problems"
budget = 400
methods = [{ name = "ours", use = "InformationGain" }]
oracles = ["random"]
datasets = [{ name = "random", variant = "few objects", seeds = { first = 3, count = 2 } }]
"""


@pytest.mark.slow
def test_where_questions_were_forecast_it_is_said_how_often_that_held(here):
    Path("random.toml").write_text(RANDOM)
    assert inside("run", "random.toml").exit_code == 0
    table = inside("honesty", "random.toml")
    assert table.exit_code == 0
    for words in ("ours: random (few objects)", "Forecasts", "forecast / real", "at least"):
        assert words in table.stdout


FEATURES = """
title = "A small study of features"
measure = "pair_f1"
seeds = 2
budget = 60
shuffle = true
methods = [
  { name = "ours, features", use = "InformationGain", features = "own" },
  { name = "TransitiveJoin", features = "own", one_run = true },
]
oracles = [{ kind = "flip", share = 0.0 }]
datasets = [{ name = "iris", objects = 60, first_batch = 20, batch = 20, prior = "vectors" }]
"""


@pytest.mark.slow
def test_a_study_of_features_from_beginning_to_end(here):
    Path("features.toml").write_text(FEATURES)
    assert inside("run", "features.toml").exit_code == 0
    table = inside("table", "features.toml")
    assert table.exit_code == 0
    for words in ("iris (60 objects)", "to F1 0.95", "to ARI 0.95", "last F1", "TransitiveJoin", "medi"):
        assert words in table.stdout
    assert "area" not in table.stdout
    short = inside("table", "features.toml", "--short", "--markdown")
    assert "### Answers to pair F1 0.95" in short.stdout
    assert "| iris (60 objects) |" in short.stdout
    assert "answers saved" in inside("table", "features.toml", "--against", "TransitiveJoin").stdout
    honest = inside("honesty", "features.toml", "--markdown").stdout
    assert "| dataset | rounds | open-ended | upper side holds | interval holds |" in honest
    assert "| rounds with | number |" in honest
    assert inside("report", "features.toml").exit_code == 0
