"""The candidate graph as a whole: its form, more objects, what is saved, and awkward input."""

import copy
import json
import pickle

import numpy as np
import pytest

from ofakind import InvalidInputError, Neighbours, Pairs
from ofakind.engine.checksum import checksum
from ofakind.engine.document import plain

ROWS = [
    {"name": "Joe's Diner", "city": "Bern"},
    {"name": "Joes Diner", "city": "Bern"},
    {"name": "The Ritz", "city": "Basel"},
    {"name": "Ritz", "city": None},
    {"name": None, "city": None},
    {"name": "Ritz", "city": None},
]
GRAPHS = {
    "records": lambda: Neighbours.from_records(ROWS),
    "texts": lambda: Neighbours.from_records([str(row["name"]) for row in ROWS]),
    "vectors": lambda: Neighbours.from_vectors(np.random.default_rng(0).normal(size=(30, 3))),
    "scores": lambda: Neighbours.from_scores([(0, 1), (1, 2), (4, 2)], [1.5, -2, 0.3]),
    "records and scores": lambda: Neighbours.from_scores(
        [(0, 4), (0, 1)], [0.3, 0.9], on=Neighbours.from_records(ROWS)
    ),
    "none": lambda: Neighbours.from_records([]),
    "one": lambda: Neighbours.from_vectors([[1.0, 2.0]]),
}
each_graph = pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS)


def same(one, other):
    assert (one.n, one.names, one.kind) == (other.n, other.names, other.kind)
    assert one.pairs == other.pairs
    np.testing.assert_array_equal(one.features, other.features)
    return True


@each_graph
def test_pairs_are_in_order_and_features_are_finite_and_cannot_be_changed(make):
    near = make()
    keys = near.pairs.u * max(near.n, 1) + near.pairs.v
    assert (np.diff(keys) > 0).all()
    assert near.features.shape == (len(near.pairs), len(near.names))
    assert near.features.dtype == np.float64
    assert np.isfinite(near.features).all()
    assert (near.features[:, 0] == 1).all()
    assert len(set(near.names)) == len(near.names)
    with pytest.raises(ValueError, match="read-only"):
        near.features[...] = 0


@each_graph
def test_equal_input_gives_equal_graphs(make):
    assert same(make(), make())


@each_graph
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda near: pickle.loads(pickle.dumps(near))])  # noqa: S301
def test_copies_are_equal_and_can_still_be_extended(make, copied):
    near = make()
    twin = copied(near)
    assert same(near, twin)
    assert not twin.features.flags.writeable
    assert same(near.including([]), twin.including([]))


@each_graph
def test_it_is_read_as_it_was_written_in_any_form_of_document(make):
    near = make()
    entry = near.to_entry()
    assert same(near, Neighbours.from_entry(entry, near.n))
    written = json.loads(json.dumps(plain(entry)))
    assert same(near, Neighbours.from_entry(written, near.n))
    assert checksum(written) == checksum(entry)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("features", [[1.0]], "features have shape"),
        ("features", ["a"], "features have shape .* and type"),
        ("names", "abc", "names are 'abc'"),
        ("names", [1, 2], "names are"),
        ("kind", "nonsense", "kind is 'nonsense'; expected text, vectors, scores"),
        ("kind", None, "kind is None"),
        ("u", [0, 0, 0, 99], "expected two different objects below 6|entries"),
    ],
)
def test_damaged_entries_are_refused(name, value, message):
    entry = {**GRAPHS["records"]().to_entry(), name: value}
    with pytest.raises(InvalidInputError, match=message):
        Neighbours.from_entry(entry, 6)


def test_own_features_can_be_given_but_are_checked():
    pairs, names = Pairs.of([0, 1], [1, 2]), ("constant", "cosine")
    near = Neighbours(3, pairs, np.array([[1, 0.5], [1, 0.2]]), names, "vectors")
    assert repr(near) == "Neighbours(3 objects, 2 pairs, vectors, 2 features)"
    assert near.fields == ()
    with pytest.raises(InvalidInputError, match="ones in the first column"):
        Neighbours(3, pairs, np.array([[0.5, 1], [0.2, 1]]), names, "vectors")
    with pytest.raises(InvalidInputError, match="pairs are not in order"):
        Neighbours(3, pairs.take([1, 0]), near.features, names, "vectors")
    with pytest.raises(InvalidInputError, match="expected finite numbers"):
        Neighbours(3, pairs, np.array([[1, np.nan], [1, 0.2]]), names, "vectors")
    with pytest.raises(
        InvalidInputError, match=r"pair 1 is \(1, 2\); expected two different objects below 2"
    ):
        Neighbours(2, pairs, near.features, names, "vectors")


# -- more objects ------------------------------------------------------------------------------------------


def test_more_records_find_the_old_ones_and_old_pairs_stay():
    near = Neighbours.from_records(ROWS)
    more = near.extended([{"name": "Joe's Dinner", "other": 3}, {"city": "Bern", "name": "Ritz"}])
    assert (more.n, more.names, more.fields) == (8, near.names, ("name", "city"))
    assert set(near.pairs) <= set(more.pairs)
    assert {(0, 6), (3, 7)} <= set(more.pairs)
    whole = Neighbours.from_records([*ROWS, {"name": "Joe's Dinner"}, {"city": "Bern", "name": "Ritz"}])
    assert same(more, whole.including(near.pairs))


