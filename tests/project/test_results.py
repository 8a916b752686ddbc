"""Results as tables and data frames."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError, TooLargeError
from ofakind.project import results
from ofakind.project.results import RESULTS, as_frame, most_frequent
from twins.projects import KINDS_OF_PLACES, PLACES, answer_places


def rows_of(project, what, **options):
    return project.frame(what, **options)


def test_groups_hold_every_object_once_with_its_group_and_how_sure_it_is(places):
    rows = rows_of(places, "groups")
    assert [row["id"] for row in rows] == [row["id"] for row in PLACES]
    assert {row["id"]: row["group"] for row in rows} == places.labels()
    assert all(0 <= row["confidence"] <= 1 for row in rows)
    assert list(rows[0]) == ["id", "group", "group_name", "confidence"]


def test_groups_may_bring_the_records_own_columns_in_their_order(places):
    first = rows_of(places, "groups", columns=True)[0]
    assert list(first) == ["id", "group", "group_name", "confidence", "name", "city", "stars"]
    assert (first["name"], first["stars"]) == ("Joe's Diner", 3)


def test_columns_keep_their_order_when_a_project_is_opened_again(places):
    places.close()
    with ok.open_project(places.path, read_only=True) as again:
        assert list(again.columns) == ["name", "city", "stars"]


def test_a_column_that_is_called_like_one_of_ours_is_kept_beside_it(tmp_path):
    rows = [{"group": "mine", "confidence": "high", "group_name": "x", "group_": "y"}] * 2
    with ok.new_project(rows, path=tmp_path / "a.ofk", fields=()) as project:
        first = rows_of(project, "groups", columns=True)[0]
    assert (first["group"], first["group_"], first["group__"]) == (0, "mine", "y")
    assert len(first) == 8


def test_a_golden_record_has_the_most_frequent_value_of_each_column(places):
    golden = {row["size"]: row for row in rows_of(places, "golden")}
    assert (golden[3]["name"], golden[3]["city"], golden[3]["stars"]) == ("Joe's Diner", "Rome", 3)
    assert golden[2]["name"] == "The Ritz"  # of two that are equally frequent, the first
    assert sum(golden) == 6


def test_what_is_missing_is_no_value_of_a_golden_record_and_one_is_not_true():
    assert most_frequent([None, "", 1, True, True]) is True
    assert most_frequent([1, 1.0, 1]) == 1
    assert most_frequent([]) is None


def test_answers_are_all_there_with_what_became_of_them(places):
    wrong = places.tell(("a7", "c3"), 1.0, "Bob")
    places.undo(annotator="Bob")
    rows = rows_of(places, "answers")
    assert len(rows) == len(places.answers)
    last = next(row for row in rows if row["event"] == wrong)
    assert (last["annotator"], last["value"], last["in_force"], last["together"]) == (
        "Bob",
        1.0,
        False,
        False,
    )


def test_pairs_hold_all_that_are_together_and_all_that_were_answered(places):
    rows = rows_of(places, "pairs")
    found = {frozenset((row["left_id"], row["right_id"])): row for row in rows}
    assert len(found) == len(rows)
    same = [pair for pair in found if len({KINDS_OF_PLACES[one] for one in pair}) == 1]
    assert len(same) == 4
    assert all(found[pair]["together"] for pair in same)
    assert {frozenset((one.left_id, one.right_id)) for one in places.answers} <= found.keys()
    likely = rows_of(places, "pairs", least=0.5)
    assert 0 < len(likely) < len(rows)
    assert all(row["probability"] >= 0.5 for row in likely)


def test_too_many_pairs_are_refused_with_their_number(places, monkeypatch):
    monkeypatch.setattr(results, "MOST_PAIRS", 3)
    with pytest.raises(TooLargeError, match="4 of 15 pairs are together; expected at most 3"):
        places.pairs()


def test_links_are_pins_and_what_answers_say_on_average_and_undecided_ones_are_none(tmp_path):
    with ok.new_project(["a", "b", "c", "d"], path=tmp_path / "a.ofk") as project:
        project.tell(("a", "b"), 1.0)
        project.tell(("a", "b"), -0.5)
        project.tell(("a", "c"), 1.0)
        project.tell(("a", "c"), -1.0)
        project.tell(("b", "c"), 1.0)
        project.pin(("b", "c"), same=False)
        links, labels = project.links(), rows_of(project, "splink")
        must, cannot = rows_of(project, "must-link"), rows_of(project, "cannot-link")
    assert links == [("a", "b", 0.25, "answers"), ("a", "c", 0.0, "answers"), ("b", "c", -1.0, "pin")]
    assert must == [{"left_id": "a", "right_id": "b"}]
    assert cannot == [{"left_id": "b", "right_id": "c"}]
    assert [tuple(row.values()) for row in labels] == [("a", "b", 0.625), ("a", "c", 0.5), ("b", "c", 0.0)]
    assert list(labels[0]) == ["unique_id_l", "unique_id_r", "clerical_match_score"]


def test_labels_for_dedupe_are_couples_of_records(places):
    rows = rows_of(places, "dedupe")
    assert len(rows) == len(places.links())
    first = rows[0]
    assert first["match"] is True
    assert [one["name"] for one in first["records"]] == ["Joe's Diner", "Joes Diner"]


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist], ids=["pandas", "polars", "pyarrow"]
)
def test_results_come_as_the_kind_of_frame_that_came_in_also_later(tmp_path, make):
    given = make(PLACES)
    with ok.new_project(given, "id", path=tmp_path / "a.ofk") as project:
        answer_places(project)
    with ok.open_project(tmp_path / "a.ofk", read_only=True) as project:
        for what in RESULTS:
            assert type(project.frame(what)) is type(given), what
        assert len(project.frame("groups")) == 6


def test_without_a_frame_or_its_package_results_are_dictionaries():
    assert as_frame({"a": [1]}, None) == [{"a": 1}]
    assert as_frame({"a": [1]}, "a package that is not here") == [{"a": 1}]


def test_what_is_no_table_is_refused_by_name(places):
    with pytest.raises(InvalidInputError, match="what is 'group'"):
        places.frame("group")
    for options in ({"least": 2}, {"limit": 0}, {"columns": "yes"}):
        with pytest.raises(InvalidInputError):
            places.frame("pairs", **options)


def test_results_are_plain_values_that_json_has(places):
    for what in RESULTS:
        assert json.dumps(places.frame(what), allow_nan=False)
