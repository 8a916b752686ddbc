"""What a posterior is, and what makes one."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Ints, Pairs, as_objects, plain_array
from ofakind.similarity import Similarity


@runtime_checkable
class Posterior(Protocol):
    """What is believed of every pair, answered for any pairs and never as an n x n matrix."""

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Probability that each pair is of a kind, in [0, 1]."""
        ...

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> NDArray[np.float64]:
        """Entropy in nats of whether each pair is of a kind, in [0, ln 2]."""
        ...


class Belief(Protocol):
    """Makes a posterior. A frozen dataclass whose fields are its options."""

    def __call__(self, similarity: Similarity, clustering: Clustering, *, rng: Generator) -> Posterior:
        """Believe what the answers say, starting from a clustering of them."""
        ...


@runtime_checkable
class Remembering(Protocol):
    """A belief that reads every answer by itself and goes on from where it was in the round before."""

    def follow(self, answers: Answers, *, memory: Mapping[str, Any] | None, rng: Generator) -> Posterior:
        """Believe what the answers say; ``memory`` comes from the posterior of the round before, if any."""
        ...

    def memory(self, posterior: Posterior) -> Mapping[str, Any]:
        """Return what `follow` needs to go on from this posterior: a tree of arrays, numbers and text."""
        ...

    def recall(self, entry: Mapping[str, Any], n: int) -> Mapping[str, Any]:
        """Check a memory of n objects that was saved, and return it as `follow` takes it."""
        ...


@runtime_checkable
class Choosy(Protocol):
    """A belief with a memory that may conclude something from which pairs are candidates."""

    def follow_among(
        self, candidates: Pairs, answers: Answers, *, memory: Mapping[str, Any] | None, rng: Generator
    ) -> Posterior:
        """Believe what the answers say, knowing that only these pairs are asked."""
        ...


@runtime_checkable
class Reader(Protocol):
    """A solver that reads the clusters from a posterior instead of from the answers."""

    def read(self, posterior: Posterior, *, start: Clustering | None, rng: Generator) -> Clustering:
        """Return the clustering to report; ``start`` is that of the round before, if any."""
        ...


def as_known_rows(objects: ArrayLike, others: ArrayLike, n: int) -> tuple[Ints, Ints]:
    """Objects (m,) and a row of others for each (m, r), all of them below n; anything else is refused.

    >>> as_known_rows([4, 0], [[1, 2], [3, 0]], n=5)[1].shape
    (2, 2)
    """
    first, table = as_objects(objects), plain_array(others, "others")
    if table.ndim != 2 or len(table) != len(first):
        got = f"others have shape {table.shape} for {len(first)} objects"
        raise InvalidInputError(f"{got}; expected a row for each, such as [[1, 2]] for [0]")
    second = as_objects(table.ravel(), "others").reshape(table.shape)
    for name, given in (("objects", first), ("others", second)):
        if given.size and not 0 <= given.min() <= given.max() < n:
            wrong = given[(given < 0) | (given >= n)][0]
            raise InvalidInputError(f"{name} hold {wrong}; expected some of the {n} objects, numbered from 0")
    return first, np.ascontiguousarray(second)
