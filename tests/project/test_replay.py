"""The same log gives the same learner and the same questions, bit for bit, however one comes to it."""

import copy
import shutil
import sqlite3
from contextlib import suppress

import numpy as np
import pytest

import ofakind as ok
from ofakind.engine.revision import REVISION
from ofakind.project import events
from ofakind.project import replay as replays
from ofakind.project.calls import AskCall, in_order
from ofakind.project.replay import CHECKPOINT
from twins.projects import IDS, right

NAMES = ["Joe's Diner", "Joes Diner", "The Ritz", "Ritz", "Blue Note", "Bluenote", "Cafe Flore", "Flore"]
RECORDS = [{"id": f"r{number}", "name": name} for number, name in enumerate(NAMES)]


def everything(project):
    """All that can be seen of a project."""
    status = project.status()
    return project.labels(), status, project._model.learner.to_document()


def some_life(project):
    """Asks, answers, undo, redo, correction, pins and more objects, and the questions that were asked."""
    asked = []

    def round_of(size, name):
        questions = project.ask(size, name)
        asked.extend((one.left_id, one.right_id) for one in questions)
        for question in questions[:-1]:
            project.tell(question, right(question))
        if questions:
            project.skip(questions[-1])

    round_of(8, "Ada")
    round_of(5, "Bob")
    undo = project.undo(annotator="Ada")
    round_of(3, "Ada")
    project.undo(undo)
    project.correct(project.answers[0].event, 0.25)
    project.pin(project.ids[:2], same=True)
    pinned = project.pin(project.ids[2:4], same=False)
    round_of(4, "Bob")
    project.undo(pinned)
    yield asked
    round_of(4, "Ada")
    yield asked


def lived(project, more):
    *_, asked = some_life(project)
    project.add(more, **({"id": "id"} if isinstance(more[0], dict) else {}))
    for question in project.ask(4, "Bob"):
        asked.append((question.left_id, question.right_id))
        project.tell(question, right(question))
    project.ask(2)
    return asked


MORE_RECORDS = [{"id": "r8", "name": "Joe's diner"}, {"id": "r9", "name": "Hotel Ritz"}]
KINDS = {"ids": (IDS, None, ["o12", "o13"]), "records": (RECORDS, "id", MORE_RECORDS)}
each_kind = pytest.mark.parametrize("kind", sorted(KINDS))


def made(kind, path, seed=5):
    objects, column, more = KINDS[kind]
    return ok.new_project(objects, column, path=path, seed=seed), more


@pytest.mark.slow
@each_kind
def test_R8_without_its_cache_a_project_is_the_same_bit_for_bit(path, kind):
    project, more = made(kind, path)
    with project:
        lived(project, more)
        expected = everything(project)
        assert project.check(replay=True)
    shutil.copy(path, path.with_name("b.ofk"))
    connection = sqlite3.connect(path.with_name("b.ofk"))
    assert connection.execute("SELECT count(*) FROM cache").fetchone() == (2,)
    connection.execute("DELETE FROM cache")
    connection.commit()
    connection.close()
    next_questions = []
    for name in ("a.ofk", "b.ofk"):
        with ok.open_project(path.with_name(name)) as again:
            assert again._model.made == (len(again._books.ledger.calls) if name == "a.ofk" else 0)
            assert everything(again) == expected
            for question in again.ask(2):  # those that were out
                again.tell(question, right(question))
            questions = [(one.left_id, one.right_id) for one in again.ask(6, "Cyd")]
            assert len(questions) == 6
            next_questions.append(questions)
    assert next_questions[0] == next_questions[1]


@pytest.mark.slow
@each_kind
def test_equal_seeds_and_answers_give_equal_questions_and_others_do_not(tmp_path, kind):
    asked = []
    for number, seed in enumerate([5, 5, 6]):
        project, more = made(kind, tmp_path / f"{number}.ofk", seed)
        with project:
            asked.append(lived(project, more))
    assert asked[0] == asked[1]
    assert len(asked[0]) > 20
    assert kind == "records" or asked[0] != asked[2]


@pytest.mark.slow
def test_R9_a_project_that_is_closed_after_every_step_asks_what_one_that_stays_open_asks(tmp_path):
    whole, parts = tmp_path / "whole.ofk", tmp_path / "parts.ofk"
    with ok.new_project(IDS, path=whole) as project:
        *_, expected = some_life(project)
    asked = []
    ok.new_project(IDS, path=parts).close()

    class Reopened:
        """Opens the project anew for every call."""

        def __getattr__(self, name):
            def call(*arguments, **options):
                with ok.open_project(parts) as project:
                    found = getattr(project, name)
                    return found(*arguments, **options) if callable(found) else found

            return call() if name in ("answers", "ids") else call

    *_, asked = some_life(Reopened())
    assert asked == expected
    with ok.open_project(parts) as project, ok.open_project(whole) as other:
        assert project._model.learner.to_document() == other._model.learner.to_document()


def test_a_learner_is_what_the_same_calls_by_hand_make_it(project):
    """The plain twin: a learner that somebody calls themselves."""
    learner = ok.ActiveClustering(len(IDS), seed=3)
    for _ in range(3):
        questions = project.ask(5, "Ada")
        pairs = learner.ask(5)
        assert [{IDS[u], IDS[v]} for u, v in pairs] == [{one.left_id, one.right_id} for one in questions]
        for pair, question in zip(pairs, questions, strict=True):
            project.tell(question, right(question))
            learner.tell([pair], [right(question)], "Ada")
    project.undo()
    learner.retract([pair])
    project.pin(IDS[:2], same=True)
    learner.pin([(0, 1)], same=True)
    assert project.labels() == dict(zip(IDS, learner.groups.tolist(), strict=True))
    assert project._model.learner.to_document() == learner.to_document()


