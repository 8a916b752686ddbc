"""A sitting without a terminal: keys from a list, and what is in the file after each."""

import json
import sqlite3
from contextlib import closing

import pytest

import ofakind as ok
from ofakind.cli.terminal.keyboard import CLOSED, TIME_IS_UP
from ofakind.cli.terminal.sitting import Sitting
from ofakind.errors import StorageError
from ofakind.project.budget import SittingBudget
from ofakind.project.log import check_file
from twins.projects import IDS


@pytest.fixture
def project(tmp_path):
    with ok.new_project(IDS, path=tmp_path / "a.ofk", seed=3) as project:
        yield project


class Script:
    """Presses keys from a list, notes what was shown, and how many answers were on the disk then."""

    def __init__(self, project, keys):
        self.project, self.keys, self.shown, self.on_disk = project, list(keys), [], []

    def show(self, now):
        self.shown.append(now)
        with ok.open_project(self.project.path, read_only=True) as seen:
            self.on_disk.append(seen.n_answers)

    def press(self, seconds):
        if seconds is not None and seconds <= 0:
            return TIME_IS_UP
        return self.keys.pop(0) if self.keys else "q"

    @property
    def pairs(self):
        return [(now.question.left_id, now.question.right_id) for now in self.shown]


def sit(project, keys, budget=SittingBudget(), **options):  # noqa: B008
    desk = Script(project, keys)
    sitting = Sitting(project, "Ada", budget, desk, **options)
    return sitting.run(), desk


def values(project):
    return [one.value for one in project.answers if one.in_force]


def test_an_answer_is_on_the_disk_before_the_next_question_is_shown(project):
    ending, desk = sit(project, "sd s")
    assert desk.on_disk == [0, 1, 2, 3, 4]
    assert values(project) == [1.0, -1.0, 0.0, 1.0]
    assert (ending.answers, ending.code) == (4, 0)
    assert {one.annotator for one in project.answers} == {"Ada"}


def test_grades_are_five_keys_where_the_project_asks_for_them(tmp_path):
    with ok.new_project(IDS, path=tmp_path / "b.ofk", grades=True) as project:
        _, desk = sit(project, "12345z?")
        assert values(project) == [-1.0, -0.5, 0.0, 0.5]
        assert desk.shown[-2].notices == (f'taken back: "same" of {desk.pairs[4][0]} | {desk.pairs[4][1]}',)
        assert desk.shown[-1].notices[0].startswith("1 to 5")


def test_digits_mean_nothing_where_the_project_asks_for_no_grades(project):
    sit(project, "15s")
    assert values(project) == [1.0]


def test_undo_goes_back_one_by_one_shows_what_it_took_back_and_asks_it_again(project):
    _, desk = sit(project, "sdszzz")
    assert desk.pairs[4:7] == [desk.pairs[2], desk.pairs[1], desk.pairs[0]]
    notices = [now.notices[0] for now in desk.shown[4:7]]
    left, right = desk.pairs[1]
    assert notices[1] == f'taken back: "different" of {left} | {right}'
    assert desk.on_disk[4:7] == [2, 1, 0]
    assert values(project) == []


def test_after_undo_the_questions_come_again_in_their_order_and_the_open_one_last(project):
    _, desk = sit(project, "sdzzdsd")
    assert desk.pairs[5:8] == [desk.pairs[1], desk.pairs[2], desk.pairs[-1]]
    assert desk.pairs[4] == desk.pairs[0]
    assert values(project) == [-1.0, 1.0, -1.0]


def test_undo_reaches_answers_of_earlier_sittings_but_not_those_of_others(project):
    sit(project, "ss")
    project.tell(("o0", "o1"), 1.0, "Bob")
    _, desk = sit(project, "zzz")
    assert desk.shown[-1].notices == ("there is nothing to take back",)
    assert [one.annotator for one in project.answers if one.in_force] == ["Bob"]


def test_undo_takes_pins_and_names_back_and_stays_at_the_question(project):
    project.pin(("o0", "o1"), same=True, annotator="Ada")
    project.rename(project.labels()["o0"], "the first", annotator="Ada")
    _, desk = sit(project, "zzz")
    assert len(set(desk.pairs)) == 1
    said = [now.notices for now in desk.shown[1:]]
    assert said == [
        ("taken back: the name of a group",),
        ("taken back: a pin of o0 | o1",),
        ("there is nothing to take back",),
    ]


