"""What is left to ask, and what the next questions may bring."""

import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError
from ofakind.project.curve import CurvePoint
from ofakind.project.prospect import by_pace
from twins.projects import IDS, right


def point(answers, expected):
    return CurvePoint(0, answers, expected, 0.0, 2 * expected, 3, open_ended=False)


def test_before_anything_means_anything_it_is_too_early_to_say(project):
    status, ahead = project.status(), project.prospect()
    assert status.lacking == 12
    assert status.wrong == "too early to say how many pairs are wrong (about 12 more answers)"
    assert status.limits == (None, None)
    assert ahead.fewer_wrong_pairs is None
    assert ahead.next == "too early to say"
    assert "no forecast yet" in ahead.left


@pytest.mark.slow
def test_once_groups_show_there_are_numbers_and_the_target_is_reached_in_the_end(project):
    while questions := project.ask(6):
        for question in questions:
            project.tell(question, right(question))
    status, ahead = project.status(), project.prospect(0.05)
    assert status.lacking == 0
    assert "wrong pair" in status.wrong
    assert ahead.forecast.target == 0.95
    assert ahead.forecast.reached
    assert "no more questions" in ahead.left
    assert ahead.fewer_wrong_pairs == 0


def test_the_pace_is_that_of_the_last_third_of_the_answers_taken_at_half():
    points = [point(answers, 100 * 0.5 ** (answers / 30)) for answers in range(0, 91, 10)]
    fewer, over = by_pace(points, 60)
    assert over == 30
    assert fewer == pytest.approx(12.5 / 2)  # 60 at half the pace is one halving of what is left


@pytest.mark.parametrize(
    ("points", "expected"),
    [([], (None, 0)), ([point(1, 5.0)], (None, 0)), ([point(1, 5.0), point(9, 4.0)], (None, 0)),
     ([point(0, 5.0), point(40, 0.0)], (0.0, 0)), ([point(0, 5.0), point(40, 9.0)], (0.0, 40))],
)  # fmt: skip
def test_where_there_is_no_pace_nothing_is_said_and_where_it_rises_nothing_is_promised(points, expected):
    assert by_pace(points, 100) == expected


@pytest.mark.parametrize("target", [0, 0.0001, 0.95, 2, float("nan"), "x"])
def test_a_target_that_cannot_be_is_refused(project, target):
    with pytest.raises(InvalidInputError, match="target"):
        project.prospect(target)


def test_R10_hardly_any_objects_have_a_prospect(tmp_path):
    for n in (0, 1, 2):
        with ok.new_project(IDS[:n], path=tmp_path / f"{n}.ofk") as project:
            assert project.prospect().fewer_wrong_pairs is None
            assert "too early" in project.status().wrong
