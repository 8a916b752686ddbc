"""With ties, moves and probabilities are those of the enumerated posterior, in which ties join units."""

import numpy as np
import pytest
from scipy.special import gammaln

from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.graph.union_find import spanning_forest
from ofakind.kernels.partition.chain import canonical_rows, revise, sample
from ofakind.kernels.partition.clusters import clusters_of
from ofakind.kernels.partition.moves import Prior, sweep_blocks, sweep_objects
from ofakind.kernels.partition.placing import Replies, Sample, questions_to_place
from ofakind.kernels.partition.same_cluster import probability_against, probability_against_common
from ofakind.kernels.partition.ties import Ties, log_joined, log_places, log_return
from ofakind.posterior.partition.size_prior import PriorGrid, prior_grid, size_tables
from ofakind.similarity import Similarity
from twins import placing
from twins.partition_posterior import p_value, same_probabilities
from twins.sweeps import plain_sweep_blocks, plain_sweep_objects
from twins.ties import TiedPrior, enumerated_with_ties, places, random_forest

AT = 6  # the place in the grid of the only alpha, where there is one


def instance(n, exponent, background, seed, *, every_alpha=False, room=None):
    """A random graph, a forest of some of its pairs, and a prior."""
    rng = np.random.default_rng(seed)
    full = np.triu(rng.normal(0.3, 1.2, (n, n)) * (rng.random((n, n)) < 0.8), 1)
    u, v = np.nonzero(full)
    answered = Similarity.from_pairs(n, u, v, np.ones(len(u)))
    full = full + full.T
    rows = np.repeat(np.arange(n), np.diff(answered.indptr))
    graph = Graph(answered.indptr, answered.indices, full[rows, answered.indices])
    edges = random_forest(np.stack([u, v], axis=1), n, rng, 1 + seed % max(n - 1, 1))
    grid = prior_grid(n, exponent, n - len(edges))
    weights = grid.log_weights
    if not every_alpha:
        weights = np.where(np.arange(len(weights)) == AT, 0.0, -1e9)
    grid = PriorGrid(weights, grid.log_alphas, *size_tables(n, exponent, background))
    prior = TiedPrior(grid, exponent, edges, n if room is None else room)
    return graph, full, prior


def drawn_from(graph, prior, move, starts, rng):
    """Partitions after one move each."""
    kernel = Prior(*prior.grid, np.array([AT]), prior.kernel(graph))
    found = np.empty((len(starts), starts.shape[1]), np.int32)
    for at, start in enumerate(starts):
        clusters = clusters_of(start.astype(np.int32))
        if move == "objects":
            sweep_objects(graph, clusters, kernel, np.arange(starts.shape[1]), np.empty(0), rng)
        else:
            sweep_blocks(graph, clusters, kernel, move, rng)
        found[at] = clusters.labels
    return canonical_rows(found)


@pytest.mark.slow
@pytest.mark.parametrize("move", ["objects", 1.0, 0.5, 0.0])
@pytest.mark.parametrize(
    ("exponent", "background", "room", "seed"),
    [(1.0, 0.0, 5, 2), (0.5, 0.0, 5, 3), (1.0, -0.8, 2, 4), (0.0, 0.0, 5, 7)],
)
def test_one_move_applied_to_the_posterior_gives_the_posterior(move, exponent, background, room, seed):
    graph, full, prior = instance(5, exponent, background, seed, room=room)
    found, probabilities = enumerated_with_ties(full, prior)
    rng = np.random.default_rng(seed)
    starts = found[rng.choice(len(found), size=4000, p=probabilities)]
    assert p_value(drawn_from(graph, prior, move, starts, rng), found, probabilities) > 1e-4