def test_questions_that_were_computed_beside_are_repeated_as_if_no_answer_had_come_meanwhile(project):
    """A background ask: chosen after an event, written some answers later."""
    model, books = project._model, project._books
    for question in project.ask(6):
        project.tell(question, right(question))
    (held,) = project.ask(1)
    project._follow()
    after = model.through

    def write(found, seen):
        assert seen == after
        project.tell(held, 1)  # while the questions were being computed
        project.tell(("o0", "o1"), -1)
        event = events.QuestionsAsked(seen, 4, replays.as_pairs(found.pairs), found.scores)
        return books.write([event])

    assert model.ask(4, write) == 4
    project.tell(("o0", "o2"), -1)
    asks = [call for call in books.ledger.calls if isinstance(call, AskCall)]
    assert asks[-1].after == after < asks[-1].seq - 2
    assert in_order(books.ledger.calls)[-4] == asks[-1]
    assert len(project.ask(4)) == 4
    assert project.check(replay=True)
    expected = everything(project)
    project._books.file.empty_cache()
    project.close()
    with ok.open_project(project.path) as again:
        assert everything(again)[0] == expected[0]
        assert again._model.learner.to_document() == expected[2]


# -- checkpoints -------------------------------------------------------------------------------------------


def changed_cache(path, statement, values=()):
    connection = sqlite3.connect(path)
    connection.execute(statement, values)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cache SET data = zeroblob(1000)",
        "UPDATE cache SET digest = 'x'",
        "UPDATE cache SET seq = seq - 1",
        "UPDATE cache SET seq = 999",
        "UPDATE cache SET data = data || 'x'",
        "UPDATE cache SET name = 'other' WHERE name = 'learner'",
    ],
)
def test_R8_a_checkpoint_that_does_not_fit_is_not_used(path, project, statement):
    for question in project.ask(4):
        project.tell(question, right(question))
    expected = everything(project)
    project.close()
    changed_cache(path, statement)
    with ok.open_project(path) as again:
        assert again._model.made == 0
        assert everything(again) == expected


def test_a_checkpoint_of_the_wrong_learner_is_found_by_a_replay(project):
    for question in project.ask(4):
        project.tell(question, right(question))
    other = copy.copy(project._model.learner)
    other.tell([(0, 1)], [1])
    hashes = project._books.hashes
    digest, content = replays.packed_learner(other, hashes[-1])
    project._books.file.put_away(CHECKPOINT, len(hashes), digest, content)
    assert project.check()
    found = project.check(replay=True)
    assert not found
    assert "checkpoint" in str(found)


def test_a_log_with_other_questions_is_found_by_a_replay(path, project):
    """Such as one that somebody has written into it: nothing is lost, and it is said."""
    project._follow()
    event = events.QuestionsAsked(2, 2, ((0, 1), (0, 2)), (None, None), revision=REVISION)
    project._books.write([event])
    project.tell(("o0", "o1"), 1)
    found = project.check(replay=True)
    assert not found
    assert found.event == 3
    assert "no answer is touched" in str(found)
    assert project.status().n_answers == 1
    assert any("event 3" in note for note in project.status().notes)


def test_a_disk_that_is_full_when_questions_are_asked_changes_nothing(project):
    for question in project.ask(4):
        project.tell(question, right(question))
    before = everything(project)

    def pages(limit):
        file = project._books.file
        file.run(lambda: file._connection.execute(f"PRAGMA max_page_count = {limit}"))

    pages(1)
    filled = 0
    for size in (2000, 200, 20):
        with suppress(ok.StorageError):
            while filled < 1000:
                project.note("x" * size)
                filled += 1
    assert filled < 1000
    with pytest.raises(ok.StorageError):
        project.ask(60)
    pages(10**6)
    assert project.check()
    assert everything(project)[0] == before[0]
    assert project.check(replay=True)


def test_what_is_missing_is_computed_with_progress(path, project):
    for question in project.ask(3):
        project.tell(question, right(question))
    project.close()
    changed_cache(path, "DELETE FROM cache")
    steps = []
    with ok.open_project(path, progress=lambda done, of: steps.append((done, of))) as again:
        assert again._model.made == len(again._books.ledger.calls) == 5
    assert steps == [(number, 5) for number in range(6)]


# -- quick opening -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_checkpoint_makes_opening_quick(tmp_path):
    from time import process_time

    n, path = 300, tmp_path / "b.ofk"
    rng = np.random.default_rng(0)
    with ok.new_project([f"o{i}" for i in range(n)], path=path) as project:
        pairs = np.argwhere(np.triu(np.ones((n, n)), 1))
        chosen = rng.permutation(pairs)[:10_000].tolist()
        told = [
            events.AnswerGiven(f"k{row}", "", ((u, v),), (1.0 if u % 3 == v % 3 else -1.0,))
            for row, (u, v) in enumerate(chosen)
        ]
        project._books.write(told)
        project.ask(5)
    start = process_time()
    with ok.open_project(path) as project:
        seconds = process_time() - start
        assert project._model.made == len(project._books.ledger.calls)
        assert project._model.learner.n_answers == 10_000
    assert seconds < 10, seconds  # of computing; about one on most machines
