"""One way to write a thing as JSON."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError
from ofakind.project.canonical import read, written

values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(), max_size=20)  # half surrogate pairs and NUL among them
trees = st.recursive(
    values | texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8
)


@given(trees)
def test_what_is_written_is_read_as_the_same_and_written_again_in_the_same_way(tree):
    assert read(written(tree)) == tree
    assert written(read(written(tree))) == written(tree)
    assert written(tree).isascii()


def test_the_order_of_names_and_the_sign_of_zero_make_no_difference():
    assert written({"b": -0.0, "a": (1, 2)}) == written({"a": [1, 2], "b": 0.0}) == '{"a":[1,2],"b":0.0}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, b"x", {1}, {1: 2}, print])
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(InvalidInputError, match="expected"):
        written([value])


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "-Infinity", "", "{", '{"a":1}x', "[" * 100_000])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(InvalidInputError, match="no JSON"):
        read(text)
