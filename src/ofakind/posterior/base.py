"""What a posterior is, and what makes one."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.clustering import Clustering
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
