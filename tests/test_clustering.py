"""Clusterings have canonical labels; costs, gains and the adjusted Rand index are what they say."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.clustering import (
    Clustering,
    adjusted_rand_index,
    canonical_labels,
    correlation_cost,
    cost,
    move_gain,
    rand_indices,
)
from ofakind.errors import InvalidInputError
from ofakind.similarity import Similarity
from twins import dense
from twins.instances import CORNERS, all_pairs, noisy, similarities

CLOSE = {"rel": 1e-12, "abs": 1e-12}


@st.composite
def labelled(draw, count=1):
    """A similarity, and that many labellings of its objects."""
    s = draw(similarities())
    label = st.integers(0, max(s.n - 1, 0))
    return s, *(np.array(draw(st.lists(label, min_size=s.n, max_size=s.n)), np.int64) for _ in range(count))


def random_case(seed):
    rng = np.random.default_rng(seed)
    return noisy(60, 400, rng=rng), rng.integers(rng.integers(1, 61), size=60), rng


# -- costs -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(labelled())
def test_both_costs_are_their_definitions(drawn):
    s, labels = drawn
    S = s.to_scipy().toarray()
    assert cost(s, labels) == pytest.approx(dense.cost(S, labels), **CLOSE)
    assert correlation_cost(s, labels) == pytest.approx(dense.correlation_cost(S, labels), **CLOSE)
    assert cost(s, labels) >= 0


@pytest.mark.parametrize("seed", range(3))
def test_both_costs_are_their_definitions_on_larger_instances(seed):
    s, labels, _ = random_case(seed)
    S = s.to_scipy().toarray()
    assert cost(s, labels) == pytest.approx(dense.cost(S, labels))
    assert correlation_cost(s, labels) == pytest.approx(dense.correlation_cost(S, labels))


@pytest.mark.slow
@given(labelled(count=2))
def test_the_two_costs_differ_by_the_same_amount_for_every_clustering(drawn):
    s, first, second = drawn
    differences = [cost(s, labels) - correlation_cost(s, labels) for labels in (first, second)]
    assert differences[0] == pytest.approx(differences[1], **CLOSE)
    assert differences[0] == pytest.approx(np.maximum(s.values, 0).sum() / 2, **CLOSE)


@pytest.mark.parametrize("n", [2, 3, 8])
def test_the_costs_of_one_cluster_and_of_n_clusters_are_known(n):
    m = n * (n - 1) / 2
    together, apart = np.zeros(n, int), np.arange(n)
    for value, inside, outside in [(1.0, 0, m), (-1.0, m, 0), (0.0, 0, 0), (0.5, 0, m / 2)]:
        s = all_pairs(n, value)
        assert (cost(s, together), cost(s, apart)) == (inside, outside)
        assert (correlation_cost(s, together), correlation_cost(s, apart)) == (-value * m, 0)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_without_answers_nothing_costs_anything(n):
    s = Similarity.from_pairs(n, [], [], [])
    for labels in (np.zeros(n, int), np.arange(n)):
        assert cost(s, labels) == 0
        assert str(correlation_cost(s, labels)) == "0.0"


# -- moves -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(labelled(), st.data())
def test_the_gain_of_a_move_is_the_fall_of_either_cost(drawn, data):
    s, labels = drawn
    if s.n == 0:
        return
    item = data.draw(st.integers(0, s.n - 1))
    alone = int(labels.max()) + 1
    for target in {*labels.tolist(), alone}:
        moved = labels.copy()
        moved[item] = target
        gain = move_gain(s, labels, item, target)
        assert gain == pytest.approx(cost(s, labels) - cost(s, moved), **CLOSE)
        assert gain == pytest.approx(correlation_cost(s, labels) - correlation_cost(s, moved), **CLOSE)
    assert move_gain(s, labels, item, int(labels[item])) == 0


@pytest.mark.parametrize("seed", range(3))
def test_the_gain_of_a_move_is_right_on_larger_instances(seed):
    s, labels, rng = random_case(seed)
    for item in rng.integers(60, size=10).tolist():
        for target in [*rng.choice(labels, 3).tolist(), 99]:
            moved = labels.copy()
            moved[item] = target
            expected = cost(s, labels) - cost(s, moved)
            assert move_gain(s, labels, item, target) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("item", [-1, 7, 10**9])
def test_an_object_that_does_not_exist_cannot_move(item):
    with pytest.raises(InvalidInputError, match=rf"item is {item}; expected one of the 7 objects"):
        move_gain(CORNERS["all alike"], np.zeros(7, int), item, 0)


# -- names do not matter -----------------------------------------------------------------------------------


@pytest.mark.slow
@given(labelled(), st.randoms(use_true_random=False))
def test_names_of_clusters_do_not_matter(drawn, random):
    s, labels = drawn
    names = random.sample(range(-50, 50), s.n + 1)
    renamed = np.array([names[label] for label in labels], np.int64)
    first, second = Clustering.of(s, labels), Clustering.of(s, renamed)
    assert first.labels.tolist() == second.labels.tolist()
    assert (first.k, first.cost) == (second.k, second.cost)
    assert correlation_cost(s, renamed) == correlation_cost(s, labels)


@pytest.mark.slow
@given(labelled(), st.randoms(use_true_random=False))
def test_numbers_of_objects_do_not_matter(drawn, random):
    s, labels = drawn
    number = np.array(random.sample(range(s.n), s.n), np.int64)
    pairs = s.pairs()
    renumbered = Similarity.from_pairs(s.n, number[pairs.u], number[pairs.v], s.value(pairs.u, pairs.v))
    moved = np.empty_like(labels)
    moved[number] = labels
    assert cost(renumbered, moved) == pytest.approx(cost(s, labels), **CLOSE)
    assert correlation_cost(renumbered, moved) == pytest.approx(correlation_cost(s, labels), **CLOSE)


# -- labels ------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-5, 5), max_size=12))
def test_canonical_labels_count_up_in_order_of_first_appearance(labels):
    canonical = canonical_labels(labels)
    order = list(dict.fromkeys(labels))
    assert canonical.tolist() == [order.index(label) for label in labels]
    assert canonical_labels(canonical).tolist() == canonical.tolist()
    assert canonical.dtype == np.int64


@pytest.mark.slow
@given(labelled())
def test_a_clustering_has_no_empty_cluster(drawn):
    s, labels = drawn
    c = Clustering.of(s, labels)
    assert c.k == len(set(labels.tolist()))
    assert c.sizes().tolist() == [np.sum(c.labels == label) for label in range(c.k)]
    assert np.all(c.sizes() > 0)
    assert c.sizes().sum() == s.n
    assert c.cost == cost(s, labels)


@pytest.mark.parametrize(("n", "k"), [(0, 0), (1, 1), (2, 1)])
def test_the_smallest_clusterings_have_their_clusters(n, k):
    c = Clustering.of(Similarity.from_pairs(n, [], [], []), [3] * n)
    assert (c.k, c.labels.tolist(), c.sizes().tolist(), c.cost) == (k, [0] * n, [n] * k, 0.0)


def test_a_clustering_cannot_be_written_and_leaves_its_input_alone():
    given_labels = np.array([4, 4, 2])
    c = Clustering.of(all_pairs(3, 1.0), given_labels)
    given_labels[:] = 0
    assert c.labels.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="read-only"):
        c.labels[0] = 1
    with pytest.raises(AttributeError):
        c.cost = 0.0
    assert repr(c) == "Clustering(3 objects in 2 clusters, cost 2)"


@pytest.mark.parametrize(
    "labels",
    [
        [7, 7, 2],
        (7.0, 7.0, 2.0),
        ["cat", "cat", "dog"],
        [True, True, False],
        np.array([7, 7, 2], np.uint8),
        np.array([2**64 - 1, 2**64 - 1, 2], np.uint64),
        np.array(["cat", "cat", "dog"], object),
        np.array([7, 7, 2], object),
    ],
)
def test_labels_may_be_whole_numbers_text_or_truth_values(labels):
    s = Similarity.from_pairs(3, [0, 1], [1, 2], [-0.5, 1.0])
    assert Clustering.of(s, labels).labels.tolist() == [0, 0, 1]
    assert cost(s, labels) == 1.5
    assert correlation_cost(s, labels) == 0.5
    assert move_gain(s, labels, 0, labels[2]) == 0.5
    assert adjusted_rand_index(labels, [0, 0, 1]) == 1


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 0], "got 2 labels for 3 objects; expected one each"),
        ([0, 0, 1, 1], "got 4 labels for 3 objects; expected one each"),
        ([[0, 0, 1]], r"labels have shape \(1, 3\); expected one dimension"),
        (0, r"labels have shape \(\); expected one dimension"),
        ([0, np.nan, 1], "labels hold nan at position 1"),
        ([0, 0.5, 1], "labels hold 0.5 at position 1"),
        ([0, None, 1], "labels have type object"),
        (np.array(["cat", np.nan, "dog"], object), "labels have type object"),
        (["cat", np.nan, "dog"], "labels have type object"),
        ({0, 1, 2}, "labels come as a set"),
    ],
)
@pytest.mark.parametrize("use", [Clustering.of, cost, correlation_cost])
def test_labels_that_cannot_be_are_refused_in_words(use, labels, message):
    with pytest.raises(InvalidInputError, match=message):
        use(all_pairs(3, 1.0), labels)


# -- the adjusted Rand index -------------------------------------------------------------------------------


def reference(a, b):
    from sklearn.metrics import adjusted_rand_score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it wonders about labels that are all different
        return adjusted_rand_score(a, b)


@pytest.mark.slow
@given(st.integers(1, 6), st.data())
def test_the_adjusted_rand_index_is_scikit_learns(k, data):
    rows = data.draw(st.lists(st.tuples(st.integers(1, k), st.integers(1, k)), max_size=15))
    a, b = ([row[side] for row in rows] for side in (0, 1))
    assert adjusted_rand_index(a, b) == pytest.approx(reference(a, b), **CLOSE)
    assert adjusted_rand_index(a, b) == adjusted_rand_index(b, a)
    assert adjusted_rand_index(a, a) == 1


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10])
def test_the_adjusted_rand_index_of_one_cluster_and_of_n_is_scikit_learns(n):
    one, apart, two = np.zeros(n, int), np.arange(n), np.arange(n) % 2
    for a in (one, apart, two):
        for b in (one, apart, two):
            assert adjusted_rand_index(a, b) == pytest.approx(reference(a, b), **CLOSE)


@pytest.mark.parametrize("k", [2, 100, 10**5])
def test_the_adjusted_rand_index_of_many_objects_is_scikit_learns(k):
    rng = np.random.default_rng(k)
    truth = rng.integers(k, size=10**5)
    labels = np.where(rng.random(10**5) < 0.7, truth, rng.integers(k, size=10**5))
    assert adjusted_rand_index(labels, truth) == pytest.approx(reference(labels, truth), rel=1e-9)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.permutations(range(4)))
def test_the_adjusted_rand_index_knows_neither_names_nor_order(rows, names):
    a, b = (np.array([row[side] for row in rows]) for side in (0, 1))
    value = adjusted_rand_index(a, b)
    assert adjusted_rand_index(np.array(names)[a], b) == value
    assert adjusted_rand_index(a[::-1], b[::-1]) == value
    assert value <= 1


def test_the_adjusted_rand_index_needs_equally_many_labels():
    with pytest.raises(InvalidInputError, match="got 1 labels and 2 true labels; expected equally many"):
        adjusted_rand_index([0], [0, 1])


@given(st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_many_rand_indices_at_once_are_those_of_each_couple(n, seed):
    rng = np.random.default_rng(seed)
    some, others = (rng.integers(max(n, 1), size=(count, n)) for count in (3, 4))
    expected = [[adjusted_rand_index(a, b) for b in others] for a in some]
    np.testing.assert_allclose(rand_indices(some, others), expected, atol=1e-12)
