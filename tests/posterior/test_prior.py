"""The prior over partitions: its normaliser, exactly and by the saddle point."""

import numpy as np
import pytest
from scipy.special import logsumexp

from ofakind.posterior import prior
from ofakind.posterior.prior import log_normaliser, prior_grid
from twins.partition_posterior import slow_log_normaliser

ALPHAS = np.array([0.3, 1.0, 7.0, 90.0])
EXPONENTS = [0.0, 0.3, 0.9, 1.0]


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 7])
def test_the_normaliser_is_the_sum_over_all_partitions(n, exponent):
    expected = [slow_log_normaliser(n, alpha, exponent) for alpha in ALPHAS]
    np.testing.assert_allclose(log_normaliser(n, ALPHAS, exponent), expected, atol=1e-9)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize(("n", "error"), [(200, 0.02), (600, 0.01)])
def test_for_many_objects_the_saddle_point_is_close_to_the_exact_sum(monkeypatch, n, error, exponent):
    quick = log_normaliser(n, ALPHAS, exponent)
    monkeypatch.setattr(prior, "SMALL", n)
    np.testing.assert_allclose(quick, log_normaliser(n, ALPHAS, exponent), atol=error)


def test_with_exponent_one_it_is_the_chinese_restaurant_process():
    n, alpha = 6, 2.0
    rising = np.log(alpha + np.arange(n)).sum()
    assert log_normaliser(n, np.array([alpha]), 1.0)[0] == pytest.approx(rising)


@pytest.mark.parametrize("n", [0, 1, 3, 500])
def test_the_grid_is_finite_and_its_tables_reach_to_n(n):
    log_weights, log_alphas, powers, factors = prior_grid(n, 0.5)
    assert len(powers) == len(factors) == n + 1
    assert powers[0] == 0
    assert all(np.isfinite(table).all() for table in (log_weights, log_alphas, powers, factors))
    assert np.isfinite(logsumexp(log_weights))
