"""Products, in the order of the rows, and systems of equations."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from ofakind.kernels import portable
from ofakind.kernels.graph.products import block_products

RNG = np.random.default_rng(1)


def in_order(x, y):
    """The sum of products, one after the other."""
    total = 0.0
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        total += a * b
    return total


@pytest.mark.parametrize(("m", "d"), [(1, 1), (7, 3), (8, 9), (50, 17)])
def test_products_are_added_from_the_first_row_to_the_last(m, d):
    F, w, x, y = RNG.normal(size=(m, d)), RNG.random(m), RNG.normal(size=d), RNG.normal(size=m)
    assert portable.dot(y, w) == (y * w).sum() == pytest.approx(in_order(y, w), rel=1e-13)
    assert portable.matmul(F, x).tolist() == [in_order(row, x) for row in F]
    assert portable.matmul(F.T, y).tolist() == [in_order(column, y) for column in F.T]
    assert portable.matmul(y, F).tolist() == portable.matmul(F.T, y).tolist()
    G = RNG.normal(size=(d, 5))
    assert portable.matmul(F, G).tolist() == [[in_order(row, column) for column in G.T] for row in F]
    weighted = (w[:, None] * F).T
    assert portable.gram(F, w).tolist() == [
        [in_order(weighted[max(a, b)], F[:, min(a, b)]) for b in range(d)] for a in range(d)
    ]
    assert portable.gram(F).tolist() == [[in_order(a, b) for b in F.T] for a in F.T]


@pytest.mark.parametrize("view", [np.asarray, np.asfortranarray, lambda a: np.repeat(a, 2, axis=1)[:, ::2]])
def test_products_do_not_depend_on_how_an_array_lies_in_memory(view):
    F, x, y = RNG.normal(size=(40, 6)), RNG.normal(size=6), RNG.normal(size=40)
    assert np.array_equal(portable.matmul(view(F), x), portable.matmul(F, x))
    assert np.array_equal(portable.matmul(view(F).T, y), portable.matmul(F.T, y))
    assert np.array_equal(portable.matmul(view(F).T, view(F)), portable.matmul(F.T, F))
    assert np.array_equal(portable.gram(view(F)), portable.gram(F))


def test_products_of_nothing_and_of_what_does_not_fit():
    assert portable.matmul(np.empty((0, 3)), np.ones(3)).shape == (0,)
    assert portable.matmul(np.empty((0, 3)).T, np.empty(0)).tolist() == [0.0] * 3
    assert portable.gram(np.empty((0, 2))).tolist() == [[0.0, 0.0]] * 2
    assert portable.dot([], []) == 0.0
    with pytest.raises(ValueError, match=r"matmul of \(2, 3\) and \(2,\)"):
        portable.matmul(np.ones((2, 3)), np.ones(2))


@pytest.mark.parametrize("d", [1, 2, 9, 24])
def test_equations_are_solved_as_lapack_solves_them(d):
    A, B = RNG.normal(size=(d, d)), RNG.normal(size=(d, 3))
    np.testing.assert_allclose(portable.solve(A, B), np.linalg.solve(A, B), rtol=1e-9)
    np.testing.assert_allclose(portable.solve(A, B[:, 0]), np.linalg.solve(A, B[:, 0]), rtol=1e-9)
    np.testing.assert_allclose(portable.inverse(A), np.linalg.inv(A), rtol=1e-9)
    many, right = RNG.normal(size=(5, d, d)), RNG.normal(size=(5, d))
    each = [np.linalg.solve(a, b) for a, b in zip(many, right, strict=True)]
    np.testing.assert_allclose(portable.solve_batch(many, right), each, rtol=1e-7)


def test_rows_are_exchanged_where_a_pivot_is_0_and_what_has_no_solution_is_refused():
    assert portable.solve([[0.0, 1.0], [2.0, 0.0]], [3.0, 4.0]).tolist() == [2.0, 3.0]
    for singular in ([[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            portable.solve(singular, [1.0, 1.0])


def test_a_matrix_is_positive_definite_if_all_its_eigenvalues_are_above_0():
    for least in (-1.0, -1e-3, 1e-3, 1.0):
        basis, _ = np.linalg.qr(RNG.normal(size=(6, 6)))
        matrix = basis * np.r_[least, RNG.random(5) + 0.5] @ basis.T
        assert portable.is_positive_definite(matrix) == (least > 0)
    assert not portable.is_positive_definite(np.zeros((2, 2)))


def test_a_sparse_matrix_is_multiplied_as_a_dense_one():
    dense = np.where(RNG.random((6, 4)) < 0.5, RNG.normal(size=(6, 4)), 0.0)
    x = RNG.normal(size=4)
    np.testing.assert_allclose(portable.sparse_matmul(csr_array(dense), x), dense @ x, rtol=1e-14)


@pytest.mark.parametrize(("a", "m", "d"), [(1, 1, 1), (5, 16, 8), (7, 33, 64), (12, 50, 3)])
def test_blocks_of_products_are_fused_in_the_order_of_the_columns(a, m, d):
    """In single precision: each step is computed in double, where it is exact, and rounded once."""
    queries, members = (RNG.normal(size=(rows, d)).astype(np.float32) for rows in (a, m))
    expected = np.zeros((a, m), np.float32)
    for t in range(d):
        exact = np.outer(queries[:, t].astype(np.float64), members[:, t].astype(np.float64))
        expected = (expected.astype(np.longdouble) + exact).astype(np.float32)
    assert np.array_equal(block_products(queries, members), expected)
