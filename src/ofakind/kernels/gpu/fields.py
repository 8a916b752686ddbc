"""Conditional mean fields on the GPU: those of JEIG, given the pseudo-answers to subsets of pairs.

Objects are split at random into a few parts; a launch updates one part from the newest values of the others,
so a sweep over all parts is a block Gauss-Seidel sweep. There are two buffers: a part is read in one and
written to the other, hence no program reads what another writes, and every run gives the same bits. In
buffer (sweep + 1) % 2 stand the parts that this sweep has done, in the other one the rest.
"""

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from ofakind.kernels.gpu.pairs import Base, launch, padded, rows_at_once
from ofakind.kernels.gpu.subsets import Subsets

CHECK = 8  # sweeps between two looks, which wait for the GPU, whether anything still moves (by judgement)

VARYING = ["first", "rows", "part", "parts", "flip", "groups", "answers", "slots"]
"""Numbers for whose values Triton shall not compile a kernel of its own."""


class Sweeps(NamedTuple):
    """How far fields are iterated: the largest change left or the number of sweeps, in how many parts."""

    tol: float
    most: int
    parts: int


@triton.jit
def part_of(v: tl.tensor, parts: tl.tensor) -> tl.tensor:
    """Part of an object: as good as random, whatever the objects' order means."""
    return ((v.to(tl.uint32) * 2654435761) >> 16).to(tl.int32) % parts


@triton.jit
def rows_at(
    blocks: tl.tensor,
    v: tl.tensor,
    part: tl.tensor,
    parts: tl.tensor,
    flip: tl.tensor,
    size: tl.tensor,
    wide: tl.tensor,
) -> tl.tensor:
    """Where the newest values of objects stand: pointers (rows, 1, 1) to their first entries."""
    buffer = (flip + (part_of(v, parts) < part).to(tl.int32)) % 2
    return (blocks + buffer.to(tl.int64) * size + v.to(tl.int64) * wide)[:, None, None]


@triton.jit
def softmax(x: tl.tensor, live: tl.tensor) -> tl.tensor:
    """Probabilities (rows, clusters, lanes) in proportion to e^x over the clusters that there are."""
    x = tl.where(live, x, -1e30)
    weight = tl.where(live, tl.exp(x - tl.max(x, axis=1)[:, None, :]), 0.0)
    return weight / tl.sum(weight, axis=1)[:, None, :]


@triton.jit(do_not_specialize=VARYING)
def field_kernel(
    blocks: tl.tensor,
    order: tl.tensor,
    indptr: tl.tensor,
    indices: tl.tensor,
    weights: tl.tensor,
    start: tl.tensor,
    index: tl.tensor,
    bits: tl.tensor,
    moved: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    first: tl.tensor,
    rows: tl.tensor,
    part: tl.tensor,
    parts: tl.tensor,
    flip: tl.tensor,
    groups: tl.tensor,
    answers: tl.tensor,
    slots: tl.tensor,
    beta: tl.tensor,
    WATCH: tl.constexpr,
    ROWS: tl.constexpr,
    K: tl.constexpr,
    LANES: tl.constexpr,
) -> None:
    """q_u = softmax(beta sum_v S_uv q_v) in all lanes (eq:EM1, eq:EM2) for objects of one part."""
    e = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    block = tl.program_id(1).to(tl.int64)
    subset, group = block // groups, block % groups
    u = tl.load(order + subset * n + first + e, mask=e < rows, other=n)
    known = u < n
    wide = k * LANES
    size = (tl.full((), 1, tl.int64) + n) * wide
    mine = blocks + block * size
    size = size * tl.num_programs(1)
    c, lane = tl.arange(0, K)[None, :, None], tl.arange(0, LANES)[None, None, :]
    tile, live = c * LANES + lane, (c < k) & (lane >= 0)
    x = tl.zeros((ROWS, K, LANES), tl.float32)

    begin = tl.load(indptr + u, mask=known, other=0)
    end = tl.load(indptr + u + 1, mask=known, other=0)
    for step in range(0, tl.max(end - begin), 4):
        for j in tl.static_range(4):
            at = begin + step + j
            v = tl.load(indices + at, mask=at < end, other=n)
            s = tl.load(weights + subset * answers + at, mask=at < end, other=0.0)[:, None, None]
            x += s * tl.load(rows_at(mine, v, part, parts, flip, size, wide) + tile, mask=live, other=0.0)

    begin = tl.load(start + subset * n + u, mask=known, other=0)
    end = tl.load(start + subset * n + u + 1, mask=known, other=0)
    for step in range(0, tl.max(end - begin), 4):
        for j in tl.static_range(4):
            at = begin + step + j
            v = tl.load(index + at, mask=at < end, other=n)
            word = tl.load(bits + group * slots + at, mask=at < end, other=0)[:, None, None]
            q = tl.load(rows_at(mine, v, part, parts, flip, size, wide) + tile, mask=live, other=0.0)
            x += tl.where(((word >> lane) & 1) == 1, q.to(tl.float32), -q.to(tl.float32))

    fresh = softmax(beta * x, live)
    out = (mine + u.to(tl.int64) * wide)[:, None, None] + tile
    if WATCH:
        old = tl.load(out + flip * size, mask=live & known[:, None, None], other=0.0).to(tl.float32)
        change = tl.max(tl.max(tl.where(live, tl.abs(fresh - old), 0.0), axis=2), axis=1)
        tl.store(moved + block * n + u, change, mask=known)
    tl.store(out + (1 - flip) * size, fresh, mask=live & known[:, None, None])


