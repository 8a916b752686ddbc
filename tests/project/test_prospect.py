"""What is left to ask, and what the next questions may bring."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.cli.status import left_to_ask
from ofakind.errors import InvalidInputError
from ofakind.project.curve import CurvePoint
from ofakind.project.prospect import Prospect, by_pace, doubtful_beyond
from ofakind.report.forecast import Forecast
from twins.judged_projects import by_kind, new_judged_project, tell_the_truth
from twins.projects import IDS, right
from twins.prospects import ahead_of, said


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


def test_a_target_is_not_called_reached_while_far_more_wrong_pairs_cannot_be_ruled_out():
    labels = np.repeat(np.arange(15), 4)
    by_chance = 2 * 90 * (1770 - 90) / 1770
    three_objects = 3 * 8
    assert doubtful_beyond(labels, said(414), 0.01) == 414
    assert doubtful_beyond(labels, said(three_objects), 0.01) is None
    assert doubtful_beyond(labels, said(414), 0.9) is None  # the target itself is as loose as that
    assert doubtful_beyond(labels, said(5 * 0.1 * by_chance - 1), 0.1) is None
    assert doubtful_beyond(labels, said(5 * 0.1 * by_chance + 1), 0.1) == round(5 * 0.1 * by_chance + 1)
    assert doubtful_beyond(labels, said(float("inf")), 0.01) == 1770
    assert doubtful_beyond(labels[:1], said(0.0), 0.01) is None


def test_a_tight_target_can_be_reached_beside_a_judge():
    """The limit there always allows for 0.7 % of the objects, so that these alone are no reason to doubt."""
    labels = np.repeat(np.arange(250), 4)
    best = said(0.0).with_unseen_errors(labels, judged=True)
    assert best.wrong_pairs_interval[1] == pytest.approx(7 * 8)
    assert doubtful_beyond(labels, best, 0.002) is None
    assert doubtful_beyond(labels, said(10 * 8), 0.002) is None
    assert doubtful_beyond(labels, said(10 * 8 + 1), 0.002) == 81
    for n, size in ((400, 2), (2_000, 20), (20_000, 5)):
        others = np.arange(n) // size
        best = said(0.0).with_unseen_errors(others, judged=True)
        assert doubtful_beyond(others, best, 0.001) is None


def test_what_is_expected_but_not_sure_is_said_so():
    reached = Forecast(0.99, 0.995, 0, 0, 0, 100, featured=True)
    sure, unsure = Prospect(0.01, reached, 100, 0.0), Prospect(0.01, reached, 100, 0.0, doubtful=1414)
    assert sure.reached
    assert not unsure.reached
    assert unsure.left == "perhaps none: up to 1,414 wrong pairs cannot be ruled out yet"
    assert left_to_ask(unsure) == unsure.left
    assert left_to_ask(sure).startswith("nothing: 1 %")


def test_wrong_pairs_are_doubtful_only_where_the_target_is_expected_to_be_reached():
    on_the_way, expected = ahead_of(said(414), index=0.9), ahead_of(said(414), index=0.995)
    assert (on_the_way.doubtful, expected.doubtful) == (None, 414)
    assert not on_the_way.reached
    assert not expected.reached
    assert on_the_way.left == "at least 7 more questions"
    assert "cannot be ruled out" in expected.left
    assert ahead_of(said(20), index=0.995).reached
    assert ahead_of(said(414), index=0.995, reading="people").reached


def test_where_errors_are_correlated_no_number_is_told_of_what_cannot_be_ruled_out():
    everything = said(414).without_worst_case(60)
    ahead = ahead_of(everything, index=0.995)
    assert (ahead.reached, ahead.open_ended, ahead.doubtful) == (False, True, None)
    words = "errors of the answers are correlated: how many pairs are wrong cannot be said"
    assert ahead.left == left_to_ask(ahead) == f"perhaps none, but {words}"
    assert not ahead_of(everything, index=0.9).open_ended
    assert ahead_of(everything, index=0.9).left == "at least 7 more questions"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_groups_that_go_by_a_judge_are_not_done_before_the_limit_says_so(tmp_path):
    new_judged_project(tmp_path / "a.ofk", 40).close()
    with ok.open_project(tmp_path / "a.ofk") as project:
        project.judge(by_kind, 800)
        seen = []
        for _ in range(5):
            tell_the_truth(project, 15)
            ahead, found = project.prospect(), project.status()
            assert ahead.reached == (ahead.forecast.reached and ahead.doubtful is None)
            if ahead.doubtful is not None:
                assert ahead.forecast.reached
                assert ahead.doubtful > 3 * 2 * 8 - 1  # three objects, each in a group of eight
                assert ahead.doubtful == round(found.limits[1])
            seen.append(ahead)
        assert not seen[0].forecast.reached
        assert seen[0].left.startswith("at least")
        assert any(one.doubtful is not None for one in seen)
        assert seen[-1].reached


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
