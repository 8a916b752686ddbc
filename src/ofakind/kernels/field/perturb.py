"""Following a change of few similarities through sixteen mean fields, only as far as it reaches.

Where `conditional.relax` gathers an object's sum over all its neighbours whenever one of them moved, here an
object that moved pushes its change to its neighbours' sums, and one that hardly moved pushes nothing. When
an answer touches little this saves most of the work.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.field.conditional import (
    DIRTY,
    SETTLED,
    UNTOUCHED,
    FieldSettings,
    Overrides,
    softmax_lanes,
)
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.portable.simd import LANES, absolute, fma, largest, load, maximum, splat, store

Array = NDArray[Any]


@compiled
def follow(
    graph: Graph, overrides: Overrides, settings: FieldSettings, q: Array, x: Array, state: Array
) -> None:
    """Asynchronous updates from the dirty objects on, until none moves by more than tol; q and x in place.

    x holds the sums S q of the block, overrides included; q the probabilities that were pushed into them. A
    change below tol stays behind, and counts again with the next. At the end the q of all touched objects is
    that of their sums.
    """
    n = len(state)
    width = len(q) // max(n, 1)
    fresh = np.empty(width, q.dtype)
    for _ in range(settings.max_sweeps):
        moved = False
        for u in range(n):
            if state[u] == DIRTY:
                state[u] = SETTLED
                softmax_lanes(x, u * width, settings, fresh, 0)
                if take_step(q, u * width, settings.k, fresh, settings.tol):
                    moved = True
                    push(u, graph, overrides, settings.k, fresh, x, state)
        if not moved:
            break
    for u in range(n):
        if state[u] != UNTOUCHED:
            softmax_lanes(x, u * width, settings, q, u * width)


@compiled(inline="always")
def take_step(q: Array, at: int, k: int, fresh: Array, tol: float) -> bool:
    """If fresh differs from q by more than tol: move q there and leave the step in fresh."""
    change = splat(q.dtype.type(0))
    for c in range(k):
        change = maximum(change, absolute(load(fresh, c * LANES) - load(q, at + c * LANES)))
    if largest(change) <= tol:
        return False
    for c in range(k):
        target = load(fresh, c * LANES)
        store(fresh, c * LANES, target - load(q, at + c * LANES))
        store(q, at + c * LANES, target)
    return True


@compiled(inline="always")
def push(u: int, graph: Graph, overrides: Overrides, k: int, step: Array, x: Array, state: Array) -> None:
    """Add S times the step of u to the sums of its neighbours, which are dirty then."""
    width = len(x) // len(state)
    for p in range(graph.indptr[u], graph.indptr[u + 1]):
        s, at = splat(graph.S[p]), graph.indices[p] * width
        for c in range(k):
            store(x, at + c * LANES, fma(s, load(step, c * LANES), load(x, at + c * LANES)))
        state[graph.indices[p]] = DIRTY
    for p in range(overrides.start[u], overrides.stop[u]):
        s, at = load(overrides.lanes, overrides.pair[p] * LANES), overrides.indices[p] * width
        for c in range(k):
            store(x, at + c * LANES, fma(s, load(step, c * LANES), load(x, at + c * LANES)))
        state[overrides.indices[p]] = DIRTY


@compiled
def answer(j: int, u: int, v: int, old: float, overrides: Overrides, k: int, q: Array, x: Array) -> None:
    """Bring the sums of the j-th overridden pair up to date: its similarity was old in every lane."""
    width = len(x) // len(overrides.start)
    s = load(overrides.lanes, j * LANES) - splat(x.dtype.type(old))
    for c in range(k):
        a, b = u * width + c * LANES, v * width + c * LANES
        store(x, a, fma(s, load(q, b), load(x, a)))
        store(x, b, fma(s, load(q, a), load(x, b)))
