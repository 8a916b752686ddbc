"""Nearest rows of a large sparse matrix, by an inverted index that is read within a budget."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.best import best_first, keep_best
from ofakind.kernels.graph.products import SparseRows

Array = NDArray[Any]


class Budget(NamedTuple):
    """How much of the index is read for a row: whole columns up to so many entries, but at least so many."""

    entries: int
    columns: int
    candidates: int


@compiled
def nearest_rows(
    matrix: SparseRows, index: SparseRows, budget: Budget, begin: int, end: int, k: int
) -> tuple[Array, Array]:
    """Return for the rows from begin to end the k other rows with the largest dot products, and these.

    ``matrix`` has positive entries, its columns stand in the order in which they are read: the rarest first.
    ``index`` is the same matrix by columns. For each row its columns are read up to the budget, the
    candidates with the largest sums so far are kept, and their products are computed in full. Where a row
    has fewer neighbours, the places left are -1 and 0. Equal products: the smaller number first.
    Time: O(budget + candidates times entries of a row) for each row.
    """
    n, n_columns = len(matrix.indptr) - 1, len(index.indptr) - 1
    found, products = np.full((end - begin, k), -1, np.int64), np.zeros((end - begin, k))
    sums, touched, weights = np.zeros(n, np.float32), np.empty(n, np.int32), np.zeros(n_columns, np.float32)
    some_sums, some_rows = np.empty(budget.candidates, np.float32), np.empty(budget.candidates, np.int32)
    for i in range(begin, end):
        count = _read_postings(matrix, index, budget, i, sums, touched)
        n_some = 0
        for t in range(count):
            j = touched[t]
            if j != i and (n_some < budget.candidates or sums[j] >= some_sums[0]):
                n_some = keep_best(some_sums, some_rows, n_some, sums[j], j)
            sums[j] = 0.0
        for p in range(matrix.indptr[i], matrix.indptr[i + 1]):
            weights[matrix.indices[p]] = matrix.values[p]
        size, at = 0, i - begin
        for t in range(n_some):
            product = 0.0
            for p in range(matrix.indptr[some_rows[t]], matrix.indptr[some_rows[t] + 1]):
                product += weights[matrix.indices[p]] * matrix.values[p]
            size = keep_best(products[at], found[at], size, product, some_rows[t])
        best_first(products[at], found[at], size)
        for p in range(matrix.indptr[i], matrix.indptr[i + 1]):
            weights[matrix.indices[p]] = 0.0
    return found, products


@compiled
def _read_postings(
    matrix: SparseRows, index: SparseRows, budget: Budget, i: int, sums: Array, touched: Array
) -> int:
    """Add up products of row i with all rows that share one of its rarest columns; how many were touched.

    Of a column that is longer than the whole budget only a part is read, from row i on, and around the end.
    """
    count, used, first = 0, 0, matrix.indptr[i]
    for p in range(first, matrix.indptr[i + 1]):
        begin, end = index.indptr[matrix.indices[p]], index.indptr[matrix.indices[p] + 1]
        if p - first >= budget.columns and used + end - begin > budget.entries:
            break
        at, around = begin, begin
        if end - begin > budget.entries:
            at += np.searchsorted(index.indices[begin:end], i)
            around += max(at + budget.entries - end, 0)
            end = min(at + budget.entries, end)
        used += end - at + around - begin
        count = _add_column(index, at, end, matrix.values[p], sums, touched, count)
        count = _add_column(index, begin, around, matrix.values[p], sums, touched, count)
    return count


@compiled
def _add_column(
    index: SparseRows, begin: int, end: int, weight: float, sums: Array, touched: Array, count: int
) -> int:
    """Add entries of a column, times a weight, to the sums of their rows; how many rows were touched."""
    for p in range(begin, end):
        j = index.indices[p]
        if sums[j] == 0:
            touched[count] = j
            count += 1
        sums[j] += weight * index.values[p]
    return count
