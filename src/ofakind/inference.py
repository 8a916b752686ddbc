"""From answers to what a round is chosen from: a belief about every pair, and a clustering."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ofakind.acquire.base import State
from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.posterior.base import Belief, Choosy, Posterior, Reader, Remembering
from ofakind.similarity import Similarity
from ofakind.solve.base import Solver

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Everything that a round is derived from: all answers, and what the round before left.

    The two stages draw from streams of their own, named by keys, so that each can be repeated.
    """

    answers: Answers
    similarity: Similarity
    start: Clustering | None
    memory: Mapping[str, Any] | None
    solve_key: Key
    believe_key: Key
    candidates: Pairs | None = None


def infer(solver: Solver, belief: Belief, known: Known) -> State:
    """Derive the clustering and the posterior from one another, in whichever order the parts need.

    A posterior that the clustering does not need is formed when it is first looked at.
    """
    rng = np.random.default_rng(known.solve_key)
    if isinstance(solver, Reader):  # the clustering is read from the posterior
        posterior = _believe(belief, known, None)
        found: object = solver.read(posterior, start=known.start, rng=rng)
        clustering = _canonical(solver, known.similarity, found)
        return State(known.similarity, clustering, partial(_given, posterior))
    found = solver(known.similarity, start=known.start, rng=rng)
    clustering = _canonical(solver, known.similarity, found)
    return State(known.similarity, clustering, partial(_believe, belief, known, clustering))


def begin(belief: Belief, known: Known) -> State:
    """Derive nothing: without answers all objects are in one cluster, until somebody looks at the posterior.

    For questions that are drawn at random; of very many objects, to read samples of the prior takes a minute.
    """
    together = Clustering.of(known.similarity, np.zeros(known.similarity.n, np.int64))
    return State(known.similarity, together, partial(_believe, belief, known, together))


def _given(posterior: Posterior) -> Posterior:
    """Return a posterior that is there already; unlike a lambda, this can be pickled."""
    return posterior


def _believe(belief: Belief, known: Known, clustering: Clustering | None) -> Posterior:
    rng = np.random.default_rng(known.believe_key)
    if isinstance(belief, Remembering):
        if known.candidates is not None and isinstance(belief, Choosy):
            return belief.follow_among(known.candidates, known.answers, memory=known.memory, rng=rng)
        return belief.follow(known.answers, memory=known.memory, rng=rng)
    if clustering is None:  # `parts_of` has refused this combination
        raise AssertionError("a belief without a memory needs a clustering")
    return belief(known.similarity, clustering, rng=rng)


def _canonical(solver: Solver, similarity: Similarity, found: object) -> Clustering:
    """Return what a solver found, with canonical labels and their cost, whoever wrote the solver."""
    if not isinstance(found, Clustering):
        got = f"{type(solver).__name__} returned a {type(found).__name__}"
        raise InvalidInputError(f"{got}; expected Clustering.of(similarity, labels)")
    return Clustering.of(similarity, found.labels)
