"""Probability that pairs share a cluster, from samples of forests, one object's parent averaged out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.clusters import NOWHERE
from ofakind.kernels.partition.forest import (
    NOBODY,
    Forest,
    TreePrior,
    cut,
    forest_at,
    gather,
    graft,
    uncounted,
)
from ofakind.kernels.partition.forest_moves import NARROW_BRANCH, Workbench, bench_for, meet, weigh

Array = NDArray[Any]


@compiled
def probability_in_forests(
    prior: TreePrior, answers: Graph, parents: Array, objects: Array, starts: Array, others: Array
) -> Array:
    """Mean over samples, rows of parents, of the probability that each object is with each of its others.

    The others of objects[t] are others[starts[t]:starts[t + 1]]. What hangs below an object is with it; the
    cluster of another one it joins with the probability of the narrow move, given all other parents. So the
    mean is that of the samples, with less noise. Where more than NARROW_BRANCH hangs at an object, the sample
    itself is taken, which is as good on average, since that does not depend on the object's parent. O(n) for
    each sample, and the entries of what hangs at the objects.
    """
    n, found = parents.shape[1], np.zeros(len(others))
    bench = bench_for(n)
    for row in range(len(parents)):
        forest = forest_at(parents[row])
        counts, reach = np.bincount(forest.sizes), np.full(n + 1, -1.0)
        counts[0] = 0
        sizes = np.flatnonzero(counts)
        for t in range(len(objects)):
            i = objects[t]
            s, p, own = (
                gather(forest, i, bench.S, NARROW_BRANCH),
                forest.parent[i],
                forest.sizes[forest.labels[i]],
            )
            if s > NARROW_BRANCH:
                for at in range(starts[t], starts[t + 1]):
                    found[at] += forest.labels[others[at]] == forest.labels[i]
                continue
            if reach[s] < 0.0:
                reach[s] = _reach(prior.h, sizes, counts, s)
            cut(forest, bench.S[:s])
            many = meet(prior.candidates, forest.labels, bench.S[:1], bench.F, bench, 0)
            many = meet(answers, forest.labels, bench.S[:s], bench.W, bench, many)
            odds = weigh(prior, forest, s, 1, many, bench)
            rest = prior.f_bg * _rest(prior.h, forest, s, own, reach[s], many, bench) if odds[1] > 0 else 0.0
            total = odds[0] + odds[3] + rest * odds[4]
            for at in range(starts[t], starts[t + 1]):
                k = forest.labels[others[at]]
                if k == forest.labels[i]:
                    found[at] += 1.0
                elif bench.place[k] != NOWHERE:
                    found[at] += bench.W[bench.place[k]] / total
                else:
                    found[at] += prior.f_bg * _pull(prior.h, s, forest.sizes[k]) * odds[4] / total
            if p != NOBODY:
                graft(forest, bench.S[:s], i, p)
            for c in range(many):
                bench.place[bench.met[c]] = NOWHERE
    return found / max(1, len(parents))


@uncounted
def _pull(h: Array, s: int, m: int) -> float:
    """How much a cluster of m draws a branch of s if every pair has the weight 1; 0 if it cannot be one."""
    return m * h[s + m] / h[m] if 0 < m < len(h) - s else 0.0


@uncounted
def _reach(h: Array, sizes: Array, counts: Array, s: int) -> float:
    """How much all clusters draw a branch of s: so many of each size."""
    total = 0.0
    for m in sizes:
        total += counts[m] * _pull(h, s, m)
    return total


@uncounted
def _rest(h: Array, forest: Forest, s: int, own: int, reach: float, many: int, bench: Workbench) -> float:
    """How much the clusters that are not met draw a branch of s, cut off from a cluster that had ``own``."""
    left = reach - _pull(h, s, own) + _pull(h, s, own - s)
    for c in range(many):
        left -= _pull(h, s, forest.sizes[bench.met[c]])
    return max(left, 0.0)
