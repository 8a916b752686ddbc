"""The sparse matrices agree with their dense twins."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.kernels.graph.csr import find_slot, find_slots, symmetric_csr
from twins import dense


@st.composite
def sorted_pairs(draw, max_objects=9):
    n = draw(st.integers(0, max_objects))
    everything = list(combinations(range(n), 2))
    chosen = draw(st.lists(st.sampled_from(everything), unique=True)) if everything else []
    u, v = np.array(sorted(chosen), np.int64).reshape(-1, 2).T
    return n, u, v


@given(sorted_pairs())
def test_both_directions_of_every_pair_stand_in_sorted_rows(drawn):
    n, u, v = drawn
    indptr, indices, pair = symmetric_csr(n, u, v)
    starts, columns, numbers = dense.symmetric_csr(n, u.tolist(), v.tolist())
    assert indptr.tolist() == starts
    assert indices.tolist() == columns
    assert pair.tolist() == numbers
    assert (indptr.dtype, indices.dtype, pair.dtype) == (np.int64, np.int32, np.int64)


@given(sorted_pairs())
def test_every_entry_is_found_where_it_stands_and_no_other(drawn):
    n, u, v = drawn
    indptr, indices, _ = symmetric_csr(n, u, v)
    rows, columns = np.indices((n, n)).reshape(2, -1)
    slots = find_slots(indptr, indices, rows, columns)
    asked = {*zip(u.tolist(), v.tolist(), strict=True), *zip(v.tolist(), u.tolist(), strict=True)}
    for i, j, slot in zip(rows.tolist(), columns.tolist(), slots.tolist(), strict=True):
        assert (slot >= 0) == ((i, j) in asked)
        assert slot == find_slot(indptr, indices, i, j)
        if slot >= 0:
            assert indptr[i] <= slot < indptr[i + 1]
            assert indices[slot] == j


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_without_pairs_every_row_is_empty(n):
    nothing = np.empty(0, np.int64)
    indptr, indices, pair = symmetric_csr(n, nothing, nothing)
    assert indptr.tolist() == [0] * (n + 1)
    assert len(indices) == len(pair) == 0
    assert len(find_slots(indptr, indices, nothing, nothing)) == 0


@pytest.mark.parametrize("n", [2, 3, 40])
def test_with_every_pair_each_row_holds_all_others(n):
    indptr, indices, _ = symmetric_csr(n, *np.triu_indices(n, 1))
    for i in range(n):
        assert indices[indptr[i] : indptr[i + 1]].tolist() == [j for j in range(n) if j != i]


def test_a_long_row_among_empty_ones_is_searched_to_both_ends():
    n = 1000
    others = np.delete(np.arange(n), 500)
    u, v = np.minimum(others, 500), np.maximum(others, 500)
    indptr, indices, _ = symmetric_csr(n, u, v)
    assert np.all(find_slots(indptr, indices, np.full(n - 1, 500), others) == indptr[500] + np.arange(n - 1))
    assert find_slot(indptr, indices, 500, 500) == -1
    assert find_slot(indptr, indices, 0, 999) == -1


def test_arrays_that_cannot_be_written_are_read():
    u, v = np.array([0, 1]), np.array([1, 2])
    u.flags.writeable = v.flags.writeable = False
    indptr, indices, _ = symmetric_csr(3, u, v)
    indptr.flags.writeable = indices.flags.writeable = False
    assert find_slots(indptr, indices, u, v).tolist() == [0, 2]
