"""Solving with pins: units of objects take the place of objects, and no pin is broken, whoever solves."""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints, read_only
from ofakind.clustering import Clustering, renumbered
from ofakind.errors import InvalidInputError
from ofakind.pins import Pins
from ofakind.similarity import Similarity
from ofakind.solve.base import Solver

Pull = Callable[[int], Floats]
"""How much each unit attracts (above 0) or repels the unit that is given."""


def contracted(similarity: Similarity, pins: Pins) -> Similarity:
    """Return the similarities of units: sums over the pairs of objects between them, which may leave [-1, 1].

    A pair that must differ has a value so low that nothing outweighs it: whatever cluster a unit is in, it
    gains by leaving it if it must differ from another one there. O(pairs log pairs).
    """
    from ofakind.kernels.graph.csr import symmetric_csr

    k, asked = len(pins.first), similarity.pairs()
    a, b = pins.units[asked.u], pins.units[asked.v]
    across = np.flatnonzero(a != b)
    keys = np.minimum(a, b)[across] * k + np.maximum(a, b)[across]
    apart = pins.apart.u * k + pins.apart.v
    every, place = np.unique(np.concatenate([keys, apart]), return_inverse=True)
    u, v, place = every // max(k, 1), every % max(k, 1), place[: len(keys)]
    values = similarity.values_of(asked.u, asked.v)[across]
    sums = np.bincount(place, values, minlength=len(every)).astype(np.float64)  # of nothing: whole numbers
    counts = np.bincount(place, similarity.counts_of(asked.u, asked.v)[across], minlength=len(every))
    drawn = np.bincount(np.concatenate([u, v]), np.tile(np.maximum(sums, 0), 2), minlength=k)
    sums[np.isin(every, apart)] = -1.0 - drawn.max(initial=0.0) - np.abs(sums).max(initial=0.0)
    indptr, indices, pair = symmetric_csr(k, u, v)
    return Similarity(k, *map(read_only, (indptr, indices, sums[pair], counts[pair].astype(np.int32))))


def solve_pinned(
    solver: Solver, similarity: Similarity, pins: Pins, *, start: Clustering | None, rng: Generator
) -> Clustering:
    """Let any solver cluster the units, with similarities that are scaled into [-1, 1]; no pin is broken."""
    sums = contracted(similarity, pins)
    largest = max(1.0, float(np.abs(sums.values).max(initial=0.0)))
    scaled = Similarity(sums.n, sums.indptr, sums.indices, read_only(sums.values / largest), sums.counts)

    def pull(unit: int) -> Floats:
        row, found = slice(sums.indptr[unit], sums.indptr[unit + 1]), np.zeros(sums.n)
        found[sums.indices[row]] = sums.values[row]
        return found

    before = None
    if start is not None:
        before = Clustering.of(scaled, enforced(start.labels, pins, pull)[pins.first])
    found: object = solver(scaled, start=before, rng=rng)
    if not isinstance(found, Clustering):
        got = f"{type(solver).__name__} returned a {type(found).__name__}"
        raise InvalidInputError(f"{got}; expected Clustering.of(similarity, labels)")
    return Clustering.of(similarity, enforced(renumbered(found.labels)[pins.units], pins, pull))


def agreement(samples: NDArray[np.int32], pins: Pins) -> Pull:
    """Return how samples (S, n) that break no pin attract units: by the share in which they are together.

    Each object counts for the share less a half. O(S units) for each unit.
    """
    of_units, sizes = samples[:, pins.first], pins.sizes()

    def pull(unit: int) -> Floats:
        together = (of_units == of_units[:, unit : unit + 1]).mean(axis=0)
        return np.asarray((together - 0.5) * sizes, np.float64)

    return pull


def enforced(labels: Ints, pins: Pins, pull: Pull) -> Ints:
    """Return labels (n,) that break no pin, and are these where none is broken.

    A unit that is split, or the smaller of two that must differ, goes to the cluster that attracts it most
    among those without a unit that it must differ from; alone if none attracts it. O(n + offenders units).
    """
    own, sizes = labels[pins.first].copy(), pins.sizes()
    for unit in np.unique(pins.units[labels != own[pins.units]]).tolist():
        own[unit] = _best_place(own, unit, pins, pull)
    for a, b in pins.apart.take(own[pins.apart.u] == own[pins.apart.v]):
        if own[a] == own[b]:  # still
            unit = a if sizes[a] < sizes[b] else b
            own[unit] = _best_place(own, unit, pins, pull)
    return renumbered(own[pins.units])


def _best_place(own: Ints, unit: int, pins: Pins, pull: Pull) -> int:
    """Return the label of the cluster where a unit fits best; an unused one if it is better off alone."""
    attraction = pull(unit)
    attraction[unit] = 0.0
    totals = np.bincount(own, attraction, minlength=int(own.max()) + 2)
    totals[own[pins.parted_from(unit)]] = -np.inf
    best = int(np.argmax(totals))
    return best if totals[best] > 0 else len(totals) - 1
