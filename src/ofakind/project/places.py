r"""Where a project file lies: a disk of this machine, or a network file system.

On a network file system locks and the order of writes are not what SQLite needs, so that answers can be lost
and files broken; nobody can promise anything there. Linux says what is mounted where; of other systems only
Windows' names of shares (``\\server\share``) are recognised.
"""

import os
import re
from pathlib import Path

from ofakind.errors import StorageError

NETWORK_KINDS = """9p afs beegfs ceph cifs coda davfs drvfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2
orangefs panfs prl_fs pvfs2 smb3 smbfs vboxsf virtiofs vmhgfs"""
NETWORK_PROGRAMS = """ceph-fuse davfs2 gcsfuse glusterfs google-drive-ocamlfuse goofys gvfsd-fuse juicefs
mfs onedriver rclone s3fs s3ql seaweedfs smbnetfs sshfs vmhgfs-fuse"""
NETWORK = frozenset([*NETWORK_KINDS.split(), *(f"fuse.{program}" for program in NETWORK_PROGRAMS.split())])
MOUNTS = Path("/proc/self/mounts")


def network_file_system(path: Path, mounts: Path = MOUNTS) -> str | None:
    """Return the name of the network file system that a file lies on, or would; None if on none.

    >>> network_file_system(Path("/home/ada/places.ofk"), Path("no such table"))
    """
    given = os.fspath(path)
    if given.startswith(("\\\\", "//")) and os.name == "nt":
        return "a Windows share"
    kind = _kind_of(Path(os.path.realpath(path)), mounts)
    return kind if kind in NETWORK else None


def refuse_network(path: Path, *, on_network: bool) -> None:
    """Refuse to write a project on a network file system, unless somebody knows better."""
    found = None if on_network else network_file_system(path, MOUNTS)
    if found is not None:
        got = f"{path} lies on a network file system ({found}), where answers can be lost"
        insist = "insist: --on-network, in Python on_network=True"
        raise StorageError(f"{got}; nothing was changed; copy it to a disk of this machine, or {insist}")


def _kind_of(path: Path, mounts: Path) -> str:
    """Return the kind of the file system that holds a path: that of the longest mount point above it."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        _, where, what, *_ = [*line.split(" "), "", "", ""]
        point = Path(_unescaped(where)) if where else None
        if point is not None and path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), what  # of two at the same place the later one is seen
    return kind


def _unescaped(name: str) -> str:
    r"""Return a name in which blanks are written as ``\040``."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), name)
