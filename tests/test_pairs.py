"""Pairs are canonical, distinct and frozen; a pair and its rank determine each other."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.checks import as_count, as_objects
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, PairSet, count_pairs, rank, unrank
from ofakind.similarity import MAX_OBJECTS

MANY = st.one_of(st.integers(2, 50), st.integers(2, 5_000_000), st.integers(MAX_OBJECTS - 9, MAX_OBJECTS))
SMALL = st.integers(0, 9)


@st.composite
def distinct_pairs(draw, max_object=40):
    """Lists of distinct unordered pairs, each written in either order."""
    ends = st.tuples(st.integers(0, max_object), st.integers(0, max_object)).filter(lambda p: p[0] != p[1])
    return draw(st.lists(ends, unique_by=frozenset, max_size=30))


# -- ranks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 30])
def test_all_pairs_stand_in_the_order_of_combinations(n):
    pairs = Pairs.all(n)
    assert list(pairs) == list(combinations(range(n), 2))
    assert len(pairs) == count_pairs(n)
    assert pairs.ranks(n).tolist() == list(range(count_pairs(n)))


@given(st.data(), MANY)
def test_rank_undoes_unrank(data, n):
    ranks = np.array(data.draw(st.lists(st.integers(0, count_pairs(n) - 1), max_size=20)), np.int64)
    u, v = unrank(ranks, n)
    assert u.dtype == v.dtype == np.int64
    assert np.all((u >= 0) & (u < v) & (v < n))
    assert rank(u, v, n).tolist() == ranks.tolist()


@given(st.data(), MANY)
def test_unrank_undoes_rank(data, n):
    u = data.draw(st.integers(0, n - 2))
    v = data.draw(st.integers(u + 1, n - 1))
    pairs = Pairs([u], [v])
    assert Pairs.from_ranks(pairs.ranks(n), n) == pairs


@given(st.data(), MANY)
def test_at_the_end_of_a_row_the_next_row_begins(data, n):
    u = np.array([data.draw(st.integers(0, n - 2))])
    ends = rank(u, np.array([n - 1]), n)
    assert ends.item() - rank(u, u + 1, n).item() == n - 2 - u.item()
    assert [end.item() for end in unrank(ends, n)] == [u.item(), n - 1]
    if ends.item() + 1 < count_pairs(n):
        row, column = unrank(ends + 1, n)
        assert (row.item(), column.item()) == (u.item() + 1, u.item() + 2)


@pytest.mark.parametrize("n", [10**6, 94_906_267, MAX_OBJECTS])
def test_both_ends_of_many_rows_are_found(n):
    u = np.random.default_rng(n).integers(n - 1, size=10**5)
    for v in (u + 1, np.full(len(u), n - 1)):
        rows, columns = unrank(rank(u, v, n), n)
        np.testing.assert_array_equal(rows, u)
        np.testing.assert_array_equal(columns, v)


@given(st.data(), MANY)
def test_the_order_of_ranks_is_the_order_of_pairs(data, n):
    ranks = data.draw(st.lists(st.integers(0, count_pairs(n) - 1), unique=True, max_size=20))
    pairs = list(Pairs.from_ranks(sorted(ranks), n))
    assert pairs == sorted(pairs)


@pytest.mark.parametrize("ranks", [[10], [-1], [3, 99], [0.5], ["1"], [[1, 2]], [True]])
def test_ranks_that_no_pair_has_are_refused(ranks):
    with pytest.raises(InvalidInputError, match=r"^rank.*expected"):
        Pairs.from_ranks(ranks, 5)


def test_ranks_among_fewer_objects_than_there_are_make_no_sense():
    with pytest.raises(
        InvalidInputError, match=r"pair 1 is \(0, 9\); expected two different objects below 9"
    ):
        Pairs.of([0, 0], [1, 9]).ranks(9)


@pytest.mark.parametrize("n", [-1, 2.0, "3", None, True, [3]])
def test_a_number_of_objects_is_a_whole_number(n):
    with pytest.raises(InvalidInputError, match=r"^n is .*expected a whole number"):
        as_count(n)
    with pytest.raises(InvalidInputError, match=r"^n is "):
        Pairs.all(n)


def test_a_number_of_objects_may_come_from_numpy():
    assert type(as_count(np.int32(3))) is int
    assert as_count(np.uint8(3)) == 3


# -- what pairs are made of --------------------------------------------------------------------------------


@given(distinct_pairs())
def test_endpoints_come_in_either_order_and_rows_stay_in_place(ends):
    pairs = Pairs.from_array(ends)
    assert list(pairs) == [(min(p), max(p)) for p in ends]
    assert pairs == Pairs.of([a for a, _ in ends], [b for _, b in ends])
    assert pairs == Pairs.of([b for _, b in ends], [a for a, _ in ends])
    assert pairs == Pairs.from_array(pairs)
    assert pairs.u.dtype == pairs.v.dtype == np.int64


@pytest.mark.parametrize(
    "same",
    [
        [(3, 1), (0, 2)],
        ((3, 1), (0, 2)),
        [[3, 1], [0, 2]],
        [(3.0, 1.0), (0.0, 2.0)],
        np.array([[3, 1], [0, 2]], np.int32),
        np.array([[3, 1], [0, 2]], np.uint8),
        np.array([[3, 1], [0, 2]], np.uint64),
        np.array([[3, 1], [0, 2]], np.float16),
        np.array([[3, 1], [0, 2]], object),
        np.array([[3, 0], [1, 2]], order="F").T,
        np.array([[3, 9, 1], [0, 9, 2]])[:, ::2],
        np.ma.array([[3, 1], [0, 2]]),
    ],
)
def test_pairs_are_read_from_whatever_holds_whole_numbers(same):
    assert list(Pairs.from_array(same)) == [(1, 3), (0, 2)]


class Column:
    """A column of a table: no array, but NumPy may ask it for one."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype or np.int32)


