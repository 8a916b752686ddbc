"""The mean field and everything conditioned on it, one plain dense line per equation of the paper."""

import numpy as np


def softmax(x):
    weights = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return weights / weights.sum(axis=1, keepdims=True)


def dense(similarity):
    return similarity.to_scipy().toarray()


def start_costs(S, labels):
    """M_uk = - sum of S_uv over the v in cluster k."""
    k = labels.max() + 1 if len(labels) else 0
    return -S @ np.eye(k)[labels]


def synchronous(S, M, beta, *, tol=1e-10, max_sweeps=20_000):
    """Alg. 3 as printed: Q and M."""
    Q = softmax(-beta * M)
    for _ in range(max_sweeps):
        before, M = Q, -S @ Q
        Q = softmax(-beta * M)
        if np.abs(Q - before).max(initial=0) < tol:
            break
    return Q, -S @ Q


def asynchronous(S, M, beta, *, order=None, tol=1e-10, max_sweeps=20_000):
    """The theorem's rule, object by object: Q and M."""
    Q = softmax(-beta * M)
    order = range(len(S)) if order is None else order
    for _ in range(max_sweeps):
        before = Q.copy()
        for u in order:
            Q[u] = softmax(beta * (S[u] @ Q)[None])[0]
        if np.abs(Q - before).max(initial=0) < tol:
            break
    return Q, -S @ Q


def free_energy(S, Q, beta):
    """Expected R_MC minus entropy over beta."""
    return -0.5 * np.sum(S * (Q @ Q.T)) - label_entropy(Q).sum() / beta


def label_entropy(Q):
    return -np.sum(Q * np.log(np.maximum(Q, 1e-300)), axis=1)


def pair_entropy(Q):
    """H(E_uv) as an n x n matrix, 0 on the diagonal."""
    P = np.clip(Q @ Q.T, 0, 1)
    H = -(P * np.log(np.maximum(P, 1e-300)) + (1 - P) * np.log(np.maximum(1 - P, 1e-300)))
    np.fill_diagonal(H, 0)
    return H


def replaced(S, u, v, e):
    """S with the pairs (u, v) set to e."""
    T = S.copy()
    T[u, v] = T[v, u] = e
    return T


def expected_information_gain(S, Q, M, beta, u, v, *, field=synchronous, over_pairs=False):
    """eq:eigo for one pair; over_pairs sums the entropies of all pairs instead of all labels."""

    def entropy(probabilities):
        return pair_entropy(probabilities).sum() / 2 if over_pairs else label_entropy(probabilities).sum()

    p = Q[u] @ Q[v]
    after = {e: entropy(field(replaced(S, u, v, e), M, beta)[0]) for e in (1, -1)}
    return entropy(Q) - p * after[1] - (1 - p) * after[-1]


def joint_information_gain(S, Q, M, beta, subsets, samples, *, field=synchronous):
    """eq:jeig for all pairs as an n x n matrix."""
    conditional = [
        pair_entropy(field(replaced(S, D[:, 0], D[:, 1], e), M, beta)[0])
        for D, draws in zip(subsets, samples, strict=True)
        for e in draws
    ]
    return pair_entropy(Q) - np.mean(conditional, axis=0)
