"""Text from records cannot do anything to a terminal."""

import sys
import unicodedata

import pytest

from ofakind.cli.printable import printable


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mred",
        "\x1b]8;;http://x\x07link\x1b]8;;\x07",
        "a\rb",
        "bell\a",
        "\u202eabc",
        "a\u200bb",
        "\ud800",
    ],
)
def test_what_would_move_the_cursor_or_hide_is_escaped(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert "\\" in shown


@pytest.mark.slow
def test_every_character_gives_something_that_a_terminal_only_shows() -> None:
    for code in range(sys.maxunicode + 1):
        for one in printable(chr(code)):
            assert unicodedata.category(one)[0] not in "C"


def test_words_in_any_script_stay_as_they_are() -> None:
    assert printable("Müller 東京 عمر 😀") == "Müller 東京 عمر 😀"


def test_it_is_cut_to_a_width() -> None:
    assert printable("abcdef", width=6) == "abcdef"
    assert printable("abcdefg", width=6) == "abcde…"
