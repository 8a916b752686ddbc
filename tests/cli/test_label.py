"""``ofakind label`` as somebody uses it: in a real pseudo-terminal, and from a script."""

import os
import re
import shutil
import signal
import subprocess
import sys
import termios
import time

import pytest

import ofakind as ok
from ofakind.project.log import check_file
from twins.terminals import Terminal

pytestmark = pytest.mark.slow

RECORDS = [
    {"id": f"r{number}", "name": name, "city": city}
    for number, (name, city) in enumerate(
        [
            ("Joe's Diner", "Rome"),
            ("Joes Diner", "Rome"),
            ("The Ritz", "Paris"),
            ("Ritz", "Paris"),
            ("Blue Note\x1b[2J", "New York"),
            ("Blue Note Jazz", "New York"),
            ("Blue Moon", "Boston"),
            ("Moonlight Diner", "Boston"),
        ]
    )
]


@pytest.fixture
def path(tmp_path):
    with ok.new_project(RECORDS, id="id", path=tmp_path / "places.ofk") as project:
        project.status()
    return tmp_path / "places.ofk"


def kept(path):
    assert check_file(path)
    with ok.open_project(path, read_only=True) as project:
        return [one.value for one in project.answers if one.in_force]


def script(path, lines, *options):
    command = [sys.executable, "-m", "ofakind", "label", str(path), "--terminal", *options]
    return subprocess.run(command, input=lines, capture_output=True, text=True, timeout=600)


def is_sane(terminal):
    return termios.tcgetattr(terminal.other) == terminal.before


def test_keys_answer_undo_takes_back_and_quit_says_how_to_go_on(path):
    with Terminal("label", path, "--terminal", "--annotator", "Ada") as terminal:
        assert "Are these two of a kind?" in terminal.until("Q quit")
        for key, answers in (("s", "1 answer"), ("d", "2 answers"), (" ", "3 answers"), ("z", "2 answers")):
            terminal.press(key)
            terminal.until(f"{answers} ·" if key == " " else answers)
        terminal.press("?")
        terminal.until("take the last answer back")
        terminal.press("w")
        terminal.until("P(same)")
        terminal.press("Q")
        assert "stopped; 2 answers of this sitting are kept" in terminal.until("go on with")
        assert terminal.ended() == 0
        assert is_sane(terminal)
        assert terminal.raw.count("\x1b[?1049h") == terminal.raw.count("\x1b[?1049l") == 1
    assert kept(path) == [1.0, -1.0]


def test_what_is_shown_follows_the_size_of_the_terminal(path):
    with Terminal("label", path, "--terminal", columns=100, lines=30) as terminal:
        assert "· Q quit" in terminal.until("Q quit")
        terminal.resize(40, 20)
        while max(map(len, terminal.until("Q quit").splitlines())) > 40:
            pass  # it was drawn once more, for new numbers, before it knew; a wrong one comes to no end
        terminal.press("q")
        assert terminal.ended() == 0


def test_a_window_that_is_too_small_says_so_and_no_key_answers_what_nobody_sees(path):
    with Terminal("label", path, "--terminal", columns=20, lines=6) as terminal:
        assert max(len(line) for line in terminal.until("Q quits").splitlines()) <= 20
        terminal.press("s")
        terminal.until("too small: 20 x 6")
        terminal.resize(80, 24)
        assert "0 answers" in terminal.until("Q quit")
        terminal.press("d")
        terminal.until("1 answer")
        terminal.resize(20, 6)
        terminal.until("too small")
        terminal.press("q")
        assert terminal.ended() == 0
    assert kept(path) == [-1.0]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_R19_a_signal_loses_nothing_and_leaves_the_terminal_as_it_was(path, number, code):
    begun = time.monotonic()
    with Terminal("label", path, "--terminal") as terminal:
        terminal.until("Q quit")
        to_start = time.monotonic() - begun  # 2 seconds, and more as the machine is busier
        terminal.press("s")
        terminal.until("1 answer")
        begun = time.monotonic()
        os.kill(terminal.process.pid, number)
        assert terminal.ended() == code
        assert time.monotonic() - begun < 2 + 2 * to_start
        assert is_sane(terminal)
    assert kept(path) == [1.0]


