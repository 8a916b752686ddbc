"""Equal objects are numbered in order of appearance and joined by a star."""

import numpy as np
import pytest

from ofakind.priors.copies import distinct_rows, distinct_values


@pytest.mark.parametrize("seed", range(3))
def test_equal_rows_are_the_equal_values(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(-1, 2, (40, 2)).astype(np.float32)
    rows = distinct_rows(table)
    values = distinct_values([tuple(row) for row in table.tolist()], (0.0, 0.0))
    np.testing.assert_array_equal(rows.first, values.first)
    np.testing.assert_array_equal(rows.kind, values.kind)


def test_a_star_joins_all_copies_to_the_first():
    distinct = distinct_values(["b", "a", "", "b", "", "a", "b"])
    assert list(distinct.star) == [(0, 3), (0, 6), (1, 5)]
    assert list(distinct_values(["a", "b", ""]).star) == []


def test_what_was_found_of_kinds_becomes_pairs_of_their_first_objects():
    distinct = distinct_values(["b", "", "a", "b", "c"])
    found = np.array([[1, -1], [0, 2], [-1, -1]])
    assert list(distinct.pairs_of(found)) == [(0, 2), (2, 4)]


def test_zeros_and_no_rows_have_no_kind():
    assert distinct_rows(np.zeros((3, 2), np.float32)).kind.tolist() == [-1, -1, -1]
    assert distinct_rows(np.array([[-0.0, 0.0]], np.float32)).kind.tolist() == [-1]
    assert len(distinct_rows(np.zeros((0, 2), np.float32)).kind) == 0
    np.testing.assert_array_equal(distinct_rows(np.array([[-0.0, 1], [0.0, 1]], np.float32)).kind, [0, 0])
