"""Two records side by side: what is marked, what is cut, and that nothing escapes."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.cli.printable import HIDDEN
from ofakind.cli.terminal.cards import Paper, SideBySide, card_lines, cells

JOE = SideBySide(
    "a7",
    "b2",
    {"name": "Joe's Diner", "city": "Rome", "phone": None, "empty": None},
    {"name": "Joes Diner", "city": "Rome", "phone": "555", "empty": ""},
)
STYLES = re.compile(r"\x1b\[[0-9;]*m")
CONTENTS = st.dictionaries(
    st.text(min_size=1, max_size=12),
    st.none() | st.text(max_size=60) | st.integers() | st.floats(allow_nan=False),
)


def test_fields_stand_side_by_side_with_a_sign_between_them_and_carets_below_what_differs():
    assert card_lines(JOE, Paper(50)) == [
        "  a7",
        "  b2",
        "name ≈",
        "  Joe's Diner",
        "     ^",
        "  Joes Diner",
        "city =",
        "  Rome",
        "  Rome",
        "phone ·",
        "  (none)",
        "  555",
    ]
    assert card_lines(JOE, Paper(60)) == [
        "      a7                          b2",
        "name  Joe's Diner               ≈ Joes Diner",
        "         ^",
        "city  Rome                      = Rome",
        "phone (none)                    · 555",
    ]


def test_in_colour_the_same_letters_are_marked_by_colour_and_underlined():
    name = card_lines(JOE, Paper(60, colour=True))[1]
    assert "Joe\x1b[1;4;35m'\x1b[0ms Diner" in name
    assert "≈" in name


@pytest.mark.slow
@given(CONTENTS, CONTENTS, st.integers(20, 120), st.integers(3, 30), st.booleans())
def test_S19_no_line_is_too_wide_none_too_many_and_no_control_character_gets_through(
    left, right, width, height, colour
):
    lines = card_lines(SideBySide("a", "b", left, right), Paper(width, height, colour))
    bare = [STYLES.sub("", line) for line in lines]
    assert max(map(cells, bare)) <= width
    assert len(lines) <= height
    assert {unicodedata.category(one) for line in bare for one in line}.isdisjoint(HIDDEN)


def test_S19_what_would_move_the_cursor_is_shown_escaped():
    both = SideBySide("a\x1b[2J", "b", {"x\ry": "bell\x07"}, {"x\ry": "\x1b]8;;http://e\x1b\\link"})
    text = "\n".join(card_lines(both, Paper(80)))
    assert "\x1b" not in text
    assert "\\x1b[2J" in text
    assert "bell\\x07" in text


def test_wide_letters_take_two_columns():
    both = SideBySide("a", "b", {"名前": "東京" * 30}, {"名前": "東京" * 30})
    assert max(map(cells, card_lines(both, Paper(60)))) <= 60


def test_a_long_text_is_shown_from_shortly_before_its_first_difference():
    same = "lorem ipsum dolor sit amet " * 60
    both = SideBySide("a", "b", {"text": same + "one"}, {"text": same + "two"})
    lines = card_lines(both, Paper(80))
    assert any("one" in line and "two" in line and "…" in line for line in lines)


def test_a_huge_value_is_cut_and_its_rest_is_counted():
    both = SideBySide("a", "b", {"text": "x" * 10_000_000}, {"text": "y"})
    lines = card_lines(both, Paper(80))
    assert len(lines) < 12
    assert any("…" in line for line in lines)


@pytest.mark.parametrize("height", [3, 5, 8])
def test_where_lines_are_few_equal_fields_go_first_and_it_is_said(height):
    left = {f"field {number}": "same" for number in range(20)} | {"telling": "one thing"}
    both = SideBySide("a", "b", left, left | {"telling": "another"})
    lines = card_lines(both, Paper(80, height))
    assert len(lines) <= height
    assert any("one thing" in line and "≠" in line for line in lines)
    assert "more fields are not shown" in lines[-1]


def test_objects_without_contents_are_their_ids():
    assert card_lines(SideBySide("s1", "s2", {}, {}), Paper(60)) == [f"s1{' ' * 29}s2"]
