"""What another version of ofakind has asked: told from damage, and nothing is lost by it."""

import shutil
import sqlite3
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from ofakind.engine import learner, revision
from ofakind.engine.inference import stream
from ofakind.project import events
from ofakind.project.ahead import by_chance
from ofakind.project.log import check_file
from ofakind.project.replay import CHECKPOINT
from ofakind.project.schema import NEVER_CHANGED
from twins.projects import IDS, PLACES, right

HERE = revision.REVISION
EARLIER, LATER = HERE - 1, HERE + 1
DIFFER = "the answers are the same, the questions differ"
SAME = "a replay asks the same questions"
REBUILT = "its checkpoint is thrown away, and built anew"
PAST = Path(__file__).parent / "past" / "version_1.ofk"


@contextmanager
def another_version(stated, *, other_seeds=True):
    """Be a version that states another revision (None: none at all), and draws other questions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(revision, "REVISION", stated)
        if other_seeds:
            patch.setattr(learner, "stream", lambda seed, *place: stream(seed + 1000, *place))
        yield


def answer(project, count, who="Ada"):
    questions = project.ask(count, who)
    for question in questions:
        project.tell(question, right(question))
    return questions


def begun(path, count=6):
    """A project with some answers, and a checkpoint."""
    with ok.new_project(IDS, path=path, seed=3) as project:
        answer(project, count)
        project.status()


def replayed(path):
    """What a replay says, in Python and on the command line, which agree; nothing is written."""
    before = path.read_bytes()
    result = CliRunner().invoke(app, ["check", str(path), "--replay"], prog_name="ofakind")
    assert path.read_bytes() == before
    with ok.open_project(path, read_only=True) as project:
        found = project.check(replay=True)
    assert (result.exit_code, result.output) == (0 if found else 1, f"{path}: {found}\n")
    return found


def changed(path, statement):
    """Change the checkpoint by a statement."""
    connection = sqlite3.connect(path)
    assert connection.execute(statement, (CHECKPOINT,)).rowcount == 1
    connection.commit()
    connection.close()


def stated_in(path, kind="asked"):
    with ok.open_project(path, read_only=True) as project:
        return [one.event.revision for one in project._books.file.events if one.kind == kind]


# -- what is stated ----------------------------------------------------------------------------------------


def test_questions_that_a_learner_chose_state_its_revision_and_others_none(project):
    project.ask(2)
    project.ask_screen(3)
    pair = by_chance(project._books.ledger, None, 1, stream(0, 0, 0))
    project._books.take_spare(1, "Bob", "next", pair)
    asked = [call for call in project._books.ledger.calls if hasattr(call, "after")]
    assert [call.revision for call in asked] == [HERE, HERE]
    assert stated_in(project.path) == [HERE, HERE, None]


def test_features_state_the_revision_of_their_graph(path):
    with ok.new_project(PLACES, "id", path=path):
        assert stated_in(path, "features") == [HERE]


# -- other versions ----------------------------------------------------------------------------------------


def test_a_project_of_the_past_is_sound_and_its_checkpoint_is_built_anew(tmp_path):
    path = Path(shutil.copy(PAST, tmp_path / "old.ofk"))
    found = replayed(path)
    assert found.remark.startswith("made by an earlier version")
    assert REBUILT in found.remark
    with ok.open_project(path) as project:
        assert project._model.made == 0
        project.status()
    found = replayed(path)
    assert found.remark.startswith("made by an earlier version")
    assert REBUILT not in found.remark
    with ok.open_project(path) as project:
        assert project._model.made == len(project._books.ledger.calls)


@pytest.mark.parametrize(
    ("stated", "who"),
    [(None, "an earlier version"), (EARLIER, "an earlier version"), (LATER, "a later version")],
)
def test_questions_of_another_version_may_differ(path, stated, who):
    with another_version(stated):
        begun(path)
    found = replayed(path)
    assert found.remark.startswith(f"made by {who}: {DIFFER}; {REBUILT}")
    assert str(found) == f"{check_file(path)}; {found.remark}"


def test_to_itself_another_version_is_this_one(path):
    with another_version(EARLIER):
        begun(path)
        assert replayed(path).remark == SAME


def test_what_another_version_asked_and_this_one_asks_too_is_said_to_be_the_same(path):
    with another_version(EARLIER, other_seeds=False):
        begun(path)
    assert replayed(path).remark.startswith(f"made by an earlier version; {SAME}; {REBUILT}")


def test_a_project_of_answers_alone_is_made_by_nobody_but_its_people_until_a_learner_looks_at_it(path):
    with another_version(EARLIER), ok.new_project(IDS, path=path) as project:
        project.tell((IDS[0], IDS[1]), 1)
    assert replayed(path).remark == SAME
    with another_version(EARLIER), ok.open_project(path) as project:
        project.status()
    assert replayed(path).remark.startswith(f"made by an earlier version; {SAME}; {REBUILT}")


def test_features_alone_say_who_made_a_project(path):
    with another_version(EARLIER):
        ok.new_project(PLACES, "id", path=path).close()
    assert replayed(path).remark == f"made by an earlier version; {SAME}"


def test_earlier_and_later_versions_are_named_together(path):
    for stated in (LATER, EARLIER):
        with another_version(stated):
            begun(path) if not path.exists() else goes_on(path)
    assert replayed(path).remark.startswith(f"made by earlier and later versions: {DIFFER}")


def goes_on(path):
    """Undo, redo, correct, pin and add, with questions between, as somebody does over weeks."""
    with ok.open_project(path) as project:
        answer(project, 3)
        undone = project.undo()
        answer(project, 2, "Bob")
        project.undo(undone)
        project.correct(next(one.event for one in project.answers if one.in_force), 0.5)
        pinned = project.pin(project.ids[:2], same=False)
        answer(project, 2)
        project.undo(pinned)
        project.undo(annotator="Bob")
        project.add([f"o{len(project.ids)}"])
        answer(project, 3)
        screen = project.ask_screen(3)
        project.tell_screen(screen, [-1] * len(screen.others))


def test_stretches_of_several_versions_are_held_to_their_own(path):
    with another_version(None):
        begun(path)
    goes_on(path)
    with another_version(LATER):
        goes_on(path)
    goes_on(path)
    here = stated_in(path)
    assert here[0] is None
    assert {*here} == {None, HERE, LATER}
    found = replayed(path)
    assert found.remark == f"in part made by earlier and later versions: {DIFFER}"
    with another_version(LATER):  # of which this is a stretch too
        assert replayed(path).remark.startswith(f"in part made by an earlier version: {DIFFER}; {REBUILT}")


def test_the_stretch_of_this_version_is_still_compared(path):
    with another_version(None):
        begun(path)
    with ok.open_project(path) as project:
        answer(project, 3)
        wrong = tuple((0, other) for other in range(1, 4))
        asked = events.QuestionsAsked(project._books.ledger.last, 3, wrong, (None,) * 3, revision=HERE)
        seq = project._books.write([asked])
        project._books.write([asked])  # the first is named
    found = replayed(path)
    assert (bool(found), found.event) == (False, seq)
    assert f"event {seq} asked other questions than the log gives now" in str(found)


def test_questions_of_another_arithmetic_under_this_revision_are_no_excuse(path):
    with another_version(HERE):
        begun(path)
    changed(path, "DELETE FROM cache WHERE name = ?")
    found = replayed(path)
    assert not found
    assert "asked other questions" in str(found)


def test_features_that_come_out_otherwise_are_told_from_those_that_should_not(path, monkeypatch):
    with another_version(EARLIER), ok.new_project(PLACES, "id", path=path) as project:
        project.ask(1)
    monkeypatch.setattr("ofakind.project.graphs.digest_of", lambda _: "f" * 64)
    found = replayed(path)
    assert found
    assert "the features of its objects come out a little otherwise" in found.remark
    with ok.open_project(path) as project:
        assert project.status().notes == ()
    with another_version(EARLIER):
        assert "computed differently" in str(replayed(path))


# -- nothing is lost ---------------------------------------------------------------------------------------


def test_a_project_of_another_version_goes_on_with_the_same_answers(path):
    with another_version(None):
        begun(path)
        with ok.open_project(path, read_only=True) as project:
            before = project.answers
    with ok.open_project(path) as project:
        assert project.answers == before
        assert project.status().notes == (f"made by an earlier version: {DIFFER}",)
        answer(project, 4)
    with ok.open_project(path) as project:
        assert project._model.made == len(project._books.ledger.calls)
        assert project.status().notes == ()
    assert replayed(path).remark == f"in part made by an earlier version: {DIFFER}"


def test_no_pair_is_kept_back_since_this_version_would_have_asked_it_then(path):
    """What a replay would ask instead of what was asked is with nobody, and can be asked."""
    with another_version(None):
        begun(path, 20)
    with ok.open_project(path) as project:
        while answer(project, 20):
            pass
        assert project.status().n_answers == len(IDS) * (len(IDS) - 1) // 2


def test_what_this_version_asks_too_is_still_out(path):
    with another_version(None), ok.new_project(IDS, path=path, seed=3) as project:
        asked = {(one.left_id, one.right_id) for one in project.ask(40)}
    with ok.open_project(path) as project:
        project._follow()
        out = {(IDS[u], IDS[v]) for u, v in project._model.learner.pending}
        assert len(out) >= 40 + 40 - 66  # of all pairs both versions ask 40
        assert {frozenset(pair) for pair in out} < {frozenset(pair) for pair in asked}


# -- checkpoints -------------------------------------------------------------------------------------------


def checkpoint_of(path):
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT digest, data FROM cache WHERE name = ?", (CHECKPOINT,)).fetchone()
    connection.close()
    return found


def test_a_checkpoint_states_its_revision_and_another_version_builds_its_own(path):
    with another_version(EARLIER):
        begun(path)
    digest, _ = checkpoint_of(path)
    assert digest.startswith(f"{EARLIER} ")
    with ok.open_project(path, read_only=True) as project:
        project.status()
    assert checkpoint_of(path)[0] == digest
    with ok.open_project(path) as project:
        assert project._model.made == 0
        project.status()
    assert checkpoint_of(path)[0].startswith(f"{HERE} ")


@pytest.mark.parametrize(
    ("statement", "stated"),
    [
        ("UPDATE cache SET data = zeroblob(1000) WHERE name = ?", None),
        ("UPDATE cache SET data = zeroblob(1000) WHERE name = ?", HERE),
        ("UPDATE cache SET data = zeroblob(1000) WHERE name = ?", EARLIER),
        ("UPDATE cache SET seq = seq - 1 WHERE name = ?", EARLIER),
        ("UPDATE cache SET seq = 99 WHERE name = ?", EARLIER),
        ("UPDATE cache SET seq = 0 WHERE name = ?", EARLIER),
        ("UPDATE cache SET digest = '7 ' || substr(digest, -64) WHERE name = ?", EARLIER),
        ("UPDATE cache SET digest = 'x' WHERE name = ?", EARLIER),
    ],
)
def test_a_checkpoint_that_was_changed_is_damage_whoever_wrote_it(path, statement, stated):
    with another_version(stated, other_seeds=stated != HERE):
        begun(path)
    assert replayed(path)
    changed(path, statement)
    found = replayed(path)
    assert not found
    assert "is not what the log gives" in str(found)
    with ok.open_project(path) as project:
        assert project.status().n_answers == 6


def test_a_chain_that_is_broken_is_damage_whoever_wrote_it(path):
    with another_version(None):
        begun(path)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER no_event_is_changed")
    connection.execute(
        "UPDATE event SET body = replace(body, '\"size\":6', '\"size\":7') WHERE kind = 'asked'"
    )
    connection.execute(NEVER_CHANGED)
    connection.commit()
    connection.close()
    for more in ([], ["--replay"]):
        result = CliRunner().invoke(app, ["check", str(path), *more], prog_name="ofakind")
        assert (result.exit_code, result.stdout) == (1, "")
        assert "event 3" in result.stderr
