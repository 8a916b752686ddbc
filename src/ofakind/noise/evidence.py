"""The answers as a posterior reads them: sorted by pair, their values sorted into a few kinds."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, order_of_distinct, read_only
from ofakind.kernels import portable
from ofakind.pairs import Pairs

# The values that mean "different", "undecided" and "same" are kinds of their own as soon as they are given.
PLAIN = np.array([-1.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class EvidenceRules:
    """Tuned numbers of kinds of answers and of what is known of a pair, all chosen by judgement."""

    often: int = 5  # a value that is given so often is a kind of answer of its own,
    share: float = 0.01  # if it also makes this share of all answers
    per_range: int = 20  # answers in each range of all other values, about
    fewest_ranges: int = 2  # on either side of 0: a prior that follows the values tells few answers apart
    most_ranges: int = 5  # on either side of 0
    surest: float = 1e-9  # probabilities are kept so far from 0 and 1
    rumour: float = 0.3  # a pair whose entropy has fallen by less than this share is not known at all


EVIDENCE = EvidenceRules()


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Kinds of answers: one for each of the ``atoms``, then one for each range of all other values.

    The ``cuts`` part the ranges above 0; those below mirror them. Also with an atom comes its opposite, given
    or not: who says "same" could have said "different". ``centres`` holds the middle of each kind. A value
    that is no atom falls into its range; where there are no ranges, into the nearest atom.

    >>> bins = Bins.fitting([1.0, 1.0, 0.3])
    >>> bins.centres.tolist(), bins.of([0.9, 1.0, -0.1]).tolist()
    ([-1.0, 1.0, -0.3, 0.3], [3, 1, 2])
    """

    atoms: Floats
    cuts: Floats
    centres: Floats

    @classmethod
    def fitting(cls, values: ArrayLike) -> Self:
        """Choose kinds for these answers, whatever their order: O(m log m) for m answers.

        Without answers, or with the answers -1 and 1 only, these two are the kinds. There are at most 213.
        """
        distinct, counts = np.unique(np.asarray(values, np.float64), return_counts=True)
        often = counts >= max(EVIDENCE.often, EVIDENCE.share * counts.sum())
        own = distinct[often | np.isin(distinct, PLAIN)]
        atoms = np.union1d(own, -own) + 0.0 if len(distinct) else np.array([-1.0, 1.0])
        rest = ~np.isin(distinct, atoms)
        if not rest.any():
            return cls(read_only(atoms), read_only(np.empty(0)), read_only(atoms))
        cuts, means = _ranges(np.repeat(np.abs(distinct[rest]), counts[rest]))
        return cls(*map(read_only, (atoms, cuts, np.r_[atoms, -means[::-1], means])))

    def of(self, values: ArrayLike) -> Ints:
        """Kind of each of these values, numbered as ``centres`` are."""
        given = np.asarray(values, np.float64)
        place = np.searchsorted(self.atoms, given)
        exact = np.append(self.atoms, np.nan)[place] == given
        if len(self) == len(self.atoms):
            kinds = np.searchsorted((self.atoms[1:] + self.atoms[:-1]) / 2, given, side="right")
        else:
            beyond = np.searchsorted(self.cuts, np.abs(given), side="right")
            first = len(self.atoms) + len(self.cuts) + 1  # of the ranges above 0
            kinds = np.where(given < 0, first - 1 - beyond, first + beyond)
        return np.where(exact, place, kinds)

    def __len__(self) -> int:
        return len(self.centres)


