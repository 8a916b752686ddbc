"""Told matches: pairs that were told to be of a kind without having been asked.

They were told because they are of a kind, so that they say nothing of how common that is. The prior counts
what they join as one unit (`kernels.partition.ties`), as far as they hold: as far as a spanning forest of
them does, the surest first. And where nearly all that was told speaks for "same", what an answer is worth is
not learned from it: such answers were chosen for what they say.
"""

from typing import Any, NamedTuple

import numpy as np

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, Mask
from ofakind.noise.evidence import Evidence
from ofakind.noise.one_sided import ONE_SIDED
from ofakind.pairs import Pairs
from ofakind.pins import Pins


class Told(NamedTuple):
    """What is known of the answered pairs of an `Evidence` that were told without having been asked."""

    pairs: Mask  # (pairs,) whether none of a pair's answers was asked for
    means: Floats  # (pairs,) of its answers

    @classmethod
    def of(cls, answers: Answers, evidence: Evidence) -> "Told | None":
        """Find them; None if all answers were asked for. O(answers)."""
        if answers.asked.all():
            return None
        asked = evidence.sums(answers.asked[evidence.row].astype(np.float64))
        return cls(asked == 0, evidence.sums(evidence.value) / evidence.counts)

    @property
    def log_odds(self) -> float:
        """Log odds of a match beforehand: the share of matches in what was told, and at most even."""
        same, different = (1 + np.count_nonzero(self.pairs & (sign * self.means > 0)) for sign in (1, -1))
        return min(0.0, float(np.log(same / different)))

    def heard(self, evidence: Evidence) -> Mask | None:
        """Tell which pairs show what an answer is worth; None if all do.

        Told ones do not, if nearly all of their answers are on the same side of 0.
        """
        values = evidence.value[self.pairs[evidence.pair]]
        least = max(ONE_SIDED.fewest, ONE_SIDED.least_share * len(values))
        one_sided = min(np.count_nonzero(values > 0), np.count_nonzero(values < 0)) < least
        return ~self.pairs if one_sided and len(values) else None

    def forest(self, pairs: Pairs, pins: Pins | None, nodes: int) -> "Forest":
        """Join matches, the surest first, unless they are joined already; of pairs that pins leave open."""
        from ofakind.kernels.graph.union_find import spanning_forest

        matches = np.flatnonzero(self.pairs & (self.means > 0))
        if pins is not None:
            matches = matches[pins.implied(pairs.u[matches], pairs.v[matches]) == 0]
        matches = matches[np.argsort(-self.means[matches], kind="stable")]
        a, b = pairs.u[matches], pairs.v[matches]
        if pins is not None:
            a, b = pins.units[a], pins.units[b]
        kept, unit = spanning_forest(nodes, a, b)
        return Forest(matches[kept], np.unique(unit, return_inverse=True)[1])


class Forest(NamedTuple):
    """Told matches that join nodes to units: their numbers among the answered pairs, and each node's unit."""

    pairs: Ints
    unit: Ints  # (nodes,)


class TiedNodes(NamedTuple):
    """Ties between the nodes of a graph: for kernels, and what they join to one unit."""

    kernel: Any  # kernels.partition.ties.Ties
    unit: Ints  # (nodes,)

    @property
    def units(self) -> int:
        """Number of units, if all ties hold."""
        return len(self.unit) - int(self.kernel.total)

    @classmethod
    def of(cls, forest: Forest, slots: Mask, log_odds: float, room: int) -> "TiedNodes":
        """Tie the nodes of a forest, whose pairs have these slots; ``room`` is that of an object."""
        from ofakind.kernels.partition.ties import Ties

        return cls(Ties(slots, len(forest.pairs), log_odds, room), forest.unit)


def contracted_pairs(pairs: Pairs, unit: Ints) -> Pairs:
    """Return the distinct pairs of units that hold a pair of nodes."""
    a, b, n = unit[pairs.u], unit[pairs.v], len(unit)
    keys = np.unique((np.minimum(a, b) * n + np.maximum(a, b))[a != b])
    return Pairs.trusted(keys // max(n, 1), keys % max(n, 1))
