"""The tables of the UCI repository that the paper uses, and those that scikit-learn makes or ships."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.datasets.base import Dataset, numbered
from ofakind.datasets.files import as_floats, read_rows
from ofakind.datasets.samples import bootstrap, stratified

BOOTSTRAP = "A bootstrap draw, as in the paper: some objects are there several times."
SCALED = "The paper's authors scaled the features over their sample; here they are as in the files."

ECOLI_CLASSES = ("cp", "im", "imL", "imS", "imU", "om", "omL", "pp")
FOREST_CLASSES = ("d", "h", "o", "s")
KNOWLEDGE_CLASSES = ("high", "low", "middle", "very low")
SPELLED_CLASSES = ("High", "Low", "Middle", "Very Low", "very_low")
CARDIO_CLASSES = tuple(str(number) for number in range(1, 11))
CARDIO_SIZES = (180, 275, 27, 35, 31, 148, 114, 62, 28, 100)

ECOLI_COLUMNS = ("mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2")
BANDS = [f"b{band}" for band in range(1, 10)]
FOREST_COLUMNS = tuple(BANDS + [f"pred_minus_obs_{kind}_{band}" for kind in "HS" for band in BANDS])
KNOWLEDGE_COLUMNS = ("STG", "SCG", "STR", "LPR", "PEG")
CARDIO_COLUMNS = (
    "LB",
    *(f"{name}_per_s_r3" for name in ("AC", "FM", "UC", "DL", "DS", "DP")),
    *("ASTV", "MSTV", "ALTV", "MLTV", "Width", "Min", "Max", "Nmax", "Nzeros"),
    *("Mode", "Mean", "Median", "Variance", "Tendency"),
)


def ecoli() -> Dataset:
    """All 336 proteins."""
    return _table("ecoli", ECOLI_COLUMNS, ECOLI_CLASSES, SCALED)


def forest_type_mapping() -> Dataset:
    """All 523 patches of forest."""
    return _table("forest_type_mapping", FOREST_COLUMNS, FOREST_CLASSES)


def user_knowledge() -> Dataset:
    """All 403 students, in their four classes."""
    return _table("user_knowledge", KNOWLEDGE_COLUMNS, KNOWLEDGE_CLASSES)


def cardiotocography() -> Dataset:
    """All 2126 cardiotocograms, with the 21 features that the paper's authors used."""
    return _table("cardiotocography", CARDIO_COLUMNS, CARDIO_CLASSES, SCALED)


def _table(name: str, columns: tuple[str, ...], classes: tuple[str, ...], note: str = "") -> Dataset:
    rows = read_rows(f"{name}/records.csv")
    labels, _ = numbered([row.pop("cluster") for row in rows], classes)
    return Dataset(
        name=name,
        rows=np.arange(len(rows)),
        truth=labels,
        classes=classes,
        features=np.array([[float(row[column]) for column in columns] for row in rows]),
        records=tuple(rows),
        note=note,
    )


def bootstrapped(whole: Dataset, _seed: int) -> Dataset:
    """As many objects as there are, with replacement: the paper's ecoli, forest and user knowledge."""
    drawn = whole.take(bootstrap(whole.n, whole.n, seed=19))
    return replace(drawn, note=f"{BOOTSTRAP} {whole.note}".strip())


def as_spelled(whole: Dataset, seed: int) -> Dataset:
    """Return the paper's user knowledge: "Very Low" and "very_low" are two of its five classes."""
    drawn = bootstrapped(whole, seed)
    labels, classes = numbered([row["UNS_raw"] for row in drawn.records or ()], SPELLED_CLASSES)
    fifth = 'Five classes, as in the paper: "Very Low" and "very_low" are one in every other variant.'
    return replace(drawn, truth=labels, classes=classes, note=f"{fifth} {drawn.note}")


def cardio_sample(whole: Dataset, seed: int) -> Dataset:
    """Thousand distinct objects in the class sizes of the paper."""
    drawn = whole.take(stratified(whole.labels, CARDIO_SIZES, seed=seed))
    ours = f"A draw of ours (seed {seed}) with the paper's class sizes; its own draw is not known."
    return replace(drawn, note=f"{ours} {whole.note}")


def synthetic() -> Dataset:
    """Draw the paper's 500 points: 10 classes, evenly split (so no label is flipped)."""
    from sklearn.datasets import make_classification

    points, labels = make_classification(
        n_samples=500,
        n_features=10,
        n_informative=10,
        n_redundant=0,
        n_classes=10,
        n_clusters_per_class=1,
        class_sep=1.5,
        flip_y=0.0,
        random_state=14,
    )
    return _shipped("synthetic", points, labels, range(10))


def iris() -> Dataset:
    """Fisher's 150 flowers."""
    from sklearn.datasets import load_iris

    loaded = load_iris()
    return _shipped("iris", loaded.data, loaded.target, loaded.target_names)


def _shipped(name: str, points: NDArray[np.generic], labels: NDArray[np.int64], names: Any) -> Dataset:
    return Dataset(
        name=name,
        rows=np.arange(len(labels)),
        truth=np.asarray(labels, np.int64),
        classes=tuple(map(str, names)),
        features=as_floats(points),
    )
