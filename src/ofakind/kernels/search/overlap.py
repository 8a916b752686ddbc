"""Choosing a batch by samples of partitions: what one answer tells, another that goes with it tells again."""

from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.portable.elementary import log
from ofakind.kernels.search.batch import LEVELS, STEP, _put

Array = NDArray[Any]


@compiled
def indicators(labels: Array, u: Array, v: Array) -> Array:
    """Whether each pair is together in each sample, less the mean over samples, scaled to length 1.

    Row e, of as many numbers as there are samples, is zero where all samples agree. The product of two rows
    is the correlation of the two pairs.
    """
    samples = len(labels)
    found = np.zeros((len(u), samples), np.float32)
    for e in range(len(u)):
        together = 0
        for s in range(samples):
            together += labels[s, u[e]] == labels[s, v[e]]
        if 0 < together < samples:
            mean = together / samples
            length = np.sqrt(together * (1.0 - mean))
            for s in range(samples):
                found[e, s] = ((1.0 if labels[s, u[e]] == labels[s, v[e]] else 0.0) - mean) / length
    return found


@compiled
def overlap(x: Array, y: Array) -> float:
    """Square of the correlation of two pairs, less what chance gives it, from 0 to 1."""
    samples, r = len(x), 0.0
    for s in range(samples):
        r += x[s] * y[s]
    return min(max((r * r * samples - 1.0) / max(samples - 1, 1), 0.0), 1.0)


@compiled
def greedy_apart(
    loss: Array, X: Array, ends: Array, before: tuple[Array, Array], costs: tuple[float, float], size: int
) -> tuple[Array, Array]:
    """Positions of up to ``size`` candidates, chosen one after another for the least loss, and that loss.

    ``loss`` is the logarithm by which a candidate is worth less than the best one, 0 or more; X has the
    `indicators` of each, ``ends`` (m, 2) its objects, ``before`` both of pairs that were chosen before. Each
    choice leaves of another candidate the share 1 - (1 - costs[0]) times their `overlap`, and the share
    costs[1] if they have an object in common. Losses are compared in `LEVELS` steps of `STEP`; what falls
    below the last level is never chosen.

    Losses only grow, so a candidate is looked at again only when it comes up.
    """
    pending, wanted = len(before[0]), min(size, len(loss))
    taken = np.empty((pending + wanted, X.shape[1]), np.float32)
    whose = np.empty((pending + wanted, 2), np.int64)
    taken[:pending], whose[:pending] = before[0], before[1]
    total, seen = loss.copy(), np.zeros(len(loss), np.int64)
    first, following = np.full(LEVELS, -1), np.empty(len(loss), np.int64)
    for i in range(len(loss)):
        _put(first, following, i, floor(loss[i] / STEP))
    chosen, lost = np.empty(wanted, np.int64), np.empty(wanted)
    found, level = 0, 0
    while found < wanted and level < LEVELS:
        i = first[level]
        if i < 0:
            level += 1
            continue
        first[level] = following[i]
        for c in range(seen[i], pending + found):
            total[i] -= log(1.0 - (1.0 - costs[0]) * overlap(X[i], taken[c]))
            for end in ends[i]:
                if end == whose[c, 0] or end == whose[c, 1]:
                    total[i] -= log(costs[1])
        seen[i] = pending + found
        now = floor(total[i] / STEP)
        if now > level:
            _put(first, following, i, now)
            continue
        taken[pending + found], whose[pending + found] = X[i], ends[i]
        chosen[found], lost[found] = i, total[i]
        found += 1
    return chosen[:found], lost[:found]
