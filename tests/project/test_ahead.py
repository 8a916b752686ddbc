"""Questions chosen ahead: nobody waits for the learner, and a learner that fails stops nobody."""

import copy
import threading

import numpy as np
import pytest

import ofakind as ok
from ofakind.engine.learner import ActiveClustering
from ofakind.project import ahead as aheads
from ofakind.project.ahead import by_chance
from ofakind.project.events import QuestionsAsked
from ofakind.project.ledger import Ledger
from twins.projects import IDS, right


@pytest.fixture
def path(tmp_path):
    ok.new_project([f"o{number}" for number in range(20)], path=tmp_path / "a.ofk").close()
    return tmp_path / "a.ofk"


def chosen_by(project):
    """Who chose the questions of each asked event."""
    return [one.event.by for one in log_of(project) if isinstance(one.event, QuestionsAsked)]


def log_of(project):
    with ok.open_project(project.path, read_only=True) as other:
        return other._books.file.events


@pytest.mark.slow
def test_questions_come_from_the_queue_and_a_replay_gives_the_same(path):
    with ok.open_project(path, ahead=True) as project:
        for _ in range(8):
            for question in project.ask(4, "Ada"):
                project.tell(question, right(question))
        assert project.status().n_answers == 32
        assert "model" in chosen_by(project)
        assert project.status().notes == ()
    with ok.open_project(path) as project:
        assert project.check(replay=True)
        project._books.file.empty_cache()
        labels = project.labels()
    with ok.open_project(path) as project:
        assert project.labels() == labels


def test_while_the_learner_is_busy_the_next_best_come_and_answers_are_taken(path, monkeypatch):
    begun, go_on, ask = threading.Event(), threading.Event(), ActiveClustering.ask

    def slow(self, size=None):
        begun.set()
        assert go_on.wait(300)
        return ask(self, size)

    with ok.open_project(path, ahead=True) as project:
        assert chosen_by(project) == ["model"]
        before = project.status()
        monkeypatch.setattr(ActiveClustering, "ask", slow)
        assert len(project.ask(16, "Ada")) == 16  # all that were ready
        assert begun.wait(300)
        questions = project.ask(3, "Ada")
        assert len(questions) == 3
        for question in questions:
            project.tell(question, right(question))  # while the learner is at it
        assert chosen_by(project) == ["model", "next"]
        assert (project.status().as_of, project.status().n_answers) == (before.as_of, 0)
        assert project.status().last > before.last
        go_on.set()
        project._ahead.wait(300)
        assert chosen_by(project)[2] == "model"
        assert len({one.key for one in project.ask(5, "Bob")}) == 5
    monkeypatch.undo()
    with ok.open_project(path) as project:
        assert project.status().n_answers == 3
        assert project.check(replay=True)


def test_R8_a_learner_that_fails_stops_nobody_and_it_is_said(path, monkeypatch, caplog):
    def fail(self, size=None):
        raise RuntimeError("no idea")

    with ok.open_project(path, ahead=True) as project:
        with monkeypatch.context() as patched:
            patched.setattr(ActiveClustering, "ask", fail)
            assert len(project.ask(16, "Cyd")) == 16
            for _ in range(3):
                for question in project.ask(2, "Ada"):
                    project.tell(question, right(question))
            project._ahead.wait(300)
            assert any("RuntimeError: no idea" in note for note in project.status().notes)
            assert set(chosen_by(project)[1:]) == {"next"}
        project._ahead.wait(300)  # and when it works again
        assert project.status().notes == ()
        assert chosen_by(project)[-1] == "model"
        assert project.status().n_answers == 6
    assert "could not be chosen" in caplog.text


def test_R8_two_people_ask_and_answer_while_the_learner_is_held(path, monkeypatch):
    """Nothing that the learner holds, however long, is in the way of those who answer."""
    begun, go_on, ask = threading.Event(), threading.Event(), ActiveClustering.ask

    def held(self, size=None):
        begun.set()
        assert go_on.wait(300)
        return ask(self, size)

    def person(name):
        for _ in range(12):
            (question,) = project.ask(1, name)
            told.append(project.tell(question, right(question)))
            project.status()

    told, people = [], [threading.Thread(target=person, args=(name,), daemon=True) for name in ("Ada", "Bob")]
    with ok.open_project(path, ahead=True) as project:
        project.status()
        monkeypatch.setattr(ActiveClustering, "ask", held)
        project.ask(12, "Cyd")  # so that more are wanted
        assert begun.wait(300)
        for one in people:
            one.start()
        for one in people:
            one.join(120)
        assert len(told) == 24  # while the learner is still held
        assert not go_on.is_set()
        go_on.set()
    with ok.open_project(path) as project:
        assert project.status().n_answers == 24


