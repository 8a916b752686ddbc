"""The candidates as chains see them: with pins, the pairs of units."""

import numpy as np
import pytest

from ofakind import Neighbours, Pairs
from ofakind.pins import Pins
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from twins.pins import random_pins


def some_candidates(n, seed, density=0.5):
    rng = np.random.default_rng(seed)
    pairs = Pairs.all(n)
    pairs = pairs.take(rng.random(len(pairs)) < density)
    return Neighbours.from_scores(pairs, rng.normal(size=len(pairs)), n), rng


def as_matrix(graph, values):
    found = np.zeros((graph.nodes, graph.nodes))
    found[np.repeat(np.arange(graph.nodes), np.diff(graph.indptr)), graph.indices] = values
    return found


@pytest.mark.parametrize("pinned", [0, 3, 9])
@pytest.mark.parametrize("seed", range(3))
def test_the_weight_between_two_units_is_the_sum_of_those_of_their_pairs(seed, pinned):
    near, rng = some_candidates(9, seed)
    pins = random_pins(9, pinned, rng, share=0.7) if pinned else None
    graph, each = CandidateGraph.of(near, pins), rng.random(len(near.pairs))
    units = np.arange(9) if pins is None else pins.units
    expected = np.zeros((graph.nodes, graph.nodes))
    for u, v, weight in zip(near.pairs.u, near.pairs.v, each, strict=True):
        if units[u] != units[v]:
            expected[units[u], units[v]] += weight
            expected[units[v], units[u]] += weight
    assert graph.nodes == units.max() + 1
    np.testing.assert_allclose(as_matrix(graph, graph.weights(each)), expected)


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_the_mean_of_both_directions_and_1_inside_units(seed):
    near, rng = some_candidates(9, seed)
    pins = random_pins(9, 5, rng, share=0.8)
    graph = CandidateGraph.of(near, pins)
    amounts = rng.random(len(graph.indices)) * 7
    found, table = graph.shares(amounts, 7), as_matrix(graph, amounts)
    a, b = pins.units[near.pairs.u], pins.units[near.pairs.v]
    assert (a == b).any()
    np.testing.assert_allclose(found, np.where(a == b, 1.0, (table[a, b] + table[b, a]) / 14))


def test_nothing_is_left_when_all_objects_are_one_unit():
    near, _ = some_candidates(4, 0, density=1.0)
    pins = Pins.none(4).adding(np.array([0, 1, 2]), np.array([1, 2, 3]), same=True)
    graph = CandidateGraph.of(near, pins)
    assert (graph.nodes, len(graph.weights(np.ones(6)))) == (1, 0)
    assert graph.shares(np.empty(0), 5).tolist() == [1.0] * 6


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_graph_without_pairs_has_a_node_for_each_object(n):
    graph = CandidateGraph.of(Neighbours.from_scores(Pairs.empty(), [], n), None)
    assert graph.nodes == n
    assert graph.weights(np.empty(0)).size == graph.shares(np.empty(0), 3).size == 0
