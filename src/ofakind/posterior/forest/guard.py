"""The guard: two readings of the same answers, with features and without, and which one predicts better."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ofakind.arrays import Floats, Ints, Mask
from ofakind.checks import real_number, truth_value, whole_number
from ofakind.kernels import portable
from ofakind.noise.calibration import pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.pairs import Pairs
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.carried import CarriedForests
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.carried import CarriedSamples


@dataclass(frozen=True, slots=True)
class GuardRules:
    """Tuned numbers of the guard; from a prototype, or chosen by judgement."""

    decay: float = 0.8  # what the lead still counts a batch later,
    batch: int = 30  # which has so many answers
    shift: float = 2.0  # deviation of what the log odds of all answers of a batch may be off by, unpunished
    shifts: int = 33  # that are tried, over three deviations to either side
    behind: float = 3.0  # nats by which the features must be behind before the other reading is believed,
    ahead: float = 3.0  # and ahead before they are believed again: who asks is asked what it finds hard
    explains: float = 0.1  # share of the surprise of all answers by which features must explain more to stay
    wrong: float = 0.05  # an answer may be wrong with this probability, so that none counts too much
    clear: float = 30.0  # nats: with such a lead the reading without features is left out,
    again: float = 1.5  # until there are so many times as many answers
    lost: float = 15.0  # nats by which the features may be behind before they are dropped for good,
    patience: int = 300  # when there are so many answers


GUARD = GuardRules()


def keeps_the_lead(lead: float, explained: float, *, leading: bool, rules: GuardRules = GUARD) -> bool:
    """Whether the first of two readings counts with this lead, if it was ``leading`` before.

    ``explained`` is how much better it predicts all answers, each from all others, as a share of what there
    is to predict. Questions are about what the reading that counts finds doubtful, so that the other one
    predicts their answers better than it would predict others. So whichever counts goes on until it is
    clearly behind; and the first counts as long as it explains all answers far better.

    >>> [keeps_the_lead(lead, share, leading=True) for lead, share in ((-2, 0), (-4, 0), (-4, 0.2))]
    [True, False, True]
    """
    if leading:
        return lead > -rules.behind or explained > rules.explains
    return lead > rules.ahead


def second_is_due(answers: int, seen_at: int, lead: float, rules: GuardRules = GUARD) -> bool:
    """Whether so many answers are to be read by the second reading, too, which last saw so many."""
    return answers > 0 and (lead < rules.clear or answers >= rules.again * seen_at)


def lead_with(
    lead: float, readings: tuple[Floats, Floats], new: Evidence, ratios: Floats, rules: GuardRules = GUARD
) -> float:
    """Return the lead after new answers, of these log ratios, from P(same) that two readings gave before."""
    most = portable.log(1 / rules.wrong - 1)
    bounded = np.clip(ratios, -most, most)
    first, second = (log_predicted(same, bounded, rules.shift) for same in readings)
    return portable.power(rules.decay, len(new.pairs) / rules.batch) * lead + (first - second)


@dataclass(frozen=True, slots=True, eq=False)
class Guarded:
    """What is carried over of both readings, and by how many nats the one with features leads.

    ``plain``, the reading without, is None where the lead is clear, or before the first answer; ``forests``
    is None when the features have been dropped. ``seen_at`` is the number of answers that ``plain`` last saw.
    With ``featured`` the reading with features is the one that counts.
    """

    forests: CarriedForests | None
    plain: CarriedSamples | None
    lead: float = 0.0
    seen_at: int = 0
    featured: bool = True

    def believes(self, lead: float, explained: float) -> bool:
        """Whether features count with this lead, if there are both readings."""
        return keeps_the_lead(lead, explained, leading=self.featured)

    def is_due(self, answers: int, lead: float) -> bool:
        """Whether the answers are to be read without features, too."""
        return second_is_due(answers, self.seen_at, lead)

    def lead_after(
        self, graph: AnswerGraph, candidates: CandidateGraph, allowed: Pairs | None = None
    ) -> float:
        """Return the lead after the answers since then, as far as both readings predicted them.

        ``allowed`` are the pairs that may be asked, by which the reading without features goes.
        """
        forests, plain = self.forests, self.plain
        if forests is None or plain is None or forests.moved or len(plain.touched):
            return self.lead
        new = Evidence.of(graph.judging(graph.answers.since(forests.n_answers)))
        if not len(new.pairs):
            return self.lead
        u, v = new.pairs.u, new.pairs.v
        before = graph.before(forests.n_answers, tempered=False)
        tempered = graph.before(plain.n_answers, tempered=plain.tempering.value != 1)
        if allowed is not None:
            tempered = AnswerGraph.of(graph.answers.first(plain.n_answers), allowed, pins=graph.pins)
        with_features = forests.posterior(before, candidates).same_probability(u, v)
        without = plain.posterior(tempered, 1.0).same_probability(u, v)
        ratios = pair_weights(new, forests.calibration)
        return lead_with(self.lead, (with_features, without), new, ratios)

    def without(self, gone: Mask, objects: Ints) -> Self:
        """Return it when some answers are taken back, or pins change."""
        forests = None if self.forests is None else self.forests.without(gone, objects)
        plain = None if self.plain is None else self.plain.without(gone, objects)
        seen_at = self.seen_at - int(gone[: self.seen_at].sum())
        return replace(self, forests=forests, plain=plain, seen_at=seen_at)

    def extended(self, more: int) -> Self:
        """Return it with so many more objects."""
        forests = None if self.forests is None else self.forests.extended(more)
        plain = None if self.plain is None else self.plain.extended(more)
        return replace(self, forests=forests, plain=plain)

    def to_entry(self) -> dict[str, Any]:
        """Return everything as arrays, numbers and text, for a document."""
        return {
            "forests": None if self.forests is None else self.forests.to_entry(),
            "plain": None if self.plain is None else self.plain.to_entry(),
            "lead": self.lead,
            "seen": self.seen_at,
            "featured": self.featured,
        }

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Read what `to_entry` gave, checked."""
        forests, plain, featured = entry["forests"], entry["plain"], entry["featured"]
        truth_value("featured", featured)
        return cls(
            None if forests is None else CarriedForests.from_entry(forests, n),
            None if plain is None else CarriedSamples.from_entry(plain, n),
            real_number("lead", entry["lead"]),
            whole_number("seen", entry["seen"], least=0),
            bool(featured),
        )


def log_predicted(same: Floats, ratios: Floats, shift: float = GUARD.shift) -> float:
    """Log probability of answers of these log ratios, but for what does not depend on the reading.

    All log odds of P(same) may be off by the same shift, normal about 0; the likeliest one counts. So a
    reading is judged by which answers it told apart, not by how common it took matches to be: questions are
    about pairs that features find doubtful, and whoever doubts nothing would predict them better.

    >>> well, badly = np.array([0.9, 0.1]), np.array([0.1, 0.9])
    >>> log_predicted(well, np.array([3.0, -3.0])) > log_predicted(badly, np.array([3.0, -3.0]))
    True
    """
    tried = np.linspace(-3, 3, GUARD.shifts)
    odds = portable.logit(np.clip(same, 1e-12, 1 - 1e-12))
    shifted = portable.expit(odds + shift * tried[:, None])  # (shifts, answers)
    found = portable.log1p(shifted * portable.expm1(ratios)).sum(axis=1) - tried**2 / 2
    return float(found.max(initial=-np.inf))
