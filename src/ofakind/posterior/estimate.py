"""What samples of partitions say: the partition to report, and how wrong it may be.

Everything here works on labels alone, (S, n) of them: samples x objects. Nothing is n x n, and nothing is
asked about where the samples come from; what is expected is expected if they are right.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.clustering import Clustering, canonical_labels
from ofakind.errors import InvalidInputError
from ofakind.pairs import Ints, as_objects, count_pairs, one_of, real_number, whole_number
from ofakind.posterior.agreement import Measure, Target, as_partitions, as_samples, expected, wrong_pairs
from ofakind.similarity import Similarity

STEPS = 4  # linear forms of the measure that are climbed one after another, at most
ROUNDS = 10  # visits to all objects in one climb, at most
ENOUGH = 0.01  # a climb ends when a visit adds less than this share of its gain
READ, MANY = (60, 20), 30_000_000  # entries read for each label of the samples; the less when that is many
# Error of the logarithm of an expected number of wrong pairs, times the root of the number of objects; but of
# few objects, times their number, and at most 1. No truth is a draw from the prior, and the worth of answers
# is a point estimate: both matter less the more is answered. Chosen on runs with simulated noise (see the
# docs), of at most so many objects; beyond, as there.
MODEL_ERROR, FEW_OBJECTS, MEASURED = 4.5, 55.0, 1000
COMPARED = 50_000_000  # labels read to find the best sample; beyond, only some samples are looked at
RARE, NEAR = 1.5, 0.07  # where fewer pairs are together for each object, so little of a measure is a guess


@runtime_checkable
class Samples(Protocol):
    """A posterior that holds samples of partitions, of several chains."""

    @property
    def similarity(self) -> Similarity:
        """Which pairs were answered."""
        ...

    @property
    def labels(self) -> NDArray[np.int32]:
        """Sampled partitions, (S, n), labels 0..k-1 each."""
        ...

    @property
    def chain(self) -> NDArray[np.int64]:
        """Which chain each sample comes from."""
        ...


def newest(posterior: Samples) -> NDArray[np.int32]:
    """Return the last sample of each chain."""
    last = {int(chain): sample for sample, chain in enumerate(posterior.chain)}
    return posterior.labels[[*last.values()]]


@dataclass(frozen=True, slots=True)
class Consensus:
    """Reports the partition that is expected to be nearest to the truth, under samples of partitions.

    Takes the place of a solver in a learner whose belief is sampled: first come the samples, then, from
    them, the clusters.

    Args:
        measure: what "nearest" means: the adjusted Rand index ("ari") or the F1 of pairs of a kind ("f1").
    """

    measure: Measure = "ari"

    def __post_init__(self) -> None:
        one_of("measure", self.measure, "ari", "f1")

    def read(self, posterior: object, *, start: Clustering | None = None, rng: Generator) -> Clustering:
        """Search from the last state of each chain and from ``start``; see `consensus`."""
        if not isinstance(posterior, Samples) or np.ndim(posterior.labels) != 2:
            raise InvalidInputError(
                f"Consensus reads samples of partitions and got a {type(posterior).__name__}; "
                "use belief=PartitionBelief(), or a solver such as LocalSearch()"
            )
        starts = [*newest(posterior)] + ([] if start is None else [start.labels])
        labels = consensus(posterior.labels, starts=np.array(starts), measure=self.measure, rng=rng)
        return Clustering.of(posterior.similarity, labels)

    def __call__(
        self,
        similarity: Similarity,  # noqa: ARG002
        *,
        start: Clustering | None = None,  # noqa: ARG002
        rng: Generator,  # noqa: ARG002
    ) -> Clustering:
        """Refuse: answers alone hold no samples."""
        raise InvalidInputError(
            "Consensus reads samples of partitions and got only answers; call "
            "Consensus().read(posterior, rng=rng), or use a solver such as LocalSearch()"
        )


# -- the partition to report -------------------------------------------------------------------------------


def consensus(
    samples: ArrayLike, *, starts: ArrayLike | None = None, measure: Measure = "ari", rng: Generator
) -> Ints:
    """Return the labels whose expected measure is highest, as far as a search finds them.

    The result is never worse, in its `expected` measure, than any of ``starts`` and than the best sample
    (among those looked at, when all would be too many). No more is promised: the problem is hard. But where
    samples hold few pairs together, fewer than 1.5 for each object, single pairs move a measure from 0 to 1,
    and it may be highest for the pairs of some few samples: a guess. There all objects are alone if this has
    fewer wrong pairs and loses no more than 0.07.

    Near a partition, the measure is linear in the pairs that it shares with each sample and in all its pairs
    (a Dinkelbach step, one ratio for each sample). Single objects, parts of clusters and whole clusters move
    while this linear form rises; the outcome counts if the measure itself has risen. Objects that all samples
    hold together move as one. A visit to all objects takes O(S n c), c being the mean number of clusters that
    a sample's cluster has objects in, and the search ends after O(S n) steps in any case; memory is O(S n).

    >>> samples = [[0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 2, 2]]
    >>> consensus(samples, rng=np.random.default_rng(0)).tolist()
    [0, 0, 1, 2, 2]
    """
    from ofakind.kernels.consensus import renumber

    one_of("measure", measure, "ari", "f1")
    given = as_samples(samples)
    begin = as_partitions(np.empty((0, given.shape[1])) if starts is None else starts, given.shape[1])
    first, group = _told_apart(given)
    target = Target.of(given[:, first], np.bincount(group, minlength=len(first)), measure)
    found, value = _search(target, renumber(begin, first), rng)
    values = expected(given, begin, measure=measure)
    # A start may part what all samples hold together, and be better even so.
    labels = begin[values.argmax()] if values.max(initial=-np.inf) > value else found[group]
    if target.true.mean() < RARE * len(labels):
        labels = _not_guessed(given, labels, measure)
    return canonical_labels(labels)


def _not_guessed(samples: NDArray[np.int32], labels: Ints, measure: Measure) -> Ints:
    """Return the labels, or all objects alone if these are hardly worse and fewer pairs are wrong."""
    both = np.stack([labels, np.arange(len(labels))])
    lost = -np.diff(expected(samples, both, measure=measure))[0]
    wrong, otherwise = (wrong_pairs(samples, each).mean() for each in both)
    return np.asarray(both[int(lost <= NEAR and otherwise < wrong)])


def _search(target: Target, starts: Ints, rng: Generator) -> tuple[Ints, float]:
    """Return the best labels found from the starts and from the best sample, and their value."""
    starts = _distinct_rows(np.concatenate([starts, _best_sample(target)[None]]))
    values = target.values(starts).mean(axis=1)
    best, value = starts[values.argmax()], float(values.max())
    left = _allowed(target)
    for start in starts[np.argsort(-values, kind="stable")]:
        if left > 0:
            labels, new, left = _climb(target, start, left, rng)
            best, value = (labels, new) if new > value else (best, value)
    left = _allowed(target)
    for _ in range(STEPS):
        labels, new, left = _climb(target, best, left, rng)
        if new <= value:
            break
        best, value = labels, new
    return best, value


def _distinct_rows(rows: Ints) -> Ints:
    """Each row once, sorted: `np.unique` by rows, which is slow where these are long."""
    by_bytes = {row.astype(">i8").tobytes(): row for row in rows}
    return np.array([by_bytes[key] for key in sorted(by_bytes)])


def _allowed(target: Target) -> int:
    """Return how many entries may be read: first from all starts together, then from the best."""
    most, least = (each * target.samples.size for each in READ)
    return min(most, max(least, MANY))


def _best_sample(target: Target) -> Ints:
    """Return the sample nearest to all others; of very many, evenly spaced ones are looked at."""
    S, size = len(target.samples), max(target.samples.size, 1)
    looked_at = np.linspace(0, S - 1, min(S, max(1, COMPARED // size))).astype(np.int64)
    some = target.samples[looked_at].astype(np.int64)
    return np.asarray(some[target.values(some).mean(axis=1).argmax()])


def _climb(target: Target, start: Ints, left: int, rng: Generator) -> tuple[Ints, float, int]:
    """Labels that the linear form at the start leads to, their value, and what is left of entries to read."""
    from ofakind.kernels.consensus import settle, tabulate

    weights, theta = target.linear(start)
    labels, gained = start.copy(), 0.0
    cells = tabulate(target.samples, target.mass, labels)
    for _ in range(ROUNDS):
        before = gained
        for blocks in _blocks(target, labels, rng):
            gain, read = settle(cells, labels, blocks, weights, theta, left)
            gained, left = gained + gain, left - read
        if gained - before <= ENOUGH * gained or left <= 0:
            break
    return labels, float(target.values(labels[None]).mean()), left


def _blocks(target: Target, labels: Ints, rng: Generator) -> Iterator[tuple[Ints, Ints]]:
    """Yield single objects, parts that some sample cuts clusters into, whole clusters: of the labels then."""
    from ofakind.kernels.consensus import by_group
    from ofakind.kernels.multilevel import common

    yield np.arange(len(labels) + 1), rng.permutation(len(labels))
    yield by_group(common(labels, target.samples[rng.integers(len(target.samples))]))
    yield by_group(labels)


def _told_apart(samples: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Objects that some sample tells from all before, and for each object the place of its like there."""
    from ofakind.kernels.multilevel import common

    group = np.zeros(samples.shape[1], np.int64)
    for sample in samples:
        group = common(group, sample)
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    return first, group


