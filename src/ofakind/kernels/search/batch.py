"""Choosing a batch: how well each object is known, and greedy choice with discounts by a bucket queue."""

from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.field.pair_entropy import binary_entropy

Array = NDArray[Any]

# Tuned numbers, chosen by judgement. They stand alone because numba needs globals.
LEVELS = 400  # of worth by which candidates are told apart
STEP = 9.210340371976184 / LEVELS  # the levels span four decades (ln 10,000), each 2.3 % below the one before


@compiled
def knownness(entropy: float, prior: float, rumour: float) -> float:
    """How well a pair is known, from 0 to 1: the share of the prior entropy that is gone, squared.

    A loss of the share ``rumour`` counts as nothing.
    """
    gone = (1.0 - entropy / prior - rumour) / (1.0 - rumour)
    return min(max(gone, 0.0), 1.0) ** 2


@compiled
def leading(P: Array, prior: float, rumour: float, iterations: int) -> Array:
    """Leading eigenvector of how well each pair is known, P (r, r), scaled to a largest entry of 1.

    By the power method. What is known of an object and itself does not count.
    """
    r = len(P)
    known, weight = np.zeros((r, r)), np.ones(r)
    for i in range(r):
        for j in range(r):
            if i != j:
                known[i, j] = knownness(binary_entropy(P[i, j]), prior, rumour)
    for _ in range(iterations):
        after, largest = np.zeros(r), 0.0
        for i in range(r):
            for j in range(r):
                after[i] += weight[j] * known[i, j]
            largest = max(largest, after[i])
        weight = after / largest if largest > 0.0 else after
    return weight


@compiled
def familiarity(P: Array, own: Array, weights: Array, prior: float, rumour: float) -> tuple[Array, Array]:
    """Weight (not normalised) and unknownness of objects, from P(same) with some landmarks.

    Row i of P (m, r) is of one object; ``own[i]`` is the column of the object itself, which does not count,
    or -1. ``weights`` (r,) are those of the landmarks, ``prior`` the entropy of a pair of which nothing is
    known, and a loss of the share ``rumour`` of it counts as nothing. The weight is the sum of knownness
    times weight; the unknownness the mean entropy over the prior.
    """
    m, r = P.shape
    weight, unknown, entropy = np.zeros(m), np.zeros(m), np.empty(r)
    for i in range(m):
        for j in range(r):  # by itself, this vectorises
            entropy[j] = binary_entropy(P[i, j])
        for j in range(r):
            if j != own[i]:
                weight[i] += weights[j] * knownness(entropy[j], prior, rumour)
                unknown[i] += entropy[j]
        unknown[i] /= prior * max(1, r - (own[i] >= 0))
    return weight, unknown


@compiled
def greedy(
    loss: Array, group: Array, owner: Array, costs: tuple[float, float], size: int
) -> tuple[Array, Array]:
    """Positions of up to ``size`` candidates, chosen one after another for the least loss, and that loss.

    ``loss`` is the logarithm by which a candidate is worth less than the best one, 0 or more. Each choice
    adds ``costs[0]`` to all of its group (any number, 0 or more) and ``costs[1]`` to all of its owner (an
    object; -1: no owner).
    Losses are compared in `LEVELS` steps of `STEP`; what falls below the last level is never chosen.

    Losses only grow, so a candidate is looked at again only when it comes up: chosen if its level is still
    the same, else put where it belongs now. O(candidates + choices + demotions), no heap.
    """
    wanted = min(size, len(loss))
    places = 2
    while places < 2 * wanted + 2:
        places *= 2
    groups = np.full(places, -1)  # a hash table, at most half full
    count = np.zeros(len(groups), np.int64)
    asked = np.zeros(owner.max() + 1 if len(owner) else 0, np.int64)
    first = np.full(LEVELS, -1)  # of the chain of candidates on each level
    following = np.empty(len(loss), np.int64)
    for i in range(len(loss)):
        _put(first, following, i, floor(loss[i] / STEP))
    chosen, lost = np.empty(wanted, np.int64), np.empty(wanted)
    found, level = 0, 0
    while found < wanted and level < LEVELS:
        i = first[level]
        if i < 0:
            level += 1
            continue
        first[level] = following[i]
        at = _find(groups, group[i])
        total = loss[i] + costs[0] * count[at]
        if owner[i] >= 0:
            total += costs[1] * asked[owner[i]]
        now = floor(total / STEP)
        if now > level:
            _put(first, following, i, now)
            continue
        chosen[found], lost[found] = i, total
        found += 1
        groups[at] = group[i]
        count[at] += 1
        if owner[i] >= 0:
            asked[owner[i]] += 1
    return chosen[:found], lost[:found]


@compiled
def _find(table: Array, key: int) -> int:
    """Where a key stands in a hash table, or the free place where it belongs; -1 marks free places."""
    last = len(table) - 1
    at = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & last
    while table[at] not in (-1, key):
        at = (at + 1) & last
    return int(at)


@compiled
def _put(first: Array, following: Array, i: int, level: int) -> None:
    """Put a candidate at the head of its level's chain, or nowhere when there is no such level."""
    if level < len(first):
        following[i] = first[level]
        first[level] = i
