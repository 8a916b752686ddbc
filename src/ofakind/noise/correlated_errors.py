"""Correlated errors: whether errors are independent, a check of what all certainty here rests on.

The model takes errors to be independent. A person who confuses two faces, or a classifier, errs about an
object again and again. Then answers agree and are wrong together, and the posterior is sure of what is not
so. It shows in what contradicts: take a sample for the truth, and too many errors are about the same object
and the same cluster. Were errors independent, they would be so by chance only.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.noise.evidence import Evidence
from ofakind.solve.consensus import as_samples


@dataclass(frozen=True, slots=True)
class CorrelationRules:
    """Tuned numbers of the test for correlated errors, chosen by judgement."""

    grades: int = 5  # answers are alike that are equally far from 0, in so many steps
    least_variance: float = 1.0  # added to that of chance: where errors are rare, two of them say nothing


CORRELATION = CorrelationRules()


def correlation(evidence: Evidence, samples: ArrayLike) -> float:
    """How much errors are correlated, in standard deviations of what chance does; the mean of the samples.

    An answer is an error where a sample contradicts it. From each error, 1 or 0, the share of errors is
    subtracted among answers that are alike: by the same annotator, about pairs of the same sort, as far
    from 0. The result x of a pair, added up over its answers, has mean 0 and at most a variance y, which it
    has if all answers to a pair are wrong together. Over all couples of pairs that share an object and the
    cluster of the other one, the sum of x x' then has mean 0 and the variance sum of y y' (and 1 is added to
    it: where errors are rare, two of them say nothing).

    >>> from ofakind.answers import Answers
    >>> truth, pairs = [[0] * 44], [(i % 4, i) for i in range(4, 44)]  # all are compared with the first four
    >>> here_and_there = Evidence.of(Answers.none(44).adding(pairs, [-1] * 10 + [1] * 30))
    >>> about_object_0 = Evidence.of(Answers.none(44).adding(pairs, [-1, 1, 1, 1] * 10))
    >>> round(correlation(here_and_there, truth), 1), round(correlation(about_object_0, truth), 1)
    (-1.2, 12.5)
    """
    labels = as_samples(samples).astype(np.int64)
    answers = [_excess(evidence, label) for label in labels]
    pairs = [(evidence.sums(excess), evidence.sums(deviation)) for excess, deviation in answers]
    found = [_deviations(evidence, label, x, y**2) for label, (x, y) in zip(labels, pairs, strict=True)]
    return float(np.mean(found))


def _excess(evidence: Evidence, label: Ints) -> tuple[Floats, Floats]:
    """Each error, 1 or 0, less the share of errors among answers that are alike, and its deviation."""
    told, (u, v) = evidence.value != 0, (evidence.pairs.u, evidence.pairs.v)
    same = (label[u] == label[v])[evidence.pair]
    grade = (CORRELATION.grades * np.abs(evidence.value)).astype(np.int64)
    alike = (evidence.who * 2 + same) * (CORRELATION.grades + 1) + grade
    wrong = np.asarray(told & ((evidence.value > 0) != same), np.float64)
    number, errors = np.bincount(alike, told), np.bincount(alike, wrong)
    share = (errors / np.maximum(number, 1))[alike]
    return told * (wrong - share), told * np.sqrt(share * (1 - share))


def _deviations(evidence: Evidence, label: Ints, x: Floats, y: Floats) -> float:
    """Sum of x x' over all couples of pairs, over the deviation that it has by chance."""
    u, v, clusters = evidence.pairs.u, evidence.pairs.v, int(label.max(initial=0)) + 1
    ends = np.concatenate([u * clusters + label[v], v * clusters + label[u]])
    block = np.unique(ends, return_inverse=True)[1]
    together, by_chance = _couples(block, np.tile(x, 2)), _couples(block, np.tile(y, 2))
    return together / float(np.sqrt(CORRELATION.least_variance + by_chance))


def _couples(block: Ints, x: Floats) -> float:
    """Sum of x x' over all couples of one block."""
    return float((np.bincount(block, x) ** 2).sum() - portable.dot(x, x)) / 2
