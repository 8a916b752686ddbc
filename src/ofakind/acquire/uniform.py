"""Uniform: any open pair is as good as any other (the baseline, and the way to the first answers)."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import Scores, State
from ofakind.acquire.pool import Pool
from ofakind.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Uniform:
    """Asks uniformly drawn pairs; never looks at the posterior."""

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:  # noqa: ARG002
        """Give every pair a random number in [0, 1): the best of them are a uniform choice."""
        return Scores(pairs, rng.random(len(pairs)))

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:  # noqa: ARG002
        """Draw open pairs without listing them; all score 1."""
        pairs = pool.draw(size, rng)
        return Scores(pairs, np.ones(len(pairs)))
