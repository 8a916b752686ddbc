"""Reading the files of the sets: found or downloaded, checked, and taken apart."""

import csv
import gzip
import io
import lzma

import numpy as np
from numpy.typing import NDArray

from ofakind.datasets.download import fetch
from ofakind.datasets.places import find, places, read_if_here, what_to_do
from ofakind.datasets.sources import ORIGINALS, SOURCES
from ofakind.errors import OfakindError

Row = dict[str, str]
PACKED = {".gz": gzip.decompress, ".xz": lzma.decompress}


def read(file: str) -> bytes:
    """Return a file's content from the first place that holds it, or else from its original source."""
    content = read_if_here(file)
    if content is not None:
        return content
    if file in SOURCES:
        return fetch(file, SOURCES[file])
    looked = " and ".join(str(place) for place in places())
    origin = ORIGINALS.get(file.partition("/")[0], "it was computed with a neural network")
    reason = f"it cannot be downloaded as it is ({origin})"
    raise OfakindError(f"{file} was not found in {looked}, and {reason}; {what_to_do(file)}")


def read_rows(*files: str) -> list[Row]:
    """Rows of a CSV file, as dictionaries: of the first of these that is found, else of the last one."""
    file = next((name for name in files if find(name) is not None), files[-1])
    content = read(file)
    for ending, unpack in PACKED.items():
        if file.endswith(ending):
            content = unpack(content)
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def read_array(content: bytes) -> NDArray[np.generic]:
    """Read the array of an ``.npy`` file; Python objects in it are refused."""
    array: NDArray[np.generic] = np.load(io.BytesIO(content), allow_pickle=False)
    return array


def read_arrays(content: bytes) -> dict[str, NDArray[np.generic]]:
    """Read all arrays of an ``.npz`` file; Python objects in them are refused."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def as_floats(array: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return features as the double numbers that everything else computes with."""
    return np.asarray(array, np.float64)
