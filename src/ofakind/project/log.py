"""Reading the log of a project file, every event checked against the chain of hashes."""

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ofakind.errors import DamagedProjectError, InvalidInputError
from ofakind.project.beside import LOG_MISSING, log_is_missing
from ofakind.project.events import BEFORE_THE_FIRST, LoggedEvent, chain_hash
from ofakind.project.schema import check_tables, connect, plain_errors

EVENTS = "SELECT seq, at, kind, body, hash FROM event WHERE seq > ? ORDER BY seq"
KINDS_OF_COLUMNS = (int, str, str, str, bytes)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look at a whole project file found: how many events hold, and what is wrong, if anything.

    ``at`` is the time of the last event that holds, and ``doubt`` says why there may have been more of them,
    though all that are there are as they were written. ``remark`` is what a replay has to say where nothing
    is wrong: whether the same questions come out, and whether another version of ofakind asked some.
    """

    n_events: int
    problem: str | None = None
    event: int | None = None  # the first one that is not what was written
    at: str | None = None
    doubt: str | None = None
    remark: str | None = None

    def __bool__(self) -> bool:
        return self.problem is None

    def __str__(self) -> str:
        if not self:
            return str(self.problem)
        when = "" if self.at is None else f"; the last is of {self.at[:19].replace('T', ' ')} UTC"
        more = "".join(f"; {one}" for one in (self.doubt, self.remark) if one is not None)
        return f"{self.n_events} events, all as they were written{when}{more}"


def read_log(connection: sqlite3.Connection, path: Path) -> Iterator[LoggedEvent]:
    """Give all events in order; the first that is not what was written raises `DamagedProjectError`."""
    before, count = BEFORE_THE_FIRST, 0
    for row in connection.execute(EVENTS, (0,)):
        count += 1
        before = _checked(row, count, before, path)
        yield LoggedEvent(*row)
    head = connection.execute("SELECT seq, hash FROM head").fetchall()
    if head != [(count, before)]:
        last = f"the last one is {head[0][0]}" if len(head) == 1 else "it does not say which is the last"
        got = f"{path} holds {count} events, and {last}"
        raise DamagedProjectError(f"{got}; event {count + 1} is missing or was changed; use a backup")


def _checked(row: Any, expected: int, before: bytes, path: Path) -> bytes:
    """Return the hash of the next event, which must follow from the one before."""
    if not all(isinstance(value, kind) for value, kind in zip(row, KINDS_OF_COLUMNS, strict=True)):
        raise DamagedProjectError(f"event {expected} of {path} was changed; use a backup")
    seq, at, kind, body, found = row
    if seq != expected:
        raise DamagedProjectError(f"event {expected} of {path} is missing; use a backup")
    if chain_hash(before, seq, at, (kind, body)) != found:
        raise DamagedProjectError(f"event {expected} of {path} was changed; use a backup")
    return bytes(found)


def read_blob(connection: sqlite3.Connection, path: Path, digest: str) -> bytes:
    """Return an array that an event names; one that is missing or was changed is refused."""
    row = connection.execute("SELECT data FROM blob WHERE digest = ?", (digest,)).fetchone()
    if row is None or hashlib.sha256(row[0]).hexdigest() != digest:
        got = "is missing" if row is None else "was changed"
        raise DamagedProjectError(f"the array {digest[:12]} of {path} {got}; use a backup")
    return bytes(row[0])


def cache_entry(row: Any) -> tuple[int, str, bytes] | None:
    """Return a row of the cache (an event, a digest, and content); None if it is none, or not like that."""
    if row is None or not all(
        isinstance(one, kind) for one, kind in zip(row, (int, str, bytes), strict=True)
    ):
        return None
    return row[0], row[1], row[2]


def check_file(path: Path) -> Checked:
    """Read a whole project file and say whether all of it is as it was written.

    The file may be in use. What is no project, or comes from a newer ofakind, is refused as when it is
    opened. Every event is read; so are all arrays that events name, and all pages of the file.
    """
    count, at, doubt = 0, None, None
    try:
        with plain_errors(path, "read"):
            connection = connect(path, writable=False)
            try:
                if log_is_missing(path):
                    doubt = f"{path.name}-wal is missing or empty: {LOG_MISSING}"
                check_tables(connection, path)
                for one in read_log(connection, path):
                    _readable(one, path)
                    count, at = one.seq, one.at
                _check_blobs(connection, path)
                _check_pages(connection, path)
            finally:
                connection.close()
    except DamagedProjectError as error:
        return Checked(count, str(error), count + 1, at=at)
    return Checked(count, at=at, doubt=doubt)


def _readable(one: LoggedEvent, path: Path) -> None:
    try:
        same = one.event.body() == one.body
    except InvalidInputError as error:
        raise DamagedProjectError(f"event {one.seq} of {path} cannot be: {error}") from error
    if not same:
        raise DamagedProjectError(f"event {one.seq} of {path} is not written as ofakind writes it")


def _check_blobs(connection: sqlite3.Connection, path: Path) -> None:
    for (digest,) in connection.execute("SELECT digest FROM blob").fetchall():
        read_blob(connection, path, str(digest))


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise DamagedProjectError(f"{path} is damaged ({found}); its events hold; use a backup")
