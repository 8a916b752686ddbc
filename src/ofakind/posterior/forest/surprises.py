"""Surprises: what was expected of each candidate, besides its features, when it was first answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, Mask, read_only
from ofakind.checks import plain_array, refuse_strange_pairs
from ofakind.errors import InvalidInputError
from ofakind.noise.calibration import Calibration, pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.pairs import Pairs, rank
from ofakind.priors.base import positions
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import MapStart, PairMap, learn_map


@dataclass(frozen=True, slots=True, eq=False)
class Surprises:
    """Answered candidates u < v and the offset of each: see `pair_map`."""

    u: Ints
    v: Ints
    offset: Floats

    @classmethod
    def none(cls) -> Self:
        """No candidate is answered."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))

    def new(self, answers: Answers, near: Neighbours) -> Pairs:
        """Return the candidates that are answered and have no offset yet."""
        n = near.n
        told = np.unique(rank(answers.u, answers.v, n))
        fresh = np.setdiff1d(told, rank(self.u, self.v, n), assume_unique=True)
        return Pairs.from_ranks(fresh[np.isin(fresh, near.pairs.ranks(n))], n)

    def adding(self, pairs: Pairs, offset: Floats) -> Self:
        """Return it with more candidates."""
        u, v = np.concatenate([self.u, pairs.u]), np.concatenate([self.v, pairs.v])
        return type(self)(read_only(u), read_only(v), read_only(np.concatenate([self.offset, offset])))

    def answered(self, answers: Answers) -> Self:
        """Return those that still have an answer."""
        kept = np.isin(rank(self.u, self.v, answers.n), rank(answers.u, answers.v, answers.n))
        return self if kept.all() else self._take(kept)

    def learned(
        self, near: Neighbours, start: MapStart, evidence: Evidence, calibration: Calibration
    ) -> PairMap:
        """Learn the map from them, as far as they still are candidates, and from the answers of now."""
        pairs, ratios = Pairs.trusted(self.u, self.v), pair_weights(evidence, calibration)
        rows, place = positions(near.pairs, pairs, near.n), positions(evidence.pairs, pairs, near.n)
        there = (rows >= 0) & (place >= 0)
        features, ratios = near.features[rows[there]], ratios[place[there]]
        return learn_map(near.names, start, features, self.offset[there], ratios, (pairs.take(there), near.n))

    def _take(self, kept: Mask) -> Self:
        return type(self)(read_only(self.u[kept]), read_only(self.v[kept]), read_only(self.offset[kept]))

    def to_entry(self) -> dict[str, Any]:
        """Return it as it stands in a document."""
        return {"u": self.u, "v": self.v, "offset": self.offset}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Read what `to_entry` gave, checked."""
        u, v = (plain_array(entry[name], name).astype(np.int64) for name in ("u", "v"))
        offset = plain_array(entry["offset"], "offset").astype(np.float64)
        if not u.shape == v.shape == offset.shape or not np.isfinite(offset).all():
            raise InvalidInputError("surprises have no finite offset for each pair")
        refuse_strange_pairs(u, v, n)
        return cls(read_only(u), read_only(v), read_only(offset))