def parts_of(n: int, parts: int, device: Any) -> Any:
    """Part of each object, as `part_of` says."""
    return ((torch.arange(n, device=device) * 2654435761) % 2**32 // 2**16) % parts


def row_order(degrees: Any, parts: int) -> tuple[Any, list[int]]:
    """Rows (subsets, n) part by part, those with most neighbours first, and the sizes of the parts.

    A launch takes as long as its longest row, which must not be the last to begin. Sizes are counted on the
    CPU, so that the GPU need not be waited for.
    """
    n = degrees.shape[1]
    key = parts_of(n, parts, degrees.device) * 2**40 - degrees
    sizes = torch.bincount(parts_of(n, parts, "cpu"), minlength=parts).tolist()
    return torch.argsort(key, dim=1, stable=True).to(torch.int32), sizes


def spread(q: Any, blocks: int, lanes: int, dtype: Any) -> Any:
    """Return two buffers (2, blocks, n + 1, k, lanes), the first with q in all lanes; row n is 0 in both."""
    n, k = q.shape
    both = torch.empty((2, blocks, n + 1, k, lanes), dtype=dtype, device=q.device)
    both[0, :, :n] = q.to(dtype)[None, :, :, None]
    both[:, :, n] = 0
    return both


def conditional_fields(base: Base, subsets: Subsets, sweeps: Sweeps, *, lanes: int, dtype: Any) -> Any:
    """Bring the fields given these subsets to rest: (blocks, n + 1, k, lanes)."""
    (n, k), device = base.q.shape, base.q.device
    groups, slots = subsets.bits.shape
    count = len(subsets.weights)
    both = spread(base.q, count * groups, lanes, dtype)
    degrees = (subsets.start[1:] - subsets.start[:-1]).view(count, n) + (base.indptr[1:] - base.indptr[:-1])
    order, sizes = row_order(degrees, sweeps.parts)
    moved = torch.zeros((count * groups, n), dtype=torch.float32, device=device)
    at_once = rows_at_once(device)
    for sweep in range(sweeps.most):
        watch = (sweep + 1) % CHECK == 0
        first = 0
        for part, rows in enumerate(sizes):
            if not rows:
                continue
            field_kernel[(triton.cdiv(rows, at_once), count * groups)](
                both, order, base.indptr, base.indices, subsets.weights, subsets.start, subsets.index,
                subsets.bits, moved, n, k, first, rows, part, sweeps.parts, sweep % 2, groups,
                subsets.weights.shape[1], slots, base.beta,
                WATCH=watch, ROWS=at_once, K=padded(k), LANES=lanes, **launch(k, lanes),
            )  # fmt: skip
            first += rows
        if watch and float(moved.max().item()) < sweeps.tol:
            break
    return both[(sweep + 1) % 2]
