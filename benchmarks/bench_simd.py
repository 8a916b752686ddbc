"""What the vector type of kernels/portable/simd.py gives, against the same sweeps as plain numba loops.

The trick makes two kernels harder to read, so it must show here that it pays. One row is a sweep of sixteen
conditional mean fields (single precision), the other a sweep of one mean field (double precision).
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.common import Row, cpu_seconds, solved
from ofakind.kernels.field.conditional import DIRTY, FieldSettings, Overrides, block_width, relax, spread
from ofakind.kernels.field.mean_field import asynchronous_sweep, padded
from ofakind.kernels.graph.csr import Graph
from ofakind.posterior.mean_field.dense import MeanField

Array = NDArray[Any]
SWEEPS = 10


def run() -> list[Row]:
    similarity, _, field = solved(500, 5000)
    graph = Graph(similarity.indptr, similarity.indices, similarity.values)
    return [sixteen_fields(field, graph), one_field(field, graph)]


def sixteen_fields(field: MeanField, graph: Graph) -> Row:
    n, k = field.q.shape
    single = Graph(graph.indptr, graph.indices, graph.S.astype(np.float32))
    nothing = np.zeros(n, np.int64)
    overrides = Overrides(nothing, nothing, nothing[:0], nothing[:0], np.empty(0, np.float32))
    settings = FieldSettings(k, field.beta, 0.0, SWEEPS, synchronous=False)
    start = np.random.default_rng(0).dirichlet(np.ones(k), n)  # far from rest, so that every sweep is full
    block = np.empty(n * block_width(k), np.float32)
    q = np.repeat(start.astype(np.float32)[:, :, None], 16, axis=2)

    def ours() -> None:
        spread(start, np.arange(n), block)
        relax(single, overrides, settings, block, np.full(n, DIRTY, np.uint8))

    def plain() -> None:
        q[:] = start[:, :, None]
        for _ in range(SWEEPS):
            plain_lanes_sweep(single, field.beta, q)

    row = compare("sixteen fields, 10 sweeps", ours, plain)
    difference = np.abs(block.reshape(n, -1, 16)[:, :k] - q).max()
    assert difference < 1e-3, f"the two differ by {difference}"
    return row | {"n": n, "answers": field.similarity.n_pairs}


def one_field(field: MeanField, graph: Graph) -> Row:
    n, k = field.q.shape
    start = np.random.default_rng(0).dirichlet(np.ones(k), n)
    wide, narrow, order = padded(start), start.copy(), np.arange(n)

    def ours() -> None:
        wide[:, :k] = start
        for _ in range(SWEEPS):
            asynchronous_sweep(graph, order, k, field.beta, wide)

    def plain() -> None:
        narrow[:] = start
        for _ in range(SWEEPS):
            plain_sweep(graph, field.beta, narrow)

    row = compare("one field, 10 sweeps", ours, plain)
    np.testing.assert_allclose(wide[:, :k], narrow, atol=1e-9)
    return row | {"n": n, "answers": field.similarity.n_pairs}


def compare(what: str, ours: Any, plain: Any) -> Row:
    ours()  # both compile
    plain()
    ours_s, _ = cpu_seconds(ours, repeats=20)
    plain_s, _ = cpu_seconds(plain, repeats=20)
    return {
        "what": f"{what}, twin: plain loops",
        "ours_s": ours_s,
        "twin_s": plain_s,
        "ratio": plain_s / ours_s,
    }


@njit(nogil=True)
def plain_lanes_sweep(graph: Graph, beta: float, q: Array) -> None:
    """An asynchronous sweep of sixteen fields, q (n, k, 16)."""
    n, k, lanes = q.shape
    x = np.empty((k, lanes), q.dtype)
    total = np.empty(lanes, q.dtype)
    for u in range(n):
        x[:] = 0
        for p in range(graph.indptr[u], graph.indptr[u + 1]):
            s, v = graph.S[p], graph.indices[p]
            for c in range(k):
                for lane in range(lanes):
                    x[c, lane] += s * q[v, c, lane]
        for lane in range(lanes):
            highest = x[:, lane].max()
            total[lane] = 0
            for c in range(k):
                x[c, lane] = math.exp(beta * (x[c, lane] - highest))
                total[lane] += x[c, lane]
        for c in range(k):
            for lane in range(lanes):
                q[u, c, lane] = x[c, lane] / total[lane]


@njit(nogil=True)
def plain_sweep(graph: Graph, beta: float, q: Array) -> None:
    """An asynchronous sweep of one field, q (n, k)."""
    n, k = q.shape
    x = np.empty(k)
    for u in range(n):
        x[:] = 0.0
        for p in range(graph.indptr[u], graph.indptr[u + 1]):
            s, v = graph.S[p], graph.indices[p]
            for c in range(k):
                x[c] += s * q[v, c]
        highest, total = x.max(), 0.0
        for c in range(k):
            x[c] = math.exp(beta * (x[c] - highest))
            total += x[c]
        for c in range(k):
            q[u, c] = x[c] / total
