"""With pins, samples come from the posterior over the partitions that break none: enumerated for a few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.answers import Answers
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.chain import canonical_rows, sample
from ofakind.kernels.partition.clusters import clusters_of
from ofakind.kernels.partition.moves import Prior
from ofakind.noise.calibration import CALIBRATION, Calibration, pair_weights
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.partition.answer_graph import AnswerGraph, on_units
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.loop import grid_of
from ofakind.posterior.partition.size_prior import prior_grid
from twins.partition_posterior import p_value, same_probabilities
from twins.pins import enumerated_with_pins, fits, pinned, random_pins

FIXED = Calibration.fixed(CALIBRATION.slope)
PLAIN = PartitionBelief(chains=4, burn_in=100, samples=4000, calibrate=False)


def random_answers(n, count, rng):
    """Answers to random pairs, and the (n, n) log ratios they amount to."""
    every = np.stack(np.triu_indices(n, 1), axis=1)
    pairs = rng.permutation(every)[:count]
    values = rng.uniform(-0.6, 0.6, len(pairs))
    weights = np.zeros((n, n))
    weights[pairs[:, 0], pairs[:, 1]] = CALIBRATION.slope * values
    return Answers.none(n).adding(pairs, values), weights + weights.T


def ratios(graph):
    return pair_weights(graph.evidence, FIXED)


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_chain_draws_from_the_posterior_over_the_partitions_that_break_no_pin(seed, exponent):
    rng = np.random.default_rng(seed)
    n = 4 + seed % 3
    (answers, weights), pins = random_answers(n, 12, rng), random_pins(n, 3, rng)
    graph = AnswerGraph.of(answers, pins=pins)
    grid = prior_grid(graph.nodes, exponent)
    found, probabilities = enumerated_with_pins(weights, grid, pins)
    clusters, prior = clusters_of(np.zeros(graph.nodes, np.int32)), Prior(*grid, np.zeros(1, np.int64))
    entries = Graph(*graph.frame, graph.weights(ratios(graph)))
    same = np.zeros(len(entries.indices))
    drawn, _ = sample(entries, clusters, prior, (50, 20_000, 10), same, rng)
    labels = graph.onto_objects(canonical_rows(drawn))
    assert p_value(labels, found, probabilities) > 1e-4  # a KeyError for a partition that breaks a pin
    pairs = graph.evidence.pairs
    expected = same_probabilities(found, probabilities)[pairs.u, pairs.v]
    np.testing.assert_allclose(graph.shares(same, 20_000), expected, atol=0.015)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_belief_gives_the_enumerated_probabilities_also_when_pins_come_later(seed):
    rng = np.random.default_rng(100 + seed)
    n = 5
    (answers, weights), pins = random_answers(n, 9, rng), random_pins(n, 3, rng)
    found, probabilities = enumerated_with_pins(weights, prior_grid(len(pins.first), 1.0), pins)
    expected, (u, v) = same_probabilities(found, probabilities), np.triu_indices(n, 1)
    before = PLAIN.update(answers, rng=rng)
    touched = PLAIN.carry(before).without(np.zeros(len(answers), bool), np.arange(n))
    for carried in (None, touched):
        posterior = PLAIN.update(answers, carried=carried, pins=pins, rng=rng)
        assert all(fits(labels, pins) for labels in posterior.labels)
        decided = pins.implied(u, v)
        same = posterior.same_probability(u, v)
        assert np.array_equal(same[decided != 0], decided[decided != 0] > 0)
        np.testing.assert_allclose(same, expected[u, v], atol=0.02)
        others = np.broadcast_to(np.arange(n), (n, n))
        np.testing.assert_allclose(posterior.against(np.arange(n), others), expected, atol=0.03)
        answered = posterior.similarity.pairs()
        np.testing.assert_allclose(posterior.answered_same, expected[answered.u, answered.v], atol=0.02)


@given(pins=pinned(7), seed=st.integers(0, 2**32))
def test_the_graph_holds_the_sums_between_units(pins, seed):
    rng = np.random.default_rng(seed)
    answers, weights = random_answers(7, 10, rng)
    graph = AnswerGraph.of(answers, pins=pins)
    k, found = graph.nodes, np.zeros((graph.nodes,) * 2)
    rows = np.repeat(np.arange(k), np.diff(graph.frame.indptr))
    found[rows, graph.frame.indices] = graph.weights(ratios(graph))
    member = (pins.units[:, None] == np.arange(k)).astype(float)
    expected = member.T @ weights @ member
    np.fill_diagonal(expected, 0.0)
    expected[pins.apart.u, pins.apart.v] = expected[pins.apart.v, pins.apart.u] = -np.inf
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(pins=pinned(7), seed=st.integers(0, 2**32))
def test_with_candidates_a_pair_of_units_is_one_if_any_pair_between_them_is(pins, seed):
    rng = np.random.default_rng(seed)
    answers, _ = random_answers(7, 6, rng)
    candidates = Pairs.from_ranks(rng.permutation(21)[:5], 7)
    graph = AnswerGraph.of(answers, candidates, pins=pins)
    units = {tuple(sorted((pins.units[u], pins.units[v]))) for u, v in candidates}
    assert set(graph.candidate_nodes()) == {(a, b) for a, b in units if a != b}
    assert np.isfinite(grid_of(graph, 1.0)().log_weights).all()
    earlier = graph.before(3, tempered=False)
    assert (len(earlier.answers), earlier.pins, earlier.candidates) == (3, pins, candidates)


def test_a_partition_of_objects_becomes_one_of_units_by_their_first_objects():
    pins = Pins.none(4).adding(np.array([1]), np.array([3]), same=True)
    labels = np.array([[0, 1, 2, 3], [0, 3, 3, 1]], np.int32)
    nodes = on_units(labels, pins)
    assert nodes.tolist() == [[0, 1, 2], [0, 1, 1]]
    graph = AnswerGraph.of(Answers.none(4), pins=pins)
    assert graph.onto_objects(graph.onto_nodes(labels)).tolist() == [[0, 1, 2, 1], [0, 1, 1, 1]]
