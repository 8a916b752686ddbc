"""Where new objects would belong: against a learner that really got them, and what is refused."""

import copy

import numpy as np
import pytest

import ofakind as ok
from ofakind.cli.demo.people import misspelt_people
from ofakind.errors import InvalidInputError
from ofakind.project.adding import KnownBefore
from ofakind.project.assigning import graph_with
from ofakind.project.choosing import FeatureData
from ofakind.project.objects import read_objects

KNOWN = 120


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """A project that knows its groups well, and records that are not in it."""
    listed = misspelt_people(60, 140, seed=1)
    people = {one["id"]: int(who) for one, who in zip(listed.records, listed.truth, strict=True)}
    path = tmp_path_factory.mktemp("assign") / "people.ofk"
    with ok.new_project(listed.records[:KNOWN], id="id", path=path) as project:
        for _ in range(12):
            for question in project.ask(10):
                same = people[question.left_id] == people[question.right_id]
                project.tell(question, 1.0 if same else -1.0)
        yield project, listed.records[KNOWN:], people


def group_of(project, people, person):
    labels = project.labels()
    return {labels[one] for one in project.ids if people[one] == person}


@pytest.mark.slow
def test_most_new_records_are_placed_where_they_belong_and_strangers_nowhere(answered):
    project, new, people = answered
    found = project.assign(new, "id")
    right = 0
    for one in found:
        theirs = group_of(project, people, people[one.id])
        right += one.group in theirs if theirs else one.group is None
        assert 0 <= one.none <= 1
        assert one.group is None or people[one.nearest] is not None
        assert [p for _, p in one.others] == sorted((p for _, p in one.others), reverse=True)
    assert right >= 0.8 * len(new)
    stranger = {"id": "x", "name": "Zyx Wvut", "street": "1 Qqq Road", "city": "Nowhere", "phone": "1"}
    assert project.assign([stranger], "id")[0].group is None


@pytest.mark.slow
def test_the_probability_is_that_of_a_learner_that_really_got_the_object(answered):
    """The twin: extend the learner by one object, and look at P(same) with its candidates, group by group."""
    project, new, _ = answered
    learner, groups = project._model.learner, project._look().groups
    gaps = []
    for record in new[:12]:
        (placed,) = project.assign([record], "id")
        brought = read_objects([record], "id")
        known = KnownBefore(project._books.ledger, learner.prior, project._books.file.blob)
        graph = graph_with(brought, FeatureData(), known)
        grown = copy.copy(learner)
        grown.extend(1, prior=graph)
        last = graph.n - 1
        others = graph.pairs.u[graph.pairs.v == last]
        same = grown.posterior.same_probability(np.full(len(others), last), others)
        for group, probability in ((placed.group, placed.probability), *placed.others):
            if group is not None:
                gaps.append(abs(same[groups[others] == group].mean() - probability))
    assert len(gaps) > 8  # new ones that nothing is near have none
    assert np.mean(gaps) < 0.05
    assert np.quantile(gaps, 0.9) < 0.2


@pytest.mark.slow
def test_nothing_is_added_or_asked_or_changed(answered):
    project, new, _ = answered
    before = project.check().n_events, project.ids, project.labels()
    assert project.assign(new[:3], "id") == project.assign(new[:3], "id")
    assert (project.check().n_events, project.ids, project.labels()) == before


@pytest.mark.slow
def test_each_object_is_placed_by_itself(answered):
    """A second one that is just like it takes nothing from it."""
    project, new, _ = answered
    (alone,) = project.assign(new[:1], "id")
    twice = project.assign([new[0], {**new[0], "id": "again"}], "id")
    assert twice[0].group == alone.group == twice[1].group
    assert twice[0].probability == pytest.approx(alone.probability, abs=0.15)


@pytest.mark.slow
def test_vectors_and_scores_are_used_as_the_project_has_them(tmp_path):
    rng = np.random.default_rng(0)
    middle = rng.normal(size=(4, 5)) * 8
    vectors = np.repeat(middle, 6, axis=0) + rng.normal(size=(24, 5))
    with ok.new_project([f"v{i}" for i in range(24)], path=tmp_path / "v.ofk", vectors=vectors) as project:
        for question in project.ask(20):
            same = int(question.left_id[1:]) // 6 == int(question.right_id[1:]) // 6
            project.tell(question, 1.0 if same else -1.0)
        (found,) = project.assign(["new"], vectors=middle[2:3])
        assert found.group == project.labels()["v12"]
        with pytest.raises(InvalidInputError, match="expected vectors"):
            project.assign(["new"])
    scores = [("a", "b", 0.99), ("c", "d", 0.99), ("a", "c", 0.01)]
    with ok.new_project(list("abcd"), path=tmp_path / "s.ofk", scores=scores) as project:
        (found,) = project.assign(
            ["new"], scores=[("new", "a", 0.98), ("new", "b", 0.97), ("new", "c", 0.02)]
        )
        assert found.group == project.labels()["a"]
        assert found.nearest == "a"
        with pytest.raises(InvalidInputError, match="'a' is in the project already"):
            project.assign(["a"], scores=[("a", "b", 0.5)])


def test_without_features_it_is_refused_with_what_to_do(tmp_path):
    with (
        ok.new_project(["a", "b", "c"], path=tmp_path / "a.ofk") as project,
        pytest.raises(InvalidInputError, match=r"no features, so .* nothing is known .*ofakind add"),
    ):
        project.assign(["d"])


@pytest.mark.slow
def test_R10_two_objects_are_enough_to_be_compared_with(tmp_path):
    two = [{"id": "a", "name": "Joe's Diner", "city": "Rome"}, {"id": "b", "name": "Ritz", "city": "Paris"}]
    with ok.new_project(two, id="id", path=tmp_path / "a.ofk", fields=("name", "city")) as project:
        (found,) = project.assign([{"id": "n", "name": "Joes Diner", "city": "Rome"}], "id")
        assert found.group in (None, project.labels()["a"])
