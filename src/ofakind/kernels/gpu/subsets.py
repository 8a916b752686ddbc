"""The subsets D_i of JEIG and their pseudo-answers on the GPU (SelectPairs of Alg. 5), as sparse rows.

A pair with rate H has an Exp(1) clock X / H; the pairs whose clocks ring before t are a subset. This is the
power rule of the paper but for its size, which is the wanted one on average. Two passes over all pairs, one
to count and one to write, need no sort and no atomics, so every run gives the same arrays.
"""

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from ofakind.kernels.gpu.pairs import FLOOR, Base, entropy, launch, rows_at_once, tile_probability
from ofakind.kernels.gpu.randomness import ANSWERS, LABELS, SUBSETS, coin, pair_words, rung_before, uniform

ROWS, COLS, CHUNK = 16, 128, 64


class Draws(NamedTuple):
    """What is drawn: some subsets from ``first`` on, until the time ``t``, with ``samples`` answers each."""

    seed: int
    first: int
    subsets: int
    t: float
    samples: int
    lanes: int
    by_entropy: bool
    clusterings: bool

    @property
    def groups(self) -> int:
        """Blocks of lanes that the samples of a subset fill."""
        return -(-self.samples // self.lanes)


class Subsets(NamedTuple):
    """Rows of all subsets, one after another: row u of the i-th is start[i n + u] to start[i n + u + 1].

    ``bits`` (groups, slots) has a bit for each lane: whether its pseudo-answer is +1. ``weights`` (subsets,
    answers) are the given answers, 0 where a pseudo-answer takes their place.
    """

    start: Any
    index: Any
    bits: Any
    weights: Any


@triton.jit(do_not_specialize=["seed", "first"])
def choose_kernel(
    columns: tl.tensor,
    start: tl.tensor,
    index: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    seed: tl.tensor,
    first: tl.tensor,
    t: tl.tensor,
    BY_ENTROPY: tl.constexpr,
    WRITE: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
) -> None:
    """Count the partners of each object in a subset, or write them from ``start`` on, in order."""
    u = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    subset = tl.program_id(1)
    row = start + subset.to(tl.int64) * n + u
    place = tl.zeros((ROWS,), tl.int64)
    if WRITE:
        place += tl.load(row, mask=u < n, other=0)
    for left in range(0, n, COLS):
        v = left + tl.arange(0, COLS)
        rate = tl.full((ROWS, COLS), 1.0, tl.float32)
        if BY_ENTROPY:
            rate = tl.maximum(entropy(tile_probability(columns, u, v, n, k, ROWS, COLS)), FLOOR)
        r0, r1, _, _ = pair_words(seed, u[:, None], v[None, :], SUBSETS, first + subset)
        known = (u[:, None] != v[None, :]) & (u[:, None] < n) & (v[None, :] < n)
        hit = ((uniform(r0, r1) < rung_before(t * rate)) & known).to(tl.int32)
        if WRITE:
            at = place[:, None] + tl.cumsum(hit, axis=1) - 1
            tl.store(index + at, tl.broadcast_to(v[None, :], (ROWS, COLS)), mask=hit > 0)
        place += tl.sum(hit, axis=1)
    if not WRITE:
        tl.store(row, place, mask=u < n)


@triton.jit(do_not_specialize=["seed", "first", "slots", "groups"])
def answer_kernel(
    columns: tl.tensor,
    labels: tl.tensor,
    start: tl.tensor,
    index: tl.tensor,
    bits: tl.tensor,
    slots: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    seed: tl.tensor,
    first: tl.tensor,
    groups: tl.tensor,
    CLUSTERINGS: tl.constexpr,
    LANES: tl.constexpr,
    ROWS: tl.constexpr,
    CHUNK: tl.constexpr,
) -> None:
    """Draw the pseudo-answers of each slot: from P(E_uv), or from the labels (subsets, n, groups lanes)."""
    u = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    subset, group = tl.program_id(1), tl.program_id(2)
    row = start + subset.to(tl.int64) * n + u
    begin = tl.load(row, mask=u < n, other=0)
    size = tl.load(row + 1, mask=u < n, other=0) - begin
    own = labels + subset.to(tl.int64) * n * groups * LANES + group * LANES
    for left in range(0, tl.max(size), CHUNK):
        along = left + tl.arange(0, CHUNK)
        at = begin[:, None] + along[None, :]
        live = along[None, :] < size[:, None]
        v = tl.load(index + at, mask=live, other=0)
        word = tl.zeros((ROWS, CHUNK), tl.int64)
        if CLUSTERINGS:
            for lane in range(LANES):
                mine = tl.load(own + u.to(tl.int64) * groups * LANES + lane, mask=u < n, other=0)
                other = tl.load(own + v.to(tl.int64) * groups * LANES + lane, mask=live, other=0)
                word |= (mine[:, None] == other).to(tl.int64) << lane
        else:
            p = tl.zeros((ROWS, CHUNK), tl.float32)
            for c in range(k):
                a = tl.load(columns + c * n + u, mask=u < n, other=0.0)
                p += a[:, None] * tl.load(columns + c * n + v, mask=live, other=0.0)
            for four in range(LANES // 4):
                place = ((first + subset) * groups + group) * (LANES // 4) + four
                r0, r1, r2, r3 = pair_words(seed, u[:, None], v, ANSWERS, place)
                word |= coin(r0, p).to(tl.int64) << (4 * four)
                word |= coin(r1, p).to(tl.int64) << (4 * four + 1)
                word |= coin(r2, p).to(tl.int64) << (4 * four + 2)
                word |= coin(r3, p).to(tl.int64) << (4 * four + 3)
        tl.store(bits + group.to(tl.int64) * slots + at, word, mask=live)


@triton.jit(do_not_specialize=["seed", "first"])
def label_kernel(
    columns: tl.tensor,
    labels: tl.tensor,
    n: tl.tensor,
    k: tl.tensor,
    seed: tl.tensor,
    first: tl.tensor,
    lanes: tl.tensor,
    ROWS: tl.constexpr,
    LANES: tl.constexpr,
) -> None:
    """Draw clusterings from Q(y): the label of each object in each lane of a subset."""
    u = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    lane, subset = tl.program_id(1) * LANES + tl.arange(0, LANES), tl.program_id(2)
    r0, r1, _, _ = pair_words(seed, u[:, None], u[:, None], LABELS, (first + subset) * lanes + lane[None, :])
    at = uniform(r0, r1)
    below = tl.zeros((ROWS, LANES), tl.float32)
    label = tl.zeros((ROWS, LANES), tl.int32)
    for c in range(k - 1):
        below += tl.load(columns + c * n + u, mask=u < n, other=0.0)[:, None]
        label += (at >= below).to(tl.int32)
    out = labels + (subset.to(tl.int64) * n + u[:, None]) * lanes + lane[None, :]
    tl.store(out, label, mask=(u < n)[:, None] & (lane < lanes)[None, :])


@triton.jit(do_not_specialize=["answers", "steps"])
def replace_kernel(
    start: tl.tensor,
    index: tl.tensor,
    indptr: tl.tensor,
    indices: tl.tensor,
    weights: tl.tensor,
    n: tl.tensor,
    answers: tl.tensor,
    steps: tl.tensor,
    ROWS: tl.constexpr,
    CHUNK: tl.constexpr,
) -> None:
    """Set the weights of given answers to 0 whose pairs are in the subset; a binary search for each."""
    u = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    subset = tl.program_id(1).to(tl.int64)
    begin = tl.load(indptr + u, mask=u < n, other=0)
    size = tl.load(indptr + u + 1, mask=u < n, other=0) - begin
    row = start + subset * n + u
    low0, high0 = tl.load(row, mask=u < n, other=0), tl.load(row + 1, mask=u < n, other=0)
    for left in range(0, tl.max(size), CHUNK):
        along = left + tl.arange(0, CHUNK)
        at = begin[:, None] + along[None, :]
        live = along[None, :] < size[:, None]
        v = tl.load(indices + at, mask=live, other=0)
        low = low0[:, None] + tl.zeros((ROWS, CHUNK), tl.int64)
        high = high0[:, None] + tl.zeros((ROWS, CHUNK), tl.int64)
        for _ in range(steps):
            middle = (low + high) // 2
            right = (tl.load(index + middle, mask=live & (middle < high), other=n) < v) & (low < high)
            low = tl.where(right, middle + 1, low)
            high = tl.where(right, high, tl.minimum(high, middle))
        found = (tl.load(index + low, mask=live & (low < high0[:, None]), other=n) == v) & live
        tl.store(weights + subset * answers + at, tl.zeros((ROWS, CHUNK), tl.float32), mask=found)


def draw_subsets(base: Base, draws: Draws) -> Subsets:
    """Draw subsets with their pseudo-answers. O(n^2 k) for each, and O(1) memory for a pair of a subset."""
    (k, n), device = base.columns.shape, base.columns.device
    grid = (triton.cdiv(n, ROWS), draws.subsets)
    start = torch.zeros(draws.subsets * n + 1, dtype=torch.int64, device=device)
    common = (n, k, draws.seed, draws.first, draws.t)
    shape: dict[str, Any] = {"BY_ENTROPY": draws.by_entropy, "ROWS": ROWS, "COLS": COLS, **launch(ROWS, COLS)}
    choose_kernel[grid](base.columns, start[1:], start, *common, WRITE=False, **shape)
    start = torch.cumsum(start, 0)
    slots = int(start[-1].item())
    index = torch.empty(slots + 1, dtype=torch.int32, device=device)
    choose_kernel[grid](base.columns, start, index, *common, WRITE=True, **shape)
    bits = draw_answers(base, draws, start, index)
    return Subsets(start, index, bits, replaced_answers(base, draws.subsets, start, index))


def draw_answers(base: Base, draws: Draws, start: Any, index: Any) -> Any:
    """Draw the pseudo-answers of all slots: (groups, slots) words of one bit for each lane."""
    (k, n), device = base.columns.shape, base.columns.device
    rows, lanes = rows_at_once(device), draws.lanes
    labels = torch.empty(1, dtype=torch.int32, device=device)
    if draws.clusterings:
        every = draws.groups * lanes
        labels = torch.empty((draws.subsets, n, every), dtype=torch.int32, device=device)
        label_kernel[(triton.cdiv(n, ROWS), draws.groups, draws.subsets)](
            base.columns, labels, n, k, draws.seed, draws.first, every,
            ROWS=ROWS, LANES=lanes, **launch(ROWS, lanes),
        )  # fmt: skip
    bits = torch.empty((draws.groups, len(index)), dtype=torch.int64, device=device)
    answer_kernel[(triton.cdiv(n, rows), draws.subsets, draws.groups)](
        base.columns, labels, start, index, bits, len(index), n, k, draws.seed, draws.first, draws.groups,
        CLUSTERINGS=draws.clusterings, LANES=lanes, ROWS=rows, CHUNK=CHUNK, **launch(16, CHUNK),
    )  # fmt: skip
    return bits


def replaced_answers(base: Base, count: int, start: Any, index: Any) -> Any:
    """Return the given answers for each subset, 0 where the pair is in it: (subsets, answers)."""
    n, rows = base.columns.shape[1], rows_at_once(base.columns.device)
    answers = len(base.values)
    weights = base.values.repeat(count, 1)
    replace_kernel[(triton.cdiv(n, rows), count)](
        start, index, base.indptr, base.indices, weights, n, answers, n.bit_length(),
        ROWS=rows, CHUNK=CHUNK, **launch(16, CHUNK),
    )  # fmt: skip
    return weights
