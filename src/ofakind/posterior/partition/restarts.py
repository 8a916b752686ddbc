"""Restarts: whether the answers are predicted better when they are read anew, or the other way round.

What answers are worth and which grouping they speak for are learned from each other, round after round. Both
can go astray together: a wrong grouping makes good answers look worthless, and worthless answers allow any
grouping. Somebody who inverts everything is such a case from the beginning. So from time to time one chain is
started cold with each of some other readings of the answers. A reading is as good as every answer is
predicted from all others (`noise.leave_one_out`). Another one is followed if it is better by a clear margin;
else nothing at all changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.random import Generator

from ofakind.noise.calibration import Calibration, learn
from ofakind.noise.evidence import Evidence
from ofakind.noise.leave_one_out import LeaveOneOut
from ofakind.noise.one_sided import lacks_contrast, relative
from ofakind.posterior.partition.samples import PartitionSamples


@dataclass(frozen=True, slots=True)
class RestartRules:
    """Tuned numbers of restarts, chosen on the runs that they mend (docs/results/fewer.md)."""

    growth: float = 1.5  # so many times the answers of the last restart make one due,
    growth_if_odd: float = 1.1  # and so many if the reading is odd
    least_margin: float = 10.0  # nats by which another reading must predict the answers better,
    margin_share: float = 0.06  # and as a share of the surprise, if nothing is odd
    honesty: float = 15.0  # nats against a reading by which people are mostly wrong about a sort of pairs
    doubtful: float = 0.1  # a share of the surprise; a reading that gains less is doubtful
    enough: float = 0.5  # a share of the surprise; one that gains more needs no restart
    enough_if_quick: float = 0.03  # the same of very many objects
    annotators: int = 4  # so many are, each alone, believed at first, where a reading is doubtful


RESTART = RestartRules()


class Reading(NamedTuple):
    """A posterior under one reading of the answers, and how well it predicts them, in nats.

    A reading by which people are mostly wrong about either sort of pairs counts for less: so much is believed
    of their honesty beforehand. One that gave up learning what answers are worth counts for nothing: what it
    predicts is not to be compared.
    """

    posterior: PartitionSamples
    score: float

    @classmethod
    def of(cls, posterior: PartitionSamples) -> Self:
        """Judge a posterior by how well it predicts each answer from all others."""
        if posterior.calibration.slope is not None:
            return cls(posterior, -np.inf)
        honesty = RESTART.honesty if max(posterior.calibration.error_rates()) > 0.5 else 0.0
        return cls(posterior, posterior.log_likelihood[-1] - honesty)

    def summary(self, evidence: Evidence) -> LeaveOneOut:
        """Sum up how well it predicts the answers."""
        posterior = self.posterior
        return LeaveOneOut.of(evidence, posterior.calibration, posterior.answered_same, score=self.score)


def is_doubtful(fit: LeaveOneOut) -> bool:
    """Whether answers are predicted hardly better than by chance."""
    return fit.gain < RESTART.doubtful * fit.surprise


def margin(fit: LeaveOneOut) -> float:
    """Nats by which another reading must predict the answers better to be followed."""
    least = RESTART.least_margin
    return least if fit.odd else max(least, RESTART.margin_share * fit.surprise)


def is_due(fit: LeaveOneOut, tried_at: int, answers: int, *, quick: bool) -> bool:
    """Whether other readings should be tried with so many answers, the last time having been ``tried_at``.

    Not where none could be better by the margin, or where enough is predicted; of very many objects that is
    hardly more than by chance.

    >>> usual, sure = LeaveOneOut(5, 500), LeaveOneOut(300, 500)
    >>> odd = replace(usual, odd=True)
    >>> [is_due(fit, 1000, 1200, quick=False) for fit in (odd, usual)]
    [True, False]
    >>> is_due(usual, 1000, 1500, quick=False), is_due(sure, 1000, 9000, quick=False)
    (True, False)
    """
    late = answers >= (RESTART.growth_if_odd if fit.odd else RESTART.growth) * tried_at
    hopeless = fit.surprise - max(fit.gain, 0) <= margin(fit)
    enough = RESTART.enough_if_quick if quick else RESTART.enough
    return late and not hopeless and fit.gain <= enough * fit.surprise


def alternatives(evidence: Evidence, rng: Generator, *, doubtful: bool) -> Iterator[Calibration]:
    """Yield what answers may be worth: their usual worth; in doubt, also other readings.

    These are the opposite, and the usual worth of what one annotator says and none of what others do. If all
    answers are on one side of 0, they are also read in relation to one another.
    """
    usual = learn(evidence)
    yield usual
    people = len(evidence.annotators)
    if doubtful:
        yield replace(usual, looks_same=usual.looks_different, looks_different=usual.looks_same)
    for row in 1 + rng.permutation(people)[: RESTART.annotators] if doubtful and people > 1 else ():
        tables = np.stack([usual.looks_same, usual.looks_different])
        others = np.arange(people + 1) != row
        tables[:, others] = tables[:, others].mean(axis=0)
        yield replace(usual, looks_same=tables[0], looks_different=tables[1])
    if doubtful and lacks_contrast(evidence, usual) and np.ptp(evidence.kind) > 0:
        yield relative(evidence)
