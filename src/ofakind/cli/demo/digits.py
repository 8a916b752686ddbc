"""``ofakind demo --page``: handwritten digits as pictures, ready to label in the browser."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import typer

from ofakind.arrays import Floats
from ofakind.cli.printable import printable
from ofakind.files import prepare_folder, write_whole

LARGER = 12  # times: the digits have eight pixels a side
DARKEST = 16.0  # value of a pixel
SAME_DIGIT = "Are these the same digit?"


def show_digits(folder: Path | None, objects: int, seed: int) -> int:
    """Make the pictures and the project, unless they are there, and serve the page; returns the exit code."""
    from ofakind.cli.page import PageOptions, show_page

    with _place(folder) as place:
        project = place / "digits.ofk"
        if project.exists():
            typer.echo(f"going on with {printable(project)}")
        else:
            make_digits(place, objects, seed)
            typer.echo(f"{objects} handwritten digits are ready in {printable(project)}: which are the same?")
        if folder is None:
            typer.echo("everything is removed at the end; to keep it: ofakind demo --page --folder NAME")
        return show_page(project, PageOptions(kept=folder is not None))


@contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        prepare_folder(folder)
        yield folder
        return
    with TemporaryDirectory(prefix="ofakind-") as made:
        yield Path(made)


def make_digits(place: Path, objects: int, seed: int) -> None:
    """Write some digits as pictures, named without a hint of what they show, and a project of them."""
    from sklearn.datasets import load_digits

    from ofakind.cli.waiting import waiting
    from ofakind.project.opening import new_project

    pixels = load_digits().data
    chosen = np.random.default_rng(seed).permutation(len(pixels))[:objects]
    pictures = place / "digits"
    prepare_folder(pictures)
    with waiting("drawing digits"):
        for number, row in enumerate(pixels[chosen]):
            write_whole(pictures / f"{number:04d}.png", drawn(row.reshape(8, 8)))
        path = place / "digits.ofk"
        new_project(pictures, path=path, vectors=pixels[chosen], question=SAME_DIGIT, seed=seed).close()


def drawn(pixels: Floats) -> bytes:
    """Return a digit as a picture (PNG), dark on white.

    >>> drawn(np.zeros((8, 8)))[1:4]
    b'PNG'
    """
    grey = np.kron(255 - np.clip(pixels / DARKEST, 0, 1) * 255, np.ones((LARGER, LARGER))).astype(np.uint8)
    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
