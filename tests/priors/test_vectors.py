"""Neighbours by vectors: exact for few objects, nearly so for many, the same for any number of threads."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ofakind import InvalidInputError, Neighbours
from ofakind.priors import vectors
from ofakind.priors.vectors import VectorRules, nearest_vectors, read_vectors
from twins import neighbours as twin

SMALL = VectorRules(exact=0, block=64, tile=50, probes=8)


def groups(n, d, seed, spread=0.5):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(n // 20, 1), d))
    return centres[rng.integers(len(centres), size=n)] + spread * rng.normal(size=(n, d))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [1, 2, 15, 16, 90])
def test_the_search_finds_what_its_twin_finds(n, seed, monkeypatch):
    monkeypatch.setattr(vectors, "VECTORS", VectorRules(block=32, tile=20))
    table = groups(n, 5, seed)
    found = nearest_vectors(read_vectors(table), 15)
    expected = twin.nearest_vectors(table.tolist(), 15)
    assert [[j for j in row if j >= 0] for row in found.tolist()] == expected


def test_ties_are_broken_by_number():
    table = np.array([[1, 0], [0, 1], [0, -1], [-1, 0]])
    assert nearest_vectors(read_vectors(table), 2).tolist() == [[1, 2], [0, 3], [0, 3], [1, 2]]


@pytest.mark.parametrize("seed", range(3))
def test_cells_find_nearly_all_neighbours(seed, monkeypatch):
    unit = read_vectors(groups(1500, 12, seed))
    exact = nearest_vectors(unit, 10)
    monkeypatch.setattr(vectors, "VECTORS", SMALL)
    found = nearest_vectors(unit, 10)
    assert (found >= 0).all()
    shared = [len(np.intersect1d(a, b)) for a, b in zip(found, exact, strict=True)]
    assert np.mean(shared) > 9
    near = twin.best(dict(enumerate((unit @ unit[0]).tolist())), 3)[1:]
    assert found[0, :2].tolist() == near


def test_cells_find_all_neighbours_when_all_are_looked_into(monkeypatch):
    unit = read_vectors(groups(300, 4, 0))
    exact = nearest_vectors(unit, 10)
    monkeypatch.setattr(vectors, "VECTORS", VectorRules(exact=0, probes=10_000, block=100))
    np.testing.assert_array_equal(nearest_vectors(unit, 10), exact)


@pytest.mark.parametrize("rules", [VectorRules(block=100, tile=64), SMALL])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_graph_does_not_depend_on_the_number_of_threads(threads, rules, monkeypatch):
    """On hard data: all cosines are close to each other, and many are equal."""
    monkeypatch.setattr(vectors, "VECTORS", rules)
    table = np.random.default_rng(0).integers(0, 2, (800, 24))
    expected = Neighbours.from_vectors(table)
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    near = Neighbours.from_vectors(table)
    assert near.pairs == expected.pairs
    np.testing.assert_array_equal(near.features, expected.features)


def test_every_form_of_vectors_gives_the_same_graph():
    table = groups(30, 3, 0).astype(np.float32)
    expected = Neighbours.from_vectors(table)
    forms = [
        table.astype(np.float64),
        table.tolist(),
        tuple(map(tuple, table.tolist())),
        7 * table,
        table.astype(np.float64) * 1e90,
    ]
    frames = [pd.DataFrame(table), pl.DataFrame(table), pl.DataFrame(table).to_arrow()]
    for form in (*forms, *frames, np.asfortranarray(table)):
        near = Neighbours.from_vectors(form)
        assert near.pairs == expected.pairs
        np.testing.assert_allclose(near.features, expected.features, atol=1e-5)


def test_features_of_vectors_say_what_their_names_say():
    near = Neighbours.from_vectors([[1.0, 0], [1, 1], [0, 1], [2, 0], [0, 0]])
    assert list(near.pairs) == [(0, 1), (0, 2), (0, 3), (1, 2)]
    table = {name: near.features[:, i] for i, name in enumerate(near.names)}
    half = np.sqrt(0.5)
    np.testing.assert_allclose(table["cosine"], [half, 0, 1, half], atol=1e-6)
    np.testing.assert_allclose(table["cosine above 0.7"], [half - 0.7, 0, 0.3, half - 0.7], atol=1e-6)
    np.testing.assert_allclose(table["cosine of best, least"], [half, 0, 1, 1], atol=1e-6)
    np.testing.assert_allclose(np.exp(table["cosine log rank, most"]), [2, 3, 1, 1])


def test_copies_are_joined_by_a_star_and_opposites_have_no_share():
    near = Neighbours.from_vectors([[1, 0], [1, 0], [-1, 0], [3, 0], [0, 0]])
    assert list(near.pairs) == [(0, 1), (0, 2), (0, 3)]
    opposite = near.features[1]
    assert opposite[1] == -1
    assert opposite[near.names.index("cosine of best, most")] == 0


@pytest.mark.slow
def test_ten_thousand_copies_take_no_time():
    near = Neighbours.from_vectors(np.ones((10_000, 3)))
    assert len(near.pairs) == 9_999


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, np.nan]], "feature 1 of object 0 is nan; expected"),
        (np.array([[1.0], [np.inf]], np.float32), "feature 0 of object 1 is inf; expected"),
        (pd.DataFrame({"a": [1.0, None]}), "feature 0 of object 1 is nan; expected"),
        (pl.DataFrame({"a": ["x", "y"]}), "features have type .*; expected numbers"),
        ([1, 2], r"features have shape \(2,\); expected \(n, d\)"),
        (np.zeros((2, 0)), r"features have shape \(2, 0\); expected"),
        ([[1], [1, 2]], "vectors have rows of different lengths; expected"),
        ("text", r"features have shape \(\)"),
        (None, "vectors come as a NoneType; expected"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(given, message):
    with pytest.raises(InvalidInputError, match=message):
        Neighbours.from_vectors(given)


@pytest.mark.parametrize("given", [[], np.zeros((0, 3)), [[1, 2]], [[0, 0], [0, 0]]])
def test_few_or_empty_vectors_have_no_neighbours(given):
    near = Neighbours.from_vectors(given)
    assert (near.n, near.features.shape) == (len(given), (0, 9))
