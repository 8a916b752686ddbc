"""Forests as data, and the prior of trees by enumeration."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition import forest as kernels
from ofakind.kernels.partition.chain import canonical_rows
from ofakind.kernels.partition.forest import (
    LINEAR_BEYOND,
    forest_at,
    forest_in,
    labels_of,
    size_weights,
    tree_prior,
)
from twins import forest as twin
from twins.forest_instances import INSTANCES, graph_of, instance
from twins.partition_posterior import same_probabilities


def no_answers(n):
    return graph_of(n, np.empty(0, int), np.empty(0, int), np.empty(0))


def random_parents(n, rng):
    """Each object in a random order gets a parent before it, or none."""
    parent, order = np.full(n, -1, np.int32), rng.permutation(n)
    for at in range(1, n):
        if rng.random() < 0.8:
            parent[order[at]] = order[rng.integers(at)]
    return parent


def assert_sound(forest):
    """All that is kept besides the parents follows from them."""
    n = len(forest.parent)
    labels = twin.clusters_of(forest.parent.tolist())
    np.testing.assert_array_equal(canonical_rows(forest.labels[None])[0], labels)
    np.testing.assert_array_equal(forest.sizes, np.bincount(forest.labels, minlength=n + 1))
    for i in range(n):
        children, j, before = [], forest.child[i], -1
        while j != -1:
            assert forest.previous[j] == before
            children.append(j)
            before, j = j, forest.following[j]
        assert sorted(children) == np.flatnonzero(forest.parent == i).tolist()
    unused = forest.unused[: forest.free[0]].tolist()
    assert sorted(unused) == np.flatnonzero(forest.sizes == 0).tolist()


# -- the prior ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("f", [0.05, 1.0, 7.0])
def test_equal_weights_are_the_restaurant_process(n, f):
    _, probabilities = twin.enumerated(np.full((n, n), f), np.zeros((n, n)))
    np.testing.assert_allclose(probabilities, twin.crp(n, 1 / f), atol=3e-15)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_p_of_a_candidate_is_f_over_1_plus_f_where_all_are_candidates(n):
    found, probabilities = twin.enumerated(np.full((n, n), 0.6), np.zeros((n, n)))
    assert same_probabilities(found, probabilities)[0, 1] == pytest.approx(0.6 / 1.6)


@pytest.mark.parametrize("seed", range(3))
def test_trees_are_summed_as_by_the_matrix_tree_theorem_and_forests_add_up_to_partitions(seed):
    made = instance("background", 5, seed)
    for members in ([0, 1], [1, 3, 4], [0, 1, 2, 4], [0, 1, 2, 3, 4]):
        expected = twin.tree_sum_by_determinant(made.f, members)
        assert twin.tree_sum(made.f, members) == pytest.approx(expected)
    made = instance("background", 4, seed)
    found, probabilities = twin.enumerated(made.f, made.w, made.resolution)
    number, total = {tuple(row): at for at, row in enumerate(found)}, np.zeros(len(found))
    for parent in twin.forests(4):
        total[number[tuple(twin.clusters_of(parent))]] += twin.forest_weight(made.f, made.w, parent)
    np.testing.assert_allclose(total / total.sum(), probabilities)


def test_h_is_by_size_precise_for_many_objects_and_its_logarithm_is_concave():
    n = 200_000
    h = tree_prior(Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0)), 0.1).h
    assert len(h) == n + 1
    m = np.arange(1.0, n + 1)
    np.testing.assert_allclose(h[1:], np.exp(gammaln(m) + (m - 1) - (m - 1) * np.log(m)), rtol=1e-8)
    assert [h[k] for k in (1, 2, 3, 7)] == pytest.approx([twin.h(k) for k in (1, 2, 3, 7)])
    assert np.all(np.diff(h[1:]) > 0)
    assert np.all(np.diff(np.log(h[1:2000]), 2) < 0)
    assert [len(tree_prior(no_answers(k), 0.0).h) for k in (0, 1, 2)] == [2, 2, 3]


# -- forests -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_cutting_grafting_and_turning_keep_a_forest_sound(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 15))
    forest, S = forest_at(random_parents(n, rng)), np.empty(n, np.int32)
    assert_sound(forest)
    for _ in range(60):
        i = int(rng.integers(n))
        before = forest.parent.tolist()
        s = kernels.gather(forest, i, S, n)
        assert S[0] == i
        assert sorted(S[:s].tolist()) == sorted(twin.branch(before, i))
        kernels.cut(forest, S[:s])
        v = int(S[rng.integers(s)])
        kernels.reroot(forest, v)
        assert forest.parent.tolist() == list(twin.rerooted(before, i, v))
        others = np.setdiff1d(np.arange(n), S[:s])
        if len(others) and rng.random() < 0.8:
            j = int(rng.choice(others))
            kernels.graft(forest, S[:s], v, j)
            assert forest.parent[v] == j
        assert_sound(forest)


def test_labels_of_forests_are_numbered_as_they_appear():
    rng = np.random.default_rng(0)
    rows = np.array([random_parents(9, rng) for _ in range(50)])
    np.testing.assert_array_equal(labels_of(rows), [twin.clusters_of(row.tolist()) for row in rows])
    assert labels_of(np.empty((3, 0), np.int32)).shape == (3, 0)


@pytest.mark.parametrize("name", INSTANCES)
def test_a_forest_in_a_partition_has_its_clusters_as_far_as_that_can_be(name):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 12))
        made, labels = instance(name, n, seed), rng.integers(3, size=n)
        forest = forest_at(forest_in(made.prior, made.answers, labels, rng))
        assert_sound(forest)
        together, wanted = np.equal.outer(forest.labels, forest.labels), np.equal.outer(labels, labels)
        assert not (together & ~wanted).any()
        assert not (together & np.isneginf(made.w)).any()
        assert all(made.f[i, j] > 0 for i, j in enumerate(forest.parent) if j != -1)
        sizes = np.bincount(forest.labels, minlength=n + 1)[forest.labels]
        stays = ~((wanted & np.isneginf(made.w)).any(axis=1) & (sizes == 1))
        reachable = np.linalg.matrix_power(((made.f > 0) & wanted) + np.eye(n, dtype=int), n) > 0
        if not np.isneginf(made.w).any():
            np.testing.assert_array_equal(together, reachable)
        elif made.prior.f_bg > 0:
            assert together[np.ix_(stays, stays)].sum() == wanted[np.ix_(stays, stays)].sum()


def test_any_object_may_be_the_root_and_heavy_links_are_likelier():
    n, rng = 3, np.random.default_rng(0)
    prior = tree_prior(graph_of(n, np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([9.0, 9.0, 0.1])), 0.0)
    rows = np.array([forest_in(prior, no_answers(n), np.zeros(n, int), rng) for _ in range(3000)])
    assert stats.chisquare(np.bincount(np.argmin(rows, axis=1))).pvalue > 1e-4
    star = ((rows[:, 1] == 0) | (rows[:, 0] == 1)) & ((rows[:, 2] == 0) | (rows[:, 0] == 2))
    assert star.mean() > 0.9


@pytest.mark.parametrize("resolution", [0.0, 0.1, 1.0])
def test_a_resolution_gives_each_link_a_factor_that_falls_with_the_size_of_its_cluster(resolution):
    plain, weighed = size_weights(50, 0.0), size_weights(50, resolution)
    size = np.arange(1, 51)
    expected = (LINEAR_BEYOND * np.e / size) ** (resolution * (size - 1))
    np.testing.assert_allclose(weighed[1:] / plain[1:], expected, rtol=1e-9)


def test_however_many_objects_there_are_sizes_have_finite_weights_whose_logarithm_is_concave():
    """The draw of clusters that are not met relies on it."""
    h = size_weights(60_000, 0.1)
    assert np.isfinite(h).all()
    assert (h > 0).all()
    assert (np.diff(np.log(h[1:]), 2) <= 1e-9).all()
