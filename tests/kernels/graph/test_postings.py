"""The budgeted inverted index against its plain twin, with weights whose sums are exact."""

import numpy as np
import pytest
from scipy import sparse

from ofakind.kernels.graph.postings import Budget, nearest_rows
from ofakind.kernels.graph.products import SparseRows, dense_products, sparse_products
from twins import neighbours as twin


def instance(seed, n=40, columns=25):
    """Rows with few columns, the first of which are rare; some rows are empty, and weights are eighths."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0.03, 0.6, columns) * rng.choice([0, 0.3, 1], n)[:, None]
    table = np.where(rng.random((n, columns)) < share, rng.integers(1, 9, (n, columns)) / 8, 0)
    rows = [{int(c): float(row[c]) for c in np.flatnonzero(row)} for row in table]
    return rows, table


def arrays(matrix):
    return SparseRows(matrix.indptr.astype(np.int64), matrix.indices, matrix.data)


def search(table, k, begin=0, end=None, **budget):
    matrix = sparse.csr_matrix(table, dtype=np.float32)
    end = len(table) if end is None else end
    return nearest_rows(arrays(matrix), arrays(matrix.tocsc()), Budget(**budget), begin, end, k)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "budget",
    [
        {"entries": 1000, "columns": 4, "candidates": 100},
        {"entries": 30, "columns": 2, "candidates": 8},
        {"entries": 5, "columns": 3, "candidates": 6},
        {"entries": 1, "columns": 0, "candidates": 3},
    ],
)
def test_the_index_finds_what_its_twin_finds(seed, budget):
    rows, table = instance(seed)
    found, products = search(table, 5, **budget)
    expected = twin.nearest_rows(rows, 5, **budget)
    assert [[j for j in row if j >= 0] for row in found.tolist()] == expected
    for i, row in enumerate(expected):
        assert products[i].tolist() == [twin.product(rows[i], rows[j]) for j in row] + [0.0] * (5 - len(row))


@pytest.mark.parametrize("seed", range(3))
def test_with_a_large_budget_it_is_exact(seed):
    rows, table = instance(seed)
    found, _ = search(table, 5, entries=10_000, columns=4, candidates=100)
    for i, row in enumerate(rows):
        others = {j: twin.product(row, other) for j, other in enumerate(rows) if j != i}
        wanted = twin.best({j: value for j, value in others.items() if value > 0}, 5)
        assert [j for j in found[i].tolist() if j >= 0] == wanted


def test_blocks_of_rows_give_the_rows_of_the_whole():
    _, table = instance(1)
    budget = {"entries": 20, "columns": 2, "candidates": 10}
    whole, _ = search(table, 4, **budget)
    parts = [search(table, 4, begin, min(begin + 7, 40), **budget)[0] for begin in range(0, 40, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_equal_rows_beyond_the_budget_find_those_after_them():
    found, _ = search(np.ones((50, 3)), 4, entries=5, columns=2, candidates=10)
    assert found[0].tolist() == [1, 2, 3, 4]
    assert found[48].tolist() == [0, 1, 2, 49]


def test_products_of_pairs_are_those_of_their_rows():
    _, table = instance(2)
    a, b = np.triu_indices(len(table))
    expected = (table @ table.T)[a, b]
    matrix = sparse.csr_matrix(table, dtype=np.float32)
    np.testing.assert_array_equal(sparse_products(arrays(matrix), a, b), expected)
    np.testing.assert_array_equal(dense_products(table.astype(np.float32), a, b), expected)
