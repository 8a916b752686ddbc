"""The tables of a project file, their version, and what is refused because it is something else.

``event`` is the log; ``head`` repeats its last event, so that a lost end is noticed; ``blob`` holds arrays
that events name by their SHA-256. ``cache`` may be emptied at any time.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import NoReturn

from ofakind.errors import DamagedProjectError, InvalidInputError, MissingFileError, StorageError
from ofakind.project.beside import SQLITE, interrupted, refuse_log_of_another
from ofakind.project.tables import KNOWN_ENDINGS

APPLICATION_ID = 0x6F66616B  # "ofak", in the header of the file
SCHEMA_VERSION = 1

EVENT_TABLE = """CREATE TABLE event (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
)"""
HEAD_TABLE = """CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL
)"""
BLOB_TABLE = "CREATE TABLE blob (digest TEXT NOT NULL UNIQUE, data BLOB NOT NULL)"
CACHE_TABLE = """CREATE TABLE cache (
    name TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    digest TEXT NOT NULL,
    data BLOB NOT NULL
)"""
NEVER_CHANGED = """CREATE TRIGGER no_event_is_changed BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"""
NEVER_DELETED = """CREATE TRIGGER no_event_is_deleted BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END"""
# The tables of each version, text for text; a file that has others is not ours, or was tampered with.
TABLES: Mapping[int, tuple[str, ...]] = {
    1: (EVENT_TABLE, HEAD_TABLE, BLOB_TABLE, CACHE_TABLE, NEVER_CHANGED, NEVER_DELETED),
}
# What leads from each earlier version to the next one, statement by statement; there is none yet.
MIGRATIONS: Mapping[int, tuple[str, ...]] = {}

# Primary result codes of SQLite.
FULL, IO_ERROR, READ_ONLY, CANNOT_OPEN, BUSY = 13, 10, 8, 14, 5
SHORT_READ = 522  # an IO_ERROR because the file ends too early
UNFINISHED = 776  # READ_ONLY, because somebody has to put the file right who may write


def connect(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open a file that must be there; statements are committed one by one, but between BEGIN and COMMIT.

    Nothing that stands in the file may call functions, and broken pages are noticed early.
    """
    _refuse_other_files(path)
    refuse_log_of_another(path)
    mode = "rw" if writable else "ro"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    for setting in ("trusted_schema = OFF", "cell_size_check = ON", "busy_timeout = 5000"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def _refuse_other_files(path: Path) -> None:
    """Refuse what is no file, or a table that somebody means to make a project of."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise MissingFileError(f"{path} {what}; expected a project file, as `ofakind new` makes it")
    with path.open("rb") as file:
        start = file.read(len(SQLITE))
    if start and start != SQLITE and path.suffix in (*KNOWN_ENDINGS, ".npy"):
        raise InvalidInputError(f"{path} is no project; make one with: ofakind new {quote(str(path))}")


def unfinished(path: Path) -> bool:
    """Whether a project was being opened or closed when its process ended, and has to be put right."""
    return path.is_file() and interrupted(path, APPLICATION_ID, SCHEMA_VERSION)


def make_durable(connection: sqlite3.Connection) -> None:
    """Let a commit mean that it is on the disk: a power failure afterwards does not undo it."""
    for setting in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON"):
        connection.execute(f"PRAGMA {setting}").fetchall()


def make_whole(connection: sqlite3.Connection) -> None:
    """Move everything into the one file, and let that say so; not while somebody else looks at it."""
    for setting in ("busy_timeout = 0", "journal_mode = DELETE"):
        connection.execute(f"PRAGMA {setting}").fetchall()


def create_tables(connection: sqlite3.Connection) -> None:
    """Make an empty file a project without events."""
    numbers = (f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA_VERSION}")
    for statement in ("BEGIN", *TABLES[SCHEMA_VERSION], *numbers, "COMMIT"):
        connection.execute(statement)


def check_tables(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of a project file that can be read; anything else is refused, untouched."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise InvalidInputError(f"{path} is no project of ofakind; expected a file that `ofakind new` made")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        newer = f"version {version}, and this ofakind reads up to {SCHEMA_VERSION}"
        raise InvalidInputError(f"{path} was made by a newer ofakind ({newer}); update ofakind")
    if version not in TABLES or any(step not in MIGRATIONS for step in range(version, SCHEMA_VERSION)):
        raise InvalidInputError(f"{path} has version {version}, which this ofakind cannot bring up to date")
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    if sorted(str(sql) for (sql,) in rows) != sorted(TABLES[version]):
        raise DamagedProjectError(
            f"{path} has other tables than a project has; it was changed by another program; use a backup"
        )
    return int(version)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file of an earlier version up to date: the whole way, or it stays what it was."""
    if version == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version, SCHEMA_VERSION):
            for statement in MIGRATIONS[step]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def plain_errors(path: Path, doing: str) -> Iterator[None]:
    """Say in our words what SQLite says in its own; ``doing`` is what was tried, such as "read"."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where damage is in a message
        _refuse(error, path, doing)


def _refuse(error: Exception, path: Path, doing: str) -> NoReturn:
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary == FULL or (primary == IO_ERROR and doing == "write"):
        got = "the disk is full" if primary == FULL else f"the disk failed ({error})"
        raise StorageError(f"{got}; nothing was written to {path}, and all before is kept") from error
    if code == UNFINISHED:
        got = f"{path} was being opened or closed when its process ended"
        raise StorageError(
            f"{got}; open it once to write, as `ofakind label` does, which puts it right"
        ) from error
    if primary in (READ_ONLY, CANNOT_OPEN):
        raise StorageError(f"cannot {doing} {path} ({error}); is it, or its folder, protected?") from error
    if primary == BUSY or (primary == IO_ERROR and code != SHORT_READ):
        raise StorageError(f"cannot {doing} {path} now ({error}); try again") from error
    raise DamagedProjectError(f"{path} is damaged ({error}); use a backup") from error
