"""Similarity: what the answers so far say of each asked pair (the paper's S, kept sparse)."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers, check_answers
from ofakind.arrays import Ints, order_of_distinct, restore_read_only
from ofakind.checks import as_count, as_endpoints, as_known_endpoints, plain_array
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, rank

MAX_OBJECTS = 2**31 - 1  # objects are numbered by 32 bits in the CSR arrays


@dataclass(frozen=True, slots=True)
class MatrixRules:
    """How matrices are read; chosen by judgement."""

    asymmetry: float = 1e-12  # by which S[u, v] and S[v, u] may differ: rounding


MATRIX = MatrixRules()


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """Symmetric sparse similarities of n objects: the mean answer and the number of answers per asked pair.

    CSR arrays over both directions, columns sorted in each row. A pair that was never asked is absent and
    counts as 0 in every sum; a pair that was answered with 0 is present. Memory: 16 bytes per direction
    of an asked pair.

    >>> s = Similarity.from_pairs(3, [0, 0, 1], [1, 1, 2], [1.0, 0.0, -1.0])   # (0, 1) answered twice
    >>> s.value([0, 0], [1, 2]).tolist(), s.count([0, 0], [1, 2]).tolist()
    ([0.5, 0.0], [2, 0])
    """

    n: int
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: NDArray[np.int32]

    @classmethod
    def from_pairs(cls, n: int, u: ArrayLike, v: ArrayLike, values: ArrayLike) -> Self:
        """Fold answers into similarities; repeated pairs are averaged, whatever their order of arrival."""
        size, pairs = as_count(n), np.stack(as_endpoints(u, v), axis=1)
        return cls._fold(size, *check_answers(size, pairs, values))

    @classmethod
    def from_answers(cls, answers: Answers) -> Self:
        """Fold the table of answers."""
        return cls._fold(answers.n, answers.u, answers.v, answers.values)

    @classmethod
    def from_matrix(cls, matrix: Any) -> Self:
        """Read a symmetric matrix with values in [-1, 1], dense (0 is unknown) or scipy sparse.

        A stored zero of a sparse matrix is an answered 0; the diagonal is not looked at.
        """
        n, row, column, data = _off_diagonal(matrix)
        u, v = np.minimum(row, column), np.maximum(row, column)
        first = np.unique(rank(u, v, n), return_index=True)[1]
        return cls.from_pairs(n, u[first], v[first], data[first])

    @classmethod
    def _fold(
        cls, n: int, u: Ints, v: Ints, totals: NDArray[np.float64], weights: NDArray[np.int64] | None = None
    ) -> Self:
        """Average sums of answers to pairs in any order; ``weights`` says of how many answers, if not one."""
        key = u * (v.max(initial=0) + 1) + v
        order = order_of_distinct(key)
        if np.any(np.diff(key[order]) == 0):
            # Sorting by value too makes the sum of a pair's answers independent of their order of arrival.
            order = np.lexsort((totals, v, u))
        u, v, totals = u[order], v[order], totals[order]
        first = np.flatnonzero(np.r_[True, (np.diff(u) != 0) | (np.diff(v) != 0)][: len(u)])
        sizes = np.diff(np.r_[first, len(u)])
        counts = sizes if weights is None else np.add.reduceat(weights[order], first)
        # Rounding is monotone and whole numbers are exact, so a mean of answers in [-1, 1] never leaves it.
        means = np.add.reduceat(totals, first) / counts
        return cls._from_sorted(n, u[first], v[first], means, counts)

    @classmethod
    def _from_sorted(cls, n: int, u: Ints, v: Ints, means: NDArray[np.float64], counts: Ints) -> Self:
        from ofakind.kernels.graph.csr import symmetric_csr

        if n > MAX_OBJECTS:
            raise InvalidInputError(f"n is {n}; expected at most {MAX_OBJECTS} objects")
        indptr, indices, pair = symmetric_csr(n, u, v)
        values, numbers = means[pair], counts[pair].astype(np.int32)
        for array in (indptr, indices, values, numbers):
            array.flags.writeable = False
        return cls(n, indptr, indices, values, numbers)

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)

    def with_answers(self, pairs: ArrayLike, values: ArrayLike) -> Self:
        """Return the similarities with more answers averaged in; pairs may be new or asked before.

        Equal to the fold of all answers up to rounding, a few units in the last place.
        """
        u, v, new = check_answers(self.n, pairs, values)
        rows, upper = self._upper()
        old_u, old_v, counts = rows[upper], self.indices[upper], self.counts[upper]
        totals = np.r_[self.values[upper] * counts, new]
        weights = np.r_[counts, np.ones(len(u), np.int64)]
        return self._fold(self.n, np.r_[old_u, u], np.r_[old_v, v], totals, weights)

    @property
    def n_pairs(self) -> int:
        """Number of distinct pairs that were asked."""
        return len(self.indices) // 2

    def pairs(self) -> Pairs:
        """Return the asked pairs, sorted."""
        rows, upper = self._upper()
        return Pairs.trusted(rows[upper], self.indices[upper].astype(np.int64))

    def _upper(self) -> tuple[Ints, NDArray[np.bool_]]:
        """Row of each entry, and whether it stands above the diagonal, where each pair stands once."""
        rows = np.repeat(np.arange(self.n), np.diff(self.indptr))
        return rows, self.indices > rows

    def slots(self, u: ArrayLike, v: ArrayLike) -> Ints:
        """Position of each entry (u, v) in the CSR arrays; -1 where the pair was never asked."""
        return self._slots(*as_known_endpoints(u, v, self.n))

    def _slots(self, u: Ints, v: Ints) -> Ints:
        from ofakind.kernels.graph.csr import find_slots

        return np.asarray(find_slots(self.indptr, self.indices, u, v), np.int64)

    def value(self, u: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Mean answer of each pair; 0 where it was never asked."""
        return self.values_of(*as_known_endpoints(u, v, self.n))

    def count(self, u: ArrayLike, v: ArrayLike) -> Ints:
        """Return the number of answers to each pair."""
        return self.counts_of(*as_known_endpoints(u, v, self.n))

    def counts_of(self, u: Ints, v: Ints) -> Ints:
        """Return the number of answers as `count` does, to pairs that were checked before."""
        return self._at(u, v, self.counts).astype(np.int64)

    def values_of(self, u: Ints, v: Ints) -> NDArray[np.float64]:
        """Return the mean answers as `value` does, of pairs that were checked before."""
        return np.asarray(self._at(u, v, self.values), np.float64)

    def _at(self, u: Ints, v: Ints, amounts: NDArray[Any]) -> NDArray[Any]:
        if not len(amounts):
            return np.zeros(len(u), amounts.dtype)
        slots = self._slots(u, v)
        return np.where(slots >= 0, amounts[slots], 0)

    def to_scipy(self) -> Any:
        """Return a scipy CSR array of the mean answers (answered zeros are stored)."""
        from scipy import sparse

        return sparse.csr_array((self.values, self.indices, self.indptr), shape=(self.n, self.n))

    def __repr__(self) -> str:
        return f"Similarity({self.n} objects, {self.n_pairs} pairs asked)"


