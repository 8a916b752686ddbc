"""How a result came about: versions, machine and commit."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn")


def manifest() -> dict[str, str | int | None]:
    """Describe this machine, these libraries and this moment (UTC)."""
    return {**_surroundings(), "finished": datetime.now(UTC).isoformat(timespec="seconds")}


@lru_cache(maxsize=1)
def _surroundings() -> dict[str, str | int | None]:
    from ofakind import __version__

    versions = {library: _version(library) for library in LIBRARIES}
    return {
        "ofakind": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        **versions,
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "simd": _simd(),
    }


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    """Return the commit of the checkout that the package runs from, "+" after it if files have changed."""
    here = Path(__file__).parent
    try:
        head, changes = (
            _git(here, "rev-parse", "--short=12", "HEAD"),
            _git(here, "status", "--porcelain", "."),
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changes else "")


def _git(folder: Path, *words: str) -> str:
    # Without optional locks: a study that is killed at this moment would leave the checkout locked.
    command = ["git", "--no-optional-locks", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def _simd() -> str:
    """Name the vector instructions that NumPy has found: with others the last bits of a number may differ."""
    config: Any = np.show_config(mode="dicts")
    return " ".join(config["SIMD Extensions"].get("found", []))


def _cpu() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
