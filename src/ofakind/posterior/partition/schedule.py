"""How much is sampled in a round: the more objects there are, the less it takes to know where they stand."""

from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple, Self

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Ints, Mask
from ofakind.clustering import canonical_labels
from ofakind.kernels import portable


@dataclass(frozen=True, slots=True)
class ScheduleRules:
    """Tuned numbers of how much is sampled, chosen by judgement but for the first (docs/results/scale.md)."""

    quick_beyond: int = 5_000  # of more objects a round is a quick one
    small: int = 150  # of so few objects chains run longer
    visits: int = 2_000  # to objects of a chain for each answer, where few are new: so many sweeps,
    most_sweeps: int = 3  # but no more than these (docs/results/one-by-one.md)
    small_cluster: int = 10  # clusters of fewer objects are chance at the start of a quick round,
    gathered_clusters: int = 10  # and are put into so many
    scout_burn_in: int = 10  # sweeps before the samples of a restart,
    scout_samples: int = 5  # which are so many


SCHEDULE = ScheduleRules()


class Plan(NamedTuple):
    """How a chain is run: sweeps before its samples, samples, and sweeps for each sample."""

    burn_in: int
    samples: int
    thin: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """How many chains there are, and how they are run in a round."""

    chains: int
    final: Plan  # for the samples of a round
    lesson: Plan  # for those that calibration is learned from, each time
    first_lessons: int  # in the first round, after a short look
    later_lessons: int  # in every other round, after a short look
    renewal: float  # the share of new answers from which on no sample of the round before is kept
    fewest_draws: int  # samples of each chain that every round draws, however little is new
    sweeps: int  # for each sample of a round in which little is new
    renewed_after: float  # the share of answers since the last whole round that makes another one due
    quick: bool  # whether what would take long, of so many objects, is left out

    def draws(self, new: int, answers: int, renewed_at: int) -> int:
        """Return how many samples of each chain are drawn when so many of all answers are new.

        The others are kept from the round before, in proportion to what is not new. All are drawn if the last
        whole round was too many answers ago.

        >>> [QUICK.draws(new, 1000, 950) for new in (0, 10, 20, 30)], QUICK.draws(1, 1000, 800)
        ([2, 4, 7, 8], 8)
        """
        samples, share = self.final.samples, new / max(answers, 1)
        if share >= self.renewal or answers - renewed_at > self.renewed_after * answers:
            return samples
        return min(samples, max(self.fewest_draws, ceil(samples * share / self.renewal)))

    def scouting(self) -> Self:
        """Return the schedule of a restart: one chain, and few samples."""
        final = self.final._replace(burn_in=SCHEDULE.scout_burn_in, samples=SCHEDULE.scout_samples)
        return replace(self, chains=1, final=final, renewal=0.0)


LOOK = Plan(burn_in=0, samples=2, thin=1)
"""The short look before the first lesson, chosen by judgement: chains are where they were, or just cooled."""

SMALL = Plan(burn_in=40, samples=8, thin=5)
"""For few objects, which take no time; samples that follow one another closely would resemble each other."""

THOROUGH = Schedule(
    chains=4,  # one costs up to 10 % more questions (docs/results/fewer.md), and two make intervals wide
    final=Plan(burn_in=20, samples=8, thin=1),  # with 40 + 15 it takes as many (docs/results/one-by-one.md)
    lesson=Plan(burn_in=5, samples=3, thin=1),
    first_lessons=4,
    later_lessons=1,
    renewal=0.05,
    fewest_draws=1,
    sweeps=1,
    renewed_after=0.1,
    quick=False,
)
QUICK = Schedule(
    chains=2,  # on 10,000 objects all this asks as many questions as four times the sweeps do
    final=Plan(burn_in=6, samples=8, thin=1),
    lesson=Plan(burn_in=2, samples=2, thin=1),
    first_lessons=4,
    later_lessons=0,
    renewal=0.025,  # with 0.05 it takes 1.0 % more questions, with 0.1 3.5 % (docs/results/scale.md)
    fewest_draws=2,
    sweeps=1,
    renewed_after=0.1,
    quick=True,
)


def usual_schedule(n: int) -> Schedule:
    """Choose the schedule for n objects: of fewer, there is time for more.

    >>> usual_schedule(5_000).chains, usual_schedule(5_001).chains
    (4, 2)
    >>> [usual_schedule(n).sweeps for n in (100, 1_000, 2_000)]
    [3, 2, 1]
    """
    if n > SCHEDULE.quick_beyond:
        return QUICK
    sweeps = min(max(SCHEDULE.visits // max(n, 1), 1), SCHEDULE.most_sweeps)
    return replace(THOROUGH, sweeps=sweeps, final=SMALL if n <= SCHEDULE.small else THOROUGH.final)


def gathered(labels: Ints, rng: Generator) -> Ints:
    """Put the small clusters of a partition, each as a whole, into a few new ones at random. O(n).

    Moves of single objects let a cluster grow or shrink by chance, so that after t sweeps one of about t
    objects is left for every t clusters of one: n / t of them, which is far too many when n is large.

    >>> int(gathered(np.arange(50), np.random.default_rng(0)).max()) < 10
    True
    """
    small = _small(labels)
    group = len(labels) + rng.integers(SCHEDULE.gathered_clusters, size=labels.max(initial=0) + 1)
    return canonical_labels(np.where(small, group[labels], labels))


def seated(labels: Ints, rng: Generator) -> Ints:
    """Put the small clusters of a partition, each as a whole, into new ones as the prior would. O(n).

    The Chinese restaurant process: one after another opens a cluster or joins one of those before it, the
    larger the likelier. Its alpha is drawn from the density exp(-alpha). Where matches were told and little
    else, this is about where chains will be.

    >>> labels = seated(np.arange(500) // 2, np.random.default_rng(0))
    >>> bool((labels[::2] == labels[1::2]).all()), int(labels.max()) < 100
    (True, True)
    """
    small, alpha = np.unique(labels[_small(labels)]), -portable.log1p(-rng.random())
    place, group = np.arange(len(small)), np.arange(labels.max(initial=-1) + 1)
    opens = rng.random(len(small)) * (alpha + place) < alpha
    joins = small[(rng.random(len(small)) * place).astype(np.int64)]
    for joining in np.flatnonzero(~opens).tolist():
        group[small[joining]] = group[joins[joining]]
    return canonical_labels(group[labels])


def _small(labels: Ints) -> Mask:
    """Tell which objects are in a small cluster."""
    return np.asarray(np.bincount(labels)[labels] < SCHEDULE.small_cluster)
