"""The core definitions written as they read: dense matrices and a loop over every pair."""

from itertools import combinations

import numpy as np


def fold(n, pairs, values):
    """Mean answer and number of answers of every pair, as (n, n) matrices."""
    total, count = np.zeros((n, n)), np.zeros((n, n), int)
    for (u, v), value in zip(pairs, values, strict=True):
        for i, j in ((u, v), (v, u)):
            total[i, j] += value
            count[i, j] += 1
    return total / np.maximum(count, 1), count


def cost(S, labels):
    """R_CC (eq:cost)."""
    total = 0.0
    for u, v in combinations(range(len(S)), 2):
        if labels[u] == labels[v]:
            total += max(-S[u, v], 0)
        else:
            total += max(S[u, v], 0)
    return total


def correlation_cost(S, labels):
    """R_MC (eq:maxcorrfn)."""
    return -sum(S[u, v] for u, v in combinations(range(len(S)), 2) if labels[u] == labels[v])


def symmetric_csr(n, u, v):
    """Both directions of distinct pairs: row starts, columns, and the pair of each entry."""
    entries = sorted(
        [(a, b, e) for e, (a, b) in enumerate(zip(u, v, strict=True))]
        + [(b, a, e) for e, (a, b) in enumerate(zip(u, v, strict=True))]
    )
    starts = [sum(row < i for row, _, _ in entries) for i in range(n + 1)]
    return starts, [column for _, column, _ in entries], [e for _, _, e in entries]
