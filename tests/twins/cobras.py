"""COBRAS as it reads: lists rebuilt and sorted at every step, everything looked up one by one."""

from itertools import combinations, product

import numpy as np

from ofakind.errors import BudgetSpentError
from ofakind.rivals.super_instances import SuperInstance, split


class Store:
    """Answers to pairs, each asked once; the questions in order."""

    def __init__(self, ask, budget, known=()):
        self.ask, self.budget = ask, budget
        self.known = {frozenset(pair): relation for pair, relation in known}
        self.asked = []

    def relation(self, u, v):
        if frozenset((u, v)) not in self.known:
            if len(self.asked) == self.budget:
                raise BudgetSpentError
            self.asked.append((min(u, v), max(u, v)))
            self.known[frozenset((u, v))] = 1 if self.ask(u, v) > 0 else -1
        return self.known[frozenset((u, v))]

    def any_between(self, A, B, relation):
        return any(
            self.known.get(frozenset((s.representative, t.representative))) == relation for s in A for t in B
        )


def cobras(n, ask, *, budget, rng, features, n_init=10):
    """Labels of the last complete clustering, and the questions."""
    store = Store(ask, budget)
    clusters = [[SuperInstance.of(np.arange(n), features)]] if n else []
    labels = np.zeros(n, int)
    try:
        while True:
            candidates = [s for cluster in clusters for s in cluster if len(s.members) >= 2 and not s.tried]
            if not candidates:
                return labels, store.asked
            most = max(len(s.members) for s in candidates)
            s = next(s for s in candidates if len(s.members) == most)
            parts = split(
                s, split_level(s, store, features, rng, n_init), features=features, rng=rng, n_init=n_init
            )
            if len(parts) == 1:
                s.tried = True
                continue
            for cluster in clusters:
                if s in cluster:
                    cluster.remove(s)
            clusters = [cluster for cluster in clusters if cluster] + [[part] for part in parts]
            merge(clusters, store)
            for label, cluster in enumerate(clusters):
                for s in cluster:
                    labels[s.members] = label
    except BudgetSpentError:
        return labels, store.asked


def split_level(s, store, features, rng, n_init):
    level, t = 0, s
    while True:
        halves = split(t, 2, features=features, rng=rng, n_init=n_init)
        if len(halves) == 1:
            break
        try:
            relation = store.relation(halves[0].representative, halves[1].representative)
        except BudgetSpentError:
            break
        if relation == 1:
            break
        level += 1
        candidates = sorted(
            (half for half in halves if len(half.members) >= 2), key=lambda half: len(half.members)
        )
        if not candidates:
            break
        t = candidates[0]
    return min(len(s.members), 2 ** max(level, 1))


def merge(clusters, store):
    """Change the list of clusters in place."""
    merged = True
    while merged:
        merged = False
        pairs = [(A, B) for A, B in combinations(clusters, 2) if not store.any_between(A, B, -1)]
        for A, B in sorted(pairs, key=lambda pair: cluster_distance(*pair)):
            if store.any_between(A, B, 1) or store.relation(A[0].representative, B[0].representative) == 1:
                A.extend(B)
                clusters[:] = [cluster for cluster in clusters if cluster is not B]
                merged = True
                break


def cluster_distance(A, B):
    return min(np.sqrt(((s.centroid - t.centroid) ** 2).sum()) for s in A for t in B)


def inertia(rows, labels):
    parts = [rows[np.asarray(labels) == part] for part in set(labels)]
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)


def least_inertia(rows, k):
    every = product(range(k), repeat=len(rows))
    return min(inertia(rows, labels) for labels in every if len(set(labels)) == k)