def test_pairs_are_read_from_the_columns_of_a_table():
    assert list(Pairs.of(Column([3, 0]), Column([1, 2]))) == [(1, 3), (0, 2)]
    assert list(Pairs.from_array(Column([(3, 1), (0, 2)]))) == [(1, 3), (0, 2)]


@pytest.mark.parametrize("nothing", [[], (), np.empty((0, 2)), np.empty((0, 2), np.int64), np.empty(0, str)])
def test_an_empty_list_is_no_pairs(nothing):
    pairs = Pairs.from_array(nothing)
    assert pairs == Pairs.empty() == Pairs.all(0) == Pairs.all(1) == Pairs.of([], [])
    assert np.asarray(pairs).shape == (0, 2)
    assert np.asarray(pairs).dtype == pairs.u.dtype == np.int64
    assert list(pairs) == []


@pytest.mark.parametrize(
    ("u", "v", "message"),
    [
        ([0, 4], [1, 4], r"pair 1 is \(4, 4\); expected two different objects"),
        ([0, -2], [1, 4], r"pair 1 is \(-2, 4\); expected two different objects, numbered from 0"),
        ([0, 5, 1], [1, 6, 0], r"pair 2 \(0, 1\) stands there twice"),
        ([7, 7, 7], [8, 8, 8], r"pair 1 \(7, 8\) stands there twice"),
        ([0, 0.5], [1, 2], r"objects hold 0.5 at position 1; expected whole numbers"),
        ([0, np.nan], [1, 2], r"objects hold nan at position 1; expected whole numbers"),
        ([np.inf], [1], r"objects hold inf at position 0; expected whole numbers"),
        ([1e30], [1], r"objects hold 1e\+30 at position 0; expected whole numbers"),
        (np.array([2**63 + 5], np.uint64), [1], r"objects hold 9223372036854775813 at position 0"),
        ([2**70], [1], r"objects have type object; expected whole numbers"),
        (["a"], ["b"], r"objects have type <U1; expected whole numbers"),
        ([0, "1"], [2, 3], r"objects have type <U\d+; expected whole numbers"),
        ([0, None], [2, 3], r"objects have type object; expected whole numbers"),
        ([True], [False], r"objects have type bool; expected whole numbers"),
        ([1j], [2], r"objects have type complex128; expected whole numbers"),
        (np.array([1], "timedelta64[D]"), [2], r"objects have type timedelta64\[D\]; expected whole numbers"),
        ([0, 1], [2], r"u has 2 entries and v has 1; expected equally many"),
        (0, 1, r"objects have shape \(\); expected one dimension"),
        ([[0]], [[1]], r"objects have shape \(1, 1\); expected one dimension"),
        ([[0], [1, 2]], [1, 2], r"objects have rows of different lengths"),
        ({0}, {1}, r"objects come as a set; expected a list or an array"),
        (np.ma.array([0, 1], mask=[0, 1]), [2, 3], r"objects hold masked entries"),
    ],
)
def test_what_is_no_pair_is_refused_in_words(u, v, message):
    with pytest.raises(InvalidInputError, match=message):
        Pairs.of(u, v)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([0, 1], r"shape \(2,\); expected \(m, 2\), such as"),
        ((0, 1), r"shape \(2,\); expected \(m, 2\)"),
        ([(0, 1, 2)], r"shape \(1, 3\); expected \(m, 2\)"),
        ([[[0, 1]]], r"shape \(1, 1, 2\); expected \(m, 2\)"),
        (np.empty((3, 0)), r"shape \(3, 0\); expected \(m, 2\)"),
        (5, r"shape \(\); expected \(m, 2\)"),
        ([(0, 1), (2,)], r"pairs have rows of different lengths"),
        (zip([0], [1], strict=True), r"pairs come as a zip; expected a list or an array"),
        ({(0, 1)}, r"pairs come as a set; expected a list or an array"),
        (None, r"pairs come as a NoneType; expected a list or an array"),
        ([("a", "b")], r"objects have type <U1; expected whole numbers"),
        (np.array([("a", 1)], object), r"objects have type <U1; expected whole numbers"),
    ],
)
def test_what_is_no_list_of_pairs_is_refused_in_words(array, message):
    with pytest.raises(InvalidInputError, match=message):
        Pairs.from_array(array)


