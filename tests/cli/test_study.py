"""``ofakind study`` as a person uses it: run, look, draw; errors; what a terminal and a pipe see."""

import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import replace
from fcntl import ioctl
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ofakind.cli import study_progress
from ofakind.cli.main import app
from ofakind.cli.study import app as study_app
from ofakind.cli.study_progress import TimeLeft, duration
from ofakind.study.revision import REVISIONS
from ofakind.study.runner import Finished
from ofakind.study.spec import Study, names

PATIENCE = 900  # seconds until a test gives up: machines that run tests can be slow
SMALL = """
title = "A small study"
seeds = 2
budget = 160
methods = ["Uniform", "Entropy", { name = "QECC", points = 3 }]
oracles = [{ gamma = 0.2 }]
datasets = [{ name = "iris", objects = 40, first_batch = 40, batch = 40 }]
"""
NEAREST = '''
from dataclasses import dataclass
import numpy as np
from ofakind import Scores

@dataclass(frozen=True)
class Nearest:
    """Asks about neighbours in the list."""
    reach: int = 5

    def score(self, state, pairs, rng):
        return Scores(pairs, np.exp(-abs(pairs.u - pairs.v) / self.reach))
'''
FAILING = """
from dataclasses import dataclass
from pathlib import Path
from ofakind import Scores

@dataclass(frozen=True)
class Fails:
    def score(self, state, pairs, rng):
        if Path(__file__).with_name("mended").exists():
            return Scores(pairs, rng.random(len(pairs)))
        raise ValueError("the spring is broken:\\n  mend it")
"""
COMMANDS = [info.name or info.callback.__name__ for info in study_app.registered_commands]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL)
    return tmp_path


def ofakind(*arguments, **options):
    command = [sys.executable, "-m", "ofakind", "study", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **options)


def inside(*arguments):
    """The same in this process, which is quicker."""
    return CliRunner().invoke(app, ["study", *arguments], prog_name="ofakind")


# -- a study from beginning to end -------------------------------------------------------------------------


@pytest.mark.slow
def test_a_small_study_from_beginning_to_end(here):
    assert "small.toml: 0 of 6 runs done, 0 failed" in inside("status", "small.toml").stdout

    done = ofakind("run", "small.toml", "--jobs", "2")
    assert (done.returncode, done.stderr) == (0, "")
    first, *_, last, advice = done.stdout.splitlines()
    assert first == "small.toml: 0 of 6 runs are done, 6 to go"
    assert last == "small.toml: 6 of 6 runs done, 0 failed"
    assert advice == "next:    ofakind study table small.toml (or figures, or report)"
    assert len(list(Path("ofakind-results").glob("*.jsonl"))) == 6

    again = inside("run", "small.toml")
    assert again.exit_code == 0
    assert again.stdout.splitlines()[0] == "small.toml: 6 of 6 runs are done, 0 to go"
    assert "6 of 6 runs done" in inside("status", "small.toml").stdout

    table = ofakind("table", "small.toml")
    assert table.returncode == 0
    for words in ("Oracle 1, gamma 0.2", "iris (40 objects)", "to ARI 0.99", "area", "Who beats whom"):
        assert words in table.stdout
    assert all(re.search(rf"^{method} ", table.stdout, re.M) for method in ("Uniform", "Entropy", "QECC"))
    assert not table.stdout.endswith("\n\n")
    assert "| method | to ARI 0.80 |" in inside("table", "small.toml", "--markdown").stdout

    figures = inside("figures", "small.toml", "-o", "drawn/here")
    files = [Path(line.removeprefix("written: ")) for line in figures.stdout.splitlines()]
    assert {file.suffix for file in files} == {".svg", ".png"}
    assert all(file.stat().st_size > 5000 for file in files)
    assert all(file.name.startswith("small-") for file in files)

    report = inside("report", "small.toml")
    assert report.stdout == "written: small-report.html\n"
    html = Path("small-report.html").read_text(encoding="utf-8")
    for words in ("<h1>A small study</h1>", "<svg", "ofakind study run small.toml", "numpy", "Entropy"):
        assert words in html


