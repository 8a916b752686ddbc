"""The belief of a learner with features: their prior, and beside it a reading without them, as a guard."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints
from ofakind.checks import check_jobs, truth_value
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.base import Abilities
from ofakind.posterior.forest.candidate_graph import CandidateGraph, without_features
from ofakind.posterior.forest.carried import CarriedForests
from ofakind.posterior.forest.guard import GUARD, Guarded
from ofakind.posterior.forest.loop import ForestProblem, one_round
from ofakind.posterior.forest.samples import ForestSamples
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.carried import CarriedSamples
from ofakind.posterior.partition.diagnostics import Diagnostics
from ofakind.posterior.partition.samples import PartitionSamples
from ofakind.priors.neighbours import Neighbours
from ofakind.registry import Ability
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class FeaturePosterior:
    """What is believed by the better of two readings of the same answers: with features, and without.

    ``lead`` is by how many nats the first predicted the newest answers better; with ``featured`` it counts. A
    reading that is out of the question is None. It has ``switched`` if the other one counted in the round
    before.
    """

    forests: ForestSamples | None
    plain: PartitionSamples | None
    lead: float
    seen_at: int
    featured: bool
    switched: bool = False

    @property
    def reading(self) -> ForestSamples | PartitionSamples:
        """The reading that counts."""
        found = self.forests if self.featured else self.plain
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
        """What the reading that counts can do besides P(same) of any pair.

        When it has switched, everything may differ from what was believed in the round before.
        """
        able = self.reading.abilities
        return replace(able, stale=None) if self.switched else able

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
class FeatureBelief:
    """Our posterior with a prior from features (`Neighbours`), for a learner that has one.

    Features are a prior that answers correct. Beside it there is a reading of the answers without features;
    whichever predicted the newest answers better is believed, so that useless features cost little. Of a
    learner that has ``candidates`` and no features, these can be the prior: all are equally likely, and other
    pairs may be of a kind, too. That is better than `PartitionBelief` where a list misses many pairs of
    larger groups, and worse where matches are as rare as wrong answers.

    Args:
        guard: whether there is a reading without features beside.
        n_jobs: chains that run at the same time, as in joblib; on all cores by default. No result changes.
    """

    guard: bool = True
    n_jobs: int | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        truth_value("guard", self.guard)
        check_jobs(self.n_jobs)

    @property
    def gives(self) -> frozenset[Ability]:
        """What its posterior can do besides P(same) of any pair."""
        return frozenset({Ability.SAMPLES})

    @property
    def needs_prior(self) -> bool:
        """Whether it makes sense only where a learner has features, or candidates."""
        return True

    def __call__(self, similarity: Similarity, clustering: Clustering, *, rng: Generator) -> Any:  # noqa: ARG002
        """Refuse that: without features there is nothing to believe."""
        raise InvalidInputError(
            "FeatureBelief needs the features of a learner; use ActiveClustering(n, prior=...)"
        )

    def update(
        self,
        answers: Answers,
        *,
        prior: Neighbours | None = None,
        similarity: Similarity | None = None,
        candidates: Pairs | None = None,
        carried: Guarded | None = None,
        pins: Pins | None = None,
        rng: Generator,
    ) -> FeaturePosterior:
        """Sample given all answers and pins, with features and perhaps without; see which predicts better.

        ``candidates`` are what the reading without features goes by, as it does in a learner without. Where
        there is no prior, they are one: each is as likely as any other, and there is no guard.
        """
        known = prior or _known(answers.n, candidates)
        graph, near = AnswerGraph.of(answers, None, similarity, pins), CandidateGraph.of(known, pins)
        before, guard = carried or Guarded(None, None), self.guard and prior is not None
        first, second = rng.spawn(2)
        lead = before.lead_after(graph, near, candidates)
        forests = plain = None
        enough = len(answers) >= GUARD.patience and not before.featured
        hopeless = guard and lead <= -GUARD.lost and enough
        if (carried is None or before.forests is not None) and not hopeless:
            forests = one_round(ForestProblem.of(graph, near, self.n_jobs), before.forests, first)
        if forests is None or (guard and before.is_due(len(answers), lead)):
            plain = self._plain().update(
                answers,
                similarity=graph.similarity,
                candidates=candidates,
                carried=before.plain,
                pins=pins,
                rng=second,
            )
        seen_at = len(answers) if plain is not None else before.seen_at
        featured = forests is not None
        if forests is not None and plain is not None:
            featured = before.believes(lead, explained_better(forests, plain))
        switched = carried is None or before.featured != featured
        return FeaturePosterior(forests, plain, lead, seen_at, featured, switched)

    def carry(self, posterior: FeaturePosterior) -> Guarded:
        """Return both readings but for the answers."""
        return Guarded(
            None if posterior.forests is None else CarriedForests.of(posterior.forests),
            None if posterior.plain is None else CarriedSamples.of(posterior.plain),
            posterior.lead,
            posterior.seen_at,
            posterior.featured,
        )

    def recall(
        self,
        carried: Guarded,
        answers: Answers,
        *,
        prior: Neighbours | None = None,
        similarity: Similarity | None = None,
        candidates: Pairs | None = None,
        pins: Pins | None = None,
    ) -> FeaturePosterior:
        """Make the posterior again that this was carried from, given the same answers, pins and features."""
        known = prior or _known(answers.n, candidates)
        graph, near = AnswerGraph.of(answers, None, similarity, pins), CandidateGraph.of(known, pins)
        forests = None if carried.forests is None else carried.forests.posterior(graph, near)
        plain = None
        if carried.plain is not None:
            plain = self._plain().recall(
                carried.plain, answers, similarity=graph.similarity, candidates=candidates, pins=pins
            )
        return FeaturePosterior(forests, plain, carried.lead, carried.seen_at, carried.featured)

    def restore(self, entry: Mapping[str, Any], n: int) -> Guarded:
        """Check what was carried over and saved, for n objects."""
        return Guarded.from_entry(entry, n)

    def refuse_others(
        self,
        carried: Guarded,
        answers: Answers,
        *,
        prior: Neighbours | None = None,
        candidates: Pairs | None = None,
        pins: Pins | None = None,
    ) -> None:
        """Refuse what was carried over if it cannot come from these answers, features and pins."""
        if carried.forests is not None:
            carried.forests.refuse_others(answers, prior or _known(answers.n, candidates), pins)

    def _plain(self) -> PartitionBelief:
        return PartitionBelief(n_jobs=self.n_jobs)


def explained_better(forests: ForestSamples, plain: ForestSamples | PartitionSamples) -> float:
    """Return how much better one reading predicts all answers than another one, leave-one-out.

    As a share of the surprise that chance leaves: 1 would be everything.
    """
    if forests.fit is None or plain.fit is None or not forests.fit.surprise:
        return 0.0
    return (forests.fit.gain - plain.fit.gain) / forests.fit.surprise


def _known(n: int, candidates: Pairs | None) -> Neighbours:
    """Return what is known of pairs where there are no features: which are candidates."""
    if candidates is None:
        raise InvalidInputError("FeatureBelief needs features; use ActiveClustering(n, prior=...)")
    return without_features(n, candidates)
