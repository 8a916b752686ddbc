"""Similarities are symmetric, bounded, sparse and frozen, and tell "undecided" from "never asked"."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ofakind.answers import Answers
from ofakind.errors import InvalidAnswerError, InvalidInputError
from ofakind.similarity import MAX_OBJECTS, Similarity
from twins.instances import CORNERS, all_pairs, similarities

ARRAYS = ("indptr", "indices", "values", "counts")


def assert_equal(a, b):
    assert a.n == b.n
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def assert_sound(s):
    """Everything that is promised of any similarity."""
    matrix = s.to_scipy()
    np.testing.assert_array_equal(matrix.toarray(), matrix.toarray().T)
    assert not matrix.diagonal().any()
    assert np.all(np.abs(s.values) <= 1)
    assert np.all(s.counts >= 1)
    assert len(s.indptr) == s.n + 1
    assert len(s.values) == len(s.counts) == len(s.indices) == 2 * s.n_pairs == s.indptr[-1]
    for i in range(s.n):
        row = s.indices[s.indptr[i] : s.indptr[i + 1]].tolist()
        assert row == sorted(set(row) - {i})
    assert [getattr(s, name).dtype for name in ARRAYS] == [np.int64, np.int32, np.float64, np.int32]


# -- what is always true -----------------------------------------------------------------------------------


@given(similarities())
def test_every_similarity_is_symmetric_with_nothing_on_the_diagonal(s):
    assert_sound(s)


@pytest.mark.parametrize("name", sorted(CORNERS))
def test_the_corner_cases_are_sound(name):
    assert_sound(CORNERS[name])
    assert_equal(Similarity.from_matrix(CORNERS[name].to_scipy()), CORNERS[name])


def test_every_pair_may_be_asked():
    s = all_pairs(40, -0.25)
    assert_sound(s)
    assert s.n_pairs == 40 * 39 // 2
    assert np.all(s.values == -0.25)


@given(similarities())
def test_the_asked_pairs_come_sorted_and_each_once(s):
    pairs = s.pairs()
    assert list(pairs) == sorted(set(pairs))
    assert len(pairs) == s.n_pairs
    assert np.all(s.count(pairs.u, pairs.v) >= 1)
    np.testing.assert_array_equal(s.value(pairs.u, pairs.v), s.value(pairs.v, pairs.u))
    assert_equal(Similarity.from_pairs(s.n, pairs.v, pairs.u, s.value(pairs.u, pairs.v)), s)


def test_an_answered_zero_differs_from_a_pair_never_asked():
    s = Similarity.from_pairs(3, [0], [1], [0])
    assert s.value([0, 0], [1, 2]).tolist() == [0, 0]
    assert s.count([0, 0], [1, 2]).tolist() == [1, 0]
    assert (s.slots([0, 0], [1, 2]) >= 0).tolist() == [True, False]
    assert s.to_scipy().nnz == 2
    balanced = Similarity.from_pairs(3, [0, 1], [1, 0], [1, -1])
    assert balanced.value([0], [1]).tolist() == [0]
    assert balanced.count([0], [1]).tolist() == [2]


@pytest.mark.parametrize("value", [1.0, -1.0, 1 / 3, 0.1, 1 - 2**-53])
@pytest.mark.parametrize("times", [1, 3, 7, 1000])
def test_a_mean_of_equal_answers_stays_within_bounds(value, times):
    s = Similarity.from_pairs(2, [0] * times, [1] * times, [value] * times)
    assert s.count([1], [0]).tolist() == [times]
    assert s.value([0], [1])[0] == pytest.approx(value, rel=1e-12)
    assert abs(s.value([0], [1])[0]) <= 1


def test_a_similarity_cannot_be_written_and_leaves_its_input_alone():
    u, v, values = np.array([2, 0]), np.array([0, 1]), np.array([0.5, -1.0])
    s = Similarity.from_pairs(3, u, v, values)
    assert (u.tolist(), v.tolist(), values.tolist()) == ([2, 0], [0, 1], [0.5, -1.0])
    u[:], v[:], values[:] = 0, 1, 1
    assert s.value([0, 0], [2, 1]).tolist() == [0.5, -1.0]
    for similarity in (s, s.with_answers([(0, 1)], [1]), Similarity.from_pairs(0, [], [], [])):
        for name in ARRAYS:
            with pytest.raises(ValueError, match="read-only"):
                getattr(similarity, name)[:] = 0
    with pytest.raises(AttributeError):
        s.n = 5


def test_input_that_cannot_be_written_is_read():
    arrays = [np.array([0, 1]), np.array([1, 2]), np.array([1.0, -1.0])]
    for array in arrays:
        array.flags.writeable = False
    s = Similarity.from_pairs(3, *arrays)
    assert s.with_answers(np.stack(arrays[:2], axis=1), arrays[2]).count(*arrays[:2]).tolist() == [2, 2]


def test_a_million_objects_need_memory_for_their_answers_only():
    n, m = 10**6, 10**5
    rng = np.random.default_rng(0)
    u = rng.integers(n, size=m)
    v = (u + rng.integers(1, n, size=m)) % n
    values = rng.uniform(-1, 1, m)
    tracemalloc.start()
    s = Similarity.from_pairs(n, u, v, values).with_answers([(n - 1, 0)], [1])
    matrix = s.to_scipy()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert s.n_pairs <= m + 1
    assert s.count(u, v).min() >= 1
    assert s.value([n - 1], [0]) > 0
    assert matrix.shape == (n, n)
    assert sum(getattr(s, name).nbytes for name in ARRAYS) <= 8 * (n + 1) + 16 * 2 * (m + 1)
    assert peak < 100 * (n + m)


def test_importing_the_core_types_loads_no_compiler():
    code = (
        "import sys, ofakind, ofakind.clustering, ofakind.similarity; "
        "print([name for name in ('numba', 'scipy', 'sklearn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_shown_of_a_similarity_is_short():
    assert repr(all_pairs(3, 1.0)) == "Similarity(3 objects, 3 pairs asked)"


# -- looking pairs up --------------------------------------------------------------------------------------


@given(similarities())
def test_values_and_slots_agree_with_the_matrix(s):
    u, v = np.indices((s.n, s.n)).reshape(2, -1)
    np.testing.assert_array_equal(s.value(u, v), s.to_scipy().toarray().ravel())
    slots = s.slots(u, v)
    np.testing.assert_array_equal(s.indices[slots[slots >= 0]], v[slots >= 0])
    assert sorted(slots[slots >= 0]) == list(range(len(s.indices)))
    assert s.value(u, v).dtype == np.float64
    assert s.count(u, v).dtype == np.int64


@pytest.mark.parametrize("s", CORNERS.values(), ids=CORNERS.keys())
def test_no_pairs_may_be_looked_up(s):
    assert s.value([], []).tolist() == s.count([], []).tolist() == s.slots([], []).tolist() == []


@pytest.mark.parametrize("look", ["value", "count", "slots"])
@pytest.mark.parametrize(("u", "v"), [(0, 4), (4, 0), (-1, 0), (0, -1), (10**12, 0), (0, -(10**12))])
def test_objects_that_do_not_exist_cannot_be_looked_up(look, u, v):
    s = Similarity.from_pairs(4, [0, 1], [1, 2], [1, -1])
    with pytest.raises(InvalidInputError, match=rf"pair 1 is \({u}, {v}\); expected two of the 4 objects"):
        getattr(s, look)([0, u], [1, v])
    with pytest.raises(InvalidInputError, match="expected two of the 0 objects"):
        getattr(CORNERS["no objects"], look)([0], [1])


def test_one_pair_is_looked_up_as_a_list_of_one():
    s = Similarity.from_pairs(2, [0], [1], [1])
    assert s.value([0], [1]).tolist() == [1]
    with pytest.raises(
        InvalidInputError, match=r"objects have shape \(\); expected one dimension, such as \[0\]"
    ):
        s.value(0, 1)


# -- folding more in ---------------------------------------------------------------------------------------


@pytest.mark.slow
@given(similarities(max_objects=5), st.data())
def test_new_and_known_pairs_take_more_answers(s, data):
    if s.n < 2:
        return
    ends = st.tuples(st.integers(0, s.n - 1), st.integers(0, s.n - 1)).filter(lambda p: p[0] != p[1])
    pairs = data.draw(st.lists(ends, min_size=1, max_size=8))
    values = data.draw(st.lists(st.floats(-1, 1), min_size=len(pairs), max_size=len(pairs)))
    before = [getattr(s, name).copy() for name in ARRAYS]
    more = s.with_answers(pairs, values)
    assert_sound(more)
    for u, v in {(min(p), max(p)) for p in pairs}:
        new = [x for p, x in zip(pairs, values, strict=True) if {*p} == {u, v}]
        count = s.count([u], [v])[0]
        assert more.count([u], [v])[0] == count + len(new)
        mean = (s.value([u], [v])[0] * count + sum(new)) / (count + len(new))
        assert more.value([u], [v])[0] == pytest.approx(mean, abs=1e-12)
    for name, array in zip(ARRAYS, before, strict=True):
        np.testing.assert_array_equal(getattr(s, name), array)


@pytest.mark.parametrize("s", CORNERS.values(), ids=CORNERS.keys())
def test_no_new_answers_change_nothing(s):
    assert_equal(s.with_answers([], []), s)


def test_bad_answers_are_refused_with_their_row():
    s = Similarity.from_pairs(3, [0], [1], [1])
    with pytest.raises(InvalidAnswerError, match="row 1 has an object that is not one of the 3"):
        s.with_answers([(0, 1), (1, 3)], [1, 1])
    with pytest.raises(InvalidAnswerError, match="row 0 has an answer outside"):
        s.with_answers([(0, 1)], [2])


# -- silly input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [-3, 3.0, "3", None, True, [3]])
def test_a_similarity_is_about_a_whole_number_of_objects(n):
    with pytest.raises(InvalidInputError, match=r"^n is .*expected a whole number"):
        Similarity.from_pairs(n, [], [], [])


def test_more_objects_than_an_index_can_name_are_refused():
    with pytest.raises(InvalidInputError, match=rf"n is {MAX_OBJECTS + 1}; expected at most {MAX_OBJECTS}"):
        Similarity.from_pairs(MAX_OBJECTS + 1, [], [], [])
    with pytest.raises(InvalidInputError, match="expected at most"):
        Similarity.from_answers(Answers.none(10**30))


def test_a_number_of_objects_from_numpy_becomes_an_int():
    assert type(Similarity.from_pairs(np.int64(3), [0], [1], [1]).n) is int


@pytest.mark.parametrize(
    ("u", "v", "values", "message"),
    [
        ([0, np.nan], [1, 2], [1, 1], "objects hold nan at position 1"),
        ([0, 1], [1, 1], [1, 1], "row 1 has an object paired with itself"),
        ([0, 1], [1, 3], [1, 1], "row 1 has an object that is not one of the 3"),
        ([0, 1], [1, 2], [1, np.nan], "row 1 has an answer that is not a finite number"),
        ([0, 1], [1, 2], [True, False], "answers have type bool; expected .*-1 for different kinds"),
        ([0, 1], [1, 2], ["+", "-"], "answers have type <U1"),
        ([0, 1], [1, 2], [1], "got 1 answers for 2 pairs"),
        ([0, 1], [1], [1, 1], "u has 2 entries and v has 1"),
        (["a"], ["b"], [1], "objects have type <U1"),
        (0, 1, 1, r"objects have shape \(\)"),
    ],
)
def test_answers_that_cannot_be_are_refused_in_words(u, v, values, message):
    with pytest.raises(InvalidInputError, match=message):
        Similarity.from_pairs(3, u, v, values)


# -- matrices ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(similarities())
def test_a_sparse_matrix_comes_back_as_it_went(s):
    for matrix in (s.to_scipy(), s.to_scipy().tocoo(), s.to_scipy().tocsc(), sparse.csr_matrix(s.to_scipy())):
        assert_equal(Similarity.from_matrix(matrix), s)


@given(similarities())
def test_a_dense_matrix_comes_back_without_its_zeros(s):
    dense = s.to_scipy().toarray()
    again = Similarity.from_matrix(dense)
    assert_sound(again)
    np.testing.assert_array_equal(again.to_scipy().toarray(), dense)
    assert again.n_pairs == np.count_nonzero(np.triu(dense))
    assert np.all(again.counts == 1)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_matrix_of_zeros_knows_nothing(n):
    for matrix in (np.zeros((n, n)), sparse.csr_array((n, n))):
        assert_equal(Similarity.from_matrix(matrix), Similarity.from_pairs(n, [], [], []))


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 1], [1, 0]],
        np.array([[0, 1], [1, 0]], np.int8),
        np.array([[0, 1], [1, 0]], np.float32),
        np.array([[0, 1], [1, 0]], object),
        np.array([[1, 1], [1, 1]]),
        np.array([[np.nan, 1], [1, 7]]),
        sparse.coo_array(([0.5, 0.5, 1.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2)),
    ],
)
def test_the_diagonal_is_not_looked_at_and_entries_of_one_place_add_up(matrix):
    assert_equal(Similarity.from_matrix(matrix), Similarity.from_pairs(2, [0], [1], [1]))


@pytest.mark.parametrize("place", [([0], [1]), ([1], [0]), ([0, 1], [1, 0])])
def test_a_stored_zero_of_a_sparse_matrix_is_an_answer(place):
    matrix = sparse.coo_array((np.zeros(len(place[0])), place), shape=(2, 2))
    assert_equal(Similarity.from_matrix(matrix), Similarity.from_pairs(2, [0], [1], [0]))


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.csr_array, sparse.csc_array, sparse.lil_array])
def test_a_matrix_is_left_as_it_was(kind):
    matrix = kind(sparse.coo_array(([0.5, 0.5, 1.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2)))
    before = (matrix.nnz, matrix.toarray().tolist())
    Similarity.from_matrix(matrix)
    assert (matrix.nnz, matrix.toarray().tolist()) == before


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), r"the matrix has shape \(2, 3\); expected n rows and n columns"),
        (np.zeros(4), r"the matrix has shape \(4,\); expected n rows"),
        (np.zeros((2, 2, 2)), r"the matrix has shape \(2, 2, 2\); expected n rows"),
        (3, r"the matrix has shape \(\); expected n rows"),
        (np.array([[0, 1], [0.5, 0]]), r"S\[0, 1\] and S\[1, 0\] differ by 0.5"),
        (np.array([[0, 1], [2, 0]], np.uint8), r"S\[0, 1\] and S\[1, 0\] differ by 1.0"),
        (sparse.csr_array(np.triu(np.ones((3, 3)))), r"differ by 1.0; expected the same"),
        (np.array([[0, 0.1], [np.nan, 0]]), r"S\[1, 0\] is nan; expected numbers, 0 for unknown"),
        (np.array([[0, np.nan], [np.nan, 0]]), r"S\[0, 1\] is nan; expected numbers, 0 for unknown"),
        (np.array([[0, np.inf], [np.inf, 0]]), r"S\[0, 1\] is inf; expected numbers"),
        (np.array([[0, 1.5], [1.5, 0]]), r"an answer outside \[-1, 1\]: pair \(0, 1\), answer 1.5"),
        (np.array([[0, 1], [1, 0]], bool), r"the matrix has type bool; expected numbers in \[-1, 1\]"),
        (sparse.csr_array(np.eye(2, dtype=bool)), r"the matrix has type bool"),
        (np.array([[0, 1j], [1j, 0]]), r"the matrix has type complex128"),
        ([["a", "b"], ["b", "a"]], r"the matrix has type <U1"),
        ([[0, 1], [1]], r"similarities have rows of different lengths"),
        (all_pairs(2, 1.0), r"similarities come as a Similarity; expected a list or an array"),
    ],
)
def test_what_is_no_matrix_of_similarities_is_refused_in_words(matrix, message):
    with pytest.raises(InvalidInputError, match=message):
        Similarity.from_matrix(matrix)


def test_rounding_may_break_the_symmetry_a_little():
    matrix = np.array([[0, 0.3], [0.1 + 0.2, 0]])
    assert matrix[0, 1] != matrix[1, 0]
    assert Similarity.from_matrix(matrix).value([0], [1])[0] == pytest.approx(0.3)
