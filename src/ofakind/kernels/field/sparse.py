"""The mean field for very many clusters: each object keeps only the clusters that are special to it.

Q_uk = b_u + d_uk, and d is 0 but for few clusters. What all clusters have in common cancels in a softmax, so
an update needs only x_uk = sum_v S_uv d_vk, which is 0 but for the clusters in the rows of u's neighbours.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.field.pair_entropy import binary_entropy
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.portable.elementary import exp, log

Array = NDArray[Any]


class Rows(NamedTuple):
    """Rows of changing length: that of u is ``size[u]`` clusters and their d from ``start[u]`` on.

    It may grow to ``room[u]`` where it is, and else moves to the unused end of ``cluster`` and ``d``, which
    begins at ``end[0]``. ``unrest[u]`` says how far its neighbours have moved since its last update.
    """

    start: Array
    size: Array
    room: Array
    end: Array
    cluster: Array
    d: Array
    b: Array
    unrest: Array


class Update(NamedTuple):
    """How to update: number of clusters, concentration, and how large a change of Q may be neglected."""

    k: int
    beta: float
    slack: float


class Desk(NamedTuple):
    """Work space of k entries each, all 0 or False between two updates; ``found`` lists what is not."""

    x: Array
    weight: Array
    seen: Array
    found: Array


def empty_rows(n: int, length: int) -> Rows:
    """Rows without clusters, and unused space for this many entries."""
    start, size, room, end = (np.zeros(count, np.int64) for count in (n, n, n, 1))
    cluster, d = np.empty(length, np.int32), np.empty(length)
    return Rows(start, size, room, end, cluster, d, np.zeros(n), np.full(n, np.inf))


def label_rows(labels: Array) -> Rows:
    """Rows in which each object is in its cluster for certain."""
    n = len(labels)
    one, end = np.ones(n, np.int64), np.array([n])
    return Rows(np.arange(n), one, one, end, labels.astype(np.int32), np.ones(n), np.zeros(n), np.zeros(n))


def empty_desk(k: int) -> Desk:
    """Work space for k clusters."""
    return Desk(np.zeros(k), np.zeros(k), np.zeros(k, np.bool_), np.empty(k, np.int64))


@compiled
def sweep(graph: Graph, order: Array, rule: Update, old: Rows, new: Rows, desk: Desk) -> tuple[int, float]:
    """Update the objects of ``order`` in ``new`` from their neighbours in ``old``, which may be the same.

    Return how many are done (fewer than all when there is no room for more), and the largest change of Q. An
    update takes time in proportion to the rows of the neighbours. It is passed over where the neighbours
    have hardly moved since the last one: Q_u moves at most beta / 2 times as far as all of them together.
    """
    residual = 0.0
    for i in range(len(order)):
        u = order[i]
        if rule.beta / 2 * new.unrest[u] < rule.slack:
            continue
        touched = _gather(graph, u, old, desk)
        floor, norm, kept = _weigh(rule, touched, desk)
        if not _make_room(new, u, kept):
            _clear(desk, touched)
            return i, residual
        change = _replace(rule.k, u, new, desk, floor / norm, norm, (touched, kept))
        new.unrest[u] = 0.0
        for p in range(graph.indptr[u], graph.indptr[u + 1]):
            new.unrest[graph.indices[p]] += abs(graph.S[p]) * change
        residual = max(residual, change)
    return len(order), residual


@compiled
def _gather(graph: Graph, u: int, old: Rows, desk: Desk) -> int:
    """Put x = sum_v S_uv d_v on the desk; the number of clusters in it."""
    touched = 0
    for p in range(graph.indptr[u], graph.indptr[u + 1]):
        v, s = graph.indices[p], graph.S[p]
        for e in range(old.start[v], old.start[v] + old.size[v]):
            c = old.cluster[e]
            touched = _list(desk, c, touched)
            desk.x[c] += s * old.d[e]
    return touched


@compiled(inline="always")
def _list(desk: Desk, c: int, touched: int) -> int:
    """List a cluster among those found, unless it is; the number of clusters found."""
    if not desk.seen[c]:
        desk.seen[c] = True
        desk.found[touched] = c
        touched += 1
    return touched


@compiled
def _weigh(rule: Update, touched: int, desk: Desk) -> tuple[float, float, int]:
    """Softmax of the desk: the weight of an untouched cluster, the sum of all weights, how many to keep.

    Those to keep come first in ``found``. The others, which altogether have less than ``slack`` above or
    below an untouched cluster, count as untouched from here on; so the row is a softmax and sums to 1.
    """
    k, beta = rule.k, rule.beta
    highest = 0.0 if touched < k else -np.inf
    for i in range(touched):
        highest = max(highest, beta * desk.x[desk.found[i]])
    # When every cluster is touched nothing is in common, and b is 0.
    floor = exp(-highest) if touched < k else 0.0
    norm = (k - touched) * floor
    for i in range(touched):
        c = desk.found[i]
        desk.weight[c] = exp(beta * desk.x[c] - highest)
        norm += desk.weight[c]
    least = rule.slack * norm / max(touched, 1)
    kept, total = 0, 0.0
    for i in range(touched):
        c = desk.found[i]
        if abs(desk.weight[c] - floor) >= least:
            desk.found[i], desk.found[kept] = desk.found[kept], c
            total += desk.weight[c]
            kept += 1
    return floor, total + (k - kept) * floor, kept


@compiled
def _make_room(rows: Rows, u: int, size: int) -> bool:
    """Move the place of row u to the end if it is too small there; False when there is no space left."""
    if size <= rows.room[u]:
        return True
    room = size + size // 2 + 2
    if rows.end[0] + room > len(rows.cluster):
        return False
    for e in range(rows.size[u]):
        rows.cluster[rows.end[0] + e] = rows.cluster[rows.start[u] + e]
        rows.d[rows.end[0] + e] = rows.d[rows.start[u] + e]
    rows.start[u], rows.room[u] = rows.end[0], room
    rows.end[0] += room
    return True


@compiled
def _replace(k: int, u: int, rows: Rows, desk: Desk, b: float, norm: float, counts: tuple[int, int]) -> float:
    """Write the kept clusters as row u and clear the desk; the largest change of Q_u."""
    touched, kept = counts
    for i in range(touched):
        c = desk.found[i]
        desk.x[c] = desk.weight[c] / norm - b if i < kept else 0.0
    for e in range(rows.start[u], rows.start[u] + rows.size[u]):
        c = rows.cluster[e]
        touched = _list(desk, c, touched)
        desk.x[c] -= rows.d[e]
    shift = b - rows.b[u]
    change = abs(shift) if touched < k else 0.0
    for i in range(touched):
        change = max(change, abs(desk.x[desk.found[i]] + shift))
    for i in range(kept):
        c, at = desk.found[i], rows.start[u] + i
        rows.cluster[at], rows.d[at] = c, desk.weight[c] / norm - b
    rows.size[u], rows.b[u] = kept, b
    _clear(desk, touched)
    return change


@compiled
def _clear(desk: Desk, touched: int) -> None:
    for i in range(touched):
        c = desk.found[i]
        desk.x[c], desk.seen[c] = 0.0, False


@compiled
def moved(rows: Rows, target: Rows) -> None:
    """Copy all rows, with their room, one after another into a larger space."""
    end = 0
    for u in range(len(rows.start)):
        for e in range(rows.size[u]):
            target.cluster[end + e] = rows.cluster[rows.start[u] + e]
            target.d[end + e] = rows.d[rows.start[u] + e]
        target.start[u], target.size[u], target.room[u] = end, rows.size[u], rows.room[u]
        target.b[u], target.unrest[u] = rows.b[u], rows.unrest[u]
        end += rows.room[u]
    target.end[0] = end


@compiled
def packed(rows: Rows) -> tuple[Array, Array, Array]:
    """CSR arrays of the rows without spare room, sorted by cluster: indptr, clusters, d."""
    n = len(rows.start)
    indptr = np.zeros(n + 1, np.int64)
    for u in range(n):
        indptr[u + 1] = indptr[u] + rows.size[u]
    clusters, d = np.empty(indptr[n], np.int32), np.empty(indptr[n])
    for u in range(n):
        row = slice(rows.start[u], rows.start[u] + rows.size[u])
        order = np.argsort(rows.cluster[row])
        clusters[indptr[u] : indptr[u + 1]] = rows.cluster[row][order]
        d[indptr[u] : indptr[u + 1]] = rows.d[row][order]
    return indptr, clusters, d


class Field(NamedTuple):
    """A finished field: CSR arrays of d, sorted by cluster in each row, and b."""

    indptr: Array
    clusters: Array
    d: Array
    b: Array


@compiled
def same_probability(field: Field, k: int, u: Array, v: Array) -> Array:
    """P(E_uv = 1) = b_u + b_v - k b_u b_v + d_u . d_v of each pair, clipped to [0, 1]. O(their rows)."""
    out = np.empty(len(u))
    for i in range(len(u)):
        p = field.b[u[i]] + field.b[v[i]] - k * field.b[u[i]] * field.b[v[i]]
        e, e_end = field.indptr[u[i]], field.indptr[u[i] + 1]
        f, f_end = field.indptr[v[i]], field.indptr[v[i] + 1]
        while e < e_end and f < f_end:
            if field.clusters[e] == field.clusters[f]:
                p += field.d[e] * field.d[f]
                e += 1
                f += 1
            elif field.clusters[e] < field.clusters[f]:
                e += 1
            else:
                f += 1
        out[i] = min(max(p, 0.0), 1.0)
    return out


@compiled(error_model="numpy")
def pair_entropy(field: Field, k: int, u: Array, v: Array) -> Array:
    """H(E_uv) of each pair in nats. O(their rows)."""
    out = same_probability(field, k, u, v)
    for i in range(len(u)):
        out[i] = binary_entropy(out[i])
    return out


@compiled
def row_entropies(field: Field, k: int) -> Array:
    """H(y_u | Q) of each object, in nats. O(n + entries)."""
    n = len(field.b)
    h = np.zeros(n)
    for u in range(n):
        b, row = field.b[u], field.d[field.indptr[u] : field.indptr[u + 1]]
        h[u] = (k - len(row)) * _surprise(b)
        for d in row:
            h[u] += _surprise(b + d)
    return h


@compiled
def _surprise(p: float) -> float:
    return -p * log(p) if p > 0.0 else 0.0


@compiled
def own_cluster(graph: Graph, labels: Array) -> Array:
    """How similar each object is to the others of its cluster, in all. O(n + pairs)."""
    total = np.zeros(len(labels))
    for u in range(len(labels)):
        for p in range(graph.indptr[u], graph.indptr[u + 1]):
            if labels[graph.indices[p]] == labels[u]:
                total[u] += graph.S[p]
    return total
