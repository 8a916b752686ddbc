"""What kind a picture is and how large: by what it is, never by what it is called."""

import io
import struct
import zlib

import pytest
from PIL import Image

from ofakind.errors import InvalidInputError
from ofakind.project.picture_types import media_type, size_of

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def encoded(kind, size=(5, 7), **options):
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, kind, **options)
    return file.getvalue()


def huge_png(width, height):
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunk = struct.pack(">I", len(head)) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    return b"\x89PNG\r\n\x1a\n" + chunk


KINDS = [("PNG", {}), ("JPEG", {}), ("JPEG", {"progressive": True}), ("GIF", {})]
KINDS += [("WEBP", {}), ("WEBP", {"lossless": True})]


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_S8_a_picture_is_known_by_its_signature_and_its_size_by_its_header(kind, options):
    content = encoded(kind, **options)
    assert media_type(content) == f"image/{kind.lower()}"
    assert size_of(kind.lower(), content) == (5, 7)


@pytest.mark.parametrize(
    "content",
    [
        SVG,
        b"",
        b"GIF89",
        b"<!DOCTYPE html><script>alert(1)</script>",
        b"BM" + bytes(50),
        b"\x00\x00\x01\x00" + bytes(50),
        b"%PDF-1.7",
        huge_png(50_000, 50_000),
        huge_png(0, 7),
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff" + bytes(100),
        b"\xff\xd8\xff\xff" + b"\xff" * 100,
        b"RIFF\x00\x00\x00\x00WEBPVP8Q" + bytes(40),
        b"RIFF\x00\x00\x00\x00WAVEfmt ",
    ],
)
def test_S8_what_is_no_picture_or_too_large_is_not_shown(content):
    with pytest.raises(InvalidInputError):
        media_type(content)
