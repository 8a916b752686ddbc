"""Curves of rivals: a fresh run for each budget, as in the paper, or one run that is looked at."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ofakind.checks import whole_number
from ofakind.errors import BudgetSpentError, GaveUpError, InvalidInputError
from ofakind.oracles.base import Oracle
from ofakind.priors.neighbours import Neighbours
from ofakind.rivals.base import BudgetedRival, Given, Outcome, Questions, Rival, outcome_of


def restarts(
    rival: Rival,
    n: int,
    oracle: Oracle,
    *,
    budgets: Iterable[int],
    seed: int = 0,
    features: ArrayLike | None = None,
    prior: Neighbours | None = None,
) -> Iterator[Outcome]:
    """Run the rival from nothing with each budget in turn: its curve, when each budget is all answers so far.

    A learner goes on from round to round; a rival that spends its whole budget at once starts again, with new
    randomness. It gets new answers too where the oracle gives them: a `NoisyOracle` does to a repeated
    question. Runs happen as they are taken from the iterator. A ``prior`` is for rivals that need one.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> from ofakind.rivals.qecc import QECC
    >>> oracle = NoisyOracle(np.arange(30) % 3, gamma=0)
    >>> [run.n_answers for run in restarts(QECC(), 30, oracle, budgets=[10, 40, 90])]
    [0, 29, 57]
    """
    start = whole_number("seed", seed, least=0)
    for number, budget in enumerate(budgets):
        rng = np.random.default_rng([start, number])
        if isinstance(rival, BudgetedRival):
            yield rival(n, oracle, budget=budget, rng=rng, features=features, prior=prior)
        else:
            yield rival(n, oracle, budget=budget, rng=rng, features=features)


def looks(
    rival: Rival,
    n: int,
    oracle: Oracle,
    *,
    budgets: Sequence[int],
    seed: int = 0,
    features: ArrayLike | None = None,
    prior: Neighbours | None = None,
) -> Iterator[Outcome]:
    """Run the rival once, with the last of the rising budgets, and look at it at each of them.

    For rivals that are ``anytime``, whose questions do not depend on the budget: what is seen is the last
    clustering that took no more answers than that. The run goes on as far as the iterator is followed.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> from ofakind.rivals.cobras import COBRAS
    >>> x, oracle = np.arange(40.0).reshape(-1, 1), NoisyOracle(np.arange(40) // 10, gamma=0)
    >>> [run.k for run in looks(COBRAS(), 40, oracle, budgets=[0, 20, 200], features=x)]
    [1, 4, 4]
    """
    if not isinstance(rival, BudgetedRival) or not rival.anytime:
        got = f"{type(rival).__name__} looks at its budget, or nobody knows"
        raise InvalidInputError(f"{got}; expected an anytime rival such as COBRAS; use restarts for others")
    if any(later < earlier for earlier, later in pairwise(budgets)):
        raise InvalidInputError(f"the budgets are {budgets!s:.60}; expected them to rise")
    questions = Questions(n, oracle, budgets[-1] if len(budgets) else 0)
    rng = np.random.default_rng([whole_number("seed", seed, least=0), 0])
    return _seen(rival, questions, rng, Given(features, prior), budgets)


def _seen(
    rival: BudgetedRival,
    questions: Questions,
    rng: np.random.Generator,
    given: Given,
    budgets: Sequence[int],
) -> Iterator[Outcome]:
    """Follow the run; a budget is passed when a labelling took more answers than it has."""
    if not len(budgets):
        return
    labels, stopped, passed = np.arange(questions.n), "", 0
    try:
        for found in rival.labellings(questions, rng, given):
            while budgets[passed] < questions.used:
                yield outcome_of(questions, labels, first=budgets[passed])
                passed += 1
            labels = found.copy()
    except (BudgetSpentError, GaveUpError) as error:
        stopped = str(error)
    for budget in budgets[passed:]:
        yield outcome_of(questions, labels, stopped, first=budget)