@pytest.mark.slow
def test_results_of_an_older_revision_are_run_again_and_status_counts_them(here, monkeypatch):
    assert inside("run", "small.toml").exit_code == 0
    monkeypatch.setitem(REVISIONS, "paper", 99)
    older = "not counted: 4 results of older code (another revision or version of ofakind)"
    assert inside("status", "small.toml").stdout.splitlines()[:2] == [
        "small.toml: 2 of 6 runs done, 0 failed",
        older,
    ]
    again = inside("run", "small.toml")
    assert again.stdout.startswith("small.toml: 2 of 6 runs are done, 4 to go\n")
    assert inside("status", "small.toml").stdout.splitlines()[:2] == [
        "small.toml: 6 of 6 runs done, 0 failed",
        older,
    ]
    inside("report", "small.toml")
    assert f"paper 99, rivals {REVISIONS['rivals']}" in Path("small-report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_results_may_be_kept_elsewhere(here):
    done = inside("run", "small.toml", "--results", "else where")
    assert done.exit_code == 0
    assert "next:    ofakind study table small.toml --results 'else where'" in done.stdout
    assert not Path("ofakind-results").exists()
    assert inside("table", "small.toml", "--results", "else where").exit_code == 0


@pytest.mark.slow
def test_the_short_tables_and_those_against_one_method(here):
    assert inside("run", "small.toml").exit_code == 0
    short = inside("table", "small.toml", "--short").stdout
    for words in ("Answers to ARI 0.95", "Last ARI", "Seconds per round"):
        assert words in short
    assert "Who beats whom" not in short
    gains = inside("table", "small.toml", "--against", "Uniform", "--markdown").stdout
    assert re.findall(r"^\| (\w+) \| 2 \|", gains, re.M) == ["Entropy", "QECC"]
    wrong = inside("table", "small.toml", "--against", "Unifrom")
    assert wrong.exit_code == 2
    assert "no runs of 'Unifrom'; expected one of" in wrong.stderr
    both = inside("table", "small.toml", "--against", "Uniform", "--short")
    assert both.exit_code == 2
    assert "expected one of them" in both.stderr


def test_the_list_shows_every_study_with_its_title():
    listed = inside("list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == names()
    assert len({line.index(" runs  ") for line in listed}) == 1  # the columns are aligned
    for line in listed:
        study = Study.load(line.split()[0])
        assert f" {len(study.cells)} runs  {study.title}" in line


@pytest.mark.slow
def test_what_is_missing_from_a_table_is_said(here):
    Path("large.toml").write_text(SMALL.replace("seeds = 2", "seeds = 3"))
    assert inside("run", "small.toml").exit_code == 0
    looked = inside("table", "large.toml")
    assert looked.exit_code == 0
    assert looked.stderr == "only 6 of 9 runs are done\n"
    assert "2 seeds" in looked.stdout


@pytest.mark.parametrize("command", ["table", "figures", "report"])
def test_before_the_first_run_the_next_step_is_said(here, command):
    looked = inside(command, "small.toml")
    assert looked.exit_code == 2
    assert looked.stderr == (
        "ofakind: no results of small.toml in ofakind-results; first: ofakind study run small.toml\n"
    )
    assert list(here.iterdir()) == [here / "small.toml"]


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_help_has_an_example_that_names_the_command(command):
    shown = inside(*filter(None, [command]), "--help")
    assert shown.exit_code == 0
    assert f"Example: ofakind study {command or ''}" in shown.stdout


# -- methods of one's own ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_method_of_ones_own_lies_beside_the_study(here):
    (here / "mine").mkdir()
    (here / "mine" / "mymethod.py").write_text(NEAREST)
    own = '"Uniform", { name = "Nearest", use = "mymethod:Nearest", options = { reach = 3 } }'
    (here / "mine" / "own.toml").write_text(re.sub(r"methods = .*", f"methods = [{own}]", SMALL))
    done = ofakind("run", "mine/own.toml", "--jobs", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 of 4 runs done, 0 failed" in done.stdout
    assert re.search(r"^Nearest ", inside("table", "mine/own.toml").stdout, re.M)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failing_run_stops_no_other_and_is_run_again_only_on_request(here, jobs):
    Path("failing.py").write_text(FAILING)
    methods = 'methods = [{ name = "Broken", use = "failing:Fails" }, "Uniform"]'
    Path("failing.toml").write_text(re.sub(r"methods = .*", methods, SMALL))
    reason = (
        "iris (40 objects), Oracle 1, gamma 0.2, Broken, seed 1: ValueError: the spring is broken: mend it"
    )

    first = ofakind("run", "failing.toml", "--jobs", jobs)
    assert (first.returncode, first.stderr) == (1, "")
    assert f"failed: {reason}" in first.stdout
    assert "failing.toml: 2 of 4 runs done, 2 failed" in first.stdout
    assert "again:   ofakind study run failing.toml --retry" in first.stdout
    kept = {path: path.stat().st_mtime_ns for path in Path("ofakind-results").iterdir()}
    assert sum(path.name.endswith(".failed.json") for path in kept) == 2
    assert all("failing.py" in path.read_text() for path in kept if path.name.endswith(".failed.json"))

    second = inside("run", "failing.toml", "--jobs", jobs)
    assert second.exit_code == 1
    assert "2 of 4 runs are done, 0 to go" in second.stdout
    assert {path: path.stat().st_mtime_ns for path in Path("ofakind-results").iterdir()} == kept
    status = inside("status", "failing.toml")
    assert status.exit_code == 0
    assert f"  {reason}\n" in status.stdout

    Path("mended").touch()
    third = ofakind("run", "failing.toml", "--jobs", jobs, "--retry")
    assert third.returncode == 0
    assert "2 of 4 runs are done, 2 to go" in third.stdout
    assert "4 of 4 runs done, 0 failed" in third.stdout
    assert not list(Path("ofakind-results").glob("*.failed.json"))


# -- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("seeds = 2", "seeds ="), "study small: Invalid value (at line 3, column 8)"),
        (
            ("budget", "budgets"),
            "study small: the study has an unknown entry 'budgets'; did you mean 'budget'?",
        ),
        (("budget = 160", ""), "study small: a dataset has no budget: "),
        (
            ('"iris"', '"irsi"'),
            "study small: there is no dataset 'irsi' with true clusters; did you mean 'iris'?",
        ),
        (('"Uniform"', '"Unifrom"'), "study small: there is no method 'Unifrom'; did you mean 'Uniform'?"),
        (('"Uniform"', '"Entropy"'), "study small: two of the methods are 'Entropy'"),
        (
            ("gamma = 0.2", 'kind = "nosy"'),
            "study small: the kind of an oracle is 'nosy'; expected 'noisy' or",
        ),
        (("points", "options = { x = 1 }, points"), "ofakind.rivals:QECC does not take {'x': 1}: "),
    ],
)
def test_what_is_wrong_with_a_study_is_one_sentence_and_code_2(here, change, message):
    Path("small.toml").write_text(SMALL.replace(*change, 1))
    refused = inside("run", "small.toml")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"ofakind: {message}")
    assert len(refused.stderr.splitlines()) == 1
    assert not Path("ofakind-results").exists()


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "list"])
def test_an_unknown_study_is_refused_with_the_known_ones(here, command):
    refused = inside(command, "smoek")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("ofakind: there is no study 'smoek'; expected a TOML file or one of: ")
    assert all(name in refused.stderr for name in names())