@pytest.mark.slow
def test_a_skipped_question_is_not_shown_again_unless_the_skip_is_taken_back(project):
    _, desk = sit(project, "kz")
    assert desk.pairs[0] == desk.pairs[2] != desk.pairs[1]
    assert desk.shown[2].notices[0].startswith("taken back: would rather not of")
    _, desk = sit(project, "k" + "s" * 66)
    assert desk.pairs.count(desk.pairs[0]) == 1


def test_a_budget_of_questions_is_kept_to_the_letter_and_an_undone_answer_is_not_spent(project):
    ending, _ = sit(project, "szsdzdsssss", SittingBudget(questions=3))
    assert ending.reason == "the budget is spent"
    assert ending.answers == len(values(project)) == 3


def test_answers_of_an_earlier_sitting_do_not_count_against_the_budget(project):
    sit(project, "ss")
    ending, _ = sit(project, "zz" + "s" * 9, SittingBudget(questions=3))
    assert ending.answers == 3
    assert len(values(project)) == 3


def test_a_budget_of_minutes_goes_by_the_clock_that_is_given(project):
    ticks = iter(range(10**6))
    ending, _ = sit(project, "s" * 100, SittingBudget(seconds=30), clock=lambda: float(next(ticks)))
    assert ending.reason == "the budget is spent"
    assert 0 < ending.answers < 30


@pytest.mark.slow
def test_when_all_pairs_are_asked_it_says_that_none_is_left(project):
    ending, desk = sit(project, "d" * 100)
    assert ending.reason == "no questions are left for you"
    assert ending.answers == len(set(desk.pairs)) == len(IDS) * (len(IDS) - 1) // 2


@pytest.mark.parametrize("n", [1, 2])
def test_R10_one_object_or_two_end_at_once_or_after_one_question(tmp_path, n):
    with ok.new_project(IDS[:n], path=tmp_path / "few.ofk") as project:
        ending, _ = sit(project, "ssss")
    assert (ending.answers, ending.reason) == (n - 1, "no questions are left for you")


@pytest.mark.parametrize(("key", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129), (CLOSED, 129)])
def test_a_signal_ends_it_with_all_answers_kept_and_the_usual_exit_code(project, key, code):
    ending, _ = sit(project, ["s", "d", key])
    assert (ending.answers, ending.code, values(project)) == (2, code, [1.0, -1.0])
    assert check_file(project.path)


def test_capital_letters_are_keys_too_and_others_mean_nothing(project):
    _, desk = sit(project, ["x", "\x1b[A", "S", "ß", "\n"])
    assert values(project) == [1.0]
    assert len(desk.shown) == 2


def test_why_and_help_are_said_beside_the_same_question(project):
    _, desk = sit(project, "w?")
    assert len(set(desk.pairs)) == 1
    assert "P(same)" in desk.shown[1].notices[0]
    assert any("take the last answer back" in line for line in desk.shown[2].notices)


def test_R3_an_answer_that_the_disk_refuses_is_said_and_the_question_stays(project, monkeypatch):
    real, full = type(project).tell, [True]

    def tell(self, *arguments, **options):
        if full.pop():
            raise StorageError("the disk is full")
        return real(self, *arguments, **options)

    full[:] = [False, True]
    monkeypatch.setattr(type(project), "tell", tell)
    _, desk = sit(project, "ss")
    assert desk.pairs[0] == desk.pairs[1] != desk.pairs[2]
    assert desk.shown[1].notices[0] == "NOT KEPT: the disk is full"
    assert values(project) == [1.0]


def test_a_project_that_was_moved_away_is_said_and_goes_on_when_it_is_back(project, monkeypatch):
    real, aside, calls = type(project).tell, project.path.with_name("aside.ofk"), []

    def tell(self, *arguments, **options):
        calls.append(arguments)
        if len(calls) == 1:
            self.path.rename(aside)
        else:
            aside.rename(self.path)
        return real(self, *arguments, **options)

    monkeypatch.setattr(type(project), "tell", tell)
    monkeypatch.setattr(Script, "show", lambda self, now: self.shown.append(now))
    _, desk = sit(project, "ss")
    assert "was moved, deleted or replaced while it was open" in desk.shown[1].notices[0]
    assert desk.shown[1].notices[1] == "then answer again"
    assert desk.pairs[0] == desk.pairs[1] != desk.pairs[2]
    assert values(project) == [1.0]


def test_how_long_somebody_took_is_in_the_log(project):
    times = iter([0.0, 0.0, 0.5, 0.5, 2.0, *[2.0] * 100])
    sit(project, "s", clock=lambda: next(times))
    with closing(sqlite3.connect(project.path)) as database:
        ((body,),) = database.execute("SELECT body FROM event WHERE kind = 'answer'").fetchall()
    assert json.loads(body)["milliseconds"] == 1500
