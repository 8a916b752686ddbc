"""What a posterior is, what it can do besides, and what makes one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, Mask
from ofakind.clustering import Clustering
from ofakind.noise.leave_one_out import LeaveOneOut
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity


@runtime_checkable
class Posterior(Protocol):
    """What is believed of every pair, answered for any pairs and never as an n x n matrix.

    It may have an attribute ``abilities`` (`Abilities`) that says what else it can do.
    """

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Probability that each pair is of a kind, in [0, 1]."""
        ...

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Entropy in nats of whether each pair is of a kind, in [0, ln 2]."""
        ...


class Samples(Protocol):
    """A posterior made of samples of partitions, of several chains."""

    @property
    def labels(self) -> NDArray[np.int32]:
        """The sampled partitions, (samples, n), labels 0..k-1 each; those of a chain side by side."""
        ...

    @property
    def chain(self) -> Ints:
        """Which chain each sample comes from."""
        ...

    @property
    def share_same(self) -> float:
        """P(same) of a random pair."""
        ...

    def thinned(self, count: int) -> Any:
        """Return the posterior with only so many of its samples, evenly spaced."""
        ...

    def against(self, objects: ArrayLike, others: ArrayLike) -> NDArray[np.float32]:
        """P(same) of each object (m,) with each of its others (m, r), any number for itself: (m, r)."""
        ...


class AnswerModel(Protocol):
    """What answers are like: here, how much one more of them tells."""

    def information(self, probability: ArrayLike) -> Floats:
        """Mutual information in nats between "same", of this probability, and one more answer."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Abilities:
    """What a posterior can do besides P(same) of any pair; what is None, it cannot.

    ``samples`` are partitions drawn from it, ``answers`` is what it takes answers to be like, ``fit`` how
    well it predicts each answer from all others. If ``blocked``, pairs that are no candidates are treated as
    different, or hardly believed to be of a kind: then more pairs seem wrong than are. ``stale`` are the
    objects with new answers, where little else has changed since the last time.
    ``likely`` are pairs that may well be of a kind, with P(same), where features say which these are. If
    ``judged``, what a judge says is believed; ``other`` is a posterior that may be right instead.
    """

    samples: Samples | None = None
    answers: AnswerModel | None = None
    fit: LeaveOneOut | None = None
    blocked: bool = False
    stale: Ints | None = None
    likely: tuple[Pairs, Floats] | None = None
    judged: bool = False
    other: Posterior | None = None


NONE = Abilities()


def abilities_of(posterior: object) -> Abilities:
    """Return what a posterior can do besides; one that does not say can do nothing else."""
    found: Abilities = getattr(posterior, "abilities", NONE)
    return found


def newest(samples: Samples) -> NDArray[np.int32]:
    """Return the last sample of each chain."""
    last = {int(chain): sample for sample, chain in enumerate(samples.chain)}
    return samples.labels[[*last.values()]]


class Belief(Protocol):
    """Makes a posterior. A frozen dataclass whose fields are its options.

    It may have a property ``gives``, a set of `Ability`, so that parts that need another one are refused.
    """

    def __call__(self, similarity: Similarity, clustering: Clustering, *, rng: Generator) -> Posterior:
        """Believe what the answers say, starting from a clustering of them."""
        ...


class Carried(Protocol):
    """What a belief carries over from one round to the next."""

    def to_entry(self) -> Mapping[str, Any]:
        """Return it as a tree of arrays, numbers and text, to be saved."""
        ...

    def without(self, gone: Mask, objects: Ints) -> Self:
        """Return it after some answers, which concern these objects, were taken back, or their pins changed.

        ``gone`` says for each of the answers there were, in order, whether it is one of them.
        """
        ...

    def extended(self, more: int) -> Self:
        """Return it with so many more objects."""
        ...


@runtime_checkable
class SequentialBelief(Protocol):
    """A belief that reads every answer by itself and goes on from where it was in the round before."""

    def update(
        self,
        answers: Answers,
        *,
        similarity: Similarity | None = None,
        candidates: Pairs | None = None,
        carried: Any = None,
        rng: Generator,
    ) -> Posterior:
        """Believe what the answers say; only ``candidates`` are asked, if they are given.

        ``similarity`` is the fold of the answers, for whom it saves work. ``carried`` comes from the
        posterior of the round before, if there was one. A belief that can keep to `Pins` has one more
        argument here and in `recall`, ``pins``, which is given only where there are some.
        """
        ...

    def carry(self, posterior: Any) -> Carried:
        """Return what `update` needs to go on from this posterior, and `recall` to make it again."""
        ...

    def recall(
        self,
        carried: Any,
        answers: Answers,
        *,
        similarity: Similarity | None = None,
        candidates: Pairs | None = None,
    ) -> Posterior:
        """Make the posterior again that this was carried from, given the same answers: nothing is drawn."""
        ...

    def restore(self, entry: Mapping[str, Any], n: int) -> Carried:
        """Check what was carried over and saved, for n objects, and return it as `update` takes it."""
        ...
