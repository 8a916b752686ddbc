"""The oracle that repeats collected answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError
from ofakind.oracles.replay import ReplayOracle
from ofakind.pairs import Pairs, count_pairs

KNOWN = ReplayOracle([(4, 1), (0, 1), (2, 3)], [0.5, -1, 0])


def test_known_answers_are_repeated_in_the_order_of_the_questions() -> None:
    assert KNOWN([(0, 1), (3, 2), (1, 4), (1, 0)]).tolist() == [-1, 0, 0.5, -1]
    assert KNOWN(Pairs.of([1], [4])).tolist() == [0.5]


def test_the_known_pairs_are_told() -> None:
    assert list(KNOWN.pairs) == [(0, 1), (1, 4), (2, 3)]


def test_a_pair_answered_several_times_gets_the_mean() -> None:
    assert ReplayOracle([(0, 1), (1, 0), (0, 1)], [1, 1, -0.5])([(0, 1)]).tolist() == [0.5]


@pytest.mark.parametrize("pair", [(0, 2), (0, 5), (5, 9), (-1, 1), (1, 1)])
def test_an_unknown_pair_is_named_with_the_remedy(pair: tuple[int, int]) -> None:
    with pytest.raises(InvalidInputError, match=rf"\({pair[0]}, {pair[1]}\).*candidates=oracle.pairs"):
        KNOWN([(0, 1), pair])


def test_an_empty_table_answers_no_question() -> None:
    empty = ReplayOracle([], [])
    assert len(empty.pairs) == 0
    assert empty([]).tolist() == []
    with pytest.raises(InvalidInputError, match="no known answer"):
        empty([(0, 1)])


def test_answers_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="row 1"):
        ReplayOracle([(0, 1), (1, 2)], [1, 2])
    with pytest.raises(InvalidInputError, match="row 0 has an object below 0"):
        ReplayOracle([(-3, -5)], [1])
    for values in (None, ["1"], [None], [True], 1):
        with pytest.raises(InvalidInputError, match="answer"):
            ReplayOracle([(0, 1)], values)


@pytest.mark.slow
@given(st.integers(2, 12), st.data())
def test_every_table_answers_what_it_holds_and_nothing_else(n: int, data: st.DataObject) -> None:
    ranks = data.draw(st.lists(st.integers(0, count_pairs(n) - 1), min_size=1, unique=True))
    known = Pairs.from_ranks(ranks, n)
    values = np.linspace(-1, 1, len(known))
    oracle = ReplayOracle(known, values)
    assert np.array_equal(oracle(known), values)
    for rank in set(range(count_pairs(n))) - set(ranks):
        with pytest.raises(InvalidInputError, match="no known answer"):
            oracle(Pairs.from_ranks([rank], n))
