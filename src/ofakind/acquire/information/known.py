"""Who is known: which objects are so well known that a question against them settles something."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import State
from ofakind.arrays import Floats, Ints, largest
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.noise.evidence import EVIDENCE
from ofakind.posterior.base import Posterior


@dataclass(frozen=True, slots=True)
class FamiliarityRules:
    """Tuned numbers of who is known; the first from runs (docs/results/attempts.md), others by judgement."""

    landmarks: int = 64  # objects that all others are compared with, half of them from as many busy ones
    samples: int = 12  # that tell roughly how well an object is known; whole batches take 1 % more with them
    block: int = 1 << 20  # pairs that are looked at together: what bounds the memory
    iterations: int = 30  # of the power method that finds the leading eigenvector
    draws: int = 4096  # pairs that tell how common pairs of a kind are, where a posterior does not say
    least_share: float = 1e-6  # of pairs of a kind, below which they count as this common


FAMILIARITY = FamiliarityRules()


@dataclass(frozen=True, slots=True, eq=False)
class Familiarity:
    """How well each object is known.

    ``weight`` in [0, 1] is high for objects whose relation to well-known objects is well known: the leading
    eigenvector of a matrix that says how well each pair is known. ``unknown`` is the mean entropy of an
    object's pairs as a share of what it would be if nothing were known: 0 when all is settled.
    """

    weight: Floats  # (n,)
    unknown: Floats  # (n,)


def familiarity_of(state: State, rng: Generator, *, roughly: bool = False) -> Familiarity:
    """Measure all objects against some landmarks: half have many answers, half are drawn uniformly.

    O(n) time and memory, for a fixed number of landmarks. With 64 objects or fewer all of them are
    landmarks. With few samples it is known ``roughly``, which is quicker.
    """
    from ofakind.kernels.search.batch import familiarity

    n, state = state.similarity.n, _thinned(state) if roughly else state
    landmarks = _landmarks(state, rng)
    prior = _prior_entropy(state, rng)
    weights = _leading(against(state, landmarks, _rows(landmarks, len(landmarks))), prior)
    weight, unknown = np.zeros(n), np.zeros(n)
    column = np.full(n, -1)
    column[landmarks] = np.arange(len(landmarks))
    for block in blocks(np.arange(n), len(landmarks)):
        probability = against(state, block, _rows(landmarks, len(block)))
        weight[block], unknown[block] = familiarity(
            probability, column[block], weights, prior, EVIDENCE.rumour
        )
    largest = weight.max(initial=0.0)
    return Familiarity(weight / largest if largest > 0 else np.ones(n), unknown)


def featured_familiarity(state: State) -> Familiarity:
    """Say of each object how much is in doubt about its likeliest pairs; all are equally well known.

    Where groups are small, landmarks tell nothing: an object in doubt is one with a pair in doubt. O(pairs).
    """
    n, likely = state.similarity.n, state.abilities.likely
    unknown = np.zeros(n)
    if likely is not None:
        pairs, same = likely
        doubt = (portable.entr(same) + portable.entr(1 - same)) / portable.log(2)
        np.maximum.at(unknown, pairs.u, doubt)
        np.maximum.at(unknown, pairs.v, doubt)
    return Familiarity(np.ones(n), unknown)


def against(state: State, objects: Ints, others: Ints) -> Floats:
    """P(same) of each object (m,) with each of its others (m, r), by whatever way the posterior has."""
    samples, first = state.abilities.samples, np.broadcast_to(objects[:, None], others.shape)
    if samples is not None:
        found = np.asarray(samples.against(objects, others), np.float64)
    else:
        found = state.posterior.same_probability(first.ravel(), others.ravel()).reshape(others.shape)
    return checked(state.posterior, first, others, found)


def checked(posterior: Posterior, u: Ints, v: Ints, probability: Floats) -> Floats:
    """P(same) of these pairs, within [0, 1]; a NaN is refused, and the posterior named."""
    if np.isnan(probability).any():
        at = np.unravel_index(int(np.argmax(np.isnan(probability))), probability.shape)
        got = f"the belief gave {type(posterior).__name__}, in which P(same) of ({u[at]}, {v[at]}) is NaN"
        raise InvalidInputError(f"{got}; expected a number in [0, 1]")
    return np.clip(probability, 0.0, 1.0)


def blocks(objects: Ints, others: int) -> list[Ints]:
    """Split objects that meet so many others each into blocks of about a million pairs."""
    rows = max(1, FAMILIARITY.block // max(1, others))
    return [objects[start : start + rows] for start in range(0, len(objects), rows)]


def _thinned(state: State) -> State:
    """Return the state with fewer samples, if it has many: they tell roughly how well an object is known."""
    samples = state.abilities.samples
    if samples is None or len(samples.labels) <= FAMILIARITY.samples:
        return state
    return State.of(state.similarity, state.clustering, samples.thinned(FAMILIARITY.samples))


def _rows(objects: Ints, count: int) -> Ints:
    """Return so many rows, each these objects, in the memory of one."""
    return np.broadcast_to(objects, (count, len(objects)))


def _landmarks(state: State, rng: Generator) -> Ints:
    """Half of them from the objects with most answers (twice as many), half from all; distinct."""
    n, count = state.similarity.n, FAMILIARITY.landmarks
    if n <= count:
        return np.arange(n)
    answers = np.diff(state.similarity.indptr) + rng.random(n)  # the fraction breaks ties
    most = largest(answers, count)
    busy = rng.choice(most, count // 2, replace=False)
    rest = np.setdiff1d(np.arange(n), busy, assume_unique=True)
    return np.concatenate([busy, rng.choice(rest, count - len(busy), replace=False)])


def _prior_entropy(state: State, rng: Generator) -> float:
    """Entropy of a pair of which nothing is known but how common pairs of a kind are."""
    from ofakind.kernels.field.pair_entropy import binary_entropy

    n, samples = state.similarity.n, state.abilities.samples
    if samples is not None:
        share = float(samples.share_same)
    elif n < 2:
        share = 0.5
    else:
        first = rng.integers(n, size=FAMILIARITY.draws)
        second = (first + rng.integers(1, n, size=FAMILIARITY.draws)) % n
        share = float(state.posterior.same_probability(first, second).mean())
    return float(binary_entropy(min(max(share, FAMILIARITY.least_share), 0.5)))


def _leading(probability: Floats, prior: float) -> Floats:
    """Leading eigenvector of how well each pair of landmarks is known, scaled to a largest entry of 1."""
    from ofakind.kernels.search.batch import leading

    both = (probability + probability.T) / 2
    return np.asarray(leading(both, prior, EVIDENCE.rumour, FAMILIARITY.iterations), np.float64)
