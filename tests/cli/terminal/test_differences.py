"""What differs between two texts."""

from hypothesis import given
from hypothesis import strategies as st

from ofakind.cli.terminal.differences import COMPARE, marks, sign_of

TEXTS = st.text("abc de", max_size=30)


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_in_both_texts_in_the_same_order(left, right):
    both = marks(left, right)
    assert [len(side) for side in both] == [len(left), len(right)]
    kept = [
        "".join(c for c, m in zip(text, side, strict=True) if not m)
        for text, side in zip((left, right), both, strict=True)
    ]
    if any(map(any, both)):
        assert kept[0] == kept[1]


@given(TEXTS)
def test_equal_texts_have_no_marks_and_the_sign_of_equality(text):
    assert not any(map(any, marks(text, text)))
    assert sign_of(text, text) == ("=" if text else "·")


def test_texts_that_have_little_in_common_are_not_marked_letter_by_letter():
    assert not any(map(any, marks("15 Davis Street", "7 BROWN AVENUE")))


def test_a_long_text_is_compared_in_no_time():
    middle = "x" * (2 * COMPARE.longest)
    left, right = marks(f"begin {middle} end", f"begin {'y' * len(middle)} end")
    assert not any(left)
    assert not any(right)
    assert sum(marks("a" * 100_000 + "b", "a" * 100_000 + "c")[0]) == 1


def test_case_blanks_and_punctuation_alone_are_a_sign_of_their_own():
    assert sign_of("St. John's Rd", "ST JOHNS RD") == "≈"
    assert sign_of("!!", "??") == "≠"
    assert sign_of(12, 12) == "="
    assert sign_of(12, 13) == "≠"
