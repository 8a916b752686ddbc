"""Files beside a project: its own are used, those of another are refused, and missing ones are noticed."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import ofakind as ok
from ofakind.errors import DamagedProjectError, InvalidInputError, StorageError
from ofakind.project.beside import log_is_missing, read_header
from ofakind.project.events import AnswerGiven, NoteWritten, ProjectCreated
from ofakind.project.log import check_file
from ofakind.project.reading import ReadOnlyFile
from ofakind.project.store import ProjectFile, back_up
from twins.projects import IDS, refused_untouched

BEGIN = ProjectCreated(0, "Of a kind?", "0.1.0", {})


def answer(number):
    return AnswerGiven(f"key {number}", "Ada", ((0, 1),), (1.0,))


@pytest.fixture
def path(tmp_path):
    ProjectFile.create(tmp_path / "a.ofk", [BEGIN], {})
    return tmp_path / "a.ofk"


def beside(path, ending):
    return path.with_name(path.name + ending)


def killed(path, n_answers):
    """Let a process write answers and be killed: its files stay beside."""
    code = """
import os, sys
from pathlib import Path
from ofakind.project.events import AnswerGiven
from ofakind.project.store import ProjectFile
file = ProjectFile.open(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    file.append([AnswerGiven(f"key {number}", "Ada", ((0, 1),), (1.0,))])
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code, path, str(n_answers)])
    assert done.returncode == -9
    assert beside(path, "-wal").stat().st_size


def test_R16_a_closed_project_says_that_it_is_complete_and_an_open_one_that_it_is_not(path):
    assert not read_header(path).in_use
    with ProjectFile.open(path) as file:
        assert read_header(path).in_use
        file.append([answer(1)])
    assert not read_header(path).in_use
    assert [one.name for one in path.parent.iterdir()] == ["a.ofk"]
    assert check_file(path).doubt is None


def test_R16_a_backup_put_back_beside_what_was_left_of_a_killed_process_is_caught(path, tmp_path):
    back_up(path, tmp_path / "old.ofk")
    killed(path, 50)
    shutil.copy(tmp_path / "old.ofk", path)
    refused_untouched(path, DamagedProjectError, "a.ofk-wal lies beside it, from another file")
    with pytest.raises(DamagedProjectError, match="from another file"):
        ReadOnlyFile(path)
    assert "from another file" in str(check_file(path))
    beside(path, "-wal").unlink()  # as it was told
    beside(path, "-shm").unlink(missing_ok=True)
    with ProjectFile.open(path) as file:
        assert len(file.events) == 1


def test_R16_what_a_killed_process_left_is_used_where_it_belongs(path):
    killed(path, 50)
    assert check_file(path).n_events == 51
    with ProjectFile.open(path) as file:
        assert len(file.events) == 51
        assert not file.log_was_missing


def test_R16_a_copy_of_an_open_file_alone_is_noticed_and_says_how_far_it_goes(path, tmp_path):
    with ProjectFile.open(path) as file:
        file.append([answer(1)])
        file.run(lambda: file._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        file.append([answer(2)])
        shutil.copy(path, tmp_path / "copy.ofk")
    found = check_file(tmp_path / "copy.ofk")
    assert found  # all that is there is as it was written
    assert found.n_events == 2
    assert "copy.ofk-wal is missing or empty" in str(found)
    assert "later answers are not in it" in str(found)
    assert f"the last is of {found.at[:10]}" in str(found)
    with ProjectFile.open(tmp_path / "copy.ofk") as copy:
        assert copy.log_was_missing
    assert check_file(path).n_events == 3
    assert check_file(path).doubt is None


def test_R16_a_project_that_was_opened_without_its_log_keeps_a_note_of_it(tmp_path):
    with ok.new_project(IDS, path=tmp_path / "a.ofk") as project:
        project.tell(("o0", "o1"), 1)
        shutil.copy(tmp_path / "a.ofk", tmp_path / "copy.ofk")
    with ok.open_project(tmp_path / "copy.ofk") as copy:
        assert copy.answers == []
    for _ in range(2):
        with ok.open_project(tmp_path / "copy.ofk") as copy:
            notes = [one.event for one in copy._books.file.events if one.kind == NoteWritten.KIND]
        assert len(notes) == 1  # once
        assert "opened without copy.ofk-wal" in notes[0].text


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_R16_nothing_is_made_beside_what_an_earlier_project_of_the_name_left(path, tmp_path, ending):
    left = tmp_path / f"b.ofk{ending}"
    left.write_bytes(b"answers")
    with pytest.raises(InvalidInputError, match=f"b.ofk{ending} is there, and holds answers of an earlier"):
        ProjectFile.create(tmp_path / "b.ofk", [BEGIN], {})
    with pytest.raises(InvalidInputError, match="move it away"):
        back_up(path, tmp_path / "b.ofk")
    assert left.read_bytes() == b"answers"
    assert not (tmp_path / "b.ofk").exists()


def test_R16_a_process_that_ended_while_it_opened_or_closed_the_file_is_made_good_by_the_next(path):
    connection = sqlite3.connect(path, isolation_level=None)  # a change of the header that was begun
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE more (x)")
    connection.execute(
        "INSERT INTO more WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c "
        "WHERE x < 3000) SELECT hex(randomblob(20)) FROM c"
    )  # which reaches the file
    content = {ending: beside(path, ending).read_bytes() for ending in ("", "-journal")}
    connection.close()
    for ending, data in content.items():
        beside(path, ending).write_bytes(data)
    with pytest.raises(StorageError, match="open it once"):
        check_file(path)
    with ProjectFile.open(path) as file:
        assert len(file.events) == 1
    assert check_file(path)


def test_a_file_that_somebody_looks_at_while_it_is_closed_stays_in_order(path):
    with ProjectFile.open(path) as file:
        file.append([answer(1)])
        looking = ReadOnlyFile(path)
    assert len(looking.events) == 2
    assert not log_is_missing(path)
    looking.close()
    with ProjectFile.open(path) as file:
        assert len(file.events) == 2
        assert not file.log_was_missing
    assert sorted(Path(path.parent).iterdir()) == [path]
