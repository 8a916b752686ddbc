import numpy as np
import pytest

from ofakind.arrays import shuffled


@pytest.mark.parametrize("n", [0, 1, 63, 9_999, 10_000, 10_001, 20_031])
def test_every_row_is_in_a_shuffled_order_once(n):
    order = shuffled(n, np.random.default_rng(n))
    assert np.array_equal(np.sort(order), np.arange(n))
    if n >= 63:
        assert not np.array_equal(order, np.arange(n))


def test_few_rows_are_shuffled_one_by_one_and_many_in_runs_of_64():
    few = shuffled(9_999, np.random.default_rng(1))
    assert np.array_equal(few, np.random.default_rng(1).permutation(9_999))
    many = shuffled(10_000, np.random.default_rng(1))
    assert np.count_nonzero(np.diff(many) != 1) < 10_000 // 64 + 1
    assert many[0] % 64 == 0
