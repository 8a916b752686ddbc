"""The file of a project: opened by one process, written by one thread, never changed but at its end.

What is promised, once `ProjectFile.append` has returned:

- the events are on the disk: neither a killed process nor a power failure undoes them;
- they stand in the log together and in this order, or, after an error, none of them does;
- nothing that stood in the log before has changed, and whoever changes it is found out (`log.check_file`).

Not promised: anything on a network file system, or on a disk that says "written" before it is.
"""

import hashlib
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeVar
from weakref import finalize

from ofakind.errors import (
    DamagedProjectError,
    InvalidInputError,
    MovedProjectError,
    OfakindError,
    ProjectInUseError,
)
from ofakind.files import Claim, check_target, new_private_file, publish
from ofakind.project.beside import LOCK, log_is_missing, refuse_leftovers
from ofakind.project.events import Event, LoggedEvent, logged
from ofakind.project.log import Checked, cache_entry, check_file, read_blob, read_log
from ofakind.project.places import refuse_network
from ofakind.project.schema import (
    check_tables,
    connect,
    create_tables,
    make_durable,
    make_whole,
    migrate,
    plain_errors,
    unfinished,
)

T = TypeVar("T")

WRITER = "ofakind-writer"  # the name of the thread


class ProjectFile:
    """A project file that this process owns. Use it with ``with``, or `close` it.

    ``events`` are all events that were there when it was opened. Everything that reads or writes happens in
    one thread, in which `run` calls functions: so Ctrl-C never stops it half-way.
    """

    def __init__(self, path: Path, claim: Claim, connection: sqlite3.Connection) -> None:
        self.path = path
        self._claim, self._connection, self._process = claim, connection, os.getpid()
        self._identity = _identity(path)
        self.log_was_missing = False  # it may have been copied while it was open
        self._writer = ThreadPoolExecutor(1, thread_name_prefix=WRITER)
        self._finish = finalize(self, _let_go, os.getpid(), self._writer, connection, claim)
        try:
            self._thread = self._writer.submit(threading.get_ident).result()
            self.events = self.run(self._open)
        except BaseException:
            self._finish()
            raise
        self._last = self.events[-1] if self.events else None

    @classmethod
    def create(
        cls, path: Path, events: Sequence[Event], blobs: Mapping[str, bytes], *, on_network: bool = False
    ) -> None:
        """Make a new file with these events: the whole of it, or nothing. Only its owner may read it."""
        refuse_network(path, on_network=on_network)
        create_file(path, in_a_chain(None, events, at=_now()), blobs)

    @classmethod
    def open(cls, path: Path, *, on_network: bool = False) -> Self:
        """Open a file to write: its process owns it until it is closed, or ends.

        Refused are files that are no project, that a newer ofakind made or that are damaged, and those that
        another process owns; nothing is changed then. So are those on a network file system, unless
        ``on_network``. One of an earlier version is brought up to date.
        """
        missing = path.is_file() and log_is_missing(path)
        _look_at(path)
        refuse_network(path, on_network=on_network)
        target = Path(os.path.realpath(path))
        claim = Claim.on(target.with_name(f"{target.name}{LOCK}"))
        if isinstance(claim, int):
            who = "this process" if claim == os.getpid() else f"process {claim or 'unknown'}"
            raise ProjectInUseError(
                f"{path} is open in {who}; close it there; it may be looked at meanwhile (ofakind status)"
            )
        try:
            with plain_errors(path, "open"):
                file = cls(target, claim, connect(target, writable=True))
        except BaseException:
            claim.give_back()
            raise
        file.log_was_missing = missing
        return file

    def run(self, job: Callable[[], T]) -> T:
        """Call a function in the thread that owns the file, after all that came before."""
        if os.getpid() != self._process:
            raise OfakindError("the project was opened before this process was forked; open it here anew")
        if threading.get_ident() == getattr(self, "_thread", None):
            return job()
        if not self._finish.alive:
            raise OfakindError(f"{self.path} is closed; open it again")
        return self._writer.submit(job).result()

    def append(self, events: Sequence[Event], blobs: Mapping[str, bytes] | None = None) -> list[LoggedEvent]:
        """Write events to the end of the log; they are on the disk when this returns."""
        return self.run(lambda: self._append(events, blobs or {}))

    def blob(self, digest: str) -> bytes:
        """Return an array that an event names."""
        return self.run(lambda: read_blob(self._connection, self.path, digest))

    def cached(self, name: str) -> tuple[int, str, bytes] | None:
        """Return what was put away under a name: the event it belongs to, its digest, and itself."""
        query = "SELECT seq, digest, data FROM cache WHERE name = ?"
        with plain_errors(self.path, "read"):
            row = self.run(lambda: self._connection.execute(query, (name,)).fetchone())
        return cache_entry(row)

    def put_away(self, name: str, seq: int, digest: str, data: bytes) -> None:
        """Keep something that can be computed again, instead of what had its name."""
        command = "INSERT OR REPLACE INTO cache (name, seq, digest, data) VALUES (?, ?, ?, ?)"
        with plain_errors(self.path, "write"):
            self.run(lambda: self._connection.execute(command, (name, seq, digest, data)))

    def empty_cache(self) -> None:
        """Forget everything that can be computed again."""
        with plain_errors(self.path, "write"):
            self.run(lambda: self._connection.execute("DELETE FROM cache"))

    def close(self) -> None:
        """Give the file back; nothing lies beside it then. Twice does no harm."""
        self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _open(self) -> list[LoggedEvent]:
        """Look at everything; what is of an earlier version is brought up to date."""
        with plain_errors(self.path, "open"):
            version = check_tables(self._connection, self.path)
            events = list(read_log(self._connection, self.path))
            make_durable(self._connection)
            migrate(self._connection, version)
            check_tables(self._connection, self.path)
            return events

    def _append(self, events: Sequence[Event], blobs: Mapping[str, bytes]) -> list[LoggedEvent]:
        if _identity(self.path) != self._identity:  # what is written now would be found by nobody
            got = f"{self.path} was moved, deleted or replaced while it was open"
            raise MovedProjectError(f"{got}; nothing was written; put it back, with the files beside it")
        with plain_errors(self.path, "write"):
            try:
                new = in_a_chain(self._last, events, at=_now())
                write_events(self._connection, new, blobs)
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        self._last = new[-1] if new else self._last
        return new


