"""What a method knows of the objects before it asks: a candidate graph, or vectors, made once a process."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Floats, Ints
from ofakind.datasets import Dataset
from ofakind.datasets.base import Records
from ofakind.errors import InvalidInputError
from ofakind.priors.neighbours import Neighbours
from ofakind.study.problem import objects_of, order_of, standardised
from ofakind.study.setting import Data

FEATURE_STREAM = 102  # the stream by which features are given to other objects


@dataclass(frozen=True, slots=True)
class RecordVectorRules:
    """How records become vectors, for rivals that need some; chosen by judgement."""

    dimensions: int = 100  # of a vector, at most
    shortest: int = 2  # n-grams of characters within words that are counted, as in the candidate graph
    longest: int = 4  # of them


RECORD_VECTORS = RecordVectorRules()


def graph_of(data: Data, seed: int, whose: str = "own") -> Neighbours:
    """Return the candidate graph of a cell's objects, in its order; equal arguments give the same one.

    ``whose`` features the objects get is one of "own", "shuffled" (those of a random object each) and "half"
    (a random half of them shuffled among themselves).
    """
    return _graph(_features_only(data), _drawn(data, seed, whose), whose)


def vectors_of(data: Data, seed: int, whose: str = "own") -> Floats | None:
    """Return a vector for each of a cell's objects, in its order: what records say if the prior is of them.

    Of records, these are weights of n-grams of characters, reduced to 100 numbers. None: there are none.
    """
    objects, prior = objects_of(data), data.prior
    table = _text_vectors(_features_only(data)) if prior == "records" else _table(objects, data)
    return None if table is None else table[_rows(objects.n, data, seed, whose)]


def given_rows(n: int, whose: str, rng: Generator) -> Ints:
    """Return the object whose features each object gets: no two get the same.

    >>> given_rows(4, "shuffled", np.random.default_rng(0)).tolist()
    [2, 0, 1, 3]
    """
    rows = np.arange(n)
    if whose == "shuffled":
        return rng.permutation(n)
    if whose == "half":
        some = rng.permutation(n)[: n // 2]
        rows[some] = rng.permutation(some)
    return rows


@lru_cache(maxsize=6)
def _graph(data: Data, seed: int, whose: str) -> Neighbours:
    objects = objects_of(data)
    rows = _rows(objects.n, data, seed, whose)
    if data.prior == "records":
        records = _records(objects)
        return Neighbours.from_records([dict(records[row]) for row in rows.tolist()])
    table = _table(objects, data)
    if table is None:
        raise InvalidInputError(f"{data.name} has no vectors; expected the prior 'records'")
    return Neighbours.from_vectors(table[rows])


@lru_cache(maxsize=2)
def _text_vectors(data: Data) -> Floats:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    from ofakind.priors.records import read_columns

    found = read_columns([dict(record) for record in _records(objects_of(data))])
    texts = [" ".join(filter(None, row)) for row in zip(*found.texts, strict=True)]
    span = (RECORD_VECTORS.shortest, RECORD_VECTORS.longest)
    weights = TfidfVectorizer(analyzer="char_wb", ngram_range=span, sublinear_tf=True).fit_transform(texts)
    dimensions = min(RECORD_VECTORS.dimensions, weights.shape[1] - 1)
    reduced = TruncatedSVD(dimensions, random_state=0).fit_transform(weights)
    return np.asarray(normalize(reduced), np.float64)


def _table(objects: Dataset, data: Data) -> Floats | None:
    if objects.features is None or not data.standardise:
        return objects.features
    return standardised(objects.features)


def _records(objects: Dataset) -> Records:
    if objects.records is None:
        raise InvalidInputError(f"{objects.name} has no records; expected the prior 'vectors'")
    return objects.records


def _rows(n: int, data: Data, seed: int, whose: str) -> Ints:
    """Return the object of the dataset whose features each object of a cell gets."""
    return order_of(data, seed, n)[given_rows(n, whose, np.random.default_rng([seed, FEATURE_STREAM]))]


def _features_only(data: Data) -> Data:
    """Return the dataset without what features do not depend on."""
    return replace(data, budget=1, first_batch=None, batch=None, repeats=None, judge_features=None)


def _drawn(data: Data, seed: int, whose: str) -> int:
    """Return the seed where anything depends on it, else 0."""
    return seed if data.shuffle or whose != "own" else 0
