"""The placing of objects in the clusters of a sample, played with plain lists."""

import numpy as np


def beliefs(weights, labels, item, *, alpha, exponent=1.0):
    """Probability of each cluster for one object given all other labels; the last one is none of them."""
    logs = []
    for cluster in range(max(labels) + 1):
        members = [v for v, label in enumerate(labels) if label == cluster and v != item]
        evidence = sum(weights[item][v] for v in members)
        logs.append(exponent * np.log(len(members)) + evidence if members else -np.inf)
    logs = np.array([*logs, np.log(alpha)])
    likely = np.exp(logs - logs.max())
    return likely / likely.sum()


def questions(belief, own, same, different, *, sure, most, information, rng):
    """Compare with the cluster that tells most, believe the answer, until one is as probable as ``sure``."""
    belief = np.array(belief)
    for asked in range(most):
        if belief.max() >= sure:
            return asked
        told = [information(p) if p > 0 else -1.0 for p in belief[:-1]]  # nobody can be compared with nobody
        cluster = int(np.argmax(told))
        chances = np.cumsum(same if cluster == own else different)
        kind = int(np.searchsorted(chances, rng.random() * chances[-1], side="right"))
        likelihood = np.full(len(belief), different[kind])
        likelihood[cluster] = same[kind]
        belief = belief * likelihood
        belief /= belief.sum()
    return most
