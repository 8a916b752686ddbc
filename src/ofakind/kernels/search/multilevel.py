"""The steps of the multilevel search: moves of single nodes, groups inside clusters, a node per group.

A graph holds similarities as whole numbers of some small unit. So all sums are exact whatever their order: a
tie is a tie, and a search that only makes moves with a gain cannot go round in circles.

Labels of m nodes are numbers below m; some may be unused.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph

Array = NDArray[Any]


@compiled
def settle(graph: Graph, labels: Array, order: Array) -> int:
    """Move nodes to the cluster they are most similar to until no move of one node gains; the total gain.

    Changes the labels in place. The nodes wait in a queue, at first those of ``order``, and a move puts back
    the ones that it may have given a better place. A node leaves its cluster only for a gain, and goes alone
    when its own cluster repels it and none attracts it. A visit takes O(degree).
    """
    m = len(labels)
    sizes = np.zeros(m, np.int64)
    for label in labels:
        sizes[label] += 1
    free, n_free = unused(sizes)
    queue, waiting, totals = np.empty(m, np.int64), np.zeros(m, np.bool_), np.zeros(m, np.int64)
    head, length, gain = 0, len(order), 0
    queue[:length] = order
    waiting[order] = True
    while length:
        i = queue[head]
        head, length = (head + 1 if head + 1 < m else 0), length - 1
        waiting[i] = False
        own = labels[i]
        best, rise = _best_place(graph, labels, i, totals)
        if best == own:
            continue
        if best < 0:  # so its own total is below 0, it is not alone, and some label is unused
            n_free -= 1
            best = free[n_free]
        gain += rise
        labels[i] = best
        sizes[best] += 1
        sizes[own] -= 1
        if sizes[own] == 0:
            free[n_free] = own
            n_free += 1
        for slot in range(graph.indptr[i], graph.indptr[i + 1]):
            j = graph.indices[slot]
            # Any other is drawn no less to where it is, and no more to where it could go.
            if not waiting[j] and labels[j] != (best if graph.S[slot] > 0 else own):
                waiting[j] = True
                last = head + length
                queue[last if last < m else last - m] = j
                length += 1
    return gain


@compiled
def unused(sizes: Array) -> tuple[Array, int]:
    """Return the labels whose size is 0 as a stack, and how many these are."""
    free, n_free = np.empty(len(sizes), np.int64), 0
    for label in range(len(sizes)):
        if sizes[label] == 0:
            free[n_free] = label
            n_free += 1
    return free, n_free


@compiled
def _best_place(graph: Graph, labels: Array, i: int, totals: Array) -> tuple[int, int]:
    """Return the cluster node i is most similar to, -1 for alone, and what going there gains.

    The totals are 0 before and after. Reading a row twice is faster than listing the clusters it touches.
    """
    row = range(graph.indptr[i], graph.indptr[i + 1])
    for slot in row:
        totals[labels[graph.indices[slot]]] += graph.S[slot]
    now = totals[labels[i]]
    best, most = (labels[i], now) if now >= 0 else (-1, 0)
    for slot in row:
        label = labels[graph.indices[slot]]
        if totals[label] > most:
            best, most = label, totals[label]
        totals[label] = 0
    return best, most - now


@compiled
def gather(graph: Graph, labels: Array, order: Array) -> Array:
    """Split every cluster into groups of nodes that attract one another; the group of each node.

    Each node begins alone. In this order, one that is still alone joins the group in its cluster that it is
    most similar to, if any attracts it. Groups are named by one of their nodes. O(nodes + pairs).
    """
    groups, sizes = np.arange(len(labels)), np.ones(len(labels), np.int64)
    totals = np.zeros(len(labels), np.int64)
    for i in order:
        if sizes[i] > 1:
            continue
        row = range(graph.indptr[i], graph.indptr[i + 1])
        for slot in row:
            j = graph.indices[slot]
            if labels[j] == labels[i]:
                totals[groups[j]] += graph.S[slot]
        best, most = i, 0
        for slot in row:
            group = groups[graph.indices[slot]]
            if totals[group] > most:
                best, most = group, totals[group]
            totals[group] = 0
        groups[i] = best
        sizes[best] += 1
    return groups


@compiled
def common(a: Array, b: Array) -> Array:
    """Return a name below m for each node, the same for those that both labellings hold together. O(m)."""
    group, owner = np.empty(len(a), np.int64), np.full(len(a), -1)
    names, fresh = np.empty(len(a), np.int64), 0
    for i in sorted_by(a, len(a))[1]:
        if owner[b[i]] != a[i]:
            owner[b[i]], group[b[i]] = a[i], fresh
            fresh += 1
        names[i] = group[b[i]]
    return names


@compiled
def told_apart(samples: Array) -> tuple[Array, Array]:
    """Nodes that some of the labellings, rows below m, tell from all before; each node's place among them.

    Nodes that all labellings hold together have the place of the first of them. O(labellings m).
    """
    m = samples.shape[1]
    names = np.zeros(m, np.int64)
    for s in range(len(samples)):
        names = common(names, samples[s])
    place, k = number(names)
    first = np.empty(k, np.int64)
    for i in range(m - 1, -1, -1):
        first[place[i]] = i
    return first, place


@compiled
def number(names: Array) -> tuple[Array, int]:
    """Names below m replaced by 0..k-1 in order of first appearance; and k."""
    rank, numbered, k = np.full(len(names), -1), np.empty(len(names), np.int64), 0
    for i in range(len(names)):
        if rank[names[i]] < 0:
            rank[names[i]] = k
            k += 1
        numbered[i] = rank[names[i]]
    return numbered, k


@compiled
def aggregate(graph: Graph, groups: Array, k: int) -> Graph:
    """Graph of the groups 0..k-1: between two the sum of the pairs between their nodes, where it is not 0."""
    first, members = sorted_by(groups, k)
    indptr, totals = np.zeros(k + 1, np.int64), np.zeros(k, np.int64)
    indices, S = np.empty(len(graph.indices), np.int32), np.empty(len(graph.indices), np.int64)
    end = 0
    for group in range(k):
        own = members[first[group] : first[group + 1]]
        for i in own:
            for slot in range(graph.indptr[i], graph.indptr[i + 1]):
                totals[groups[graph.indices[slot]]] += graph.S[slot]
        totals[group] = 0
        for i in own:
            for slot in range(graph.indptr[i], graph.indptr[i + 1]):
                other = groups[graph.indices[slot]]
                if totals[other] != 0:
                    indices[end], S[end] = other, totals[other]
                    totals[other] = 0
                    end += 1
        indptr[group + 1] = end
    return Graph(indptr, indices[:end].copy(), S[:end].copy())


@compiled
def sorted_by(groups: Array, k: int) -> tuple[Array, Array]:
    """Return where each group begins in the list of the nodes sorted by group, and that list."""
    first = np.zeros(k + 1, np.int64)
    for group in groups:
        first[group + 1] += 1
    for group in range(k):
        first[group + 1] += first[group]
    free = first[:-1].copy()
    members = np.empty(len(groups), np.int64)
    for i in range(len(groups)):
        members[free[groups[i]]] = i
        free[groups[i]] += 1
    return first, members


@compiled
def inside(graph: Graph, labels: Array) -> int:
    """Twice the summed similarity inside clusters."""
    total = 0
    for i in range(len(labels)):
        for slot in range(graph.indptr[i], graph.indptr[i + 1]):
            if labels[graph.indices[slot]] == labels[i]:
                total += graph.S[slot]
    return total
