"""Probability that an object joins the cluster of another, plainly: sample by sample, from a full matrix."""

import numpy as np


def slow_against(posterior, objects, others):
    """The mean over samples of the conditional probability, (m, r); any number for an object itself.

    With pins, objects of a unit move together, and what pins decide is certain.
    """
    labels, pins = posterior.node_labels, posterior.pins
    n = labels.shape[1]
    node = np.arange(n) if pins is None else pins.units
    W = np.full((n, n), 0.0)
    rows = np.repeat(np.arange(n), np.diff(posterior.frame.indptr))
    W[rows, posterior.frame.indices] = posterior.weights
    W += posterior.background
    found = np.zeros((len(objects), len(others[0])))
    for label, alpha in zip(labels, posterior.concentration, strict=True):
        for t, i in enumerate(node[objects]):
            rest = np.delete(np.arange(n), i)
            drawn = {
                k: np.sum(label[rest] == k) ** posterior.exponent * np.exp(W[i, rest[label[rest] == k]].sum())
                for k in set(label[rest].tolist())
            }
            total = alpha + sum(drawn.values())
            found[t] += [drawn.get(label[j], 0.0) / total for j in node[others[t]]]
    found /= len(labels)
    if pins is not None:
        for t, i in enumerate(objects):
            decided = pins.implied(np.full(len(others[t]), i), others[t])
            found[t] = np.where(decided == 0, found[t], decided > 0)
    return found
