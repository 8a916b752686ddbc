"""Exact copies: found first and joined by a star, so that no search is slow or blind for them."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Ints
from ofakind.pairs import Pairs
from ofakind.priors.base import sorted_pairs


class Distinct(NamedTuple):
    """Which objects are equal: ``first`` is one of each kind, ``kind`` the place of each object's there.

    Objects that have nothing to compare have the kind -1.
    """

    first: Ints
    kind: Ints

    @property
    def star(self) -> Pairs:
        """The first object of each kind with each of its copies."""
        copies = np.flatnonzero((self.kind >= 0) & (self._first_of_each() != np.arange(len(self.kind))))
        return sorted_pairs(self._first_of_each()[copies], copies, len(self.kind))

    def pairs_of(self, found: Ints) -> Pairs:
        """Pairs of objects from the neighbours that were found of each kind; -1 is none."""
        kinds = np.repeat(self.first, found.shape[1])
        others = np.where(found >= 0, np.append(self.first, -1)[found], -1)
        return sorted_pairs(kinds, others.ravel(), len(self.kind))

    def _first_of_each(self) -> Ints:
        return np.append(self.first, -1)[self.kind]


def distinct_values(values: Iterable[Hashable], missing: Hashable = "") -> Distinct:
    """Number equal values in order of first appearance.

    >>> distinct_values(["b", "", "a", "b"])
    Distinct(first=array([0, 2]), kind=array([ 0, -1,  1,  0]))
    """
    known: dict[Hashable, int] = {}
    first, kind = [], []
    for row, value in enumerate(values):
        if value != missing and value not in known:
            known[value] = len(known)
            first.append(row)
        kind.append(known.get(value, -1))
    return Distinct(np.array(first, np.int64), np.array(kind, np.int64))


def distinct_rows(table: NDArray[np.floating[Any]]) -> Distinct:
    """Number equal rows of a table in order of first appearance; a row of zeros has no kind."""
    if not table.size:
        return Distinct(np.empty(0, np.int64), np.full(len(table), -1))
    table = np.ascontiguousarray(table + np.float32(0))  # -0.0 becomes 0.0
    whole = table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    _, firsts, kinds = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    order = order[np.any(table[firsts[order]] != 0, axis=1)]
    place = np.full(len(firsts), -1)
    place[order] = np.arange(len(order))
    return Distinct(firsts[order], place[kinds])
