"""Comparing one partition with many sampled ones, and moving objects so that it agrees better with them.

Nothing n x n and no dense table: a sample cuts every cluster of an estimate into *cells*, and only cells that
hold something are kept. A sample's cluster has a row of (cluster of the estimate, mass) entries, at most one
for each of its objects. So all rows of a sample fit in one array as long as the objects, row after row, and a
row is known by the place where it begins.

An object may stand for several that no sample tells apart; ``mass`` is how many. Labels of m objects are
numbers below m; some may be unused.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.search.multilevel import common, number, sorted_by, unused

Array = NDArray[Any]

TIE = 1e-9  # gains below this share of the pairs that a move touches are rounding (chosen by judgement)


class Cells(NamedTuple):
    """The cells of S samples of m objects against an estimate: entries j of a row at ``start + j``."""

    mass: Array  # (m,)
    rows: Array  # (m, S): where the row of an object's cluster begins
    used: Array  # (S, m): entries of the row that begins here
    places: Array  # (S, m): cluster of the estimate of an entry
    masses: Array  # (S, m): and what they share


@compiled
def renumber(partitions: Array, objects: Array) -> Array:
    """Partitions of these objects alone, labels 0..k-1 in order of first appearance."""
    numbered = np.empty((len(partitions), len(objects)), partitions.dtype)
    for r in range(len(partitions)):
        rank, k = np.full(partitions.shape[1], -1), 0
        for j in range(len(objects)):
            label = partitions[r, objects[j]]
            if rank[label] < 0:
                rank[label] = k
                k += 1
            numbered[r, j] = rank[label]
    return numbered


@compiled
def together(samples: Array, mass: Array, estimates: Array) -> Array:
    """Return the number of pairs that an estimate and a sample both hold together, (estimates, samples).

    O(objects) for each.
    """
    m = len(mass)
    pairs = np.zeros((len(estimates), len(samples)), np.int64)
    seen = np.zeros(m, np.int64)
    for s in range(len(samples)):
        first, members = sorted_by(samples[s], m)
        for r in range(len(estimates)):
            total = 0
            for cluster in range(m):
                own = members[first[cluster] : first[cluster + 1]]
                for i in own:
                    label = estimates[r, i]
                    total += mass[i] * seen[label] + mass[i] * (mass[i] - 1) // 2
                    seen[label] += mass[i]
                for i in own:
                    seen[estimates[r, i]] = 0
            pairs[r, s] = total
    return pairs


@compiled
def within(partitions: Array, mass: Array) -> Array:
    """Return the number of pairs that each partition holds together."""
    pairs = np.zeros(len(partitions), np.int64)
    for r in range(len(partitions)):
        sizes = np.zeros(len(mass), np.int64)
        for i in range(len(mass)):
            sizes[partitions[r, i]] += mass[i]
        pairs[r] = (sizes * (sizes - 1) // 2).sum()
    return pairs


@compiled
def wrong_partners(samples: Array, labels: Array) -> Array:
    """Return with how many others each object is wrongly together or apart, summed over samples."""
    m = len(labels)
    sizes, shared, wrong = np.bincount(labels, minlength=m), np.zeros(m, np.int64), np.zeros(m, np.int64)
    for s in range(len(samples)):
        first, members = sorted_by(samples[s], m)
        for cluster in range(m):
            own = members[first[cluster] : first[cluster + 1]]
            for i in own:
                shared[labels[i]] += 1
            for i in own:
                wrong[i] += len(own) + sizes[labels[i]] - 2 * shared[labels[i]]
            for i in own:
                shared[labels[i]] = 0
    return wrong


@compiled
def tabulate(samples: Array, mass: Array, labels: Array) -> Cells:
    """Cells of the samples against these labels. O(samples x objects)."""
    S, m = samples.shape
    rows, used = np.empty((m, S), np.int32), np.zeros((S, m), np.int32)
    places, masses = np.zeros((S, m), np.int32), np.zeros((S, m), np.int32)
    entry = np.full(m, -1)
    for s in range(S):
        first, members = sorted_by(samples[s], m)
        for cluster in range(m):
            start = end = first[cluster]
            for i in members[start : first[cluster + 1]]:
                rows[i, s] = start
                if entry[labels[i]] < 0:
                    entry[labels[i]], places[s, end] = end, labels[i]
                    end += 1
                masses[s, entry[labels[i]]] += mass[i]
            for j in range(start, end):
                entry[places[s, j]] = -1
            if end > start:
                used[s, start] = end - start
    return Cells(mass, rows, used, places, masses)


@compiled
def by_group(names: Array) -> tuple[Array, Array]:
    """Blocks of the objects with equal names (below m), in order of first appearance."""
    numbered, k = number(names)
    return sorted_by(numbered, k)


@compiled
def settle(
    cells: Cells, labels: Array, blocks: tuple[Array, Array], weights: Array, theta: float, limit: int
) -> tuple[float, int]:
    """Move each block, once and in order, to where it gains most; the total gain and the entries read.

    The aim is the sum of P - theta over all pairs inside clusters, P being the weighted share of samples that
    hold the pair together (the weights sum to 1). Block b is ``members[first[b]:first[b + 1]]``, all of one
    cluster: single objects, parts of clusters or whole ones, which merge. A block stays unless it gains, and
    may go alone. Labels and cells change in place. A visit takes O(entries in the rows of its objects), at
    most samples x objects; none is made once ``limit`` entries were read.
    """
    first, members = blocks
    sizes = np.zeros(len(labels), np.int64)
    for i in range(len(labels)):
        sizes[labels[i]] += cells.mass[i]
    free, n_free = unused(sizes)
    totals, touched = np.zeros(len(labels)), np.empty(len(labels), np.int64)
    inside = np.zeros(len(labels), np.int64)
    gained, read = 0.0, 0
    for b in range(len(first) - 1):
        if read >= limit:
            break
        block = members[first[b] : first[b + 1]]
        own, mass = labels[block[0]], cells.mass[block].sum()
        among, n_touched, entries = _attract(cells, block, weights, totals, touched, inside)
        read += entries
        now = totals[own] - among - theta * mass * (sizes[own] - mass)
        best, most = (-1, 0.0) if mass < sizes[own] else (own, now)
        for label in touched[:n_touched]:
            worth = totals[label] - theta * mass * sizes[label]
            if label != own and worth > most:
                best, most = label, worth
            totals[label] = 0.0
        if best == own or most <= now + TIE * mass * len(labels):
            continue
        if best < 0:  # the block is not all of its cluster, so some label is unused
            n_free -= 1
            best = free[n_free]
        gained += most - now
        _shift(cells, labels, block, best)
        sizes[own] -= mass
        sizes[best] += mass
        if sizes[own] == 0:
            free[n_free] = own
            n_free += 1
    return gained, read


@compiled
def visit(
    cells: Cells,
    labels: Array,
    order: Array,
    sample: Array,
    weights: Array,
    theta: float,
    gained: float,
    left: int,
) -> tuple[float, int]:
    """Settle single objects in this order, the parts that a sample cuts clusters into, and whole clusters.

    Returns what was gained so far and how many entries may still be read (`settle`).
    """
    gain, read = settle(cells, labels, (np.arange(len(labels) + 1), order), weights, theta, left)
    gained, left = gained + gain, left - read
    gain, read = settle(cells, labels, by_group(common(labels, sample)), weights, theta, left)
    gained, left = gained + gain, left - read
    gain, read = settle(cells, labels, by_group(labels), weights, theta, left)
    return gained + gain, left - read


@compiled
def _attract(
    cells: Cells, block: Array, weights: Array, totals: Array, touched: Array, inside: Array
) -> tuple[float, int, int]:
    """Add the P of all pairs of an object of a block and one of a cluster to the total of the cluster.

    Returns the P of all ordered pairs within the block, each object with itself included; the number of
    clusters touched; and the number of entries read. A row is read once, however many of the block it holds.
    """
    own, n_touched, read = 0.0, 0, 0
    for s in range(len(weights)):
        for i in block:
            inside[cells.rows[i, s]] += cells.mass[i]
        for i in block:
            start = cells.rows[i, s]
            weight = weights[s] * inside[start]
            if weight == 0.0:  # this row has been read
                continue
            own += weight * inside[start]
            inside[start] = 0
            for j in range(start, start + cells.used[s, start]):
                label = cells.places[s, j]
                if totals[label] == 0.0:
                    touched[n_touched] = label
                    n_touched += 1
                totals[label] += weight * cells.masses[s, j]
            read += cells.used[s, start]
    return own, n_touched, read


@compiled
def _shift(cells: Cells, labels: Array, block: Array, target: int) -> None:
    """Give a block another label, in the labels and in the cells."""
    for i in block:
        for s in range(len(cells.used)):
            start = cells.rows[i, s]
            _add(cells, s, start, labels[i], -cells.mass[i])
            _add(cells, s, start, target, cells.mass[i])
        labels[i] = target


@compiled
def _add(cells: Cells, s: int, start: int, label: int, mass: int) -> None:
    """Change the mass of a cell; one that becomes empty gives its entry to the last of the row."""
    end = start + cells.used[s, start]
    j = start
    while j < end and cells.places[s, j] != label:
        j += 1
    if j == end:  # the row has room, since it has no more entries than objects
        cells.places[s, j], cells.masses[s, j] = label, 0
        cells.used[s, start] += 1
    cells.masses[s, j] += mass
    if cells.masses[s, j] == 0:
        cells.places[s, j], cells.masses[s, j] = cells.places[s, end - 1], cells.masses[s, end - 1]
        cells.used[s, start] -= 1
