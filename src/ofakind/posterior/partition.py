"""Our posterior: samples of partitions, drawn by several chains that are kept from round to round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Ints, as_known_endpoints, read_only, real_number, truth_value, whole_number
from ofakind.posterior.calibration import Calibration, Evidence, learn, pair_weights
from ofakind.posterior.prior import prior_grid
from ofakind.similarity import Similarity
from ofakind.solve.multilevel import Multilevel

Floats = NDArray[np.float64]
SLOPE = 3.0  # worth of an answer before anything is learned, per unit of its value: the paper's beta
WARM_UP = (0.25, 0.35, 0.5, 0.7)  # the first round's temperatures, inverse, ten sweeps each
FIRST_ROUNDS, LATER_ROUNDS = 4, 1  # how often the worth of answers is learned in a round


@dataclass(frozen=True, slots=True, eq=False)
class PartitionSamples:
    """Samples of the partition, each a row of ``labels``, and what they were drawn from.

    ``weights`` is the log-likelihood ratio of each entry of ``similarity`` (the evidence for "same"),
    ``answered`` the probability of being of a kind for each answered pair, ``chain`` says where a sample
    comes from, ``concentration`` (alpha) and ``exponent`` (a) say which prior it has.
    """

    similarity: Similarity
    weights: Floats  # (entries,)
    labels: NDArray[np.int32]  # (samples, n)
    chain: Ints  # (samples,)
    concentration: Floats  # (samples,)
    exponent: float
    calibration: Calibration
    answered: Floats  # (pairs,)

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
        sizes = np.arange(self.n + 1.0)
        powers = np.where(sizes > 0, np.maximum(sizes, 1) ** self.exponent, 0.0)
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
        memory = {"labels": np.tile(clustering.labels, (self.chains, 1)), "calibration": None}
        return self.follow(answers, memory=memory, rng=rng)

    def follow(
        self, answers: Answers, *, memory: Mapping[str, Any] | None, rng: Generator
    ) -> PartitionSamples:
        """Sample given all answers, going on from the memory of an earlier posterior.

        Without one, the chains begin with every object alone and are cooled down, or with a good solution.
        """
        return _Sampling(self, answers, rng).run(memory)

    def memory(self, posterior: PartitionSamples) -> dict[str, Any]:
        """Return the chains' last states and the calibration."""
        last = np.flatnonzero(np.r_[np.diff(posterior.chain) != 0, True])
        return {"labels": posterior.labels[last], "calibration": posterior.calibration.to_entry()}

    def recall(self, entry: Mapping[str, Any], n: int) -> dict[str, Any]:
        """Check a saved memory of n objects."""
        labels = np.array(entry["labels"], np.int32)
        if labels.ndim != 2 or labels.shape[1] != n or (n and not len(labels)):
            raise InvalidInputError(f"the chains have shape {labels.shape}; expected (chains, {n})")
        if labels.size and (labels.min() < 0 or labels.max() >= n):
            raise InvalidInputError(f"the chains hold labels outside 0..{n - 1}")
        Calibration.from_entry(entry["calibration"])
        return {"labels": labels, "calibration": entry["calibration"]}


class _Drawn(NamedTuple):
    labels: NDArray[np.int32]
    places: Ints
    same: Floats


class _Sampling:
    """One round: the chains and the worth of answers, improved in turn (expectation maximisation)."""

    def __init__(self, options: PartitionBelief, answers: Answers, rng: Generator) -> None:
        from ofakind.kernels.csr import symmetric_csr

        self.options, self.evidence = options, Evidence.of(answers)
        self.similarity = Similarity.from_answers(answers)
        pairs = self.similarity.pairs()
        self.pair_of_entry = symmetric_csr(answers.n, pairs.u, pairs.v)[2]
        self.streams = rng.spawn(options.chains)

    def run(self, memory: Mapping[str, Any] | None) -> PartitionSamples:
        calibration = self._learn(None)
        if memory is None:
            self._begin(calibration)
        else:
            self.chains = self._chains(np.resize(memory["labels"], (self.options.chains, self.similarity.n)))
            if memory["calibration"] is not None:
                calibration = Calibration.from_entry(memory["calibration"])
        plans = [(0, 2, 1), *[(10, 5, 1)] * (LATER_ROUNDS if memory else FIRST_ROUNDS)]
        for plan in plans if self.options.calibrate else ():
            calibration = self._learn(self._sample(calibration, plan).same)
        drawn = self._sample(calibration, (self.options.burn_in, self.options.samples, 2))
        return self._result(calibration, drawn)

    def _begin(self, calibration: Calibration) -> None:
        """Start without a memory: all alone and cooled down, but every second chain from a good solution."""
        alone = np.arange(self.similarity.n)
        solved = Multilevel()(self.similarity, start=None, rng=self.streams[0]).labels
        self.chains = self._chains([solved if chain % 2 else alone for chain in range(self.options.chains)])
        every = self.chains
        self.chains = every[::2]
        for heat in WARM_UP:
            self._sample(calibration, (10, 0, 1), heat)
        self.chains = every

    def _learn(self, same: Floats | None) -> Calibration:
        if not self.options.calibrate:
            return Calibration.fixed(SLOPE)
        return learn(self.evidence, same)

    def _chains(self, labels: ArrayLike) -> list[tuple[Any, Any, Generator]]:
        from ofakind.kernels.partition import Prior, clusters_of

        grid = prior_grid(self.similarity.n, self.options.exponent)
        rows = np.ascontiguousarray(labels, np.int32)
        return [
            (clusters_of(row), Prior(*grid, np.zeros(1, np.int64)), rng)
            for row, rng in zip(rows, self.streams, strict=True)
        ]

    def _sample(self, calibration: Calibration, plan: tuple[int, int, int], heat: float = 1.0) -> _Drawn:
        from ofakind.kernels.csr import Graph
        from ofakind.kernels.partition import sample

        s = self.similarity
        graph = Graph(s.indptr, s.indices, heat * self._weights(calibration))
        same = np.zeros(len(s.indices))
        drawn = [
            sample(graph, clusters, prior, plan, same, rng)
            for clusters, prior, rng in self.chains
        ]
        per_pair = np.bincount(self.pair_of_entry, same, minlength=s.n_pairs)
        labels, places = (np.concatenate(part) for part in zip(*drawn, strict=True))
        return _Drawn(labels, places, per_pair / max(2 * plan[1] * len(self.chains), 1))

    def _weights(self, calibration: Calibration) -> Floats:
        return pair_weights(self.evidence, calibration)[self.pair_of_entry]

    def _result(self, calibration: Calibration, drawn: _Drawn) -> PartitionSamples:
        from ofakind.kernels.partition import canonical_rows

        log_alphas = prior_grid(self.similarity.n, self.options.exponent)[1]
        return PartitionSamples(
            self.similarity,
            read_only(self._weights(calibration)),
            read_only(canonical_rows(drawn.labels)),
            read_only(np.repeat(np.arange(self.options.chains), self.options.samples)),
            read_only(np.exp(log_alphas[drawn.places])),
            self.options.exponent,
            calibration,
            read_only(np.clip(drawn.same, 0.0, 1.0)),
        )
