"""The table of answers only grows, takes a list whole or not at all, and folds the same in any order."""

import pickle
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.answers import Answers
from ofakind.errors import InvalidAnswerError, InvalidInputError
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from twins import dense
from twins.answers import PlainAnswers

VALUES = st.one_of(st.sampled_from([-1.0, -0.0, 0.0, 1.0, 1 / 3]), st.floats(-1, 1))


@st.composite
def logs(draw, max_objects=6):
    """A number of objects, pairs (often repeated, in either order) and their answers."""
    n = draw(st.integers(0, max_objects))
    if n < 2:
        return n, [], []
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    rows = draw(st.lists(st.tuples(ends, VALUES), max_size=25))
    return n, [pair for pair, _ in rows], [value for _, value in rows]


def assert_same_bits(a, b):
    """Equal in every array, minus zeros told from zeros."""
    assert a.n == b.n
    for name in ("indptr", "indices", "counts"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.values.tobytes() == b.values.tobytes()


# -- growing -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(logs(), st.data())
def test_answers_grow_at_the_end_and_what_was_there_stays(log, data):
    n, pairs, values = log
    cut = data.draw(st.integers(0, len(pairs)))
    before = Answers.none(n).adding(pairs[:cut], values[:cut])
    after = before.adding(pairs[cut:], values[cut:])
    assert len(before) == cut
    assert len(after) == len(pairs)
    assert after.values.tolist() == values
    assert list(zip(after.u.tolist(), after.v.tolist(), strict=True)) == [(min(p), max(p)) for p in pairs]
    for name in ("u", "v", "values"):
        np.testing.assert_array_equal(getattr(after, name)[:cut], getattr(before, name))


def test_answers_cannot_be_written_and_leave_their_input_alone():
    pairs, values = np.array([(2, 0)]), np.array([0.5])
    answers = Answers.none(3).adding(pairs, values)
    assert pairs.flags.writeable
    assert values.flags.writeable
    pairs[:], values[:] = 1, -1
    assert (answers.u.tolist(), answers.v.tolist(), answers.values.tolist()) == ([0], [2], [0.5])
    for array in (answers.u, answers.v, answers.values, *vars_of(Answers.none(3))):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1
    with pytest.raises(AttributeError):
        answers.n = 9


def vars_of(answers):
    return answers.u, answers.v, answers.values


@pytest.mark.parametrize("n", [0, 1, 2])
def test_there_may_be_nothing_to_add(n):
    answers = (
        Answers.none(n).adding([], []).adding(Pairs.empty(), np.empty(0)).adding([], [], annotator="Ada")
    )
    assert len(answers) == 0
    assert answers.n == n


def test_a_pair_may_be_answered_again_even_in_one_list():
    answers = Answers.none(2).adding([(0, 1), (1, 0)], [1, -1]).adding([(0, 1)], [0])
    assert answers.u.tolist() == [0, 0, 0]
    assert answers.values.tolist() == [1, -1, 0]


def test_who_answered_is_known_from_the_first_name_on():
    answers = Answers.none(3).adding([(0, 1)], [1])
    assert answers.annotators is None
    named = answers.adding([(0, 1), (1, 2)], [1, 1], annotator="Ada").adding([(0, 2)], [0])
    assert named.annotators == ("", "Ada", "Ada", "")
    assert answers.annotators is None


ROWS = st.lists(st.tuples(st.sampled_from([(0, 1), (2, 0), (1, 2)]), VALUES), max_size=3)
CALLS = st.one_of(
    st.tuples(st.just("adding"), ROWS, st.sampled_from([None, "", "Ada", "Ben"]), st.booleans()),
    st.tuples(st.just("adding each"), st.lists(st.tuples(VALUES, st.sampled_from(["", "Ada", "Cyd"])))),
    st.tuples(st.sampled_from(["first", "since"]), st.integers(-2, 9)),
    st.tuples(st.just("without"), st.lists(st.integers(0, 8), max_size=3), st.booleans()),
    st.tuples(st.just("grown"), st.integers(0, 2)),
    st.tuples(st.just("pickled")),
)


def called(table, name, *given):
    """What such a call makes of a table, be it ours or the plain one."""
    if name == "adding":
        rows, annotator, asked = given
        return table.adding([pair for pair, _ in rows], [value for _, value in rows], annotator, asked=asked)
    if name == "adding each":
        said = given[0]
        asked = [value > 0 for value, _ in said]
        return table.adding(
            [(0, 1)] * len(said), [value for value, _ in said], [who for _, who in said], asked=asked
        )
    if name == "without":
        at = [row for row in given[0] if row < len(table)]
        return table.without(np.isin(np.arange(len(table)), at) if given[1] else at)
    if name == "pickled":
        return pickle.loads(pickle.dumps(table))  # noqa: S301
    return table.grown(table.n + given[0]) if name == "grown" else getattr(table, name)(*given)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 99), CALLS), max_size=25))
