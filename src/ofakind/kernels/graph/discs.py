"""Discs in the plane: those that belong together come near each other, and none lies on another."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.union_find import root
from ofakind.kernels.portable.elementary import cos, sin

Array = NDArray[Any]

FARTHEST = 4.0  # that a step moves anything, in units, as in UMAP


@compiled
def linkage_order(n: int, u: Array, v: Array) -> Array:
    """Put n vertices into a line in which the clusters of single linkage stay together.

    Edges come strongest first. O(edges log n): the lines of two vertices are joined end to end.
    """
    parent, after, last = np.arange(n), np.full(n, -1, np.int64), np.arange(n)
    for e in range(len(u)):
        a, b = root(parent, u[e]), root(parent, v[e])
        if a != b:
            a, b = min(a, b), max(a, b)
            after[last[a]] = b
            last[a] = last[b]
            parent[b] = a
    order, size = np.empty(n, np.int64), 0
    for start in range(n):
        at = start if root(parent, start) == start else -1
        while at >= 0:
            order[size] = at
            size += 1
            at = after[at]
    return order


@compiled
def draw_together(
    places: Array, mass: Array, edges: tuple[Array, Array, Array], unit: float, rate: float, rng: Generator
) -> None:
    """Make one step of stochastic descent, as UMAP does with a = b = 1, in units of length ``unit``.

    ``edges`` are indptr, indices and weights of a symmetric graph: its ends attract each other. Each vertex
    with edges is repelled by five others, chosen by chance, as strongly as its edges hold it. O(edges + n).
    """
    indptr, indices, weights = edges
    n = len(places)
    for i in range(n):
        held = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            dx, dy = (places[i, 0] - places[j, 0]) / unit, (places[i, 1] - places[j, 1]) / unit
            pull = -weights[p] / (1 + dx * dx + dy * dy)
            _move(places, mass, i, j, (pull * dx, pull * dy), rate * unit)
            held += weights[p] / 2
        if held > 0:
            for _ in range(5):
                j = min(int(rng.random() * n), n - 1)
                if j == i:
                    continue
                dx, dy = (places[i, 0] - places[j, 0]) / unit, (places[i, 1] - places[j, 1]) / unit
                square = dx * dx + dy * dy
                push = held / ((0.01 + square) * (1 + square))
                _move(places, mass, i, j, (push * dx, push * dy), rate * unit)


@compiled
def _move(places: Array, mass: Array, i: int, j: int, step: tuple[float, float], rate: float) -> None:
    """Move two against each other by a step that is cut where it is too long; the lighter one moves more."""
    share = 2 * mass[j] / (mass[i] + mass[j])
    for axis in range(2):
        far = rate * min(max(step[axis], -FARTHEST), FARTHEST)
        places[i, axis] += share * far
        places[j, axis] -= (2 - share) * far


@compiled
def push_apart(places: Array, radius: Array) -> float:
    """Move discs that overlap apart, all at once and most of the way; returns the greatest overlap there was.

    Discs lie in the cells of a grid that they touch; a pair is looked at in the first cell that both touch.
    O(n) where they hardly overlap.
    """
    n = len(places)
    low, width, columns, rows = _grid(places, radius)
    box = np.empty((n, 4), np.int64)
    start = np.zeros(columns * rows + 1, np.int64)
    for i in range(n):
        for axis in range(2):
            box[i, axis] = int((places[i, axis] - radius[i] - low[axis]) / width)
            box[i, 2 + axis] = int((places[i, axis] + radius[i] - low[axis]) / width)
        for a in range(box[i, 0], box[i, 2] + 1):
            for b in range(box[i, 1], box[i, 3] + 1):
                start[a * rows + b + 1] += 1
    start = np.cumsum(start)
    members, free = np.empty(start[-1], np.int64), start[:-1].copy()
    for i in range(n):
        for a in range(box[i, 0], box[i, 2] + 1):
            for b in range(box[i, 1], box[i, 3] + 1):
                members[free[a * rows + b]] = i
                free[a * rows + b] += 1
    moved, worst = np.zeros((n, 2)), 0.0
    for cell in range(columns * rows):
        for p in range(start[cell], start[cell + 1]):
            for q in range(p + 1, start[cell + 1]):
                i, j = members[p], members[q]
                first = max(box[i, 0], box[j, 0]) * rows + max(box[i, 1], box[j, 1])
                if first == cell:
                    worst = max(worst, _push(places, radius, moved, i, j))
    places += moved
    return worst


@compiled
def _grid(places: Array, radius: Array) -> tuple[Array, float, int, int]:
    """Return the corner, the width of cells, and how many columns and rows: at most about four per disc."""
    low, high = np.empty(2), np.empty(2)
    for axis in range(2):
        low[axis] = (places[:, axis] - radius).min()
        high[axis] = (places[:, axis] + radius).max()
    area = max((high[0] - low[0]) * (high[1] - low[1]), 1e-12)
    width = max(2 * radius.min(), np.sqrt(area / (4 * len(places))), 1e-6)
    return low, width, int((high[0] - low[0]) / width) + 1, int((high[1] - low[1]) / width) + 1


@compiled
def _push(places: Array, radius: Array, moved: Array, i: int, j: int) -> float:
    """Note how two discs move apart, the smaller one farther; returns how deep they lie in each other."""
    dx, dy = places[i, 0] - places[j, 0], places[i, 1] - places[j, 1]
    distance = np.sqrt(dx * dx + dy * dy)
    deep = radius[i] + radius[j] - distance
    if deep <= 0:
        return 0.0
    if distance < 1e-9:  # anywhere, but not all in one direction
        dx, dy, distance = cos(2.4 * i + j), sin(2.4 * i + j), 1.0
    own, other = radius[i] * radius[i], radius[j] * radius[j]
    share = other / (own + other)
    for axis, part in ((0, dx / distance), (1, dy / distance)):
        moved[i, axis] += 0.8 * deep * share * part
        moved[j, axis] -= 0.8 * deep * (1 - share) * part
    return float(deep)
