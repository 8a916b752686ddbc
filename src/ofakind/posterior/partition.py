"""Our posterior: samples of partitions, drawn by several chains that are kept from round to round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Ints, as_known_endpoints, read_only, real_number, truth_value, whole_number
from ofakind.posterior.calibration import Calibration, learn, pair_weights
from ofakind.posterior.diagnostics import Diagnostics, diagnose
from ofakind.posterior.evidence import Evidence
from ofakind.posterior.prior import prior_grid
from ofakind.posterior.trust import Trust
from ofakind.similarity import Similarity
from ofakind.solve.multilevel import Multilevel

Floats = NDArray[np.float64]
SLOPE = 3.0  # worth of an answer before anything is learned, per unit of its value: the paper's beta
WARM_UP = (0.25, 0.35, 0.5, 0.7)  # the first round's temperatures, inverse, ten sweeps each
FIRST_PASSES, LATER_PASSES = 4, 1  # how often the worth of answers is learned, after a first LOOK
LOOK, PASS = (0, 2, 1), (10, 5, 1)  # burn-in, samples and sweeps for each, to learn from
SETTLED = 0.5  # agreement of the chains from which on their predictions are judged
FEWEST, LEAST_SHARE = 5, 0.01  # answers of the rarer sign, from which on worth is learned
KEPT = 5  # samples of each chain that are remembered
FULL = Trust()


@dataclass(frozen=True, slots=True, eq=False)
class PartitionSamples:
    """Samples of the partition, each a row of ``labels``, and what they were drawn from.

    ``weights`` is the log-likelihood ratio of each entry of ``similarity`` (the evidence for "same"),
    ``answered`` the probability of being of a kind for each answered pair, ``chain`` says where a sample
    comes from, ``concentration`` (alpha) and ``exponent`` (a) say which prior it has. ``calibration`` is what
    an answer is worth as learned, ``trust`` how far that is believed.
    """

    similarity: Similarity
    weights: Floats  # (entries,)
    labels: NDArray[np.int32]  # (samples, n)
    chain: Ints  # (samples,)
    concentration: Floats  # (samples,)
    exponent: float
    calibration: Calibration
    trust: Trust
    answered: Floats  # (pairs,)
    n_answers: int

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.similarity.n

    @property
    def share_same(self) -> float:
        """Probability that a random pair is of a kind."""
        if self.n < 2:
            return 0.0
        sizes = [np.bincount(row) for row in self.labels]
        return float(np.mean([(size * (size - 1.0)).sum() for size in sizes])) / (self.n * (self.n - 1.0))

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree, and how many independent samples these are worth."""
        return diagnose(self.labels, self.chain)

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Probability that each pair is of a kind; either object's label is averaged out in turn."""
        first, second = as_known_endpoints(u, v, self.n)
        return np.clip((self._towards(first, second) + self._towards(second, first)) / 2, 0.0, 1.0)

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Entropy in nats of whether each pair is of a kind."""
        from scipy.special import entr

        same = self.same_probability(u, v)
        return np.asarray(entr(same) + entr(1 - same), np.float64)

    def against(self, objects: ArrayLike, others: ArrayLike) -> NDArray[np.float32]:
        """Probability that each object is of a kind with each of its row of others: (m,), (m, r) -> (m, r).

        The objects' labels are averaged out. O(samples (entries of the objects + m r)).
        """
        rows, columns = np.ascontiguousarray(objects, np.int64), np.ascontiguousarray(others, np.int64)
        starts = np.arange(len(rows) + 1) * columns.shape[1]
        return self._probabilities(rows, starts, columns.ravel()).astype(np.float32).reshape(columns.shape)

    def _towards(self, objects: Ints, others: Ints) -> Floats:
        order = np.argsort(objects, kind="stable")
        rows, starts = np.unique(objects[order], return_index=True)
        found = np.empty(len(objects))
        found[order] = self._probabilities(rows, np.r_[starts, len(objects)], others[order])
        return found

    def _probabilities(self, objects: Ints, starts: Ints, others: Ints) -> Floats:
        from ofakind.kernels.csr import Graph
        from ofakind.kernels.same_cluster import probability_against

        s = self.similarity
        graph = Graph(s.indptr, s.indices, self.weights)
        powers = prior_grid(self.n, self.exponent)[2]
        found = probability_against(
            graph, self.labels, self.concentration, powers, objects, starts.astype(np.int64), others
        )
        return np.asarray(found, np.float64)


@dataclass(frozen=True, slots=True)
class PartitionBelief:
    """Our posterior as an option of a learner: samples of partitions, and what an answer is worth.

    Args:
        chains: independent chains, kept from round to round.
        burn_in: sweeps of each chain before its samples, in each round.
        samples: samples of each chain, every second sweep.
        calibrate: learn what an answer of each value is worth; else it is three times its value.
        exponent: how much large clusters attract, from 0 (not at all: for very many small clusters) to 1
            (in proportion to their size: the Chinese restaurant process).
    """

    chains: int = 4
    burn_in: int = 40
    samples: int = 15
    calibrate: bool = True
    exponent: float = 1.0

    @property
    def plan(self) -> tuple[int, int, int]:
        """Burn-in, samples and sweeps for each sample, of each chain in each round."""
        return self.burn_in, self.samples, 2

    def __post_init__(self) -> None:
        whole_number("chains", self.chains, least=1)
        whole_number("burn_in", self.burn_in, least=0)
        whole_number("samples", self.samples, least=1)
        truth_value("calibrate", self.calibrate)
        real_number("exponent", self.exponent, least=0, most=1)

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
        return _Sampling(self, answers, rng).run(memory)

    def memory(self, posterior: PartitionSamples) -> dict[str, Any]:
        """Return some samples of each chain, its last one last, and what answers were worth."""
        each = np.linspace(0, self.samples - 1, min(KEPT, self.samples)).astype(np.int64)
        kept = np.add.outer(self.samples * np.arange(self.chains), each).ravel()
        return {
            "labels": posterior.labels[kept],
            "chain": posterior.chain[kept],
            "concentration": posterior.concentration[kept],
            "answers": posterior.n_answers,
            "calibration": posterior.calibration.to_entry(),
            "trust": posterior.trust.to_entry(),
        }

    def recall(self, entry: Mapping[str, Any], n: int) -> dict[str, Any]:
        """Check a saved memory of n objects."""
        labels, chain = np.array(entry["labels"], np.int32), np.array(entry["chain"], np.int64)
        concentration = np.array(entry["concentration"], np.float64)
        if labels.ndim != 2 or labels.shape != (len(chain), n) or not len(chain) == len(concentration) > 0:
            shapes = f"{labels.shape}, {chain.shape} and {concentration.shape}"
            raise InvalidInputError(f"samples, chains and alphas have shapes {shapes}; expected as many")
        if labels.size and (labels.min() < 0 or labels.max() >= n):
            raise InvalidInputError(f"the samples hold labels outside 0..{n - 1}")
        if not (concentration > 0).all() or np.any(np.diff(chain) < 0):
            raise InvalidInputError("the samples' alphas or chains are not in order")
        Calibration.from_entry(entry["calibration"])
        Trust.from_entry(entry["trust"])
        count = whole_number("answers", entry["answers"], least=0)
        checked = {"labels": labels, "chain": chain, "concentration": concentration, "answers": count}
        return {**entry, **checked}


class _Drawn(NamedTuple):
    labels: NDArray[np.int32]
    places: Ints
    same: Floats


class _Sampling:
    """One round: the chains and the worth of answers, improved in turn (expectation maximisation)."""

    def __init__(self, options: PartitionBelief, answers: Answers, rng: Generator) -> None:
        self.options, self.answers = options, answers
        self.answered = _Answered.of(answers)
        self.streams = rng.spawn(options.chains)

    def run(self, memory: Mapping[str, Any] | None, start: Ints | None = None) -> PartitionSamples:
        before = None if memory is None else self._before(memory)
        calibration = self._begin(start) if before is None else self._go_on(before)
        passes = FIRST_PASSES if before is None else LATER_PASSES
        for plan in [LOOK, *[PASS] * passes] if self.options.calibrate else ():
            calibration = self._learn(self._sample(self.answered.weights(calibration), plan).same)
        trust = FULL if before is None else self._trust(before, calibration)
        weights = self.answered.weights(calibration, trust)
        return self._result(calibration, trust, weights, self._sample(weights, self.options.plan))

    def _begin(self, start: Ints | None) -> Calibration:
        """Start without a memory: all alone and cooled down, but every second chain from a good solution."""
        calibration, n, chains = self._learn(None), self.answered.similarity.n, self.options.chains
        if start is not None:
            self.chains = self._chains(np.tile(start, (chains, 1)))
            return calibration
        solved = Multilevel()(self.answered.similarity, start=None, rng=self.streams[0]).labels
        every = self._chains([solved if chain % 2 else np.arange(n) for chain in range(chains)])
        self.chains = every[::2]
        for heat in WARM_UP:
            self._sample(heat * self.answered.weights(calibration), (10, 0, 1))
        self.chains = every
        return calibration

    def _go_on(self, before: PartitionSamples) -> Calibration:
        """Start from the last state of each chain."""
        last = np.flatnonzero(np.r_[np.diff(before.chain) != 0, True])
        self.chains = self._chains(before.labels[np.resize(last, self.options.chains)])
        return before.calibration

    def _trust(self, before: PartitionSamples, calibration: Calibration) -> Trust:
        """Judge how well the answers since the round before were foreseen, once the chains agreed."""
        if before.diagnostics.between <= SETTLED:
            return before.trust
        new = Evidence.of(self.answers.since(before.n_answers))
        foreseen = before.same_probability(new.pairs.u, new.pairs.v)
        return before.trust.after(foreseen, pair_weights(new, calibration))

    def _before(self, memory: Mapping[str, Any]) -> PartitionSamples:
        """Return the posterior of the round before, as far as it is remembered."""
        calibration, trust = Calibration.from_entry(memory["calibration"]), Trust.from_entry(memory["trust"])
        earlier = _Answered.of(self.answers.first(memory["answers"]))
        weights = earlier.weights(calibration, trust)
        samples = (memory["labels"], memory["chain"], memory["concentration"], self.options.exponent)
        count = memory["answers"]
        return PartitionSamples(earlier.similarity, weights, *samples, calibration, trust, np.empty(0), count)

    def _learn(self, same: Floats | None) -> Calibration:
        """Learn what answers are worth; where nearly all say the same, no contrast can teach it."""
        if not self.options.calibrate:
            return Calibration.fixed(SLOPE)
        yes, no = (np.count_nonzero(sign * self.answers.values > 0) for sign in (1, -1))
        contrast = min(yes, no) >= max(FEWEST, LEAST_SHARE * len(self.answers))
        return learn(self.answered.evidence, same if contrast else None)

    def _chains(self, labels: ArrayLike) -> list[tuple[Any, Any, Generator]]:
        from ofakind.kernels.partition import Prior, clusters_of

        grid = prior_grid(self.answered.similarity.n, self.options.exponent)
        rows = np.ascontiguousarray(labels, np.int32)
        return [
            (clusters_of(row), Prior(*grid, np.zeros(1, np.int64)), rng)
            for row, rng in zip(rows, self.streams, strict=True)
        ]

    def _sample(self, weights: Floats, plan: tuple[int, int, int]) -> _Drawn:
        from ofakind.kernels.csr import Graph
        from ofakind.kernels.partition import sample

        s = self.answered.similarity
        graph = Graph(s.indptr, s.indices, weights)
        same = np.zeros(len(s.indices))
        drawn = [sample(graph, clusters, prior, plan, same, rng) for clusters, prior, rng in self.chains]
        per_pair = np.bincount(self.answered.pair_of_entry, same, minlength=s.n_pairs)
        labels, places = (np.concatenate(part) for part in zip(*drawn, strict=True))
        return _Drawn(labels, places, per_pair / max(2 * plan[1] * len(self.chains), 1))

    def _result(
        self, calibration: Calibration, trust: Trust, weights: Floats, drawn: _Drawn
    ) -> PartitionSamples:
        from ofakind.kernels.partition import canonical_rows

        log_alphas = prior_grid(self.answered.similarity.n, self.options.exponent)[1]
        return PartitionSamples(
            self.answered.similarity,
            read_only(weights),
            read_only(canonical_rows(drawn.labels)),
            read_only(np.repeat(np.arange(self.options.chains), self.options.samples)),
            read_only(np.exp(log_alphas[drawn.places])),
            self.options.exponent,
            calibration,
            trust,
            read_only(np.clip(drawn.same, 0.0, 1.0)),
            len(self.answers),
        )


class _Answered(NamedTuple):
    """Answers in two forms: as evidence for each pair, and as a graph whose entries know their pair."""

    evidence: Evidence
    similarity: Similarity
    pair_of_entry: Ints

    @classmethod
    def of(cls, answers: Answers) -> Self:
        from ofakind.kernels.csr import symmetric_csr

        evidence, similarity = Evidence.of(answers), Similarity.from_answers(answers)
        return cls(evidence, similarity, symmetric_csr(answers.n, evidence.pairs.u, evidence.pairs.v)[2])

    def weights(self, calibration: Calibration, trust: Trust = FULL) -> Floats:
        """Evidence for "same" of each entry: as learned; where not trusted, at most the plain value's."""
        learned = pair_weights(self.evidence, calibration)[self.pair_of_entry]
        most = SLOPE * np.abs(self.similarity.values)
        return np.asarray(trust.value * learned + (1 - trust.value) * np.clip(learned, -most, most))
