"""Looks: what people answer to a pair that looks the same, or different, and how often looks mislead.

A pair looks the same or looks different, and all answers to it follow its looks, each with an error of its
own. So a pair that misleads gets the same wrong answer again and again; one that does not gets it by chance.

Only pairs whose kind is known from elsewhere can tell the two apart, all of them: a pair is asked again
because of what was answered first, so those with several answers are no fair sample. What an answer follows
from looks is learned from these pairs, too, for the others' kinds are guessed from these very answers and
flatter them: errors would seem rare, and what contradicts a known kind the fault of the pair. And that pairs
mislead is believed only if the answers are clearly likelier then.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.noise.evidence import Evidence


@dataclass(frozen=True, slots=True)
class MisleadingRules:
    """Tuned numbers of looks, chosen by judgement; of what misleads, on answers that come again.

    See docs/results/attempts.md ("Asking a pair again") and docs/results/crowd.md.
    """

    prior_answers: float = 50.0  # what is known before anything is learned counts as so many answers
    common_answers: float = 20.0  # and what is known of everybody as so many of each annotator
    repeated_pairs: int = 30  # so many pairs have several answers before it is learned whether looks mislead
    share: float = 0.02  # of pairs that mislead, before another one is learned,
    prior_pairs: float = 20.0  # which counts as so many pairs
    most: float = 0.45  # no larger share misleads: beyond one half "same" would mean "different"
    clearly: float = 20.0  # nats by which the answers must be likelier before another share is believed
    steps: int = 100  # of EM, at most,
    tolerance: float = 1e-6  # or until no probability changes by more


MISLEADING = MisleadingRules()


class Looks(NamedTuple):
    """What is answered to pairs that look the same and that look different, and how often looks mislead.

    ``tables`` holds the probability of each kind of answer, (2, 1 + annotators, kinds), first from anybody.
    Of the pairs of a kind the first share of ``misleading`` looks different, of the others the second share
    looks the same.
    """

    tables: Floats
    misleading: tuple[float, float]


def learn_looks(
    evidence: Evidence, same: Floats, *, amount: Floats, known: Floats | None, prior: Floats
) -> Looks:
    """Learn them from how likely each pair of the evidence is of a kind.

    ``amount`` says how much each answer counts, ``known`` how well each pair's kind is known without its own
    answers (None: all are), ``prior`` the probability of each kind of answer if same and if different before
    anything is learned. O(answers), and with 30 pairs that have several as much as these answers take in each
    of at most 300 steps.

    >>> from ofakind.answers import Answers
    >>> pairs, values = [(0, i) for i in range(1, 101)], [1] * 75 + [-1] * 25  # always the same to a pair
    >>> evidence = Evidence.of(Answers.none(101).adding(pairs * 2, values * 2))
    >>> prior = np.array([[0.1, 0.9], [0.9, 0.1]])
    >>> found = learn_looks(evidence, np.ones(100), amount=np.ones(200), known=None, prior=prior)
    >>> [round(share, 2) for share in found.misleading]  # all pairs are of a kind
    [0.21, 0.02]
    """
    cases = _Cases.of(evidence, same, 1 - same, amount)
    if cases.several < MISLEADING.repeated_pairs:
        return Looks(_count(cases, prior, cases.same), (0.0, 0.0))
    telling = cases if known is None else _Cases.of(evidence, known * same, known * (1 - same), amount)
    return _fit(cases, prior, _misleading(telling, prior))


@dataclass(frozen=True, slots=True, eq=False)
class _Cases:
    """Pairs with several answers; behind them one case for all pairs with the same one answer by the same.

    ``same`` and ``different`` say how many pairs each case stands for. ``cell`` is the annotator and the kind
    of each answer, ``case`` its case and ``amount`` its weight. The first ``several`` cases are single pairs.
    """

    same: Floats
    different: Floats
    case: Ints
    cell: Ints
    amount: Floats
    several: int

    @classmethod
    def of(cls, evidence: Evidence, same: Floats, different: Floats, amount: Floats) -> Self:
        kinds = len(evidence.bins.centres)
        cells = (len(evidence.annotators) + 1) * kinds
        cell, several = evidence.who * kinds + evidence.kind, evidence.counts > 1
        once, number = ~several[evidence.pair], int(several.sum())
        single_same, single_different = (
            np.bincount(cell[once], (amount * share[evidence.pair])[once], minlength=cells)
            for share in (same, different)
        )
        return cls(
            np.r_[same[several], single_same],
            np.r_[different[several], single_different],
            np.r_[(np.cumsum(several) - 1)[evidence.pair[~once]], number + np.arange(cells)],
            np.r_[cell[~once], np.arange(cells)],
            np.r_[amount[~once], np.ones(cells)],
            number,
        )

    def sums(self, amounts: Floats) -> Floats:
        """Add up an amount of each annotator and kind of answer over the answers of each case."""
        return np.asarray(np.bincount(self.case, amounts.ravel()[self.cell]), np.float64)


def _misleading(cases: _Cases, prior: Floats) -> tuple[float, float]:
    """Learn how often looks mislead from pairs of known kinds, if their answers are clearly likelier then."""
    usual, learned = _fit(cases, prior, (MISLEADING.share, MISLEADING.share)), _fit(cases, prior)
    clear = _log_likelihood(cases, learned) > _log_likelihood(cases, usual) + MISLEADING.clearly
    return learned.misleading if clear else usual.misleading


def _fit(cases: _Cases, prior: Floats, fixed: tuple[float, float] | None = None) -> Looks:
    """Return the likeliest looks, by EM over the looks of each pair; the shares that mislead may be fixed."""
    found = Looks(_count(cases, prior, cases.same), fixed or (MISLEADING.share, MISLEADING.share))
    for _ in range(MISLEADING.steps):
        before, (d, e) = found, found.misleading
        looks = cases.sums(portable.log(before.tables[0] / before.tables[1]))
        if_same = _logistic(looks + portable.log((1 - d) / d))
        if_different = _logistic(looks + portable.log(e / (1 - e)))
        misleading = fixed or (_rate(cases.same, 1 - if_same), _rate(cases.different, if_different))
        tables = _count(cases, prior, cases.same * if_same + cases.different * if_different)
        found = Looks(tables, misleading)
        change = max(np.abs(tables - before.tables).max(), *np.abs(np.subtract(misleading, (d, e))))
        if change < MISLEADING.tolerance:
            break
    return found


def _log_likelihood(cases: _Cases, looks: Looks) -> float:
    """Log probability of all answers, each pair being of its kind."""
    (d, e), (same, different) = looks.misleading, (cases.sums(portable.log(table)) for table in looks.tables)
    if_same = portable.logaddexp(portable.log1p(-d) + same, portable.log(d) + different)
    if_different = portable.logaddexp(portable.log(e) + same, portable.log1p(-e) + different)
    return portable.dot(cases.same, if_same) + portable.dot(cases.different, if_different)


def _count(cases: _Cases, prior: Floats, looking_same: Floats) -> Floats:
    """Tables (2, 1 + annotators, kinds) from how many pairs of each case look the same.

    Where all answers are one person's, what is known of everybody is known of that person: a name alone
    changes nothing.
    """
    both = np.stack([looking_same, cases.same + cases.different - looking_same])
    size, kinds = len(cases.same) - cases.several, prior.shape[1]
    counts = np.stack([np.bincount(cases.cell, cases.amount * pairs[cases.case], size) for pairs in both])
    counts = np.maximum(counts, 0).reshape(2, -1, kinds)
    common = counts.sum(axis=1) + MISLEADING.prior_answers * prior
    common /= common.sum(axis=1, keepdims=True)
    tables = counts + MISLEADING.common_answers * common[:, None]
    tables /= tables.sum(axis=2, keepdims=True)
    alone = counts.any(axis=(0, 2))
    if alone.sum() == 1:
        tables[:, alone] = common[:, None]
    tables[:, 0] = common
    return np.asarray(tables)


def _rate(pairs: Floats, misled: Floats) -> float:
    """Share of pairs that mislead, shrunk to its prior.

    Added up one after the other: cases that nobody answered, as a name brings, then change no last bit.
    """
    count = np.cumsum(pairs * misled)[-1] + MISLEADING.share * MISLEADING.prior_pairs
    return min(float(count / (np.cumsum(pairs)[-1] + MISLEADING.prior_pairs)), MISLEADING.most)


def _logistic(x: Floats) -> Floats:
    return 0.5 + 0.5 * portable.tanh(x / 2)