def test_tables_that_grow_out_of_one_another_are_what_lists_would_be(calls):
    """Whichever of the earlier tables a call is made on, and all of them stay as they were."""
    ours, plain = [Answers.none(3)], [PlainAnswers(3)]
    for number, call in calls:
        earlier = number % len(ours)
        ours.append(called(ours[earlier], *call))
        plain.append(called(plain[earlier], *call))
    for table, expected in zip(ours, plain, strict=True):
        assert (table.n, len(table), table.annotators) == (expected.n, len(expected), expected.annotators)
        found = zip(table.u.tolist(), table.v.tolist(), table.values.tolist(), strict=True)
        assert [(u, v, value) for u, v, value in found] == [row[:3] for row in expected.rows]
        numbered = [table.names[number] for number in table.who]
        assert numbered == [row[3] for row in expected.rows]
        assert table.asked.tolist() == [row[4] for row in expected.rows]


def test_answers_may_be_asked_for_or_not():
    table = Answers.none(4).adding([(0, 1)], [1]).adding([(0, 2), (2, 3)], [1, -1], asked=[True, False])
    table = table.adding([(3, 2), (1, 3)], [1, 1], asked=Pairs.of([2], [3])).adding([], [], asked=[])
    assert table.asked.tolist() == [True, True, False, True, False]
    for wrong in ([True], [1, 0], "yes", [[True, True]]):
        with pytest.raises(InvalidAnswerError, match=r"asked has shape .* nothing was kept"):
            table.adding([(0, 1), (0, 2)], [1, 1], asked=wrong)


def test_single_answers_are_copied_as_often_as_doubling_needs():
    table, copied, count = Answers.none(3), 0, 3000
    for row in range(count):
        before = table.values
        table = table.adding([(0, 1)], [1], ("Ada", None, "Ben")[row % 3])
        copied += 0 if np.may_share_memory(before, table.values) else len(before)
    assert len(table) == count
    assert copied < 2 * count


def test_parts_of_a_table_share_its_memory_and_cannot_be_written_to():
    table = Answers.none(3).adding([(0, 1), (0, 2), (1, 2)], [1, 0, -1], "Ada")
    for part in (table.first(2), table.since(1), table.grown(9), table.adding([(0, 1)], [1]).first(3)):
        assert np.may_share_memory(part.values, table.values)
        with pytest.raises(ValueError, match="read-only"):
            part.values[0] = 0


def test_a_pickle_knows_nothing_of_other_tables_of_the_same_answers():
    table = Answers.none(3).adding([(0, 1)], [1], "Ada")
    before = pickle.dumps(table)
    later = table.adding([(0, 1)] * 50, [1] * 50, "Ben")
    assert later.names == ("", "Ada", "Ben")
    assert pickle.dumps(table) == before
    assert pickle.loads(pickle.dumps(later.since(1))).names == ("", "Ben")  # noqa: S301


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([3], r"rows hold 3; expected positions below 3"),
        ([0, -1], r"rows hold -1; expected positions below 3"),
        ([True, False], r"the mask has shape \(2,\); expected \(3,\)"),
        ([0.5], r"rows hold 0.5 at position 0; expected whole numbers"),
        ("all", r"rows have shape \(\); expected one dimension"),
    ],
)
def test_answers_that_are_not_there_cannot_be_left_out(rows, message):
    table = Answers.none(3).adding([(0, 1), (0, 2), (1, 2)], [1, 0, -1])
    with pytest.raises(InvalidInputError, match=message):
        table.without(rows)


@pytest.mark.parametrize("n", [2, -1, 3.5, None])
def test_a_table_cannot_forget_objects(n):
    with pytest.raises(InvalidInputError, match=r"^n is .*expected"):
        Answers.none(3).grown(n)


@pytest.mark.parametrize("n", [-1, 2.5, 2.0, "3", None, True])
def test_a_table_is_about_a_whole_number_of_objects(n):
    with pytest.raises(InvalidInputError, match=r"^n is .*expected a whole number"):
        Answers.none(n)