def _ranges(magnitudes: Floats) -> tuple[Floats, Floats]:
    """Where to cut magnitudes into ranges of about equally many, and the mean of each range."""
    distinct, counts = np.unique(magnitudes, return_counts=True)
    wanted = len(magnitudes) // (2 * EVIDENCE.per_range)
    ranges = min(EVIDENCE.most_ranges, max(EVIDENCE.fewest_ranges, wanted))
    shares = np.cumsum(counts) / len(magnitudes)
    last = np.unique(np.searchsorted(shares, np.arange(1, ranges) / ranges))  # value of each range
    last = last[last < len(distinct) - 1]
    cuts = distinct[last + 1]
    which = np.searchsorted(cuts, distinct, side="right")
    return cuts, np.bincount(which, distinct * counts) / np.bincount(which, counts)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All answers, sorted so that those to one pair stand together, whatever their order of arrival.

    ``pairs`` are the distinct ones, in the order of `Similarity.pairs`; the answers are their ``pair`` (a
    position there), ``value``, ``kind`` (a position in ``bins``), ``who`` (a position in ``annotators``
    plus 1, and 0 where no name is known) and ``row`` (where the answer stands in the table of answers).

    >>> evidence = Evidence.of(Answers.none(3).adding([(1, 2), (0, 1), (2, 1)], [1, -1, 0.5], "Ada"))
    >>> evidence.pairs, evidence.value.tolist(), evidence.row.tolist(), evidence.counts.tolist()
    (Pairs(2: (0, 1), (1, 2)), [-1.0, 0.5, 1.0], [1, 2, 0], [1, 2])
    """

    pairs: Pairs
    pair: Ints
    value: Floats
    bins: Bins
    kind: Ints
    annotators: tuple[str, ...]
    who: Ints
    row: Ints
    counts: Ints  # of answers to each pair

    @classmethod
    def of(cls, answers: Answers) -> Self:
        """Sort a table of answers: O(m log m) for m answers."""
        names, who = _numbered(answers)
        key = answers.u * answers.n + answers.v
        row = order_of_distinct(key)
        if np.any(np.diff(key[row]) == 0):  # a pair has several answers: by value, then by annotator
            row = np.lexsort((who, answers.values, key))
        key, value, who = key[row], answers.values[row], who[row]
        first = np.r_[True, np.diff(key) != 0][: len(key)]
        pairs = Pairs.trusted(answers.u[row][first], answers.v[row][first])
        bins = Bins.fitting(value)
        pair, kind = np.cumsum(first) - 1, bins.of(value)
        return cls(pairs, pair, value, bins, kind, names, who, row, np.bincount(pair, minlength=len(pairs.u)))

    def cells(self, bins: Bins, annotators: tuple[str, ...]) -> tuple[Ints, Ints]:
        """Row and column of each answer in tables for these annotators and kinds, which may be others.

        Row 0 is for everybody who is not among the annotators. O(answers).
        """
        if bins is self.bins:  # the tables were learned from this evidence
            return self.who, self.kind
        rows = {name: row for row, name in enumerate(annotators, start=1)}
        row = np.array([0, *(rows.get(name, 0) for name in self.annotators)])
        return row[self.who], bins.of(self.value)

    def by_row(self, each: ArrayLike) -> Floats:
        """Return what each pair has for each of its answers, in the order of the table of answers."""
        found = np.empty(len(self.row))
        found[self.row] = np.asarray(each)[self.pair]
        return found

    def sums(self, amounts: Floats) -> Floats:
        """Add up an amount of each answer over the answers to each pair."""
        return np.asarray(np.bincount(self.pair, amounts, minlength=len(self.pairs.u)), np.float64)


def known_elsewhere(same: Floats, own: Floats) -> Floats:
    """How well the kind of each pair is known without its own answers, in [0, 1].

    ``same`` is P(same) of each pair given all answers, ``own`` the log ratio of its own. What is left without
    them is measured by the share of the entropy of a pair of which nothing is known but how common pairs of
    a kind are; a loss of 30% of that counts as nothing.

    >>> known_elsewhere(np.array([0.5, 0.999, 0.999]), np.array([0.0, 6.9, 0.0])).round(2).tolist()
    [0.0, 0.0, 0.98]
    """
    p = np.clip(same, EVIDENCE.surest, 1 - EVIDENCE.surest)
    without = portable.expit(portable.logit(p) - own)
    usual = min(max(float(p.mean()), EVIDENCE.surest), 0.5) if len(p) else 0.5
    left = (portable.entr(without) + portable.entr(1 - without)) / (
        portable.entr(usual) + portable.entr(1 - usual)
    )
    return np.asarray(np.clip(1 - left / (1 - EVIDENCE.rumour), 0.0, 1.0), np.float64)


def _numbered(answers: Answers) -> tuple[tuple[str, ...], Ints]:
    """Known annotators, sorted, and for each answer the number of its own, counted from 1; 0 is nobody."""
    numbers = np.flatnonzero(np.bincount(answers.who)).tolist()  # of those who are heard of here
    names = answers.names
    known = sorted((names[number], number) for number in numbers if names[number])
    place = np.zeros(len(names), np.int64)
    place[np.array([number for _, number in known], np.int64)] = np.arange(1, len(known) + 1)
    return tuple(name for name, _ in known), place[answers.who]