def test_nobody_waits_for_a_learner_that_was_slow_before(path, monkeypatch):
    with ok.open_project(path, ahead=True) as project:
        waited = []
        monkeypatch.setattr(project._ahead, "wait", lambda *seconds: waited.append(seconds))
        project._ahead._took = aheads.AHEAD.patience / 2
        project._ahead.wait_if_quick()
        assert len(waited) == 1
        project._ahead._took = 2 * aheads.AHEAD.patience
        project._ahead.wait_if_quick()
        assert len(waited) == 1


@pytest.mark.parametrize("n", [0, 1, 2])
def test_R10_hardly_any_objects_with_questions_chosen_ahead(tmp_path, n):
    ok.new_project(IDS[:n], path=tmp_path / "b.ofk").close()
    with ok.open_project(tmp_path / "b.ofk", ahead=True) as project:
        questions = project.ask(5, "Ada")
        assert len(questions) == (n == 2)
        for question in questions:
            project.tell(question, 0)
        assert project.ask(5, "Ada") == []
        assert project.status().notes == ()
        assert project.check(replay=True)


def test_the_next_best_of_the_last_scores_come_before_chance(path, monkeypatch):
    """What comes while the learner is busy is what it would have asked next itself."""
    with ok.open_project(path, ahead=True) as project:
        twin = copy.copy(project._model.learner)
        expected = [{f"o{u}", f"o{v}"} for u, v in twin.ask(5)]
        with monkeypatch.context() as patched:
            patched.setattr(ActiveClustering, "ask", failing)
            project.ask(16, "Ada")
            later = project.ask(5, "Ada")
            assert [{one.left_id, one.right_id} for one in later] == expected
            assert chosen_by(project) == ["model", "next"]
            project.ask(64, "Ada")  # more than were put by
            assert chosen_by(project) == ["model", "next", "next", "uniform"]


def test_likely_pairs_come_before_chance_where_the_learner_never_was_ready(tmp_path, monkeypatch):
    names = ["Joe's Diner", "Joes Diner", "The Ritz", "Ritz", "Blue Note", "Casa Pepe", "Adlon", "Sacher"]
    ok.new_project([{"name": name} for name in names], path=tmp_path / "b.ofk").close()
    monkeypatch.setattr(ActiveClustering, "ask", failing)
    with ok.open_project(tmp_path / "b.ofk", ahead=True) as project:
        asked = project.ask(2)
        assert sorted(sorted((one.left_id, one.right_id)) for one in asked) == [[0, 1], [2, 3]]
        assert chosen_by(project) == ["prior"]
        assert project.why(0, 1).asked.by == "prior"
        assert len(project.ask(20)) == 20
        assert chosen_by(project)[-1] == "uniform"


def failing(self, size=None):
    raise RuntimeError("no idea")


def test_R19_a_learner_that_hangs_does_not_keep_a_project_from_closing(path, monkeypatch, caplog):
    go_on, begun = threading.Event(), threading.Event()

    def hang(self, size=None):
        begun.set()
        go_on.wait(300)
        raise RuntimeError("late")

    monkeypatch.setattr(ActiveClustering, "ask", hang)
    monkeypatch.setattr(aheads, "AHEAD", aheads.AheadRules(first=0.05, ending=0.05))
    project = ok.open_project(path, ahead=True)
    (question,) = project.ask(1)
    project.tell(question, 1)
    assert begun.wait(300)
    project.close()
    go_on.set()
    project._ahead._thread.join(60)
    assert caplog.text == ""  # nobody waits for it any more, so that nothing failed
    with ok.open_project(path) as again:
        assert [one.value for one in again.answers] == [1]


def test_chance_gives_only_what_is_open_and_keeps_to_what_may_be_of_a_kind(tmp_path):
    project = ok.new_project(IDS, path=tmp_path / "b.ofk")
    asked = project.ask(3)
    project.pin((asked[0].left_id, asked[0].right_id), same=True)
    ledger, rng = project._books.ledger, np.random.default_rng(0)
    found = by_chance(ledger, None, 66, rng)
    assert len(found) == len(set(found)) == 63
    assert not set(found) & {(IDS.index(q.left_id), IDS.index(q.right_id)) for q in asked}
    near = by_chance(ledger, ok.Pairs.of([0], [1]), 2, rng)
    assert (0, 1) in near or (0, 1) in ledger.asked
    assert by_chance(Ledger(), None, 5, rng) == ()
    project.close()


def test_what_is_only_looked_at_chooses_nothing_ahead(path):
    with pytest.raises(ok.InvalidInputError, match="leave it out"):
        ok.open_project(path, read_only=True, ahead=True)
