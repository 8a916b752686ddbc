"""Questions that are out: with whom, for how long, and what happens when they are not answered."""

import itertools
import threading

import pytest

import ofakind as ok
from ofakind.project.events import QuestionsAsked
from ofakind.project.leases import LEASE, Leases
from ofakind.project.opening import _opened
from ofakind.project.store import ProjectFile
from twins.projects import IDS, right


class Clock:
    def __init__(self):
        self.now = 50.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def project(path, clock):
    ok.new_project(IDS[:5], path=path).close()
    project = _opened(ProjectFile.open(path), clock)
    yield project
    project.close()


def pairs(questions):
    return [frozenset((one.left_id, one.right_id)) for one in questions]


def test_R5_no_pair_is_out_with_two_people(project):
    seen = [*pairs(project.ask(4, "Ada")), *pairs(project.ask(4, "Bob")), *pairs(project.ask(4, "Cyd"))]
    assert len(seen) == 10 == len(set(seen))  # all pairs of five
    assert project.ask(1, "Dan") == []


@pytest.mark.slow
def test_R5_fifty_people_at_once_never_get_the_same_pair(path):
    """All pairs of 32 objects, handed out one by one."""
    with ok.new_project(range(32), path=path) as project:
        pairs = tuple(itertools.combinations(range(32), 2))
        project._books.write([QuestionsAsked(2, 496, pairs, (None,) * 496, "uniform")])
        taken = []

        def person(name):
            while found := project._books.take(1, name)[0]:
                taken.extend((name, pair) for _, pair in found)

        threads = [threading.Thread(target=person, args=(f"person {number}",)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(tuple(sorted(pair)) for _, pair in taken) == sorted(pairs)


def test_R5_what_nobody_answered_comes_back_after_ten_minutes(project, clock):
    first = pairs(project.ask(10, "Ada"))
    clock.now += LEASE.seconds
    assert project.ask(1, "Bob") == []
    clock.now += 0.001
    assert pairs(project.ask(10, "Bob")) == first
    assert project.ask(10, "Ada") == []


def test_a_late_answer_counts_and_so_does_that_of_whoever_had_the_question_next(project, clock):
    late = project.ask(10, "Ada")
    clock.now += LEASE.seconds + 1
    next_ones = project.ask(10, "Bob")
    project.tell(late[0], 1)
    project.tell(next_ones[0], -1)
    assert [(one.annotator, one.value, one.asked) for one in project.answers] == [
        ("Ada", 1, True),
        ("Bob", -1, True),
    ]
    assert project.status().agreement is not None


def test_R14_the_time_of_day_has_no_say(project, clock, monkeypatch):
    """The clock of leases is not that of the log; the log's may say anything."""
    project.ask(3, "Ada")
    monkeypatch.setattr("time.time", lambda: 0.0)
    assert len(project.ask(10, "Bob")) == 7
    assert project.check(replay=True)


def test_what_somebody_skips_goes_to_others_and_not_to_them(project):
    question = project.ask(10, "Ada")[0]
    skipped = project.skip(question)
    assert project.ask(10, "Ada") == []
    assert pairs(project.ask(10, "Bob")) == pairs([question])
    assert [(one.name, one.n_skips) for one in project.people()] == [("Ada", 1)]
    assert project.undo(annotator="Ada") == skipped + 2
    assert project.people() == []


def test_an_undone_skip_comes_back(project, clock):
    question = project.ask(10, "Ada")[0]
    project.skip(question)
    assert project.ask(1, "Ada") == []
    project.undo(annotator="Ada")
    assert pairs(project.ask(1, "Ada")) == pairs([question])


def test_after_a_restart_whoever_had_questions_gets_them_again_and_nobody_else(path, project, clock):
    had = project.ask(4, "Ada")
    project.tell(had[0], right(had[0]))
    project.close()
    again = _opened(ProjectFile.open(path), clock)
    others = pairs(again.ask(10, "Bob"))
    assert len(others) == 6
    assert pairs(again.ask(10, "Ada")) == pairs(had[1:])
    assert again.ask(10, "Ada") == []
    again.close()


def test_leases_are_counted_while_they_last(clock):
    leases = Leases(clock)
    leases.lend((0, 1), "Ada")
    leases.give_back((0, 1), "Bob")
    assert leases.out == 1
    leases.give_back((0, 1), "Ada")
    leases.give_back((0, 1), "Ada")
    assert leases.out == 0
    leases.lend((0, 1), "Ada")
    clock.now += 601
    assert leases.out == 0