def test_R1_after_kill_9_every_answer_is_there_and_label_goes_on(path):
    with Terminal("label", path, "--terminal") as terminal:
        terminal.until("Q quit")
        terminal.press("d")
        terminal.until("1 answer")
        terminal.process.kill()
        terminal.ended()
    assert kept(path) == [-1.0]
    with Terminal("label", path, "--terminal", "--budget", "1") as terminal:
        terminal.until("1 answer")
        terminal.until("Q quit")
        terminal.press("s")
        assert "the budget is spent; 1 answer of this sitting is kept" in terminal.until("go on with")
        assert terminal.ended() == 0
    assert kept(path) == [-1.0, 1.0]


def test_a_window_that_is_closed_loses_nothing(path):
    with Terminal("label", path, "--terminal") as terminal:
        terminal.until("Q quit")
        terminal.press("s")
        terminal.until("1 answer")
        terminal.close()
        assert terminal.ended() == 129
    assert kept(path) == [1.0]


def test_S19_nothing_of_a_record_reaches_the_terminal_as_an_escape(path):
    with Terminal("label", path, "--terminal", environment={"NO_COLOR": "1"}) as terminal:
        terminal.until("Q quit")
        for number in range(1, 9):
            terminal.press("d")
            terminal.until(f"{number} answer")
        terminal.press("q")
        terminal.until("go on with")
        assert terminal.ended() == 0
        assert "\\x1b[2J" in terminal.raw
        assert "\x1b[2J" not in terminal.raw


def test_a_script_answers_line_by_line_and_a_wrong_line_stops_it_with_all_before_kept(path):
    done = script(path, "s\nd\nu\nz\nmaybe\n")
    assert done.returncode == 2
    assert "line 5 of the answers is 'maybe'" in done.stderr
    assert re.findall(r"^question (\d+): r\d \| r\d$", done.stdout, re.MULTILINE) == ["1", "2", "3", "4", "3"]
    assert "\x1b" not in done.stdout
    assert kept(path) == [1.0, -1.0]


def test_a_script_that_gives_the_same_answers_gets_the_same_questions_all_chosen_by_the_learner(path):
    asked = []
    for name in ("one.ofk", "two.ofk"):
        copy = path.with_name(name)
        shutil.copy(path, copy)
        done = script(copy, "s\nd\ns\nd\nd\nd\nu\nd\n")
        asked.append(re.findall(r"^question .*$", done.stdout, re.MULTILINE))
        with ok.open_project(copy, read_only=True) as project:
            reasons = [project.why(one.left_id, one.right_id).asked for one in project.answers]
        assert {one.by for one in reasons} == {"model"}
    assert asked[0] == asked[1]
    assert len(asked[0]) == 9


def test_an_empty_line_in_the_middle_stops_a_script_and_at_the_end_does_no_harm(path):
    done = script(path, "s\n\nd\n")
    assert done.returncode == 2
    assert "line 2 of the answers is empty, and others follow" in done.stderr
    assert kept(path) == [1.0]
    done = script(path, "d\n\n\n")
    assert done.returncode == 0
    assert kept(path) == [1.0, -1.0]


def test_a_script_ends_with_its_lines_its_budget_or_the_questions(path):
    done = script(path, "s\n")
    assert "stopped; 1 answer of this sitting is kept; go on with: ofakind label" in done.stdout
    done = script(path, "d\n" * 5, "--budget", "2")
    assert "the budget is spent; 2 answers of this sitting are kept" in done.stdout
    done = script(path, "d\n" * 100)
    assert "no questions are left for you; 25 answers" in done.stdout
    assert len(kept(path)) == 28


def test_without_any_input_nothing_is_answered(path):
    command = [sys.executable, "-m", "ofakind", "label", str(path), "--terminal"]
    done = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *command], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "stopped; 0 answers of this sitting are kept" in done.stdout


def test_a_project_that_is_not_there_or_a_strange_budget_is_one_sentence(path):
    for arguments in ([path.with_name("none.ofk")], [path, "--budget", "soon"]):
        done = script(arguments[0], "s\n", *arguments[1:])
        assert done.returncode == 2
        assert done.stderr.startswith("ofakind: ")
        assert "Traceback" not in done.stderr
