"""EIG-O on the GPU (Alg. 4): the mean fields given one answer to each candidate pair, 32 pairs in a block.

A block has 64 lanes; lanes 2j and 2j + 1 are the two answers to its j-th pair. The given answers are the same
in all lanes; what a lane's own pair adds is looked up lane by lane. An object stays as it is in a lane unless
it would move by more than the tolerance, so what an answer does not reach adds exactly nothing.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from ofakind.errors import TooLargeError
from ofakind.kernels.gpu.device import free_memory, out_of_memory
from ofakind.kernels.gpu.fields import CHECK, Sweeps, row_order, rows_at, softmax, spread
from ofakind.kernels.gpu.pairs import TINY, Base, launch, padded, rows_at_once

Array = NDArray[Any]

# Tuned numbers, chosen by judgement: what a GPU of today does fast.
PAIR_LANES = 64  # of a block: two answers to each of 32 pairs
GAIN_PARTS = 4  # in which objects are updated one after another
GAIN_BYTES = 512_000_000  # of the fields that are worked on together
ENTROPY_ROWS = 32  # objects whose entropies a program sums up


@triton.jit(do_not_specialize=["first", "rows", "part", "parts", "flip"])
def answer_field_kernel(
    blocks: tl.tensor,
    order: tl.tensor,
    indptr: tl.tensor,
    indices: tl.tensor,
    values: tl.tensor,
    asked: tl.tensor,
    change: tl.tensor,
    moved: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    first: tl.tensor,
    rows: tl.tensor,
    part: tl.tensor,
    parts: tl.tensor,
    flip: tl.tensor,
    beta: tl.tensor,
    tol: tl.tensor,
    ROWS: tl.constexpr,
    K: tl.constexpr,
    LANES: tl.constexpr,
) -> None:
    """q_u = softmax(beta sum_v S_uv q_v) for objects of one part; ``asked`` (2, blocks, LANES) are pairs."""
    e = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    block, blocks_in_all = tl.program_id(1).to(tl.int64), tl.num_programs(1)
    u = tl.load(order + first + e, mask=e < rows, other=n)
    known = u < n
    wide = k * LANES
    size = (tl.full((), 1, tl.int64) + n) * wide
    mine = blocks + block * size
    size = size * blocks_in_all
    c, lane = tl.arange(0, K)[None, :, None], tl.arange(0, LANES)[None, :]
    tile, live = c * LANES + lane[:, None, :], (c < k) & (lane >= 0)[:, None, :]
    x = tl.zeros((ROWS, K, LANES), tl.float32)

    begin = tl.load(indptr + u, mask=known, other=0)
    end = tl.load(indptr + u + 1, mask=known, other=0)
    for step in range(0, tl.max(end - begin), 4):
        for j in tl.static_range(4):
            at = begin + step + j
            v = tl.load(indices + at, mask=at < end, other=n)
            s = tl.load(values + at, mask=at < end, other=0.0)[:, None, None]
            x += s * tl.load(rows_at(mine, v, part, parts, flip, size, wide) + tile, mask=live, other=0.0)

    here = block * LANES + lane
    one, two = tl.load(asked + here), tl.load(asked + blocks_in_all * LANES + here)
    partner = tl.where(one == u[:, None], two, tl.where(two == u[:, None], one, n))  # (rows, lanes)
    by_lane = tl.reshape(partner, (ROWS * LANES,))
    where = tl.reshape(rows_at(mine, by_lane, part, parts, flip, size, wide), (ROWS, 1, LANES))
    reached = live & (partner < n)[:, None, :]
    x += tl.load(change + here)[:, None, :] * tl.load(where + tile, mask=reached, other=0.0)

    out = (mine + u.to(tl.int64) * wide)[:, None, None] + tile
    live = live & known[:, None, None]
    old = tl.load(out + flip * size, mask=live, other=0.0)
    fresh = softmax(beta * x, c < k)
    step_size = tl.max(tl.where(live, tl.abs(fresh - old), 0.0), axis=1)  # (rows, lanes)
    goes = step_size > tol
    tl.store(out + (1 - flip) * size, tl.where(goes[:, None, :], fresh, old), mask=live)
    tl.store(moved + block * n + u, tl.max(goes.to(tl.int32), axis=1), mask=known)


@triton.jit
def label_entropy_kernel(
    q: tl.tensor,
    blocks: tl.tensor,
    out: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    ROWS: tl.constexpr,
    K: tl.constexpr,
    LANES: tl.constexpr,
) -> None:
    """Sum over ROWS objects of H(y_u) before minus after, in each lane of a block: (blocks, parts, LANES)."""
    chunk, block = tl.program_id(0), tl.program_id(1).to(tl.int64)
    c, lane = tl.arange(0, K)[:, None], tl.arange(0, LANES)[None, :]
    live = (c < k) & (lane >= 0)
    lost = tl.zeros((LANES,), tl.float32)
    for u in range(chunk * ROWS, tl.minimum(chunk * ROWS + ROWS, n)):
        before = tl.load(q + u * k + c + 0 * lane, mask=live, other=0.0)
        after = tl.load(blocks + (block * (n + 1) + u) * k * LANES + c * LANES + lane, mask=live, other=0.0)
        change = after * tl.log(tl.maximum(after, TINY)) - before * tl.log(tl.maximum(before, TINY))
        lost += tl.sum(change, axis=0)
    tl.store(out + (block * tl.num_programs(0) + chunk) * LANES + tl.arange(0, LANES), lost)


def expected_gains(
    base: Base, u: Array, v: Array, old: Array, *, tol: float, max_sweeps: int, synchronous: bool
) -> Array:
    """Expected loss of entropy when each pair is answered (eq:eigo), from and to NumPy arrays."""
    n, k = base.q.shape
    with out_of_memory(f"EIG-O of n = {n} objects and k = {k} clusters", "choose device='cpu'"):
        a, b = (torch.tensor(side, device=base.q.device) for side in (u, v))
        given = torch.tensor(old, dtype=torch.float32, device=base.q.device)
        lost = answer_gains(base, a, b, given, Sweeps(tol, max_sweeps, 1 if synchronous else GAIN_PARTS))
        same = (base.q[a] * base.q[b]).sum(dim=1).clamp(0, 1)
        expected: Array = (same * lost[:, 0] + (1 - same) * lost[:, 1]).double().cpu().numpy()
    return expected


def answer_gains(base: Base, u: Any, v: Any, old: Any, sweeps: Sweeps) -> Any:
    """Entropy that all labels lose when a pair is answered +1 and when -1: (pairs, 2).

    ``old`` are the given answers to the pairs, 0 where there are none.
    """
    n, k = base.q.shape
    block, free = 4 * PAIR_LANES * (n + 1) * k, free_memory(base.q.device)
    if 3 * block > free:
        raise TooLargeError(
            f"EIG-O of n = {n} objects and k = {k} clusters needs {3 * block / 1e9:.3g} GB on the GPU, and "
            f"{free / 1e9:.3g} GB are free; choose device='cpu', or a solver that gives fewer clusters"
        )
    together = max(1, min(GAIN_BYTES, free // 3) // (2 * block))
    per_chunk = together * PAIR_LANES // 2
    parts = [
        _chunk(base, u[at : at + per_chunk], v[at : at + per_chunk], old[at : at + per_chunk], sweeps)
        for at in range(0, len(u), per_chunk)
    ]
    return torch.cat(parts) if parts else torch.zeros((0, 2), device=base.q.device)


def _chunk(base: Base, u: Any, v: Any, old: Any, sweeps: Sweeps) -> Any:
    """Do so for pairs whose fields fit in memory together."""
    (n, k), device, pairs = base.q.shape, base.q.device, len(u)
    blocks = triton.cdiv(pairs, PAIR_LANES // 2)
    asked = torch.full((2, blocks * PAIR_LANES), n, dtype=torch.int32, device=device)
    change = torch.zeros(blocks * PAIR_LANES, dtype=torch.float32, device=device)
    lanes = slice(0, 2 * pairs)
    asked[0, lanes], asked[1, lanes] = u.repeat_interleave(2).int(), v.repeat_interleave(2).int()
    signs = torch.tensor([1.0, -1.0], device=device).repeat(pairs)
    change[lanes] = signs - old.float().repeat_interleave(2)
    both = spread(base.q, blocks, PAIR_LANES, torch.float32)
    order, sizes = row_order((base.indptr[1:] - base.indptr[:-1])[None], sweeps.parts)
    moved = torch.zeros((blocks, n), dtype=torch.int32, device=device)
    at_once = rows_at_once(device)
    for sweep in range(sweeps.most):
        first = 0
        for part, rows in enumerate(sizes):
            if rows:
                answer_field_kernel[(triton.cdiv(rows, at_once), blocks)](
                    both, order, base.indptr, base.indices, base.values, asked, change, moved, n, k,
                    first, rows, part, sweeps.parts, sweep % 2, base.beta, sweeps.tol,
                    ROWS=at_once, K=padded(k), LANES=PAIR_LANES, **launch(k, PAIR_LANES),
                )  # fmt: skip
            first += rows
        if (sweep + 1) % (CHECK // 2) == 0 and not moved.any().item():
            break
    lost = _entropy_lost(base, both[(sweep + 1) % 2])
    return lost.view(-1, 2)[:pairs]


def _entropy_lost(base: Base, fields: Any) -> Any:
    """Sum of the entropies of all labels before minus after, in each lane: (blocks, LANES)."""
    n, k = base.q.shape
    blocks, rows = len(fields), ENTROPY_ROWS
    out = torch.empty((blocks, triton.cdiv(n, rows), PAIR_LANES), dtype=torch.float32, device=base.q.device)
    label_entropy_kernel[(triton.cdiv(n, rows), blocks)](
        base.q, fields, out, n, k, ROWS=rows, K=padded(k), LANES=PAIR_LANES, **launch(k, PAIR_LANES)
    )
    return out.sum(dim=1)
