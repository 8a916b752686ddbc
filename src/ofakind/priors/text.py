"""Neighbours by text: n-grams of characters and words, weighted by TF-IDF, in an inverted index."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.pairs import Pairs
from ofakind.parallel import run_watched
from ofakind.priors.base import Prepared, union
from ofakind.priors.copies import Distinct, distinct_values
from ofakind.priors.records import Column, read_more
from ofakind.priors.standing import similarity_features, similarity_names
from ofakind.priors.tfidf import count_letters, count_tokens, weighted
from ofakind.progress import progressed

WORD, DIGIT = re.compile(r"\w+"), re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class TextRules:
    """Tuned numbers of the search by text, from trials on public sets; the rest chosen by judgement."""

    k: int = 10  # neighbours by n-grams of characters
    k_words: int = 5  # neighbours by words, which see through long names that differ in few letters
    shortest: int = 2  # characters of an n-gram,
    longest: int = 4  # within a word and the blanks around it
    entries: int = 20_000  # so many entries of the index are read for a row
    columns: int = 4  # n-grams at least, however common they are
    candidates: int = 100  # so many of what was met is compared in full
    block: int = 2_000  # rows that a core searches at a time
    hinges: tuple[float, ...] = (0.4, 0.7, 0.9)  # where the worth of a cosine may change its slope


TEXTS = TextRules()


@dataclass(frozen=True, slots=True, eq=False)
class RecordTexts:
    """Records as columns of text, empty where missing."""

    n: int
    fields: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def kind(self) -> str:
        """What it is."""
        return "text"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its features; fields have some of their own where there are several."""
        general = (*similarity_names("cosine", TEXTS.hinges), "word cosine", "shared numbers", "no number")
        return (*general, *(f"{what} {name}" for name in self._compared() for what in ("cosine of", "equal")))

    def _compared(self) -> tuple[str, ...]:
        return self.fields if len(self.fields) > 1 else ()

    def extended(self, more: Any) -> "RecordTexts":
        """Return these and further records, of the same form."""
        n, _, added = read_more(more, self.fields)
        columns = tuple(old + new for old, new in zip(self.columns, added, strict=True))
        return RecordTexts(self.n + n, self.fields, columns)

    def prepared(self) -> Prepared:
        """Search for the neighbours of each distinct text; a record without any text has none."""
        whole = [" ".join(filter(None, parts)) for parts in zip(*self.columns, strict=True)]
        distinct = distinct_values(whole or [""] * self.n)
        texts = [whole[row] for row in distinct.first.tolist()]
        progressed("counting letters and words")
        characters, (words, numbers) = letter_counts(texts), _words_and_numbers(texts)
        graphs = [
            distinct.pairs_of(nearest_texts(characters, TEXTS.k, "comparing letters")),
            distinct.pairs_of(nearest_texts(words, TEXTS.k_words, "comparing words")),
            distinct.star,
        ]
        compared = self.columns if self._compared() else ()
        parts = [
            partial(_cosine_features, distinct, characters),
            partial(_other_features, distinct, words, numbers),
            *(partial(_field_features, column) for column in compared),
        ]
        return Prepared(union(self.n, *graphs), partial(_side_by_side, parts))


def nearest_texts(matrix: Any, k: int, doing: str = "comparing texts") -> Ints:
    """Return the k nearest rows of a sparse matrix of unit rows, nearest first; -1 where there are fewer.

    ``doing`` is what it is called for whoever watches.
    """
    from ofakind.kernels.graph.postings import Budget, nearest_rows

    n = matrix.shape[0]
    budget = Budget(TEXTS.entries, TEXTS.columns, TEXTS.candidates)
    rows, index = _arrays(matrix), _arrays(matrix.tocsc())
    calls = [
        (rows, index, budget, begin, min(begin + TEXTS.block, n), k) for begin in range(0, n, TEXTS.block)
    ]
    found = run_watched(nearest_rows, calls, doing)
    return np.concatenate([np.empty((0, k), np.int64), *(rows for rows, _ in found)])