# -- how wrong it may be -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How wrong a partition is expected to be if the samples are right; intervals hold with ``level``.

    If ``open_ended``, errors depend on each other, and only one side is given: at least so many pairs are
    wrong, and the index is at most so much. Any number of pairs may be wrong then. Where pairs are blocked it
    is the other side: at most so many pairs are wrong, and none may be.
    """

    level: float
    expected_wrong_pairs: float
    wrong_pairs_interval: tuple[float, float]
    expected_ari: float
    ari_interval: tuple[float, float]
    expected_clusters: float
    clusters_interval: tuple[float, float]
    open_ended: bool = False

    def without_worst_case(self, n: int) -> Self:
        """Return what still holds of n objects if errors depend on each other."""
        wrong, ari = (self.wrong_pairs_interval[0], float(count_pairs(n))), (-1.0, self.ari_interval[1])
        return replace(self, wrong_pairs_interval=wrong, ari_interval=ari, open_ended=True)

    def without_best_case(self) -> Self:
        """Return what still holds if fewer pairs are wrong than expected, one does not know how many."""
        wrong, ari = (0.0, self.wrong_pairs_interval[1]), (self.ari_interval[0], 1.0)
        return replace(self, wrong_pairs_interval=wrong, ari_interval=ari)


def accuracy(samples: ArrayLike, chain: ArrayLike, labels: ArrayLike, *, level: float = 0.9) -> Accuracy:
    """Expected number of wrong pairs, adjusted Rand index and number of true clusters, with intervals.

    A pair is wrong when the labels hold it together and a sample apart, or the other way round. See
    `interval` for what disagreement between chains does. O(S n).

    >>> found = accuracy([[0, 0, 1], [0, 0, 1], [0, 1, 1], [0, 0, 1]], [0, 0, 1, 1], [0, 0, 1])
    >>> found.expected_wrong_pairs, found.expected_clusters
    (0.5, 2.0)
    """
    given = as_samples(samples)
    n = given.shape[1]
    estimate = as_partitions(labels, n)
    ari = Target.of(given, np.ones(n, np.int64), "ari").values(estimate)[0]
    error = min(1.0, max(MODEL_ERROR / max(min(n, MEASURED), 1) ** 0.5, FEW_OBJECTS / max(n, 1)))

    def about(
        values: NDArray[Any], limits: tuple[float, float], relative: float
    ) -> tuple[float, tuple[float, float]]:
        low, high = np.clip(interval(values, chain, level, relative=relative), *limits)
        return float(values.mean()), (float(low), float(high))

    missing, (least, most) = about(1 - ari, (0, 2), error)  # what lacks to a perfect index
    return Accuracy(
        level,
        *about(wrong_pairs(given, estimate[0]), (0, count_pairs(n)), error),
        *(1 - missing, (1 - most, 1 - least)),
        *about(given.max(axis=1, initial=-1) + 1, (min(n, 1), n), 0.0),
    )


def interval(
    values: ArrayLike, chain: ArrayLike, level: float = 0.9, *, relative: float = 0.0
) -> tuple[float, float]:
    """Limits between which a value lies with this probability, wider the more the chains disagree.

    Around the mean of all values, three sources of doubt add up as variances do: the quantiles of the values
    about the mean of their own chain (low < 0 < high); what a new chain could differ by, which is
    b = t sqrt(B (1 + 1 / C)) for C chains whose means have the variance B, t being the quantile of Student's
    distribution with C - 1 degrees of freedom (one chain alone knows nothing of it, and 0 is taken); and a
    ``relative`` error of the model itself, which is that of the logarithm of the mean: it moves the mean by
    the factor e^(-z relative) downwards and e^(z relative) upwards, z being the quantile of the normal one.
    The limits are mean - sqrt(low^2 + b^2 + down^2) and mean + sqrt(high^2 + b^2 + up^2). One value alone
    says nothing: its limits are infinite.

    >>> interval([1, 2, 3, 1, 2, 3], [0, 0, 0, 1, 1, 1])
    (1.0, 3.0)
    """
    from scipy.special import ndtri, stdtrit

    real_number("level", level, above=0, most=0.999)
    real_number("relative", relative, least=0)
    value, (_, number) = np.asarray(values, np.float64), np.unique(as_objects(chain), return_inverse=True)
    if len(value) != len(number):
        raise InvalidInputError(f"got {len(value)} values and the chains of {len(number)}; expected as many")
    if len(value) == 1:
        return -np.inf, np.inf
    means = np.bincount(number, value) / np.bincount(number)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(value - means[number], tails)
    mean, C = value.mean(), len(means)
    between = stdtrit(C - 1, tails[1]) * np.sqrt(means.var(ddof=1) * (1 + 1 / C)) if C > 1 else 0.0
    down, up = np.abs(mean * np.expm1(ndtri(tails) * relative))
    below, above = np.hypot(np.hypot([low, high], between), [down, up])
    return float(mean - below), float(mean + above)


def per_object_doubt(samples: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
    """Expected share of each object's pairs that are wrong, in [0, 1]: the highest are the doubtful ones.

    Their mean is the expected share of all pairs that are wrong. O(S n).

    >>> per_object_doubt([[0, 0, 1], [0, 1, 1]], [0, 0, 1]).tolist()
    [0.25, 0.5, 0.25]
    """
    from ofakind.kernels.consensus import wrong_partners

    given = as_samples(samples)
    S, n = given.shape
    wrong = wrong_partners(given, as_partitions(labels, n)[0])
    return np.asarray(wrong / (S * max(n - 1, 1)), np.float64)


class Merger(NamedTuple):
    """Two clusters and the probability that they are one."""

    first: int
    second: int
    probability: float


def mergers(
    samples: ArrayLike, labels: ArrayLike, *, least: float = 0.05, largest: int = 200
) -> list[Merger]:
    """Pairs of clusters that may be one, the likeliest first: those with a probability of at least ``least``.

    The probability is the share of samples with a cluster that holds more than half of each of the two. Only
    the ``largest`` clusters are looked at, so that the time is O(S (n + largest^2)).

    >>> mergers([[0, 0, 1, 1], [0, 0, 0, 0]], [0, 0, 1, 1])
    [Merger(first=0, second=1, probability=0.5)]
    """
    real_number("least", least, above=0, most=1)
    whole_number("largest", largest, least=1)
    given = as_samples(samples)
    estimate = as_partitions(labels, given.shape[1])[0]
    shown = np.sort(np.argsort(-np.bincount(estimate), kind="stable")[:largest])
    homes = np.array([_homes(sample, estimate)[shown] for sample in given])  # (S, shown)
    together = np.zeros((len(shown), len(shown)))
    for home in homes:
        together += (home[:, None] == home) & (home >= 0)
    first, second = np.nonzero(np.triu(together >= least * len(given), 1))
    found = [
        Merger(int(shown[a]), int(shown[b]), float(together[a, b] / len(given)))
        for a, b in zip(first, second, strict=True)
    ]
    return sorted(found, key=lambda merger: -merger.probability)


def _homes(sample: NDArray[np.int32], labels: Ints) -> Ints:
    """Return the sample's cluster that holds more than half of each cluster, or -1."""
    sizes = np.bincount(labels)
    cells, count = np.unique(labels * max(len(labels), 1) + sample, return_counts=True)
    cluster, home = cells // max(len(labels), 1), cells % max(len(labels), 1)
    most = 2 * count > sizes[cluster]
    homes = np.full(len(sizes), -1)
    homes[cluster[most]] = home[most]
    return homes
