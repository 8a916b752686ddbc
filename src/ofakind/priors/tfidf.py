"""TF-IDF: the weights of scikit-learn's TfidfVectorizer, but what repeats is counted once."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Ints
from ofakind.kernels import portable

BLANK = ord(" ")
MOST = 2**62  # of what a whole number holds, in which n-grams are written


class Counts(NamedTuple):
    """How often each text has each token: a sparse matrix, with columns in order of first appearance.

    ``ranks`` say which place the token of each column has among all of them in alphabetical order.
    """

    matrix: Any
    ranks: Ints


def count_tokens(texts: Iterable[str], split: Callable[[str], list[str]]) -> tuple[Counts, list[str]]:
    """Count the tokens into which texts are split; and what the token of each column is.

    >>> counts, words = count_tokens(["b a b", "c"], str.split)
    >>> words, counts.ranks.tolist(), counts.matrix.toarray().tolist()
    (['b', 'a', 'c'], [1, 0, 2], [[2, 1, 0], [0, 0, 1]])
    """
    matrix, tokens = _split_all(texts, split)
    matrix.sum_duplicates()
    order = np.array(sorted(range(len(tokens)), key=tokens.__getitem__), np.int64)
    return Counts(matrix, _places(order)), tokens


def count_letters(texts: Iterable[str], shortest: int, longest: int) -> Counts:
    """Count n-grams of characters in texts: those within a word and one blank at each of its ends.

    Those of each different word are counted once, then words and n-grams are multiplied. Of one letter with
    its blanks there are n-grams up to 3, so ``shortest`` is 2 or 3.

    >>> count_letters(["ab", "b b"], 2, 3).matrix.toarray().tolist()  # " a", "ab", "b ", " ab", "ab ", ...
    [[1, 1, 1, 1, 1, 0, 0], [0, 0, 2, 0, 0, 2, 2]]
    """
    words_of_texts, words = _split_all(texts, str.split)
    grams = _grams_of(words, shortest, longest)
    return Counts(portable.sparse_matmul(words_of_texts, grams.matrix), grams.ranks)


def weighted(counts: Counts, *, least: int = 1, sublinear: bool = False) -> Any:
    """Rows of weights (CSR) of length 1, the rarest columns first, and equally rare ones by the alphabet.

    Tokens that fewer than ``least`` texts have are left out; ``sublinear`` counts are 1 plus a logarithm.
    """
    n = counts.matrix.shape[0]
    columns = counts.matrix.tocsc()
    held = np.diff(columns.indptr)
    kept = np.flatnonzero(held >= least)
    if len(kept) < len(held):
        columns, held = columns[:, kept], held[kept]
    weights = columns.data.astype(np.float32)
    if sublinear:
        portable.log(weights, out=weights)
        weights += 1
    weights *= np.repeat(_rarities(held, n), held)
    # Squares of single precision, added up in double in the order of the columns, as scikit-learn does.
    lengths = np.sqrt(np.bincount(columns.indices, weights * weights, minlength=n))
    columns.data = (weights / lengths[columns.indices]).astype(np.float32)
    return columns[:, np.lexsort((counts.ranks[kept], held))].tocsr()


def _rarities(held: Ints, n: int) -> NDArray[np.float32]:
    """Inverse document frequencies, smoothed."""
    rarities = np.float32(n + 1) / (held.astype(np.float32) + np.float32(1))
    return np.asarray(portable.log(rarities) + np.float32(1), np.float32)


def _split_all(texts: Iterable[str], split: Callable[[str], list[str]]) -> tuple[Any, list[str]]:
    """Split texts into tokens: a sparse matrix with a 1 for each, however often, and the tokens."""
    from scipy import sparse

    known: defaultdict[str, int] = defaultdict()
    known.default_factory = known.__len__
    found, ends = array("i"), [0]
    for text in texts:
        found.extend(map(known.__getitem__, split(text)))
        ends.append(len(found))
    ones = np.ones(len(found), np.int32)
    shape = (len(ends) - 1, len(known))
    return sparse.csr_matrix((ones, np.array(found, np.int32), np.array(ends)), shape=shape), list(known)


def _grams_of(words: Sequence[str], shortest: int, longest: int) -> Counts:
    """Count the n-grams of words between blanks; within a word the short ones appear first."""
    from scipy import sparse

    letters = np.frombuffer(" ".join(["", *words, ""]).encode("utf-32-le", "surrogatepass"), np.uint32)
    begins, sizes, owners = _places_of_grams(letters == BLANK, shortest, longest)
    codes = _codes(np.unique(letters, return_inverse=True)[1], begins, sizes, longest)
    _, firsts, kinds = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    ends = np.searchsorted(owners, np.arange(len(words) + 1))
    ones, shape = np.ones(len(kinds), np.int32), (len(words), len(firsts))
    return Counts(sparse.csr_matrix((ones, _places(order)[kinds], ends), shape=shape), order)


def _places_of_grams(blank: Any, shortest: int, longest: int) -> tuple[Ints, Ints, Ints]:
    """Where n-grams begin, how long they are, and of which word; by words, then lengths, then places."""
    blanks = np.cumsum(blank)  # up to and with each letter
    starts = []
    for size in range(shortest, longest + 1):
        rooms = max(len(blank) - size + 1, 0)
        no_blank_inside = blanks[size - 2 :][:rooms] == blanks[:rooms]
        starts.append(np.flatnonzero(no_blank_inside))
    begins = np.concatenate(starts)
    sizes = np.repeat(np.arange(shortest, longest + 1), [len(some) for some in starts])
    owners = blanks[begins] - 1
    order = np.argsort(owners, kind="stable")
    return begins[order], sizes[order], owners[order]


def _codes(letters: Ints, begins: Ints, sizes: Ints, longest: int) -> Ints:
    """Write n-grams as whole numbers that are in their alphabetical order.

    They are read as numbers with a digit for each letter. Where these grow too long, as with more than 46,000
    different letters, their beginnings are replaced by their ranks.
    """
    base = int(letters.max(initial=0)) + 2  # 0 stands behind the end
    letters = np.append(letters + 1, np.zeros(longest, np.int64))
    codes = np.zeros(len(begins), np.int64)
    for place in range(longest):
        if int(codes.max(initial=0)) >= MOST // base:
            codes = np.unique(codes, return_inverse=True)[1]
        codes *= base
        codes += np.where(place < sizes, letters[begins + place], 0)
    return codes


def _places(order: Ints) -> Ints:
    """Where each stands in an order."""
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places
