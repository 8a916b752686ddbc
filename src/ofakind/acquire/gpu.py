"""Scores and batches from the GPU: what the kernels need of a state, and what they give back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import Scores
from ofakind.acquire.choose import power_top
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.dense import MeanField

if TYPE_CHECKING:
    from ofakind.kernels.gpu.pairs import Base, Fields

Simulate = Callable[["Base", int], "Fields | None"]


def no_fields(base: "Base", seed: int) -> None:
    """Condition on nothing: gains are entropies."""


def upload(field: MeanField) -> "Base":
    """Bring a mean field and its answers to the GPU; the first to say that there is none."""
    from ofakind.kernels.gpu.device import open_device

    open_device()
    from ofakind.kernels.gpu import pairs as gpu_pairs
    from ofakind.kernels.graph.csr import Graph

    s = field.similarity
    return gpu_pairs.upload(Graph(s.indptr, s.indices, s.values), field.q, field.beta)


def score(field: MeanField, pairs: Pairs, rng: Generator, *, simulate: Simulate = no_fields) -> Floats:
    """Gains of any pairs, given the fields that ``simulate`` makes of a seed."""
    base, seed = upload(field), draw_seed(rng)
    return _gains(base, simulate(base, seed), pairs)


def select(
    field: MeanField, pool: Pool, size: int, noise: float, rng: Generator, *, simulate: Simulate = no_fields
) -> Scores:
    """Power batch of open pairs by their gains, in the order of its draws; all pairs take part."""
    if not pool.size:
        return Scores(Pairs.empty(), np.empty(0))
    base, seed = upload(field), draw_seed(rng)
    fields = simulate(base, seed)
    if pool.allowed is not None:
        pairs = pool.list()
        values = _gains(base, fields, pairs)
        best = power_top(values, size, noise, rng)
        return Scores(pairs.take(best), values[best])
    from ofakind.kernels.gpu.batch import Wanted, best_pairs

    wanted = Wanted(size, noise, pool.size)
    u, v, values = best_pairs(base, fields, wanted, seed=seed, is_open=pool.is_open)
    return Scores(Pairs.trusted(u, v), values)


def answer_gains(field: MeanField, pairs: Pairs, *, tol: float, max_sweeps: int) -> Floats:
    """Expected loss of the entropy of all labels when each pair is answered (eq:eigo)."""
    if not len(pairs):
        return np.empty(0)
    base, similarity = upload(field), field.similarity
    from ofakind.kernels.gpu.gains import expected_gains

    old = similarity.value(pairs.u, pairs.v)
    synchronous = field.schedule == "synchronous"
    gains = expected_gains(
        base, pairs.u, pairs.v, old, tol=tol, max_sweeps=max_sweeps, synchronous=synchronous
    )
    return np.asarray(gains, np.float64)


def draw_seed(rng: Generator) -> int:
    """Draw a seed of the counter-based generator; always of 63 bits, so one compiled kernel serves all."""
    return int(rng.integers(2**62, 2**63))


def _gains(base: "Base", fields: "Fields | None", pairs: Pairs) -> Floats:
    from ofakind.kernels.gpu.pairs import gains_of

    return np.asarray(gains_of(base, fields, pairs.u, pairs.v), np.float64)
