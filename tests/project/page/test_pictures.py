"""Pictures inside a page."""

import io
import struct
import zlib

import pytest

from ofakind.errors import InvalidInputError
from ofakind.project.page import pictures
from ofakind.project.page.pictures import SHOWN_PICTURE, Pictures, smaller


def png(width=2, height=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(range(width % 256)) + bytes(width - width % 256) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def test_a_picture_that_was_changed_or_is_gone_is_left_out_and_counted():
    def gone(one):
        raise InvalidInputError("it was changed") if one == "a" else FileNotFoundError(one)

    picture = Pictures(gone)
    assert picture("a") is None
    assert picture("b") is None
    assert picture.left_out == 2


def test_a_picture_comes_as_an_address_that_holds_it_and_what_is_none_is_left_out():
    contents = {"a": png(), "b": b"<svg>", "c": None}
    picture = Pictures(contents.get)
    assert picture("a").startswith("data:image/png;base64,iVBOR")
    assert picture("b") is None
    assert picture("c") is None
    assert picture.left_out == 1
    assert Pictures(None)("a") is None


def test_too_many_pictures_are_left_out_and_counted(monkeypatch):
    small = pictures.ShownPictureRules(total=len(png()))
    monkeypatch.setattr(pictures, "SHOWN_PICTURE", small)
    picture = Pictures(lambda _: png())
    assert picture("a") is not None
    assert picture("b") is None
    assert picture.left_out == 1


def test_a_large_picture_is_made_smaller_where_pillow_is_there():
    image = pytest.importorskip("PIL.Image")
    large = smaller(png(1000, 400))
    assert max(image.open(io.BytesIO(large)).size) == SHOWN_PICTURE.edge
    assert smaller(png()) == png()
    assert smaller(b"no picture") == b"no picture"
