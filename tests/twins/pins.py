"""Pins by matrices: what follows from them, random ones without contradictions, the partitions that fit."""

import numpy as np
from hypothesis import strategies as st

from ofakind.pins import Pins
from twins.partition_posterior import log_prior
from twins.partitions import partitions


def closure(n, pins):
    """(n, n) of 1 for same, -1 for different, 0 for neither, from (u, v, same); None if they contradict."""
    same, different = np.eye(n, dtype=int), np.zeros((n, n), int)
    for u, v, alike in pins:
        matrix = same if alike else different
        matrix[u, v] = matrix[v, u] = 1
    for _ in range(n):
        same = np.minimum(same @ same, 1)
    different = np.minimum(same @ different @ same, 1)
    return None if (same & different).any() else same - different


def as_list(pins):
    return [*zip(pins.pairs.u.tolist(), pins.pairs.v.tolist(), pins.same.tolist(), strict=True)]


def random_pins(n, count, rng, *, share=0.5):
    """Pins of n objects, drawn one after another; those that contradict the ones before are left out."""
    pins = Pins.none(n)
    for _ in range(count if n > 1 else 0):
        u, v = rng.choice(n, 2, replace=False)
        same = bool(rng.random() < share)
        if closure(n, [*as_list(pins), (u, v, same)]) is not None:
            pins = pins.adding(np.array([u]), np.array([v]), same=same)
    return pins


@st.composite
def pinned(draw, n=None, most=8):
    """A number of objects up to 9, or this one, and pins."""
    size = draw(st.integers(0, 9)) if n is None else n
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random_pins(size, draw(st.integers(0, most)), rng, share=draw(st.sampled_from([0.2, 0.5, 0.8])))


def fits(labels, pins):
    """Whether a partition breaks no pin."""
    labels = np.asarray(labels)
    return bool(np.array_equal(labels[pins.pairs.u] == labels[pins.pairs.v], pins.same))


def enumerated_with_pins(weights, grid, pins):
    """All partitions that break no pin and their probabilities; in the prior units count as one object."""
    found = np.array([labels for labels in partitions(pins.n) if fits(labels, pins)])
    logs = []
    for labels in found:
        together = np.triu(labels[:, None] == labels, 1)
        of_units = labels[pins.first]
        prior = log_prior(np.unique(of_units, return_inverse=True)[1], grid)
        inside = np.triu(pins.units[:, None] == pins.units, 1)
        logs.append(prior + (np.triu(weights, 1) * (together & ~inside)).sum())
    probabilities = np.exp(np.array(logs) - max(logs))
    return found, probabilities / probabilities.sum()
