"""TF-IDF has the numbers of scikit-learn, to the last bit, whatever the texts are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.pairs import Pairs
from ofakind.priors.base import sorted_pairs
from ofakind.priors.text import TEXTS as RULES
from ofakind.priors.text import WORD, _field_features
from ofakind.priors.tfidf import count_letters, count_tokens, weighted
from twins import tfidf as twin

AWKWARD = {
    "no text": [],
    "one empty text": [""],
    "empty texts among others": ["", "ab", "", "ab", "b"],
    "nothing but blanks": [" ", "\t\n", "\u3000"],
    "nothing shared": ["abc", "xyz"],
    "words of one letter": ["a", "b a", "a a a"],
    "words of two letters, which are as long as an n-gram with their blanks": ["ab ab", "ba ab"],
    "equal rows": ["ab cd", "ab cd", "ab cd"],
    "the same letters in another order": ["ab cd", "cd ab"],
    "many kinds of blanks": ["ab\u00a0cd\u2003ef\x1cgh\x85ij", "ab cd  ef\tgh\r\nij", "\u200bab\u200b"],
    "combining marks": ["e\u0301a", "\u00e9a", "e\u0301\u0301", "\u0301"],
    "astral characters": ["\U0001f600\U0001f601", "\U0001f600 a\U0010ffff", "\U00010000\ufffd \uffff"],
    "half of a surrogate pair": ["\ud800a", "a\udfff \ud800a"],
    "a character of zero": ["\0a\0", "a\0 \0"],
    "long runs": ["x" * 5000, "x" * 5000 + "y", "xx " * 2000],
}
ALPHABET = st.sampled_from("abcAB1 2\u00e9\u0301\u3000\t\U0001f600\ud800\0-")
TEXTS = st.lists(st.text(ALPHABET, max_size=30) | st.text(max_size=12), max_size=12)


SINGLE = np.finfo(np.float32).eps


def same(found, expected):
    """Equal, but for the logarithms of single precision that scikit-learn takes."""
    assert found.shape == expected.shape
    assert (found.dtype, found.has_sorted_indices) == (np.float32, True)
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.data, expected.data, rtol=4 * SINGLE)
    return True


def letters_are_the_twins(texts, shortest=2, longest=4):
    counts = count_letters(texts, shortest, longest)
    return all(
        same(weighted(counts, least=least, sublinear=True), twin.letters(texts, shortest, longest, least))
        for least in (1, 2)
    )


def words_are_the_twins(texts):
    return same(weighted(count_tokens(texts, WORD.findall)[0]), twin.weights(texts, analyzer=WORD.findall))


@pytest.mark.parametrize("texts", AWKWARD.values(), ids=AWKWARD)
def test_awkward_texts_have_the_weights_of_the_twin(texts):
    assert letters_are_the_twins(texts)
    assert words_are_the_twins(texts)


@pytest.mark.slow
@given(TEXTS, st.sampled_from([(2, 4), (2, 2), (3, 3), (3, 5), (2, 9)]))
def test_any_texts_have_the_weights_of_the_twin(texts, span):
    assert letters_are_the_twins(texts, *span)
    assert words_are_the_twins(texts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_many_random_texts_have_the_weights_of_the_twin(seed):
    """Of many words each, which share nearly all of their n-grams."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abcdefghij"), rng.integers(1, 12))) for _ in range(400)]
    texts = [" ".join(rng.choice(words, rng.integers(0, 40))) for _ in range(600)]
    assert letters_are_the_twins(texts)
    assert words_are_the_twins(texts)


@pytest.mark.slow
def test_more_letters_than_fit_into_a_whole_number_four_at_a_time():
    rng = np.random.default_rng(0)
    letters = [chr(code) for code in range(0x3400, 0x3400 + 60_000) if not chr(code).isspace()]
    rng.shuffle(letters)
    letters = "".join(letters)
    texts = [letters[begin : begin + 500] for begin in range(0, len(letters), 500)]
    again = [text[:250] + " " + text[:2] + text[100:] for text in texts[:40]]
    assert letters_are_the_twins(texts + again)


def test_counts_are_those_of_python():
    texts = ["ab b", "b\u00a0ab b"]
    counts, words = count_tokens(texts, str.split)
    assert words == ["ab", "b"]
    assert counts.matrix.toarray().tolist() == [[1, 1], [1, 2]]
    grams = count_letters(texts, 2, 4).matrix
    assert grams.toarray().tolist() == [[1, 1, 2, 1, 1, 1, 1, 1], [1, 1, 3, 1, 1, 1, 2, 2]]


FEW_VALUES = ["", "", "ab cd", "ab ce", "xyz", " ", "a\u00e9 \U0001f600", "ann lee", "ann leigh"]


@pytest.mark.parametrize("seed", range(5))
def test_fields_of_pairs_are_described_as_the_twin_describes_them(seed):
    """Of few values, which are equal, missing or meet again and again."""
    rng = np.random.default_rng(seed)
    column = rng.choice(FEW_VALUES, rng.integers(2, 30)).tolist()
    u, v = np.triu_indices(len(column), 1)
    chosen = np.flatnonzero(rng.random(len(u)) < rng.choice([0.0, 0.3, 1.0]))
    pairs = Pairs.trusted(u[chosen], v[chosen])
    expected = list(twin.field_features(column, pairs, RULES.shortest, RULES.longest))
    found = _field_features(column, pairs)
    np.testing.assert_allclose(found, np.reshape(expected, found.shape), atol=4 * SINGLE)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_of_a_search_are_put_in_order_once_each(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 9))
    u, v = rng.integers(-1, n, (2, rng.integers(0, 60))) if n else np.empty((2, 0), np.int64)
    expected = {(min(a, b), max(a, b)) for a, b in zip(u.tolist(), v.tolist(), strict=True) if a != b}
    assert list(sorted_pairs(u, v, n)) == sorted(pair for pair in expected if pair[0] >= 0)
