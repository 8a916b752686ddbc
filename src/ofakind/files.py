"""Files that are written whole or not at all; nothing else in the package writes files."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from ofakind.errors import InvalidInputError


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
