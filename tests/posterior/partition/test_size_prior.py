"""The prior over partitions: its normaliser, exactly and by the saddle point."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp

from ofakind.pairs import Pairs
from ofakind.posterior.partition import size_prior
from ofakind.posterior.partition.size_prior import (
    blocked_grid,
    log_normaliser,
    prior_grid,
    ruled_out,
    size_tables,
    sparse_log_normaliser,
)
from twins.partition_posterior import slow_log_normaliser, slow_sparse_log_normaliser

ALPHAS = np.array([0.3, 1.0, 7.0, 90.0])
EXPONENTS = [0.0, 0.3, 0.9, 1.0]


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 7])
def test_the_normaliser_is_the_sum_over_all_partitions(n, exponent):
    expected = [slow_log_normaliser(n, alpha, exponent) for alpha in ALPHAS]
    np.testing.assert_allclose(log_normaliser(n, ALPHAS, exponent), expected, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize(("n", "error"), [(200, 0.02), (600, 0.01)])
def test_for_many_objects_the_saddle_point_is_close_to_the_exact_sum(monkeypatch, n, error, exponent):
    quick = log_normaliser(n, ALPHAS, exponent)
    monkeypatch.setattr(size_prior, "PRIOR", replace(size_prior.PRIOR, exact_up_to=n))
    np.testing.assert_allclose(quick, log_normaliser(n, ALPHAS, exponent), atol=error)


def test_with_exponent_one_it_is_the_chinese_restaurant_process():
    n, alpha = 6, 2.0
    rising = np.log(alpha + np.arange(n)).sum()
    assert log_normaliser(n, np.array([alpha]), 1.0)[0] == pytest.approx(rising)


@pytest.mark.parametrize("n", [0, 1, 3, 500])
def test_the_grid_is_finite_and_its_tables_reach_to_n(n):
    log_weights, log_alphas, powers, factors, background = prior_grid(n, 0.5)
    assert background == 0
    assert len(powers) == len(factors) == n + 1
    assert powers[0] == 0
    assert all(np.isfinite(table).all() for table in (log_weights, log_alphas, powers, factors))
    assert np.isfinite(logsumexp(log_weights))


@pytest.mark.parametrize(("n", "largest_step"), [(2_000, 0.4), (2_001, 1 / 44), (100_000, 1 / 316)])
def test_many_objects_have_alphas_that_lie_as_close_as_their_clusters_tell_them_apart(n, largest_step):
    grid = prior_grid(n, 1.0)
    log_weights, log_alphas = grid.log_weights, grid.log_alphas
    assert len(log_weights) == len(log_alphas)
    assert np.diff(log_alphas).max() < largest_step
    assert np.exp(log_alphas[[0, -1]]) == pytest.approx([0.3, n])


@pytest.mark.parametrize("groups", [[], [1], [5], [1, 1, 1], [2, 3], [4, 1, 2]])
def test_with_groups_of_mutual_neighbours_the_sparse_normaliser_is_exact(groups):
    n, group = sum(groups), np.repeat(np.arange(len(groups)), groups)
    neighbours = (group[:, None] == group) & ~np.eye(n, dtype=bool)
    found = sparse_log_normaliser(neighbours.sum(axis=1), ALPHAS)
    np.testing.assert_allclose(found, [slow_sparse_log_normaliser(neighbours, a) for a in ALPHAS], atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_with_any_neighbours_it_is_close_enough_to_find_alpha_by(seed):
    """What counts is how log Z grows with log alpha: the expected number of clusters, up to 12% too low."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((7, 7)) < 0.3, 1)
    neighbours = upper | upper.T
    alphas = ALPHAS[ALPHAS >= 1]
    exact = np.diff([slow_sparse_log_normaliser(neighbours, alpha) for alpha in alphas])
    growth = np.diff(sparse_log_normaliser(neighbours.sum(axis=1), alphas)) / exact
    assert (growth > 0.88).all()
    assert (growth < 1 + 1e-9).all()


@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_without_any_candidate_every_object_is_alone_and_with_all_of_them_it_is_the_usual_prior(n):
    alone = blocked_grid(n, 1.0, Pairs.empty())
    np.testing.assert_allclose(alone[0] + n * alone[1], np.log(np.exp(alone[1])) - np.exp(alone[1]))
    everything = blocked_grid(n, 1.0, Pairs.all(n))
    np.testing.assert_allclose(everything[0], prior_grid(n, 1.0)[0])
    assert all(np.isfinite(table).all() for table in everything)


@pytest.mark.parametrize("n", [2, 50, 10_000])
def test_all_that_is_ruled_out_together_counts_like_one_neighbour(n):
    assert n * np.exp(ruled_out(n)) == pytest.approx(1)
    factors = size_tables(n, 1.0, ruled_out(n))[1]
    assert factors[2] == pytest.approx(ruled_out(n))


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("n", [10, 100])
def test_before_any_answer_alpha_has_the_density_of_an_exponential_from_0_3_on(n, exponent):
    grid = prior_grid(n, exponent)
    alphas = np.exp(grid.log_alphas)
    logs = grid.log_weights + log_normaliser(n, alphas, exponent)
    assert np.exp(logs - logsumexp(logs)) @ alphas == pytest.approx(1.3, abs=0.1)  # its mean is 0.3 + 1
