"""The commands that look whether a file is as it was written, and copy it."""

import os
import shutil
import sqlite3

import numpy as np
import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from ofakind.project.replay import CHECKPOINT, packed_learner
from twins.projects import IDS


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], prog_name="ofakind")


@pytest.fixture
def path(tmp_path):
    with ok.new_project(IDS, path=tmp_path / "a.ofk") as project:
        for n in range(9):
            project.tell((IDS[n], IDS[n + 1]), 1.0 if n % 2 else -1.0, "Ada")
    return tmp_path / "a.ofk"


def test_a_whole_file_is_said_to_be_so_in_a_line(path):
    result = run("check", path)
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
    assert result.stdout.startswith(f"{path}: 11 events, all as they were written")
    again = run("check", path, "--replay")
    assert (again.exit_code, again.stdout.count("\n")) == (0, 1)
    assert "a replay asks the same questions" in again.stdout


def test_R23_the_first_event_that_was_changed_is_named_in_a_line_with_code_1(path):
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER no_event_is_changed")
    connection.execute("UPDATE event SET body = replace(body, '-1.0', '1.0') WHERE seq = 5")
    connection.execute(
        "CREATE TRIGGER no_event_is_changed BEFORE UPDATE ON event\n"
        "    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"
    )
    connection.commit()
    connection.close()
    for more in ([], ["--replay"]):
        result = run("check", path, *more)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == f"{path}: event 5 of {path} was changed; use a backup\n"


def answers_in(path):
    with ok.open_project(path, read_only=True) as project:
        return [(one.event, one.left_id, one.right_id, one.value, one.annotator) for one in project.answers]


FLIPS = 2000 if os.environ.get("OFAKIND_SOAK") else 200


@pytest.mark.slow
def test_R23_no_flipped_bit_changes_an_answer_unseen(path, tmp_path):
    whole, expected = path.read_bytes(), answers_in(path)
    rng, copy, found = np.random.default_rng(0), tmp_path / "b.ofk", 0
    for place in rng.integers(0, 8 * len(whole), FLIPS).tolist():
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        copy.write_bytes(flipped)
        result = run("check", copy)
        if result.exit_code == 0:
            assert answers_in(copy) == expected
        else:
            found += 1
            assert result.exit_code in (1, 2)
            assert result.stderr.count("\n") == 1
        for beside in tmp_path.glob("b.ofk-*"):
            beside.unlink()
    assert found > FLIPS / 20


@pytest.mark.slow
def test_R23_a_file_that_was_cut_off_at_any_page_is_noticed(path, tmp_path):
    whole = path.read_bytes()
    for size in range(0, len(whole), 4096):
        (tmp_path / "b.ofk").write_bytes(whole[:size])
        assert run("check", tmp_path / "b.ofk").exit_code in (1, 2)


def test_a_checkpoint_that_the_log_does_not_give_is_found_by_a_replay(path, tmp_path):
    with ok.new_project(IDS, path=tmp_path / "other.ofk", seed=5) as other:
        other.tell((IDS[0], IDS[1]), 1.0)
        other.status()
        learner = other._model.learner
        with ok.open_project(path) as project:
            digest, content = packed_learner(learner, project._books.hashes[10])
            project._books.file.put_away(CHECKPOINT, 11, digest, content)
    assert run("check", path).exit_code == 0
    result = run("check", path, "--replay")
    assert result.exit_code == 1
    assert "checkpoint at event 11" in result.stderr


def test_R16_a_backup_while_in_use_is_a_sound_copy(path, tmp_path):
    with ok.open_project(path) as project:
        project.tell((IDS[0], IDS[11]), 1.0, "Bob")
        result = run("backup", path, "-o", tmp_path / "copy.ofk")
        project.tell((IDS[1], IDS[11]), 1.0, "Bob")
    assert result.stdout.startswith(f"written: {tmp_path / 'copy.ofk'} (12 events, all as they were written")
    assert run("check", tmp_path / "copy.ofk").exit_code == 0
    assert len(answers_in(tmp_path / "copy.ofk")) == 10


def test_a_backup_replaces_nothing_and_a_damaged_file_is_not_copied(path, tmp_path):
    shutil.copy(path, tmp_path / "there.ofk")
    result = run("backup", path, "-o", tmp_path / "there.ofk")
    assert result.exit_code == 2
    assert "is there already" in result.stderr
    path.write_bytes(path.read_bytes()[:5000])
    assert run("backup", path, "-o", tmp_path / "new.ofk").exit_code == 2
    assert not (tmp_path / "new.ofk").exists()
