"""Pair probabilities and entropies agree with the textbook formulas."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.kernels.field.pair_entropy import (
    all_pair_entropy,
    binary_entropy,
    pair_entropy,
    same_probability,
)
from ofakind.pairs import Pairs
from twins.selection import dense_entropy, entropy_of, random_q


@given(st.floats(min_value=0, max_value=1))
def test_the_entropy_of_a_coin_is_the_textbook_formula(p):
    h = binary_entropy(p)
    assert 0 <= h <= math.log(2)
    assert h == pytest.approx(float(entropy_of(p)), rel=0, abs=1e-15)


@pytest.mark.parametrize("p", [0.0, 1.0, -1e-17, 1 + 1e-15])
def test_a_certain_coin_has_exactly_no_entropy(p):
    assert math.copysign(1, binary_entropy(p)) == 1
    assert binary_entropy(p) == 0


@pytest.mark.parametrize("k", [1, 2, 3, 10, 37])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 50])
def test_all_pairs_come_in_order_of_rank(n, k):
    q = random_q(n, k, np.random.default_rng([n, k]), confident=0.5)
    expected = dense_entropy(q)[np.triu_indices(n, 1)]
    np.testing.assert_allclose(all_pair_entropy(q), expected, atol=1e-13)
    pairs = Pairs.all(n)
    np.testing.assert_allclose(pair_entropy(q, pairs.u, pairs.v), expected, atol=1e-13)


@pytest.mark.parametrize("k", [1, 4, 10])
def test_given_pairs_in_any_order_agree_with_the_matrix(k):
    rng = np.random.default_rng(k)
    q = random_q(30, k, rng, confident=0.3)
    u, v = rng.integers(30, size=(2, 200))
    np.testing.assert_allclose(same_probability(q, u, v), (q @ q.T)[u, v], atol=1e-15)
    np.testing.assert_allclose(pair_entropy(q, u, v), dense_entropy(q)[u, v], atol=1e-13)


def test_probabilities_never_leave_the_unit_interval():
    q = np.array([[1 + 1e-12, 0.0], [1.0, 1e-13], [-1e-12, 1.0]])
    u, v = np.array([0, 0, 1]), np.array([1, 2, 2])
    p = same_probability(q, u, v)
    assert p.min() >= 0
    assert p.max() <= 1
    assert np.all(np.isfinite(pair_entropy(q, u, v)))
    assert np.all(np.isfinite(all_pair_entropy(q)))


def test_certain_objects_make_exactly_certain_pairs():
    q = np.eye(3)[[0, 0, 1, 2]]
    assert np.all(all_pair_entropy(q) == 0)


def test_an_array_that_cannot_be_written_is_read():
    q = random_q(6, 3, np.random.default_rng(0))
    expected = all_pair_entropy(q)
    q.flags.writeable = False
    np.testing.assert_array_equal(all_pair_entropy(q), expected)
