"""Told matches: pairs that were told to be of a kind without having been asked.

They were told because they are of a kind, so that they say nothing of how common that is. The prior counts
what they join as one unit (`kernels.partition.ties`), as far as they hold: as far as a spanning forest of
them does, the surest first. Nor is it learned from them what an answer is worth: they were chosen for what
they say.

Who tells of pairs that are of two kinds, too, may have taken a sample. So for each of these pairs one match
counts as if it had been asked for, the least sure ones first.
"""

from typing import Any, NamedTuple

import numpy as np

from ofakind.answers import Answers
from ofakind.arrays import Ints, Mask
from ofakind.noise.evidence import Evidence
from ofakind.pairs import Pairs
from ofakind.pins import Pins


def told_matches(answers: Answers, evidence: Evidence, pins: Pins | None) -> Ints:
    """Return which of the answered pairs are told matches that pins leave open, the surest first.

    >>> answers = Answers.none(9).adding([(0, 1), (2, 3), (4, 5), (6, 7)], [1, 0.5, 1, -1], asked=False)
    >>> told_matches(answers, Evidence.of(answers), None).tolist()
    [0, 2]
    """
    if answers.asked.all():
        return np.empty(0, np.int64)
    asked = evidence.sums(answers.asked[evidence.row].astype(np.float64))
    told = np.flatnonzero(asked == 0)
    if pins is not None:
        told = told[pins.implied(evidence.pairs.u[told], evidence.pairs.v[told]) == 0]
    means = (evidence.sums(evidence.value) / evidence.counts)[told]
    matches, others = np.count_nonzero(means > 0), np.count_nonzero(means < 0)
    return told[np.argsort(-means, kind="stable")[: max(matches - others, 0)]]


class SpanningForest(NamedTuple):
    """Matches that join nodes to units: their numbers among the answered pairs, and the unit of each node."""

    pairs: Ints
    unit: Ints  # (nodes,)

    @classmethod
    def of(cls, matches: Ints, pairs: Pairs, pins: Pins | None, nodes: int) -> "SpanningForest":
        """Join matches in this order, unless they are joined already; with pins nodes are their units."""
        from ofakind.kernels.graph.union_find import spanning_forest

        a, b = pairs.u[matches], pairs.v[matches]
        if pins is not None:
            a, b = pins.units[a], pins.units[b]
        kept, unit = spanning_forest(nodes, a, b)
        return cls(matches[kept], np.unique(unit, return_inverse=True)[1])


class TiedNodes(NamedTuple):
    """Ties between the nodes of a graph: for kernels, and what they join to one unit."""

    kernel: Any  # kernels.partition.ties.Ties
    unit: Ints  # (nodes,)

    @property
    def units(self) -> int:
        """Number of units, if all ties hold."""
        return len(self.unit) - int(self.kernel.total)

    @classmethod
    def of(cls, forest: SpanningForest, slots: Mask, room: int) -> "TiedNodes":
        """Tie the nodes of a forest, whose pairs have these slots; ``room`` is that of an object."""
        from ofakind.kernels.partition.ties import Ties

        return cls(Ties(slots, len(forest.pairs), room), forest.unit)


def contracted_pairs(pairs: Pairs, unit: Ints) -> Pairs:
    """Return the distinct pairs of units that hold a pair of nodes."""
    a, b, n = unit[pairs.u], unit[pairs.v], len(unit)
    keys = np.unique((np.minimum(a, b) * n + np.maximum(a, b))[a != b])
    return Pairs.trusted(keys // max(n, 1), keys % max(n, 1))