@pytest.mark.parametrize(("exponent", "background"), [(0.0, 0.0), (1.0, 0.0), (0.7, -0.4)])
@pytest.mark.parametrize("seed", [0, 3, 6, 9])
def test_sweeps_are_those_of_the_plain_twin(seed, exponent, background):
    n = 3 + 2 * seed
    graph, _, tied = instance(n, exponent, background, seed, room=[n, 3][seed % 2])
    prior = Prior(*tied.grid, np.array([AT]), tied.kernel(graph))
    clusters, objects = clusters_of(np.arange(n, dtype=np.int32) % 4 % n), np.arange(n)[seed % 3 :]
    ours, theirs = np.random.default_rng(seed), np.random.default_rng(seed)
    for share in (0.0, 0.4, 1.0):
        labels, same = clusters.labels.copy(), np.zeros(len(graph.indices))
        clusters = clusters_of(labels)
        sweep_objects(graph, clusters, prior, objects, same, ours)
        expected, together = plain_sweep_objects(graph, labels, prior, objects, theirs, tied)
        np.testing.assert_array_equal(clusters.labels, expected)
        np.testing.assert_allclose(same, together, rtol=1e-9, atol=1e-12)
        clusters = clusters_of(clusters.labels)
        sweep_blocks(graph, clusters, prior, share, ours)
        np.testing.assert_array_equal(
            clusters.labels, plain_sweep_blocks(graph, expected, prior, share, theirs, tied)
        )


@pytest.mark.parametrize(("exponent", "background"), [(1.0, 0.0), (0.5, 0.0), (1.0, -0.5)])
def test_ties_of_which_there_are_none_change_nothing(exponent, background):
    n, drawn = 90, []
    graph, _, prior = instance(n, exponent, background, 1, every_alpha=True)
    graph.S[:] = graph.S * 2 - 2  # many clusters
    for ties in (None, Ties(np.zeros(len(graph.indices), bool), 0, n)):
        clusters, same = clusters_of(np.arange(n, dtype=np.int32)), np.zeros(len(graph.indices))
        rng, kernel = np.random.default_rng(0), Prior(*prior.grid, np.zeros(1, np.int64), ties)
        found = sample(graph, clusters, kernel, (5, 10, 2), same, rng)
        objects = np.arange(0, n, 2)
        drawn.append([*found, same, *revise(graph, found[0] % n, kernel, objects, rng)])
    for without, none in zip(*drawn, strict=True):
        np.testing.assert_array_equal(without, none)


@pytest.mark.slow
@pytest.mark.parametrize(("exponent", "background"), [(1.0, 0.0), (0.5, 0.0), (1.0, -0.5)])
@pytest.mark.parametrize("n", [2, 4, 6])
def test_a_chain_draws_from_the_posterior_over_partitions_and_alpha(n, exponent, background):
    graph, full, prior = instance(n, exponent, background, n + 1, every_alpha=True)
    found, probabilities = enumerated_with_ties(full, prior)
    clusters = clusters_of(np.arange(n, dtype=np.int32))
    kernel = Prior(*prior.grid, np.zeros(1, np.int64), prior.kernel(graph))
    same = np.zeros(len(graph.indices))
    drawn, _ = sample(graph, clusters, kernel, (50, 20_000, 10), same, np.random.default_rng(n))
    assert p_value(canonical_rows(drawn), found, probabilities) > 1e-4
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    expected = same_probabilities(found, probabilities)[rows, graph.indices]
    np.testing.assert_allclose(same / 20_000, expected, atol=0.015)


@pytest.mark.slow
def test_samples_of_the_posterior_that_are_revised_are_samples_of_it():
    graph, full, prior = instance(5, 1.0, 0.0, 3, every_alpha=True)
    found, probabilities = enumerated_with_ties(full, prior)
    rng = np.random.default_rng(5)
    rows = found[rng.choice(len(found), size=8000, p=probabilities)].astype(np.int32)
    kernel = Prior(*prior.grid, np.zeros(1, np.int64), prior.kernel(graph))
    revised, _ = revise(graph, rows, kernel, np.array([2, 0, 4]), rng)
    assert p_value(canonical_rows(revised), found, probabilities) > 1e-4


