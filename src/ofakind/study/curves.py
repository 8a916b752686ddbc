"""Learning curves: how good the clustering was after how many answers, in one run of one method."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Ints

FORECAST_TARGET = 0.95  # the expected adjusted Rand index that questions are forecast to
MEASURES = ("ari", "ami", "v_measure", "pair_f1")


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Wrong pairs and ARI as the method itself expected them in each round, with its 90% intervals.

    ``wrong_pairs`` is the real number, to compare with; ``open_ended`` is 1 where no worst case was given.
    """

    wrong_pairs: NDArray[np.float64]
    expected_wrong_pairs: NDArray[np.float64]
    wrong_low: NDArray[np.float64]
    wrong_high: NDArray[np.float64]
    expected_ari: NDArray[np.float64]
    ari_low: NDArray[np.float64]
    ari_high: NDArray[np.float64]
    open_ended: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Forecasts:
    """Questions to an expected ARI of `FORECAST_TARGET` that were forecast in each round; NaN: none were."""

    forecast_low: NDArray[np.float64]
    forecast: NDArray[np.float64]
    forecast_high: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One run: a method on a dataset with an oracle and a seed; the rows of its arrays are its rounds.

    ``oracle`` is what a reader sees ("Oracle 1, gamma 0.4"), ``noise`` its level where it has one.
    ``answers`` counts every answer bought, the first batch included, and rises. ``seconds`` is the computing
    time of each round. ``estimates`` are there if the clusters were read from samples of partitions,
    ``forecasts`` for random problems.
    """

    dataset: str
    oracle: str
    noise: float | None
    method: str
    seed: int
    answers: Ints
    k: Ints
    ari: NDArray[np.float64]
    ami: NDArray[np.float64]
    v_measure: NDArray[np.float64]
    pair_f1: NDArray[np.float64]
    seconds: NDArray[np.float64]
    stopped: str = ""
    estimates: Estimates | None = None
    forecasts: Forecasts | None = None
