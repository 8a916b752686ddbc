"""How well partitions agree with samples of partitions, by measures that are ratios of numbers of pairs."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import one_of, plain_array
from ofakind.errors import InvalidInputError
from ofakind.pairs import count_pairs

Measure = Literal["ari", "f1"]


def expected(samples: ArrayLike, partitions: ArrayLike, *, measure: Measure = "ari") -> Floats:
    """Mean over the samples of the measure between them and each partition. O(S n) for each.

    Where both hold no pair together, or both all pairs, the measure is 1.

    >>> expected([[0, 0, 1], [0, 1, 1]], [[0, 0, 1], [0, 0, 0]]).tolist()
    [0.25, 0.0]
    """
    one_of("measure", measure, "ari", "f1")
    given = as_samples(samples)
    target = Target.of(given, np.ones(given.shape[1], np.int64), measure)
    return np.asarray(target.values(as_partitions(partitions, given.shape[1])).mean(axis=1))


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
        return weights, float(weights @ (self.chance + values * (0.5 - self.chance)))

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
