"""One sweep of local search for correlation clustering (Alg. 2) in O(objects + asked pairs).

The live labels stand in a doubly linked list, oldest first, that closes in a sentinel (the last index).
A label is never given out twice within a sweep, so a lower label is always an older cluster.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]

TOLERANCE = 1e-12  # a smaller difference of two totals is rounding: it counts as a tie (chosen by judgement)

# A rule is two numbers: an object goes alone when its best total is below the first, and otherwise moves to
# the oldest of its best clusters when that gains more than the second.
REPELLED = (-TOLERANCE, -np.inf)  # ties move too: such plateau moves find much better optima
NO_GAIN = (TOLERANCE, -np.inf)  # Alg. 2 to the letter
STRICT = (-TOLERANCE, TOLERANCE)  # gains only, for the last sweeps


@compiled
def sweep(S: tuple[Array, Array, Array], labels: Array, order: Array, rule: tuple[float, float]) -> float:
    """Visit the objects in this order, move each by the rule, and return by how much the cost fell.

    S is (indptr, indices, values). The labels must be 0..k-1, each in use; they are changed in place and end
    as 0..k'-1, older clusters first.
    """
    alone_below, least_gain = rule
    sizes, after, before = _list_clusters(labels)
    totals = np.zeros(len(sizes))
    touched = np.empty(len(labels), np.int64)
    seen = np.zeros(len(sizes), np.bool_)
    live = fresh = len(sizes) - 1 - len(labels)
    gain = 0.0
    for i in order:
        own = labels[i]
        near = touched[: _gather(S, labels, i, totals, touched, seen)]
        best = _best_total(totals, near, live)
        if best < alone_below:
            target = own if sizes[own] == 1 else fresh
        elif best - totals[own] > least_gain:
            target = _oldest(totals, near, best, after)
        else:
            target = own
        if target != own:
            gain += totals[target] - totals[own]
            if target == fresh:
                _append(after, before, fresh)
                fresh, live = fresh + 1, live + 1
            labels[i] = target
            sizes[target] += 1
            sizes[own] -= 1
            if sizes[own] == 0:
                _remove(after, before, own)
                live -= 1
        totals[near] = 0.0
        seen[near] = False
    _renumber(labels, after)
    return gain


@compiled
def _list_clusters(labels: Array) -> tuple[Array, Array, Array]:
    """Sizes, next and previous live label, with room for a new label per object and the sentinel."""
    k = labels.max() + 1 if len(labels) else 0
    end = k + len(labels)
    sizes = np.zeros(end + 1, np.int64)
    for label in labels:
        sizes[label] += 1
    after, before = np.empty(end + 1, np.int64), np.empty(end + 1, np.int64)
    after[end] = before[end] = end
    for label in range(k):
        _append(after, before, label)
    return sizes, after, before


@compiled
def _gather(
    S: tuple[Array, Array, Array], labels: Array, i: int, totals: Array, touched: Array, seen: Array
) -> int:
    """Add up the similarity of object i to each cluster it has an asked pair with; count these clusters."""
    indptr, indices, values = S
    count = 0
    for slot in range(indptr[i], indptr[i + 1]):
        label = labels[indices[slot]]
        totals[label] += values[slot]
        if not seen[label]:
            seen[label] = True
            touched[count] = label
            count += 1
    return count


@compiled
def _best_total(totals: Array, near: Array, live: int) -> float:
    """Return the highest total of a live cluster; one without an asked pair offers 0."""
    best = 0.0 if len(near) < live else -np.inf
    for label in near:
        best = max(best, totals[label])
    return best


@compiled
def _oldest(totals: Array, near: Array, best: float, after: Array) -> int:
    """Return the lowest live label whose total ties with the best. O(len(near))."""
    end = len(after) - 1
    if best <= TOLERANCE:  # a cluster without an asked pair ties too, and stops this walk
        label = after[end]
        while totals[label] < best - TOLERANCE:
            label = after[label]
        return int(label)
    oldest = end
    for label in near:
        if label < oldest and totals[label] >= best - TOLERANCE:
            oldest = label
    return int(oldest)


@compiled
def _append(after: Array, before: Array, label: int) -> None:
    end = len(after) - 1
    last = before[end]
    after[last] = before[end] = label
    before[label], after[label] = last, end


@compiled
def _remove(after: Array, before: Array, label: int) -> None:
    after[before[label]] = after[label]
    before[after[label]] = before[label]


@compiled
def _renumber(labels: Array, after: Array) -> None:
    """Give the live labels the numbers 0, 1, ... in their order."""
    end = len(after) - 1
    rank = np.empty(end, np.int64)
    label, k = after[end], 0
    while label != end:
        rank[label] = k
        label, k = after[label], k + 1
    for i in range(len(labels)):
        labels[i] = rank[labels[i]]
