"""JEIG and EIG-O as one writes them first: sparse synchronous mean fields (Alg. 3), one after another."""

import numpy as np
from scipy import sparse

from twins.mean_field import label_entropy, pair_entropy, softmax


def mean_field(S, M, beta, *, max_sweeps=200, tol=1e-6):
    """Alg. 3 with a sparse S."""
    Q = softmax(-beta * M)
    for _ in range(max_sweeps):
        before, M = Q, -(S @ Q)
        Q = softmax(-beta * M)
        if np.abs(Q - before).max() < tol:
            break
    return Q


def replaced(S, u, v, e):
    """A copy of the sparse S in which the pairs (u, v) are e."""
    S = S.tocoo()
    n = S.shape[0]
    changed = np.concatenate([u * n + v, v * n + u])
    keep = ~np.isin(S.row.astype(np.int64) * n + S.col, changed)
    rows, columns = np.concatenate([S.row[keep], u, v]), np.concatenate([S.col[keep], v, u])
    return sparse.csr_array((np.concatenate([S.data[keep], e, e]), (rows, columns)), shape=(n, n))


def jeig(S, Q, M, beta, *, subset=0.02, subsets=5, samples=50, max_sweeps=200, rng):
    """Alg. 5 for all pairs as an n x n matrix."""
    n = len(Q)
    H, P = pair_entropy(Q), np.clip(Q @ Q.T, 0, 1)
    u, v = np.triu_indices(n, 1)
    total = np.zeros((n, n))
    for _ in range(subsets):
        noisy = np.log(np.maximum(H[u, v], 1e-16)) + rng.gumbel(size=len(u))
        D = np.argsort(-noisy)[: round(subset * len(u))]
        for _ in range(samples):
            e = np.where(rng.random(len(D)) < P[u[D], v[D]], 1.0, -1.0)
            total += pair_entropy(mean_field(replaced(S, u[D], v[D], e), M, beta, max_sweeps=max_sweeps))
    return H - total / (subsets * samples)


def eigo(S, Q, M, beta, u, v, *, max_sweeps=200):
    """Alg. 4 for these pairs."""
    before, gains = label_entropy(Q).sum(), np.empty(len(u))
    for i in range(len(u)):
        a, b, p = u[i : i + 1], v[i : i + 1], Q[u[i]] @ Q[v[i]]
        same, different = (
            label_entropy(mean_field(replaced(S, a, b, np.array([e])), M, beta, max_sweeps=max_sweeps)).sum()
            for e in (1.0, -1.0)
        )
        gains[i] = before - p * same - (1 - p) * different
    return gains


def power_batch(scores, asked, size, rng):
    """Top pairs of log a + Gumbel among those not asked; scores and asked are n x n."""
    u, v = np.triu_indices(len(scores), 1)
    noisy = np.log(np.maximum(scores[u, v], 1e-16)) + rng.gumbel(size=len(u))
    noisy[asked[u, v]] = -np.inf
    best = np.argsort(-noisy)[:size]
    return u[best], v[best]
