"""Pins say what follows from them, as the closure of matrices does, and refuse to contradict each other."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind import ContradictingPinsError, InvalidInputError, Pairs, Pins
from ofakind.engine.document import plain
from twins.pins import as_list, closure, pinned


def pins_of(n, *pins):
    found = Pins.none(n)
    for u, v, same in pins:
        found = found.adding(np.array([u]), np.array([v]), same=same)
    return found


def everything(pins):
    u, v = np.triu_indices(pins.n)
    return pins.implied(u, v)


@given(pinned())
def test_what_follows_from_pins_is_their_closure(pins):
    matrix, (u, v) = closure(pins.n, as_list(pins)), np.triu_indices(pins.n)
    np.testing.assert_array_equal(pins.implied(u, v), matrix[u, v])
    np.testing.assert_array_equal(pins.implied(v, u), matrix[u, v])
    every = Pairs.all(pins.n)
    decided = pins.implied(every.u, every.v) != 0
    assert pins.n_implied == np.count_nonzero(decided)
    np.testing.assert_array_equal(np.sort(pins.implied_ranks()), np.flatnonzero(decided))
    np.testing.assert_array_equal(pins.undecided_ranks(), np.flatnonzero(~decided))


@given(pinned())
def test_units_are_numbered_in_order_of_first_appearance(pins):
    _, first = np.unique(pins.units, return_index=True)
    np.testing.assert_array_equal(pins.first, first)
    assert np.all(np.diff(first) > 0)
    assert len(pins.apart) == len(set(pins.apart))
    parted = {(unit, int(other)) for unit in range(len(first)) for other in pins.parted_from(unit)}
    assert parted == {*pins.apart, *((b, a) for a, b in pins.apart)}


@given(pinned(most=5), st.integers(0, 2**32), st.integers(1, 6), st.booleans())
def test_pins_are_added_exactly_when_they_do_not_contradict(pins, seed, count, same):
    if pins.n < 2:
        return
    rng = np.random.default_rng(seed)
    u, v = np.array([rng.choice(pins.n, 2, replace=False) for _ in range(count)]).T
    expected = closure(pins.n, [*as_list(pins), *((a, b, same) for a, b in zip(u, v, strict=True))])
    if expected is None:
        with pytest.raises(
            ContradictingPinsError, match=r"different from .*, but .* = .*; nothing was pinned"
        ):
            pins.adding(u, v, same=same)
    else:
        np.testing.assert_array_equal(
            everything(pins.adding(u, v, same=same)), expected[np.triu_indices(pins.n)]
        )


@given(pinned(), st.integers(0, 2**32))
def test_pins_that_are_taken_back_were_never_there(pins, seed):
    gone = np.random.default_rng(seed).random(len(pins)) < 0.5
    left = pins.without(pins.pairs.u[gone], pins.pairs.v[gone])
    kept = [pin for pin, lost in zip(as_list(pins), gone, strict=True) if not lost]
    assert as_list(left) == kept
    np.testing.assert_array_equal(everything(left), closure(pins.n, kept)[np.triu_indices(pins.n)])


@given(pinned(), st.integers(0, 3))
def test_of_more_objects_the_same_follows(pins, more):
    grown = pins.grown(pins.n + more)
    np.testing.assert_array_equal(
        everything(grown), closure(pins.n + more, as_list(pins))[np.triu_indices(pins.n + more)]
    )


@given(pinned())
def test_saved_pins_are_the_same(pins):
    again = Pins.from_entry(json.loads(json.dumps(plain(pins.to_entry()))), pins.n)
    copy = pickle.loads(pickle.dumps(pins))  # noqa: S301
    for other in (again, copy):
        assert as_list(other) == as_list(pins)
        np.testing.assert_array_equal(other.units, pins.units)
        assert other.apart == pins.apart


def test_a_contradiction_gives_the_shortest_chain_and_says_which_pins_are_new():
    pins = pins_of(9, (0, 3, True), (3, 5, True), (0, 1, True), (1, 2, True), (2, 5, True), (7, 8, False))
    with pytest.raises(
        ContradictingPinsError,
        match=r"^0 is to be different from 5, but 0 = 3 \(pinned\), 3 = 5 \(pinned\); nothing was pinned$",
    ):
        pins.adding(np.array([6, 5]), np.array([4, 0]), same=False)
    with pytest.raises(
        ContradictingPinsError,
        match=r"^7 is pinned as different from 8, but 7 = 5 \(new\), 5 = 3 \(pinned\), 3 = 8 \(new\);",
    ):
        pins.adding(np.array([5, 3]), np.array([7, 8]), same=True)


def test_a_pair_that_is_pinned_again_stays_where_it_is():
    pins = pins_of(4, (0, 1, True), (2, 3, False))
    assert pins.adding(np.array([1, 0]), np.array([0, 1]), same=True) is pins
    assert as_list(pins.adding(np.array([1, 1, 2]), np.array([0, 2, 1]), same=True))[2:] == [(1, 2, True)]


@pytest.mark.parametrize(
    ("u", "v", "words"),
    [
        ([0, 1], [1, 3], r"row 1: pair \(1, 3\) is not pinned; nothing was unpinned"),
        ([0], [2], r"row 0: pair \(0, 2\) is not pinned, it follows from other pins; nothing"),
    ],
)
def test_what_is_not_pinned_cannot_be_unpinned(u, v, words):
    with pytest.raises(InvalidInputError, match=words):
        pins_of(4, (0, 1, True), (1, 2, True)).without(np.array(u), np.array(v))


@pytest.mark.parametrize(
    "entry",
    [
        {"u": [0], "v": [0], "same": [True]},
        {"u": [0], "v": [9], "same": [True]},
        {"u": [0], "v": [1], "same": [1]},
        {"u": [0, 1], "v": [1, 2], "same": [True]},
        {"u": [0, 0, 1], "v": [1, 2, 2], "same": [True, True, False]},
    ],
)
def test_damaged_pins_are_refused(entry):
    with pytest.raises(InvalidInputError):
        Pins.from_entry(entry, 4)