def test_the_bare_constructor_takes_only_ordered_endpoints():
    assert list(Pairs([0], [1])) == [(0, 1)]
    with pytest.raises(InvalidInputError, match=r"pair 0 is \(3, 1\); expected u < v; Pairs.of takes either"):
        Pairs([3], [1])


@given(distinct_pairs(), st.data())
def test_a_pair_that_stands_twice_is_found_wherever_it_hides(ends, data):
    again = data.draw(st.sampled_from(ends)) if ends else (0, 1)
    ends = [*(ends or [(0, 1)]), again[::-1]]
    with pytest.raises(InvalidInputError, match=f"pair {len(ends) - 1} .* stands there twice"):
        Pairs.from_array(ends)


def test_labels_and_ranks_are_called_by_their_name():
    with pytest.raises(InvalidInputError, match="labels have type"):
        as_objects(["a"], "labels")


# -- frozen ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Pairs, Pairs.of, lambda u, v: Pairs.from_array(np.stack([u, v], axis=1))])
def test_pairs_neither_change_what_they_were_made_from_nor_change_with_it(make):
    u, v = np.array([0, 2]), np.array([1, 3])
    pairs = make(u, v)
    assert u.flags.writeable
    assert (u.tolist(), v.tolist()) == ([0, 2], [1, 3])
    u[:], v[:] = 7, 7
    assert list(pairs) == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    "pairs",
    [
        Pairs.all(4),
        Pairs.of([0], [1]),
        Pairs.empty(),
        Pairs.all(4)[1:3],
        Pairs.all(4).take([2]),
        Pairs([0], [1]),
    ],
)
def test_pairs_cannot_be_written(pairs):
    for column in (pairs.u, pairs.v):
        with pytest.raises(ValueError, match="read-only"):
            column[:] = 0
    with pytest.raises(AttributeError):
        pairs.u = np.array([1])


