"""The consensus of samples with all pairs in one matrix, written plainly."""

import numpy as np

from ofakind.clustering import adjusted_rand_index, canonical_labels
from ofakind.study.measures import pair_f1

MEASURES = {"ari": adjusted_rand_index, "f1": pair_f1}


def agreement(samples, weights=None):
    """The (n, n) share of samples that hold each pair together."""
    samples = np.asarray(samples)
    weights = np.full(len(samples), 1 / len(samples)) if weights is None else weights
    same = samples[:, :, None] == samples[:, None, :]
    return np.tensordot(weights, same, axes=1)


def expected(samples, labels, measure="ari"):
    """Mean measure between the labels and each sample."""
    return float(np.mean([MEASURES[measure](np.asarray(labels), np.asarray(sample)) for sample in samples]))


def wrong_pairs(samples, labels):
    """Mean number of pairs that the labels hold together and a sample apart, or the other way round."""
    labels = np.asarray(labels)
    same = labels[:, None] == labels
    return float(np.mean([np.triu((sample[:, None] == sample) != same).sum() for sample in samples]))


def linear_form(P, labels, theta):
    """Sum of P - theta over all pairs inside clusters."""
    u, v = np.triu_indices(len(labels), 1)
    same = np.asarray(labels)[u] == np.asarray(labels)[v]
    return float((P[u, v] - theta)[same].sum())


def best_move(P, labels, block, theta):
    """What the best new place of a block of objects adds to the linear form: another cluster, or alone."""
    block, labels = np.asarray(block), np.asarray(labels)
    places = {*labels.tolist(), len(labels)} - {labels[block[0]]}
    values = []
    for place in places:
        moved = labels.copy()
        moved[block] = place
        values.append(linear_form(P, moved, theta))
    return max(values) - linear_form(P, labels, theta)


def dense_search(samples, starts, *, rng, sweeps=10, steps=4):
    """Single moves for the sum of P - 1/2, then for better thresholds while the expected index rises."""
    P = agreement(samples)
    np.fill_diagonal(P, 0)
    total, pairs = P.sum() / 2, len(P) * (len(P) - 1) / 2

    def index(labels):
        same = labels[:, None] == labels
        found, both = (same.sum() - len(P)) / 2, P[same].sum() / 2
        by_chance = found * total / pairs
        return (both - by_chance) / ((found + total) / 2 - by_chance)

    share = total / pairs
    best = max((settle(P, start, 0.5, sweeps, rng) for start in starts), key=index)
    for _ in range(steps):
        labels = settle(P, best, share + index(best) * (0.5 - share), sweeps, rng)
        if index(labels) <= index(best):
            break
        best = labels
    return canonical_labels(best)


def settle(P, labels, theta, sweeps, rng):
    """Labels after moves of single objects, each to the cluster that attracts it most."""
    labels = canonical_labels(labels)
    n = len(labels)
    for _ in range(sweeps):
        before = labels.copy()
        for i in rng.permutation(n):
            worth = np.bincount(labels, P[i] - theta, minlength=n)
            worth[labels[i]] += theta
            if worth.max() > worth[labels[i]] + 1e-9:
                labels[i] = worth.argmax()
        if np.array_equal(labels, before):
            break
    return labels
