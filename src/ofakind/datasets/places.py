"""Where the files of the sets are looked for, and whether they are the right ones."""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ofakind.datasets.checksums import SHA256
from ofakind.errors import InvalidInputError, OfakindError

VARIABLE = "OFAKIND_DATA"


def places() -> Iterator[Path]:
    """Folders to look in, in this order: the one named by OFAKIND_DATA, if it is set, and the cache."""
    if named := os.environ.get(VARIABLE, ""):
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise InvalidInputError(f"{VARIABLE} is {named!r}, which is no folder; correct it or unset it")
        yield folder
    yield cache_folder()


def cache_folder() -> Path:
    """Return the folder for downloads, as the system has it; it need not exist."""
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "ofakind"
    if sys.platform == "win32" and (named := os.environ.get("LOCALAPPDATA")):
        return Path(named) / "ofakind" / "Cache"
    try:
        home = Path.home()
    except RuntimeError as error:
        remedy = f"set XDG_CACHE_HOME to a folder for downloads, or {VARIABLE} to one that has the files"
        raise InvalidInputError(f"there is no home folder, where data would be kept; {remedy}") from error
    inside = {"win32": "AppData/Local/ofakind/Cache", "darwin": "Library/Caches/ofakind"}
    return home / inside.get(sys.platform, ".cache/ofakind")


def find(file: str) -> Path | None:
    """Return the first place that holds a file such as ``"ecoli/records.csv"``; its content is not read."""
    return next((place / file for place in places() if (place / file).is_file()), None)


def read_if_here(file: str) -> bytes | None:
    """Return the content of a file, checked, or None when no place holds it."""
    path = find(file)
    if path is None:
        return None
    content = path.read_bytes()
    if sha256(content) != SHA256[file]:
        remedy = "delete it, or put the right file in its place"
        raise OfakindError(f"{path} is damaged or another version: {difference(content, file)}; {remedy}")
    return content


def sha256(content: bytes) -> str:
    """Return the SHA-256 checksum, as sha256sum prints it."""
    return hashlib.sha256(content).hexdigest()


def difference(content: bytes, file: str) -> str:
    """Say which checksum was got and which is expected of this file."""
    return f"its SHA-256 is {sha256(content)}; expected {SHA256[file]}"


def what_to_do(file: str) -> str:
    """Say where a file can be put so that it is found."""
    folders = " or ".join(str(place / Path(file).parent) for place in places())
    name = Path(file).name
    where = f"put {name} in {folders}, or set {VARIABLE} to a folder that holds {file}"
    return f"{where} (docs/datasets.md lists the files of every set)"
