"""Power cuts and disks that fail, at every call that SQLite makes: what was acknowledged is there."""

import os

import numpy as np
import pytest

from ofakind.errors import OfakindError, StorageError
from ofakind.project.events import AnswerGiven, ProjectCreated
from ofakind.project.log import check_file
from ofakind.project.store import ProjectFile
from twins.disks import Disk, opened

# apsw says what a callback raised even where SQLite goes on
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SOAK = bool(os.environ.get("OFAKIND_SOAK"))
N_ANSWERS = 40 if SOAK else 8
EVERY_CALL = 1 if SOAK else 2  # of those during which a random part of what was not synced is kept


@pytest.fixture
def path(tmp_path):
    ProjectFile.create(tmp_path / "a.ofk", [ProjectCreated(0, "Of a kind?", "0.1.0", {})], {})
    return tmp_path / "a.ofk"


def answer(number):
    return AnswerGiven(f"key {number}", "Ada", ((0, 1),), (1.0,))


def settings(file, *pragmas):
    for one in pragmas:
        file.run(lambda one=one: file._connection.execute(f"PRAGMA {one}").fetchall())


def written(disk, path, *pragmas):
    """Write answers, as many as the disk takes; returns those that were acknowledged.

    After every few pages the log of SQLite is moved into its file, so that this is interrupted, too.
    """
    acknowledged = []
    try:
        with opened(disk, path) as file:
            settings(file, "wal_autocheckpoint = 12", *pragmas)
            for number in range(N_ANSWERS):
                file.append([answer(number)])
                acknowledged.append(answer(number).key)
    except (OfakindError, OSError):
        assert disk.calls >= (disk.cut_after or 0)
    return acknowledged


def found_in(content, path):
    """Open, by a project's own code, what a disk has; returns the keys of the answers."""
    for ending in ("", "-wal", "-journal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    for name, data in content.items():
        path.with_name(name).write_bytes(data)
    with ProjectFile.open(path) as file:
        keys = [one.event.key for one in file.events[1:]]
    assert check_file(path)
    return keys


def lost(path, folder, *pragmas, rng=None, step=1):
    """Cut the power after each call; returns how many cuts there were, and how many lost an answer."""
    begin = {path.name: path.read_bytes()}
    whole = Disk(begin)
    assert len(written(whole, path, *pragmas)) == N_ANSWERS
    cuts = range(0, whole.calls + 1, step)
    losses = 0
    for cut in cuts:
        disk = Disk(begin)
        disk.cut_after = cut
        acknowledged = written(disk, path, *pragmas)
        found = found_in(disk.after_the_cut(rng), folder / path.name)
        assert found == [answer(number).key for number in range(len(found))]
        losses += not set(acknowledged) <= set(found)
    return len(cuts), losses


@pytest.mark.slow
def test_R2_a_power_cut_after_any_call_loses_no_acknowledged_answer(path, tmp_path):
    (tmp_path / "after").mkdir()
    cuts, losses = lost(path, tmp_path / "after")
    assert losses == 0
    assert cuts > 5 * N_ANSWERS


@pytest.mark.slow
def test_R2_a_power_cut_that_keeps_some_of_what_was_not_synced_loses_none_either(path, tmp_path):
    (tmp_path / "after").mkdir()
    _, losses = lost(path, tmp_path / "after", rng=np.random.default_rng(0), step=EVERY_CALL)
    assert losses == 0


@pytest.mark.slow
def test_R2_with_less_than_full_syncing_the_same_cuts_lose_answers(path, tmp_path):
    """So the tests above would notice it."""
    (tmp_path / "after").mkdir()
    cuts, losses = lost(path, tmp_path / "after", "synchronous = NORMAL", step=2)
    assert losses > cuts // 4


# -- a call that fails -------------------------------------------------------------------------------------


def told(disk, path):
    """Write answers, each again and again until it is taken; returns how often none was."""
    failures = 0
    with opened(disk, path) as file:
        settings(file, "wal_autocheckpoint = 12")
        for number in range(N_ANSWERS):
            for _ in range(3):
                try:
                    file.append([answer(number)])
                    break
                except StorageError:
                    failures += 1
    return failures


@pytest.mark.slow
def test_R3_an_io_error_at_any_call_is_said_and_the_next_try_goes_well(path, tmp_path):
    (tmp_path / "after").mkdir()
    begin = {path.name: path.read_bytes()}
    whole = Disk(begin)
    told(whole, path)
    expected, said = [answer(number).key for number in range(N_ANSWERS)], 0
    for call in range(1, whole.calls + 1):
        disk = Disk(begin)
        disk.fail_at = call
        try:
            said += told(disk, path)
        except (OfakindError, OSError):  # while it was opened: that is tried again
            assert disk.calls < 40
            said += told(disk, path) + 1
        assert disk.failed
        assert found_in(disk.now, tmp_path / "after/a.ofk") == expected
    assert said > 2 * N_ANSWERS
