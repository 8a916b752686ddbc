"""The best few of many rows, against sorting all of them."""

import numpy as np
import pytest

from ofakind.kernels.graph.best import best_first, keep_best, keep_best_of_block
from twins.neighbours import best


@pytest.mark.parametrize("count", [1, 2, 7, 40])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_are_kept_whatever_the_order_and_the_ties(count, seed):
    rng = np.random.default_rng(seed)
    given = {int(row): float(rng.integers(6)) for row in rng.permutation(30)}
    scores, rows, size = np.empty(count), np.empty(count, np.int64), 0
    for row, score in given.items():
        size = keep_best(scores, rows, size, score, row)
    best_first(scores, rows, size)
    assert rows[:size].tolist() == best(given, count)
    assert scores[:size].tolist() == [given[row] for row in rows[:size].tolist()]


def test_nothing_is_kept_where_there_is_no_room():
    assert keep_best(np.empty(0), np.empty(0, np.int64), 0, 1.0, 3) == 0


def test_blocks_fill_the_heaps_of_their_queries_with_others_than_themselves():
    rng = np.random.default_rng(0)
    table = rng.integers(5, size=(12, 12)).astype(np.float32)
    queries, shape = np.array([3, 0, 7]), (3, 4)
    scores, rows, sizes = np.empty(shape, np.float32), np.full(shape, -1), np.zeros(3, np.int64)
    for members in (np.array([9, 3, 1]), np.arange(4, 9), np.array([0, 2, 10, 11])):
        for places in (np.array([2, 0]), np.array([1])):
            products = table[queries[places]][:, members]
            keep_best_of_block(products, queries, places, members, (scores, rows, sizes))
    for place, query in enumerate(queries.tolist()):
        best_first(scores[place], rows[place], sizes[place])
        others = {j: float(table[query, j]) for j in range(12) if j != query}
        assert rows[place].tolist() == best(others, 4)
