"""Pictures: which files of a folder are some, what they look like, and their bytes when they are shown."""

import hashlib
import io
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ofakind.arrays import Floats
from ofakind.errors import InvalidInputError, MissingFileError, OfakindError
from ofakind.priors.pictures import PICTURES, describe_picture
from ofakind.progress import progressed

SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
EXPECTED = "a PNG, JPEG, WebP or GIF"
MOST_PIXELS = 100_000_000  # of a picture; beyond that it would not fit in the memory of many machines


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture in a folder: its path from there, size and SHA-256."""

    name: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class PictureFolder:
    """The pictures of a folder in order of their paths, and the files that are none."""

    folder: Path
    pictures: tuple[PictureFile, ...]
    others: tuple[str, ...]


class PictureCopies(Mapping[str, bytes]):
    """The bytes of pictures by their SHA-256, each read when it is needed, so that all need not fit."""

    def __init__(self, found: PictureFolder) -> None:
        self._files = {one.digest: (found.folder / one.name, one) for one in found.pictures}

    def __getitem__(self, digest: str) -> bytes:
        path, one = self._files[digest]
        return _checked(path, one.size, digest)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def picture_kind(start: bytes) -> str | None:
    r"""Return what kind of picture begins like this, None if it is none of those that are shown.

    >>> picture_kind(b"\x89PNG\r\n\x1a\n..."), picture_kind(b"<svg>")
    ('png', None)
    """
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "webp"
    return next((kind for mark, kind in SIGNATURES.items() if start.startswith(mark)), None)


def find_pictures(folder: Path, look: Callable[[str, bytes], None] | None = None) -> PictureFolder:
    """Find the pictures of a folder and of those below, by how they begin; ``look`` is shown each.

    Files and folders whose names begin with a point are left out. What is called like a picture and is none
    is refused.
    """
    found, others, files = [], [], _files(folder)
    for number, path in enumerate(files):
        progressed(f"looking at {folder.name}", number, len(files))
        name = path.relative_to(folder).as_posix()
        with path.open("rb") as file:
            start = file.read(16)
            content = start + file.read() if picture_kind(start) else b""
        if not content:
            if path.suffix.lower() in PICTURE_ENDINGS:
                raise InvalidInputError(f"{path} is no picture; expected {EXPECTED}; mend or remove it")
            others.append(name)
            continue
        found.append(PictureFile(name, len(content), hashlib.sha256(content).hexdigest()))
        if look is not None:
            look(str(path), content)
    if not found:
        raise InvalidInputError(f"{folder} holds no pictures; expected {EXPECTED}, here or in folders below")
    return PictureFolder(folder, tuple(found), tuple(others))


def _files(folder: Path) -> list[Path]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place, name) for name in names if not name.startswith(".")]
    return sorted(path for path in found if path.is_file())


def look_of(name: str, content: bytes) -> Floats:
    """Return the descriptor of a picture; what cannot be read is refused with its name."""
    image_module, operations = _pillow()
    try:
        with (
            _no_warnings(),
            image_module.open(io.BytesIO(content), formats=("PNG", "JPEG", "WEBP", "GIF")) as image,
        ):
            _refuse_too_large(name, *image.size)
            image.draft("L", (2 * PICTURES.side, 2 * PICTURES.side))
            turned = operations.exif_transpose(image)
            flat = image_module.new("RGBA", turned.size, "white")
            flat.alpha_composite(turned.convert("RGBA"))
            small = flat.convert("L").resize((PICTURES.side, PICTURES.side), image_module.Resampling.BOX)
    except InvalidInputError:
        raise
    except image_module.DecompressionBombError as error:
        raise InvalidInputError(f"{name} has too many pixels; expected at most {MOST_PIXELS:,}") from error
    except (OSError, ValueError, SyntaxError, MemoryError) as error:
        raise InvalidInputError(f"{name} cannot be read ({error}); mend or remove it") from error
    return describe_picture(np.asarray(small, np.float64) / 255)


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Let Pillow not warn of what is refused, or works all the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _refuse_too_large(name: str, width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        got = f"{name} has {width:,} times {height:,} pixels"
        raise InvalidInputError(f"{got}; expected at most {MOST_PIXELS:,}; make it smaller")


def _pillow() -> tuple[Any, Any]:
    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise OfakindError(
            "to compare pictures, ofakind needs Pillow, which is not here: pip install ofakind[images]; "
            "or give vectors of them: --vectors FILE.npy"
        ) from error
    return Image, ImageOps


# -- pictures of a project ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnownPicture:
    """A picture as the log has it: where it lies, seen from the project file, its size and SHA-256."""

    folder: str
    name: str
    size: int
    digest: str
    copied: bool


def known_pictures(ids: Any, pictures: Mapping[str, Any], first: int) -> dict[int, KnownPicture]:
    """Return pictures by the numbers of their objects, which go on from ``first``."""
    rows = zip(ids, pictures["sizes"], pictures["digests"], strict=True)
    folder, copied = pictures["folder"], pictures["copied"]
    return {
        number: KnownPicture(folder, str(one), size, digest, copied)
        for number, (one, size, digest) in enumerate(rows, first)
    }


def folder_from(folder: Path, project: Path) -> str:
    """Return where a folder lies, seen from the folder of a project file: so both can be moved together."""
    try:
        return Path(os.path.relpath(folder.resolve(), project.resolve().parent)).as_posix()
    except ValueError:  # on another drive
        return folder.resolve().as_posix()


def picture_bytes(known: KnownPicture, project: Path, read: Callable[[str], bytes]) -> bytes:
    """Return a picture, of which size and SHA-256 were compared with those of the log."""
    if known.copied:
        return read(known.digest)
    return _checked(picture_file(known, project), known.size, known.digest)


def picture_file(known: KnownPicture, project: Path) -> Path:
    """Return where the file of a picture should lie that was not copied into the project."""
    if ".." in PurePosixPath(known.name).parts or PurePosixPath(known.name).is_absolute():
        raise InvalidInputError(f"the picture {known.name!r:.80} lies outside of its folder; it is not shown")
    return project.parent / known.folder / known.name


def _checked(path: Path, size: int, digest: str) -> bytes:
    try:
        content = b""
        if path.is_file() and path.stat().st_size == size:  # no device, which might never end
            with path.open("rb") as file:
                content = file.read(size + 1)
        else:
            path.stat()
    except OSError as error:
        got = f"the picture {path} cannot be read ({error.strerror})"
        raise MissingFileError(f"{got}; put it back where it was, beside the project") from error
    if hashlib.sha256(content).hexdigest() != digest or picture_kind(content) is None:
        raise InvalidInputError(f"the picture {path} was changed since it was added; put the old one back")
    return content
