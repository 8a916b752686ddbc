"""Which pictures go out, to a page or to a model: by what they are, never by what they are called."""

import struct

from ofakind.errors import InvalidInputError
from ofakind.project.pictures import MOST_PIXELS, picture_kind

MOST_BYTES = 64 * 1024 * 1024
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # JPEG's segments that say how large it is


def media_type(content: bytes) -> str:
    """Return the media type of a picture that may be shown or sent; others are refused.

    >>> media_type(b"GIF89a" + bytes([2, 0, 2, 0]) + bytes(10))
    'image/gif'
    """
    kind = picture_kind(content)
    if kind is None:
        raise InvalidInputError("this is no PNG, JPEG, WebP or GIF")
    width, height = size_of(kind, content)
    if len(content) > MOST_BYTES or not 0 < width * height <= MOST_PIXELS:
        raise InvalidInputError(
            f"this picture of {width} times {height} pixels cannot be read, or is too large"
        )
    return f"image/{kind}"


def size_of(kind: str, content: bytes) -> tuple[int, int]:
    """Return width and height as a picture's own header has them; (0, 0) if it has none."""
    try:
        if kind == "png":
            width, height = struct.unpack(">II", content[16:24])
        elif kind == "gif":
            width, height = struct.unpack("<HH", content[6:10])
        else:
            width, height = _jpeg(content) if kind == "jpeg" else _webp(content)
    except (struct.error, IndexError):
        return 0, 0
    return int(width), int(height)


def _jpeg(content: bytes) -> tuple[int, int]:
    place = 2
    while content[place] == 0xFF:
        mark = content[place + 1]
        if mark in FRAMES:
            height, width = struct.unpack(">HH", content[place + 5 : place + 9])
            return width, height
        filler = mark == 0xFF or mark == 0x01 or 0xD0 <= mark <= 0xD8
        length = 0 if filler else struct.unpack(">H", content[place + 2 : place + 4])[0]
        place += 1 if mark == 0xFF else 2 + length
    return 0, 0


def _webp(content: bytes) -> tuple[int, int]:
    kind = content[12:16]
    if kind == b"VP8X":
        width, height = content[24:27], content[27:30]
        return 1 + int.from_bytes(width, "little"), 1 + int.from_bytes(height, "little")
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", content[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0
