"""Sets of pictures: digits, things and faces."""

import gzip
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ofakind.datasets.base import Dataset
from ofakind.datasets.files import as_floats, read, read_array, read_arrays
from ofakind.datasets.places import find, read_if_here
from ofakind.datasets.samples import bootstrap
from ofakind.datasets.tables import BOOTSTRAP

DIGITS = tuple(str(digit) for digit in range(10))
THINGS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
N_SAMPLE = 989  # distinct training pictures in the paper's sample of CIFAR-10; test pictures follow them
LEARNED = (
    "The network behind the features was trained on the pictures of the paper's sample too, so there it is"
    " right more often (100 %) than on the rest (92.6 %)."
)

Bytes = NDArray[np.uint8]


def mnist(features: str | None = None) -> Dataset:
    """The 10000 test pictures of MNIST."""
    folder = "mnist_t10k"
    images = _idx(read(f"{folder}/t10k-images-idx3-ubyte.gz"), (28, 28))
    labels = _idx(read(f"{folder}/t10k-labels-idx1-ubyte.gz"), ())
    whole = _pictures("mnist", images, labels, DIGITS)
    return _embedded(whole, features, "cnn", [f"{folder}/cnn_128d.npy"])


def mnist_sample(whole: Dataset, _seed: int) -> Dataset:
    """Return the paper's 1000 pictures, 962 of them distinct."""
    return replace(whole.take(bootstrap(whole.n, 1000, seed=39)), note=f"{BOOTSTRAP} {whole.note}".strip())


def cifar10(features: str | None = None) -> Dataset:
    """The 989 distinct training pictures of the paper's sample, and then the first 3000 test pictures."""
    images, labels = _cifar_pictures()
    whole = _pictures("cifar10", images, labels, THINGS)
    files = [f"cifar10/{part}_resnet56_64d.npy" for part in ("paper_sample", "test3000")]
    return _embedded(replace(whole, note=LEARNED), features, "resnet56", files)


def cifar_sample(whole: Dataset, _seed: int) -> Dataset:
    """Return the paper's 1000 pictures, 989 of them distinct."""
    position = np.unique(bootstrap(50_000, 1000, seed=19), return_inverse=True)[1]
    return replace(whole.take(position), note=f"{BOOTSTRAP} {whole.note}".strip())


def orl_faces() -> Dataset:
    """The 400 photographs of 40 persons."""
    arrays = read_arrays(read("orl_faces/faces.npz"))
    persons = np.asarray(arrays["labels"], np.int64)
    names = tuple(f"s{person}" for person in range(1, 41))
    whole = _pictures("orl_faces", np.asarray(arrays["images"], np.uint8), persons - 1, names)
    return replace(whole, features=pixels(whole))


def digits() -> Dataset:
    """The 1797 small pictures of digits that come with scikit-learn."""
    from sklearn.datasets import load_digits

    loaded = load_digits()
    whole = _pictures("digits", loaded.images.astype(np.uint8), loaded.target, DIGITS)
    return replace(whole, features=pixels(whole))


def pixels(dataset: Dataset) -> NDArray[np.float64]:
    """One feature per pixel and colour, as bright as in the picture."""
    images = np.asarray(dataset.images)
    return as_floats(images.reshape(len(images), -1))


def _pictures(name: str, images: Bytes, labels: NDArray[np.generic], classes: tuple[str, ...]) -> Dataset:
    truth = np.asarray(labels, np.int64)
    return Dataset(name=name, rows=np.arange(len(truth)), truth=truth, classes=classes, images=images)


def _embedded(whole: Dataset, wanted: str | None, embedding: str, files: list[str]) -> Dataset:
    """Add the features: the embedding if it is wanted or here, else the pixels, with a note."""
    if wanted == embedding or (wanted is None and all(find(file) for file in files)):
        parts = [as_floats(read_array(read(file))) for file in files]
        return replace(whole, features=np.concatenate(parts))
    note = "" if wanted else f"The features are pixels: {' and '.join(files)} not found."
    return replace(whole, features=pixels(whole), note=note)


def _cifar_pictures() -> tuple[Bytes, Bytes]:
    packed = [read_if_here(f"cifar10/{part}.npz") for part in ("paper_sample", "test3000")]
    if all(packed):
        parts = [read_arrays(part) for part in packed if part]
        images, labels = (np.concatenate([part[key] for part in parts]) for key in ("images", "labels"))
        return np.asarray(images, np.uint8), np.asarray(labels, np.uint8)
    rows = np.frombuffer(read("cifar10/pictures.bin"), np.uint8).reshape(-1, 1 + 32 * 32 * 3)
    return rows[:, 1:].reshape(-1, 32, 32, 3), rows[:, 0]


def _idx(content: bytes, shape: tuple[int, ...]) -> Bytes:
    """Read the bytes in one of MNIST's files, after its head: a kind and the length of each axis."""
    plain = gzip.decompress(content)
    start = 4 + 4 * (1 + len(shape))
    return np.frombuffer(plain, np.uint8, offset=start).reshape(-1, *shape)
