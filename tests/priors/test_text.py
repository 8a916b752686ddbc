"""Neighbours by text: near to those of an exact search, and features that mean what they are called."""

import numpy as np
import pytest

from ofakind import Neighbours
from ofakind.datasets import load
from ofakind.priors.text import TEXTS, letter_counts, nearest_texts


def made_up_words(count, rng):
    parts = ["ka", "lo", "mi", "ber", "son", "ton", "ria", "den", "vu", "sta"]
    return ["".join(rng.choice(parts, rng.integers(2, 4))) for _ in range(count)]


def recall(texts, k=10):
    """Share of the exact neighbours that are found, counting others that are as near."""
    matrix = letter_counts(texts)
    found, products = nearest_texts(matrix, k), (matrix @ matrix.T).toarray()
    np.fill_diagonal(products, -1)
    hits = total = 0
    for row, near in zip(products, found, strict=True):
        least = np.sort(row)[-k]
        hits += (row[near[near >= 0]] >= max(least, 1e-9) - 1e-6).sum()
        total += min(k, (row > 0).sum())
    return hits / total


@pytest.mark.parametrize("seed", range(3))
def test_nearly_all_exact_neighbours_are_found(seed):
    rng = np.random.default_rng(seed)
    words = made_up_words(200, rng)
    texts = sorted({" ".join(rng.choice(words, 4)) for _ in range(500)})
    assert recall(texts) > 0.97


@pytest.mark.slow
@pytest.mark.parametrize("name", ["restaurants", "cora", "febrl1", "affiliations"])
def test_nearly_all_exact_neighbours_are_found_on_real_records(data_folder, name):
    records = load(name).records
    texts = sorted({" ".join(row.values()).lower() for row in records})
    assert recall(texts) > 0.95


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "path"), [("restaurants", 1.0), ("febrl1", 0.999), ("cora", 0.99), ("splink_fake_1000", 0.98)]
)
def test_true_pairs_are_joined_by_paths_within_their_group(data_folder, name, path):
    """As far as was measured when the search was chosen."""
    from scipy import sparse

    dataset = load(name)
    near, truth = Neighbours.from_records(dataset.records), dataset.labels
    inside = truth[near.pairs.u] == truth[near.pairs.v]
    edges = np.ones(inside.sum()), (near.pairs.u[inside], near.pairs.v[inside])
    parts = sparse.csgraph.connected_components(sparse.coo_array(edges, shape=(near.n, near.n)))[1]
    pairs = [(sizes * (sizes - 1) // 2).sum() for sizes in (np.bincount(parts), np.bincount(truth))]
    assert pairs[0] / pairs[1] >= path
    assert len(near.pairs) < 9 * near.n


def described(rows, **options):
    near = Neighbours.from_records(rows, **options)
    return {
        pair: dict(zip(near.names, row, strict=True))
        for pair, row in zip(near.pairs, near.features, strict=True)
    }


def test_features_of_records_say_what_their_names_say():
    rows = [
        {"name": "Ann Lee", "phone": "310 246"},
        {"name": "Ann Lee", "phone": "310 999"},
        {"name": "Ann Leigh", "phone": None},
    ]
    by_pair = described(rows)
    assert list(by_pair) == [(0, 1), (0, 2), (1, 2)]
    first, second = by_pair[0, 1], by_pair[0, 2]
    assert (first["constant"], second["constant"]) == (1, 1)
    assert 0 < second["cosine"] < first["cosine"] < 1
    assert first["cosine above 0.4"] == pytest.approx(max(first["cosine"] - 0.4, 0))
    assert first["cosine of best, least"] == first["cosine of best, most"] == 1
    assert second["cosine of best, least"] == pytest.approx(second["cosine"] / first["cosine"])
    assert second["cosine log rank, most"] == pytest.approx(np.log(2))
    assert (first["shared numbers"], first["no number"]) == (pytest.approx(1 / 3), 0)
    assert (second["shared numbers"], second["no number"]) == (0, 1)
    assert (first["cosine of name"], first["equal name"]) == (0.5, 0.5)
    assert -0.5 < second["cosine of name"] < 0.5
    assert second["equal name"] == -0.5
    assert (second["cosine of phone"], second["equal phone"]) == (0, 0)  # one is missing
    assert -0.5 < first["cosine of phone"] < 0.5
    assert 0 < second["word cosine"] < first["word cosine"] < 1


def test_one_field_has_no_features_of_its_own():
    near = Neighbours.from_records(["ann lee", "ann leigh"])
    assert len(near.names) == 12
    assert near.fields == ("text",)


def test_copies_have_cosine_one_even_where_nothing_else_shares_a_letter_with_them():
    by_pair = described(["xyzzy", "abc def", "xyzzy", "abc deg"])
    assert by_pair[0, 2]["cosine"] == 1
    assert by_pair[0, 2]["word cosine"] == 1


def test_words_find_what_letters_do_not():
    """The eleven others share more letters with the first text; the last shares its rare word."""
    rng = np.random.default_rng(0)
    stem = "internationalisation configuration management "
    texts = [stem + "qx", *(stem + word for word in sorted(set(made_up_words(40, rng)))[:14]), "qx"]
    near = Neighbours.from_records(texts)
    assert (0, len(texts) - 1) in set(near.pairs)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_graph_does_not_depend_on_the_number_of_threads(threads, monkeypatch):
    rng = np.random.default_rng(3)
    words = made_up_words(60, rng)
    rows = [" ".join(rng.choice(words, 3)) for _ in range(3 * TEXTS.block // 2)]
    expected = Neighbours.from_records(rows)
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    near = Neighbours.from_records(rows)
    assert near.pairs == expected.pairs
    np.testing.assert_array_equal(near.features, expected.features)


@pytest.mark.slow
def test_ten_thousand_copies_and_hubs_take_no_time():
    """Were it quadratic, each would take a minute; graphs stay small."""
    copies = Neighbours.from_records(["the same text"] * 10_000 + ["the same test"])
    assert len(copies.pairs) == 10_000
    turned = [f"{a} {b}" for a in range(100) for b in range(100)]  # n-grams in any order of the words
    assert len(Neighbours.from_records(turned).pairs) < 150_000
    hub = Neighbours.from_records(["hub", *(f"hub {word}" for word in range(5_000))])
    assert np.bincount(hub.pairs.u, minlength=hub.n).max() < 5_001
    assert len(hub.pairs) < 16 * hub.n


@pytest.mark.slow
def test_very_long_texts_are_no_problem():
    long = "x" * 200_000
    near = Neighbours.from_records([long, long + "y", "word " * 50_000, "word " * 50_000 + "z", ""])
    assert {(0, 1), (2, 3)} <= set(near.pairs)
