"""A project file to look at: nothing is written, and somebody else may have it open."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import NoReturn, TypeVar

from ofakind.errors import DamagedProjectError, OfakindError
from ofakind.project.events import Event
from ofakind.project.log import cache_entry, read_blob, read_log
from ofakind.project.schema import check_tables, connect, plain_errors

T = TypeVar("T")


class ReadOnlyFile:
    """A project file as it was at the moment when it was opened, with what `ProjectFile` has for readers.

    Everything that may change is read then, so that whoever writes need not keep it: else the files beside
    the project would grow as long as somebody looks. Arrays, which never change, are read when needed.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, RLock()
        with plain_errors(path, "read"):
            self._connection = connect(path, writable=False)
            try:
                self._connection.execute("BEGIN")  # one moment, whatever others write
                check_tables(self._connection, path)
                self.events = list(read_log(self._connection, path))
                self._cache = self._read_cache()
                self._connection.execute("ROLLBACK")
            except BaseException:
                self._connection.close()
                raise

    def run(self, job: Callable[[], T]) -> T:
        """Call a function, one at a time."""
        with self._lock:
            return job()

    def append(self, events: Sequence[Event], blobs: Mapping[str, bytes] | None = None) -> NoReturn:  # noqa: ARG002
        """Refuse to write."""
        raise OfakindError(f"{self.path} was opened to be looked at; open it without read_only to change it")

    def blob(self, digest: str) -> bytes:
        """Return an array that an event names."""
        with self._lock, plain_errors(self.path, "read"):
            return read_blob(self._connection, self.path, digest)

    def cached(self, name: str) -> tuple[int, str, bytes] | None:
        """Return what was put away under a name: the event it belongs to, its digest, and itself."""
        return self._cache.get(name)

    def put_away(self, name: str, seq: int, digest: str, data: bytes) -> None:
        """Keep nothing."""

    def close(self) -> None:
        """Close it. Twice does no harm."""
        with self._lock:
            self._connection.close()

    def _read_cache(self) -> dict[str, tuple[int, str, bytes]]:
        """Return everything that was put away; nothing where it is damaged, since no answer is there."""
        try:
            with plain_errors(self.path, "read"):
                rows = self._connection.execute("SELECT name, seq, digest, data FROM cache").fetchall()
        except DamagedProjectError:
            return {}
        found = {str(name): cache_entry(entry) for name, *entry in rows}
        return {name: entry for name, entry in found.items() if entry is not None}
