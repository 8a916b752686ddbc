"""The power batch of all pairs on the GPU: exactly the one that scoring every pair gives, scoring few.

The key of a pair is noise ln X - ln a with X its Exp(1) clock and a its gain; the smallest keys are the batch
(see `power_keys`). A gain is at most the entropy, so only pairs whose key would lie below a limit if it were
the entropy need their conditional entropies. No array over all pairs is made.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ofakind.kernels.gpu.device import out_of_memory
from ofakind.kernels.gpu.pairs import FLOOR, Base, Fields, gains, racers

Array = NDArray[Any]

# Tuned numbers, chosen by judgement; all but the second change the time and not the batch.
SAMPLE = 65_536  # random pairs that say how many keys lie below a limit
SHARP = 1e-6  # noise that stands for 0: it decides between equal gains only
SURPLUS = 1.5  # pairs below the first limit for each wanted one,
MORE = 200  # and so many besides
ROOM_SURPLUS = 1.5  # places for pairs below a limit for each that is expected,
ROOM_MORE = 4096  # and so many besides
WIDER = 4  # times as many pairs lie below the next limit, if too few of them were open


class Wanted(NamedTuple):
    """How many pairs are wanted, by which noise, and how many are open."""

    size: int
    noise: float
    open_pairs: int


def sample_pairs(n: int, seed: int, device: Any) -> tuple[Any, Any]:
    """Return random pairs, or all of them when they are few."""
    if n * (n - 1) // 2 <= SAMPLE:
        u, v = torch.triu_indices(n, n, 1, device=device)
        return u.int(), v.int()
    generator = torch.Generator(device).manual_seed(seed % 2**63)
    u = torch.randint(n, (SAMPLE,), generator=generator, device=device)
    v = torch.randint(n - 1, (SAMPLE,), generator=generator, device=device)
    return u.int(), (v + (v >= u)).int()


def log_of(values: Any) -> Any:
    """Return the logarithms of gains in double precision; no gain counts less than `FLOOR`."""
    return torch.log(values.double().clamp_min(FLOOR.value))


def share_below(strength: Any, noise: float, limits: Any) -> Any:
    """Return the share of keys noise ln X - strength below each limit, on average over X."""
    reach = limits[:, None] + strength[None, :]
    rates = torch.exp((reach if noise == 1 else reach / noise).clamp(-700, 50))
    return -torch.expm1(-rates).mean(dim=1)


def level(values: Any, noise: float, share: float) -> float:
    """Find the limit below which this share of keys lies: a grid of 64 limits, refined four times."""
    low, high = -60.0 - 60.0 * noise, 60.0 + 10.0 * noise
    if share >= 1:
        return high
    grid = torch.linspace(0, 1, 65, dtype=torch.float64, device=values.device)
    start = torch.full((), low, dtype=torch.float64, device=values.device)
    strength, width = log_of(values), high - low
    for _ in range(4):
        limits = start + width * grid
        enough = share_below(strength, noise, limits) >= share
        start = limits.take((enough.int().argmax() - 1).clamp_min(0))  # limits[...] would wait for the GPU
        width /= 64
    return float(start.item()) + width


def best_pairs(
    base: Base,
    fields: Fields | None,
    wanted: Wanted,
    *,
    seed: int,
    is_open: Callable[[Array, Array], Array],
) -> tuple[Array, Array, Array]:
    """Return the open pairs u < v of the smallest keys, best first, and their gains.

    The limit is set for half as many pairs again as are wanted; should too few of them be open, the same
    race is looked at up to a higher one.
    """
    n, pairs = len(base.q), len(base.q) * (len(base.q) - 1) // 2
    noise, device = max(wanted.noise, SHARP), base.q.device
    sample = sample_pairs(n, seed, device)
    estimate, entropies = gains(base, fields, *sample), gains(base, None, *sample)
    target = (SURPLUS * wanted.size + MORE) * pairs / wanted.open_pairs
    with out_of_memory(f"a batch of {wanted.size} pairs", "ask for a smaller one, or choose device='cpu'"):
        while True:
            limit = level(estimate, noise, target / pairs)
            near = share_below(log_of(entropies), noise, torch.full((1,), limit, device=device)).item()
            capacity = int(ROOM_SURPLUS * near * pairs) + ROOM_MORE
            found, race = racers(base, seed=seed, noise=noise, limit=limit, capacity=capacity)
            u, v, value, key = _below(gains(base, fields, *found.T), found, race, limit)
            free = np.flatnonzero(is_open(u, v))
            if len(free) >= wanted.size or target >= pairs:
                best = free[np.argsort(key[free], kind="stable")][: wanted.size]
                return u[best], v[best], value[best]
            target *= WIDER


def _below(value: Any, found: Any, race: Any, limit: float) -> tuple[Array, Array, Array, Array]:
    """Return the pairs with a key below the limit, their gains and their keys."""
    key = race.double() - log_of(value)
    table = torch.stack([*found.T, value, key])  # in doubles, which hold all of these: one copy from the GPU
    u, v, gain, keys = table[:, key < limit].cpu().numpy()
    return u.astype(np.int64), v.astype(np.int64), gain, keys