# -- what one can do with pairs ----------------------------------------------------------------------------


@given(distinct_pairs())
def test_numpy_sees_two_columns_of_its_own(ends):
    pairs = Pairs.from_array(ends)
    array = np.asarray(pairs)
    assert array.shape == (len(ends), 2)
    assert array.dtype == np.int64
    assert array.tolist() == [list(pair) for pair in pairs]
    array[:] = -1
    assert list(pairs) == [(min(p), max(p)) for p in ends]


def test_numpy_may_ask_for_another_type_but_not_for_a_view():
    pairs = Pairs.of([0, 2], [1, 3])
    assert np.asarray(pairs, np.float32).dtype == np.float32
    assert np.array(pairs, copy=True).tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="always a copy"):
        np.asarray(pairs, copy=False)


@given(distinct_pairs(), st.data())
def test_rows_are_picked_as_from_a_list(ends, data):
    pairs, rows = Pairs.from_array(ends), [(min(p), max(p)) for p in ends]
    where = data.draw(st.slices(len(rows)))
    assert isinstance(pairs[where], Pairs)
    assert list(pairs[where]) == list(pairs.take(where)) == rows[where]
    for i in range(-len(rows), len(rows)):
        assert pairs[i] == rows[i]
    for outside in (len(rows), -len(rows) - 1):
        with pytest.raises(IndexError):
            pairs[outside]


@given(distinct_pairs(), st.data())
def test_rows_are_taken_by_position_or_mask(ends, data):
    pairs, rows = Pairs.from_array(ends), [(min(p), max(p)) for p in ends]
    index = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True)) if rows else []
    assert list(pairs.take(index)) == [rows[i] for i in index]
    mask = np.isin(np.arange(len(rows)), index)
    assert list(pairs.take(mask)) == [row for row, kept in zip(rows, mask, strict=True) if kept]


@given(distinct_pairs(), distinct_pairs())
def test_pairs_are_equal_when_their_rows_are(a, b):
    rows_a, rows_b = ([(min(p), max(p)) for p in ends] for ends in (a, b))
    assert (Pairs.from_array(a) == Pairs.from_array(b)) == (rows_a == rows_b)
    assert Pairs.from_array(a) == Pairs.from_array(rows_a)


def test_pairs_are_equal_to_nothing_else_and_have_no_hash():
    pairs = Pairs.of([0], [1])
    assert pairs != [(0, 1)]
    assert pairs != Pairs.of([0], [2])
    assert pairs != Pairs.of([0, 0], [1, 2])
    with pytest.raises(TypeError, match="unhashable"):
        hash(pairs)


def test_what_is_shown_of_pairs_is_short():
    assert repr(Pairs.of([1], [0])) == "Pairs(1: (0, 1))"
    assert repr(Pairs.all(1000)) == "Pairs(499500: (0, 1), (0, 2), (0, 3), ...)"


@given(distinct_pairs(max_object=9), distinct_pairs(max_object=9))
def test_a_set_of_pairs_holds_what_a_set_of_tuples_holds(some, others):
    first, second = Pairs.from_array(some), Pairs.from_array(others)
    grown, plain = PairSet.of(first.u, first.v).adding(second.u, second.v), {*first, *second}
    grown = grown.adding(first.u, first.v)
    assert len(grown) == len(plain)
    assert grown.holds(*np.triu_indices(10, 1)).tolist() == [pair in plain for pair in Pairs.all(10)]
    assert set(grown.without(PairSet.of(second.u, second.v))) == plain - set(second)
    assert set(grown.without(PairSet.none())) == plain


def test_a_set_of_pairs_tells_apart_the_last_of_as_many_objects_as_there_can_be():
    last = Pairs.of([MAX_OBJECTS - 2], [MAX_OBJECTS - 1])
    one = PairSet.of(last.u, last.v)
    assert list(one.without(PairSet.none())) == list(last)
    assert one.holds(last.u - [[1], [0]], last.v).tolist() == [[False], [True]]
