"""Greedy choice with discounts, and how well objects are known, from the whole matrix of P(same)."""

import numpy as np

from ofakind.kernels.search.batch import LEVELS, STEP
from twins.selection import entropy_of


def losses_when_chosen(chosen, loss, group, owner, costs):
    """Before each choice: the loss of every candidate, infinite for those that are taken."""
    for step in range(len(chosen) + 1):
        before = chosen[:step]
        now = np.array(
            [
                loss[i]
                + costs[0] * np.count_nonzero(group[before] == group[i])
                + costs[1] * np.count_nonzero((owner[before] == owner[i]) & (owner[i] >= 0))
                for i in range(len(loss))
            ],
            float,
        )
        now[before] = np.inf
        yield now


def is_greedy(chosen, loss, group, owner, costs, size):
    """Whether each choice has the lowest level of all that were left, and none was left over at the end."""
    if len(set(chosen.tolist())) != len(chosen) or len(chosen) > size:
        return False
    *steps, last = losses_when_chosen(chosen, loss, group, owner, costs)
    # a hair of room, because sums of costs are rounded differently
    lowest = all(
        now[i] <= (np.floor(now.min() / STEP) + 1) * STEP + 1e-9 for i, now in zip(chosen, steps, strict=True)
    )
    return lowest and (len(chosen) == size or np.all(last >= LEVELS * STEP - 1e-9))


def dense_knownness(P, share):
    """How well each pair is known: (n, n), the diagonal 0."""
    prior = entropy_of(np.clip(share, 1e-6, 0.5))
    known = np.clip((1 - entropy_of(P) / prior - 0.3) / 0.7, 0, 1) ** 2
    np.fill_diagonal(known, 0)
    return known


def dense_familiarity(P, share):
    """Weight and unknownness of every object from the (n, n) matrix of P(same)."""
    n, known = len(P), dense_knownness(P, share)
    weight = np.ones(n)
    for _ in range(31):
        weight = known @ weight
        weight = weight / weight.max() if weight.max() > 0 else np.ones(n)
    entropy = entropy_of(P)
    np.fill_diagonal(entropy, 0)
    return weight, entropy.sum(axis=1) / (n - 1) / entropy_of(np.clip(share, 1e-6, 0.5))
