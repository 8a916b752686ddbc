"""Our posterior: samples of partitions, drawn by several chains that are kept from round to round."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.pairs import Ints, Pairs, read_only, real_number, truth_value, whole_number
from ofakind.parallel import check_jobs, run_each
from ofakind.posterior.answered import SLOPE, Answered
from ofakind.posterior.calibration import Calibration, learn, pair_weights
from ofakind.posterior.chains import Chain, first_answered, rows_of_each, run_on
from ofakind.posterior.dependence import dependence
from ofakind.posterior.effort import LARGE, Effort, Plan, gathered, usual_effort
from ofakind.posterior.evidence import Evidence, known_elsewhere
from ofakind.posterior.memory import Past, recalled
from ofakind.posterior.prior import blocked_grid, prior_grid, ruled_out
from ofakind.posterior.samples import PartitionSamples
from ofakind.posterior.second_opinion import Opinion, consult
from ofakind.posterior.trust import Trust
from ofakind.similarity import Similarity
from ofakind.solve.multilevel import Multilevel

Floats = NDArray[np.float64]
WARM_UP = (0.25, 0.35, 0.5, 0.7)  # the first round's temperatures, inverse, ten sweeps each
LOOK = (0, 2, 1)  # burn-in, samples and sweeps for each
SCOUT: dict[str, Any] = {"chains": 1, "burn_in": 10, "samples": 5}  # what a second opinion is drawn with
TOGETHER = 5.0  # deviations by which errors come together, from which on their worth is not learned
SETTLED = 0.5  # agreement of the chains from which on their predictions are judged
FEWEST, LEAST_SHARE = 5, 0.01  # answers of the rarer sign, from which on worth is learned


@dataclass(frozen=True, slots=True)
class PartitionBelief:
    """Our posterior as an option of a learner: samples of partitions, and what an answer is worth.

    Args:
        chains: independent chains, kept from round to round; None means four, and two for more than 5,000
            objects.
        burn_in: sweeps of each chain before its samples, in each round: by default 40, or 6 for so many.
        samples: samples of each chain, by default 15, every second sweep; or 8, every sweep. Of so many
            objects, when few answers are new and the chains agree, some samples are taken over from the round
            before and brought up to date; not so if either number is given.
        calibrate: learn what an answer of each value is worth; else it is three times its value.
        exponent: how much large clusters attract, from 0 (not at all: for very many small clusters) to 1
            (in proportion to their size: the Chinese restaurant process).
        blocked: whether pairs that are not among a learner's candidates are held for different, as behind a
            blocking rule that misses few pairs; else nothing is concluded from what is a candidate.
        n_jobs: chains that run at the same time, as in joblib (-1: on all cores). It changes no result.
    """

    chains: int | None = None
    burn_in: int | None = None
    samples: int | None = None
    calibrate: bool = True
    exponent: float = 1.0
    blocked: bool = False
    n_jobs: int | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, least in (("chains", 1), ("burn_in", 0), ("samples", 1)):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), least=least)
        truth_value("calibrate", self.calibrate)
        real_number("exponent", self.exponent, least=0, most=1)
        truth_value("blocked", self.blocked)
        check_jobs(self.n_jobs)

    def effort(self, n: int) -> Effort:
        """Return how much is sampled in a round of n objects: what was asked for, else what is usual."""
        usual = usual_effort(n)
        burn_in, samples, thin = usual.plan
        burn_in = burn_in if self.burn_in is None else self.burn_in
        samples = samples if self.samples is None else self.samples
        chains = usual.chains if self.chains is None else self.chains
        renewal = usual.renewal if self.burn_in is None and self.samples is None else 0.0
        return usual._replace(chains=chains, plan=(burn_in, samples, thin), renewal=renewal)

    def __call__(self, similarity: Similarity, clustering: Clustering, *, rng: Generator) -> PartitionSamples:
        """Sample given the mean answer of each pair; the chains start from the clustering."""
        pairs = similarity.pairs()
        answers = Answers.none(similarity.n).adding(pairs, similarity.value(pairs.u, pairs.v))
        return _Sampling(self, answers, rng).run(None, start=clustering.labels)

    def follow(
        self, answers: Answers, *, memory: Mapping[str, Any] | None, rng: Generator
    ) -> PartitionSamples:
        """Sample given all answers, going on from the memory of an earlier posterior.

        Without one, the chains begin with every object alone and are cooled down, or with a good solution.
        """
        return self._considered(_Sampling(self, answers, rng), memory, rng)

    def follow_among(
        self, candidates: Pairs, answers: Answers, *, memory: Mapping[str, Any] | None, rng: Generator
    ) -> PartitionSamples:
        """Sample as `follow` does; if ``blocked``, pairs that are no candidates are held for different."""
        sampling = _Sampling(self, answers, rng, candidates if self.blocked else None)
        return self._considered(sampling, memory, rng)

    def _considered(
        self, sampling: "_Sampling", memory: Mapping[str, Any] | None, rng: Generator
    ) -> PartitionSamples:
        """Sample, and follow a second opinion where it is clearly better; its random numbers are its own."""
        found, last = sampling.run(memory), 0 if memory is None else memory.get("opinion", 0)
        if found.calibration.slope is not None or not found.n_answers:
            return replace(found, opinion=Opinion(last))
        best, opinion = consult(found, sampling.answered.evidence, last, sampling, rng.spawn(1)[0])
        return replace(best, opinion=opinion)

    def memory(self, posterior: PartitionSamples) -> dict[str, Any]:
        """Return some samples of each chain, its last one last, and what answers were worth."""
        effort = self.effort(posterior.n)
        samples = effort.plan[1]
        each = np.linspace(0, samples - 1, min(effort.kept, samples)).astype(np.int64)
        kept = np.add.outer(samples * np.arange(effort.chains), each).ravel()
        return {
            "labels": posterior.labels[kept],
            "chain": posterior.chain[kept],
            "concentration": posterior.concentration[kept],
            "answers": posterior.n_answers,
            "calibration": posterior.calibration.to_entry(),
            "trust": posterior.trust.to_entry(),
            "opinion": posterior.opinion.asked,
        }

    def recall(self, entry: Mapping[str, Any], n: int) -> dict[str, Any]:
        """Check a saved memory of n objects."""
        return recalled(entry, n)


class _Drawn(NamedTuple):
    labels: NDArray[np.int32]
    places: Ints
    same: Floats


class _Sampling:
    """One round: the chains and the worth of answers, improved in turn (expectation maximisation)."""

    def __init__(
        self, options: PartitionBelief, answers: Answers, rng: Generator, candidates: Pairs | None = None
    ) -> None:
        self.options, self.answers, self.effort = options, answers, options.effort(answers.n)
        self.candidates, self.large = candidates, answers.n > LARGE
        prior = (answers.n, options.exponent)
        self.grid = partial(prior_grid, *prior)
        if candidates is not None:
            self.grid = partial(blocked_grid, *prior, candidates)
        self.background = 0.0 if candidates is None else ruled_out(answers.n)
        self.streams = rng.spawn(self.effort.chains)

    def scout(self, worth: Calibration, rng: Generator) -> PartitionSamples:
        """Sample hastily and from the beginning, where answers are worth something else."""
        options = replace(self.options, **SCOUT)
        return _Sampling(options, self.answers, rng, self.candidates).run(None, worth=worth)

    def follow(self, scout: PartitionSamples, rng: Generator) -> PartitionSamples:
        """Sample as usual, going on from what a scout has found."""
        memory = replace(self.options, **SCOUT).memory(scout)
        return _Sampling(self.options, self.answers, rng, self.candidates).run(memory)

    def run(
        self, memory: Mapping[str, Any] | None, start: Ints | None = None, worth: Calibration | None = None
    ) -> PartitionSamples:
        self.answered = Answered.of(self.answers, self.candidates)
        before = Past() if memory is None else self._go_on(memory)
        calibration = self._begin(start, worth) if before.calibration is None else before.calibration
        if before.draws is not None:  # so little is new that what answers are worth can be learned afterwards
            drawn = self._sample(self.answered.weights(calibration, before.trust), (0, before.draws, 1))
            calibration = self._learn(drawn.same, calibration)
            trust = before.trust_after(calibration)
            return self._result(calibration, trust, self.answered.weights(calibration, trust), drawn)
        for plan in self._lessons(first=memory is None):
            same = self._sample(self.answered.weights(calibration), plan).same
            calibration = self._learn(same, calibration)
        if self._errors_depend:
            calibration = Calibration.fixed(SLOPE)
        trust = before.trust_after(calibration)
        weights = self.answered.weights(calibration, trust)
        return self._result(calibration, trust, weights, self._sample(weights, self.effort.plan))

    def _lessons(self, *, first: bool) -> list[Plan]:
        """Return how to sample each time before the worth of answers is learned."""
        if not self.options.calibrate or self._in_vain:
            return []
        return [LOOK, *[self.effort.lesson] * self.effort.lessons[0 if first else 1]]

    @property
    def _in_vain(self) -> bool:
        """Whether there is nothing to learn yet, of so many objects that going through it would take long."""
        return self.large and not len(self.answers)

    @property
    def _errors_depend(self) -> bool:
        """Whether errors come together, in the chains' eyes; of very many objects that would take long."""
        if not self.options.calibrate or self.large:
            return False
        states = [np.unique(chain.clusters.labels, return_inverse=True)[1] for chain in self.chains]
        return dependence(self.answered.evidence, states) > TOGETHER

    def _begin(self, start: Ints | None, worth: Calibration | None) -> Calibration:
        """Start without a memory: all alone and cooled down, but every second chain from a good solution."""
        calibration, n, chains = worth or self._learn(None), self.answers.n, self.effort.chains
        if start is not None:
            self.chains = self._chains(np.tile(start, (chains, 1)))
            return calibration
        solved = np.arange(n)
        if worth is None:
            solved = Multilevel()(self.answered.similarity, start=None, rng=self.streams[0]).labels
        starts = [solved if chain % 2 else np.arange(n) for chain in range(chains)]
        if self.large and self.candidates is None:
            starts = [gathered(labels, rng) for labels, rng in zip(starts, self.streams, strict=True)]
        every = self._chains(starts)
        self.chains = every[::2]
        for heat in () if self._in_vain else WARM_UP:
            self._sample(heat * self.answered.weights(calibration), (10, 0, 1))
        every[::2] = self.chains
        self.chains = every
        return calibration

    def _go_on(self, memory: Mapping[str, Any]) -> Past:
        """Start from the last state of each chain, and see how well the answers since then were foreseen."""
        before, new = self._before(memory), self.answers.since(memory["answers"])
        last = [rows[-1] for rows in rows_of_each(before.chain)]
        self.chains = self._chains(before.labels[np.resize(last, self.effort.chains)])
        agreement = before.diagnostics
        if agreement.between <= SETTLED:  # a belief that chains do not share is not judged
            return Past(before.calibration, before.trust)
        evidence = Evidence.of(new)
        foreseen = before.same_probability(evidence.pairs.u, evidence.pairs.v)
        draws = self._take_over(before, new) if agreement.converged else None
        return Past(before.calibration, before.trust, evidence, foreseen, draws)

    def _take_over(self, before: PartitionSamples, new: Answers) -> int | None:
        """Give chains their newest samples to go on from; return how many are left to draw, None if all."""
        draws = self.effort.draws(len(new) / max(len(self.answers), 1))
        older, every = self.effort.plan[1] - draws, rows_of_each(before.chain)
        if not older or len(every) != len(self.chains) or min(map(len, every)) < older:
            return None
        stale = np.unique(np.concatenate([new.u, new.v]))
        self.chains = [
            chain._replace(older=before.labels[rows[-older:]], stale=stale)
            for chain, rows in zip(self.chains, every, strict=True)
        ]
        return draws

    def _before(self, memory: Mapping[str, Any]) -> PartitionSamples:
        """Return the posterior of the round before, as far as it is remembered: for a short time only."""
        calibration, trust = Calibration.from_entry(memory["calibration"]), Trust.from_entry(memory["trust"])
        earlier = self._earlier(memory["answers"], trust)
        weights = earlier.lifted(earlier.weights(calibration, trust))
        samples = (memory["labels"], memory["chain"], memory["concentration"], self.options.exponent)
        learned = (calibration, trust, np.empty(0), memory["answers"])
        frame = (earlier.frame, self.background)
        return PartitionSamples(earlier.similarity, weights, *samples, *learned, *frame)

    def _earlier(self, count: int, trust: Trust) -> Answered:
        """Return what was answered at the time; only without full trust the similarity then is needed."""
        if self.candidates is None and trust.value == 1:
            return first_answered(self.answered, count)
        return Answered.of(self.answers.first(count), self.candidates)

    def _learn(self, same: Floats | None, before: Calibration | None = None) -> Calibration:
        """Learn what answers are worth; where nearly all say the same, no contrast can teach it."""
        if not self.options.calibrate:
            return Calibration.fixed(SLOPE)
        yes, no = (np.count_nonzero(sign * self.answers.values > 0) for sign in (1, -1))
        contrast = min(yes, no) >= max(FEWEST, LEAST_SHARE * len(self.answers))
        evidence = self.answered.evidence
        if same is None or before is None or not contrast:
            return learn(evidence)
        return learn(evidence, same, known=known_elsewhere(same, pair_weights(evidence, before)))

    def _chains(self, labels: ArrayLike) -> list[Chain]:
        rows = np.ascontiguousarray(labels, np.int32)
        return [Chain.at(row, rng) for row, rng in zip(rows, self.streams, strict=True)]

    def _sample(self, weights: Floats, plan: Plan) -> _Drawn:
        graph = (*self.answered.frame, self.answered.lifted(weights))
        calls = [(chain, self.grid, plan, *graph) for chain in self.chains]
        self.chains, drawn, total = [], [], np.zeros(len(weights))
        for chain, labels_and_places, same in run_each(run_on, calls, self.options.n_jobs):
            self.chains.append(chain)
            drawn.append(labels_and_places)
            total += same
        per_pair = self.answered.per_pair(total)
        labels, places = (np.concatenate(part) for part in zip(*drawn, strict=True))
        return _Drawn(labels, places, per_pair / max(2 * plan[1] * len(self.chains), 1))

    def _result(
        self, calibration: Calibration, trust: Trust, weights: Floats, drawn: _Drawn
    ) -> PartitionSamples:
        from ofakind.kernels.chain import canonical_rows

        log_alphas = self.grid()[1]
        return PartitionSamples(
            self.answered.similarity,
            read_only(self.answered.lifted(weights)),
            read_only(canonical_rows(drawn.labels)),
            read_only(np.repeat(np.arange(self.effort.chains), self.effort.plan[1])),
            read_only(np.exp(log_alphas[drawn.places])),
            self.options.exponent,
            calibration,
            trust,
            read_only(np.clip(drawn.same, 0.0, 1.0)),
            len(self.answers),
            self.answered.frame,
            self.background,
        )
