"""The command that shows the evidence between two objects."""

import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from ofakind.cli.why import side_by_side
from twins.judged_projects import new_judged_project


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], prog_name="ofakind")


def test_both_records_the_answers_and_the_groups_are_shown(places_path):
    printed = run("why", places_path, "a7", "b2").stdout
    assert "They are together: P(same) is " in printed
    assert "Ada said the same" in printed
    assert "connected by a7 = b2" in printed
    assert "both are in group " in printed
    rows = [line.split() for line in printed.splitlines()]
    assert ["•", "name", "Joe's", "Diner", "Joes", "Diner"] in rows
    assert ["city", "Rome", "Rome"] in rows


def test_objects_that_are_apart_have_their_own_groups(places_path):
    printed = run("why", places_path, "a7", "c3").stdout
    assert "They are apart" in printed
    assert "Ada said different" in printed
    assert "a7 is in group" in printed
    assert "c3 is in group" in printed


def test_each_judge_that_looked_at_them_is_named_with_its_score(tmp_path):
    path = tmp_path / "judged.ofk"
    with new_judged_project(path) as project:
        project.judge(lambda *_: 0.9, 10, name="small\x1b[2J")
        left, right, *_ = project.judged()[0]
        project.judge(lambda one, _: 1.0 if one["id"] == left else 0.25, name="other", swap_share=1.0)
        assert project.why(left, right).judges == (("small\x1b[2J", 0.9), ("other", 0.625))
        assert "other says 0.62" in str(project.why(right, left))
    printed = run("why", path, left, right).stdout
    assert "\n  small\\x1b[2J says 0.9\n  other says 0.62\n" in printed


def test_records_stand_in_columns_and_long_cells_are_cut():
    left, right = {"name": "x" * 99, "a": None}, {"name": "y", "a": "b"}
    lines = side_by_side(("1", "2"), (left, right))
    assert len({line.index(word) for line, word in zip(lines, ("2", "y", "b"), strict=True)}) == 1
    assert "x" * 39 + "…" in lines[1]


def test_ids_that_are_numbers_are_found_as_they_are_typed(tmp_path):
    with ok.new_project([7, 8, -9], path=tmp_path / "a.ofk") as project:
        project.tell((7, 8), 0.4, "Ada")
    assert "rather the same (+0.4)" in run("why", tmp_path / "a.ofk", "8", "7").stdout
    assert run("why", tmp_path / "a.ofk", "7", "--", "-9").exit_code == 0


@pytest.mark.parametrize(
    ("pair", "words"), [(("a7", "zz"), "'zz' is no object"), (("a7", "a7"), "paired with itself")]
)
def test_what_is_no_pair_is_refused(places_path, pair, words):
    result = run("why", places_path, *pair)
    assert result.exit_code == 2
    assert words in result.stderr
