"""The whole screen, and lines of a script."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ofakind.cli.terminal.cards import Paper, cells
from ofakind.cli.terminal.desks import Heading, LineDesk, in_colour, screen, too_small
from ofakind.cli.terminal.keyboard import TIME_IS_UP
from ofakind.cli.terminal.sitting import AskedNow
from ofakind.cli.terminal.words import HELP
from ofakind.errors import InvalidInputError
from ofakind.project.questions import Question

ASKED = Question("k", "a7", "b2", "Ada", {"name": "Joe's Diner"}, {"name": "Joes Diner"})
CONTENTS = {"a7": ASKED.left, "b2": ASKED.right}
HEADING = Heading(
    "Are these two of a kind?",
    lambda: ["12 answers", "3 groups", "at most 9 wrong pairs (4 expected)"],
    CONTENTS.get,
)


def test_a_screen_has_progress_question_records_and_keys():
    lines = screen(AskedNow(ASKED, 13, "48 of 60 questions"), HEADING, Paper(110, 24))
    assert (
        lines[0]
        == "12 answers · 3 groups · at most 9 wrong pairs (4 expected) · budget: 48 of 60 questions left"
    )
    assert lines[2] == "Are these two of a kind?"
    assert any("Joe's Diner" in line and "Joes Diner" in line for line in lines)
    assert lines[-1].startswith("S same · D different · Space unsure")


LONG = {name: {f"field {row}": f"{name} has {row} and more " * 5 for row in range(12)} for name in CONTENTS}


@given(st.integers(1, 200), st.integers(1, 60), st.sampled_from([(), HELP, ("taken back",), ("why " * 60,)]))
def test_a_screen_fits_the_terminal_and_has_keys_and_both_records_or_says_that_it_is_too_small(
    width, height, notices
):
    paper = Paper(width, height)
    lines = too_small(paper) or screen(AskedNow(ASKED, 1, "", notices), HEADING, paper)
    assert len(lines) <= height
    assert max(map(cells, lines)) <= width
    if width >= 20 and height >= 11:
        assert "Q" in lines[-1]
        assert all(any(name in line for line in lines) for name in ("Joe's Diner", "Joes Diner"))
    elif height >= 3 and width >= 20:
        assert "Q" in lines[-1]


@settings(max_examples=20)
@given(st.integers(20, 200), st.integers(1, 60))
def test_records_with_many_long_fields_fit_too(width, height):
    paper = Paper(width, height)
    heading = Heading("Are these two of a kind?", HEADING.progress, LONG.get)
    lines = too_small(paper) or screen(AskedNow(ASKED, 1, "", HELP), heading, paper)
    assert len(lines) <= height
    assert max(map(cells, lines)) <= width
    assert not too_small(Paper(20, 11))


def test_a_window_that_is_too_small_says_how_large_it_must_be():
    assert " ".join(too_small(Paper(20, 6))) == "too small: 20 x 6; enlarge it to 20 x 11; Q quits"
    assert not too_small(Paper(60, 7))


def test_S19_the_question_of_the_project_cannot_move_the_cursor():
    lines = screen(AskedNow(ASKED, 1, ""), Heading("same\x1b[2J?", list, CONTENTS.get), Paper(80, 24))
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)],
)
def test_there_is_colour_unless_somebody_wants_none(monkeypatch, variables, wanted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert in_colour() == wanted


def test_lines_are_words_or_letters_and_empty_ones_at_the_end_mean_nothing():
    desk = LineDesk(HEADING, ["s\n", "Different\n", " u \n", "skip\n", "z\n", "w\n", "\n", "  \n"])
    assert [desk.press(None) for _ in range(6)] == ["s", "d", " ", "k", "z", "w"]
    assert desk.press(None) == "q"


def test_an_empty_line_that_others_follow_stops_a_script_with_its_number():
    desk = LineDesk(HEADING, ["s\n", "\n", "\n", "d\n"])
    assert desk.press(None) == "s"
    with pytest.raises(InvalidInputError, match="line 2 of the answers is empty, and others follow"):
        desk.press(None)


def test_whoever_types_lines_may_leave_one_empty_or_mistype_one(capsys):
    desk = LineDesk(HEADING, ["\n", "x\x1b\n", "d\n"], by_hand=True)
    assert desk.press(None) == "d"
    assert "x\\x1b is no answer; expected s (same), d (different)" in capsys.readouterr().out


def test_a_line_that_comes_when_the_time_is_up_is_no_answer():
    desk = LineDesk(HEADING, ["s\n", "d\n"])
    assert desk.press(0.0) == TIME_IS_UP
    assert desk.press(60.0) == "d"


def test_a_line_that_is_no_answer_is_refused_with_its_number():
    desk = LineDesk(HEADING, ["s\n", "maybe\n"])
    desk.press(None)
    with pytest.raises(InvalidInputError, match="line 2 of the answers is 'maybe'; expected s"):
        desk.press(None)
