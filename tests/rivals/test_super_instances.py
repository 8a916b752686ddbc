"""Super-instances: checked features, representatives and splitting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from ofakind.errors import InvalidInputError
from ofakind.rivals.super_instances import (
    SPLIT,
    Features,
    SuperInstance,
    labels_of,
    largest,
    one_cluster,
    split,
)
from twins.cobras import inertia, least_inertia


def parts_of(rows, k, seed=0):
    features = Features.of(rows, len(rows))
    whole = SuperInstance.of(np.arange(len(rows)), features)
    return [
        part.members.tolist() for part in split(whole, k, features=features, rng=np.random.default_rng(seed))
    ]


def labels_from(parts):
    labels = np.empty(sum(map(len, parts)), int)
    for label, members in enumerate(parts):
        labels[members] = label
    return labels.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "COBRAS splits by features; pass features=X"),
        ([1.0, 2.0, 3.0], r"shape \(3,\); expected \(3, d\)"),
        ([[1.0], [2.0]], r"shape \(2, 1\); expected \(3, d\)"),
        ([[], [], []], r"shape \(3, 0\); expected \(3, d\)"),
        (np.zeros((3, 2, 2)), r"shape \(3, 2, 2\)"),
        ([["a"], ["b"], ["c"]], "features have type <U1; expected numbers"),
        ([[1j], [2], [3]], "features have type complex128; expected numbers"),
        ([[0, 1], [2, np.nan], [4, 5]], "feature 1 of object 1 is nan; expected finite numbers"),
        ([[0.0], [1.0], [-np.inf]], "feature 0 of object 2 is -inf"),
        (
            [[0.0], [1e101], [1.0]],
            "feature 0 of object 1 is 1e.101; expected finite numbers up to 1e.100",
        ),
        ([[0.0], [1.0, 2.0], [3.0]], "rows of different lengths"),
        (object(), "features come as a object"),
    ],
)
def test_malformed_features_are_refused_with_what_was_got(given, message):
    with pytest.raises(InvalidInputError, match=message):
        Features.of(given, 3)


@pytest.mark.parametrize("rows", [np.zeros((3, 1), bool), np.zeros((3, 1), np.uint8), [[0], [1], [2]]])
def test_numbers_of_any_kind_become_floats(rows):
    assert Features.of(rows, 3).rows.dtype == np.float64


@pytest.mark.parametrize("nothing", [[], np.empty((0, 4))])
def test_no_objects_need_no_rows(nothing):
    features = Features.of(nothing, 0)
    assert one_cluster(features) == []
    assert labels_of([], 0).tolist() == []


def test_the_features_of_the_caller_are_neither_changed_nor_held():
    rows = np.arange(6.0).reshape(3, 2)
    features = Features.of(rows, 3)
    rows[:] = 7
    assert features.rows.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_identical_rows_are_of_one_kind_and_a_signed_zero_is_a_zero():
    kinds = Features.of([[0.0, 1.0], [1.0, 0.0], [-0.0, 1.0]], 3).kinds
    assert kinds[0] == kinds[2] != kinds[1]


def test_the_representative_is_the_member_closest_to_the_centroid():
    features = Features.of([[0.0], [100.0], [4.0], [5.0]], 4)
    instance = SuperInstance.of(np.array([0, 2, 3]), features)
    assert (instance.centroid.tolist(), instance.representative, len(instance)) == ([3.0], 2, 3)


def test_on_ties_the_first_member_represents():
    features = Features.of([[9.0], [1.0], [-1.0], [1.0], [-1.0]], 5)
    assert SuperInstance.of(np.array([1, 2, 3, 4]), features).representative == 1


def test_the_largest_is_the_first_of_the_largest_that_can_be_split():
    features = Features.of(np.arange(9.0).reshape(-1, 1), 9)
    one, two, other, three = (
        SuperInstance.of(np.array(members), features) for members in ([0], [1, 2], [3, 4], [5, 6, 7])
    )
    assert largest([[one, two], [three], [other]]) is three
    three.tried = True
    assert largest([[one, two], [three], [other]]) is two
    assert largest([[one], [three]]) is None
    assert largest([]) is None


@pytest.mark.slow
@given(data=st.data())
def test_few_members_get_the_best_of_all_partitions(data):
    m = data.draw(st.integers(2, SPLIT.few - 1))
    k = data.draw(st.integers(2, min(m, 4)))
    rows = np.array(data.draw(st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=m, max_size=m)), float)
    parts = parts_of(rows, k)
    if len(parts) == k:
        assert inertia(rows, labels_from(parts)) == pytest.approx(least_inertia(rows, k), abs=1e-9)
    else:
        assert len(parts) == len(np.unique(rows, axis=0)) < k


@pytest.mark.parametrize("m", [SPLIT.few, SPLIT.few + 1, 60])
@pytest.mark.parametrize("k", [2, 4])
def test_a_split_is_no_worse_than_that_of_scikit_learn(m, k):
    rows = np.random.default_rng(m).normal(size=(m, 3))
    theirs = KMeans(k, n_init=10, random_state=0).fit(rows).inertia_
    assert inertia(rows, labels_from(parts_of(rows, k))) <= theirs * 1.1
    if m <= SPLIT.few:
        assert inertia(rows, labels_from(parts_of(rows, k))) <= theirs * (1 + 1e-9)


@given(
    rows=st.lists(st.tuples(st.sampled_from([0.0, 1.0, 1 + 1e-9, 1e-12, 3.0])), min_size=1, max_size=30),
    k=st.integers(2, 16),
)
def test_parts_are_a_partition_and_identical_rows_stay_together(rows, k):
    parts = parts_of(np.array(rows), k)
    assert sorted(member for part in parts for member in part) == list(range(len(rows)))
    assert 1 <= len(parts) <= k
    assert all(parts)
    of = labels_from(parts)
    assert all(len({of[i] for i in range(len(rows)) if rows[i] == row}) == 1 for row in rows)


def test_nearly_identical_rows_are_split_without_a_warning():
    rows = np.repeat([0.0, 1.0], 10) + 1e-9 * np.tile(np.arange(10), 2)
    assert len(parts_of(rows.reshape(-1, 1), 16)) >= 2


def test_a_group_of_identical_rows_is_one_part():
    assert parts_of(np.ones((12, 3)), 4) == [list(range(12))]


def test_two_different_members_become_two():
    assert parts_of([[0.0], [1e-300]], 2) == [[0], [1]]


def test_as_many_parts_as_distinct_rows_are_these_rows():
    assert parts_of(np.array([[2.0], [0.0], [1.0]] * 5), 3) == [list(range(i, 15, 3)) for i in (1, 2, 0)]


def test_the_same_seed_gives_the_same_parts():
    rows = np.random.default_rng(0).uniform(size=(200, 2))
    assert parts_of(rows, 16, seed=3) == parts_of(rows, 16, seed=3)
    assert parts_of(rows, 16, seed=3) != parts_of(rows, 16, seed=4)


def test_labels_say_which_cluster_holds_each_object():
    features = Features.of(np.arange(5.0).reshape(-1, 1), 5)
    first, second, third = (
        SuperInstance.of(np.array(members), features) for members in ([4, 1], [0], [2, 3])
    )
    assert labels_of([[first, second], [third]], 5).tolist() == [0, 0, 1, 1, 0]
