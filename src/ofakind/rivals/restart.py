"""A curve for algorithms that cannot go on: a fresh run for each budget, as in the paper."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from ofakind.checks import whole_number
from ofakind.oracles.base import Oracle
from ofakind.rivals.base import Outcome, Rival


def restarts(
    rival: Rival,
    n: int,
    oracle: Oracle,
    *,
    budgets: Iterable[int],
    seed: int = 0,
    features: ArrayLike | None = None,
) -> Iterator[Outcome]:
    """Run the rival from nothing with each budget in turn: its curve, when each budget is all answers so far.

    A learner goes on from round to round; a rival that spends its whole budget at once starts again, with new
    randomness. It gets new answers too where the oracle gives them: a `NoisyOracle` does to a repeated
    question. Runs happen as they are taken from the iterator.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> from ofakind.rivals.qecc import QECC
    >>> oracle = NoisyOracle(np.arange(30) % 3, gamma=0)
    >>> [run.n_answers for run in restarts(QECC(), 30, oracle, budgets=[10, 40, 90])]
    [0, 29, 57]
    """
    start = whole_number("seed", seed, least=0)
    for number, budget in enumerate(budgets):
        rng = np.random.default_rng([start, number])
        yield rival(n, oracle, budget=budget, rng=rng, features=features)
