"""The checksum of a document depends on what it says and on nothing else."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.engine.checksum import checksum
from ofakind.engine.document import plain

NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.none())
LEAVES = st.one_of(
    NUMBERS,
    st.text(max_size=4),
    st.lists(st.floats(), max_size=5).map(np.array),
    st.lists(st.integers(-9, 9), max_size=5).map(lambda row: np.array(row, np.int32)),
    st.integers(0, 3).map(lambda size: np.arange(3 * size).reshape(3, size)),
    st.floats().map(np.float64),
)
TREES = st.recursive(
    LEAVES,
    lambda below: st.one_of(
        st.lists(below, max_size=4),
        st.lists(below, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=3), below, max_size=4),
    ),
    max_leaves=12,
)


def reordered(tree: Any) -> Any:
    """The same with the entries of every mapping the other way round."""
    if isinstance(tree, dict):
        return {name: reordered(tree[name]) for name in reversed(tree)}
    return [reordered(branch) for branch in tree] if isinstance(tree, list) else tree


@pytest.mark.slow
@given(TREES)
def test_a_tree_is_known_again_as_json_in_any_order_and_with_any_white_space(tree: Any) -> None:
    written = plain(tree)
    assert checksum(written) == checksum(tree)
    for indent in (None, 3):
        assert checksum(reordered(json.loads(json.dumps(written, indent=indent)))) == checksum(tree)


DIFFERENT: list[Any] = [
    None,
    True,
    False,
    1,
    0,
    "1",
    "",
    [],
    {},
    [1],
    [[1]],
    [1, 1],
    [[1], [1]],
    [[1, 1]],
    ["1"],
    ["1", "1"],
    ["1,1"],
    [1, "1"],
    [None],
    [[]],
    {"1": 1},
    {"1": [1]},
    {"1": {"1": 1}},
    {"1": 1, "2": 1},
    {"1": 1, "2": 2},
    {"1": "2", "2": "1"},
    0.1,
    math.nextafter(0.1, 1),
    2**53 + 1,
    2**53 + 2,
    [2**60],
    [2**60 + 1],
    "nan",
    "ä",
]


def test_different_trees_have_different_checksums() -> None:
    assert len({checksum(tree) for tree in DIFFERENT}) == len(DIFFERENT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        ([1, 2], [1.0, 2.0]),
        ([0.0], [-0.0]),
        ((1, 2), [1, 2]),
        (np.array([1, 2], np.uint8), [1, 2]),
        (np.array([[1, 2]], np.int32), [[1.0, 2.0]]),
        ([math.nan, math.inf], ["nan", "inf"]),
        (np.array([math.nan, math.nan]), ["nan", "nan"]),
        (np.array(2.5), 2.5),
        (np.array([]), []),
        (["a", np.str_("b")], ["a", "b"]),
    ],
)
def test_what_says_the_same_has_the_same_checksum(one: Any, other: Any) -> None:
    assert checksum({"x": one}) == checksum({"x": other})


def test_a_checksum_is_the_same_tomorrow() -> None:
    """Files that were saved are read by later versions."""
    tree = {"n": 3, "values": [1, -0.5], "names": ["Ada", "Müller"], "rest": [None, True, "x", {"a": [[1]]}]}
    assert checksum(tree) == "de68ff466fba0b0816c75dbc12c21881cc3f01f16ed5bb15c451f6ca6a56f165"