def letter_counts(texts: Sequence[str]) -> Any:
    """TF-IDF of n-grams of characters within words; of those that two texts have, if any two have some."""
    counts = count_letters(texts, TEXTS.shortest, TEXTS.longest)
    shared = weighted(counts, least=2, sublinear=True)
    return shared if shared.nnz else weighted(counts, sublinear=True)


def _words_and_numbers(texts: Sequence[str]) -> tuple[Any, Any]:
    """TF-IDF of words; and which words with a digit each text has, as ones."""
    counts, words = count_tokens(texts, WORD.findall)
    numbers = counts.matrix[:, np.array([DIGIT.search(word) is not None for word in words], np.bool_)]
    return weighted(counts), numbers.astype(np.bool_).astype(np.float32)


def _arrays(matrix: Any) -> Any:
    """Return the arrays of a sparse matrix, as kernels take them."""
    from ofakind.kernels.graph.products import SparseRows

    return SparseRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


# -- features ----------------------------------------------------------------------------------------------


def _side_by_side(parts: Sequence[Callable[[Pairs], Floats]], pairs: Pairs) -> Floats:
    found = []
    for number, part in enumerate(parts):
        progressed("describing candidate pairs", number, len(parts))
        found.append(part(pairs))
    return np.concatenate(found, axis=1)


def _products(matrix: Any, a: Ints, b: Ints) -> Floats:
    """Dot products of rows; 0 where one of them is -1."""
    from ofakind.kernels.graph.products import sparse_products

    products, both = np.zeros(len(a)), (a >= 0) & (b >= 0)
    products[both] = sparse_products(_arrays(matrix), a[both], b[both])
    return products


def _cosines(matrix: Any, a: Ints, b: Ints) -> Floats:
    """Cosines of rows, exactly 1 where they are one row; 0 where one of them is -1."""
    return np.where((a == b) & (a >= 0), 1.0, np.clip(_products(matrix, a, b), 0.0, 1.0))


def _cosine_features(distinct: Distinct, characters: Any, pairs: Pairs) -> Floats:
    cosines = _cosines(characters, distinct.kind[pairs.u], distinct.kind[pairs.v])
    return similarity_features(pairs, cosines, cosines, TEXTS.hinges)


def _other_features(distinct: Distinct, words: Any, numbers: Any, pairs: Pairs) -> Floats:
    """Cosine of the words; share of common ones among the words with digits, and whether one has none."""
    a, b = distinct.kind[pairs.u], distinct.kind[pairs.v]
    counts = np.append(np.diff(numbers.indptr), 0)  # the last for kind -1
    common = _products(numbers, a, b)
    without = (counts[a] == 0) | (counts[b] == 0)
    either = np.maximum(counts[a] + counts[b] - common, 1)
    return np.stack([_cosines(words, a, b), common / either, without.astype(np.float64)], axis=1)


def _field_features(column: Column, pairs: Pairs) -> Floats:
    """Cosine of the values of a field, and whether they are equal (1 or 0), both less 0.5.

    So that 0 stands half-way between alike and unlike, where one of the values is missing. With 0 for unlike
    values too, what is missing would count against a pair. Tried once, with logistic regressions from 60,
    200 and 1000 pairs: worse on splink_fake_1000 and cora (log loss 0.096 for 0.089 and 0.177 for 0.169 from
    1000), no different on febrl1 and restaurants, and on 6,000 records of historical_50k 0.127 for 0.118.
    Each two values are compared once, however often they meet.
    """
    distinct = distinct_values(column)
    texts = [column[row] for row in distinct.first.tolist()]
    matrix = weighted(count_letters(texts, TEXTS.shortest, TEXTS.longest), sublinear=True)
    a, b = distinct.kind[pairs.u], distinct.kind[pairs.v]
    both, differ = (a >= 0) & (b >= 0), a != b
    features = np.where(both & ~differ, 0.5, 0.0)[:, None].repeat(2, axis=1)
    kept = np.flatnonzero(both & differ)
    once, place = np.unique(np.minimum(a, b)[kept] * len(texts) + np.maximum(a, b)[kept], return_inverse=True)
    features[kept, 0] = _cosines(matrix, once // max(len(texts), 1), once % max(len(texts), 1))[place] - 0.5
    features[kept, 1] = -0.5
    return features