def in_a_chain(last: LoggedEvent | None, events: Sequence[Event], *, at: str) -> list[LoggedEvent]:
    """Return events as they stand in the log behind the last one."""
    new: list[LoggedEvent] = []
    for event in events:
        new.append(logged(event, before=new[-1] if new else last, at=at))
    return new


def write_events(
    connection: sqlite3.Connection, new: Sequence[LoggedEvent], blobs: Mapping[str, bytes]
) -> None:
    """Write events in one transaction; whoever calls it rolls back what fails."""
    connection.execute("BEGIN IMMEDIATE")
    for digest, data in blobs.items():
        connection.execute("INSERT OR IGNORE INTO blob (digest, data) VALUES (?, ?)", (digest, data))
    for one in new:
        connection.execute("INSERT INTO event (seq, at, kind, body, hash) VALUES (?, ?, ?, ?, ?)", one)
    if new:
        head = (1, new[-1].seq, new[-1].hash)
        connection.execute("INSERT OR REPLACE INTO head (one, seq, hash) VALUES (?, ?, ?)", head)
    connection.execute("COMMIT")


def create_file(path: Path, log: Sequence[LoggedEvent], blobs: Mapping[str, bytes]) -> None:
    """Make a new file with this log: the whole of it, or nothing. Only its owner may read it."""
    with _draft_of(path) as (draft, target), plain_errors(target, "write"):
        connection = connect(draft, writable=True)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            create_tables(connection)
            write_events(connection, log, blobs)
        finally:
            connection.close()


@contextmanager
def _draft_of(path: Path) -> Iterator[tuple[Path, Path]]:
    """Give a new file, and the one that it becomes if all goes well; nothing that is there is replaced."""
    target = check_target(path)
    if Path(path).is_symlink() or target.exists():
        raise InvalidInputError(f"{path} is there already, and is left as it is; choose another name")
    refuse_leftovers(target)
    draft = target.with_name(f".{secrets.token_hex(8)}.tmp")
    new_private_file(draft)
    try:
        yield draft, target
        publish(draft, target)
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _now() -> str:
    """Return the time of day for people; nothing depends on it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _look_at(path: Path) -> None:
    """Refuse what cannot be opened before anything beside it is made."""
    if unfinished(path):
        return  # it can be looked at only when it was put right
    with plain_errors(path, "open"):
        connection = connect(path, writable=False)
        try:
            check_tables(connection, path)
        finally:
            connection.close()


def _identity(path: Path) -> tuple[int, int] | None:
    """Say which file a path leads to now; None if to none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def blob_of(data: bytes) -> dict[str, bytes]:
    """Return bytes under their SHA-256, as `ProjectFile.append` takes them."""
    return {hashlib.sha256(data).hexdigest(): data}


def back_up(path: Path, target: Path) -> Checked:
    """Copy a project, in use or not, to a new file that holds all events up to now, and look at the copy."""
    with _draft_of(target) as (draft, _):
        _copy(path, draft)
        found = check_file(draft)
        if not found:
            raise DamagedProjectError(f"the copy was not kept: {found}")
    return found


def _copy(path: Path, draft: Path) -> None:
    with plain_errors(path, "read"):
        source = connect(path, writable=False)
        try:
            check_tables(source, path)
            with plain_errors(draft, "write"):
                copy = connect(draft, writable=True)
                try:
                    source.backup(copy)  # in one step, so that it is the state of one moment
                    copy.execute("PRAGMA journal_mode = DELETE")  # nothing beside it
                finally:
                    copy.close()
        finally:
            source.close()


def _let_go(process: int, writer: ThreadPoolExecutor, connection: sqlite3.Connection, claim: Claim) -> None:
    """Finish what is waiting, close the file and give it back; a forked process has nothing to give."""
    if os.getpid() != process:
        return
    itself = threading.current_thread().name.startswith(WRITER)  # it may be the last to know the file
    writer.shutdown(wait=not itself)
    with suppress(sqlite3.Error):  # if it cannot be now, whoever opens it next does it
        make_whole(connection)
    connection.close()
    claim.give_back()
