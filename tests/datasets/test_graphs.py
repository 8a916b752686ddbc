"""Signed graphs and cluster-editing instances, against the lists that come with them."""

import csv

import numpy as np
import pytest

from ofakind import Clustering, Exact
from ofakind.datasets import SignedGraph, load
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs


def listed(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


NAMES = ("bitcoin_otc", "bitcoin_alpha", "wikielections", "twitterreferendum", "congress", "stocks_corr_2020")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_graph_has_the_nodes_and_signs_of_the_list(data_folder, name):
    row = next(row for row in listed(data_folder / "signed_graphs" / "index.csv") if row["graph"] == name)
    loaded = load(name)
    graph = loaded.graph
    assert graph.name == loaded.name == name
    assert graph.n == loaded.n == len(loaded.records) == int(row["nodes"])
    assert len(graph.weights) == len(graph.pairs)
    if not name.startswith("bitcoin"):  # rated in both directions: fewer pairs than ratings
        assert len(graph.pairs) == int(row["edges"])
        assert np.sum(graph.weights > 0) == int(row["positive"])
        assert np.sum(graph.weights < 0) == int(row["negative"])


@pytest.mark.parametrize(("name", "pairs"), [("bitcoin_otc", 21_492), ("bitcoin_alpha", 14_124)])
def test_ratings_in_both_directions_are_averaged(data_folder, name, pairs):
    graph = load(name).graph
    assert len(graph.pairs) == pairs
    assert np.abs(graph.weights).max() <= 10
    assert not np.array_equal(graph.weights, np.round(graph.weights))


@pytest.mark.slow
def test_nodes_keep_their_names(data_folder):
    stocks = load("stocks_corr_2020")
    at = {row["id"]: number for number, row in enumerate(stocks.records)}
    similarity = stocks.graph.similarity()
    assert similarity.value([at["AA"]], [at["ABT"]]) * stocks.graph.scale == pytest.approx(-0.282)
    assert similarity.n_pairs == 694 * 693 // 2


def test_a_graph_has_no_truth_and_says_so(data_folder):
    congress = load("congress")
    assert (congress.truth, congress.classes) == (None, ())
    with pytest.raises(InvalidInputError, match="congress has no true clusters"):
        congress.labels  # noqa: B018
    with pytest.raises(InvalidInputError, match="cannot be taken apart"):
        congress.take([0])


@pytest.mark.slow
def test_instances_are_those_of_the_list(data_folder):
    instances = load("wce_instances")
    rows = {
        row["file"].removesuffix(".dimacs"): row
        for row in listed(data_folder / "wce_instances" / "index.csv")
    }
    assert {graph.name for graph in instances.graphs} == set(rows)
    assert len(instances.graphs) == 202
    assert sum(graph.optimal_cost is not None for graph in instances.graphs) == 180
    for graph in instances.graphs:
        row = rows[graph.name]
        assert (graph.n, len(graph.pairs)) == (int(row["n"]), int(row["pairs"]))
        assert np.sum(graph.weights > 0) == int(row["positive"])
        assert graph.scale == int(row["max_abs_weight"])
    with pytest.raises(InvalidInputError, match="wce_instances has 202 graphs, not one"):
        instances.graph  # noqa: B018


@pytest.mark.slow
def test_the_exact_solver_finds_the_stated_optimum(data_folder):
    small = [
        graph for graph in load("wce_instances").graphs if graph.n <= 10 and graph.optimal_cost is not None
    ]
    assert len(small) >= 10
    for graph in small[:10]:
        found = Exact()(graph.similarity(), rng=np.random.default_rng(0))
        assert found.cost * graph.scale == pytest.approx(graph.optimal_cost)


def test_a_cost_over_the_similarity_times_the_scale_is_a_cost_over_the_weights():
    graph = SignedGraph("g", 3, Pairs.all(3), np.array([7.0, -2.0, 3.0]))
    together = Clustering.of(graph.similarity(), [0, 0, 0])
    assert together.cost * graph.scale == pytest.approx(2.0)
    assert SignedGraph("none", 2, Pairs.empty(), np.empty(0)).scale == 1.0
    assert SignedGraph("none", 2, Pairs.empty(), np.empty(0)).similarity().n_pairs == 0
