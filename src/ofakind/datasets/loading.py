"""Loading a set by its name."""

import numpy as np

from ofakind.checks import one_of, whole_number
from ofakind.datasets.base import Dataset
from ofakind.datasets.catalogue import CATALOGUE, Info
from ofakind.errors import InvalidInputError


def available() -> list[Info]:
    """List all sets that `load` knows; the ``place`` of each says whether it is here, or can be had.

    >>> {info.name: info.rows for info in available()}["iris"]
    150
    """
    return list(CATALOGUE.values())


def load(name: str, *, variant: str | None = None, features: str | None = None, seed: int = 0) -> Dataset:
    """Load a set: from the folder named by OFAKIND_DATA, else from the cache, else from its source.

    Args:
        name: one of those that `available` lists.
        variant: "paper", the default for the paper's eight sets: its sample, in its class sizes; "distinct":
            each object of that sample once; "all": the whole set; "rest": what is not in the sample, to train
            on. The default of the other sets is "all"; ``crowd_restaurants`` has its two conditions too.
        features: which ones, where a set has several; without, the best that are here (``note`` tells).
        seed: of our draw where the paper's own is not known (cardiotocography and newsgroups5).

    >>> iris = load("iris")
    >>> iris
    Dataset('iris', 150 objects in 3 clusters, 4 features)
    >>> iris.classes, iris.labels[:3].tolist()
    (('setosa', 'versicolor', 'virginica'), [0, 0, 0])

    Raises:
        InvalidInputError: an unknown name, variant or kind of features.
        OfakindError: a set that is not here and cannot be downloaded, or a damaged file; the message says
            what to do.
    """
    if name not in CATALOGUE:
        raise InvalidInputError(f"there is no set {name!r}; expected one of {', '.join(CATALOGUE)}")
    info = CATALOGUE[name]
    chosen = info.variants[0] if variant is None else variant
    one_of(f"the variant of {name}", chosen, *info.variants)
    if features is not None:
        _check_features(info, features)
    start = whole_number("seed", seed, least=0)
    whole = info.read(features) if len(info.features) > 1 else info.read()
    return _variant(info, whole, chosen, start)


def _check_features(info: Info, features: str) -> None:
    if not info.features:
        raise InvalidInputError(f"features is {features!r}, and {info.name} has none; leave it out")
    one_of(f"features of {info.name}", features, *info.features)


def _variant(info: Info, whole: Dataset, variant: str, seed: int) -> Dataset:
    if variant == "all":
        return whole
    if variant in info.special:
        return info.special[variant](whole, seed)
    sampled = np.isin(whole.rows, info.special["paper"](whole, seed).rows)
    return whole.take(sampled if variant == "distinct" else ~sampled)
