"""The belief of a learner with a judge: what judges say as a prior, and beside it the belief without them.

A judge (such as a language model) makes the same mistake on the same objects again and again. So its scores
are columns of the pair map, learned from people's answers alone, and whichever of the two readings predicts
people's newest answers better is believed: the guard. The reading without judges is all that the learner
would be without them, so that a judge that is worth nothing costs little.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints
from ofakind.noise.calibration import pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.pins import Pins
from ofakind.posterior.base import Abilities, Posterior, abilities_of
from ofakind.posterior.forest.belief import FeatureBelief, FeaturePosterior, explained_better
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.carried import CarriedForests
from ofakind.posterior.forest.guard import lead_with
from ofakind.posterior.forest.judged_carried import JUDGE_GUARD, JudgedReadings
from ofakind.posterior.forest.loop import ForestProblem, one_round
from ofakind.posterior.forest.samples import ForestSamples
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.carried import CarriedSamples
from ofakind.posterior.partition.diagnostics import Diagnostics
from ofakind.posterior.partition.samples import PartitionSamples
from ofakind.priors.judged import judged_graph, judges_of, unseen_share
from ofakind.priors.neighbours import Neighbours
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPosterior:
    """What is believed by the better of two readings of the same answers: with judges, and without.

    ``carried`` says which counts. ``base`` is what the learner would believe without judges, or None where
    the lead of the reading with them is clear; ``forests`` is None when judges were dropped. It has
    ``switched`` if the other one counted in the round before.
    """

    forests: ForestSamples | None
    base: PartitionSamples | FeaturePosterior | None
    carried: JudgedReadings
    switched: bool = False

    @property
    def judged(self) -> bool:
        """Whether the reading with judges counts."""
        return self.carried.judged

    @property
    def featured(self) -> bool:
        """Whether the objects have features, too."""
        return isinstance(self.base, FeaturePosterior)

    @property
    def reading(self) -> ForestSamples | PartitionSamples | FeaturePosterior:
        """The reading that counts."""
        found = self.forests if self.judged else self.base
        if found is None:
            raise AssertionError("there is no reading")
        return found

    @property
    def labels(self) -> NDArray[np.int32]:
        """The sampled partitions of the reading that counts, (samples, n)."""
        return self.reading.labels

    @property
    def chain(self) -> Ints:
        """Which chain each of these samples comes from."""
        return self.reading.chain

    @property
    def abilities(self) -> Abilities:
        """What the reading that counts can do besides P(same) of any pair."""
        able = replace(abilities_of(self.reading), judged=self.judged, other=self._other)
        return replace(able, stale=None) if self.switched else able

    @property
    def _other(self) -> Posterior | None:
        """The reading that does not count, unless people's answers have clearly decided."""
        found = self.base if self.judged else self.forests
        return None if self.is_clear else found

    @property
    def is_clear(self) -> bool:
        """Whether people's answers have clearly shown which reading is right."""
        return abs(self.carried.lead) >= JUDGE_GUARD.clear

    @property
    def judges_proved(self) -> bool:
        """Whether judges count, and people's answers clearly show that this is right."""
        return self.judged and self.carried.lead > JUDGE_GUARD.shown

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree, and how many independent samples these are worth."""
        return self.reading.diagnostics

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Probability that each pair is of a kind."""
        return self.reading.same_probability(u, v)

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Entropy in nats of whether each pair is of a kind."""
        return self.reading.pair_entropy(u, v)


@dataclass(frozen=True, slots=True)
class JudgedBelief:
    """The belief of a learner with judges; ``base`` is that of the same learner without."""

    base: PartitionBelief | FeatureBelief

    def __call__(self, similarity: Similarity, clustering: Any, *, rng: Generator) -> Any:
        """Believe without judges: there is nothing of them here."""
        return self.base(similarity, clustering, rng=rng)

    def update(
        self,
        answers: Answers,
        *,
        judged: Answers,
        carried: Any = None,
        rng: Generator,
        **given: Any,
    ) -> JudgedPosterior:
        """Sample given all answers, with judges and perhaps without; see which predicts better.

        ``judged`` is the table of what judges said, ``given`` what the belief without them is given:
        similarity, candidates, pins and prior, as far as there are some.
        """
        before = JudgedReadings.around(carried, featured=given.get("prior") is not None)
        if len(judges_of(judged)) > len(judges_of(judged.first(before.n_scores))):
            before = before.joined()
        lead = self._lead_after(before, answers, judged, given)
        dropped = before.is_lost(len(answers), lead)
        forests = base = None
        # With features always: what they are worth by themselves is wanted too, for objects that come later.
        # It comes first, so that it draws the same random numbers as without judges.
        if dropped or given.get("prior") is not None or before.is_due(len(answers), lead):
            base = self.base.update(answers, carried=before.base, rng=rng, **given)
        if not dropped:
            graph, near = _graphs(answers, judged, given)
            problem = ForestProblem.of(graph, near, self.base.n_jobs)
            forests = one_round(problem, before.forests_of(len(judged)), rng.spawn(1)[0])
        counts = forests is not None
        if forests is not None and base is not None:
            plain = base.reading if isinstance(base, FeaturePosterior) else base
            counts = before.believes(lead, len(answers), explained_better(forests, plain))
        carry: Callable[[Any], Any] = self.base.carry
        kept = JudgedReadings(
            None if forests is None else CarriedForests.of(forests),
            before.base if base is None else carry(base),
            lead,
            before.seen_at if base is None else len(answers),
            counts,
            dropped,
            len(judged),
            before.trusts(lead, counts=counts),
            judges_of(judged) if dropped else before.out,
        )
        return JudgedPosterior(forests, base, kept, carried is None or before.judged != counts)

    def carry(self, posterior: JudgedPosterior) -> JudgedReadings:
        """Return both readings but for the answers."""
        return posterior.carried

    def recall(
        self, carried: JudgedReadings, answers: Answers, *, judged: Answers, **given: Any
    ) -> JudgedPosterior:
        """Make the posterior again that this was carried from, given the same answers, scores and pins."""
        forests = base = None
        if carried.forests is not None:
            forests = carried.forests.posterior(*_graphs(answers, judged, given))
        if carried.base is not None and carried.seen_at == len(answers):
            base = self.base.recall(carried.base, answers, **given)
        return JudgedPosterior(forests, base, carried)

    def without_judges(
        self, posterior: JudgedPosterior, answers: Answers, **given: Any
    ) -> PartitionSamples | FeaturePosterior | None:
        """Return the reading without judges as it was kept; nothing is drawn.

        Where the lead of judges is clear it is made seldom, so that it may know only the first ``seen_at``
        answers. None where these, or their objects or pins, have changed since.
        """
        carried = posterior.carried
        if posterior.base is not None:
            return posterior.base
        stale = not isinstance(carried.base, CarriedSamples) or len(carried.base.touched) > 0
        if stale or isinstance(self.base, FeatureBelief):  # beside features it is made in every round
            return None
        earlier = {name: value for name, value in given.items() if name not in ("similarity", "judged")}
        return self.base.recall(carried.base, answers.first(carried.seen_at), **earlier)

    def restore(self, entry: Mapping[str, Any], n: int) -> JudgedReadings:
        """Check what was carried over and saved, for n objects."""
        return JudgedReadings.from_entry(entry, n, self.base)

    def refuse_others(self, carried: JudgedReadings, answers: Answers, judged: Answers, **given: Any) -> None:
        """Refuse what was carried over if it cannot come from these answers, scores, features and pins."""
        if carried.forests is not None:
            near = judged_graph(judged.first(carried.n_scores), given.get("prior"))
            carried.forests.refuse_others(answers, near, given.get("pins"))
        if carried.base is not None and isinstance(self.base, FeatureBelief):
            self.base.refuse_others(carried.base, answers, **given)

    def _lead_after(
        self, before: JudgedReadings, answers: Answers, judged: Answers, given: Mapping[str, Any]
    ) -> float:
        """Return the lead after the answers since then, as far as both readings predicted them."""
        forests, base = before.forests, before.base
        if forests is None or base is None or before.seen_at != forests.n_answers or forests.moved:
            return before.lead
        graph = AnswerGraph.of(answers, None, given.get("similarity"), given.get("pins"))
        new = Evidence.of(graph.judging(answers.since(forests.n_answers)))
        if not len(new.pairs):
            return before.lead
        earlier = {name: value for name, value in given.items() if name != "similarity"}
        then = answers.first(forests.n_answers)
        same = (
            forests.posterior(*_graphs(then, judged.first(before.n_scores), earlier)),
            self.base.recall(base, then, **earlier),
        )
        u, v = new.pairs.u, new.pairs.v
        found = same[0].same_probability(u, v), same[1].same_probability(u, v)
        return lead_with(before.lead, found, new, pair_weights(new, forests.calibration), JUDGE_GUARD)


def believing(belief: Any, judged: Answers | None) -> Any:
    """Return the belief that uses what judges said, where they said something."""
    return belief if judged is None else JudgedBelief(belief)


def _graphs(
    answers: Answers, judged: Answers, given: Mapping[str, Any]
) -> tuple[AnswerGraph, CandidateGraph]:
    """Return the answers and the candidates as chains see them."""
    pins: Pins | None = given.get("pins")
    prior: Neighbours | None = given.get("prior")
    graph = AnswerGraph.of(answers, None, given.get("similarity"), pins)
    near, unseen = judged_graph(judged, prior), 0.0
    if prior is None or len(near.pairs) > len(prior.pairs):
        unseen = unseen_share(judged, given.get("candidates"))
    return graph, CandidateGraph.of(near, pins, unseen=unseen)
