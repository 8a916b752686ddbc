"""JEIG on the GPU from the mean field to conditional fields, a few subsets at a time, within its memory."""

from math import exp
from typing import Any, NamedTuple

import torch

from ofakind.errors import TooLargeError
from ofakind.kernels.gpu.batch import level, sample_pairs
from ofakind.kernels.gpu.device import free_memory, out_of_memory
from ofakind.kernels.gpu.fields import Sweeps, conditional_fields
from ofakind.kernels.gpu.pairs import Base, Fields, gains
from ofakind.kernels.gpu.subsets import Draws, draw_subsets

# Tuned numbers: docs/results/gpu.md has what "few" and "half" change, the others are chosen by judgement.
SUBSET_BYTES = 200_000_000  # bytes of the fields of subsets that are worked on together; more gain no time
FEW_OBJECTS = 2000  # up to so many, sweeps are in four parts and go as far as on the CPU; above, in two parts
LATEST = 69.0  # logarithm of a time by which every clock has rung, and which float32 can write
HALF = 1e-3  # fields followed to no less than this are in half precision, whose steps are 5e-4 and less
SLACK = 1.1  # times the memory that the pairs of a subset take on average: their number varies


class Simulation(NamedTuple):
    """The options of JEIG."""

    size: int
    subsets: int
    samples: int
    by_entropy: bool
    clusterings: bool
    tol: float
    max_sweeps: int
    synchronous: bool

    @property
    def lanes(self) -> int:
        """Conditional fields that are computed side by side."""
        return min(64, max(16, 1 << (self.samples - 1).bit_length()))

    @property
    def groups(self) -> int:
        """Blocks of lanes for each subset."""
        return -(-self.samples // self.lanes)

    @property
    def dtype(self) -> Any:
        """Number format of the fields."""
        return torch.float16 if self.tol >= HALF else torch.float32

    def block_bytes(self, n: int, k: int) -> int:
        """Memory of the fields of a subset."""
        return self.groups * self.lanes * (n + 1) * k * int(self.dtype.itemsize)

    def sweeps(self, n: int) -> Sweeps:
        """Say how the fields of n objects are iterated.

        Six sweeps in four parts bring them as far as five object by object, which are the CPU's: fewer or
        more would shift all gains.
        """
        if self.synchronous:
            return Sweeps(self.tol, self.max_sweeps, 1)
        if n > FEW_OBJECTS:
            return Sweeps(self.tol, self.max_sweeps, 2)
        return Sweeps(self.tol, -(-6 * self.max_sweeps // 5), 4)


def simulate(base: Base, simulation: Simulation, seed: int) -> Fields:
    """Draw subsets and pseudo-answers and bring the mean fields given them to rest."""
    s, at_once = simulation, check_memory(base, simulation)
    found = []
    with out_of_memory(_what(s, *base.q.shape), f"max_subset={max(1, s.size // 2)} would take half the room"):
        t = ringing_time(base, s, seed)
        for first in range(0, s.subsets, at_once):
            count = min(at_once, s.subsets - first)
            draws = Draws(seed, first, count, t, s.samples, s.lanes, s.by_entropy, s.clusterings)
            fields = _fields_given(base, draws, s)
            found.append(fields if at_once == s.subsets else fields.clone())  # clone: half of it is not kept
        return Fields(torch.cat(found) if len(found) > 1 else found[0], s.samples, s.groups)


def _fields_given(base: Base, draws: Draws, s: Simulation) -> Any:
    subsets = draw_subsets(base, draws)
    return conditional_fields(base, subsets, s.sweeps(len(base.q)), lanes=s.lanes, dtype=s.dtype)


def ringing_time(base: Base, simulation: Simulation, seed: int) -> float:
    """Return the time by which as many clocks have rung as a subset shall have pairs."""
    n = len(base.q)
    entropies = gains(base, None, *sample_pairs(n, seed, base.q.device))
    rates = entropies if simulation.by_entropy else torch.ones_like(entropies)
    return exp(min(level(rates, 1.0, simulation.size / (n * (n - 1) // 2)), LATEST))


def check_memory(base: Base, simulation: Simulation) -> int:
    """Return how many subsets to work on at once; refuse what will not fit, with what would."""
    (n, k), s = base.q.shape, simulation
    free, block = free_memory(base.q.device), s.block_bytes(n, k)
    at_once = min(s.subsets, max(1, SUBSET_BYTES // block))
    answers = at_once * 4 * len(base.values)
    fields = (s.subsets + 3 * at_once) * block + answers
    pair = at_once * 2 * (4 + 8 * s.groups)  # both directions: a partner and the bits of its answers
    if fields > free:
        samples = max(1, int(s.samples * free / fields))
        raise _too_large(s, n, k, fields, free, f"samples={samples}, or fewer subsets,")
    if fields + SLACK * pair * s.size > free:
        smaller = max(1, int((free - fields) / (SLACK * pair)))
        raise _too_large(s, n, k, fields + pair * s.size, free, f"max_subset={smaller}")
    return at_once


def _too_large(s: Simulation, n: int, k: int, needed: float, free: int, remedy: str) -> TooLargeError:
    room = f"{needed / 1e9:.3g} GB on the GPU, and {free / 1e9:.3g} GB are free"
    return TooLargeError(f"{_what(s, n, k)} needs {room}; {remedy} would fit")


def _what(s: Simulation, n: int, k: int) -> str:
    return (
        f"JEIG of n = {n} objects, k = {k} clusters and {s.subsets} subsets of {s.size} pairs with "
        f"{s.samples} samples"
    )
