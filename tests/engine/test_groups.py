from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.clustering import canonical_labels
from ofakind.engine.groups import Groups

partitions = st.lists(st.lists(st.integers(0, 4), min_size=9, max_size=9), min_size=1, max_size=6)


def histories(rows):
    groups = [Groups.none(9)]
    for row in rows:
        groups.append(groups[-1].followed_by(canonical_labels(row)))
    return groups[1:]


@given(partitions)
def test_groups_are_the_clusters_under_other_names(rows):
    for row, groups in zip(rows, histories(rows), strict=True):
        np.testing.assert_array_equal(canonical_labels(groups.ids), canonical_labels(row))


@given(partitions)
def test_a_group_that_did_not_change_keeps_its_id_and_a_new_id_was_never_used(rows):
    seen, before = set(), {}
    for groups in histories(rows):
        members = {frozenset(np.flatnonzero(groups.ids == one)): int(one) for one in set(groups.ids.tolist())}
        for objects, one in members.items():
            assert before.get(objects, one) == one
        fresh = set(members.values()) - set(before.values())
        assert not fresh & seen
        before, seen = members, seen | set(members.values())


@given(partitions)
def test_no_other_group_could_take_an_id_with_more_objects_in_common(rows):
    history = histories(rows)
    for old, new in pairwise(history):
        common = {
            (a, b): int(((old.ids == a) & (new.ids == b)).sum())
            for a in set(old.ids.tolist())
            for b in set(new.ids.tolist())
        }
        for (a, b), size in common.items():
            if a != b and size:  # one of the two has a better match, or one as good
                assert max(common.get((a, a), 0), common.get((b, b), 0)) >= size


def test_a_split_leaves_the_others_ids_alone():
    before = Groups.none(9).followed_by(np.array([0, 0, 0, 0, 1, 1, 1, 2, 2]))
    after = before.followed_by(np.array([0, 1, 1, 1, 2, 2, 2, 3, 3]))
    assert after.ids.tolist() == [3, 0, 0, 0, 1, 1, 1, 2, 2]


def test_when_two_groups_merge_the_larger_one_gives_the_id_and_the_other_id_is_not_used_again():
    before = Groups.none(5).followed_by(np.array([0, 0, 1, 1, 1]))
    merged = before.followed_by(np.zeros(5, int))
    assert merged.ids.tolist() == [1] * 5
    assert merged.followed_by(np.array([0, 0, 1, 1, 1])).ids.tolist() == [2, 2, 1, 1, 1]


def test_a_learners_groups_follow_its_labels_from_round_to_round():
    truth = np.repeat(np.arange(4), 10)
    learner, oracle = ok.ActiveClustering(40, seed=3), ok.NoisyOracle(truth, gamma=0.2, seed=3)
    kept = []
    for _ in range(12):
        before = learner.groups
        learner.tell(pairs := learner.ask(20), oracle(pairs))
        np.testing.assert_array_equal(canonical_labels(learner.groups), learner.labels)
        same = ok.adjusted_rand_index(before, learner.groups)
        kept.append((same, np.mean(before == learner.groups)))
    late = [share for same, share in kept if same > 0.9]
    assert late
    assert min(late) > 0.85
