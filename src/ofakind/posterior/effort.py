"""How much is sampled in a round: the more objects there are, the less it takes to know where they stand."""

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ofakind.clustering import canonical_labels
from ofakind.pairs import Ints

Plan = tuple[int, int, int]

LARGE = 5_000
"""Beyond so many objects a round is a quick one."""

SMALL, GROUPS = 10, 10
"""Clusters of fewer objects than this are chance at the start of a large problem, and begin as so many."""

FEWEST = 2
"""So many samples of each chain are drawn in every round, however little is new."""


class Effort(NamedTuple):
    """How many chains there are, and two plans for each: burn-in, samples, and sweeps for each sample."""

    chains: int
    plan: Plan  # of the samples of a round
    lesson: Plan  # of those that the worth of answers is learned from, each time
    lessons: tuple[int, int]  # in the first round, and in others; before them comes a short look
    kept: int  # samples of each chain that are remembered
    renewal: float  # the share of new answers from which on no sample of the round before is taken over

    def draws(self, share: float) -> int:
        """Return how many samples of each chain are drawn when this share of all answers is new.

        The others are taken over from the round before, in proportion to what is not new.

        >>> [QUICK.draws(share) for share in (0.0, 0.01, 0.02, 0.03)]
        [2, 4, 7, 8]
        """
        samples = self.plan[1]
        if share >= self.renewal:
            return samples
        return min(samples, max(FEWEST, ceil(samples * share / self.renewal)))


THOROUGH = Effort(4, (40, 15, 2), (10, 5, 1), (4, 1), 5, 0.0)
QUICK = Effort(2, (6, 8, 1), (2, 2, 1), (4, 0), 8, 0.025)
"""On 10,000 objects these ask as many questions as four times the sweeps do, see docs/results/scale.md."""


def usual_effort(n: int) -> Effort:
    """Choose the effort for n objects.

    >>> usual_effort(5_000).chains, usual_effort(5_001).chains
    (4, 2)
    """
    return QUICK if n > LARGE else THOROUGH


def gathered(labels: Ints, rng: Generator) -> Ints:
    """Put the small clusters of a partition, each as a whole, into a few new ones at random. O(n).

    Moves of single objects let a cluster grow or shrink by chance, so that after t sweeps one of about t
    objects is left for every t clusters of one: n / t of them, which is far too many when n is large.

    >>> int(gathered(np.arange(50), np.random.default_rng(0)).max()) < 10
    True
    """
    small = np.bincount(labels)[labels] < SMALL
    group = len(labels) + rng.integers(GROUPS, size=labels.max(initial=0) + 1)
    return canonical_labels(np.where(small, group[labels], labels))
