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
    sums, touched = np.zeros(n, np.float32), np.empty(n + 1, np.uint32)
    likely, weights = np.empty(budget.candidates, np.int64), np.zeros(n_columns, np.float32)
    for i in range(begin, end):
        count = _read_postings(matrix, index, budget, i, sums, touched)
        n_likely = _likeliest(sums, touched[:count], i, likely)
        first, last = matrix.indptr[i], matrix.indptr[i + 1]
        for p in range(first, last):
            weights[matrix.indices[p]] = matrix.values[p]
        size, at = 0, i - begin
        for t in range(n_likely):
            p, q = matrix.indptr[likely[t]], matrix.indptr[likely[t] + 1]
            product = _product(weights, matrix.indices[p:q], matrix.values[p:q])
            size = keep_best(products[at], found[at], size, product, likely[t])
        best_first(products[at], found[at], size)
        for p in range(first, last):
            weights[matrix.indices[p]] = 0.0
    return found, products


@compiled
def _read_postings(
    matrix: SparseRows, index: SparseRows, budget: Budget, i: int, sums: Array, touched: Array
) -> Any:
    """Add up products of row i with all rows that share one of its rarest columns; how many were touched.

    Of a column that is longer than the whole budget only a part is read, from row i on, and around the end.
    ``touched`` has a place more than there are rows.
    """
    count: Any = np.uint64(0)
    used, first = 0, matrix.indptr[i]
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
        weight = matrix.values[p]
        count = _add_column(index.indices[at:end], index.values[at:end], weight, sums, touched, count)
        if around > begin:
            rows, values = index.indices[begin:around], index.values[begin:around]
            count = _add_column(rows, values, weight, sums, touched, count)
    return count


@compiled
def _add_column(rows: Array, values: Array, weight: float, sums: Array, touched: Array, count: Any) -> Any:
    """Add entries of a column, times a weight, to the sums of their rows; how many rows were touched.

    Each row is written to the end of those that were touched, and stays there if it had no sum: no branch,
    for it could not be foreseen. Indexes without a sign save the code for those that count from the end.
    """
    for p in range(len(rows)):
        j = np.uint32(rows[p])
        before = sums[j]
        touched[count] = j
        count += np.uint64(before == 0)
        sums[j] = before + weight * values[p]
    return count


@compiled
def _likeliest(sums: Array, touched: Array, i: int, likely: Array) -> int:
    """Find the touched rows but row i that have the largest sums; how many. Sums are 0 afterwards."""
    size, least, best = 0, np.float32(0), np.empty(len(likely), np.float32)
    for t in range(len(touched)):
        j = touched[t]
        score = sums[j]
        sums[j] = 0.0
        if score >= least and j != i:
            size = keep_best(best, likely, size, score, int(j))
            if size == len(likely):
                least = best[0]
    return size


@compiled
def _product(weights: Array, columns: Array, values: Array) -> float:
    """Dot product of a row with one of which the weights are written out."""
    product = 0.0
    for p in range(len(columns)):
        product += weights[np.uint32(columns[p])] * values[p]
    return product
