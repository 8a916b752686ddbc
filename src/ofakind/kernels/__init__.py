"""Compiled functions over plain arrays: no classes, no hidden random state.

Inside a kernel the paper's letters are used: S similarities (CSR arrays), q (n, k) probabilities, m costs,
beta the concentration. Each kernel has a plain NumPy twin under ``tests/`` that it must agree with.

Numba keeps compiled code on disk and renews it when the file of a function changes, but not when the file of
a function that it calls does. So all of it is dropped here when any kernel has changed.

Numba is imported here, where no signal disturbs it: half imported, it would stay broken.
"""

from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from ofakind.errors import InvalidInputError
from ofakind.files import write_whole
from ofakind.interrupts import uninterrupted


def drop_stale_code(folder: Path) -> None:
    """Delete what numba compiled from other sources than the present ones, where the folders allow it."""
    sources = b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))
    stamp, digest = folder / "__pycache__" / "kernels.sha256", sha256(sources).hexdigest()
    with suppress(OSError, InvalidInputError):
        if not stamp.exists() or stamp.read_text(encoding="ascii") != digest:
            for compiled in folder.rglob("__pycache__/*.nb[ic]"):
                compiled.unlink(missing_ok=True)
            stamp.parent.mkdir(exist_ok=True)
            write_whole(stamp, digest.encode("ascii"))


drop_stale_code(Path(__file__).parent)
uninterrupted(import_module, "numba")
