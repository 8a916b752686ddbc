"""The file of a project: who may open it, what is in it afterwards, what is refused."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading

import pytest

import ofakind as ok
from ofakind.errors import (
    DamagedProjectError,
    InvalidInputError,
    MissingFileError,
    OfakindError,
    ProjectInUseError,
    StorageError,
)
from ofakind.project.events import AnswerGiven, NoteWritten, ProjectCreated
from ofakind.project.log import check_file
from ofakind.project.reading import ReadOnlyFile
from ofakind.project.store import ProjectFile, back_up, blob_of
from twins.projects import refused_untouched

BEGIN = ProjectCreated(0, "Of a kind?", "0.1.0", {})


def answer(number, value=1.0):
    return AnswerGiven(f"key {number}", "Ada", ((0, 1),), (value,))


@pytest.fixture
def path(tmp_path):
    ProjectFile.create(tmp_path / "a.ofk", [BEGIN], {})
    return tmp_path / "a.ofk"


def bodies(path):
    with ProjectFile.open(path) as file:
        return [one.body for one in file.events]


def files_in(folder):
    return sorted(file.name for file in folder.iterdir())


def test_what_was_appended_is_there_when_it_is_opened_again(path):
    with ProjectFile.open(path) as file:
        new = file.append([answer(1), answer(2)])
        assert [one.seq for one in new] == [2, 3]
        file.append([answer(3)])
    assert bodies(path) == [event.body() for event in (BEGIN, answer(1), answer(2), answer(3))]
    assert check_file(path)


def test_R16_a_clean_stop_leaves_one_file(path):
    with ProjectFile.open(path) as file:
        file.append([answer(1)])
        assert len(files_in(path.parent)) > 1
    assert files_in(path.parent) == ["a.ofk"]


def test_nothing_is_written_beside_the_end_of_the_log(path):
    with ProjectFile.open(path):
        pass
    connection = sqlite3.connect(path)
    for command in (
        "UPDATE event SET at = ''",
        "DELETE FROM event",
        "INSERT INTO event VALUES (0,'','','','')",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(command)
    connection.close()


def test_the_settings_are_those_that_outlive_a_power_failure(path):
    with ProjectFile.open(path) as file:
        read = {
            name: file.run(lambda name=name: file._connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("journal_mode", "synchronous", "trusted_schema", "cell_size_check")
        }
    assert read == {"journal_mode": "wal", "synchronous": 2, "trusted_schema": 0, "cell_size_check": 1}


def test_arrays_lie_beside_the_log_under_their_hash(path):
    (digest,) = blob_of(b"numbers")
    with ProjectFile.open(path) as file:
        file.append([], blob_of(b"numbers"))
        assert file.blob(digest) == b"numbers"
        with pytest.raises(DamagedProjectError, match="missing"):
            file.blob("0" * 64)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE blob SET data = ?", (b"others",))
    connection.commit()
    connection.close()
    assert "array" in str(check_file(path))


def test_what_can_be_computed_again_is_kept_by_its_name_and_can_be_forgotten(path):
    with ProjectFile.open(path) as file:
        assert file.cached("x") is None
        file.put_away("x", 1, "d", b"1")
        file.put_away("x", 2, "e", b"2")
        assert file.cached("x") == (2, "e", b"2")
        file.empty_cache()
        assert file.cached("x") is None


# -- making ------------------------------------------------------------------------------------------------


def test_S16_only_its_owner_may_read_a_project_whatever_the_umask(tmp_path):
    old = os.umask(0)
    try:
        ProjectFile.create(tmp_path / "a.ofk", [BEGIN], {})
        with ProjectFile.open(tmp_path / "a.ofk") as file:
            file.append([answer(1)])
            modes = {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    finally:
        os.umask(old)
    assert modes == {0o600}


def test_S16_no_link_is_followed_and_nothing_is_replaced_when_a_project_is_made(tmp_path):
    (tmp_path / "link.ofk").symlink_to(tmp_path / "nowhere")
    (tmp_path / "there.ofk").write_bytes(b"mine")
    for name in ("link.ofk", "there.ofk"):
        with pytest.raises(InvalidInputError, match="is there already"):
            ProjectFile.create(tmp_path / name, [BEGIN], {})
    assert files_in(tmp_path) == ["link.ofk", "there.ofk"]
    assert (tmp_path / "there.ofk").read_bytes() == b"mine"


def test_S16_a_link_in_the_place_of_the_lock_is_not_followed(path, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "a.ofk.lock").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(InvalidInputError, match="is a link, and is not followed"):
        ProjectFile.open(path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_project_that_cannot_be_made_leaves_nothing_behind(tmp_path):
    with pytest.raises(InvalidInputError, match="no folder"):
        ProjectFile.create(tmp_path / "no" / "a.ofk", [BEGIN], {})
    with pytest.raises(InvalidInputError, match="expected a finite number"):
        ProjectFile.create(tmp_path / "a.ofk", [BEGIN, AnswerGiven("k", "", ((0, 1),), (float("nan"),))], {})
    assert files_in(tmp_path) == []


# -- what is refused ---------------------------------------------------------------------------------------


def test_what_is_no_project_is_refused_and_left_as_it_is(tmp_path):
    other = tmp_path / "other.ofk"
    other.write_bytes(b"id,name\n1,Ann\n" * 100)
    refused_untouched(other, DamagedProjectError, "not a database")
    other.write_bytes(b"")
    refused_untouched(other, InvalidInputError, "is no project of ofakind")
    other.unlink()
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    refused_untouched(other, InvalidInputError, "is no project of ofakind")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MissingFileError, match=r"a\.ofk is not there"):
        ProjectFile.open(tmp_path / "a.ofk")
    with pytest.raises(MissingFileError, match="is a folder"):
        ProjectFile.open(tmp_path)
    assert files_in(tmp_path) == []


# -- one owner ---------------------------------------------------------------------------------------------

HOLD = """
import sys
from pathlib import Path
from ofakind.project.store import ProjectFile
file = ProjectFile.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def holder(path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "open\n"
    return process


def test_R13_a_second_process_is_refused_with_the_number_of_the_first_and_may_look(path):
    with holder(path) as process:
        with pytest.raises(ProjectInUseError, match=f"process {process.pid}"):
            ProjectFile.open(path)
        assert check_file(path).n_events == 1
        process.kill()
    assert len(bodies(path)) == 1  # nobody has to wait for anything


def test_R13_a_process_that_ends_without_closing_leaves_the_project_free(path):
    with holder(path) as process:
        process.stdin.close()
    assert len(bodies(path)) == 1
    assert files_in(path.parent) == ["a.ofk"]


def test_a_project_is_opened_once_in_a_process(path):
    with ProjectFile.open(path), pytest.raises(ProjectInUseError, match="this process"):
        ProjectFile.open(path)
    ProjectFile.open(path).close()


def test_a_closed_file_says_so(path):
    file = ProjectFile.open(path)
    file.close()
    file.close()
    with pytest.raises(OfakindError, match="is closed"):
        file.append([answer(1)])


def test_a_forked_process_does_not_write_to_the_file_of_its_parent(path):
    with ProjectFile.open(path) as file:
        file._process += 1  # as it would look there
        with pytest.raises(OfakindError, match="forked"):
            file.append([answer(1)])
        file._process -= 1


FORK = """
import os, sys
from pathlib import Path
from ofakind.project.events import NoteWritten
from ofakind.project.store import ProjectFile
file = ProjectFile.open(Path(sys.argv[1]))
file.append([NoteWritten("before")])
if not os.fork():
    sys.exit()  # in good order, so that everything is tidied up that a process tidies up at its end
os.wait()
assert Path(sys.argv[1] + ".lock").exists()
file.append([NoteWritten("after")])
"""


def test_a_forked_process_that_ends_takes_nothing_away_from_its_parent(path):
    subprocess.run([sys.executable, "-c", FORK, path], check=True)
    assert len(bodies(path)) == 3
    assert check_file(path)


def test_R18_somebody_who_looks_for_long_does_not_make_the_files_beside_grow(path):
    with ProjectFile.open(path) as file:
        looking = ReadOnlyFile(path)
        for _ in range(60):
            file.append([NoteWritten("x" * 200_000)])
        assert path.with_name("a.ofk-wal").stat().st_size < 2**23
        assert len(looking.events) == 1
        looking.close()
    assert check_file(path).n_events == 61


# -- several threads ---------------------------------------------------------------------------------------


def test_many_threads_may_append_at_once(path):
    with ProjectFile.open(path) as file:
        threads = [
            threading.Thread(target=lambda t=t: [file.append([answer((t, i))]) for i in range(20)])
            for t in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(bodies(path))) == 1 + 8 * 20
    assert check_file(path)


# -- backup ------------------------------------------------------------------------------------------------


def test_R16_a_backup_while_others_write_is_a_sound_beginning(path, tmp_path):
    with ProjectFile.open(path) as file:
        stop = threading.Event()

        def write():
            number = 0
            while not stop.is_set():
                file.append([answer(number)])
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        copies = [tmp_path / f"copy{number}.ofk" for number in range(5)]
        found = [back_up(path, copy) for copy in copies]
        stop.set()
        writer.join()
    every = bodies(path)
    for copy, checked in zip(copies, found, strict=True):
        assert bodies(copy) == every[: checked.n_events]
    assert files_in(tmp_path) == sorted(["a.ofk", *(copy.name for copy in copies)])
    assert stat.S_IMODE(copies[0].stat().st_mode) == 0o600


def test_R16_a_backup_replaces_nothing(path, tmp_path):
    (tmp_path / "b.ofk").write_bytes(b"mine")
    for target in ("b.ofk", "a.ofk"):
        with pytest.raises(InvalidInputError, match="is there already"):
            back_up(path, tmp_path / target)
    assert (tmp_path / "b.ofk").read_bytes() == b"mine"


# -- a full disk -------------------------------------------------------------------------------------------


def test_R3_a_full_disk_leaves_everything_as_it_was_and_goes_on_when_there_is_room(path):
    with ProjectFile.open(path) as file:

        def pages(limit):
            file.run(lambda: file._connection.execute(f"PRAGMA max_page_count = {limit}"))

        file.append([answer(1)])
        pages(1)
        with pytest.raises(StorageError, match="disk is full"):
            file.append([NoteWritten("x" * 100_000)])
        pages(10**6)
        file.append([answer(2)])
    assert bodies(path) == [event.body() for event in (BEGIN, answer(1), answer(2))]
    assert check_file(path)


LIMITED = """
import resource, signal, sys
from pathlib import Path
from ofakind.errors import StorageError
from ofakind.project.events import NoteWritten
from ofakind.project.store import ProjectFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with ProjectFile.open(Path(sys.argv[1])) as file:
    before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    kept = 0
    try:
        while True:
            file.append([NoteWritten("x" * 20_000)])
            kept += 1
    except StorageError as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
    file.append([NoteWritten("room")])
    print(kept)
"""


def test_R3_a_file_that_may_not_grow_fails_with_a_sentence_and_goes_on_when_it_may(path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, path], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "nothing was written" in done[0]
    kept = int(done[1])
    assert kept > 0
    assert len(bodies(path)) == 1 + kept + 1
    assert check_file(path)


def test_a_folder_in_which_no_lock_can_be_made_is_named_and_the_project_may_be_looked_at(tmp_path):
    path = tmp_path / "a.ofk"
    ok.new_project(["a", "b"], path=path).close()
    before = path.read_bytes()
    path.with_name("a.ofk.lock").mkdir()
    with pytest.raises(StorageError, match=r"cannot open .*a.ofk to write: the folder .* refuses it"):
        ok.open_project(path)
    with ok.open_project(path, read_only=True) as project:
        assert len(project.ids) == 2
    assert path.read_bytes() == before