@pytest.mark.slow
def test_a_dataset_that_is_not_here_says_itself_what_to_do(here):
    Path("small.toml").write_text(SMALL.replace('"iris"', '"user_knowledge"'))
    surroundings = {name: value for name, value in os.environ.items() if name != "OFAKIND_DATA"}
    done = ofakind("run", "small.toml", env={**surroundings, "XDG_CACHE_HOME": str(here / "cache")})
    assert done.returncode == 1
    assert "6 failed" in done.stdout
    assert re.search(r"failed: user_knowledge .*, Uniform, seed 0: .*OFAKIND_DATA", done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["jsonl", "run.json"])
def test_a_damaged_result_is_named_by_every_command_and_run_again(here, ending):
    assert inside("run", "small.toml").exit_code == 0
    file = next(Path("ofakind-results").glob(f"*.{ending}"))
    whole = next(Path("ofakind-results").glob("*.jsonl")).read_bytes()
    file.write_bytes(file.read_bytes()[:-5])
    refused = inside("table", "small.toml")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"ofakind: {file} is damaged (")
    first, second, advice = inside("status", "small.toml").stdout.splitlines()
    assert first == "small.toml: 5 of 6 runs done, 0 failed, 1 damaged"
    assert second.startswith(f"  {file} is damaged (")
    assert advice == "mend:    ofakind study run small.toml"
    again = inside("run", "small.toml")
    assert again.exit_code == 0
    assert again.stdout.startswith("small.toml: 5 of 6 runs are done, 1 to go\n")
    assert f"run again: {file} is damaged (" in again.stdout
    assert "small.toml: 6 of 6 runs done, 0 failed\n" in again.stdout
    assert next(Path("ofakind-results").glob("*.jsonl")).read_bytes() == whole
    assert inside("table", "small.toml").exit_code == 0


def test_results_that_cannot_be_written_are_refused_before_any_work(here):
    refused = inside("run", "small.toml", "--results", "small.toml")
    assert refused.exit_code == 2
    assert refused.stderr == "ofakind: cannot write to small.toml: File exists; choose another folder\n"


@pytest.mark.parametrize("jobs", ["0", "-1", "x"])
def test_jobs_must_be_a_number(here, jobs):
    refused = inside("run", "small.toml", "--jobs", jobs)
    assert refused.exit_code == 2
    assert "--jobs" in refused.stderr


# -- progress ----------------------------------------------------------------------------------------------


