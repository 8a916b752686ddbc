"""How wrong a partition may be, as samples of partitions say.

Everything here works on labels alone, (S, n) of them: samples x objects. Nothing is n x n, and nothing is
asked about where the samples come from; what is expected is expected if they are right.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Ints
from ofakind.checks import as_objects, real_number, whole_number
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import count_pairs
from ofakind.report.misplaced import Misplaced
from ofakind.solve.consensus import Target, as_partitions, as_samples, wrong_pairs


@dataclass(frozen=True, slots=True)
class IntervalRules:
    """The error of the model itself, chosen on random problems (docs/results/honesty.md), and on cora."""

    error: float = 0.18  # of the logarithm of an expected number of wrong pairs, while most objects are open
    luck: float = 1.8  # and the variance that is added when few are, divided by their number,
    others: float = 0.6  # to which this is added: nobody knows that all objects are placed
    unseen: float = 0.007  # share of the objects that a judge may have misled everybody about, unseen,
    unseen_objects: int = 2  # and so many at least: chosen on mnist and digits (docs/results/judge.md)
    led: float = 1 / 300  # share that features and one wrong answer may have misled, one object at most
    featured: float = 0.6  # instead of ``error`` with features: on cora twice as much is wrong as expected


INTERVAL = IntervalRules()


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How wrong a partition is expected to be if the samples are right; intervals hold with ``level``.

    If ``open_ended``, errors are correlated, and only one side is given: at least so many pairs are
    wrong, and the index is at most so much. Any number of pairs may be wrong then. Where pairs are blocked,
    or features are used, it is the other side: at most so many pairs are wrong, and none may be.
    ``never_compared`` is the number of pairs that neither features nor answers connect, by whatever chain:
    they are taken to be different, and what is said of wrong pairs says next to nothing of them. Without
    features it is 0.
    """

    level: float
    expected_wrong_pairs: float
    wrong_pairs_interval: tuple[float, float]
    expected_ari: float
    ari_interval: tuple[float, float]
    expected_clusters: float
    clusters_interval: tuple[float, float]
    open_ended: bool = False
    never_compared: int = 0

    def without_worst_case(self, n: int) -> Self:
        """Return what still holds of n objects if errors are correlated."""
        wrong, ari = (self.wrong_pairs_interval[0], float(count_pairs(n))), (-1.0, self.ari_interval[1])
        return replace(self, wrong_pairs_interval=wrong, ari_interval=ari, open_ended=True)

    def with_worst_case_of(self, other: Self) -> Self:
        """Return it when the other one may be right instead: the worse of both worst cases."""
        wrong, ari = self.wrong_pairs_interval, self.ari_interval
        return replace(
            self,
            wrong_pairs_interval=(wrong[0], max(wrong[1], other.wrong_pairs_interval[1])),
            ari_interval=(min(ari[0], other.ari_interval[0]), ari[1]),
        )

    def with_unseen_errors(self, labels: ArrayLike, *, judged: bool = False) -> Self:
        """Return it when features, or a judge, may have put objects in a wrong group without a sign of it."""
        sizes = np.bincount(np.unique(as_objects(labels), return_inverse=True)[1])
        n = int(sizes.sum())
        each = 2 * float((sizes.astype(np.float64) ** 2).sum()) / max(n, 1)  # pairs that one gets wrong
        led = max(INTERVAL.unseen_objects, INTERVAL.unseen * n) if judged else min(1.0, INTERVAL.led * n)
        most = min(led * each, float(count_pairs(n)))
        wrong, (least, best) = self.wrong_pairs_interval, self.ari_interval
        lowest = 1 - most / max(pairs_by_chance(np.repeat(np.arange(len(sizes)), sizes)), 1.0)
        return replace(
            self,
            wrong_pairs_interval=(wrong[0], max(wrong[1], most)),
            ari_interval=(min(least, lowest), best),
        )

    def without_best_case(self) -> Self:
        """Return what still holds if fewer pairs are wrong than expected, one does not know how many."""
        wrong, ari = (0.0, self.wrong_pairs_interval[1]), (self.ari_interval[0], 1.0)
        return replace(self, wrong_pairs_interval=wrong, ari_interval=ari)


