"""Features of projects: from text, vectors and scores, and of objects that come later."""

import numpy as np
import pandas as pd
import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError
from ofakind.project.id_pairs import read_id_scores

NAMES = ["Joe's Diner", "Joes Diner", "The Ritz", "Ritz", "Blue Note", "Bluenote"]
TABLE = pd.DataFrame({"id": [f"r{number}" for number in range(6)], "name": NAMES, "n": range(6)})
IDS = list(TABLE["id"])
VECTORS = np.random.default_rng(0).normal(size=(6, 3))
SCORES = [("r0", "r1", 0.9), ("r4", "r2", 0.2)]


def prior_of(project):
    project._follow()
    return project._model.learner.prior


def same_graph(one, other):
    assert one.names == other.names
    assert one.pairs == other.pairs
    assert np.array_equal(one.features, other.features)


def test_text_columns_are_the_prior_and_the_id_is_not(path):
    with ok.new_project(TABLE, "id", path=path) as project:
        expected = ok.Neighbours.from_records(TABLE[["name", "n"]])
        same_graph(prior_of(project), expected)
        assert project.contents("r1") == {"name": "Joes Diner", "n": 1}
        assert "features alone" in str(project.why("r0", "r1"))


def test_fields_can_be_named_or_left_out(tmp_path):
    with ok.new_project(TABLE, "id", path=tmp_path / "a.ofk", fields="name") as project:
        same_graph(prior_of(project), ok.Neighbours.from_records(TABLE, "name"))
    with ok.new_project(TABLE, "id", path=tmp_path / "b.ofk", fields=()) as project:
        assert prior_of(project) is None
    with pytest.raises(InvalidInputError, match="fields has 'nam'; expected some of name, n"):
        ok.new_project(TABLE, "id", path=tmp_path / "c.ofk", fields=["nam"])
    assert not (tmp_path / "c.ofk").exists()


def test_records_that_say_nothing_have_no_prior(tmp_path):
    for number, rows in enumerate([[{"x": 1}, {"x": 2}], [{"id": "a"}, {"id": "b"}]]):
        with ok.new_project(rows, path=tmp_path / f"{number}.ofk") as project:
            assert prior_of(project) is None


def test_vectors_and_scores_are_in_the_file(path):
    with ok.new_project(IDS, path=path, vectors=VECTORS, scores=SCORES) as project:
        base = ok.Neighbours.from_vectors(VECTORS)
        expected = ok.Neighbours.from_scores([(0, 1), (2, 4)], [0.9, 0.2], on=base)
        same_graph(prior_of(project), expected)
        project._books.file.empty_cache()
        project._saved = project._model.through
    with ok.open_project(path) as project:
        same_graph(prior_of(project), expected)
        assert project.status().notes == ()


def test_scores_alone_are_a_prior_for_all_objects(path):
    frame = pd.DataFrame(SCORES, columns=["unique_id_l", "unique_id_r", "match_probability"])
    with ok.new_project(IDS, path=path, scores=frame) as project:
        same_graph(prior_of(project), ok.Neighbours.from_scores([(0, 1), (2, 4)], [0.9, 0.2], 6))


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([("r0", "x", 1)], "row 0 of the scores: 'x' is no object"),
        ([("r0", "r1", 1), ("r0", "r0", 1)], "row 1 of the scores pairs 'r0' with itself"),
        ([("r0", "r1")], "row 0 .* expected two ids and a number"),
        ([("r0", "r1", "high")], "row 0 .* 'high'; expected a number"),
        ("r0", "come as a str"),
        ([7], "row 0 of the scores is 7"),
    ],
)
def test_R11_scores_that_cannot_be_are_refused_with_their_row(path, scores, words):
    with pytest.raises(InvalidInputError, match=words):
        ok.new_project(IDS, path=path, scores=scores)
    assert not path.exists()


def test_scores_may_name_ids_in_either_order():
    pairs, values = read_id_scores(np.array([[1, 0, 0.5]]).tolist(), [0, 1])
    assert (pairs.tolist(), values.tolist()) == ([[1, 0]], [0.5])


