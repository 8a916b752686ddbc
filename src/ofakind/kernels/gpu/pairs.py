"""Pairs on the GPU: their entropies and gains, and the race of all pairs for a place in a batch.

Base probabilities are float32 and are multiplied exactly as such: near-certain pairs live in 1 - P. Fields
are a tensor (blocks, n + 1, k, lanes); lanes hold conditional mean fields, and row n is 0.
"""

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from ofakind.errors import TooLargeError
from ofakind.kernels.gpu.device import free_memory, open_device, out_of_memory
from ofakind.kernels.gpu.randomness import RACE, exponential, pair_words, uniform
from ofakind.kernels.graph.csr import Graph

Array = NDArray[Any]
FLOOR = tl.constexpr(1e-16)  # no gain counts less, as on the CPU (`ChoiceRules.floor`)
TINY = tl.constexpr(1e-37)  # a smaller probability counts as this in a logarithm: float32 holds it
MOST_CLUSTERS = 1024
"""A tile of a program cannot hold more."""

BYTES_A_RACER = 80
"""Memory for a pair that may be in a batch, the copies of a sort included."""


class Base(NamedTuple):
    """The mean field and the answers it came from, on the device."""

    q: Any  # (n, k) float32
    columns: Any  # (k, n) float32, the same transposed
    indptr: Any  # (n + 1,) int64
    indices: Any  # (slots,) int32
    values: Any  # (slots,) float32
    beta: float


class Fields(NamedTuple):
    """Conditional mean fields: (blocks, n + 1, k, lanes), of which each subset fills ``samples``."""

    blocks: Any
    samples: int
    groups: int  # blocks of a subset


def upload(graph: Graph, q: Any, beta: float) -> Base:
    """Bring a mean field and its answers to the device."""
    device = open_device()
    k = q.shape[1]
    if k > MOST_CLUSTERS:
        raise TooLargeError(
            f"there are {k} clusters, and device='cuda' holds at most {MOST_CLUSTERS}; "
            "choose device='cpu', or a solver that gives fewer"
        )

    def on_device(array: Any, dtype: Any) -> Any:
        return torch.tensor(array, dtype=dtype, device=device)

    probabilities = on_device(q, torch.float32)
    return Base(
        probabilities,
        probabilities.T.contiguous(),
        on_device(graph.indptr, torch.int64),
        on_device(graph.indices, torch.int32),
        on_device(graph.S, torch.float32),
        float(beta),
    )


def padded(k: int) -> int:
    """Size of a tile that holds k clusters: a power of two."""
    return max(2, int(triton.next_power_of_2(k)))


def rows_at_once(device: Any) -> int:
    """How many rows a program works on: one on a GPU; many where an interpreter pays for every step."""
    return 1 if device.type == "cuda" else 32


