"""Chains of forests draw from the enumerated posterior of partitions."""

import numpy as np
import pytest

from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.chain import canonical_rows
from ofakind.kernels.partition.forest import forest_at, forest_in, labels_of, tree_prior
from ofakind.kernels.partition.forest_chain import (
    links_outside,
    prior_same,
    revise_forests,
    sample_forests,
)
from twins import forest as twin
from twins.forest_instances import INSTANCES, RESOLVED, Instance, graph_of, instance
from twins.partition_posterior import p_value, same_probabilities

NOTHING = np.empty(0), np.empty(0)


def alone(n):
    return forest_at(np.full(n, -1, np.int32))


def drawn(made, plan, rng):
    """Samples of a chain that begins with all objects alone, and the mean P(same) of both graphs' slots."""
    n, same = len(made.f), (np.zeros(len(made.prior.candidates.indices)), np.zeros(len(made.answers.indices)))
    found = sample_forests(made.prior, made.answers, alone(n), plan, same, rng)
    return (*found, same[0] / plan[1], same[1] / plan[1])


def total_variation(rows, found, probabilities):
    number = {tuple(labels): at for at, labels in enumerate(found)}
    counts = np.bincount([number[tuple(row)] for row in rows], minlength=len(found))
    return abs(counts / len(rows) - probabilities).sum() / 2


