"""Pictures inside a page: small, known by their first bytes, and not too many."""

import io
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass

from ofakind.project.fields import ObjectId

ReadPicture = Callable[[ObjectId], bytes | None]
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}


@dataclass(frozen=True, slots=True)
class PictureRules:
    """How large pictures of a page may be; by judgement."""

    edge: int = 160  # pixels, where Pillow is there to make them smaller
    largest: int = 300_000  # bytes of one
    total: int = 24_000_000  # bytes of all together


PICTURE = PictureRules()


class Pictures:
    """Gives pictures of objects as addresses that hold them, until there are too many."""

    def __init__(self, read: ReadPicture | None) -> None:
        self._read = read
        self._used = 0
        self.left_out = 0  # pictures that were too large or too many

    def __call__(self, one: ObjectId) -> str | None:
        """Return the picture of an object as a data address; None if it has none, or it does not fit."""
        content = None if self._read is None else self._read(one)
        if content is None:
            return None
        small = smaller(content)
        kind = kind_of(small)
        if kind is None or len(small) > PICTURE.largest or self._used + len(small) > PICTURE.total:
            self.left_out += 1
            return None
        self._used += len(small)
        return f"data:image/{kind};base64,{b64encode(small).decode()}"


def kind_of(content: bytes) -> str | None:
    """Return which kind of picture this is, by its first bytes; None if of none that a page shows.

    >>> kind_of(b"GIF89a..."), kind_of(b"<svg>")
    ('gif', None)
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((kind for begin, kind in SIGNATURES.items() if content.startswith(begin)), None)


def smaller(content: bytes) -> bytes:
    """Return a picture with short edges, if Pillow is there to make it; else, or if it cannot, as it is."""
    try:
        from PIL import Image
    except ImportError:
        return content
    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            if max(image.size) <= PICTURE.edge:
                return content
            image.draft("RGB", (PICTURE.edge, PICTURE.edge))
            image.thumbnail((PICTURE.edge, PICTURE.edge))
            file = io.BytesIO()
            image.convert("RGB").save(file, "JPEG", quality=82)
            return file.getvalue()
    except (OSError, ValueError, Image.DecompressionBombError):
        return content
