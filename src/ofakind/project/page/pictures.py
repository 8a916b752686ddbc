"""Pictures inside a page: small, known by their first bytes, and not too many."""

import io
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass

from ofakind.errors import OfakindError
from ofakind.project.fields import ObjectId
from ofakind.project.pictures import picture_kind

ReadPicture = Callable[[ObjectId], bytes | None]


@dataclass(frozen=True, slots=True)
class ShownPictureRules:
    """How large pictures of a page may be; by judgement."""

    edge: int = 160  # pixels, where Pillow is there to make them smaller
    largest: int = 300_000  # bytes of one
    total: int = 24_000_000  # bytes of all together


SHOWN_PICTURE = ShownPictureRules()


class Pictures:
    """Gives pictures of objects as addresses that hold them, until there are too many."""

    def __init__(self, read: ReadPicture | None) -> None:
        self._read = read
        self._used = 0
        self.left_out = 0  # pictures that were too large or too many, or are not what was added

    def __call__(self, one: ObjectId) -> str | None:
        """Return the picture of an object as a data address; None if it has none, or it does not fit."""
        try:
            content = None if self._read is None else self._read(one)
        except (OfakindError, OSError):  # it was moved or changed since it was added
            self.left_out += 1
            return None
        if content is None:
            return None
        small = smaller(content)
        kind = picture_kind(small[:16])
        if (
            kind is None
            or len(small) > SHOWN_PICTURE.largest
            or self._used + len(small) > SHOWN_PICTURE.total
        ):
            self.left_out += 1
            return None
        self._used += len(small)
        return f"data:image/{kind};base64,{b64encode(small).decode()}"


def smaller(content: bytes) -> bytes:
    """Return a picture with short edges, if Pillow is there to make it; else, or if it cannot, as it is."""
    try:
        from PIL import Image
    except ImportError:
        return content
    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            if max(image.size) <= SHOWN_PICTURE.edge:
                return content
            image.draft("RGB", (SHOWN_PICTURE.edge, SHOWN_PICTURE.edge))
            image.thumbnail((SHOWN_PICTURE.edge, SHOWN_PICTURE.edge))
            file = io.BytesIO()
            image.convert("RGB").save(file, "JPEG", quality=82)
            return file.getvalue()
    except (OSError, ValueError, Image.DecompressionBombError):
        return content
