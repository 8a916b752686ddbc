"""Consensus: the partition that is expected to be nearest to the truth, under samples of partitions.

How near two partitions are is measured by ratios of numbers of pairs: the adjusted Rand index, or F1.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import one_of, plain_array
from ofakind.clustering import Clustering, renumbered
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import count_pairs
from ofakind.registry import Ability
from ofakind.similarity import Similarity

Measure = Literal["ari", "f1"]


# -- how well partitions agree with samples ----------------------------------------------------------------


def expected(samples: ArrayLike, partitions: ArrayLike, *, measure: Measure = "ari") -> Floats:
    """Mean over the samples of the measure between them and each partition. O(S n) for each.

    Where both hold no pair together, or both all pairs, the measure is 1.

    >>> expected([[0, 0, 1], [0, 1, 1]], [[0, 0, 1], [0, 0, 0]]).tolist()
    [0.25, 0.0]
    """
    one_of("measure", measure, "ari", "f1")
    given = as_samples(samples)
    return _expected(given, as_partitions(partitions, given.shape[1]), measure)


def _expected(samples: NDArray[np.int32], partitions: Ints, measure: Measure) -> Floats:
    target = Target.of(samples, np.ones(samples.shape[1], np.int64), measure)
    return np.asarray(target.values(partitions).mean(axis=1))


def wrong_pairs(samples: NDArray[np.int32], labels: Ints) -> Ints:
    """Return how many pairs the labels hold together and each sample apart, or the other way round. O(S n).

    >>> wrong_pairs(np.array([[0, 0, 1], [0, 1, 2]], np.int32), np.array([0, 0, 0])).tolist()
    [2, 3]
    """
    from ofakind.kernels.search.consensus import together, within

    estimate, mass = labels[None], np.ones(len(labels), np.int64)
    wrong = within(estimate, mass) + within(samples, mass) - 2 * together(samples, mass, estimate)[0]
    return np.asarray(wrong, np.int64)


class Compared(NamedTuple):
    """The measure between each partition and each sample, and the limit that it is a share of."""

    values: Floats  # (partitions, S)
    limits: Floats  # (partitions, S)

    def row(self, at: int) -> "Compared":
        """Return one partition's."""
        return Compared(self.values[at : at + 1], self.limits[at : at + 1])


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Samples of objects, each of which may stand for several, and the measure to agree with them in.

    With ``both`` pairs shared by a partition and a sample, ``found`` pairs in the partition and ``true`` ones
    in the sample, both measures are (both - chance found) / ((found + true) / 2 - chance found): the adjusted
    Rand index with the sample's share of all pairs as the chance, F1 with 0.
    """

    samples: NDArray[np.int32]  # (S, m)
    mass: Ints  # (m,)
    true: Ints  # (S,)
    chance: Floats  # (S,)

    @classmethod
    def of(cls, samples: NDArray[np.int32], mass: Ints, measure: Measure) -> Self:
        """Count the pairs of the samples."""
        from ofakind.kernels.search.consensus import within

        samples = np.ascontiguousarray(samples)
        true = within(samples, mass)
        every = max(count_pairs(int(mass.sum())), 1)
        return cls(samples, mass, true, true / every if measure == "ari" else np.zeros(len(true)))

    def values(self, partitions: Ints) -> Floats:
        """Return the measure between each partition and each sample, (partitions, S)."""
        return self.compare(partitions).values

    def linear(self, compared: "Compared") -> tuple[Floats, float]:
        """Return the weight of each sample and the price of a pair in the linear form at one partition."""
        (values,), (limits,) = compared
        weights = 1 / np.maximum(limits, 0.5)  # where equal values are 0 / 0, one pair changes them by 1
        weights /= weights.sum()
        return weights, portable.dot(weights, self.chance + values * (0.5 - self.chance))

    def compare(self, partitions: Ints) -> "Compared":
        """Compare each partition with each sample. O(S n) for each."""
        from ofakind.kernels.search.consensus import together, within

        by_chance = self.chance * within(partitions, self.mass)[:, None]
        top = together(self.samples, self.mass, partitions) - by_chance
        limit = (within(partitions, self.mass)[:, None] + self.true) / 2 - by_chance
        return Compared(np.divide(top, limit, out=np.ones(limit.shape), where=limit > 0), limit)


def as_samples(samples: ArrayLike) -> NDArray[np.int32]:
    """One or more partitions as (S, n) labels 0..k-1 each, in order of first appearance."""
    from ofakind.kernels.search.consensus import renumber

    array = plain_array(samples, "samples")
    if array.ndim != 2 or not len(array):
        raise InvalidInputError(f"samples have shape {array.shape}; expected (S, n), at least one sample")
    _refuse_strange(array, "samples")
    return np.asarray(renumber(array.astype(np.int32), np.arange(array.shape[1])))


def as_partitions(partitions: ArrayLike, n: int) -> Ints:
    """Partitions (or one, given by itself) as (m, n) labels 0..n-1; anything else is refused."""
    array = np.atleast_2d(plain_array(partitions, "labels"))
    if array.ndim != 2 or array.shape[1] != n:
        raise InvalidInputError(f"labels have shape {array.shape}; expected one for each of {n} objects")
    _refuse_strange(array, "labels")
    return np.ascontiguousarray(array, np.int64)


def _refuse_strange(array: NDArray[Any], what: str) -> None:
    """Refuse labels that are not whole numbers in 0..n-1."""
    if array.size and array.dtype.kind not in "iu":
        raise InvalidInputError(f"{what} have type {array.dtype}; expected whole numbers")
    if array.size and not 0 <= array.min() <= array.max() < array.shape[1]:
        raise InvalidInputError(
            f"{what} hold {array.min()} to {array.max()}; expected labels in 0..{array.shape[1] - 1}"
        )


# -- the partition to report -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConsensusRules:
    """Tuned numbers of the search for a consensus, chosen by judgement."""

    steps: int = 4  # linear forms of the measure that are climbed one after another, at most
    visits: int = 10  # to all objects in one climb, at most
    enough: float = 0.01  # a climb ends when a visit adds less than this share of its gain
    most_read: int = 60  # entries that may be read for each label of the samples,
    least_read: int = 20  # or so many of them where there are
    many_read: int = 30_000_000  # more than so many entries in all
    compared: int = 50_000_000  # labels read to find the best sample; beyond, only some samples are looked at
    looked_at: float = 0.1  # share of the objects that are looked at where little has changed
    rare: float = 1.5  # pairs together for each object: where there are fewer,
    near: float = 0.54  # so little of a measure, over the root of the number of samples, is a guess,
    nearest: float = 0.1  # and no more than this


CONSENSUS = ConsensusRules()


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

    @property
    def needs(self) -> frozenset[Ability]:
        """What it needs of a posterior."""
        return frozenset({Ability.SAMPLES})

    def from_samples(self, samples: ArrayLike, *, starts: ArrayLike | None = None, rng: Generator) -> Ints:
        """Return the labels whose expected measure is highest, as far as a search finds them.

        The result is never worse, in its `expected` measure, than any of ``starts`` and than the best sample
        (among those looked at, when all would be too many). No more is promised: the problem is hard. But
        where samples hold few pairs together, fewer than 1.5 for each object, single pairs move a measure
        from 0 to 1, and it may be highest for the pairs of some few samples: a guess. There all objects are
        alone if this has fewer wrong pairs and loses no more than
        0.54 / sqrt(S), nor than 0.1.

        Near a partition, the measure is linear in the pairs that it shares with each sample and in all its
        pairs (a Dinkelbach step, one ratio for each sample). Single objects, parts of clusters and whole
        clusters move while this linear form rises; the outcome counts if the measure itself has risen.
        Objects that all samples hold together move as one. A visit to all objects takes O(S n c), c being the
        mean number of clusters that a sample's cluster has objects in, and the search ends after O(S n) steps
        in any case; memory is O(S n).

        >>> samples = [[0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 2, 2]]
        >>> Consensus().from_samples(samples, rng=np.random.default_rng(0)).tolist()
        [0, 0, 1, 2, 2]
        """
        from ofakind.kernels.search.consensus import renumber
        from ofakind.kernels.search.multilevel import told_apart

        given = as_samples(samples)
        begin = as_partitions(np.empty((0, given.shape[1])) if starts is None else starts, given.shape[1])
        first, group = told_apart(given)
        target = Target.of(given[:, first], np.bincount(group, minlength=len(first)), self.measure)
        found, value = _search(target, renumber(begin, first), rng)
        values = _expected(given, begin, self.measure)
        # A start may part what all samples hold together, and be better even so.
        labels = begin[values.argmax()] if values.max(initial=-np.inf) > value else found[group]
        if target.true.mean() < CONSENSUS.rare * len(labels):
            labels = _not_guessed(given, labels, self.measure)
        return renumbered(labels)

    def improve(self, samples: ArrayLike, labels: ArrayLike, objects: ArrayLike, *, rng: Generator) -> Ints:
        """Return labels that are no worse than these: one climb, for which only some objects are visited.

        These are the ``objects``, the clusters they are in, and a share of all others at random. O(S n).
        """
        from ofakind.kernels.search.consensus import renumber
        from ofakind.kernels.search.multilevel import told_apart

        given = as_samples(samples)
        begin = as_partitions(labels, given.shape[1])
        first, group = told_apart(given)
        target = Target.of(given[:, first], np.bincount(group, minlength=len(first)), self.measure)
        start = renumber(begin, first)
        concerned = np.unique(group[np.asarray(objects, np.int64)])
        others = rng.permutation(len(first))[: ceil(CONSENSUS.looked_at * len(first))]
        found = _improved(target, start, concerned, others)
        both = np.stack([found[group], begin[0]])
        if np.array_equal(begin[0], begin[0][first][group]):  # it parts nothing that samples hold together
            return renumbered(both[0])
        return renumbered(both[_expected(given, both, self.measure).argmax()])

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
            "Consensus().from_samples(posterior.labels, rng=rng), or use a solver such as "
            "LocalSearch()"
        )


def consensus(
    samples: ArrayLike, *, starts: ArrayLike | None = None, measure: Measure = "ari", rng: Generator
) -> Ints:
    """Return the labels whose expected measure is highest: `Consensus.from_samples` as a function.

    >>> consensus([[0, 0, 1], [0, 0, 1], [0, 1, 1]], rng=np.random.default_rng(0)).tolist()
    [0, 0, 1]
    """
    return Consensus(measure).from_samples(samples, starts=starts, rng=rng)


def _not_guessed(samples: NDArray[np.int32], labels: Ints, measure: Measure) -> Ints:
    """Return the labels, or all objects alone if these are hardly worse and fewer pairs are wrong."""
    both, near = (
        np.stack([labels, np.arange(len(labels))]),
        min(CONSENSUS.near / sqrt(len(samples)), CONSENSUS.nearest),
    )
    lost = -np.diff(_expected(samples, both, measure))[0]
    wrong, otherwise = (wrong_pairs(samples, each).mean() for each in both)
    return np.asarray(both[int(lost <= near and otherwise < wrong)])


def _search(target: Target, starts: Ints, rng: Generator) -> tuple[Ints, float]:
    """Return the best labels found from the starts and from the best sample, and their value."""
    starts = _distinct_rows(np.concatenate([starts, _best_sample(target)[None]]))
    compared = target.compare(starts)
    values = compared.values.mean(axis=1)
    best = Climbed(starts[values.argmax()], compared.row(int(values.argmax())))
    left = _allowed(target)
    for row in np.argsort(-values, kind="stable"):
        if left > 0:
            found, left = _climb(target, Climbed(starts[row], compared.row(row)), left, rng)
            best = found if found.value > best.value else best
    left = _allowed(target)
    for _ in range(CONSENSUS.steps):
        found, left = _climb(target, best, left, rng)
        if found.value <= best.value:
            break
        best = found
    return best.labels, best.value


def _improved(target: Target, start: Ints, objects: Ints, others: Ints) -> Ints:
    """Return the labels that settling objects, others and clusters gives, or the start (1, m) if better."""
    from ofakind.kernels.search.consensus import settle, tabulate

    before, labels = target.compare(start), start[0].copy()
    weights, theta = target.linear(before)
    cells, limit = tabulate(target.samples, target.mass, labels), _allowed(target)
    singles = np.concatenate([objects, others])
    gained, read = settle(cells, labels, (np.arange(len(singles) + 1), singles), weights, theta, limit)
    members = np.flatnonzero(np.isin(labels, labels[objects]))
    members = members[np.argsort(labels[members], kind="stable")]
    first = np.r_[0, np.flatnonzero(np.diff(labels[members])) + 1, len(members)][not len(members) :]
    more, _ = settle(cells, labels, (first, members), weights, theta, limit - read)
    if gained + more <= 0 or target.compare(labels[None]).values.mean() < before.values.mean():
        return np.asarray(start[0], np.int64)
    return np.asarray(labels, np.int64)


class Climbed(NamedTuple):
    """Labels, and how they compare with the samples."""

    labels: Ints
    compared: Compared

    @property
    def value(self) -> float:
        """Their expected measure."""
        return float(self.compared.values.mean())


def _distinct_rows(rows: Ints) -> Ints:
    """Each row once, sorted: `np.unique` by rows, which is slow where these are long."""
    by_bytes = {row.astype(">i8").tobytes(): row for row in rows}
    return np.array([by_bytes[key] for key in sorted(by_bytes)])


def _allowed(target: Target) -> int:
    """Return how many entries may be read: first from all starts together, then from the best."""
    size = target.samples.size
    return min(CONSENSUS.most_read * size, max(CONSENSUS.least_read * size, CONSENSUS.many_read))


def _best_sample(target: Target) -> Ints:
    """Return the sample nearest to all others; of very many, evenly spaced ones are looked at."""
    S, size = len(target.samples), max(target.samples.size, 1)
    looked_at = np.linspace(0, S - 1, min(S, max(1, CONSENSUS.compared // size))).astype(np.int64)
    some = target.samples[looked_at].astype(np.int64)
    return np.asarray(some[target.values(some).mean(axis=1).argmax()])


def _climb(target: Target, start: Climbed, left: int, rng: Generator) -> tuple[Climbed, int]:
    """Labels that the linear form at the start leads to, and what is left of entries to read."""
    from ofakind.kernels.search.consensus import tabulate, visit

    weights, theta = target.linear(start.compared)
    labels, gained = start.labels.copy(), 0.0
    cells = tabulate(target.samples, target.mass, labels)
    for _ in range(CONSENSUS.visits):
        order, sample = rng.permutation(len(labels)), target.samples[rng.integers(len(target.samples))]
        before = gained
        gained, left = visit(cells, labels, order, sample, weights, theta, gained, left)
        if gained - before <= CONSENSUS.enough * gained or left <= 0:
            break
    return Climbed(labels, target.compare(labels[None])), left
