"""The objects of a cell and the oracle that answers about them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.arrays import Ints
from ofakind.datasets import Dataset, load, split
from ofakind.errors import InvalidInputError
from ofakind.oracles.base import NamingOracle, Oracle
from ofakind.oracles.crowd import CrowdOracle
from ofakind.oracles.model import PairModel
from ofakind.oracles.noisy import FlippingOracle, GradedOracle, NoisyOracle
from ofakind.pairs import Pairs
from ofakind.study.random_problems import draw, wrong_sign
from ofakind.study.setting import RANDOM, Answerer, Data

SHUFFLE_STREAM = 101  # the stream that objects are shuffled by; a learner's streams have small numbers


@dataclass(frozen=True, slots=True)
class OracleRules:
    """Tuned numbers of the oracles of a study."""

    least_noise: float = 0.05  # what nCOBRAS is told when an oracle makes no errors, as its authors do
    most_training: int = 2000  # objects that a model is trained on, chosen by judgement: a second or two


ORACLE = OracleRules()


@dataclass(frozen=True, slots=True, eq=False)
class StudyProblem:
    """True labels and features of the objects, their oracle, and the share of its answers with a wrong sign.

    That share is at least 0.05. Only ``candidates`` may be asked, where they are given. A random problem says
    itself how often a pair may be asked, how many answers it takes at most and how many come at a time, and
    that it is looked at when ``look`` more have come.
    """

    truth: NDArray[np.int64]
    features: NDArray[np.float64] | None
    oracle: Oracle
    noise: float
    candidates: Pairs | None = None
    repeats: int | None = None
    budget: int | None = None
    batch: int | None = None
    look: int = 1


def prepare(data: Data, answerer: Answerer, seed: int) -> StudyProblem:
    """Load the objects and make the oracle.

    The seed is that of the noise, or of the draws among real workers' answers, and of the order of the
    objects where they are shuffled. A model is always the same one, trained on objects that are not asked
    about.
    """
    problem = _prepare(data, answerer, seed)
    if data.standardise and problem.features is not None:
        problem = replace(problem, features=standardised(problem.features))
    if data.shuffle:
        problem = _reordered(problem, order_of(data, seed, len(problem.truth)))
    return problem


def order_of(data: Data, seed: int, n: int) -> Ints:
    """Return which object of the dataset each one of a cell is: another order with each seed if shuffled."""
    return np.random.default_rng([seed, SHUFFLE_STREAM]).permutation(n) if data.shuffle else np.arange(n)


def _prepare(data: Data, answerer: Answerer, seed: int) -> StudyProblem:
    if data.name == RANDOM:
        found = draw(data.variant or "", seed)
        noise = max(ORACLE.least_noise, found.noise)
        return StudyProblem(
            found.truth,
            None,
            found.oracle,
            noise,
            repeats=found.repeats,
            budget=found.budget,
            batch=found.batch,
            look=found.look,
        )
    if answerer.kind == "model":
        return _model_problem(data.name, data.variant, data.objects)
    objects = objects_of(data)
    if answerer.kind == "crowd":
        return _crowd_problem(objects, seed, anonymous=answerer.anonymous)
    oracle, wrong = _simulated(objects.labels, answerer, seed)
    return StudyProblem(objects.labels, objects.features, oracle, max(ORACLE.least_noise, wrong))


def _simulated(truth: Ints, answerer: Answerer, seed: int) -> tuple[Oracle, float]:
    """Return an oracle that knows the truth, and the probability that its answer has a wrong sign."""
    level = answerer.level or 0.0
    if answerer.kind == "flip":
        return FlippingOracle(truth, level, seed), level
    if answerer.kind == "graded":
        return GradedOracle(truth, level, seed), wrong_sign(level)
    return NoisyOracle(truth, level, seed), level / 2


def _reordered(problem: StudyProblem, order: Ints) -> StudyProblem:
    """Give the objects new numbers: that of object ``order[i]`` becomes i."""
    number, candidates = np.argsort(order, kind="stable"), problem.candidates
    return replace(
        problem,
        truth=problem.truth[order],
        features=None if problem.features is None else problem.features[order],
        oracle=_renumbered(problem.oracle, order),
        candidates=None if candidates is None else Pairs.from_array(number[np.asarray(candidates)]),
    )


def _renumbered(oracle: Oracle, order: Ints) -> Oracle:
    """Let an oracle be asked by the new numbers; it names who answered if it did so before."""

    def before(pairs: Pairs) -> Pairs:
        u, v = order[pairs.u], order[pairs.v]
        return Pairs.trusted(np.minimum(u, v), np.maximum(u, v))

    if isinstance(oracle, NamingOracle):
        return _Named(oracle, before)
    return lambda pairs: oracle(before(pairs))


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    oracle: NamingOracle
    before: Callable[[Pairs], Pairs]

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        return self.answers_with_names(pairs)[0]

    def answers_with_names(self, pairs: Pairs) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        return self.oracle.answers_with_names(self.before(pairs))


@lru_cache(maxsize=4)
def _model_problem(name: str, variant: str | None, size: int | None) -> StudyProblem:
    """Oracle 2: trained on what is left of a dataset where that is enough, else on half of the whole."""
    rng = np.random.default_rng(0)
    asked, others = _two_parts(name, _objects(name, variant, size), rng)
    if others.n > ORACLE.most_training:
        others = others.take(rng.choice(others.n, ORACLE.most_training, replace=False))
    model = PairModel.fit(_features(others), others.labels, rng=rng)
    oracle = model.oracle(_features(asked))
    return StudyProblem(asked.labels, asked.features, oracle, max(ORACLE.least_noise, model.sign_error))


def _two_parts(name: str, objects: Dataset, rng: Generator) -> tuple[Dataset, Dataset]:
    """Objects to ask about and others to train on."""
    whole = load(name, variant="all")
    rest = ~np.isin(whole.rows, objects.rows)
    if rest.sum() >= objects.n:
        return objects, whole.take(rest)
    training, asked = split(whole, rng)
    return whole.take(asked), whole.take(training)


def standardised(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every column with mean 0 and deviation 1; a constant one becomes 0."""
    spread = features.std(axis=0)
    standard: NDArray[np.float64] = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return standard


