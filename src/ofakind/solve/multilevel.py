"""Multilevel search for correlation clustering: good optima of sparse graphs in near-linear time."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.clustering import Clustering, canonical_labels
from ofakind.errors import InvalidInputError
from ofakind.kernels.csr import Graph
from ofakind.pairs import Ints, whole_number, real_number
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True)
class Multilevel:
    kicks: int = 10
    loose: float = 0.3
    pre: int = 1

    def __call__(self, similarity, *, start=None, rng):
        from ofakind.kernels import multilevel as kernel
        graph = _whole(similarity)
        labels = np.arange(similarity.n) if start is None else canonical_labels(start.labels)
        for _ in range(self.pre):
            labels = climb(graph, labels, rng)
        for _ in range(self.kicks):
            labels = _kick(graph, labels, self.loose, rng)
        return Clustering.of(similarity, _finish(graph, labels, rng))


def _whole(similarity):
    total = float(np.abs(similarity.values).sum())
    bits = min(40, 61 - int(np.ceil(np.log2(1 + total))))
    S = np.rint(similarity.values * 2.0**bits).astype(np.int64)
    return Graph(similarity.indptr.copy(), similarity.indices.copy(), S)


def climb(graph, labels, rng):
    from ofakind.kernels import multilevel as kernel
    labels = labels.copy()
    node = np.arange(len(labels))
    while True:
        m = len(labels)
        kernel.settle(graph, labels, rng.permutation(m))
        groups, k = kernel.number(kernel.gather(graph, labels, rng.permutation(m)))
        if k == m:
            groups, k = kernel.number(labels)
        if k == m:
            return labels[node]
        graph = kernel.aggregate(graph, groups, k)
        labels, node = name(labels, groups, k), groups[node]

def name(labels, groups, k):
    first = np.empty(len(labels), np.int64)
    first[labels] = groups
    out = np.empty(k, np.int64)
    out[groups] = first[labels]
    return out

def _kick(graph, labels, loose, rng):
    from ofakind.kernels import multilevel as kernel
    n = len(labels)
    alone = rng.random(n) < loose
    k = kernel.number(np.where(alone, np.arange(n)+n, labels)) if False else None
    x = np.unique(np.where(alone, np.arange(n)+n, labels), return_inverse=True)[1]
    other = climb(graph, x, rng)
    if kernel.inside(graph, other) > kernel.inside(graph, labels):
        labels, other = other, labels
    groups, k = kernel.common(labels, other)
    return climb(kernel.aggregate(graph, groups, k), name(labels, groups, k), rng)[groups]

def _finish(graph, labels, rng):
    from ofakind.kernels import multilevel as kernel
    while True:
        gain=kernel.settle(graph, labels, rng.permutation(len(labels)))
        groups, k = kernel.number(labels)
        c=np.arange(k)
        gain=kernel.settle(kernel.aggregate(graph, groups, k), c, rng.permutation(k))
        labels=c[groups]
        if not gain: return labels
