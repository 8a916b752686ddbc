"""Entropies of conditional mean fields: what EIG-O (Alg. 4) and JEIG (Alg. 5) add up."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.field.conditional import (
    DIRTY,
    GROUP,
    UNTOUCHED,
    FieldSettings,
    Overrides,
    settle,
    spread,
)
from ofakind.kernels.field.mean_field import expected_costs, row_entropies
from ofakind.kernels.field.pair_entropy import binary_entropy
from ofakind.kernels.field.perturb import answer, follow
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.portable.simd import LANES, fma, load, log, maximum, splat, store

Array = NDArray[Any]
CANDIDATES = LANES // 2  # pairs in a block: two answers each
LEAST = 1e-37  # a smaller probability counts as this in a logarithm: float32 holds it, and 0 log 0 is 0


@compiled(inline="always")
def pair_entropy_lanes(block: Array, u: int, v: int, width: int, k: int) -> Any:
    """H(E_uv) in each lane."""
    zero, one = splat(block.dtype.type(0)), splat(block.dtype.type(1))
    tiny = splat(block.dtype.type(LEAST))
    p = zero
    for c in range(k):
        p = fma(load(block, u * width + c * LANES), load(block, v * width + c * LANES), p)
    r = maximum(one - p, zero)
    return zero - (p * log(maximum(p, tiny)) + r * log(maximum(r, tiny)))


@compiled(inline="always")
def label_entropy_lanes(block: Array, u: int, width: int, k: int) -> Any:
    """H(y_u) in each lane."""
    zero, tiny = splat(block.dtype.type(0)), splat(block.dtype.type(LEAST))
    h = zero
    for c in range(k):
        q = load(block, u * width + c * LANES)
        h = h - q * log(maximum(q, tiny))
    return h


@compiled
def mean_pair_entropy(blocks: Array, weights: Array, k: int, u: Array, v: Array) -> Array:
    """Sum over all fields of weight x H(E_uv): the second term of eq:jeig. weights are (blocks, 16)."""
    n_blocks, n, width = blocks.shape
    total = np.zeros((len(u), LANES), blocks.dtype)
    flat = total.reshape(total.size)
    for b in range(n_blocks):
        block = blocks[b].reshape(n * width)
        w = load(weights[b], 0)
        for e in range(len(u)):
            h = pair_entropy_lanes(block, u[e], v[e], width, k)
            store(flat, e * LANES, fma(w, h, load(flat, e * LANES)))
    out = np.zeros(len(u))
    for e in range(len(u)):
        for lane in range(LANES):
            out[e] += total[e, lane]
    return out


@compiled
def information_gains(
    graph: Graph, q: Array, settings: FieldSettings, u: Array, v: Array, slots: Array, over_pairs: bool
) -> Array:
    """Entropy lost (eq:eigo) when E_uv is +1 and when it is -1, for each pair: (pairs, 2).

    Eight pairs share a block: lanes 2j and 2j + 1 are the two answers to the j-th. ``slots`` (pairs, 2) are
    the positions of (u, v) and (v, u) in S, or -1. Only objects that an answer touches are computed.
    """
    n, k = q.shape
    S = graph.S.copy()
    shared, overrides = Graph(graph.indptr, graph.indices, S), no_overrides(n, S.dtype.type(0))
    width = (k + GROUP - 1) // GROUP * GROUP * LANES
    block, sums = np.empty(n * width, S.dtype), np.empty(n * width, S.dtype)
    base_sums = -expected_costs(graph.indptr, graph.indices, graph.S, q)
    spread(q, np.arange(n), block)
    spread(base_sums, np.arange(n), sums)
    entropies = row_entropies(q)
    state = np.full(n, UNTOUCHED, np.uint8)
    gains = np.zeros((len(u), 2))
    for first in range(0, len(u), CANDIDATES):
        these = slice(first, min(first + CANDIDATES, len(u)))
        set_answers(overrides, S, u[these], v[these], slots[these])
        for j in range(len(u[these])):
            e = first + j
            old = graph.S[slots[e, 0]] if slots[e, 0] >= 0 else S.dtype.type(0)
            answer(j, u[e], v[e], old, overrides, k, block, sums)
        state[u[these]] = DIRTY
        state[v[these]] = DIRTY
        if settings.synchronous:
            settle(shared, overrides, settings, block, state)
        else:
            follow(shared, overrides, settings, block, sums, state)
        touched = np.flatnonzero(state)
        if over_pairs:
            lost = pair_entropy_lost(block, q, touched, state)
        else:
            lost = label_entropy_lost(block, entropies, touched, k)
        gains[these] = lost[: 2 * len(u[these])].reshape(-1, 2)
        unset_answers(overrides, S, graph.S, u[these], v[these], slots[these])
        spread(q, touched, block)
        spread(base_sums, touched, sums)
        state[touched] = UNTOUCHED
    return gains


@compiled
def no_overrides(n: int, zero: Any) -> Overrides:
    """Room for the overrides of eight pairs."""
    entries = np.zeros(2 * CANDIDATES, np.int64)
    lanes = np.full(CANDIDATES * LANES, zero)
    return Overrides(np.zeros(n, np.int64), np.zeros(n, np.int64), entries, entries.copy(), lanes)


@compiled
def set_answers(overrides: Overrides, S: Array, u: Array, v: Array, slots: Array) -> None:
    """Move pairs from S to the overrides: the j-th is +1 in lane 2j, -1 in lane 2j + 1, else as it was."""
    rows = np.concatenate((u, v))
    others = np.concatenate((v, u))
    for e, p in enumerate(np.argsort(rows)):
        row = rows[p]
        if overrides.stop[row] == 0:
            overrides.start[row] = e
        overrides.stop[row] = e + 1
        overrides.indices[e] = others[p]
        overrides.pair[e] = p % len(u)
    for j in range(len(u)):
        known = slots[j, 0] >= 0
        overrides.lanes[j * LANES : (j + 1) * LANES] = S[slots[j, 0]] if known else S.dtype.type(0)
        overrides.lanes[j * LANES + 2 * j] = 1
        overrides.lanes[j * LANES + 2 * j + 1] = -1
        if known:
            S[slots[j, 0]] = 0
            S[slots[j, 1]] = 0


@compiled
def unset_answers(overrides: Overrides, S: Array, original: Array, u: Array, v: Array, slots: Array) -> None:
    """Undo `set_answers`."""
    for j in range(len(u)):
        overrides.start[u[j]] = overrides.stop[u[j]] = 0
        overrides.start[v[j]] = overrides.stop[v[j]] = 0
        if slots[j, 0] >= 0:
            S[slots[j, 0]] = original[slots[j, 0]]
            S[slots[j, 1]] = original[slots[j, 1]]


@compiled
def label_entropy_lost(block: Array, entropies: Array, touched: Array, k: int) -> Array:
    """Sum over objects of H(y_w) before minus after, in each lane."""
    width = len(block) // len(entropies)
    lost = splat(block.dtype.type(0))
    for w in touched:
        lost = lost + (splat(block.dtype.type(entropies[w])) - label_entropy_lanes(block, w, width, k))
    out = np.empty(LANES, block.dtype)
    store(out, 0, lost)
    return out


@compiled
def pair_entropy_lost(block: Array, q: Array, touched: Array, state: Array) -> Array:
    """Sum over all pairs of H(E_wl) before minus after, in each lane. O(n k) for each touched object."""
    n, k = q.shape
    width = len(block) // n
    lost = splat(block.dtype.type(0))
    for w in touched:
        for o in range(n):
            if o != w and (state[o] == UNTOUCHED or o < w):  # a pair of two touched objects counts once
                same = 0.0
                for c in range(k):
                    same += q[w, c] * q[o, c]
                before = binary_entropy(same)
                lost = lost + (splat(block.dtype.type(before)) - pair_entropy_lanes(block, w, o, width, k))
    out = np.empty(LANES, block.dtype)
    store(out, 0, lost)
    return out
