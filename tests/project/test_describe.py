"""What groups are known by: names, faces, and how sure they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.errors import InvalidInputError
from ofakind.project.describe import Vocabulary, belonging, given_names, members_by_group
from ofakind.project.events import GroupNamed
from twins.projects import KINDS_OF_PLACES, right


def slow_belonging(samples, groups):
    """The definition, pair by pair."""
    n = len(groups)
    for one in range(n):
        others = [other for other in range(n) if other != one and groups[other] == groups[one]]
        if others:
            yield np.mean([[sample[one] == sample[other] for other in others] for sample in samples])
        else:
            alone = [all(sample[one] != sample[o] for o in range(n) if o != one) for sample in samples]
            yield np.mean(alone)


@given(st.integers(1, 8), st.integers(1, 5), st.integers(0, 10**6))
def test_how_sure_it_is_that_an_object_belongs_is_its_mean_share_of_samples(n, count, seed):
    rng = np.random.default_rng(seed)
    samples, groups = rng.integers(0, 3, (count, n)), rng.integers(0, 3, n) * 10
    canonical = np.array([np.unique(sample, return_inverse=True)[1] for sample in samples], np.int32)
    assert belonging(canonical, groups) == pytest.approx(list(slow_belonging(samples, groups)))


def test_the_face_is_the_most_typical_member_and_of_equal_ones_the_first():
    groups, sure = np.array([4, 4, 4, 7]), np.array([0.5, 0.9, 0.9, 1.0])
    assert members_by_group(groups, sure) == {4: [1, 2, 0], 7: [3]}
    assert members_by_group(groups, None) == {4: [0, 1, 2], 7: [3]}


def test_telling_words_are_common_in_the_group_and_rare_elsewhere():
    columns = {"text": ["green parrot shop", "green parrot bar", "shop bar", "bar shop", "green shop"]}
    assert Vocabulary(columns, 5).name([0, 1]) == "green parrot"


def test_words_are_written_as_the_face_has_them_and_numbers_only_where_there_is_nothing_else():
    columns = {"name": ["Joe's DINER 12", "JOE'S diner 12", "x"], "code": [7, 7, 8]}
    assert Vocabulary(columns, 3).name([0, 1]) == "Joe's DINER"
    assert Vocabulary({"code": ["12 34", "56"]}, 2).name([0]) == "12 34"
    assert Vocabulary({"number": [1, 2]}, 2).name([0]) == ""


def test_a_group_without_words_is_called_by_the_id_of_its_face(project):
    names = {one.face: one.name for one in project.describe()}
    assert names
    assert all(str(face) == name for face, name in names.items())


def test_groups_are_described_with_their_members_and_how_sure_they_are(places):
    found = {one.face: one for one in places.describe()}
    assert sorted(len(one) for one in found.values()) == [1, 2, 3]
    diner = next(one for one in found.values() if len(one) == 3)
    assert diner.name.startswith("Joe")
    assert diner.members[0] == diner.face
    assert set(diner.members) == {"a7", "b2", "f6"}
    assert 0.5 < diner.confidence <= 1
    assert not diner.named
    assert sum(one.wrong_pairs for one in found.values()) == pytest.approx(
        2 * places.status().expected_wrong_pairs
    )


# -- names that people give --------------------------------------------------------------------------------


def group_of(project, one):
    return next(group for group in project.describe() if one in group.members)


def test_a_group_can_be_renamed_and_it_can_be_undone_and_replayed(places):
    before, group = group_of(places, "a7").name, places.labels()["a7"]
    event = places.rename(group, "The diners", annotator="Ada")
    assert (group_of(places, "a7").name, group_of(places, "a7").named) == ("The diners", True)
    assert places.check(replay=True)
    with ok.open_project(places.path, read_only=True) as again:
        assert group_of(again, "f6").name == "The diners"
    assert places.undo() == event + 1
    assert group_of(places, "a7").name == before
    places.undo(event + 1)
    assert group_of(places, "a7").name == "The diners"
    places.rename(group, "")
    assert group_of(places, "a7").name == before


def test_a_name_changes_nothing_that_the_learner_does(tmp_path):
    questions = []
    for named in (False, True):
        with ok.new_project([*KINDS_OF_PLACES], path=tmp_path / f"{named}.ofk") as project:
            project.tell(("a7", "b2"), 1)
            if named:
                project.rename(project.labels()["a7"], "Diners")
            questions.append([(one.left_id, one.right_id) for one in project.ask(3)])
    assert questions[0] == questions[1]


@pytest.mark.slow
def test_a_name_survives_rounds(project):
    for question in project.ask(12):
        project.tell(question, right(question))
    group = max(project.describe(), key=len)
    project.rename(group.group, "Thirds")
    for _ in range(4):
        for question in project.ask(4):
            project.tell(question, right(question))
        holders = [one for one in project.describe() if one.name == "Thirds"]
        assert len(holders) == 1
        kept = len(set(holders[0].members) & set(group.members))
        assert kept == max(len(set(one.members) & set(group.members)) for one in project.describe())


def test_a_name_goes_with_the_objects_it_was_given_to_even_if_numbers_change(project):
    """Groups that no question has seen yet may be numbered anew; their names must not move to others."""
    for left, other in (("o0", "o1"), ("o0", "o2"), ("o1", "o2")):
        project.tell((left, other), -1.0)
    project.tell(("o3", "o4"), 1.0)
    project.rename(project.labels()["o3"], "Threes")
    project.tell(("o0", "o1"), 1.0)
    project.tell(("o0", "o1"), 1.0)
    assert group_of(project, "o3").name == "Threes"
    assert [one.name for one in project.describe()].count("Threes") == 1


def test_of_two_names_for_one_group_the_later_one_counts():
    named = [GroupNamed(0, "first", (0,), ""), GroupNamed(1, "second", (1,), "")]
    assert given_names(named, np.array([5, 5])) == {5: "second"}
    assert given_names(named, np.array([0, 1])) == {0: "first", 1: "second"}
    assert given_names([*named, GroupNamed(1, "", (1,), "")], np.array([0, 1])) == {0: "first"}


@pytest.mark.parametrize("group", [99, -1, "0", None])
def test_a_group_that_is_not_there_cannot_be_named(places, group):
    last = places.status().last
    with pytest.raises(InvalidInputError):
        places.rename(group, "x")
    with pytest.raises(InvalidInputError, match="at most 200"):
        places.rename(places.labels()["a7"], "x" * 201)
    assert places.status().last == last
