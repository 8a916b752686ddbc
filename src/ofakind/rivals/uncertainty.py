"""Uncertainty sampling: a logistic model of pairs, taught by the pairs that it is least sure of."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Floats, Ints, Mask
from ofakind.checks import whole_number
from ofakind.kernels import portable
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import MapStart
from ofakind.priors.start import start_of
from ofakind.rivals.base import BudgetedRival, Given, Questions, checked_graph


@dataclass(frozen=True, slots=True)
class FitRules:
    """When the fit ends; by judgement."""

    steps: int = 100  # of Newton's method, at most
    halvings: int = 30  # of one step, at most, until it is one upwards
    enough: float = 1e-8  # a step that changes no coefficient by more is the last


FIT = FitRules()


@dataclass(frozen=True, slots=True)
class UncertaintySampling(BudgetedRival):
    """Active learning of a pair model, as in Lewis and Gale (1994), on the pairs of a candidate graph.

    P(same) of a pair is a logistic function of its features. The coefficients begin where the shipped start
    of the pair map has them, and are then the most probable ones given all answers (MAP), the start being the
    prior. Each batch asks the pairs with P(same) nearest to 1/2 that were not asked yet, the first ones of
    equals. Clusters are what pairs with P(same) above 1/2 connect; a pair that was asked counts as answered,
    "same" above 0.

    The order of the objects decides between equal pairs, nothing is random. When all pairs of the graph are
    asked, the run ends by itself. O(pairs) a batch, and the fit O(answers).

    Options:
        batch_size: questions between two fits. A study tells the batch size of its learners.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> from ofakind.priors.neighbours import Neighbours
    >>> near = Neighbours.from_records(["Joe's Diner", "Joes Diner", "The Ritz", "Ritz", "Joe Diner"])
    >>> oracle = NoisyOracle([0, 0, 1, 1, 0], gamma=0)
    >>> UncertaintySampling()(5, oracle, budget=10, rng=np.random.default_rng(0), prior=near)
    Outcome(5 objects in 2 clusters, cost 0, 5 answers)
    """

    batch_size: int = 20
    anytime: ClassVar[bool] = True
    needs_prior: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole_number("batch_size", self.batch_size, least=1)

    def _labellings(self, questions: Questions, rng: Generator, given: Given) -> Iterator[Ints]:  # noqa: ARG002
        """Yield the labels before the first and after each batch."""
        near = checked_graph(given.prior, questions.n, "UncertaintySampling")
        start = start_of(near)
        answers = np.zeros(len(near.pairs))  # 1 and -1 where a pair was asked
        log_odds = portable.matmul(near.features, start.mean)
        yield _connected(near, np.where(answers == 0, log_odds, answers) > 0)
        while (answers == 0).any():
            doubt = np.where(answers == 0, np.abs(log_odds), np.inf)
            # The last batch is cut, so that no budget ends in a batch of nothing.
            size = min(self.batch_size, int((answers == 0).sum()), max(questions.left, 1))
            rows = np.argsort(doubt, kind="stable")[:size]
            answers[rows] = np.where(questions.ask(near.pairs.u[rows], near.pairs.v[rows]) > 0, 1.0, -1.0)
            asked = answers != 0
            log_odds = portable.matmul(
                near.features, most_probable(start, near.features[asked], answers[asked] > 0)
            )
            yield _connected(near, np.where(asked, answers, log_odds) > 0)


def most_probable(start: MapStart, features: Floats, same: Mask) -> Floats:
    """Coefficients of the logistic model that are most probable given what each of these pairs is.

    Newton's method on a concave function, a step halved until it leads upwards.
    """
    signs = np.where(same, 1.0, -1.0)

    def height(beta: Floats) -> float:
        return float(
            portable.log_expit(signs * portable.matmul(features, beta)).sum() + start.log_prior(beta).height
        )

    beta, now = start.mean, height(start.mean)
    for _ in range(FIT.steps):
        p, prior = portable.expit(portable.matmul(features, beta)), start.log_prior(beta)
        gradient = portable.matmul(features.T, same - p) + prior.gradient
        information = portable.gram(features, p * (1 - p)) + prior.information
        step = portable.solve(information, gradient)
        for _ in range(FIT.halvings):
            if height(beta + step) >= now:
                break
            step = step / 2
        else:
            break
        beta, now = beta + step, height(beta + step)
        if np.abs(step).max(initial=0.0) < FIT.enough:
            break
    return np.asarray(beta)


def _connected(near: Neighbours, joined: Mask) -> Ints:
    """Label the connected components of the pairs that are joined."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    u, v = near.pairs.u[joined], near.pairs.v[joined]
    graph = coo_array((np.ones(len(u)), (u, v)), shape=(near.n, near.n))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)
