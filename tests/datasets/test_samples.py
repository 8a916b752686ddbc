"""Splits and draws: disjoint, stratified, without duplicates, and given by the generator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.datasets import Dataset, load, split
from ofakind.datasets.samples import distinct_positions, stratified
from ofakind.errors import InvalidInputError


def dataset(rows, labels, features=None):
    classes = tuple(map(str, range(max(labels, default=-1) + 1)))
    return Dataset(
        name="d",
        rows=np.array(rows, np.int64),
        truth=np.array(labels, np.int64),
        classes=classes,
        features=features,
    )


@given(st.lists(st.integers(0, 4), max_size=40), st.floats(0.01, 0.99), st.integers(0, 9))
def test_every_class_is_divided_by_the_share(labels, share, seed):
    whole = dataset(range(len(labels)), labels)
    train, test = split(whole, np.random.default_rng(seed), share=share)
    assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(labels)))
    assert len(train) == round(len(labels) * share)
    assert np.all(np.abs(whole.take(train).sizes() - share * whole.sizes()) < 1)


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(0, 9))
def test_objects_drawn_twice_are_used_once(rows, seed):
    drawn = dataset(rows, [row % 3 for row in rows])
    train, test = split(drawn, np.random.default_rng(seed))
    used = [*drawn.rows[train].tolist(), *drawn.rows[test].tolist()]
    assert sorted(used) == sorted(set(rows))


def test_objects_with_equal_features_count_as_one():
    features = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    assert distinct_positions(dataset([0, 1, 2], [0, 0, 1], features)).tolist() == [0, 1]


def test_a_split_is_given_by_the_generator(data_folder):
    ecoli = load("ecoli", variant="all")
    first, again, other = (split(ecoli, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("variant", ["paper", "distinct"])
@pytest.mark.parametrize("name", ["ecoli", "forest_type_mapping", "user_knowledge"])
def test_nothing_of_the_test_part_is_seen_in_training(data_folder, name, variant):
    small = load(name, variant=variant)
    train, test = split(small, np.random.default_rng(0))
    seen = {row.tobytes() for row in small.features[train]}
    assert not any(row.tobytes() in seen for row in small.features[test])
    assert len(train) + len(test) == load(name, variant="distinct").n
    assert abs(len(train) - len(test)) <= 1


def test_the_object_of_a_class_of_one_falls_on_either_side():
    lonely = dataset(range(3), [0, 1, 2])
    sides = {tuple(split(lonely, np.random.default_rng(seed))[0].tolist()) for seed in range(40)}
    assert len(sides) > 1


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan"), "half"])
def test_a_share_that_leaves_nothing_is_refused(share):
    with pytest.raises(InvalidInputError, match="share is"):
        split(dataset([0, 1], [0, 1]), np.random.default_rng(0), share=share)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(0, 5), st.data())
def test_a_stratified_draw_has_exactly_the_wanted_sizes(labels, seed, data):
    truth = np.array(labels)
    sizes = tuple(data.draw(st.integers(0, int(count))) for count in np.bincount(truth, minlength=4))
    drawn = stratified(truth, sizes, seed=seed)
    assert np.bincount(truth[drawn], minlength=4).tolist() == list(sizes)
    assert len(set(drawn.tolist())) == len(drawn)
    assert np.array_equal(drawn, stratified(truth, sizes, seed=seed))


def test_positions_are_taken_in_order_and_may_repeat():
    whole = dataset([5, 6, 7], [0, 1, 0], np.array([[1.0], [2.0], [3.0]]))
    part = whole.take([2, 0, 2])
    assert part.rows.tolist() == [7, 5, 7]
    assert part.labels.tolist() == [0, 0, 0]
    assert part.features.tolist() == [[3.0], [1.0], [3.0]]
    assert (part.n, part.k, part.sizes().tolist()) == (3, 1, [3, 0])
    assert whole.take(np.array([False, True, False])).rows.tolist() == [6]
    assert whole.take([]).n == 0
