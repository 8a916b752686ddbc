"""Sixteen conditional mean fields at a time (the operation under EIG-O and JEIG).

A *block* holds sixteen fields that differ only in the similarity of some pairs, the *overrides*. Its
probabilities are one flat array laid out as (n, k padded, 16): the sixteen fields of an entry lie side by
side, one per lane, and k is padded to a multiple of four because four clusters are summed in one pass over
an object's neighbours. Padded clusters have probability 0. The `Graph` holds the similarities that all
sixteen share; an overridden pair has S = 0 there.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.portable.simd import LANES, absolute, exp, fma, largest, load, maximum, splat, store

Array = NDArray[Any]
GROUP = 4  # clusters that are summed in one pass
UNTOUCHED, SETTLED, DIRTY = 0, 1, 2


class Overrides(NamedTuple):
    """The similarities in which the fields differ.

    Those of object u are the entries start[u] to stop[u]; entry p is with object indices[p], and its sixteen
    values are lanes[16 pair[p] : 16 pair[p] + 16].
    """

    start: Array
    stop: Array
    indices: Array
    pair: Array
    lanes: Array


class FieldSettings(NamedTuple):
    """What a mean field needs to know besides the similarities."""

    k: int
    beta: float
    tol: float
    max_sweeps: int
    synchronous: bool


def block_width(k: int) -> int:
    """Numbers stored per object: sixteen for each of k clusters, k rounded up to whole groups."""
    return -(-k // GROUP) * GROUP * LANES


@compiled
def spread(q: Array, objects: Array, block: Array) -> None:
    """Write the base probabilities (n, k) of these objects into all sixteen lanes."""
    width = len(block) // max(len(q), 1)
    for u in objects:
        block[u * width : (u + 1) * width] = 0
        for c in range(q.shape[1]):
            at = u * width + c * LANES
            block[at : at + LANES] = q[u, c]


@compiled
def relax(graph: Graph, overrides: Overrides, settings: FieldSettings, block: Array, state: Array) -> int:
    """Asynchronous sweeps over the dirty objects until none is left; the number of sweeps.

    An object is dirty when a neighbour moved by more than tol since its last update. On return ``state``
    says which objects were touched and, if max_sweeps stopped it, which are still dirty.
    """
    n = len(state)
    x = np.empty(len(block) // max(n, 1), block.dtype)
    for sweep in range(settings.max_sweeps):
        moved = False
        for u in range(n):
            if state[u] == DIRTY:
                state[u] = SETTLED
                if update(u, graph, overrides, settings, block, block, x) > settings.tol:
                    moved = True
                    mark(graph.indices, graph.indptr[u], graph.indptr[u + 1], state)
                    mark(overrides.indices, overrides.start[u], overrides.stop[u], state)
        if not moved:
            return sweep + 1
    return int(settings.max_sweeps)


@compiled
def iterate(graph: Graph, overrides: Overrides, settings: FieldSettings, block: Array) -> int:
    """Synchronous sweeps (Alg. 3 as printed), all objects at once, until no q moves by tol; their number."""
    n = len(graph.indptr) - 1
    x = np.empty(len(block) // max(n, 1), block.dtype)
    fresh = block.copy()
    for sweep in range(settings.max_sweeps):
        residual = 0.0
        for u in range(n):
            residual = max(residual, update(u, graph, overrides, settings, block, fresh, x))
        block[:] = fresh
        if residual < settings.tol:
            return sweep + 1
    return int(settings.max_sweeps)


@compiled
def settle(graph: Graph, overrides: Overrides, settings: FieldSettings, block: Array, state: Array) -> int:
    """Bring the sixteen fields of a block to rest, starting at the dirty objects; the number of sweeps."""
    if settings.synchronous:
        state[:] = SETTLED
        return iterate(graph, overrides, settings, block)
    return relax(graph, overrides, settings, block, state)


@compiled(inline="always")
def mark(indices: Array, start: int, stop: int, state: Array) -> None:
    """Call these neighbours dirty."""
    for p in range(start, stop):
        state[indices[p]] = DIRTY


@compiled
def update(
    u: int, graph: Graph, overrides: Overrides, settings: FieldSettings, q: Array, out: Array, x: Array
) -> float:
    """out_u = softmax(beta sum_v S_uv q_v) in all lanes (eq:EM1 and eq:EM2); the largest change."""
    width = len(x)
    for group in range(0, width, GROUP * LANES):
        gather(u, graph, overrides, q, group, x)
    softmax_lanes(x, 0, settings, x, 0)
    change = splat(x.dtype.type(0))
    for c in range(settings.k):
        at = u * width + c * LANES
        fresh = load(x, c * LANES)
        change = maximum(change, absolute(fresh - load(q, at)))
        store(out, at, fresh)
    return float(largest(change))


@compiled(inline="always")
def softmax_lanes(x: Array, start: int, settings: FieldSettings, out: Array, at: int) -> None:
    """out[at:] = softmax(beta x[start:]) over the k clusters, in each lane (eq:EM1)."""
    highest = load(x, start)
    for c in range(1, settings.k):
        highest = maximum(highest, load(x, start + c * LANES))
    beta = splat(x.dtype.type(settings.beta))
    total = splat(x.dtype.type(0))
    for c in range(settings.k):
        weight = exp(beta * (load(x, start + c * LANES) - highest))
        store(out, at + c * LANES, weight)
        total = total + weight
    scale = splat(x.dtype.type(1)) / total
    for c in range(settings.k):
        store(out, at + c * LANES, load(out, at + c * LANES) * scale)


@compiled(inline="always")
def gather(u: int, graph: Graph, overrides: Overrides, q: Array, group: int, x: Array) -> None:
    """X = sum_v S_uv q_v for four clusters, kept in registers until the end."""
    width = len(x)
    zero = splat(q.dtype.type(0))
    a, b, c, d = zero, zero, zero, zero
    for p in range(graph.indptr[u], graph.indptr[u + 1]):
        s = splat(graph.S[p])
        at = graph.indices[p] * width + group
        a = fma(s, load(q, at), a)
        b = fma(s, load(q, at + LANES), b)
        c = fma(s, load(q, at + 2 * LANES), c)
        d = fma(s, load(q, at + 3 * LANES), d)
    for p in range(overrides.start[u], overrides.stop[u]):
        s = load(overrides.lanes, overrides.pair[p] * LANES)
        at = overrides.indices[p] * width + group
        a = fma(s, load(q, at), a)
        b = fma(s, load(q, at + LANES), b)
        c = fma(s, load(q, at + 2 * LANES), c)
        d = fma(s, load(q, at + 3 * LANES), d)
    store(x, group, a)
    store(x, group + LANES, b)
    store(x, group + 2 * LANES, c)
    store(x, group + 3 * LANES, d)
