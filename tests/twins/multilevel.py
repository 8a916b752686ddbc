"""The multilevel search the way one writes it first: a dictionary per node, fresh names for new clusters.

The draws come in the order of `ofakind.solve.multilevel.Multilevel`, so the labels must agree; names of
clusters and groups never matter, only which nodes share them.
"""

from collections import deque
from math import ceil, log2

import numpy as np

from ofakind.clustering import Clustering


def multilevel(similarity, *, start=None, rng, kicks):
    graph = in_units(similarity)
    n = similarity.n
    if start is None:
        groups = gather(graph, [0] * n, rng.permutation(n))
        labels = on_groups(graph, groups, range(n), rng)
    else:
        labels = start.labels.tolist()
    labels = climb(graph, labels, rng)
    useless = 0
    for turn in range(kicks if similarity.n_pairs else 0):
        shaken = merge(similarity, labels, rng) if turn % 3 == 2 else eject(labels, rng)
        other = climb(graph, shaken, rng)
        best = labels if inside(graph, labels) >= inside(graph, other) else other
        mixed = on_groups(graph, list(zip(labels, other, strict=True)), best, rng)
        useless = 0 if inside(graph, mixed) > inside(graph, labels) else useless + 1
        labels = mixed
        if useless == 20:
            break
    return Clustering.of(similarity, finish(graph, labels, rng))


def in_units(similarity):
    """A dictionary per object: its similarity to every other object it has an asked pair with."""
    bits = min(40, 61 - ceil(log2(1 + np.abs(similarity.values).sum())))
    S = similarity.to_scipy()
    rows = [range(S.indptr[i], S.indptr[i + 1]) for i in range(similarity.n)]
    return [{int(S.indices[slot]): round(float(S.data[slot]) * 2**bits) for slot in row} for row in rows]


def totals_of(row, labels):
    totals = {}
    for other, value in row.items():
        totals[labels[other]] = totals.get(labels[other], 0) + value
    return totals


def settle(graph, labels, order):
    """Labels after moves of single nodes, and what they gained."""
    labels, queue, gain = list(labels), deque(order), 0
    while queue:
        i = queue.popleft()
        own, totals = labels[i], totals_of(graph[i], labels)
        now = totals.get(own, 0)
        best, most = (own, now) if now >= 0 else (object(), 0)  # a label like no other: alone
        for label, total in totals.items():
            if total > most:
                best, most = label, total
        if best != own:
            gain += most - now
            labels[i] = best
            for j, value in graph[i].items():
                if j not in queue and labels[j] != (best if value > 0 else own):
                    queue.append(j)
    return labels, gain


def gather(graph, labels, order):
    groups = list(range(len(labels)))
    for i in order:
        if groups.count(i) > 1:
            continue
        near = {j: value for j, value in graph[i].items() if labels[j] == labels[i]}
        totals = totals_of(near, groups)
        attracting = [group for group in totals if totals[group] > 0]
        if attracting:
            groups[i] = max(attracting, key=totals.get)  # the first of equals
    return groups


def number(names):
    known = {name: k for k, name in enumerate(dict.fromkeys(names))}
    return [known[name] for name in names]


def aggregate(graph, groups):
    """A node per group 0..k-1."""
    small = [{} for _ in set(groups)]
    for i, row in enumerate(graph):
        for j, value in row.items():
            if groups[i] != groups[j]:
                node = small[groups[i]]
                node[groups[j]] = node.get(groups[j], 0) + value
    return [{other: value for other, value in row.items() if value} for row in small]


def on_groups(graph, names, labels, rng):
    """Climb on the graph of the groups with these names, from these labels of their nodes."""
    groups = number(names)
    lifted = dict(zip(groups, labels, strict=True))
    found = climb(aggregate(graph, groups), [lifted[group] for group in range(len(lifted))], rng)
    return [found[group] for group in groups]


def climb(graph, labels, rng):
    labels, _ = settle(graph, labels, rng.permutation(len(labels)))
    names = gather(graph, labels, rng.permutation(len(labels)))
    if len(set(names)) == len(labels):
        names = labels
    if len(set(names)) == len(labels):
        return labels
    return on_groups(graph, names, labels, rng)


def eject(labels, rng):
    dice = rng.random(len(labels))
    return [object() if dice[i] < 0.3 else labels[i] for i in range(len(labels))]


def merge(similarity, labels, rng):
    labels = number(labels)
    target = list(range(len(set(labels))))
    for slot in rng.integers(len(similarity.indices), size=ceil(0.3 * len(target))):
        row = next(i for i in range(similarity.n) if slot < similarity.indptr[i + 1])
        target[labels[row]] = labels[similarity.indices[slot]]
    return [target[label] for label in labels]


def inside(graph, labels):
    return sum(value for i, row in enumerate(graph) for j, value in row.items() if labels[i] == labels[j])


def finish(graph, labels, rng):
    moved = gain = 1
    while moved and gain:
        labels, moved = settle(graph, labels, rng.permutation(len(labels)))
        if moved:
            groups = number(labels)
            small = aggregate(graph, groups)
            merged, gain = settle(small, range(len(small)), rng.permutation(len(small)))
            labels = [merged[group] for group in groups]
    return number(labels)