# -- refusing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "values", "message"),
    [
        ([(0, 1), (2, 2)], [1, 1], r"row 1 has an object paired with itself: pair \(2, 2\), answer 1"),
        ([(0, 1), (4, 5)], [1, 1], r"row 1 has an object that is not one of the 5.*pair \(4, 5\)"),
        ([(0, 1), (5, 4)], [1, 1], r"row 1 has an object that is not one of the 5.*pair \(5, 4\)"),
        ([(0, 1), (3, -1)], [1, 1], r"row 1 has an object below 0: pair \(3, -1\)"),
        ([(0, 1), (1, 2)], [1, 1.5], r"row 1 has an answer outside \[-1, 1\]: pair \(1, 2\), answer 1.5"),
        ([(0, 1), (1, 2)], [1, -1.0000001], r"row 1 has an answer outside \[-1, 1\]"),
        ([(0, 1), (1, 2)], [1, np.nan], r"row 1 has an answer that is not a finite number"),
        ([(0, 1), (1, 2)], [1, -np.inf], r"row 1 has an answer that is not a finite number"),
        ([(0, 1), (1, 2)], [1, None], r"row 1 has an answer that is not a finite number"),
        ([(0, 1), (2, 3), (0, 9)], [1, 7, 1], r"row 1 has an answer outside"),
        ([(0, 1), (0, 9), (2, 3)], [1, 1, 7], r"row 1 has an object that is not one of the 5"),
        ([(0, 1)], [1, 1], r"got 2 answers for 1 pairs; expected one each"),
        ([(0, 1), (1, 2)], [1], r"got 1 answers for 2 pairs; expected one each"),
        ([(0, 1)], 1, r"got answers of shape \(\) for 1 pairs; expected one each"),
        ([(0, 1)], [[1]], r"got answers of shape \(1, 1\) for 1 pairs; expected one each"),
        ([], [1], r"got 1 answers for 0 pairs"),
        ((0, 1), [1], r"pairs have shape \(2,\); expected \(m, 2\)"),
        ([(0, 1, 2)], [1], r"pairs have shape \(1, 3\); expected \(m, 2\)"),
        ([(0, 0.5)], [1], r"objects hold 0.5 at position 0; expected whole numbers"),
        ([("a", "b")], [1], r"objects have type <U1; expected whole numbers"),
        ([(0, 1), (2,)], [1, 1], r"pairs have rows of different lengths"),
        (
            [(0, 1)],
            [True],
            r"answers have type bool; expected .* 1 for the same kind, -1 for different kinds",
        ),
        ([(0, 1)], np.array([True], object), r"answers have type bool"),
        ([(0, 1)], ["same"], r"answers have type <U4; expected numbers in \[-1, 1\]: 1 for the same kind"),
        ([(0, 1)], ["1"], r"answers have type <U1; expected numbers"),
        ([(0, 1), (1, 2)], [1, "no"], r"answers have type <U\d+; expected numbers"),
        ([(0, 1)], [1j], r"answers have type complex128; expected numbers"),
        ([(0, 1)], [{}], r"answers must be numbers in \[-1, 1\]"),
        ([(0, 1)], {1}, r"answers come as a set; expected a list"),
        ([(0, 1), (1, 2)], [[1], [1, 1]], r"answers have rows of different lengths"),
        ([(0, 1)], np.ma.array([1.0], mask=[True]), r"answers hold masked entries"),
    ],
)
def test_answers_are_refused_whole_and_in_words(pairs, values, message):
    answers = Answers.none(5).adding([(0, 4)], [0.5])
    with pytest.raises(InvalidAnswerError, match=message) as error:
        answers.adding(pairs, values)
    assert str(error.value).endswith("; nothing was kept")
    assert isinstance(error.value, ValueError)
    assert (answers.u.tolist(), answers.v.tolist(), answers.values.tolist()) == ([0], [4], [0.5])


@pytest.mark.parametrize("n", [0, 1])
def test_without_two_objects_no_pair_can_be_answered(n):
    with pytest.raises(InvalidAnswerError, match=f"row 0 has an object that is not one of the {n}"):
        Answers.none(n).adding([(0, 1)], [1])


@pytest.mark.parametrize(
    "values",
    [
        [1, -1],
        (1.0, -1.0),
        np.array([1, -1], np.int8),
        np.array([1, -1], np.float32),
        np.array([1, -1.0], object),
        [Decimal(1), Decimal(-1)],
        np.array([1, 0, -1, 0])[::2],
    ],
)
def test_answers_are_read_from_whatever_holds_numbers(values):
    answers = Answers.none(3).adding(np.array([(0, 1), (2, 1)], np.uint8), values)
    assert answers.values.tolist() == [1, -1]
    assert answers.values.dtype == np.float64