def test_later_objects_get_the_graph_that_all_together_have(path):
    more = [{"id": "r6", "name": "Blue Notes", "n": 6}, {"id": "r7", "name": "joes diner", "n": 7}]
    with ok.new_project(TABLE, "id", path=path) as project:
        before = prior_of(project)
        project.add(more, "id")
        rows = TABLE[["name", "n"]].to_dict("records") + [{"name": m["name"], "n": m["n"]} for m in more]
        expected = ok.Neighbours.from_records(rows, before.fields).including(before.pairs)
        same_graph(prior_of(project), expected)
        same_graph(before.extended([{"name": m["name"], "n": m["n"]} for m in more]), expected)
        assert len(project.labels()) == 8
        assert project.check(replay=True)


def test_later_vectors_are_added(path):
    with ok.new_project(IDS, path=path, vectors=VECTORS) as project:
        first = prior_of(project)
        project.add(["r6"], vectors=[[1.0, 0.0, 0.0]])
        every = np.concatenate([VECTORS, [[1.0, 0.0, 0.0]]])
        same_graph(prior_of(project), ok.Neighbours.from_vectors(every).including(first.pairs))
        with pytest.raises(InvalidInputError, match="expected vectors, as before"):
            project.add(["r7"])
        with pytest.raises(InvalidInputError, match="shape"):
            project.add(["r7"], vectors=VECTORS)


def test_objects_that_are_there_already_are_refused(project):
    with pytest.raises(InvalidInputError, match="object 1: the id 'o3' is in the project already"):
        project.add(["new", "o3"])
    with pytest.raises(InvalidInputError, match="without features"):
        project.add(["new"], vectors=[[1.0]])
    assert len(project.ids) == 12
    project.add(["new"])
    assert project.ids[-1] == "new"
    assert project.tell(("new", "o0"), 1)


def test_a_graph_that_is_computed_differently_is_said_to_be(path, monkeypatch):
    """As on a machine with another arithmetic: nothing is lost, and it is said."""
    with ok.new_project(TABLE, "id", path=path) as project:
        project.tell(("r0", "r1"), 1)
    monkeypatch.setattr("ofakind.project.graphs.digest_of", lambda _: "f" * 64)
    with ok.open_project(path) as project:
        project._books.file.empty_cache()
        assert "computed differently" in str(project.check(replay=True))
        assert project.status().n_answers == 1


MEASURED = np.random.default_rng(1).normal(size=(8, 3)) * [1, 1000, 0.001] + [0, 5000, 7]
MEASURES = pd.DataFrame(MEASURED, columns=["width", "weight", "charge"]).assign(row=range(8), unit=1)


def test_three_columns_of_numbers_are_a_prior_each_in_units_of_its_spread(path):
    expected = (MEASURED - MEASURED.mean(axis=0)) / MEASURED.std(axis=0)
    with ok.new_project(MEASURES, path=path) as project:
        same_graph(prior_of(project), ok.Neighbours.from_vectors(expected))
        assert project.contents(3)["unit"] == 1
    with ok.open_project(path) as project:
        project._books.file.empty_cache()
        assert project.check(replay=True)


def test_numbers_of_later_objects_are_measured_with_those_of_before(path):
    with ok.new_project(MEASURES[:6], path=path) as project:
        before = prior_of(project)
        project.add(MEASURES[6:])
        expected = (MEASURED - MEASURED.mean(axis=0)) / MEASURED.std(axis=0)
        same_graph(prior_of(project), ok.Neighbours.from_vectors(expected).including(before.pairs))
        assert project.check(replay=True)


def test_a_number_that_is_missing_is_taken_for_the_mean(path):
    table = MEASURES.astype(float)
    table.loc[0, "width"] = np.nan
    with ok.new_project(table, path=path) as project:
        expected = (MEASURED - MEASURED.mean(axis=0)) / MEASURED.std(axis=0)
        rest = MEASURED[1:, 0]
        expected[:, 0] = [0, *((rest - rest.mean()) / rest.std())]
        same_graph(prior_of(project), ok.Neighbours.from_vectors(expected))


@pytest.mark.parametrize(
    "columns", [["width", "weight"], ["width", "weight", "row"], ["width", "row", "unit"]]
)
def test_fewer_than_three_columns_of_numbers_that_tell_something_are_no_prior(path, columns):
    with ok.new_project(MEASURES[columns], path=path) as project:
        assert prior_of(project) is None


def test_numbers_can_be_left_out(path):
    with ok.new_project(MEASURES, path=path, fields=()) as project:
        assert prior_of(project) is None
