"""A second opinion: whether the answers are foreseen better when they are read anew, or the other way round.

What answers are worth and which grouping they speak for are learned from each other, round after round. Both
can go astray together: a wrong grouping makes good answers look worthless, and worthless answers allow any
grouping. Somebody who inverts everything is such a case from the beginning. So from time to time one chain is
started cold with each of some other readings of the answers. A reading is as good as every answer is foreseen
from all others, those to other pairs:

    sum over pairs of log [q p(answers | same) + (1 - q) p(answers | different)]

where q is P(same) of the pair without what its own answers add to the log odds. Another reading is followed
if this is better by a clear margin; else nothing at all changes.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.errors import NotConvergedWarning
from ofakind.posterior.calibration import Calibration, learn, pair_weights
from ofakind.posterior.effort import LARGE
from ofakind.posterior.evidence import Evidence

if TYPE_CHECKING:
    from ofakind.posterior.samples import PartitionSamples

Floats = NDArray[np.float64]

GROWTH, SOON = 1.5, 1.1  # so many times the answers of the last opinion make one due: usually, and if odd
ODD = 0.4  # a share of wrong answers, about pairs of a kind or others, from which on their worth looks odd
LEAST, CLEAR = 10.0, 0.06  # the margin in nats, and if nothing is odd also as a share of the surprise
HONESTY = 15.0  # nats against a reading by which people are mostly wrong, about pairs of a kind or others
DOUBT = 0.1  # a share of the surprise; a reading that foresees less is doubtful
ENOUGH = 0.5, 0.03  # one that foresees more needs no second opinion; the second for very many objects
ANNOTATORS = 4  # so many are, each alone, believed at first, where a reading is doubtful
SUREST = 1e-4  # no probability from a few dozen samples is nearer to 0 or 1 than this
CERTAIN, PLENTY = 0.8, 50.0  # an expected index, and nats of surprise, from which on to warn of chance
SOME, MANY = 0.1, 0.4  # shares of contradicted answers that need an explanation, and that need a warning


@dataclass(frozen=True, slots=True)
class Opinion:
    """How well a reading foresees the answers, and when others were last tried.

    ``asked`` is the number of answers at that time, ``gain`` by how many nats answers are foreseen better
    than by chance, and ``surprise`` those that chance leaves: no gain is larger. A reading is ``odd`` when
    it holds many answers for wrong. ``contradicted`` is the expected share of all answers that the clusters
    contradict, each counted by how far it is from 0.
    """

    asked: int = 0
    gain: float = 0.0
    surprise: float = 0.0
    odd: bool = False
    contradicted: float = 0.0

    @property
    def doubtful(self) -> bool:
        """Whether answers are foreseen hardly better than by chance."""
        return self.gain < DOUBT * self.surprise

    @property
    def margin(self) -> float:
        """Nats by which another reading must foresee the answers better to be followed."""
        return LEAST if self.odd else max(LEAST, CLEAR * self.surprise)

    def due(self, answers: int, n: int) -> bool:
        """Whether other readings should be tried with so many answers about n objects.

        Not where none could be better by the margin, or where enough is foreseen; of very many objects that
        is hardly more than by chance.

        >>> usual, sure = Opinion(1000, 5, 500), Opinion(1000, 300, 500)
        >>> odd = replace(usual, odd=True)
        >>> odd.due(1200, 300), usual.due(1200, 300), usual.due(1500, 300), sure.due(9000, 300)
        (True, False, True, False)
        """
        late = answers >= (SOON if self.odd else GROWTH) * self.asked
        hopeless = self.surprise - max(self.gain, 0) <= self.margin
        return late and not hopeless and self.gain <= ENOUGH[n > LARGE] * self.surprise


UNASKED = Opinion()


class Drawing(Protocol):
    """Draws samples for a reading of the answers."""

    def scout(self, worth: Calibration, rng: Generator) -> "PartitionSamples":
        """Draw a few, beginning with this worth of answers."""
        ...

    def follow(self, scout: "PartitionSamples", rng: Generator) -> "PartitionSamples":
        """Draw as many as usual, going on from there."""
        ...


class Reading(NamedTuple):
    """Samples of the partition under one reading of the answers, and how well it foresees them, in nats.

    A reading by which people are mostly wrong about either sort of pairs counts for less: so much is believed
    of their honesty beforehand.
    """

    posterior: "PartitionSamples"
    foreseen: float

    @classmethod
    def of(cls, posterior: "PartitionSamples", evidence: Evidence) -> "Reading":
        """Judge a posterior of this evidence."""
        calibration = posterior.calibration
        honesty = HONESTY if max(calibration.error_rates()) > 0.5 else 0.0
        return cls(posterior, foreseen(evidence, calibration, posterior.answered) - honesty)


def foreseen(evidence: Evidence, calibration: Calibration, same: Floats) -> float:
    """Log probability of the answers to each pair given all others, summed: 0 or less.

    ``same`` is P(same) of each pair given all answers. O(answers).

    >>> from ofakind.answers import Answers
    >>> evidence = Evidence.of(Answers.none(3).adding([(0, 1), (1, 2)], [1, 1]))
    >>> usual = learn(evidence)
    >>> own = 1 / (1 + np.exp(-pair_weights(evidence, usual)))  # nothing is known from elsewhere
    >>> round(float(np.exp(foreseen(evidence, usual, own))), 3)
    0.25
    """
    from scipy.special import expit, logit

    p = np.clip(same, SUREST**2, 1 - SUREST**2)
    q = np.clip(expit(logit(p) - pair_weights(evidence, calibration)), SUREST, 1 - SUREST)
    kind = evidence.kind if calibration.bins is evidence.bins else calibration.bins.of(evidence.value)
    who = np.minimum(evidence.who, len(calibration.annotators))  # a fixed worth is anybody's
    if_same, if_different = (
        evidence.sums(np.log(table)[who, kind])
        for table in (calibration.looks_same, calibration.looks_different)
    )
    d, e = calibration.misleading
    looks_same = q * (1 - d) + (1 - q) * e
    return float(np.logaddexp(np.log(looks_same) + if_same, np.log1p(-looks_same) + if_different).sum())


def by_chance(evidence: Evidence) -> float:
    """Log probability of the answers if each annotator drew them with the shares of their own, of any pair.

    >>> from ofakind.answers import Answers
    >>> by_chance(Evidence.of(Answers.none(3).adding([(0, 1), (1, 2)], [1, 1])))
    0.0
    """
    from scipy.special import xlogy

    kinds = len(evidence.bins)
    cells = np.bincount(
        evidence.who * kinds + evidence.kind, minlength=kinds * (len(evidence.annotators) + 1)
    )
    counts = cells.reshape(-1, kinds)
    total = counts.sum(axis=1)
    return float(xlogy(counts, counts).sum() - xlogy(total, total).sum())


def readings(evidence: Evidence, rng: Generator, *, doubtful: bool) -> Iterator[Calibration]:
    """Yield what answers may be worth: their usual worth; in doubt, also other readings.

    These are the opposite, and the usual worth of what one annotator says and none of what others do.
    """
    usual = learn(evidence)
    yield usual
    people = len(evidence.annotators)
    if doubtful:
        yield replace(usual, looks_same=usual.looks_different, looks_different=usual.looks_same)
    for row in 1 + rng.permutation(people)[:ANNOTATORS] if doubtful and people > 1 else ():
        tables = np.stack([usual.looks_same, usual.looks_different])
        others = np.arange(people + 1) != row
        tables[:, others] = tables[:, others].mean(axis=0)
        yield replace(usual, looks_same=tables[0], looks_different=tables[1])


def consult(
    posterior: "PartitionSamples", evidence: Evidence, last: int, draw: Drawing, rng: Generator
) -> tuple["PartitionSamples", Opinion]:
    """Return the posterior, or if an opinion is due and clearly better that one, and what came of it.

    ``last`` is the number of answers when this was last tried. Where new answers were not foreseen as they
    should be (a trust below 1), errors are not independent; then an answer that others foretell proves
    nothing, and nothing is tried. Scouts are drawn hastily, which flatters them: the best one must keep its
    margin when it is drawn with all chains.
    """
    mine, chance, count = Reading.of(posterior, evidence), by_chance(evidence), posterior.n_answers
    opinion = _opinion(mine, evidence, chance, last)
    if posterior.trust.value < 1 or not opinion.due(count, posterior.n):
        return posterior, opinion
    scouts = [draw.scout(worth, rng) for worth in readings(evidence, rng, doubtful=opinion.doubtful)]
    best = max((Reading.of(scout, evidence) for scout in scouts), key=lambda reading: reading.foreseen)
    if best.foreseen > mine.foreseen + opinion.margin:
        best = Reading.of(draw.follow(best.posterior, rng), evidence)
    chosen = best if best.foreseen > mine.foreseen + opinion.margin else mine
    return chosen.posterior, _opinion(chosen, evidence, chance, count)


def _opinion(reading: Reading, evidence: Evidence, chance: float, asked: int) -> Opinion:
    """Sum up a reading, others having been tried with so many answers."""
    same, size = reading.posterior.answered[evidence.pair], np.abs(evidence.value)
    against = float(size @ np.where(evidence.value > 0, 1 - same, same)) / max(float(size.sum()), SUREST)
    odd = max(reading.posterior.calibration.error_rates()) > ODD
    return Opinion(asked, reading.foreseen - chance, -chance, odd, against)


def warn_of(posterior: object, expected_ari: float, *, stacklevel: int) -> None:
    """Warn if clusters that seem certain contradict many answers, or some without foreseeing the others."""
    opinion = getattr(posterior, "opinion", None)
    if not isinstance(opinion, Opinion) or expected_ari < CERTAIN:
        return
    share = f"the clusters contradict {100 * opinion.contradicted:.0f} % of the answers"
    text = ""
    if opinion.contradicted > MANY:
        text = f"{share}: what some or all annotators say is read as its opposite, or as saying nothing"
    elif opinion.contradicted > SOME and opinion.gain < LEAST and opinion.surprise > PLENTY:
        text = f"{share} and foresee the others no better than chance: they are less certain than they seem"
    if text:
        warnings.warn(text, NotConvergedWarning, stacklevel=stacklevel)
