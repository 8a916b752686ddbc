"""Files that are written whole or not at all; nothing else in the package writes files."""

import os
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from ofakind.errors import InvalidInputError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file completely, or leave what is there as it was.

    A link stays a link: the file it leads to is written. A file that exists keeps its mode. What should not
    be replaced is refused (see `check_target`); `OSError` says what else went wrong.
    """
    target = check_target(path)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    draft = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        _write_new(draft, content, mode)
        draft.replace(target)
    except OSError as error:  # which names the draft, a file that the caller has never heard of
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(target.parent)


def prepare_folder(folder: Path) -> None:
    """Create a folder, with those above it, and make sure that files can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise InvalidInputError(f"cannot write to {folder}: {reason}; choose another folder") from error


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path leads to, refusing what cannot or should not be written.

    Nothing is touched. Refused are folders, devices, pipes and sockets, write-protected files, and folders
    that are missing or may not be written to.
    """
    target = Path(os.path.realpath(path))
    folders = (Path(path).absolute().parent, target.parent)
    missing = next((folder for folder in folders if not folder.is_dir()), None)
    if missing is not None:
        problem = f"there is no folder {missing}; create it or choose another"
    elif not os.access(target.parent, os.W_OK):
        problem = f"the folder {target.parent} may not be written to; choose another"
    else:
        problem = _objection(target)
    if problem:
        raise InvalidInputError(f"cannot write {os.fspath(path)}: {problem}")
    return target


def _objection(target: Path) -> str:
    """Say why a file in a good folder, its links followed, should not be replaced; "" if it may be."""
    try:
        mode = target.lstat().st_mode  # still a link only where links run in a circle
    except FileNotFoundError:
        return ""
    if stat.S_ISDIR(mode):
        return "it is a folder; expected the name of a file"
    if not stat.S_ISREG(mode):
        return "it is no ordinary file, and is left as it is; choose another name"
    if not mode & 0o222 or not os.access(target, os.W_OK):
        return "it is write-protected; allow writing to it or choose another name"
    return ""


def _write_new(path: Path, content: bytes, mode: int | None) -> None:
    """Write a new file to the disk; from its beginning nobody may read it whom `mode` does not let."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    with open(path, "xb", opener=opener) as file:
        if mode is not None:
            path.chmod(mode)  # what the umask took away
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make a rename in this folder outlive a power failure, where the system can."""
    with suppress(OSError):  # not on Windows, nor where the folder cannot be read
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# -- files that belong to one process ----------------------------------------------------------------------


def new_private_file(path: Path) -> None:
    """Create an empty file that only its owner may read; one that is there already is refused."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600))
    except FileExistsError as error:
        raise InvalidInputError(
            f"{path} is there already, and is left as it is; choose another name"
        ) from error


def publish(draft: Path, target: Path) -> None:
    """Give a finished file its name, unless there is another of that name; the draft's name is gone then."""
    try:
        target.hardlink_to(draft)
    except FileExistsError as error:
        raise InvalidInputError(
            f"{target} is there already, and is left as it is; choose another name"
        ) from error
    except OSError:  # a file system without links
        if target.exists():
            raise
        draft.rename(target)
    draft.unlink(missing_ok=True)
    _sync_folder(target.parent)


class Claim:
    """A file that one process holds; the system lets go of it when the process ends, however it ends.

    The file has the number of the process in it, and is gone when it is given back.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor

    @classmethod
    def on(cls, path: Path) -> "Claim | int":
        """Claim a file that is made for it; if somebody else holds it, the number of that process (or 0)."""
        while True:
            descriptor = _opened_itself(path)
            if not _locked(descriptor):
                found = _number_in(descriptor)
                os.close(descriptor)
                return found
            if _is_still(path, descriptor):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
                return cls(path, descriptor)
            os.close(descriptor)  # whoever held it has taken it away in between

    def give_back(self) -> None:
        """Let others claim it. Twice does no harm."""
        if self._descriptor >= 0:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


def _opened_itself(path: Path) -> int:
    """Open a file, or make it; a link is refused, since it may lead to anything."""
    try:
        return os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        if not path.is_symlink():
            raise
        raise InvalidInputError(f"{path} is a link, and is not followed; remove it") from error


def _locked(descriptor: int) -> bool:
    """Lock an open file, unless somebody else has."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _number_in(descriptor: int) -> int:
    with suppress(OSError, ValueError):
        return int(os.pread(descriptor, 20, 0))
    return 0


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether a path still leads to the open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
