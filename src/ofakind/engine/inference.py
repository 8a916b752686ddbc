"""From answers to what a round is chosen from: a belief about every pair, and a clustering."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.acquire.base import State, itself
from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.base import Belief, Posterior, SequentialBelief, abilities_of, newest
from ofakind.posterior.pinned import PinnableBelief, PinnedPosterior
from ofakind.priors.neighbours import Neighbours
from ofakind.similarity import Similarity
from ofakind.solve.base import ImprovingSolver, SampleSolver, Solver
from ofakind.solve.pinned import agreement, enforced, solve_pinned

# Each stage of a round draws from a stream of its own, so none depends on what another one used up.
SOLVE, BELIEVE, CHOOSE, FORECAST, SEE, FOR_JUDGE, AWAKE = 0, 1, 2, 3, 4, 5, 6


@dataclass(frozen=True, slots=True)
class InferenceRules:
    """Tuned numbers of how a belief is read, chosen by judgement."""

    few: int = 2_000  # labels of all samples that are read anew at every change, for that takes no time


INFERENCE = InferenceRules()


def stream(seed: int, stage: int, round_: int) -> np.random.Generator:
    """Return the random numbers of a stage of a round, always from their beginning."""
    return np.random.default_rng((seed, stage, round_))


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Everything that a belief is derived from: all answers and pins, and what was believed before.

    ``round`` is the one in which the belief is formed: it stays in force while nobody answers.
    """

    answers: Answers
    similarity: Similarity
    before: Clustering | None
    carried: Any
    candidates: Pairs | None
    seed: int
    round: int
    pins: Pins | None = None
    prior: Neighbours | None = None
    judged: Answers | None = None

    def stream(self, stage: int) -> np.random.Generator:
        """Return the random numbers of a stage of this round, always from their beginning."""
        return stream(self.seed, stage, self.round)

    @property
    def extras(self) -> dict[str, Any]:
        """What a sequential belief is given only where it is there."""
        given = {"pins": self.pins, "prior": self.prior, "judged": self.judged}
        return {name: value for name, value in given.items() if value is not None}

    def state(self, clustering: Clustering, believe: Callable[[], Posterior]) -> State:
        """Return what questions are chosen from."""
        return State(self.similarity, clustering, believe, partial(self.stream, SEE))


def derive(solver: Solver, belief: Belief, known: Known, *, changed: bool, starting: bool) -> State:
    """Return what the next round is chosen from: what is held already, unless something has ``changed``."""
    if known.before is not None and not changed:
        return recall(belief, known, known.before)
    if starting and isinstance(solver, SampleSolver):  # nothing to read, and no need to
        return begin(belief, known)
    return infer(solver, belief, known)


def infer(solver: Solver, belief: Belief, known: Known) -> State:
    """Derive the clustering and the posterior from one another, in whichever order the parts need.

    A posterior that the clustering does not need is formed when it is first looked at.
    """
    if isinstance(solver, SampleSolver):
        posterior = believe(belief, known, None)
        clustering = read_samples(solver, posterior, known)
        return known.state(clustering, partial(itself, posterior))
    if known.pins is None:
        found = solver(known.similarity, start=known.before, rng=known.stream(SOLVE))
        clustering = _canonical(solver, known.similarity, found)
    else:
        clustering = solve_pinned(
            solver, known.similarity, known.pins, start=known.before, rng=known.stream(SOLVE)
        )
    return known.state(clustering, partial(believe, belief, known, clustering))


def recall(belief: Belief, known: Known, clustering: Clustering) -> State:
    """Derive again what is held: nothing is drawn that was not drawn then.

    ``clustering`` is the one that is held, and ``known.carried`` comes from the posterior.
    """
    if not isinstance(belief, SequentialBelief) or known.carried is None:
        return known.state(clustering, partial(believe, belief, known, clustering))
    return known.state(
        clustering,
        partial(
            belief.recall,
            known.carried,
            known.answers,
            similarity=known.similarity,
            candidates=known.candidates,
            **known.extras,
        ),
    )


def begin(belief: Belief, known: Known) -> State:
    """Derive nothing: without answers all objects that may be are in one cluster, until somebody looks.

    For questions that are drawn at random; of very many objects, to read samples of the prior takes a minute.
    """
    labels = np.zeros(known.similarity.n, np.int64)
    if known.pins is not None:
        labels = enforced(labels, known.pins, partial(_alike, known.pins.sizes()))
    together = Clustering.of(known.similarity, labels)
    return known.state(together, partial(believe, belief, known, together))


def believe(belief: Belief, known: Known, clustering: Clustering | None) -> Posterior:
    """Form the posterior: from all answers and what was carried over, or else from a clustering."""
    rng = known.stream(BELIEVE)
    if isinstance(belief, SequentialBelief):
        return belief.update(
            known.answers,
            similarity=known.similarity,
            candidates=known.candidates,
            carried=known.carried,
            rng=rng,
            **known.extras,
        )
    if clustering is None:  # `parts_of` has refused this combination
        raise AssertionError("a belief that carries nothing over needs a clustering")
    if known.pins is not None and isinstance(belief, PinnableBelief):
        return belief.with_pins(known.similarity, clustering, known.pins, rng=rng)
    if known.pins is not None:
        return PinnedPosterior(belief(known.similarity, clustering, rng=rng), known.pins)
    return belief(known.similarity, clustering, rng=rng)


def read_samples(solver: SampleSolver, posterior: Posterior, known: Known) -> Clustering:
    """Read the clustering from samples, beginning with the newest of each chain and that of before."""
    samples = abilities_of(posterior).samples
    if samples is None or np.ndim(samples.labels) != 2:
        raise InvalidInputError(
            f"{type(solver).__name__} reads samples of partitions and got a {type(posterior).__name__}; "
            "use belief=PartitionBelief(), or a solver such as LocalSearch()"
        )
    feasible = partial(_feasible, samples.labels, known.pins)
    stale, before = abilities_of(posterior).stale, known.before
    labels = None if before is None else feasible(before.labels)
    stale = stale if samples.labels.size > INFERENCE.few else None
    if stale is not None and labels is not None and isinstance(solver, ImprovingSolver):
        labels = solver.improve(samples.labels, labels, stale, rng=known.stream(SOLVE))
    else:
        starts = np.array([*newest(samples), *([] if labels is None else [labels])])
        labels = solver.from_samples(samples.labels, starts=starts, rng=known.stream(SOLVE))
    return Clustering.of(known.similarity, feasible(labels))


def _feasible(samples: NDArray[np.int32], pins: Pins | None, labels: Ints) -> Ints:
    """Return labels that break no pin: offenders go where the samples agree most."""
    return labels if pins is None else enforced(labels, pins, agreement(samples, pins))


def _alike(sizes: Ints, _unit: int) -> Floats:
    """Let every unit attract any other, by its size."""
    return sizes.astype(np.float64)


def _canonical(solver: Solver, similarity: Similarity, found: object) -> Clustering:
    """Return what a solver found, with canonical labels and their cost, whoever wrote the solver."""
    if not isinstance(found, Clustering):
        got = f"{type(solver).__name__} returned a {type(found).__name__}"
        raise InvalidInputError(f"{got}; expected Clustering.of(similarity, labels)")
    return Clustering.of(similarity, found.labels)
