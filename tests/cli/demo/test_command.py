"""The real ``ofakind demo``, run as a user runs it."""

import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ofakind.cli.demo import command
from ofakind.errors import InvalidInputError

OFAKIND = Path(sys.executable).with_name("ofakind")
VOID = {"meta", "img", "br"}
SVG = "{http://www.w3.org/2000/svg}"
METHODS = ("ofakind", "JEIG", "Uniform")
PATIENCE = 900  # seconds until a test gives up: it may compile first, and the machine may be busy


class Checked(HTMLParser):
    """Fails on tags that do not match; remembers what was opened."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.links = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Output and folder of a tiny demo that went well."""
    folder = tmp_path_factory.mktemp("demo")
    options = ["--objects", "60", "--budget", "900", "--gamma", "0.1", "--picture", "chart.svg"]
    done = subprocess.run([OFAKIND, "demo", *options], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout, folder


@pytest.mark.slow
def test_it_writes_the_report_and_the_picture_and_nothing_else(demo):
    output, folder = demo
    assert {path.name for path in folder.iterdir()} == {"demo-report.html", "chart.svg"}
    assert "written: demo-report.html\nwritten: chart.svg\n" in output


@pytest.mark.slow
def test_the_first_line_says_what_is_sorted_and_is_said_once(demo):
    output, _ = demo
    assert output.startswith("60 of 1,797 handwritten digits; 10% of answers are random\n")
    assert output.count("handwritten digits") == 1


@pytest.mark.slow
def test_piped_output_has_no_control_characters_and_fits_80_columns(demo):
    output, _ = demo
    assert re.findall(r"[^\n\x20-\x7e]", output) == []
    assert max(map(len, output.splitlines())) <= 80


@pytest.mark.slow
def test_all_methods_are_followed_to_the_end_of_the_budget(demo):
    output, _ = demo
    for method in METHODS:
        lines = re.findall(
            rf"^{method} +([\d,]+) answers +\d+ clusters +ARI -?\d\.\d\d +\d+ s left$", output, re.M
        )
        assert len(lines) >= 5
        assert lines[-1] == "900"


@pytest.mark.slow
def test_the_report_is_one_well_formed_page_that_needs_nothing_else(demo):
    page = (demo[1] / "demo-report.html").read_text(encoding="utf-8")
    checked = Checked(page)
    assert checked.seen.count("polyline") == 3
    assert checked.seen.count("img") >= 2
    assert all(link.startswith("data:image/png;base64,") for link in checked.links)
    assert not re.search(r"https?://|url\(|@import|<script|<link", page)


@pytest.mark.slow
def test_the_report_says_what_was_run_and_how_to_repeat_it(demo):
    page = (demo[1] / "demo-report.html").read_text(encoding="utf-8")
    assert "ofakind demo --objects 60 --budget 900 --gamma 0.1 --seed 0" in page
    assert re.search(r"ofakind \d+\.\d+\.\d+, \d{4}-\d\d-\d\d \d\d:\d\d UTC", page)


@pytest.mark.slow
def test_the_report_and_the_terminal_tell_the_same_numbers(demo):
    output, folder = demo
    page = (folder / "demo-report.html").read_text(encoding="utf-8")
    for method in METHODS:
        row = re.findall(rf"^{method} .*\d$", output, re.M)[-1].split()
        assert "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" in page


@pytest.mark.slow
@pytest.mark.parametrize("place", ["demo", "docs"])
def test_the_picture_is_an_svg_with_three_curves(demo, place):
    docs = Path(__file__).parents[3] / "docs" / "images" / "demo.svg"
    root = ET.parse({"demo": demo[1] / "chart.svg", "docs": docs}[place]).getroot()  # noqa: S314
    assert root.tag == f"{SVG}svg"
    assert len(root.findall(f"{SVG}polyline")) == 3


@pytest.mark.slow
def test_the_picture_holds_the_numbers_that_the_terminal_shows(demo):
    output, folder = demo
    held = json.loads(ET.parse(folder / "chart.svg").findtext(f"{SVG}metadata"))  # noqa: S314
    assert held["settings"] == {"objects": 60, "budget": 900, "gamma": 0.1, "seed": 0}
    for method in METHODS:
        *reached, ari, clusters, _ = re.findall(rf"^{method} .*\d$", output, re.M)[-1].split()[1:]
        found = held["methods"][method]
        assert ["never" if a is None else f"{a:,}" for a in found["answers"].values()] == reached
        assert (f"{found['ari']:.3f}", str(found["clusters"])) == (ari, clusters)
        assert found["per_object"]["0.50"] == found["answers"]["0.50"] / 60


@pytest.mark.slow
def test_the_same_seed_draws_the_same_picture(demo, tmp_path):
    options = ["--objects", "60", "--budget", "900", "--gamma", "0.1", "--picture", "again.svg"]
    subprocess.run([OFAKIND, "demo", *options], cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "again.svg").read_bytes() == (demo[1] / "chart.svg").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--report", "--picture"])
def test_a_dash_is_standard_output_and_everything_else_goes_to_standard_error(option, demo, tmp_path):
    options = ["--objects", "60", "--budget", "900", "--gamma", "0.1", option, "-"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}  # the report is UTF-8 whatever the terminal is
    done = subprocess.run([OFAKIND, "demo", *options], cwd=tmp_path, capture_output=True, env=ascii_only)
    assert done.returncode == 0, done.stderr
    others = {"--report": set(), "--picture": {"demo-report.html"}}
    assert {path.name for path in tmp_path.iterdir()} == others[option]
    assert b"handwritten digits" in done.stderr
    assert b"It took ofakind" in done.stderr
    if option == "--picture":
        assert done.stdout == (demo[1] / "chart.svg").read_bytes()
    else:
        assert Checked(done.stdout.decode("utf-8")).seen.count("polyline") == 3
        assert done.stdout.startswith(b"<!DOCTYPE html>")
        assert done.stdout.endswith(b"</html>\n")


def test_two_files_cannot_both_go_to_standard_output():
    with pytest.raises(InvalidInputError, match="cannot both go to standard output; name a file for one"):
        command.check_writable(Path("-"), Path("-"))


@pytest.mark.slow
def test_ctrl_c_in_the_middle_writes_what_there_is_and_says_so(tmp_path):
    command = [OFAKIND, "demo", "--picture", "chart.svg"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout:
            if line.startswith("Uniform"):
                break
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert errors == ""
    assert "stopped early" in output
    assert {path.name for path in tmp_path.iterdir()} == {"demo-report.html", "chart.svg"}
    page = (tmp_path / "demo-report.html").read_text(encoding="utf-8")
    assert "Stopped early" in page
    assert Checked(page).seen.count("polyline") == 3


# Ctrl-C when numba is about to be imported, which is long before the first answer.
PRESSED_AT_ONCE = """
import os, signal, sys
from importlib.abc import MetaPathFinder
from ofakind.cli.main import main

class Press(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "numba":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
main()
"""


@pytest.mark.slow
def test_ctrl_c_before_the_first_answer_writes_nothing_and_says_so(tmp_path):
    command = [sys.executable, "-c", PRESSED_AT_ONCE, "demo"]
    stopped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert stopped.returncode == 130, stopped.stderr
    assert "handwritten digits" in stopped.stdout
    assert len(stopped.stdout.splitlines()) == 1
    assert stopped.stderr == "stopped\n"
    assert list(tmp_path.iterdir()) == []


# After its first line it waits for a line on its input.
WAITING = """
import sys, typer
from ofakind.cli.main import main

def say_and_wait(text, say=typer.echo, **options):
    say(text, **options)
    sys.stdin.readline()

typer.echo = say_and_wait
main()
"""


@pytest.mark.slow
def test_a_closed_pipe_in_the_middle_ends_it_quietly(tmp_path):
    options = ["--objects", "60", "--budget", "900"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, "demo", *options], cwd=tmp_path, text=True, **pipes
    ) as process:
        assert "handwritten digits" in process.stdout.readline()
        process.stdout.close()
        process.stdin.close()
        errors = process.stderr.read()
        assert process.wait(timeout=PATIENCE) == 1
    assert errors == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_permission_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # the tests may run as root
    with pytest.raises(InvalidInputError, match="may not be written to"):
        command.check_writable(tmp_path / "report.html", None)


def test_a_writable_place_is_fine_and_stays_untouched(tmp_path):
    command.check_writable(tmp_path / "report.html", tmp_path / "chart.svg")
    assert list(tmp_path.iterdir()) == []
