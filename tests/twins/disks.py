"""Disks that fail: one that forgets at a power cut what was not synced, one whose n-th call goes wrong.

A disk keeps files in memory, for SQLite as `apsw` has it; a project's own code writes to them.
"""

import secrets
import sqlite3
from contextlib import suppress
from pathlib import Path

import apsw

from ofakind.files import Claim
from ofakind.project.store import ProjectFile

SECTOR = 512


class Disk(apsw.VFS):
    """Files in memory, each as it is seen (`now`) and as it would be after a power cut (`safe`)."""

    def __init__(self, content=None):
        self.name = f"disk-{secrets.token_hex(8)}"
        super().__init__(self.name, "unix")
        self.now = {name: bytearray(data) for name, data in (content or {}).items()}
        self.safe = {name: bytes(data) for name, data in self.now.items()}
        self.calls = 0  # that change something
        self.cut_after = self.fail_at = None
        self.failed = False
        self.unsynced = []  # writes since the last sync: (file, place, data)
        self.deleted = set()  # names that are gone, but in a folder that was not synced since

    def change(self, kind):
        """Count a call; raise if it is the one that goes wrong, or if the power is gone."""
        if self.cut_after is not None and self.calls >= self.cut_after:
            raise apsw.IOError("the power is gone")
        self.calls += 1
        if self.fail_at is not None and self.calls == self.fail_at:
            self.failed = True
            raise apsw.IOError(f"{kind} failed, as it was meant to")

    def after_the_cut(self, rng=None):
        """Return what is found when the power is back: what was synced, and a random part of the rest."""
        found = {name: bytearray(data) for name, data in self.safe.items()}
        for name, place, data in self.unsynced if rng is not None else ():
            if name not in found:
                continue
            for start in range(0, len(data), SECTOR):  # a disk writes sectors, in any order
                if rng.random() < 0.5:
                    part, at = data[start : start + SECTOR], place + start
                    file = found[name]
                    file.extend(bytes(max(0, at + len(part) - len(file))))
                    file[at : at + len(part)] = part
        return {name: bytes(data) for name, data in found.items()}

    # -- what SQLite calls ---------------------------------------------------------------------------------

    def excepthook(self, kind, error, trace):
        """Say nothing more of a failure that SQLite does not ask for."""

    def xOpen(self, name, flags):
        name = name.filename() if isinstance(name, apsw.URIFilename) else name
        name = Path(name).name if name else f"temporary-{secrets.token_hex(4)}"
        flags[1] = flags[0]
        new = name not in self.now
        if new and not flags[0] & apsw.SQLITE_OPEN_CREATE:
            raise apsw.CantOpenError(name)
        self.now.setdefault(name, bytearray())
        return File(self, name, new=new)

    def xDelete(self, name, sync):
        self.change("xDelete")
        name = Path(name).name
        self.now.pop(name, None)
        self.unsynced = [one for one in self.unsynced if one[0] != name]
        self.deleted.add(name)
        if sync:
            self.sync_folder()

    def sync_folder(self):
        """Let the deletion of files outlive a power cut."""
        for name in self.deleted - self.now.keys():
            self.safe.pop(name, None)
        self.deleted = set()

    def xAccess(self, name, flags):
        return Path(name).name in self.now

    def xFullPathname(self, name):
        return name


class File:
    """An open file of a disk."""

    def __init__(self, disk, name, *, new):
        self.disk, self.name, self.new = disk, name, new

    def excepthook(self, kind, error, trace):
        """Say nothing more of a failure that SQLite does not ask for."""

    def xRead(self, amount, offset):
        return bytes(self.disk.now[self.name][offset : offset + amount])

    def xWrite(self, data, offset):
        self.disk.change("xWrite")
        data, file = bytes(data), self.disk.now[self.name]
        file.extend(bytes(max(0, offset + len(data) - len(file))))
        file[offset : offset + len(data)] = data
        self.disk.unsynced.append((self.name, offset, data))

    def xTruncate(self, size):
        self.disk.change("xTruncate")
        del self.disk.now[self.name][size:]

    def xSync(self, flags):
        self.disk.change("xSync")
        self.disk.safe[self.name] = bytes(self.disk.now[self.name])
        self.disk.unsynced = [one for one in self.disk.unsynced if one[0] != self.name]
        if self.new:  # then SQLite syncs the folder, too
            self.disk.sync_folder()
            self.new = False

    def xFileSize(self):
        return len(self.disk.now[self.name])

    def xLock(self, level):
        pass

    def xUnlock(self, level):
        pass

    def xCheckReservedLock(self):
        return False

    def xFileControl(self, op, pointer):
        return False

    def xSectorSize(self):
        return SECTOR

    def xDeviceCharacteristics(self):
        return apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE  # as SQLite believes of every disk

    def xClose(self):
        pass


class Rows(list):
    """All rows of a statement, as a cursor gives them."""

    def fetchone(self):
        return self.pop(0) if self else None

    def fetchall(self):
        return [*self]


class Connection:
    """A connection of `apsw` to a file on a disk, with what a project uses of those of `sqlite3`."""

    def __init__(self, disk, name):
        flags = apsw.SQLITE_OPEN_READWRITE
        self._real = apsw.Connection(name, flags=flags, vfs=disk.name)
        self.execute("PRAGMA locking_mode = EXCLUSIVE")  # a log without shared memory, which it has not

    def execute(self, statement, values=()):
        """Execute a statement; errors are those that `sqlite3` has.

        What fails behind a commit, when a log is moved into its file, is no error to SQLite, and none here.
        """
        last = self._last_event() if statement == "COMMIT" else None
        try:
            return Rows(self._real.execute(statement, tuple(values)).fetchall())
        except apsw.Error as error:
            if last is not None and self._last_event() == last:
                return Rows()
            code = getattr(error, "extendedresult", 0) or apsw.SQLITE_IOERR
            other = sqlite3.OperationalError(str(error))
            other.sqlite_errorcode = code
            raise other from error

    def _last_event(self):
        return self._real.execute("SELECT seq FROM head").fetchone()

    @property
    def in_transaction(self):
        """Whether there is a BEGIN without its end."""
        return self._real.in_transaction

    def close(self):
        """Close it, without a word about what cannot be written any more."""
        with suppress(apsw.Error):  # as `sqlite3` does
            self._real.close()


def opened(disk, path):
    """Open a file on a disk as a project does. A real file of the same name, which stays, stands for it."""
    claim = Claim.on(path.with_name(f"{path.name}.lock"))
    try:
        return ProjectFile(path, claim, Connection(disk, path.name))
    except BaseException:
        claim.give_back()
        raise
