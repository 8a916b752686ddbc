"""Similarity: what the answers so far say of each asked pair (the paper's S, kept sparse)."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers, check_answers
from ofakind.errors import InvalidInputError
from ofakind.pairs import Ints, Pairs, as_endpoints, read_only

MAX_OBJECTS = 2**31 - 1


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
        first, second = as_endpoints(u, v)
        return cls._fold(n, *check_answers(n, np.stack([first, second], axis=1), values))

    @classmethod
    def from_answers(cls, answers: Answers) -> Self:
        """Fold the table of answers."""
        return cls._fold(answers.n, answers.u, answers.v, answers.values)

    @classmethod
    def from_matrix(cls, matrix: Any) -> Self:
        """Read a symmetric matrix with values in [-1, 1], dense (0 is unknown) or scipy sparse."""
        from scipy import sparse

        given = sparse.coo_array(matrix)
        if given.ndim != 2 or given.shape[0] != given.shape[1]:
            raise InvalidInputError(f"the matrix has shape {given.shape}; expected n rows and n columns")
        if abs(given - given.T).max() > 1e-12:
            raise InvalidInputError("the matrix is not symmetric; expected S[u, v] == S[v, u]")
        upper = sparse.triu(given, k=1, format="coo")
        return cls.from_pairs(given.shape[0], upper.row, upper.col, upper.data)

    @classmethod
    def _fold(cls, n: int, u: Ints, v: Ints, values: NDArray[np.float64]) -> Self:
        # Sorting by value too makes the sum of a pair's answers independent of their order of arrival.
        order = np.lexsort((values, v, u))
        u, v, values = u[order], v[order], values[order]
        first = np.flatnonzero(np.r_[True, (np.diff(u) != 0) | (np.diff(v) != 0)][: len(u)])
        counts = np.diff(np.r_[first, len(u)])
        means = np.add.reduceat(values, first) / counts if len(first) else np.empty(0)
        return cls._from_sorted(n, u[first], v[first], np.clip(means, -1, 1), counts)

    @classmethod
    def _from_sorted(cls, n: int, u: Ints, v: Ints, means: NDArray[np.float64], counts: Ints) -> Self:
        from ofakind.kernels.csr import symmetric_csr

        if not 0 <= n <= MAX_OBJECTS:
            raise InvalidInputError(f"n is {n}; expected between 0 and {MAX_OBJECTS} objects")
        indptr, indices, pair = symmetric_csr(n, u, v)
        numbers = counts[pair].astype(np.int32)
        return cls(n, *map(read_only, (indptr, indices, means[pair], numbers)))

    def with_answers(self, pairs: ArrayLike, values: ArrayLike) -> Self:
        """Return the similarities with more answers averaged in; pairs may be new or asked before."""
        u, v, new = check_answers(self.n, pairs, values)
        old = self.pairs()
        slots = self.slots(old.u, old.v)
        weight = np.r_[self.counts[slots], np.ones(len(u), np.int64)].astype(np.int64)
        total = np.r_[self.values[slots] * self.counts[slots], new]
        order = np.lexsort((total, np.r_[old.v, v], np.r_[old.u, u]))
        all_u, all_v = np.r_[old.u, u][order], np.r_[old.v, v][order]
        first = np.flatnonzero(np.r_[True, (np.diff(all_u) != 0) | (np.diff(all_v) != 0)][: len(all_u)])
        if not len(first):
            return self
        counts = np.add.reduceat(weight[order], first)
        means = np.add.reduceat(total[order], first) / counts
        return self._from_sorted(self.n, all_u[first], all_v[first], np.clip(means, -1, 1), counts)

    @property
    def n_pairs(self) -> int:
        """Number of distinct pairs that were asked."""
        return len(self.indices) // 2

    def pairs(self) -> Pairs:
        """Return the asked pairs, sorted."""
        rows = np.repeat(np.arange(self.n), np.diff(self.indptr))
        upper = self.indices > rows
        return Pairs.trusted(rows[upper], self.indices[upper].astype(np.int64))

    def slots(self, u: ArrayLike, v: ArrayLike) -> Ints:
        """Position of each entry (u, v) in the CSR arrays; -1 where the pair was never asked."""
        from ofakind.kernels.csr import find_slots

        first, second = as_endpoints(u, v)
        return np.asarray(find_slots(self.indptr, self.indices, first, second), np.int64)

    def value(self, u: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Mean answer of each pair; 0 where it was never asked."""
        return np.asarray(_at(self.slots(u, v), self.values), np.float64)

    def count(self, u: ArrayLike, v: ArrayLike) -> Ints:
        """Return the number of answers to each pair."""
        return _at(self.slots(u, v), self.counts).astype(np.int64)

    def to_scipy(self) -> Any:
        """Return a scipy CSR array of the mean answers (answered zeros are stored)."""
        from scipy import sparse

        return sparse.csr_array((self.values, self.indices, self.indptr), shape=(self.n, self.n))

    def __repr__(self) -> str:
        return f"Similarity({self.n} objects, {self.n_pairs} pairs asked)"


def _at(slots: Ints, values: NDArray[Any]) -> NDArray[Any]:
    if not len(values):
        return np.zeros(len(slots), values.dtype)
    return np.where(slots >= 0, values[slots], 0)