def test_old_pairs_stay_where_newcomers_push_them_out_of_the_lists():
    rng = np.random.default_rng(0)
    old = rng.normal(size=(40, 6))
    near = Neighbours.from_vectors(old)
    new = np.repeat(old, 20, axis=0) + 0.01 * rng.normal(size=(800, 6))
    more = near.extended(new)
    alone = Neighbours.from_vectors(np.concatenate([old, new]))
    assert not set(near.pairs) <= set(alone.pairs)
    assert set(near.pairs) | set(alone.pairs) == set(more.pairs)


def test_more_texts_and_vectors_and_none():
    texts = Neighbours.from_records(["ann lee", "bob ray"])
    assert list(texts.extended(["anne lee"]).pairs) == [(0, 2)]
    assert same(texts.extended([]), texts)
    none = Neighbours.from_vectors([])
    assert none.extended([[1, 0], [1, 1]]).pairs == Pairs.of([0], [1])
    with pytest.raises(InvalidInputError, match="vectors have 3 numbers each; expected 2, as before"):
        Neighbours.from_vectors([[1, 2]]).extended([[1, 2, 3]])


def test_more_objects_with_scores():
    near = Neighbours.from_scores([(0, 1)], [0.5])
    more = near.extended(2, pairs=[(1, 3), (0, 1)], scores=[0.9, 0.2])
    assert (more.n, list(more.pairs)) == (4, [(0, 1), (1, 3)])
    np.testing.assert_allclose(more.features[:, 1], np.log([0.25, 9]))  # the newer score holds
    assert near.extended(2).n == 4
    with pytest.raises(
        InvalidInputError, match="column 0 of the scores holds 3; expected numbers from 0 to 1"
    ):
        near.extended(1, pairs=[(0, 2)], scores=[3])
    with pytest.raises(InvalidInputError, match="scores have 2 columns; expected 1"):
        near.extended(1, pairs=[(0, 2)], scores=[[1, 2]])
    with pytest.raises(InvalidInputError, match="more is 'a'; expected a whole number"):
        near.extended("a")
    both = Neighbours.from_scores([(0, 1)], [0.5], on=Neighbours.from_records(["ann lee", "bob ray"]))
    grown = both.extended(["ann leo"], pairs=[(0, 2)], scores=np.array([0.7]))
    assert set(grown.pairs) == {(0, 1), (0, 2)}
    assert grown.features[:, -1].tolist() == [0, 0]
    assert grown.names == both.names
    with pytest.raises(InvalidInputError, match=r"expected from_scores\(\.\.\., on=\.\.\.\)"):
        Neighbours.from_records(["a", "b"]).extended(["c"], pairs=[(0, 1)], scores=[1])


def test_a_loaded_graph_says_how_it_can_grow():
    near = Neighbours.from_records(ROWS)
    loaded = Neighbours.from_entry(near.to_entry(), near.n)
    with pytest.raises(InvalidInputError, match=r"loaded without its records .*\.including\(old\.pairs\)"):
        loaded.extended(ROWS)
    assert same(loaded.including(near.pairs), near)
    scored = Neighbours.from_scores([(0, 4), (0, 1)], [0.1, 0.9], on=loaded)
    row = scored.features[list(scored.pairs).index((0, 4))]
    cosine = near.names.index("cosine")
    assert row[cosine] <= np.quantile(near.features[:, cosine], 0.25) + 1e-9  # as the lowest quarter
    known = [list(scored.pairs).index(pair) for pair in near.pairs]
    np.testing.assert_array_equal(scored.features[known, : len(near.names)], near.features)


def test_pairs_that_are_included_must_be_pairs_of_its_objects():
    near = Neighbours.from_records(ROWS)
    assert (0, 4) in set(near.including([(4, 0), (0, 4)]).pairs)
    with pytest.raises(InvalidInputError, match="below 6"):
        near.including([(0, 6)])


# -- awkward input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "pairs"),
    [
        ([], []),
        (["one"], []),
        (["one", "one"], [(0, 1)]),
        (["one", "two"], []),
        (["", None, "NA"], []),
        (["", "a", ""], []),
        (["!!!", "!!!", "???!"], [(0, 1), (0, 2)]),
        ([{"a": "x", "b": None}, {"a": "x", "b": None}], [(0, 1)]),
        ([{"a": "x y", "b": ""}, {"a": "x", "b": "y"}], [(0, 1)]),
        ([{}, {}], []),
        (
            ["\u738b\u5c0f\u660e", "\u738b\u5c0f\u660e\u660e", "\U0001f600 ok", "\U0001f600 ok!"],
            [(0, 1), (2, 3)],
        ),
        (["\ud800 a", "\ud800 a"], [(0, 1)]),
    ],
)
def test_few_empty_equal_and_strange_records(rows, pairs):
    near = Neighbours.from_records(rows)
    assert near.n == len(rows)
    assert list(near.pairs) == pairs
    assert near.features.shape == (len(pairs), len(near.names))


def test_mixed_types_within_a_field_are_compared_as_text():
    near = Neighbours.from_records([{"a": 1970}, {"a": "1970"}, {"a": 1970.0}, {"a": None}])
    assert list(near.pairs) == [(0, 1), (0, 2)]
