"""Files that were changed, cut off or mixed up: nothing passes unseen."""

import os
import shutil
import sqlite3

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import DamagedProjectError, OfakindError
from ofakind.project.events import AnswerGiven, LoggedEvent, ObjectsAdded, ProjectCreated, chain_hash
from ofakind.project.log import check_file
from ofakind.project.store import ProjectFile, blob_of, create_file, in_a_chain

FLIPS = 2000 if os.environ.get("OFAKIND_SOAK") else 400
N_ANSWERS = 60


def answer(number):
    return AnswerGiven(f"key {number}", "Ada", ((0, 1),), (round(np.cos(number), 2),))


@pytest.fixture
def path(tmp_path):
    begin = ProjectCreated(0, "Of a kind?", "0.1.0", {})
    ProjectFile.create(tmp_path / "a.ofk", [begin], blob_of(b"numbers" * 100))
    with ProjectFile.open(tmp_path / "a.ofk") as file:
        for number in range(N_ANSWERS):
            file.append([answer(number)])
    return tmp_path / "a.ofk"


def stored(path):
    """All events of a file, or None if it is refused."""
    try:
        with ProjectFile.open(path) as file:
            return [one[:4] for one in file.events]
    except OfakindError:
        return None


def tampered(path, *statements):
    connection = sqlite3.connect(path)
    for name in ("no_event_is_changed", "no_event_is_deleted"):
        (trigger,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        connection.execute(f"DROP TRIGGER {name}")
        statements = (*statements, trigger)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "event", "words"),
    [
        ("UPDATE event SET body = replace(body, '0.54', '0.45') WHERE seq = 3", 3, "event 3 .* was changed"),
        ("UPDATE event SET at = '2020' WHERE seq = 7", 7, "event 7 .* was changed"),
        ("UPDATE event SET kind = 'note' WHERE seq = 9", 9, "event 9 .* was changed"),
        ("UPDATE event SET hash = zeroblob(32) WHERE seq = 20", 20, "event 20 .* was changed"),
        ("UPDATE event SET body = 7 WHERE seq = 4", 4, "event 4 .* was changed"),
        ("DELETE FROM event WHERE seq = 30", 30, "event 30 .* is missing"),
        ("DELETE FROM event WHERE seq > 40", 41, "event 41 is missing"),
        ("DELETE FROM event", 1, "event 1 is missing"),
        ("DELETE FROM head", 62, "does not say"),
        ("UPDATE event SET seq = 99 WHERE seq = 61", 61, "event 61 .* is missing"),
    ],
)
def test_R23_the_first_event_that_was_changed_is_named(path, statement, event, words):
    tampered(path, statement)
    found = check_file(path)
    assert not found
    assert found.event == event
    with pytest.raises(DamagedProjectError, match=words):
        ProjectFile.open(path)
    assert [file.name for file in path.parent.iterdir()] == ["a.ofk"]


def test_a_whole_file_is_said_to_be_so(path):
    assert check_file(path)
    said = str(check_file(path))
    assert said.startswith(f"{1 + N_ANSWERS} events, all as they were written; the last is of 20")
    tampered(path)
    assert check_file(path)


@pytest.mark.slow
def test_R23_no_flipped_bit_changes_an_answer_unseen(path, tmp_path):
    expected, content = stored(path), path.read_bytes()
    rng, other, noticed = np.random.default_rng(0), tmp_path / "b.ofk", 0
    for place in rng.integers(0, 8 * len(content), FLIPS):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << (place % 8)
        other.write_bytes(changed)
        found = stored(other)
        assert found is None or found == expected
        noticed += found is None
    assert noticed > FLIPS // 10


def test_R23_a_file_that_was_cut_off_is_noticed(path, tmp_path):
    content, other = path.read_bytes(), tmp_path / "b.ofk"
    sizes = [*range(0, len(content), 4096), 1, 99, 100, 5000, len(content) - 1]
    assert len(sizes) > 8
    for size in sizes:
        other.write_bytes(content[:size])
        assert stored(other) is None
    shutil.copy(path, other)
    assert stored(other) == stored(path)


# -- R12: what cannot be, in a file whose hashes hold ------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        '{"annotator":"","key":"k","milliseconds":null,"pairs":[[0,1]],"replaces":null,"values":[1.5]}',
        '{"annotator":"","key":"k","milliseconds":null,"pairs":[[0,1]],"replaces":null,"values":[NaN]}',
        '{"annotator":"","key":"k","milliseconds":null,"pairs":[[0,1]],"replaces":null,"values":[1e999]}',
        '{"annotator":"","key":"k","milliseconds":null,"pairs":[[1,0]],"replaces":null,"values":[1.0]}',
        '{"annotator":"","key":"k","milliseconds":null,"pairs":[[1,1]],"replaces":null,"values":[1.0]}',
        '{"annotator":"","key":"k","milliseconds":null,"pairs":[[0,2]],"replaces":null,"values":[1.0]}',
    ],
)
def test_R12_an_answer_that_cannot_be_is_not_read_even_where_somebody_wrote_it_and_its_hash(tmp_path, body):
    """The file alone: neither the kinds of events nor a project had a say in what was written."""
    events = [ProjectCreated(0, "?", "0.1.0", {}), ObjectsAdded(("a", "b"), {}, "")]
    log = in_a_chain(None, events, at="2026")
    forged = chain_hash(log[-1].hash, 3, "2026", ("answer", body))
    create_file(tmp_path / "b.ofk", [*log, LoggedEvent(3, "2026", "answer", body, forged)], {})
    with pytest.raises(DamagedProjectError, match="event 3 cannot be"):
        ok.open_project(tmp_path / "b.ofk")
    if "[0,2]" not in body:  # which only the objects say
        assert check_file(tmp_path / "b.ofk").event == 3
