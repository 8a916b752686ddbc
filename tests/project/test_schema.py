"""Versions of the file: what is older is brought up to date, what is newer or strange is left as it is."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import DamagedProjectError, InvalidInputError, OfakindError
from ofakind.project import schema
from ofakind.project.events import AnswerGiven, ProjectCreated
from ofakind.project.log import check_file
from ofakind.project.reading import ReadOnlyFile
from ofakind.project.store import ProjectFile, blob_of
from twins.disks import Disk, opened
from twins.projects import refused_untouched

PAST = Path(__file__).parent / "past"  # a project of each version, as an ofakind of then wrote it
MORE = "CREATE TABLE more (x)"
NEXT = {1: (MORE, "INSERT INTO more SELECT seq FROM event", "DELETE FROM cache")}


@pytest.fixture
def path(tmp_path):
    begin = ProjectCreated(0, "Of a kind?", "0.1.0", {})
    ProjectFile.create(tmp_path / "a.ofk", [begin, answer(0)], blob_of(b"numbers"))
    return tmp_path / "a.ofk"


def answer(number):
    return AnswerGiven(f"key {number}", "Ada", ((0, 1),), (1.0,))


def bodies(path):
    with ProjectFile.open(path) as file:
        return [one.body for one in file.events]


def changed(path, *statements):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def version_of(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


@pytest.fixture
def newer(monkeypatch):
    """Let there be a version that comes after the present one."""
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 2)
    monkeypatch.setattr(schema, "TABLES", {**schema.TABLES, 2: (*schema.TABLES[1], MORE)})
    monkeypatch.setattr(schema, "MIGRATIONS", NEXT)
    return monkeypatch


# -- versions ----------------------------------------------------------------------------------------------


def test_R15_a_project_of_a_newer_version_is_refused_and_left_as_it_is(path):
    changed(path, "PRAGMA user_version = 2")
    refused_untouched(path, InvalidInputError, "newer ofakind .*version 2.*update")


def test_R15_a_project_that_is_too_old_is_refused_and_left_as_it_is(path):
    changed(path, "PRAGMA user_version = 0")
    refused_untouched(path, InvalidInputError, "version 0")


def test_R15_there_is_a_stored_project_of_every_version():
    assert sorted(PAST.iterdir()) == [PAST / f"version_{one}.ofk" for one in schema.TABLES]


@pytest.mark.parametrize("version", sorted(schema.TABLES))
def test_R15_a_stored_project_of_each_version_is_opened_and_means_what_it_meant(version, tmp_path):
    path = tmp_path / "old.ofk"
    path.write_bytes((PAST / f"version_{version}.ofk").read_bytes())
    assert check_file(path)
    with ok.open_project(path) as project:
        assert project.ids == ("a7", "b2", "ç3", "d4", "e5")
        assert project.question == "The same place?"
        assert [(one.annotator, one.value, one.in_force) for one in project.answers] == [
            ("Ada", 1.0, True),
            ("Bob", -0.5, False),
            ("Bob", -1.0, True),
        ]
        assert project.status().n_pins == 1
        assert sorted(project.groups().values()) == [["a7", "b2"], ["d4", "e5"], ["ç3"]]
        project.tell(("a7", "e5"), -1)
    assert version_of(path) == schema.SCHEMA_VERSION
    assert check_file(path)


def test_R15_an_older_project_is_brought_up_to_date(path, newer):
    assert len(bodies(path)) == 2
    assert version_of(path) == 2
    with ProjectFile.open(path) as file:
        file.append([answer(1)])
    assert len(bodies(path)) == 3
    assert check_file(path)


def test_R15_looking_at_an_older_project_changes_nothing(path, newer):
    before = path.read_bytes()
    assert check_file(path).n_events == 2
    ReadOnlyFile(path).close()
    assert path.read_bytes() == before


def test_R15_a_project_that_could_not_be_brought_up_to_date_is_what_it_was(path, newer):
    newer.setattr(schema, "MIGRATIONS", {1: (MORE, "CREATE TABLE event (x)")})
    with pytest.raises(OfakindError):
        ProjectFile.open(path)
    newer.undo()
    assert version_of(path) == 1
    assert len(bodies(path)) == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # see test_failing_disks
@pytest.mark.parametrize("kept", ["all that was written", "what was synced"])
def test_R15_a_migration_that_is_cut_off_leaves_one_of_the_two_versions(path, tmp_path, newer, kept):
    """The process, or the power, is gone after each call of the disk in turn."""
    begin, after, seen = {path.name: path.read_bytes()}, tmp_path / "after.ofk", []
    whole = Disk(begin)
    opened(whole, path).close()
    for cut in range(whole.calls + 1):
        disk = Disk(begin)
        disk.cut_after = cut
        with suppress(OfakindError, OSError):
            opened(disk, path).close()
        found = disk.now if kept == "all that was written" else disk.after_the_cut()
        for name, data in found.items():
            after.with_name(name.replace("a.ofk", "after.ofk")).write_bytes(data)
        connection = sqlite3.connect(after)  # which ends what was begun, and brings nothing up to date
        seen.append(connection.execute("PRAGMA user_version").fetchone()[0])
        tables = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master") if sql]
        assert sorted(tables) == sorted(schema.TABLES[seen[-1]])
        connection.close()
        assert len(bodies(after)) == 2
        assert version_of(after) == 2
        assert check_file(after)
        for one in tmp_path.glob("after.ofk*"):
            one.unlink()
    assert seen == sorted(seen)
    assert {*seen} == {1, 2}


# -- S14: a stranger's file --------------------------------------------------------------------------------

STRANGE = [
    "CREATE TRIGGER evil AFTER INSERT ON head BEGIN DELETE FROM blob; END",
    "CREATE TRIGGER evil BEFORE INSERT ON event BEGIN SELECT load_extension('evil'); END",
    "CREATE VIEW evil AS SELECT 1",
    "CREATE TABLE more (x)",
    "CREATE INDEX evil ON event (hash)",
    "CREATE INDEX evil ON event (abs(seq))",
    "CREATE VIRTUAL TABLE evil USING fts5 (x)",
    "CREATE VIRTUAL TABLE evil USING rtree (id, low, high)",
    "DROP TRIGGER no_event_is_deleted",
    "ALTER TABLE cache ADD COLUMN evil GENERATED ALWAYS AS (1)",
    "ALTER TABLE event ADD COLUMN evil TEXT DEFAULT 'x'",
    "UPDATE sqlite_master SET sql = replace(sql, 'seq >= 1', 'seq >= abs(1)') WHERE name = 'event'",
    "UPDATE sqlite_master SET sql = 'CREATE VIEW head AS SELECT 1 AS one' WHERE name = 'head'",
]


@pytest.mark.parametrize("statement", STRANGE)
def test_S14_a_file_whose_tables_are_not_ours_is_refused_and_left_as_it_is(path, statement):
    changed(path, statement)
    refused_untouched(path, DamagedProjectError, "other tables|is damaged")
    with pytest.raises(DamagedProjectError):
        ReadOnlyFile(path)
    assert not check_file(path)


def test_S14_a_strange_file_of_an_earlier_version_is_refused_before_it_is_brought_up_to_date(path, newer):
    changed(path, "CREATE TRIGGER evil AFTER DELETE ON cache BEGIN DELETE FROM blob; END")
    refused_untouched(path, DamagedProjectError, "other tables")


def test_S14_nothing_in_a_file_may_call_what_is_not_innocuous(path):
    with ProjectFile.open(path) as file:
        settings = {
            name: file.run(lambda name=name: file._connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("trusted_schema", "cell_size_check")
        }
    assert settings == {"trusted_schema": 0, "cell_size_check": 1}


@pytest.mark.slow
def test_S14_a_file_of_noise_behind_our_header_is_refused_with_one_of_our_errors(path, tmp_path):
    """Pages that say anything: nothing but an `OfakindError` comes of them."""
    content, rng = path.read_bytes(), np.random.default_rng(0)
    other, refused = tmp_path / "b.ofk", 0
    for _ in range(2000 if os.environ.get("OFAKIND_SOAK") else 150):
        start = int(rng.integers(100, len(content) - 2000))
        noise = rng.bytes(int(rng.integers(1, 2000)))
        other.write_bytes(content[:start] + noise + content[start + len(noise) :])
        try:
            with ProjectFile.open(other) as file:
                assert [one.event for one in file.events][1:] == [answer(0)]
        except OfakindError:
            refused += 1
        for beside in tmp_path.glob("b.ofk?*"):
            beside.unlink()
    assert refused > 10