@pytest.mark.parametrize(("exponent", "background"), [(1.0, 0.0), (0.5, 0.0), (0.5, -0.7)])
@pytest.mark.parametrize("seed", range(3))
def test_the_probability_of_joining_each_cluster_is_that_of_the_prior_and_the_pairs(
    seed, exponent, background
):
    n, rng = 7, np.random.default_rng(seed)
    graph, full, prior = instance(n, exponent, background, seed, every_alpha=True)
    labels = canonical_rows(rng.integers(3, size=(4, n)).astype(np.int32))
    places_of = rng.integers(len(prior.grid.log_alphas), size=4)
    alphas = np.exp(prior.grid.log_alphas[places_of])
    tables = size_tables(n, exponent, background)
    everybody, others = np.arange(n), np.tile(np.arange(n), n)
    starts = np.arange(n + 1) * n
    ties = prior.kernel(graph)
    found = probability_against(graph, labels, alphas, tables, ties, everybody, starts, others)
    expected = np.zeros((n, n))
    for row, alpha in zip(labels, places_of, strict=True):
        for item in range(n):
            rest = np.unique(np.delete(row, item), return_inverse=True)[1]
            likely = places(full, prior, row, item, alpha)
            expected[item, everybody != item] += likely[rest] / 4
    common = probability_against_common(graph, labels, alphas, tables, ties, everybody, everybody)
    np.testing.assert_allclose(common.ravel(), found, rtol=1e-12)
    off = ~np.eye(n, dtype=bool)
    np.testing.assert_allclose(found.reshape(n, n)[off], expected[off], atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_questions_to_place_an_object_start_from_its_probabilities(seed):
    n, rng = 7, np.random.default_rng(seed)
    graph, full, prior = instance(n, 1.0, 0.0, seed, every_alpha=True)
    labels = canonical_rows(rng.integers(3, size=(1, n)).astype(np.int32))[0]
    same, different, nats = np.array([0.2, 0.8]), np.array([0.7, 0.3]), np.linspace(0, 1, 1001)
    nats = np.minimum(nats, 1 - nats)
    grid, alpha = prior.grid, float(np.exp(prior.grid.log_alphas[AT]))
    replies = Replies(np.cumsum(same), np.cumsum(different), same / different, nats)
    found = questions_to_place(
        graph,
        Sample(labels, alpha, grid.powers, prior.kernel(graph)),
        np.arange(n),
        replies,
        (0.97, 200),
        np.random.default_rng(seed),
    )
    again, expected = np.random.default_rng(seed), []
    for item in range(n):
        rest = np.unique(np.delete(labels, item))
        likely = places(full, prior, labels, item, AT)
        belief = np.zeros(labels.max() + 2)
        belief[rest], belief[-1] = likely[:-1], likely[-1]
        expected.append(
            placing.questions(
                belief,
                labels[item],
                same,
                different,
                sure=0.97,
                most=200,
                information=lambda p: min(p, 1 - p),
                rng=again,
            )
        )
    assert found.tolist() == expected


def test_what_ties_give_adds_up_however_many_they_are():
    ties = Ties(np.ones(1, bool), 9, 6)
    for free, d in ((9, 1), (9, 4), (20, 9)):
        one_by_one = sum(log_return(ties, 1.7, free - j, 1) for j in range(d))
        assert log_return(ties, 1.7, free, d) == pytest.approx(one_by_one)
    power = np.arange(30.0) ** 0.4
    assert log_joined(power, 9, 3) == pytest.approx(0.4 * (gammaln(7) - gammaln(10)))
    assert log_places(2.5, 8, 99) == pytest.approx(gammaln(10.5))


@pytest.mark.parametrize("size", [2, 40, 3000])
def test_an_object_with_ties_to_everybody_stays_with_them(size):
    """What very many ties take from the prior and what they give must not drown each other."""
    hub = np.zeros(size - 1, np.int64)
    answered = Similarity.from_pairs(size, hub, np.arange(1, size), np.ones(size - 1))
    graph = Graph(answered.indptr, answered.indices, np.full(len(answered.indices), 3.0))
    ties = Ties(np.ones(len(graph.indices), bool), size - 1, size)
    prior = Prior(*prior_grid(size, 1.0, 1), np.zeros(1, np.int64), ties)
    for start in (np.zeros(size, np.int32), np.arange(size, dtype=np.int32)):
        labels, _ = sample(
            graph,
            clusters_of(start),
            prior,
            (60, 20, 1),
            np.zeros(len(graph.indices)),
            np.random.default_rng(0),
        )
        assert (labels == labels[:, :1]).mean() > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_a_forest_takes_the_first_edges_that_join_something(seed):
    n, rng = 9, np.random.default_rng(seed)
    u, v = rng.integers(n, size=(2, 15))
    kept, part = spanning_forest(n, u, v)
    parts = list(range(n))
    for one, other, taken in zip(u, v, kept, strict=True):
        assert taken == (parts[one] != parts[other])
        parts = [parts[one] if each == parts[other] else each for each in parts]
    same = np.equal.outer(parts, parts)
    np.testing.assert_array_equal(np.equal.outer(part, part), same)
