"""Our posterior as an option of a learner; `loop` says how a round goes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.random import Generator

from ofakind.answers import Answers
from ofakind.checks import check_jobs, real_number, truth_value, whole_number
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.carried import CarriedSamples
from ofakind.posterior.partition.loop import Problem, grid_of, one_round, run
from ofakind.posterior.partition.samples import PartitionSamples
from ofakind.posterior.partition.schedule import Schedule, usual_schedule
from ofakind.registry import Ability
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True)
class PartitionBelief:
    """Our posterior as an option of a learner: samples of partitions, and what an answer is worth.

    Args:
        chains: independent chains, carried from round to round; None means four, and two for more than 5,000
            objects.
        burn_in: sweeps of each chain before its samples, in each round: by default 40, or 6 for so many.
        samples: samples of each chain, by default 15, every second sweep; or 8, every sweep. Of so many
            objects, when few answers are new and the chains agree, some samples are kept from the round
            before and brought up to date; not so if either number is given.
        calibrate: learn what an answer of each value is worth; else it is three times its value.
        exponent: how much large clusters attract, from 0 (not at all: for very many small clusters) to 1
            (in proportion to their size: the Chinese restaurant process).
        blocked: whether pairs that are not among a learner's candidates are treated as different, unless
            answers speak for it, as behind a blocking rule that misses few pairs: so it is by default. If
            not, candidates only say what may be asked, and nothing is concluded from what is one.
        n_jobs: chains that run at the same time, as in joblib; on all cores by default. No result changes.
    """

    chains: int | None = None
    burn_in: int | None = None
    samples: int | None = None
    calibrate: bool = True
    exponent: float = 1.0
    blocked: bool | None = None
    n_jobs: int | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, least in (("chains", 1), ("burn_in", 0), ("samples", 1)):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), least=least)
        truth_value("calibrate", self.calibrate)
        real_number("exponent", self.exponent, least=0, most=1)
        if self.blocked is not None:
            truth_value("blocked", self.blocked)
        check_jobs(self.n_jobs)

    @property
    def gives(self) -> frozenset[Ability]:
        """What its posterior can do besides P(same) of any pair."""
        return frozenset({Ability.SAMPLES})

    @property
    def needs_candidates(self) -> bool:
        """Whether it makes sense only where a learner has candidates."""
        return bool(self.blocked)

    def schedule(self, n: int) -> Schedule:
        """Return how much is sampled in a round of n objects: what was asked for, else what is usual."""
        usual = usual_schedule(n)
        final = usual.final
        if self.burn_in is not None:
            final = final._replace(burn_in=self.burn_in)
        if self.samples is not None:
            final = final._replace(samples=self.samples)
        renewal = usual.renewal if self.burn_in is None and self.samples is None else 0.0
        chains = usual.chains if self.chains is None else self.chains
        return replace(usual, chains=chains, final=final, renewal=renewal)

    def __call__(self, similarity: Similarity, clustering: Clustering, *, rng: Generator) -> PartitionSamples:
        """Sample given the mean answer of each pair; the chains start from the clustering."""
        pairs = similarity.pairs()
        answers = Answers.none(similarity.n).adding(pairs, similarity.value(pairs.u, pairs.v))
        return run(self._problem(AnswerGraph.of(answers)), None, rng, labels=clustering.labels)

    def update(
        self,
        answers: Answers,
        *,
        similarity: Similarity | None = None,
        candidates: Pairs | None = None,
        carried: CarriedSamples | None = None,
        pins: Pins | None = None,
        rng: Generator,
    ) -> PartitionSamples:
        """Sample given all answers and pins, going on from what an earlier posterior left.

        Without that, the chains begin with every object alone and are cooled down, or with a good solution.
        ``similarity`` is the fold of the answers, if it is there already.
        With ``candidates``, all other pairs are treated as different, unless ``blocked`` is False. Objects
        that are pinned as the same count as one in the prior.
        """
        graph = AnswerGraph.of(answers, None if self.blocked is False else candidates, similarity, pins)
        return one_round(self._problem(graph), carried, rng)

    def carry(self, posterior: PartitionSamples) -> CarriedSamples:
        """Return all of it but the answers."""
        return CarriedSamples.of(posterior)

    def recall(
        self,
        carried: CarriedSamples,
        answers: Answers,
        *,
        similarity: Similarity | None = None,
        candidates: Pairs | None = None,
        pins: Pins | None = None,
    ) -> PartitionSamples:
        """Make the posterior again that this was carried from, given the same answers and pins."""
        graph = AnswerGraph.of(answers, None if self.blocked is False else candidates, similarity, pins)
        return carried.posterior(graph, self.exponent)

    def restore(self, entry: Mapping[str, Any], n: int) -> CarriedSamples:
        """Check what was carried over and saved, for n objects."""
        return CarriedSamples.from_entry(entry, n)

    def _problem(self, graph: AnswerGraph) -> Problem:
        return Problem(
            graph=graph,
            grid=grid_of(graph, self.exponent),
            exponent=self.exponent,
            schedule=self.schedule(graph.answers.n),
            calibrate=self.calibrate,
            n_jobs=self.n_jobs,
        )
