"""A plain descriptor of pictures: what they look like in small, and which way their edges run.

It is a histogram of oriented gradients (Dalal and Triggs, 2005) beside a thumbnail, and needs no model. It
sees poses, outlines and light; it knows nothing of what is shown. For photographs of things in different
places, vectors from a network that was trained on pictures tell far more.
"""

from dataclasses import dataclass

import numpy as np

from ofakind.arrays import Floats


@dataclass(frozen=True, slots=True)
class DescriptorRules:
    """Sizes of the descriptor: the usual ones of the histogram, the rest chosen by judgement."""

    side: int = 64  # pixels of the square that a picture is brought to
    cell: int = 8  # pixels of a cell's side
    bins: int = 9  # directions of edges that are told apart
    block: int = 2  # cells of a block's side, within which contrast is evened out
    clip: float = 0.2  # the most that one direction counts for in a block
    thumbnail: int = 16  # pixels of the thumbnail's side


PICTURES = DescriptorRules()
ALMOST_NOTHING = 1e-6  # shorter than this is what rounding leaves of a picture of one grey
DESCRIPTOR = "thumbnail and gradients, 1"  # its name in a project; another number for another computation


def describe_picture(grey: Floats) -> Floats:
    """Return the descriptor of a grey picture (side, side) with values from 0 to 1.

    >>> describe_picture(np.zeros((64, 64))).shape
    (2020,)
    """
    edges = _unit(_blocks(_cells(grey)).ravel())
    small = _unit((_shrunk(grey) - grey.mean()).ravel())
    return np.concatenate([edges, small])


def _cells(grey: Floats) -> Floats:
    """Sum the gradients of each cell by their direction, each shared between the two nearest bins."""
    down, right = np.gradient(grey)
    strength = np.hypot(down, right)
    turn = np.mod(np.arctan2(down, right) / np.pi, 1.0) * PICTURES.bins - 0.5
    lower = np.floor(turn).astype(np.int64)
    share = turn - lower
    cells = grey.shape[0] // PICTURES.cell
    place = np.arange(grey.shape[0]) // PICTURES.cell
    cell = place[:, None] * cells + place[None, :]  # (side, side)
    found = np.zeros(cells * cells * PICTURES.bins)
    for bins, weight in ((lower, 1 - share), (lower + 1, share)):
        at = cell * PICTURES.bins + np.mod(bins, PICTURES.bins)
        found += np.bincount(at.ravel(), (strength * weight).ravel(), minlength=len(found))
    return found.reshape(cells, cells, PICTURES.bins)


def _blocks(cells: Floats) -> Floats:
    """Put neighbouring cells together and even out the contrast of each block."""
    size, n = PICTURES.block, cells.shape[0] - PICTURES.block + 1
    parts = [cells[down : down + n, right : right + n] for down in range(size) for right in range(size)]
    blocks = np.concatenate(parts, axis=2)  # (n, n, size * size * bins)
    for _ in range(2):
        length = np.sqrt((blocks**2).sum(axis=2, keepdims=True) + 1e-6)
        blocks = np.minimum(blocks / length, PICTURES.clip)
    return blocks


def _shrunk(grey: Floats) -> Floats:
    """Return the thumbnail: means of squares of pixels."""
    side, step = PICTURES.thumbnail, grey.shape[0] // PICTURES.thumbnail
    return np.asarray(grey.reshape(side, step, side, step).mean(axis=(1, 3)))


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length > ALMOST_NOTHING else np.zeros_like(vector)
