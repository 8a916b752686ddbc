"""Worlds near a given one, by flipping pairs: a search that follows contradictions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.blocks import biconnected
from ofakind.kernels.graph.union_find import root
from ofakind.kernels.worlds.closure import groups

Array = NDArray[Any]


@compiled
def worlds_within(value: Array, ends: Array, price: Array, bound: int, sizes: Array) -> tuple[Array, Array]:
    """Consistent values within ``bound`` of these, and how much more each costs; none if there are too many.

    Flipping pair e costs ``price[e]``, which may be negative; a pair that must not flip costs more than the
    bound. ``sizes``: the number of nodes, how many pairs may flip at once, how many worlds to list and how
    many sets of flips to look at.

    Depth first: where flips have led to a contradiction, a further flip must be on its cycle, else anywhere;
    pairs tried before are left as they are, so no set comes up twice. A set is given up when it costs more
    than the bound, cheap flips first, so worlds that first cost more and then less are missed. After a flip
    that reaches the bound nothing can follow, so all such flips of a world are judged together.
    """
    n, depth, most, patience = sizes
    y, tried, order = value.copy(), price > bound, np.argsort(price)
    rows, costs = np.empty((most + 2, len(value)), np.int8), np.empty(most + 2, np.int64)
    options = np.empty((depth + 1, len(value)), np.int64)
    count, at = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    free, alone = np.zeros(depth + 1, np.bool_), np.zeros((depth + 1, len(value)), np.bool_)
    found, level, cost, arrived = 0, 0, 0, True
    while level >= 0:
        if found > most or patience < 0:
            return rows[:0], costs[:0]
        if arrived:
            arrived = False
            consistent, count[level] = _options(y, ends, n, (tried, order), options[level])
            at[level] = 0
            patience -= 1
            free[level] = consistent
            if consistent:
                alone[level] = _may_flip_alone(y, ends, n)
                rows[found], costs[found] = y, cost
                found += 1
        if level < depth and at[level] < count[level]:
            e = options[level, at[level]]
            if cost + price[e] > bound:
                at[level] += 1
            elif free[level] and price[e] > 0 and cost + price[e] == bound:  # cheaper ones were tried before
                at[level] += 1
                if alone[level, e]:
                    rows[found], costs[found] = y, bound
                    rows[found, e] = -y[e]
                    found += 1
            else:
                y[e], tried[e], arrived = -y[e], True, True
                cost += price[e]
                level += 1
            continue
        for i in range(count[level]):
            tried[options[level, i]] = False
        level -= 1
        if level >= 0:
            e = options[level, at[level]]
            y[e] = -y[e]
            cost -= price[e]
            at[level] += 1
    return (rows[:found], costs[:found]) if found <= most else (rows[:0], costs[:0])


@compiled
def _may_flip_alone(y: Array, ends: Array, n: int) -> Array:
    """Which single flips leave consistent values consistent.

    A pair apart must be the only one between its two groups; a pair together must be a bridge of its group.
    """
    label = groups(y.reshape(1, -1), ends, n)[0]
    between = np.zeros((n, n), np.int64)
    for e in range(len(y)):
        if y[e] < 0:
            a, b = label[ends[e, 0]], label[ends[e, 1]]
            between[min(a, b), max(a, b)] += 1
    together = np.flatnonzero(y > 0)
    block = biconnected(ends[together], n)
    size = np.bincount(block)
    alone = np.zeros(len(y), np.bool_)
    alone[together] = size[block] == 1
    for e in range(len(y)):
        if y[e] < 0:
            a, b = label[ends[e, 0]], label[ends[e, 1]]
            alone[e] = between[min(a, b), max(a, b)] == 1
    return alone


@compiled
def _options(y: Array, ends: Array, n: int, state: tuple[Array, Array], out: Array) -> tuple[bool, int]:
    """Say whether there is no contradiction, and list the pairs not yet tried that may flip next."""
    tried, order = state
    label = np.arange(n)
    for e in range(len(y)):
        if y[e] > 0:
            a, b = root(label, ends[e, 0]), root(label, ends[e, 1])
            label[max(a, b)] = min(a, b)
    for e in range(len(y)):
        if y[e] < 0 and root(label, ends[e, 0]) == root(label, ends[e, 1]):
            return False, _cycle(y, ends, n, e, tried, out)
    size = 0
    for e in order:
        if not tried[e]:
            out[size] = e
            size += 1
    return True, size


@compiled
def _cycle(y: Array, ends: Array, n: int, apart: int, tried: Array, out: Array) -> int:
    """List the untried pairs on a shortest cycle of a pair apart and pairs together."""
    came_by, step = np.full(n, -1), np.full(n, -1)
    step[ends[apart, 0]] = 0
    now = 0
    while step[ends[apart, 1]] < 0:
        for e in range(len(y)):
            if y[e] > 0:
                for side in range(2):
                    a, b = ends[e, side], ends[e, 1 - side]
                    if step[a] == now and step[b] < 0:
                        step[b], came_by[b] = now + 1, e
        now += 1
    size, x, e = 0, ends[apart, 1], apart
    while True:
        if not tried[e]:
            out[size] = e
            size += 1
        if x == ends[apart, 0]:
            return size
        e = came_by[x]
        x = ends[e, 0] + ends[e, 1] - x
