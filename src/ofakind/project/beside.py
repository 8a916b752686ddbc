"""The files that SQLite keeps beside a project, and what can be told from them.

While a project is open its newest events lie in ``NAME.ofk-wal``, and the header of ``NAME.ofk`` says so. A
project that was closed is one file, and its header says that, too. So it is noticed when a file was copied
without what lay beside it, and when it lies beside what belongs to another.
"""

import os
from pathlib import Path
from typing import NamedTuple

from ofakind.errors import DamagedProjectError, InvalidInputError

SQLITE = b"SQLite format 3\0"  # how every SQLite file begins
LOG, JOURNAL, LOCK = "-wal", "-journal", ".lock"  # endings of the names
LOG_MISSING = (
    "if the project was copied while it was open, or that file was lost, later answers are not in it"
)


class Header(NamedTuple):
    """What the first bytes of an SQLite file say."""

    application: int
    version: int
    in_use: bool  # newer events may lie beside


def read_header(path: Path) -> Header | None:
    """Read the header of a file; None if it is no SQLite file."""
    with path.open("rb") as file:
        start = file.read(100)
    if len(start) < 100 or not start.startswith(SQLITE):
        return None
    return Header(int.from_bytes(start[68:72]), int.from_bytes(start[60:64]), start[19] == 2)


def log_is_missing(path: Path) -> bool:
    """Whether a project was open when it was copied, without the newest events, which lay beside it.

    Somebody who has it open, or had when they were killed, has left a lock there.
    """
    before = read_header(path)
    alone = not _size(_beside(path, LOG)) and not _beside(path, LOCK).exists()
    after = read_header(path)
    return before is not None and before.in_use and alone and after is not None and after.in_use


def refuse_log_of_another(path: Path) -> None:
    """Refuse a file that was complete when it was closed, beside newer events: they are not its own."""
    before, size, after = read_header(path), _size(_beside(path, LOG)), read_header(path)
    if before is None or after is None or before.in_use or after.in_use or not size:
        return
    got = f"{path} was closed properly, but {_beside(path, LOG).name} lies beside it, from another file"
    cure = f"if {path.name} is the one that you want, move the other away"
    raise DamagedProjectError(f"{got} of that name; {cure}; nothing was changed")


def refuse_leftovers(path: Path) -> None:
    """Refuse to make a file where something lies that SQLite would take for a part of it."""
    for ending in (LOG, JOURNAL):
        if _size(_beside(path, ending)):
            got = f"{_beside(path, ending)} is there, and holds answers of an earlier {path.name}"
            raise InvalidInputError(f"{got}; move it away, or choose another name; nothing was written")


def interrupted(path: Path, application: int, version: int) -> bool:
    """Whether a project was being opened or closed when its process ended: the next who opens it ends that.

    It must be one of ours, of at most this version; other programs' files are left alone.
    """
    found = read_header(path)
    ours = found is not None and found.application == application and found.version <= version
    return ours and _size(_beside(path, JOURNAL)) > 0


def _beside(path: Path, ending: str) -> Path:
    target = Path(os.path.realpath(path))  # SQLite, too, follows links first
    return target.with_name(target.name + ending)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
