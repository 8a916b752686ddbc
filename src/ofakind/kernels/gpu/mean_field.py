"""The mean field (Alg. 3) on the GPU, in double precision.

Asynchronous sweeps go colour by colour: no two objects of a colour share an answered pair, so updating them
together is updating them one after another. The theorem holds, the free energy never rises, and the result is
that of the CPU when it visits the objects in the same order.
"""

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from ofakind.kernels.gpu.device import open_device, out_of_memory
from ofakind.kernels.gpu.pairs import launch, padded, rows_at_once
from ofakind.kernels.graph.colours import colour_classes
from ofakind.kernels.graph.csr import Graph

Array = NDArray[Any]


@triton.jit(do_not_specialize=["count"])
def update_kernel(
    indptr: tl.tensor,
    indices: tl.tensor,
    S: tl.tensor,
    objects: tl.tensor,
    q: tl.tensor,
    out: tl.tensor,
    moved: tl.tensor,
    k: tl.tensor,
    count: tl.tensor,
    beta: tl.tensor,
    ROWS: tl.constexpr,
    CHUNK: tl.constexpr,
    K: tl.constexpr,
) -> None:
    """out_u = softmax(beta sum_v S_uv q_v) for the given objects (eq:EM1, eq:EM2), and the largest change."""
    e = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    u = tl.load(objects + e, mask=e < count, other=0).to(tl.int64)
    begin = tl.load(indptr + u)
    size = tl.where(e < count, tl.load(indptr + u + 1) - begin, 0)
    c = tl.arange(0, K)[None, :]
    x = tl.zeros((ROWS, K), tl.float64)
    for left in range(0, tl.max(size), CHUNK):
        along = left + tl.arange(0, CHUNK)[None, :]
        live = along < size[:, None]
        v = tl.load(indices + begin[:, None] + along, mask=live, other=0).to(tl.int64)
        s = tl.load(S + begin[:, None] + along, mask=live, other=0.0)
        there = v[:, :, None] * k + c[:, None, :]
        near = tl.load(q + there, mask=live[:, :, None] & (c < k)[:, None, :], other=0.0)
        x += tl.sum(s[:, :, None] * near, axis=1)
    x = tl.where(c < k, beta * x, -1e300)
    weight = tl.where(c < k, tl.exp(x - tl.max(x, axis=1)[:, None]), 0.0)
    fresh = weight / tl.sum(weight, axis=1)[:, None]
    at, real = u[:, None] * k + c, (c < k) & (e < count)[:, None]
    old = tl.load(q + at, mask=real, other=0.0)
    tl.store(out + at, fresh, mask=real)
    change = tl.max(tl.where(real, tl.abs(fresh - old), 0.0), axis=1)
    tl.store(moved + u, change, mask=e < count)


def iterate(
    graph: Graph, q: Array, beta: float, *, order: Array | None, tol: float, max_sweeps: int
) -> tuple[Array, int, float]:
    """Bring q (n, k) to rest; q, the number of sweeps and the largest change in the last.

    With an ``order`` sweeps are asynchronous: the classes of a colouring made in this order come one after
    another. With None all objects are updated at once (Alg. 3 as printed).
    """
    device = open_device()
    n, k = q.shape
    classes = [np.arange(n)] if order is None else colour_classes(graph.indptr, graph.indices, order)
    with out_of_memory(f"a mean field of n = {n} objects and k = {k} clusters", "choose device='cpu'"):
        arrays = [torch.tensor(a, device=device) for a in (graph.indptr, graph.indices, graph.S)]
        groups = [torch.tensor(rows, device=device) for rows in classes if len(rows)]
        newest = torch.tensor(q, device=device)
        spare = newest.clone() if order is None else newest
        moved = torch.zeros(max(n, 1), dtype=torch.float64, device=device)
        sweeps, residual = 0, np.inf
        while residual >= tol and sweeps < max_sweeps:
            for objects in groups:
                _update(arrays, objects, newest, spare, moved, beta)
            newest, spare = spare, newest
            residual = float(moved.max().item())
            sweeps += 1
        return newest.cpu().numpy(), sweeps, residual


def _update(arrays: list[Any], objects: Any, q: Any, out: Any, moved: Any, beta: float) -> None:
    """Update these objects in ``out`` from q."""
    k, rows = q.shape[1], rows_at_once(q.device)
    update_kernel[(triton.cdiv(len(objects), rows),)](
        *arrays, objects, q, out, moved, k, len(objects), beta,
        ROWS=rows, CHUNK=max(1, min(32, 1024 // padded(k))), K=padded(k), **launch(k, 1),
    )  # fmt: skip
