"""The mean field with pins: that of units of objects, seen as one of objects."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, read_only
from ofakind.checks import as_known_endpoints
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.mean_field.dense import MeanField
from ofakind.posterior.mean_field.sparse import SparseMeanField
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class PinnedMeanField(MeanField):
    """A mean field of objects in which those of a unit have the same row, and pins are certain.

    ``of_units`` is the mean field of the units that it comes from, whose similarities are sums over pairs of
    objects (`contracted`). Fields conditional on answers are computed there.
    """

    pins: Pins
    of_units: MeanField

    @classmethod
    def expanding(cls, field: MeanField, similarity: Similarity, pins: Pins) -> "PinnedMeanField":
        """Give each object the row of its unit."""
        own = {part.name: getattr(field, part.name) for part in fields(MeanField)}
        rows = {name: read_only(own[name][pins.units]) for name in ("q", "costs")}
        return cls(**(own | rows | {"similarity": similarity, "pins": pins, "of_units": field}))

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """P(E_uv = 1) as of a `MeanField`; exactly 1 or 0 where pins decide it."""
        first, second = as_known_endpoints(u, v, len(self.q))
        decided = self.pins.implied(first, second)
        return np.where(decided == 0, MeanField.same_probability(self, first, second), decided > 0)

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """H(E_uv) in nats as of a `MeanField`; 0 where pins decide it."""
        first, second = as_known_endpoints(u, v, len(self.q))
        decided = self.pins.implied(first, second)
        return np.where(decided == 0, MeanField.pair_entropy(self, first, second), 0.0)

    def all_pair_entropy(self) -> Floats:
        """H(E_uv) of every pair in order of rank: n^2 / 2 numbers, for small n."""
        entropy = MeanField.all_pair_entropy(self)
        entropy[self.pins.implied_ranks()] = 0.0
        return entropy

    def between_units(self, pairs: Pairs) -> tuple[Pairs, Pairs]:
        """Return, of the pairs that pins do not decide, one for each pair of units, and these."""
        undecided = pairs.take(self.pins.implied(pairs.u, pairs.v) == 0)
        a, b = self.pins.units[undecided.u], self.pins.units[undecided.v]
        low, high = np.minimum(a, b), np.maximum(a, b)
        first = np.sort(np.unique(low * len(self.pins.first) + high, return_index=True)[1])
        return undecided.take(first), Pairs.trusted(low[first], high[first])


@dataclass(frozen=True, slots=True, eq=False)
class PinnedSparseMeanField(SparseMeanField):
    """A sparse mean field of objects in which those of a unit have the same row, and pins are certain."""

    pins: Pins

    @classmethod
    def expanding(cls, field: SparseMeanField, similarity: Similarity, pins: Pins) -> "PinnedSparseMeanField":
        """Give each object the row of its unit."""
        lengths = np.diff(field.indptr)[pins.units]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        slots = np.arange(indptr[-1]) + np.repeat(field.indptr[pins.units] - indptr[:-1], lengths)
        own = {part.name: getattr(field, part.name) for part in fields(SparseMeanField)}
        rows = {
            "rest": read_only(field.rest[pins.units]),
            "indptr": read_only(indptr),
            "clusters": read_only(field.clusters[slots]),
            "above": read_only(field.above[slots]),
        }
        return cls(**(own | rows | {"similarity": similarity, "pins": pins}))

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """P(E_uv = 1) as of a `SparseMeanField`; exactly 1 or 0 where pins decide it."""
        first, second = as_known_endpoints(u, v, self.pins.n)
        decided = self.pins.implied(first, second)
        return np.where(decided == 0, SparseMeanField.same_probability(self, first, second), decided > 0)

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """H(E_uv) in nats as of a `SparseMeanField`; 0 where pins decide it."""
        first, second = as_known_endpoints(u, v, self.pins.n)
        decided = self.pins.implied(first, second)
        return np.where(decided == 0, SparseMeanField.pair_entropy(self, first, second), 0.0)
