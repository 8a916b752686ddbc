"""Any posterior with pins: what they decide is certain, whatever the posterior says of it."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.arrays import Floats
from ofakind.checks import as_known_endpoints
from ofakind.clustering import Clustering
from ofakind.pins import Pins
from ofakind.posterior.base import Abilities, Posterior, abilities_of
from ofakind.similarity import Similarity


@runtime_checkable
class PinnableBelief(Protocol):
    """A belief that is formed from a clustering and can keep to pins by itself."""

    def with_pins(
        self, similarity: Similarity, clustering: Clustering, pins: Pins, *, rng: Generator
    ) -> Posterior:
        """Believe what answers and pins say, starting from a clustering that breaks no pin."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PinnedPosterior:
    """What a posterior says of pairs that pins do not decide; of others, what pins say.

    Its samples, if it has any, are not among its abilities: they may break pins.
    """

    posterior: Posterior
    pins: Pins

    @property
    def abilities(self) -> Abilities:
        """What the posterior can do besides P(same) of any pair, but for samples."""
        return replace(abilities_of(self.posterior), samples=None, stale=None)

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Probability that each pair is of a kind; exactly 1 or 0 where pins decide it."""
        first, second = as_known_endpoints(u, v, self.pins.n)
        decided = self.pins.implied(first, second)
        return np.where(decided == 0, self.posterior.same_probability(first, second), decided > 0)

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Entropy in nats of whether each pair is of a kind; 0 where pins decide it."""
        first, second = as_known_endpoints(u, v, self.pins.n)
        decided = self.pins.implied(first, second)
        return np.where(decided == 0, self.posterior.pair_entropy(first, second), 0.0)
