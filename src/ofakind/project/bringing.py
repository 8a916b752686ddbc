"""Objects from a file, or from a folder of pictures, as the command line takes them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ofakind.arrays import Floats
from ofakind.errors import InvalidInputError, MissingFileError, warn
from ofakind.project.decoding import check_file_is_there
from ofakind.project.objects import Brought, read_objects
from ofakind.project.pictures import PictureCopies, find_pictures, folder_from, look_of
from ofakind.project.tables import KNOWN_ENDINGS, read_table

ARRAY = ".npy"


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How objects stand in a file: the column of ids, and how the file is written."""

    id: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    copy: bool = False  # pictures, into the project


def bring(
    source: Path, target: Path, how: SourceOptions, *, described: bool, first: int = 0
) -> tuple[Brought, Floats | None]:
    """Read objects, and the vectors that come with them: of an array, or descriptors of pictures."""
    if not source.exists():
        raise MissingFileError(f"there is no file or folder {source}; check its name")
    if not source.is_dir():
        if how.copy:
            raise InvalidInputError(f"--copy is for a folder of pictures, and {source} is a file")
        return bring_file(source, how, first=first)
    if how.id is not None or how.encoding is not None or how.delimiter is not None:
        raise InvalidInputError(f"{source} is a folder of pictures; leave --id, --encoding, --delimiter out")
    brought, vectors, others = bring_folder(source, target, described=described, copied=how.copy)
    if others:
        more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
        warn(f"left out, since they are no pictures: {others[0]!r:.60}{more}", UserWarning)
    return brought, vectors


def bring_folder(
    folder: Path, target: Path, *, described: bool, copied: bool
) -> tuple[Brought, Floats | None, tuple[str, ...]]:
    """Read the pictures of a folder, their descriptors where wanted, and which files are no pictures.

    The ids are their paths from the folder. They stay where they are, or are ``copied`` into the project.
    """
    looks: list[Floats] = []

    def look(name: str, content: bytes) -> None:
        looks.append(look_of(name, content).astype(np.float32))

    found = find_pictures(folder, look if described else None)
    entry = {
        "folder": folder_from(folder, target),
        "sizes": tuple(one.size for one in found.pictures),
        "digests": tuple(one.digest for one in found.pictures),
        "copied": copied,
    }
    brought = Brought(
        tuple(one.name for one in found.pictures),
        {},
        f"{len(found.pictures)} pictures of {folder.resolve().name}",
        pictures=entry,
        copies=PictureCopies(found) if copied else None,
    )
    return brought, np.array(looks, np.float64) if described else None, found.others


def bring_file(path: Path, options: SourceOptions, *, first: int = 0) -> tuple[Brought, Floats | None]:
    """Read the objects of a file, and their vectors where it holds nothing else."""
    if path.suffix.lower() == ARRAY:
        if options.id is not None:
            raise InvalidInputError(f"{path} is an array, which has no columns; leave --id out")
        vectors = read_vectors_file(path)
        numbers = tuple(range(first, first + len(vectors)))
        return Brought(numbers, {}, f"{len(vectors)} vectors of {path.name}"), vectors
    if path.suffix.lower() not in KNOWN_ENDINGS:
        known = ", ".join((*KNOWN_ENDINGS, ARRAY))
        got = f"{path} ends in {path.suffix!r}, which is not known"
        raise InvalidInputError(f"{got}; expected one of {known}, or a folder of pictures")
    table = read_table(path, encoding=options.encoding, delimiter=options.delimiter)
    return read_objects(table, options.id, first=first), None


def read_vectors_file(path: Path) -> Floats:
    """Read an array (n, d) of finite numbers from a .npy file; nothing in it is run."""
    check_file_is_there(path)
    if path.suffix.lower() != ARRAY:
        raise InvalidInputError(f"{path} is no {ARRAY} file; expected an array that numpy.save wrote")
    try:
        found: Any = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InvalidInputError(f"{path} cannot be read as an array of numbers: {error}") from error
    if found.ndim != 2 or found.dtype.kind not in "biuf" or not found.shape[1]:
        got = f"{path} has shape {found.shape} and type {found.dtype}"
        raise InvalidInputError(f"{got}; expected numbers, (n, d): a row for each object")
    finite = np.isfinite(found)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        got = f"{path}, row {row}, column {column} is {found[row, column]}"
        raise InvalidInputError(f"{got}; expected finite numbers; rows and columns count from 0")
    return np.asarray(found, np.float64)
