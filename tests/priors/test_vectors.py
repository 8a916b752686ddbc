"""Neighbours by vectors: exact for few objects, nearly so for many, the same for any number of threads."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ofakind import InvalidInputError, Neighbours
from ofakind.priors import vectors
from ofakind.priors.vectors import (
    VectorRules,
    centred_units,
    nearest_vectors,
    read_vectors,
    spread_of_cosines,
)
from twins import neighbours as twin

SMALL = VectorRules(exact=0, block=64, tile=50, probes=8)


def groups(n, d, seed, spread=0.5):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(n // 20, 1), d))
    return centres[rng.integers(len(centres), size=n)] + spread * rng.normal(size=(n, d))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [1, 2, 15, 16, 90])
def test_the_search_finds_what_its_twin_finds(n, seed, monkeypatch):
    monkeypatch.setattr(vectors, "VECTORS", VectorRules(block=32, tile=20))
    table = groups(n, 5, seed)
    found = nearest_vectors(centred_units(read_vectors(table)), 15)
    expected = twin.nearest_vectors(twin.centred(table.tolist()), 15)
    assert [[j for j in row if j >= 0] for row in found.tolist()] == expected


def test_ties_are_broken_by_number():
    table = np.array([[1, 0], [0, 1], [0, -1], [-1, 0]])
    assert nearest_vectors(centred_units(read_vectors(table)), 2).tolist() == [[1, 2], [0, 3], [0, 3], [1, 2]]


@pytest.mark.parametrize("seed", range(3))
def test_cells_find_nearly_all_neighbours(seed, monkeypatch):
    unit = centred_units(read_vectors(groups(1500, 12, seed)))
    exact = nearest_vectors(unit, 10)
    monkeypatch.setattr(vectors, "VECTORS", SMALL)
    found = nearest_vectors(unit, 10)
    assert (found >= 0).all()
    shared = [len(np.intersect1d(a, b)) for a, b in zip(found, exact, strict=True)]
    assert np.mean(shared) > 9
    near = twin.best(dict(enumerate((unit @ unit[0]).tolist())), 3)[1:]
    assert found[0, :2].tolist() == near


def test_cells_find_all_neighbours_when_all_are_looked_into(monkeypatch):
    unit = centred_units(read_vectors(groups(300, 4, 0)))
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
    """The mean is (2, 2); what is left of it has cosines 0, -1 and 0 beside the copy's 1."""
    near = Neighbours.from_vectors([[3.0, 2], [2, 3], [1, 2], [2, 1], [0, 0]])
    assert list(near.pairs) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    table = {name: near.features[:, i] for i, name in enumerate(near.names)}
    spread = np.sqrt(1 / 3)  # two of six cosines are -1, the others 0
    np.testing.assert_allclose(table["cosine"], np.array([0, -1, 0, 0, -1, 0]) / spread, atol=1e-6)
    np.testing.assert_allclose(table["cosine above 2"], 0)
    np.testing.assert_allclose(table["cosine of best, least"], 0, atol=1e-6)
    np.testing.assert_allclose(table["shared neighbours"], 2 / 3)


def test_a_cosine_is_that_of_what_is_left_of_the_mean_in_units_of_a_random_pairs():
    table = groups(40, 6, 0) + 5.0
    near = Neighbours.from_vectors(table)
    left = table - table.mean(axis=0)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    cosines = left @ left.T
    spread = np.sqrt((cosines[np.triu_indices(40, 1)] ** 2).mean())
    expected = cosines[near.pairs.u, near.pairs.v] / spread
    np.testing.assert_allclose(near.features[:, near.names.index("cosine")], expected, rtol=1e-4)
    np.testing.assert_allclose(
        near.features[:, near.names.index("cosine above 2")], np.maximum(expected - 2, 0), atol=1e-4
    )


@pytest.mark.parametrize("shape", [(7, 3), (3, 7), (2, 2), (30, 30)])
def test_the_spread_of_cosines_is_that_of_all_pairs(shape):
    unit = centred_units(np.random.default_rng(0).normal(size=shape))
    u, v = np.triu_indices(len(unit), 1)
    expected = np.sqrt(((unit[u] * unit[v]).sum(axis=1) ** 2).mean())
    assert spread_of_cosines(unit) == pytest.approx(expected)
    assert spread_of_cosines(np.concatenate([unit, np.zeros_like(unit)])) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_shared_neighbours_are_counted_as_sets_are(seed):
    """With copies and vectors of zeros: copies have the neighbours of the first of them."""
    table = groups(60, 4, seed)
    table[40], table[41], table[42:44] = table[3], table[3], 0.0
    near = Neighbours.from_vectors(table)
    shared = near.features[:, near.names.index("shared neighbours")]
    first = {3: 3, 40: 3, 41: 3}
    sets = [set() for _ in range(60)]
    for u, v in near.pairs:
        if first.get(u, u) != first.get(v, v):
            sets[u].add(v)
            sets[v].add(u)
    for (u, v), found in zip(near.pairs, shared, strict=True):
        a, b = sets[first.get(u, u)], sets[first.get(v, v)]
        same = first.get(u, u) == first.get(v, v)
        assert found == pytest.approx(1.0 if same else len(a & b) / np.sqrt(len(a) * len(b)))


def test_copies_are_joined_by_a_star_and_opposites_have_no_share():
    near = Neighbours.from_vectors([[1, 0], [1, 0], [-1, 0], [0, 0]])
    assert list(near.pairs) == [(0, 1), (0, 2)]
    opposite = near.features[1]
    assert opposite[1] < 0
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
