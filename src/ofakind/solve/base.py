"""What a solver is, and one that reads samples of partitions."""

from typing import Protocol, runtime_checkable

from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.arrays import Ints
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.similarity import Similarity


class Solver(Protocol):
    """Finds a clustering of low cost. A frozen dataclass whose fields are its options.

    ``start`` is the clustering of the round before, if there was one; what a solver makes of it is its own
    affair. The result is a pure function of the arguments and of the stream that ``rng`` gives.
    """

    def __call__(
        self, similarity: Similarity, *, start: Clustering | None = None, rng: Generator
    ) -> Clustering:
        """Cluster the objects."""
        ...


@runtime_checkable
class SampleSolver(Protocol):
    """A solver that reads the clusters from samples of partitions instead of from the answers."""

    def from_samples(self, samples: ArrayLike, *, starts: ArrayLike | None = None, rng: Generator) -> Ints:
        """Return the labels to report of samples (S, n); ``starts`` (m, n) are partitions to begin with."""
        ...


@runtime_checkable
class ImprovingSolver(Protocol):
    """A solver from samples that can also bring earlier labels up to date, where little has changed."""

    def improve(self, samples: ArrayLike, labels: ArrayLike, objects: ArrayLike, *, rng: Generator) -> Ints:
        """Return these labels or better ones; only the ``objects`` and their clusters need a look."""
        ...


def check_start(start: Clustering | None, similarity: Similarity) -> None:
    """Refuse a clustering of other objects than those to be clustered."""
    if start is not None and len(start.labels) != similarity.n:
        got = f"start has {len(start.labels)} objects and the similarity {similarity.n}"
        raise InvalidInputError(f"{got}; expected equally many (leave start out to begin anew)")