def accuracy(
    samples: ArrayLike,
    chain: ArrayLike,
    labels: ArrayLike,
    *,
    level: float = 0.9,
    error: float = INTERVAL.error,
    unseen: Misplaced | None = None,
) -> Accuracy:
    """Expected number of wrong pairs, adjusted Rand index and number of true clusters, with intervals.

    A pair is wrong when the labels hold it together and a sample apart, or the other way round. See
    `interval` for what disagreement between chains does, and `model_error` for ``error``. Limits, but not
    what is expected, allow for ``unseen`` objects that no sample sees to be misplaced. O(S n).

    >>> found = accuracy([[0, 0, 1], [0, 0, 1], [0, 1, 1], [0, 0, 1]], [0, 0, 1, 1], [0, 0, 1])
    >>> found.expected_wrong_pairs, found.expected_clusters
    (0.5, 2.0)
    """
    given = as_samples(samples)
    n = given.shape[1]
    estimate = as_partitions(labels, n)
    ari = Target.of(given, np.ones(n, np.int64), "ari").values(estimate)[0]
    more = Misplaced() if unseen is None else unseen
    doubt = model_error(n, float(ari.mean()), error, more.objects)

    def about(
        values: NDArray[Any], limits: tuple[float, float], relative: float, added: float = 0.0
    ) -> tuple[float, tuple[float, float]]:
        low, high = np.clip(interval(values + added, chain, level, relative=relative), *limits)
        return float(values.mean()), (float(low), float(high))

    lacking = more.pairs / max(pairs_by_chance(estimate[0]), 1.0)
    missing, (least, most) = about(1 - ari, (0, 2), doubt, lacking)  # what lacks to a perfect index
    return Accuracy(
        level,
        *about(wrong_pairs(given, estimate[0]), (0, count_pairs(n)), doubt, more.pairs),
        *(1 - missing, (1 - most, 1 - least)),
        *about(given.max(axis=1, initial=-1) + 1, (min(n, 1), n), 0.0),
    )


def pairs_by_chance(labels: NDArray[Any]) -> float:
    """Return how many pairs are wrong if objects are dealt to groups of these sizes: an index of 0.

    >>> round(pairs_by_chance(np.array([0, 0, 1, 1])), 3)  # of six pairs, two are together
    2.667
    """
    sizes, every = np.bincount(labels), count_pairs(len(labels))
    together = float((sizes * (sizes - 1) // 2).sum())
    return 2 * together * (1 - together / max(every, 1))


def model_error(n: int, expected_ari: float, error: float = INTERVAL.error, unseen: float = 0.0) -> float:
    """Deviation of the logarithm of wrong pairs that comes from the model, for this expected index.

    No truth is a draw from the prior, and the worth of answers is a point estimate. If the share p of n
    objects is placed and the others are alone, the index is about p^2: so m = n (1 - p) objects are open.
    How many pairs they get wrong is luck, the more so the fewer they are: the variance of the logarithm is
    error^2 + luck / (m + others), ``unseen`` objects being open, too.

    >>> [round(model_error(n, 0.81), 2) for n in (40, 400, 4000)]
    [0.65, 0.28, 0.19]
    """
    still_open = n * (1 - sqrt(min(max(expected_ari, 0.0), 1.0))) + unseen
    return sqrt(error * error + INTERVAL.luck / (still_open + INTERVAL.others))


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
    t = portable.t_quantile(C - 1, float(tails[1])) if C > 1 else 0.0
    between = t * np.sqrt(means.var(ddof=1) * (1 + 1 / C)) if C > 1 else 0.0
    z = np.array([portable.normal_quantile(tail) for tail in tails.tolist()])
    down, up = np.abs(mean * portable.expm1(z * relative))
    below, above = np.hypot(np.hypot([low, high], between), [down, up])
    return float(mean - below), float(mean + above)


def per_object_doubt(samples: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
    """Expected share of each object's pairs that are wrong, in [0, 1]: the highest are the doubtful ones.

    Their mean is the expected share of all pairs that are wrong. O(S n).

    >>> per_object_doubt([[0, 0, 1], [0, 1, 1]], [0, 0, 1]).tolist()
    [0.25, 0.5, 0.25]
    """
    from ofakind.kernels.search.consensus import wrong_partners

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
