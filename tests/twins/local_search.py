"""Local search the way one writes it first: a dense matrix and a slice per cluster and object."""

import numpy as np

from ofakind.clustering import Clustering

TIE = 1e-12


def local_search(
    similarity, *, start=None, rng, restarts=5, sweeps=30, new_cluster="repelled", warm_start=False
):
    """Same draws in the same order as `ofakind.solve.local_search.LocalSearch`."""
    S = similarity.to_scipy().toarray()
    n = similarity.n
    k = start.k if start else 1
    best = None
    for restart in range(restarts):
        if restart == 0 and warm_start and start is not None:
            labels = start.labels.copy()
        elif restart > 0 and k <= 1:
            labels = np.arange(n)
        else:
            labels = rng.integers(max(k, 1), size=n)
            for label, item in enumerate(rng.permutation(n)[:k]):
                labels[item] = label
        for _ in range(sweeps):
            labels, gain = sweep(S, labels, rng.permutation(n), new_cluster)
            if gain <= TIE:
                break
        gain = 1
        while gain > 0:
            labels, gain = sweep(S, labels, rng.permutation(n), "strict")
        found = Clustering.of(similarity, labels)
        k = found.k
        if best is None or found.cost < best.cost:
            best = found
    return best


def sweep(S, labels, order, rule):
    """Labels after one sweep, and what it gained; rule is "repelled", "no_gain" or "strict"."""
    labels = labels.copy()
    gain = 0.0
    k = labels.max(initial=-1) + 1
    for i in order:
        own = labels[i]
        totals = np.array([S[i, labels == label].sum() for label in range(k)])
        target = choose(totals, own, rule)
        if target == k and (labels == own).sum() == 1:
            continue
        gain += (totals[target] if target < k else 0.0) - totals[own]
        labels[i] = target
        k = max(k, target + 1)
        if not (labels == own).any():
            labels[labels > own] -= 1
            k -= 1
    return labels, gain


def choose(totals, own, rule):
    """Cluster to go to; the next unused label means alone."""
    best = totals.max()
    oldest = int(np.flatnonzero(totals >= best - TIE)[0])
    if rule == "no_gain":
        return oldest if best >= TIE else len(totals)
    if best < -TIE:
        return len(totals)
    if rule == "strict" and best <= totals[own] + TIE:
        return own
    return oldest