# -- folding -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(logs(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_change_one_bit_of_the_fold(log, random):
    n, pairs, values = log
    rows = list(zip(pairs, values, strict=True))
    random.shuffle(rows)
    shuffled = Answers.none(n).adding([pair[::-1] for pair, _ in rows], [value for _, value in rows])
    straight = Answers.none(n).adding(pairs, values)
    assert_same_bits(Similarity.from_answers(shuffled), Similarity.from_answers(straight))


@pytest.mark.slow
@given(logs())
def test_a_fold_is_the_mean_of_each_pairs_answers(log):
    n, pairs, values = log
    similarity = Similarity.from_answers(Answers.none(n).adding(pairs, values))
    means, counts = dense.fold(n, pairs, values)
    u, v = np.indices((n, n)).reshape(2, -1)
    np.testing.assert_allclose(similarity.value(u, v), means.ravel(), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(similarity.count(u, v), counts.ravel())
    assert_same_bits(
        similarity, Similarity.from_pairs(n, [a for a, _ in pairs], [b for _, b in pairs], values)
    )


@pytest.mark.slow
@given(logs(), st.lists(st.integers(0, 25), max_size=4))
def test_folding_in_parts_is_folding_at_once(log, cuts):
    n, pairs, values = log
    whole = Similarity.from_answers(Answers.none(n).adding(pairs, values))
    bounds = [0, *sorted(min(cut, len(pairs)) for cut in cuts), len(pairs)]
    parts = Similarity.from_answers(Answers.none(n))
    for start, stop in pairwise(bounds):
        parts = parts.with_answers(pairs[start:stop], values[start:stop])
    np.testing.assert_array_equal(parts.indptr, whole.indptr)
    np.testing.assert_array_equal(parts.indices, whole.indices)
    np.testing.assert_array_equal(parts.counts, whole.counts)
    np.testing.assert_allclose(parts.values, whole.values, rtol=0, atol=1e-12)


def test_each_answer_may_have_a_name_of_its_own():
    named = Answers.none(3).adding([(0, 1)], [1]).adding([(0, 1), (1, 2)], [1, -1], ["Ada", "Ben"])
    assert named.annotators == ("", "Ada", "Ben")
    assert Answers.none(3).adding([], [], []).annotators == ()
    with pytest.raises(InvalidAnswerError, match="got 1 annotators for 2 answers"):
        named.adding([(0, 1), (1, 2)], [1, -1], ["Ada"])
    wrong = (
        r"annotator is \['Ada', 7\]; expected a name, or a list, an array or a column that holds a name, as t"
    )
    with pytest.raises(InvalidAnswerError, match=wrong):
        named.adding([(0, 1), (1, 2)], [1, -1], ["Ada", 7])


class Column:
    """A column of a table, as pandas has them."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values

    def __repr__(self):
        return "0  Ada\n1  nan"


class Series:
    """A column as polars has them: it can be walked through and listed, under another name."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def to_list(self):
        return list(self.values)


class ArrowColumn:
    """A column as Arrow has them."""

    def __init__(self, values):
        self.values = values

    def to_pylist(self):
        return self.values


class ArrayColumn:
    """A column that can only be made an array."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)


COLUMNS = [Column, Series, ArrowColumn, ArrayColumn]


@pytest.mark.parametrize(
    "names",
    [
        np.array(["Ada", "Ben"]),
        np.array(["Ada", "Ben"], object),
        ("Ada", "Ben"),
        *(kind(["Ada", "Ben"]) for kind in COLUMNS),
    ],
    ids=lambda names: type(names).__name__,
)
def test_the_names_may_come_as_an_array_or_a_column(names):
    answers = Answers.none(3).adding([(0, 1), (1, 2)], [1, -1], names)
    assert answers.annotators == ("Ada", "Ben")
    assert {type(name) for name in answers.annotators} == {str}


@pytest.mark.parametrize(
    "names",
    [
        np.array([1, 2]),
        np.array([["Ada", "Ben"]]),
        np.array("Ada"),
        Column(["Ada", np.nan]),
        Series(["Ada", None]),
        7,
        {"Ada": 1},
    ],
)
def test_what_is_no_list_of_names_is_refused_in_one_line(names):
    with pytest.raises(InvalidAnswerError, match="as text, for each answer; nothing was kept") as error:
        Answers.none(3).adding([(0, 1), (1, 2)], [1, -1], names)
    assert "\n" not in str(error.value)
