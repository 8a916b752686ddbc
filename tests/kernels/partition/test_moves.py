"""The sampler's moves: each one, and all together, draw from the enumerated posterior."""

import numpy as np
import pytest
from scipy import stats

from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition import clusters as partitions
from ofakind.kernels.partition import moves as partition
from ofakind.kernels.partition.attraction import attraction
from ofakind.kernels.partition.chain import canonical_rows, revise, sample
from ofakind.kernels.partition.clusters import clusters_of, mass_of
from ofakind.kernels.partition.moves import Prior, sweep_blocks, sweep_objects
from ofakind.posterior.partition.size_prior import PriorGrid, prior_grid, size_tables
from ofakind.similarity import Similarity
from twins.partition_posterior import enumerated, p_value, same_probabilities
from twins.sweeps import plain_sweep_blocks, plain_sweep_objects


def instance(n, density, scale, seed):
    """A random graph of log-likelihood ratios, sparse and as a matrix."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0.3, 1, (n, n)) * scale * (rng.random((n, n)) < density), 1)
    u, v = np.nonzero(weights)
    answered = Similarity.from_pairs(n, u, v, np.ones(len(u)))
    rows = np.repeat(np.arange(n), np.diff(answered.indptr))
    full = weights + weights.T
    return Graph(answered.indptr, answered.indices, full[rows, answered.indices]), full


def one_alpha(n, exponent, at=6, background=0.0):
    """The grid with all weight on one place."""
    log_weights, log_alphas, *_ = prior_grid(n, exponent)
    only = np.full(len(log_weights), -1e9)
    only[at] = 0.0
    return PriorGrid(only, log_alphas, *size_tables(n, exponent, background))


MOVES = {
    "objects": ([0, 1, 2, 3, 4], None),
    "some objects": ([3, 1], None),
    "blocks": ([], 1.0),
    "half": ([], 0.5),
    "pulls": ([], 0.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(("exponent", "background"), [(0.0, 0.0), (0.6, 0.0), (1.0, 0.0), (1.0, -0.8)])
def test_one_move_applied_to_the_posterior_gives_the_posterior(move, exponent, background):
    n, (objects, share) = 5, MOVES[move]
    graph, full = instance(n, 0.8 if background == 0 else 0.4, 1.5, seed=int(10 * exponent))
    grid = one_alpha(n, exponent, background=background)
    prior = Prior(*grid, np.array([6]))
    found, probabilities = enumerated(full, grid)
    rng = np.random.default_rng(7)
    starts = rng.choice(len(found), size=8000, p=probabilities)
    drawn = np.empty((len(starts), n), np.int32)
    for at, start in enumerate(starts):
        clusters = clusters_of(found[start].astype(np.int32))
        if objects:
            sweep_objects(graph, clusters, prior, np.array(objects), np.empty(0), rng)
        else:
            sweep_blocks(graph, clusters, prior, share, rng)
        drawn[at] = clusters.labels
    assert p_value(canonical_rows(drawn), found, probabilities) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 4, 6])
def test_a_chain_draws_from_the_posterior_over_partitions_and_alpha(n):
    graph, full = instance(n, 0.7, 1.2, seed=n)
    grid = prior_grid(n, 1.0)
    found, probabilities = enumerated(full, grid)
    clusters, prior = clusters_of(np.arange(n, dtype=np.int32)), Prior(*grid, np.zeros(1, np.int64))
    same = np.zeros(len(graph.indices))
    drawn, _ = sample(graph, clusters, prior, (50, 20_000, 10), same, np.random.default_rng(n))
    assert p_value(canonical_rows(drawn), found, probabilities) > 1e-4
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    expected = same_probabilities(found, probabilities)[rows, graph.indices]
    np.testing.assert_allclose(same / 20_000, expected, atol=0.015)


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [0.0, 1.0])
@pytest.mark.parametrize("move", [move for move in MOVES if move != "some objects"])
def test_pairs_that_are_ruled_out_are_never_together_and_the_others_as_the_posterior_says(move, exponent):
    n, (objects, share) = 5, MOVES[move]
    graph, full = instance(n, 1.0, 1.5, seed=3)
    for u, v in ((0, 1), (2, 4), (1, 4)):
        full[u, v] = full[v, u] = -np.inf
        for i, j in ((u, v), (v, u)):
            row = slice(graph.indptr[i], graph.indptr[i + 1])
            graph.S[row][graph.indices[row] == j] = -np.inf
    grid = one_alpha(n, exponent)
    prior = Prior(*grid, np.array([6]))
    found, probabilities = enumerated(full, grid)
    possible = probabilities > 0
    found, probabilities = found[possible], probabilities[possible]
    rng = np.random.default_rng(7)
    starts = rng.choice(len(found), size=8000, p=probabilities)
    drawn, same = np.empty((len(starts), n), np.int32), np.zeros(len(graph.indices))
    for at, start in enumerate(starts):
        clusters = clusters_of(found[start].astype(np.int32))
        if objects:
            sweep_objects(graph, clusters, prior, np.array(objects), same, rng)
        else:
            sweep_blocks(graph, clusters, prior, share, rng)
        drawn[at] = clusters.labels
    assert p_value(canonical_rows(drawn), found, probabilities) > 1e-4  # a KeyError for what cannot be
    assert np.all(same[np.isneginf(graph.S)] == 0)


def test_a_partition_with_a_pair_that_is_ruled_out_leaves_it_with_a_visit_to_one_of_the_two():
    graph = Graph(np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1], np.int32), np.full(6, 50.0))
    graph.S[[0, 2]] = -np.inf  # 0 and 1, both drawn to 2 by all means
    prior, rng = Prior(*prior_grid(3, 1.0), np.zeros(1, np.int64)), np.random.default_rng(0)
    for visited in (0, 1):
        labels, _ = revise(graph, np.zeros((50, 3), np.int32), prior, np.array([visited]), rng)
        assert np.all(labels[:, 0] != labels[:, 1])
        assert np.all(labels[:, 2] == labels[:, 1 - visited])


@pytest.mark.parametrize("objects", [[0, 1, 2, 3], [2, 0], [1]])
def test_samples_of_the_posterior_that_are_revised_are_samples_of_it(objects):
    n, rng = 4, np.random.default_rng(5)
    graph, full = instance(n, 0.8, 1.5, seed=2)
    grid = prior_grid(n, 1.0)
    found, probabilities = enumerated(full, grid)
    rows = found[rng.choice(len(found), size=8000, p=probabilities)].astype(np.int32)
    revised, places = revise(graph, rows, Prior(*grid, np.zeros(1, np.int64)), np.array(objects), rng)
    assert p_value(canonical_rows(revised), found, probabilities) > 1e-4
    assert len(np.unique(places)) > 5
    assert (revised != rows).any()


def test_only_the_objects_named_are_revised_and_samples_drawn_without_their_answers_become_like_others():
    """Two groups are known; two objects, of which nothing was known, get answers that say where they are."""
    n, truth = 40, np.arange(40) % 2
    u, v = np.triu_indices(n, 1)
    answered = Similarity.from_pairs(n, u, v, np.where(truth[u] == truth[v], 1.0, -1.0))
    graph = Graph(answered.indptr, answered.indices, 3 * answered.values)
    rng = np.random.default_rng(0)
    rows = np.tile(truth.astype(np.int32), (30, 1))
    rows[:, :2] = rng.integers(4, size=(30, 2))
    rows[:15, 9] = 5  # astray too, but not named
    revised, _ = revise(graph, rows, Prior(*prior_grid(n, 1.0), np.zeros(1, np.int64)), np.array([0, 1]), rng)
    np.testing.assert_array_equal(revised[:, 2:], rows[:, 2:])
    np.testing.assert_array_equal(revised[:, :2], truth[:2] + np.zeros((30, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [0.0, 1.0])
def test_blocks_that_see_only_clusters_they_have_answers_with_keep_the_posterior(monkeypatch, exponent):
    """The rule for very many clusters, made to hold for few: the uncompiled sweep reads SCAN when it runs."""
    monkeypatch.setattr(partition, "SCAN", 0)
    n = 6
    graph, full = instance(n, 0.5, 1.5, seed=4)
    grid = one_alpha(n, exponent)
    prior = Prior(*grid, np.array([6]))
    found, probabilities = enumerated(full, grid)
    rng = np.random.default_rng(3)
    starts = rng.choice(len(found), size=6000, p=probabilities)
    drawn = np.empty((len(starts), n), np.int32)
    for at, start in enumerate(starts):
        clusters = clusters_of(found[start].astype(np.int32))
        sweep_blocks.py_func(graph, clusters, prior, 0.9, rng)
        drawn[at] = clusters.labels
    assert p_value(canonical_rows(drawn), found, probabilities) > 1e-4


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("tries", [1, 50])
def test_an_untouched_cluster_is_drawn_by_its_power_also_when_thinned(monkeypatch, exponent, tries):
    monkeypatch.setattr(partitions, "TRIES", tries)
    labels = np.repeat(np.arange(60), np.arange(60) % 4 + 1).astype(np.int32)
    clusters, power = clusters_of(labels), prior_grid(len(labels), exponent)[2]
    touched = np.zeros(len(labels) + 1, bool)
    touched[::3] = True
    weight = np.where(touched[:60], 0.0, power[clusters.sizes[:60]])
    rng = np.random.default_rng(0)
    draw = partitions.draw_untouched.py_func
    given = (clusters.labels, clusters.sizes, clusters.used, clusters.counts[0])
    prior = (None, clusters.sizes, power, 0.0)
    drawn = [draw(*given, *prior, touched, weight.sum(), rng) for _ in range(6000)]
    counts = np.bincount(drawn, minlength=60)[weight > 0]
    assert counts.sum() == 6000
    assert stats.chisquare(counts, 6000 * weight[weight > 0] / weight.sum()).pvalue > 1e-4


@pytest.mark.parametrize("size", [2, 150, 400])
def test_a_cluster_of_neighbours_holds_together_however_large_it_is_while_others_are_ruled_out(size):
    """What speaks against so many other pairs must not drown what speaks for these."""
    background = -7.0
    pairs = np.stack(np.triu_indices(size, 1), axis=1)
    answered = Similarity.from_pairs(size + 1, pairs[:, 0], pairs[:, 1], np.ones(len(pairs)))
    graph = Graph(answered.indptr, answered.indices, np.full(len(answered.indices), 1.0 - background))
    clusters = clusters_of(np.r_[np.zeros(size, np.int32), np.int32(1)])
    prior = Prior(*one_alpha(size + 1, 1.0, background=background), np.array([6]))
    rng = np.random.default_rng(0)
    for _ in range(20):
        sweep_objects(graph, clusters, prior, np.arange(size + 1), np.empty(0), rng)
        sweep_blocks(graph, clusters, prior, 0.5, rng)
    together = clusters.labels[:size] == clusters.labels[0]
    assert together.mean() > (0.99 if size > 2 else 0)
    assert mass_of(
        clusters, None, clusters.sizes, attraction(prior.powers, background), background
    ) == pytest.approx(sum(m * np.exp(background * m) for m in np.bincount(clusters.labels)), rel=1e-6)


@pytest.mark.parametrize(("exponent", "background"), [(0.0, 0.0), (1.0, 0.0), (0.7, -0.8)])
@pytest.mark.parametrize("forbidden", [0.0, 0.1])
def test_sweeps_are_those_of_the_plain_twin(exponent, background, forbidden):
    for seed in range(12):
        n = 4 + 3 * seed
        graph, _ = instance(n, 0.3, 1.5, seed)
        rows = np.repeat(np.arange(n), np.diff(graph.indptr))
        low, high = np.minimum(rows, graph.indices), np.maximum(rows, graph.indices)
        graph.S[(7 * low + 3 * high) % 10 < 10 * forbidden] = -np.inf  # as pins do
        prior = Prior(*one_alpha(n, exponent, background=background), np.array([6]))
        clusters, objects = clusters_of(np.arange(n, dtype=np.int32) % 5), np.arange(n)[seed % 3 :]
        ours, theirs = np.random.default_rng(seed), np.random.default_rng(seed)
        for share in (0.0, 0.4, 1.0):
            labels, same = clusters.labels.copy(), np.zeros(len(rows))
            clusters = clusters_of(labels)
            sweep_objects(graph, clusters, prior, objects, same, ours)
            expected, together = plain_sweep_objects(graph, labels, prior, objects, theirs)
            np.testing.assert_array_equal(clusters.labels, expected)
            np.testing.assert_allclose(same, together, rtol=1e-9, atol=1e-12)
            clusters = clusters_of(clusters.labels)
            expected = plain_sweep_blocks(graph, expected, prior, share, theirs)
            sweep_blocks(graph, clusters, prior, share, ours)
            np.testing.assert_array_equal(clusters.labels, expected)
            np.testing.assert_array_equal(clusters.sizes[:n], np.bincount(expected, minlength=n + 1)[:n])
        assert ours.random() == theirs.random()
