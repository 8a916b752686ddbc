"""Pairs to check by hand."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError
from ofakind.project.doubtful import DoubtfulPair, wrong_partners_of
from twins.projects import IDS, PLACES


def test_a_pair_that_was_answered_or_pinned_is_not_in_doubt(places):
    told = {frozenset((one.left_id, one.right_id)) for one in places.answers}
    left = [{one.left_id, one.right_id} for one in places.doubtful()]
    assert all(pair not in told for pair in left)
    for pair in left:
        places.pin(tuple(pair), same=False)
    assert all({one.left_id, one.right_id} not in left for one in places.doubtful())


@pytest.mark.slow
def test_the_pairs_on_which_most_hangs_come_first_and_each_two_groups_once(tmp_path):
    rows = [{**row, "id": f"{row['id']}{n}"} for n in range(4) for row in PLACES]
    with ok.new_project(rows, "id", path=tmp_path / "a.ofk") as project:
        for question in project.ask(8):
            project.tell(question, 1.0 if question.left_id[:2] == question.right_id[:2] else -1.0)
        pairs, labels = project.doubtful(), project.labels()
    assert pairs
    weights = [min(one.probability, 1 - one.probability) * one.at_stake for one in pairs]
    assert weights == sorted(weights, reverse=True)
    for one in pairs:
        assert one.together == (labels[one.left_id] == labels[one.right_id])
    between = [frozenset((labels[o.left_id], labels[o.right_id])) for o in pairs if not o.together]
    assert len(between) == len(set(between))


def test_what_may_be_wrong_by_a_pair_is_what_hangs_on_it_times_the_other_answer():
    assert DoubtfulPair("a", "b", 0.25, together=False, at_stake=8).expected == 2
    assert DoubtfulPair("a", "b", 0.75, together=True, at_stake=8).expected == 2


def test_the_wrong_pairs_of_objects_are_those_of_its_definition():
    samples, groups = np.array([[0, 0, 1], [0, 1, 1]], np.int32), np.array([7, 7, 9])
    assert wrong_partners_of(samples, groups) == pytest.approx([0.5, 1.0, 0.5])


def test_R10_hardly_any_objects_are_in_no_doubt(tmp_path):
    for n in (0, 1, 2):
        with ok.new_project(IDS[:n], path=tmp_path / f"{n}.ofk") as project:
            assert len(project.doubtful()) <= 1
            assert len(project.describe()) == len(project.groups())
            assert project.frame("groups") == project.frame()


def test_a_limit_is_at_least_one(places):
    with pytest.raises(InvalidInputError, match="limit"):
        places.doubtful(0)
