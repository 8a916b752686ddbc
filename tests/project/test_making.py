"""New projects from Python: what is known already, what is shown, and any data frame."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import ofakind as ok
from ofakind.errors import ContradictingPinsError, InvalidInputError
from ofakind.project.events import read_event

ROWS = [
    {"key": 1, "name": "Joe's Diner", "kind": "x"},
    {"key": 2, "name": "Joes Diner", "kind": "x"},
    {"key": 3, "name": "The Ritz", "kind": None},
    {"key": 4, "name": "Ritz", "kind": "y"},
]
FRAMES = [list, pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).to_arrow()]


@pytest.mark.parametrize("make", FRAMES)
def test_what_is_known_already_comes_from_any_data_frame(path, make):
    must = make([{"l": 1, "r": 2}]) if make is not list else [(1, 2)]
    options = {"must_link": must, "cannot_link": [(3, 1)], "groups": "kind", "show": "name"}
    with ok.new_project(make(ROWS), "key", path=path, **options) as project:
        assert project.why(1, 2).pinned is True
        assert project.why(1, 3).pinned is False
        said = [(one.left_id, one.right_id, one.value, one.annotator) for one in project.answers]
        assert said == [(1, 2, 1.0, "kind")]
        assert project.show == ("name",)
        assert project.features_used.fields == ("name",)
        assert bool(project.check(replay=True))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"must_link": [(1, 2), (2, 3)], "cannot_link": [(1, 3)]}, "1 = 2, 2 = 3"),
        ({"must_link": [(1, 2)], "cannot_link": [(2, 1)]}, "1 and 2 are in the must-link list and in the"),
        ({"must_link": [(1, 9)]}, "row 0 of the must-link: 9 is no object"),
        ({"cannot_link": [(1, 1)]}, "row 0 of the cannot-link pairs 1 with itself"),
        ({"must_link": [(1, 2, 3)]}, "expected two ids"),
        ({"groups": "colour"}, "groups is 'colour'; expected one of the columns: name, kind"),
        ({"show": ["name", "colour"]}, "show has 'colour'; expected some of name, kind"),
    ],
)
def test_what_cannot_be_known_is_refused_and_nothing_is_made(path, options, words):
    with pytest.raises(InvalidInputError, match=words):
        ok.new_project(ROWS, "key", path=path, **options)
    assert list(path.parent.iterdir()) == []


def test_lists_that_contradict_each_other_are_pins_that_do(path):
    with pytest.raises(ContradictingPinsError):
        ok.new_project([1, 2, 3], path=path, must_link=[(1, 2), (2, 3)], cannot_link=[(1, 3)])


def test_answers_that_groups_became_can_be_taken_back_one_by_one(path):
    with ok.new_project(ROWS, "key", path=path, groups="name") as project:
        assert project.answers == []
    rows = [{"key": key, "kind": "x"} for key in range(4)]
    with ok.new_project(rows, "key", path=path.with_name("b.ofk"), groups="kind") as project:
        assert len(project.answers) == 3
        project.undo(annotator="kind")
        assert sum(one.in_force for one in project.answers) == 2


def test_a_path_is_read_as_the_command_reads_it(tmp_path):
    file = Path(tmp_path, "p.csv")
    file.write_text("id,name\n007,Joe's Diner\n8,Joes Diner\n", encoding="utf-8")
    with ok.new_project(file, "id", path=tmp_path / "a.ofk") as project:
        assert project.ids == ("007", "8")
        assert project.contents(8) == {"name": "Joes Diner"}


def test_logs_from_before_columns_were_chosen_are_read_as_they_were():
    bodies = {
        "created": '{"format":1,"ofakind":"0.1.0","options":{},"question":"?","seed":0}',
        "objects": '{"columns":{},"features":true,"ids":["a"],"source":"1 ids"}',
        "features": '{"digest":"%s","fields":null,"pairs":null,"scores":null,"vectors":null}' % ("0" * 64),
    }
    for kind, body in bodies.items():
        assert read_event(kind, body).body() == body


@pytest.mark.parametrize("grades", [True, False])
def test_whether_a_project_asks_for_grades_is_in_its_log(path, grades):
    ok.new_project(ROWS, "key", path=path, grades=grades).close()
    with ok.open_project(path, read_only=True) as project:
        assert project.grades is grades
    with pytest.raises(InvalidInputError, match="grades is 'yes'"):
        ok.new_project(ROWS, "key", path=path.with_name("other.ofk"), grades="yes")
    assert not path.with_name("other.ofk").exists()