def _features(objects: Dataset) -> NDArray[np.float64]:
    if objects.features is None:
        raise InvalidInputError(f"{objects.name} has no features, which a model needs; choose another oracle")
    return objects.features


def _crowd_problem(objects: Dataset, seed: int, *, anonymous: bool) -> StudyProblem:
    """Real workers: only the pairs that somebody answered may be asked."""
    answers = objects.answers
    if answers is None:
        raise InvalidInputError(f"{objects.name} has no answers of real workers; expected crowd_restaurants")
    pairs = np.stack([answers.u, answers.v], axis=1)
    oracle = CrowdOracle(pairs, answers.values, seed, annotators=answers.annotators)
    same = objects.labels[answers.u] == objects.labels[answers.v]
    wrong = float(np.mean((answers.values > 0) != same))
    asked = oracle.__call__ if anonymous else oracle
    return StudyProblem(objects.labels, objects.features, asked, max(ORACLE.least_noise, wrong), oracle.pairs)


def objects_of(data: Data) -> Dataset:
    """Return the objects that are asked about, in the order of the dataset; not if a model answers."""
    return _objects(data.name, data.variant, data.objects, data.features, whole=data.whole_groups)


@lru_cache(maxsize=4)
def _objects(
    name: str, variant: str | None, size: int | None, features: str | None = None, *, whole: bool = False
) -> Dataset:
    """Load a dataset, or a random part of it that is the same in every run."""
    everything = load(name, variant=variant, features=features)
    if size is None or size >= everything.n:
        return everything
    rng = np.random.default_rng(0)
    if whole:
        return everything.take(some_groups(everything.labels, size, rng))
    return everything.take(np.sort(rng.choice(everything.n, size, replace=False)))


def some_groups(labels: Ints, size: int, rng: Generator) -> Ints:
    """Objects of random groups, as many as come to at most ``size``; at least one group.

    >>> some_groups(np.array([0, 0, 1, 2, 2, 2]), 5, np.random.default_rng(0)).tolist()
    [0, 1, 3, 4, 5]
    """
    sizes = np.bincount(labels)
    order = rng.permutation(np.flatnonzero(sizes))
    fitting = int(np.searchsorted(np.cumsum(sizes[order]), size, side="right"))
    return np.flatnonzero(np.isin(labels, order[: max(fitting, 1)]))