def of_slots(graph, matrix):
    return matrix[np.repeat(np.arange(len(matrix)), np.diff(graph.indptr)), graph.indices]


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 6])
@pytest.mark.parametrize("name", [*INSTANCES, *RESOLVED])
def test_a_chain_draws_from_the_posterior_and_gives_p_same(name, n):
    """By total variation, which may be what as many independent draws give: mean and five deviations.

    Samples ten sweeps apart still depend a little on each other: so they may count for half.
    """
    draws, rng = 40_000, np.random.default_rng([n, 3])
    made = instance(name, n, seed=7)
    found, probabilities = twin.enumerated(made.f, made.w, made.resolution)
    labels, parents, outside, of_candidates, of_answers = drawn(made, (100, draws, 10), rng)
    rows = canonical_rows(labels)
    np.testing.assert_array_equal(rows, labels_of(parents))
    independent = [
        abs(rng.multinomial(draws // 2, probabilities) / (draws // 2) - probabilities).sum() / 2
        for _ in range(200)
    ]
    assert total_variation(rows, found, probabilities) < np.mean(independent) + 5 * np.std(independent)
    expected = same_probabilities(found, probabilities)
    np.testing.assert_allclose(of_candidates, of_slots(made.prior.candidates, expected), atol=0.012)
    np.testing.assert_allclose(of_answers, of_slots(made.answers, expected), atol=0.012)
    assert np.all(of_answers[np.isneginf(made.answers.S)] == 0)
    linked = np.zeros((n, n), bool)
    linked[np.repeat(np.arange(n), np.diff(made.prior.candidates.indptr)), made.prior.candidates.indices] = (
        True
    )
    for row, count in zip(parents[:200], outside[:200], strict=True):
        assert sum(j != -1 and not linked[i, j] for i, j in enumerate(row)) == count
        assert links_outside(made.prior.candidates, row) == count


@pytest.mark.slow
@pytest.mark.parametrize("f", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("split", [0.0, 0.5, 1.0])
def test_equal_weights_of_all_pairs_give_the_restaurant_process_whether_candidates_or_not(f, split):
    n, (u, v) = 5, np.triu_indices(5, 1)
    prior = tree_prior(graph_of(n, u, v, np.full(len(u), f * (1 - split))), f * split)
    made = Instance(prior, graph_of(n, u[:0], v[:0], np.empty(0)), np.full((n, n), f), np.zeros((n, n)))
    labels, *_ = drawn(made, (100, 20_000, 5), np.random.default_rng(1))
    found, _ = twin.enumerated(made.f, made.w, made.resolution)
    assert p_value(canonical_rows(labels), found, twin.crp(n, 1 / f)) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["background", "ruled out"])
def test_the_order_of_objects_does_not_matter(name):
    n, rng = 5, np.random.default_rng(0)
    made, order = instance(name, n, seed=1), rng.permutation(n)
    turned = Instance(
        tree_prior(permuted(made.prior.candidates, order), made.prior.f_bg),
        permuted(made.answers, order),
        made.f[np.ix_(order, order)],
        made.w[np.ix_(order, order)],
    )
    labels, *_ = drawn(turned, (100, 20_000, 5), rng)
    found, probabilities = twin.enumerated(made.f, made.w, made.resolution)
    back = labels[:, np.argsort(order)]
    assert p_value(canonical_rows(back), found[probabilities > 0], probabilities[probabilities > 0]) > 1e-4


def permuted(graph, order):
    """The graph whose object at place a is order[a]."""
    place, n = np.argsort(order), len(order)
    u, v = np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices
    once = place[u] < place[v]
    u, v, values = place[u][once], place[v][once], graph.S[once]
    rank = np.lexsort((v, u))
    return graph_of(n, u[rank], v[rank], values[rank])


def test_the_same_random_numbers_give_the_same_samples_and_others_do_not():
    made = instance("background", 6, seed=0)
    first, second, third = (drawn(made, (5, 30, 2), np.random.default_rng(seed)) for seed in (1, 1, 2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (first[1] != third[1]).any()


@pytest.mark.parametrize("n", [0, 1])
def test_no_objects_and_one_object(n):
    made = instance("background", n, seed=0)
    labels, parents, outside, *_ = drawn(made, (2, 3, 1), np.random.default_rng(0))
    assert labels.shape == parents.shape == (3, n)
    assert np.all(parents == -1)
    assert np.all(outside == 0)
    assert not prior_same(made.prior, alone(n), 3, np.random.default_rng(0)).any()


@pytest.mark.parametrize("f_bg", [0.0, 1e-12, 0.1])
def test_very_strong_answers_and_weights_are_no_trouble(f_bg):
    """Answers of thousands of nats, also with a cluster that no candidate leads to; f of 1e-12 and 1e12."""
    n, u, v = 6, np.array([0, 1, 3, 0, 2]), np.array([1, 2, 4, 5, 3])
    prior = tree_prior(graph_of(n, *sorted_pairs(u, v), np.array([1e12, 1.0, 1e-12, 1e-12, 1e-12])), f_bg)
    pairs = np.array([[0, 1], [0, 3], [0, 5], [1, 2], [2, 4], [3, 4]])
    answers = graph_of(
        n, pairs[:, 0], pairs[:, 1], np.array([-30.0, 3000.0, -3000.0, 2000.0, -np.inf, 900.0])
    )
    labels, *_ = sample_forests(prior, answers, alone(n), (200, 50, 1), NOTHING, np.random.default_rng(0))
    assert np.all(labels[:, 2] != labels[:, 4])
    assert np.all(labels[:, 0] != labels[:, 5])
    assert np.all(labels[:, 1] == labels[:, 2])
    if f_bg > 0:  # nothing but the background, and what speaks for it, leads from 0 to 3
        assert np.all(labels[:, 0] == labels[:, 3])


def sorted_pairs(u, v):
    rank = np.lexsort((v, u))
    return u[rank], v[rank]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["background", "candidates", "ruled out"])
def test_a_chain_that_goes_on_from_labels_forgets_them(name):
    n, rng = 5, np.random.default_rng(9)
    made = instance(name, n, seed=3)
    found, probabilities = twin.enumerated(made.f, made.w, made.resolution)
    rows = []
    for _ in range(4000):
        parent = forest_in(made.prior, made.answers, rng.integers(2, size=n), rng)
        labels, *_ = sample_forests(made.prior, made.answers, forest_at(parent), (20, 1, 1), NOTHING, rng)
        rows.append(labels[0])
    possible = probabilities > 0
    assert p_value(canonical_rows(np.array(rows)), found[possible], probabilities[possible]) > 1e-4


def test_only_what_hangs_at_the_objects_named_is_revised():
    n, rng = 30, np.random.default_rng(0)
    made = instance("background", n, seed=0)
    _, parents, _ = sample_forests(made.prior, made.answers, alone(n), (20, 50, 3), NOTHING, rng)
    labels, revised = revise_forests(made.prior, made.answers, parents, np.array([4, 7]), rng)
    others = np.setdiff1d(np.arange(n), [4, 7])
    np.testing.assert_array_equal(revised[:, others], parents[:, others])
    assert (revised[:, [4, 7]] != parents[:, [4, 7]]).any()
    np.testing.assert_array_equal(canonical_rows(labels), labels_of(revised))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["background", "candidates", "complete", "huge and tiny"])
def test_the_priors_own_chain_gives_candidates_what_the_enumeration_does(name):
    n = 5
    made = instance(name, n, seed=2)
    expected = same_probabilities(*twin.enumerated(made.f, np.zeros((n, n)), made.resolution))
    rng, forest = np.random.default_rng(0), alone(n)
    prior_same(made.prior, forest, 50, rng)
    found = prior_same(made.prior, forest, 60_000, rng)
    np.testing.assert_allclose(found, of_slots(made.prior.candidates, expected), atol=0.012)


@pytest.mark.slow
def test_in_many_small_groups_the_work_of_a_sweep_does_not_grow_with_their_number():
    """Unmet clusters are one choice: with and without a background, the same number of random numbers."""
    n, rng = 20_000, np.random.default_rng(0)
    u = np.arange(0, n, 2)
    candidates = graph_of(n, u, u + 1, np.full(len(u), 1.5))
    answers = Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    found = prior_same(tree_prior(candidates, 0.0), alone(n), 20, rng).mean()
    assert found == pytest.approx(1.5 / 2.5, abs=0.01)
    forest = alone(n)
    labels, _, outside = sample_forests(
        tree_prior(candidates, 0.5 / n), answers, forest, (20, 5, 5), NOTHING, rng
    )
    assert 0 < outside.mean() < 0.5 * n
    assert np.bincount(labels[-1]).max() < 100