def launch(rows: int, lanes: int) -> dict[str, Any]:
    """Launch options for a tile: warps for about sixteen numbers a thread, and fused multiply-adds.

    The latter are asked for because what Triton does by itself depends on its version.
    """
    return {"num_warps": min(32, max(1, padded(rows) * lanes // 512)), "enable_fp_fusion": True}


@triton.jit
def entropy(p: tl.tensor) -> tl.tensor:
    """Entropy in nats of coins with probability p."""
    p = tl.minimum(tl.maximum(p, 0.0), 1.0)
    r = 1.0 - p
    return -(p * tl.log(tl.maximum(p, TINY)) + r * tl.log(tl.maximum(r, TINY)))


@triton.jit
def tile_probability(
    columns: tl.tensor,
    u: tl.tensor,
    v: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
) -> tl.tensor:
    """P(E_uv = 1) of all pairs of ROWS objects with COLS objects; the same for (u, v) and (v, u)."""
    p = tl.zeros((ROWS, COLS), tl.float32)
    for c in range(k):
        a = tl.load(columns + c * n + u, mask=u < n, other=0.0)
        b = tl.load(columns + c * n + v, mask=v < n, other=0.0)
        p += a[:, None] * b[None, :]
    return p


@triton.jit(do_not_specialize=["seed", "capacity"])
def race_kernel(
    columns: tl.tensor,
    out: tl.tensor,
    race: tl.tensor,
    count: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    seed: tl.tensor,
    noise: tl.tensor,
    limit: tl.tensor,
    capacity: tl.tensor,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
) -> None:
    """Write down the pairs u < v with noise ln X - ln H below the limit, X their Exp(1) clocks."""
    u = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    v = tl.program_id(1) * COLS + tl.arange(0, COLS)
    if tl.program_id(0) * ROWS < (tl.program_id(1) + 1) * COLS:
        h = entropy(tile_probability(columns, u, v, n, k, ROWS, COLS))
        r0, r1, _, _ = pair_words(seed, u[:, None], v[None, :], RACE, 0)
        key = noise * tl.log(exponential(uniform(r0, r1)))
        hit = (key - tl.log(tl.maximum(h, FLOOR)) < limit) & (u[:, None] < v[None, :]) & (v[None, :] < n)
        one = tl.full((ROWS, COLS), 1, tl.int64)
        at = tl.atomic_add(count + tl.zeros((ROWS, COLS), tl.int32), one, mask=hit)
        kept = hit & (at < capacity)
        tl.store(out + 2 * at, tl.broadcast_to(u[:, None], (ROWS, COLS)), mask=kept)
        tl.store(out + 2 * at + 1, tl.broadcast_to(v[None, :], (ROWS, COLS)), mask=kept)
        tl.store(race + at, key, mask=kept)


@triton.jit(do_not_specialize=["pairs", "count", "samples", "groups"])
def gain_kernel(
    q: tl.tensor,
    blocks: tl.tensor,
    u: tl.tensor,
    v: tl.tensor,
    out: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    pairs: tl.tensor,
    count: tl.tensor,
    samples: tl.tensor,
    groups: tl.tensor,
    PAIRS: tl.constexpr,
    K: tl.constexpr,
    LANES: tl.constexpr,
) -> None:
    """H(E_uv) minus its mean over the fields (eq:jeig), for PAIRS pairs in each program."""
    e = tl.program_id(0) * PAIRS + tl.arange(0, PAIRS)
    a = tl.load(u + e, mask=e < pairs, other=0).to(tl.int64)[:, None]
    b = tl.load(v + e, mask=e < pairs, other=0).to(tl.int64)[:, None]
    c, lane = tl.arange(0, K)[None, :], tl.arange(0, LANES)[None, :]
    product = tl.load(q + a * k + c, mask=c < k, other=0.0) * tl.load(q + b * k + c, mask=c < k, other=0.0)
    gain = entropy(tl.sum(product, axis=1))
    total = tl.zeros((PAIRS, LANES), tl.float32)
    tile = c[:, :, None] * LANES + lane[:, None, :]
    live = (c < k)[:, :, None] & (lane >= 0)[:, None, :]
    size = (tl.full((), 1, tl.int64) + n) * k * LANES
    start = blocks
    for block in range(count):
        x = tl.load(start + a[:, :, None] * k * LANES + tile, mask=live, other=0.0).to(tl.float32)
        y = tl.load(start + b[:, :, None] * k * LANES + tile, mask=live, other=0.0).to(tl.float32)
        h = entropy(tl.sum(x * y, axis=1))
        total += tl.where((block % groups) * LANES + lane < samples, h, 0.0)
        start += size
    if count > 0:
        gain -= tl.sum(total, axis=1) * groups / (count * samples)
    tl.store(out + e, gain, mask=e < pairs)


def gains(base: Base, fields: Fields | None, u: Any, v: Any) -> Any:
    """Return what is expected to be learned of each pair; without fields, its entropy."""
    n, k = base.q.shape
    device, pairs = base.q.device, len(u)
    out = torch.empty(pairs, dtype=torch.float32, device=device)
    if not pairs:
        return out
    blocks = torch.empty((0, n + 1, k, 16), device=device) if fields is None else fields.blocks
    samples, groups = (1, 1) if fields is None else (fields.samples, fields.groups)
    lanes, at_once = blocks.shape[3], rows_at_once(device)
    gain_kernel[(triton.cdiv(pairs, at_once),)](
        base.q, blocks, u.contiguous(), v.contiguous(), out, n, k, pairs, len(blocks), samples, groups,
        PAIRS=at_once, K=padded(k), LANES=lanes, **launch(k, lanes),
    )  # fmt: skip
    return out


def gains_of(base: Base, fields: Fields | None, u: Array, v: Array) -> Array:
    """Return the gains of pairs that stand in NumPy arrays, in such an array."""
    remedy = "score fewer at a time, or choose device='cpu'"
    with out_of_memory(f"the gains of {len(u)} pairs", remedy):
        ends = (torch.tensor(side, dtype=torch.int32, device=base.q.device) for side in (u, v))
        found: Array = gains(base, fields, *ends).double().cpu().numpy()
    return found


def racers(base: Base, *, seed: int, noise: float, limit: float, capacity: int) -> tuple[Any, Any]:
    """Return all pairs (count, 2) whose keys, were their gains their entropies, lie below the limit; sorted.

    The second result is noise ln X of each. Programs write in any order, so what they found is sorted.
    """
    k, n = base.columns.shape
    device = base.columns.device
    while True:
        out = torch.empty((capacity, 2), dtype=torch.int32, device=device)
        race = torch.empty(capacity, dtype=torch.float32, device=device)
        count = torch.zeros(1, dtype=torch.int64, device=device)
        grid = (triton.cdiv(n, 32), triton.cdiv(n, 64))
        race_kernel[grid](
            base.columns, out, race, count, n, k, seed, float(noise), float(limit), capacity,
            ROWS=32, COLS=64, **launch(32, 64),
        )  # fmt: skip
        found = int(count.item())
        if found <= capacity:
            break
        capacity = found
        if BYTES_A_RACER * found > free_memory(device):
            raise TooLargeError(
                f"{found} pairs must be looked at for this batch, which the GPU has no room for; "
                "ask for a smaller batch, or choose noise=1 or device='cpu'"
            )
    ranks = out[:found, 0].long() * n + out[:found, 1]
    order = torch.argsort(ranks)
    return out[:found][order], race[:found][order]