def _off_diagonal(matrix: Any) -> tuple[int, Ints, Ints, NDArray[np.float64]]:
    """Size, rows, columns and values of the stored entries beside the diagonal, checked to be symmetric."""
    from scipy import sparse

    array = matrix if sparse.issparse(matrix) else plain_array(matrix, "similarities")
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InvalidInputError(f"the matrix has shape {array.shape}; expected n rows and n columns")
    if array.size and array.dtype.kind not in "iuf":
        raise InvalidInputError(
            f"the matrix has type {array.dtype}; expected numbers in [-1, 1], 0 for unknown"
        )
    given = sparse.coo_array(array, dtype=np.float64)
    given.sum_duplicates()
    beside = given.row != given.col
    row, column, data = (part[beside] for part in (given.row, given.col, given.data))
    if not np.isfinite(data).all():
        at = int(np.argmin(np.isfinite(data)))
        raise InvalidInputError(f"S[{row[at]}, {column[at]}] is {data[at]}; expected numbers, 0 for unknown")
    half = sparse.coo_array((data, (row, column)), shape=given.shape)
    gap = abs(half - half.T).tocoo()
    if gap.nnz and gap.data.max() > MATRIX.asymmetry:
        at = int(np.argmax(gap.data))
        u, v = gap.row[at], gap.col[at]
        raise InvalidInputError(f"S[{u}, {v}] and S[{v}, {u}] differ by {gap.data[at]}; expected the same")
    return given.shape[0], row.astype(np.int64), column.astype(np.int64), data
