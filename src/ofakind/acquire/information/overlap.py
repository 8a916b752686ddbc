"""Overlap: a batch whose questions go together in samples as little as can be."""

from dataclasses import dataclass

import numpy as np

from ofakind.acquire.information.batch import NOTHING, Shortlist
from ofakind.arrays import Ints
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.posterior.base import Samples


@dataclass(frozen=True, slots=True)
class OverlapRules:
    """Tuned numbers of the batch with features (docs/results/attempts.md)."""

    same_object: float = 0.5  # each question leaves so much of the worth of another about one of its objects
    compared: int = 200_000  # candidates at most that are compared with what was chosen,
    per_question: int = 10  # or so many for each question


OVERLAP = OverlapRules()


def without_overlap(
    best: Shortlist, samples: Samples, size: int, *, useless: float, pending: Pairs = NOTHING
) -> Shortlist:
    """Choose a batch: one after another the pair of highest worth, discounted by what was chosen before.

    Two pairs that are together in the same samples, and apart in the same, ask the same thing, such as
    whether two groups are one. Of a pair's worth, what a chosen one leaves is 1 - (1 - ``useless``) r^2, r
    being the correlation of the two over samples. Pending pairs were chosen before all others. It holds the
    discounted worths. Fewer than ``size`` pairs come when no other is worth a ten-thousandth of the best.
    """
    from ofakind.kernels.search.overlap import greedy_apart, indicators

    best = best.best(max(OVERLAP.compared, OVERLAP.per_question * size))
    if not len(best.u):
        return best
    labels, top = samples.labels, float(best.worth.max())
    loss = portable.log(top) - portable.log(best.worth)
    before = indicators(labels, pending.u, pending.v), _ends(pending.u, pending.v)
    found = indicators(labels, best.u, best.v), _ends(best.u, best.v)
    rows, lost = greedy_apart(loss, *found, before, (useless, OVERLAP.same_object), size)
    return Shortlist(best.u[rows], best.v[rows], top * portable.exp(-lost))


def _ends(u: Ints, v: Ints) -> Ints:
    return np.stack([u, v], axis=1)
