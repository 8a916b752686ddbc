"""Relations that follow from answers: many worlds at once, each with its own values for the same pairs.

A world gives each pair e of nodes ``ends[e]`` the value 1 (together) or -1 (apart). ``labels`` (worlds,
nodes) are equal where nodes are joined by pairs together. Two nodes are together when their labels are equal,
apart when a pair apart joins their two groups, and else nothing is known about them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.union_find import root

Array = NDArray[Any]


@compiled
def groups(values: Array, ends: Array, n: int) -> Array:
    """Label the groups of n nodes joined by pairs together, in each world. O(worlds (n + pairs))."""
    labels = np.empty((len(values), n), np.int32)
    for w in range(len(values)):
        label = labels[w]
        for i in range(n):
            label[i] = i
        for e in range(len(ends)):
            if values[w, e] > 0:
                a, b = root(label, ends[e, 0]), root(label, ends[e, 1])
                label[max(a, b)] = min(a, b)
        for i in range(n):  # a parent has the smaller number, so it is final already
            label[i] = label[label[i]]
    return labels


@compiled
def implied(values: Array, labels: Array, ends: Array, a: int, b: int) -> Array:
    """What each world says about nodes a and b: 1, -1, or 0 where it says nothing. O(worlds pairs)."""
    relation = np.zeros(len(values), np.int8)
    for w in range(len(values)):
        p, q = labels[w, a], labels[w, b]
        if p == q:
            relation[w] = 1
            continue
        for e in range(len(ends)):
            if values[w, e] < 0:
                x, y = labels[w, ends[e, 0]], labels[w, ends[e, 1]]
                if (x == p and y == q) or (x == q and y == p):
                    relation[w] = -1
                    break
    return relation


@compiled
def _relate(value: Array, label: Array, ends: Array, apart: Array, out: Array) -> None:
    """Relations of all nodes i < j in one world; ``apart`` is scratch space, False before and after."""
    n = len(label)
    for e in range(len(ends)):
        if value[e] < 0:
            x, y = label[ends[e, 0]], label[ends[e, 1]]
            apart[x, y] = apart[y, x] = True
    for i in range(n):
        row = apart[label[i]]
        for j in range(i + 1, n):
            out[i, j] = 1 if label[j] == label[i] else -1 if row[label[j]] else 0
    for e in range(len(ends)):
        x, y = label[ends[e, 0]], label[ends[e, 1]]
        apart[x, y] = apart[y, x] = False


@compiled
def agreement(values: Array, labels: Array, ends: Array) -> Array:
    """What all worlds say about each two nodes; 0 where they differ or any says nothing. (nodes, nodes)."""
    n = labels.shape[1]
    apart, relation = np.zeros((n, n), np.bool_), np.zeros((n, n), np.int8)
    agreed = np.eye(n, dtype=np.int8)
    for w in range(len(values)):
        _relate(values[w], labels[w], ends, apart, relation)
        for i in range(n):
            for j in range(i + 1, n):
                if w == 0 or agreed[i, j] != relation[i, j]:
                    agreed[i, j] = agreed[j, i] = relation[i, j] if w == 0 else 0
    return agreed


@compiled
def obeying(values: Array, labels: Array, ends: Array, settled: Array) -> Array:
    """Which worlds say what is settled, wherever that is not 0."""
    n = labels.shape[1]
    apart, relation = np.zeros((n, n), np.bool_), np.zeros((n, n), np.int8)
    obeys = np.ones(len(values), np.bool_)
    for w in range(len(values)):
        _relate(values[w], labels[w], ends, apart, relation)
        for i in range(n):
            for j in range(i + 1, n):
                if settled[i, j] and relation[i, j] != settled[i, j]:
                    obeys[w] = False
    return obeys


@compiled
def refuted(values: Array, labels: Array, ends: Array, chosen: Array, weights: Array) -> Array:
    """Weight of the chosen worlds that say the opposite of world 0, for each two nodes. (nodes, nodes)."""
    n = labels.shape[1]
    apart, now, relation = np.zeros((n, n), np.bool_), np.zeros((n, n), np.int8), np.zeros((n, n), np.int8)
    _relate(values[0], labels[0], ends, apart, now)
    total = np.zeros((n, n))
    for w, weight in zip(chosen, weights):  # noqa: B905 - numba knows no strict
        _relate(values[w], labels[w], ends, apart, relation)
        for i in range(n):
            for j in range(i + 1, n):
                if now[i, j] * relation[i, j] < 0:
                    total[i, j] += weight
                    total[j, i] += weight
    return total


@compiled
def spread(scores: Array, weight: Array, objects: Array, nodes: Array) -> None:
    """Add the weight of two nodes to the scores of all pairs of objects there; objects ascend, and i < j."""
    for a in range(len(objects)):
        row = weight[nodes[a]]
        for b in range(a + 1, len(objects)):
            if row[nodes[b]]:
                scores[objects[a], objects[b]] += row[nodes[b]]


@compiled
def verdicts(values: Array, labels: Array, ends: Array, kinds: Array, n_kinds: int) -> Array:
    """How many worlds say together, and how many apart, for each kind of world. (2, kinds, nodes, nodes)."""
    n = labels.shape[1]
    apart, relation = np.zeros((n, n), np.bool_), np.zeros((n, n), np.int8)
    said = np.zeros((2, n_kinds, n, n), np.int32)
    for w in range(len(values)):
        _relate(values[w], labels[w], ends, apart, relation)
        for i in range(n):
            for j in range(i + 1, n):
                if relation[i, j]:
                    side = 0 if relation[i, j] > 0 else 1
                    said[side, kinds[w], i, j] += 1
                    said[side, kinds[w], j, i] += 1
    return said
