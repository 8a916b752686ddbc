"""What an acquisition function sees (`State`), what it gives (`Scores`) and what is asked (`Batch`)."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.random import Generator

from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats
from ofakind.checks import plain_array
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.posterior.base import Abilities, Posterior, abilities_of
from ofakind.similarity import Similarity

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class State:
    """Everything known when questions are chosen; the posterior is computed when first looked at."""

    similarity: Similarity
    clustering: Clustering
    believe: Callable[[], Posterior] = field(repr=False)
    stream: Callable[[], Generator] = field(default=partial(np.random.default_rng, 0), repr=False)
    seen: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, similarity: Similarity, clustering: Clustering, posterior: Posterior) -> Self:
        """Return the state in which the posterior is there already."""
        return cls(similarity, clustering, partial(itself, posterior))

    def once(self, key: Hashable, look: Callable[[Generator], T]) -> T:
        """Return what is seen of this state, looked at once however often it is asked for.

        Whoever looks first draws from ``stream``, and always the same: so a question does not depend on
        whether others were chosen from the same state before.
        """
        if key not in self.seen:
            self.seen[key] = look(self.stream())
        found: T = self.seen[key]
        return found

    @cached_property
    def posterior(self) -> Posterior:
        """What is believed of every pair."""
        return self.believe()

    @cached_property
    def abilities(self) -> Abilities:
        """What the posterior can do besides."""
        return abilities_of(self.posterior)


def itself(posterior: Posterior) -> Posterior:
    """Return what is given: how a state comes by a posterior that is there already."""
    return posterior


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Pairs and how much each is worth asking; higher is better.

    The values may be given as a list or any array of real numbers; they are kept as float64.
    """

    pairs: Pairs
    values: Floats

    def __post_init__(self) -> None:
        pairs: object = self.pairs
        if not isinstance(pairs, Pairs):
            got = f"pairs come as a {type(pairs).__name__}"
            raise InvalidInputError(f"{got}; expected Pairs, such as Pairs.from_array(...)")
        values = self.values
        if not isinstance(values, np.ndarray) or values.dtype != np.float64:
            values = plain_array(values, "scores")
        if values.size and values.dtype.kind not in "iuf":
            raise InvalidInputError(f"scores have type {values.dtype}; expected real numbers")
        if values.shape != pairs.u.shape:
            got = f"shape {values.shape} for {len(pairs)} pairs"
            raise InvalidInputError(f"scores have {got}; expected one each")
        object.__setattr__(self, "values", values.astype(np.float64, copy=False))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """The questions of one round with their scores (NaN: drawn uniformly to fill the batch)."""

    pairs: Pairs
    scores: Floats
    acquisition: str
    round: int
    seed: int


@runtime_checkable
class Acquisition(Protocol):
    """Says how much each pair is worth asking. A frozen dataclass whose fields are its options.

    This one method is all that a new acquisition function needs. The batch is then made of the pairs with
    the highest scores; a field ``noise: float`` above 0 makes it a power batch (see `choose`).
    """

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:
        """Score any pairs, in any order."""
        ...


@runtime_checkable
class Selector(Protocol):
    """An acquisition function that also knows a faster way to its batch than scoring every open pair."""

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """At most ``size`` open pairs with their scores; fewer when fewer have a score worth asking for."""
        ...


@runtime_checkable
class AdaptiveBatch(Protocol):
    """An acquisition function that makes a batch smaller: some of its questions can wait for the others."""

    def urgent(self, batch: Scores) -> Scores:
        """Keep the questions that should be asked now: at least one, in the same order."""
        ...
