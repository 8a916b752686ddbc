"""What a solver is."""

from typing import Protocol

from numpy.random import Generator

from ofakind.clustering import Clustering
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