def on_terminal(*arguments, columns=120):
    """Everything that a terminal of this width gets to see."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    surroundings = {**os.environ, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI"):
        surroundings.pop(name, None)
    command = [sys.executable, "-m", "ofakind", "study", *arguments]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=surroundings)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return process.wait(PATIENCE), seen.decode()


@pytest.mark.slow
def test_a_terminal_sees_a_bar_that_grows_the_time_left_and_failures_above_it(here):
    Path("failing.py").write_text(FAILING)
    methods = 'methods = ["Uniform", { name = "Broken", use = "failing:Fails" }]'
    Path("failing.toml").write_text(re.sub(r"methods = .*", methods, SMALL))
    code, seen = on_terminal("run", "failing.toml")
    assert code == 1
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    assert re.search(r"━+.* [1-4]/4 runs \d:\d\d:\d\d", plain)
    assert re.search(
        r"[1-3]/4 runs \d:\d\d:\d\d \d+ s left iris \(40 objects\), Oracle 1, gamma 0.2, ", plain
    )
    assert plain.count("failed: iris") == 2
    *_, bar, summary, _, _, _, _, advice = [line for line in plain.replace("\r", "\n").splitlines() if line]
    assert re.fullmatch(r"━{30} 4/4 runs \d:\d\d:\d\d\s*", bar)
    assert summary == "failing.toml: 2 of 4 runs done, 2 failed"
    assert advice.startswith("next:")


@pytest.mark.slow
def test_a_narrow_terminal_keeps_the_bar_on_one_line_whatever_the_names_are(here):
    Path("small.toml").write_text(SMALL.replace('"Uniform"', '{ name = "[/red] [b]", use = "Uniform" }'))
    code, seen = on_terminal("run", "small.toml", columns=60)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    assert code == 0
    assert all(len(line) <= 60 for line in re.split(r"[\r\n]+", plain) if "━" in line)


@pytest.mark.slow
def test_a_terminal_sees_no_bar_when_all_is_done(here):
    assert inside("run", "small.toml").exit_code == 0
    code, seen = on_terminal("run", "small.toml")
    assert code == 0
    assert "━" not in seen
    assert "6 of 6 runs are done, 0 to go" in seen


@pytest.mark.slow
def test_a_pipe_sees_plain_lines_now_and_then(here, monkeypatch):
    shown = inside("run", "small.toml").stdout.splitlines()
    assert shown[-3] == "6 of 6 runs, 0 s left"
    monkeypatch.setattr(study_progress, "PROGRESS", replace(study_progress.PROGRESS, plain_every=0.0))
    shown = inside("run", "small.toml", "--results", "again").stdout
    assert [int(count) for count in re.findall(r"^(\d) of 6 runs, .* left$", shown, re.M)] == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]
    assert "\x1b" not in shown


def finished(cell, seconds):
    return Finished(cell, seconds, None)


def forecast_of(cells, workers, monkeypatch, elapsed):
    """A forecast, as it would be so many seconds after the start."""
    clock = iter([0.0, *[elapsed] * 99])
    monkeypatch.setattr(study_progress, "perf_counter", lambda: next(clock))
    return TimeLeft(cells, workers)


def test_the_forecast_is_the_mean_of_the_same_method_else_of_all(monkeypatch):
    cells = Study.parse(SMALL, "small").cells  # two seeds of three methods
    forecast = forecast_of(cells, 1, monkeypatch, elapsed=1000.0)
    assert forecast.seconds() == 0.0
    forecast.add(finished(cells[0], 10.0))
    assert forecast.seconds() == 5 * 10.0
    forecast.add(finished(cells[1], 40.0))
    assert forecast.seconds() == 10.0 + 40.0 + 2 * 25.0
    for cell in cells[2:]:
        forecast.add(finished(cell, 7.0))
    assert forecast.seconds() == 0.0


def test_the_forecast_counts_on_all_workers_but_on_no_more_than_there_are_runs(monkeypatch):
    cells = Study.parse(SMALL, "small").cells
    forecast = forecast_of(cells, 4, monkeypatch, elapsed=1000.0)
    forecast.add(finished(cells[0], 10.0))
    assert forecast.seconds() == 5 * 10.0 / 4
    for cell in cells[1:4]:
        forecast.add(finished(cell, 10.0))
    assert forecast.seconds() == 2 * 10.0 / 2


def test_the_forecast_sees_how_many_workers_a_cluster_has(monkeypatch):
    cells = [replace(cell, seed=seed) for cell in Study.parse(SMALL, "small").cells for seed in range(9)]
    forecast = forecast_of(cells, 1, monkeypatch, elapsed=20.0)
    for cell in cells[:6]:
        forecast.add(finished(cell, 10.0))  # 60 seconds of work in 20
    assert forecast.seconds() == pytest.approx((len({c.key for c in cells}) - 6) * 10.0 / 3)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 0 min"),
        (90000, "25 h 0 min"),
    ],
)
def test_a_duration_is_said_as_people_say_it(seconds, words):
    assert duration(seconds) == words
