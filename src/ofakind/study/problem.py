"""The objects of a cell and the oracle that answers about them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ofakind.datasets import Dataset, load, split
from ofakind.oracles.base import Oracle
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs
from ofakind.study.spec import Answerer, Data

LEAST_NOISE = 0.05  # what nCOBRAS is told when the oracle makes no errors, as its users do


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """True labels and features of the objects, their oracle, and the share of its answers with a wrong sign.

    That share is at least 0.05. Only ``candidates`` may be asked, where they are given.
    """

    truth: NDArray[np.int64]
    features: NDArray[np.float64] | None
    oracle: Oracle
    noise: float
    candidates: Pairs | None = None


def prepare(data: Data, answerer: Answerer, seed: int) -> Problem:
    """Load the objects and make the oracle; the seed is that of its noise."""
    objects = _objects(data.name, data.variant, data.objects)
    oracle = NoisyOracle(objects.labels, answerer.gamma, seed)
    return Problem(objects.labels, objects.features, oracle, max(LEAST_NOISE, answerer.gamma / 2))


@lru_cache(maxsize=4)
def _objects(name: str, variant: str | None, size: int | None) -> Dataset:
    """Load a dataset, or a random part of it that is the same in every run."""
    whole = load(name, variant=variant)
    if size is None or size >= whole.n:
        return whole
    return whole.take(np.sort(np.random.default_rng(0).choice(whole.n, size, replace=False)))
