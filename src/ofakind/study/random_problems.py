"""Random problems: groups and noise that nobody chose, to see whether what is promised holds for them.

Everything is drawn: 60 to 2,000 objects, 2 to 50 groups of sizes from even to very uneven (Zipf's law), the
strength of the noise, how many answers come at a time. Only the kind of the noise is given; or that there are
few objects, 20 to 60, as a scientist has them, and then the kind is drawn, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.oracles.base import Oracle
from ofakind.oracles.noise import HiddenTruth
from ofakind.oracles.noisy import CENTRE, FlippingOracle, GradedOracle, NoisyOracle

STREAM = 103  # of the draws of a problem; a learner's streams have small numbers


@dataclass(frozen=True, slots=True)
class RandomRules:
    """What problems are drawn from; chosen by judgement, before anything was run."""

    objects: tuple[float, float] = (60, 2000)  # on a logarithmic scale, as the groups are
    few_objects: tuple[float, float] = (20, 60)  # where there are few
    groups: tuple[float, float] = (2, 50)  # of all of them
    fewest_members: int = 3  # on average, which limits the groups of few objects
    most_uneven: float = 1.5  # sizes fall as rank^-s, s from 0 to this
    answers: int = 30  # for each object at most
    one_by_one: float = 0.3  # share of problems whose answers come in small batches:
    small_batch: float = 0.05  # so many for each object; these have at most
    not_many: int = 500  # objects, and are looked at
    look: float = 0.25  # after so many answers for each object


DRAWING = RandomRules()


class RandomProblem(NamedTuple):
    """Groups, who answers about them, how often a pair may be asked, and how answers come.

    ``noise`` is the mean share of answers with a wrong sign. ``batch`` is None where the learner chooses how
    many answers come at a time; it is looked at when ``look`` more have come.
    """

    truth: Ints
    oracle: Oracle
    noise: float
    repeats: int
    budget: int
    batch: int | None
    look: int


def draw(kind: str, seed: int) -> RandomProblem:
    """Draw a problem of this kind, one of `PROBLEM_KINDS`.

    >>> problem = draw("flips", 7)
    >>> bool(60 <= len(problem.truth) <= 2000 and 2 <= problem.truth.max() + 1 <= 50)
    True
    """
    rng = np.random.default_rng([seed, STREAM, PROBLEM_KINDS.index(kind)])
    single = rng.random() < DRAWING.one_by_one
    low, high = DRAWING.objects if kind in NOISES else DRAWING.few_objects
    n = _log_uniform(rng, low, min(high, DRAWING.not_many) if single else high)
    truth = _groups(n, rng)
    noise = NOISES[kind if kind in NOISES else str(rng.choice(list(NOISES)))](truth, rng, seed)
    batch = max(1, round(DRAWING.small_batch * n)) if single else None
    return RandomProblem(truth, *noise, DRAWING.answers * n, batch, round(DRAWING.look * n) if single else 1)


def _log_uniform(rng: Generator, low: float, high: float) -> int:
    return round(float(portable.exp(rng.uniform(portable.log(low), portable.log(high)))))


def _groups(n: int, rng: Generator) -> Ints:
    """Draw how many groups there are, how uneven they are, and who is in which; none is empty."""
    low, high = DRAWING.groups
    count = _log_uniform(rng, low, min(high, n / DRAWING.fewest_members))
    shares = portable.power(np.arange(1, count + 1), -rng.uniform(0, DRAWING.most_uneven))
    others = rng.choice(count, n - count, p=shares / shares.sum())
    return rng.permutation(np.concatenate([np.arange(count), others]))


# -- the noise ---------------------------------------------------------------------------------------------


class Noise(NamedTuple):
    """Who answers, the mean share of wrong signs, and how often a pair may be asked."""

    oracle: Oracle
    wrong: float
    repeats: int = 1


class OneSidedOracle:
    """Answers 1 or -1; wrong with another probability about pairs of a kind than about others.

    With ``people``, each answer comes from one of several, who have such a couple of probabilities each. If
    pairs are ``misleading``, a share of them gets the opposite of every answer.
    """

    def __init__(self, truth: ArrayLike, wrong: Floats, seed: int, *, misleading: float = 0.0) -> None:
        self._wrong = np.atleast_2d(wrong)  # (people, 2): about pairs of a kind, about others
        self._misleading = misleading
        self._answer, self._person = HiddenTruth(truth, seed), HiddenTruth(truth, seed + 1)
        self._seed_of_pairs = seed + 2
        self._truth = np.asarray(truth)

    def __call__(self, pairs: ArrayLike) -> Floats:
        """Answer pairs of objects."""
        return self.answers_with_names(pairs)[0]

    def answers_with_names(self, pairs: ArrayLike) -> tuple[Floats, tuple[str, ...]]:
        """Answer, and say who did: "" where there is only one person."""
        same, coin, _ = self._answer.ask(pairs)
        person = (self._person.ask(pairs)[1] * len(self._wrong)).astype(np.int64)
        chance = self._wrong[person, (same < 0).astype(np.int64)]
        answers = np.where(coin < chance, -same, same)
        if self._misleading:
            looks = HiddenTruth(self._truth, self._seed_of_pairs).ask(pairs)[1]  # asked anew: always the same
            answers = np.where(looks < self._misleading, -answers, answers)
        names = ("",) if len(self._wrong) == 1 else tuple(f"person {i + 1}" for i in range(len(self._wrong)))
        return answers, tuple(names[i] for i in person)


class MixedOracle:
    """Some answers are 1 or -1 and sometimes wrong, the others by degrees."""

    def __init__(self, truth: ArrayLike, flips: float, spread: float, share: float, seed: int) -> None:
        self._sure, self._graded = FlippingOracle(truth, flips, seed), GradedOracle(truth, spread, seed + 1)
        self._which, self._share = HiddenTruth(truth, seed + 2), share

    def __call__(self, pairs: ArrayLike) -> Floats:
        """Answer pairs of objects."""
        by_degrees = self._which.ask(pairs)[1] < self._share
        return np.where(by_degrees, self._graded(pairs), self._sure(pairs))


def wrong_sign(spread: float) -> float:
    """Probability that a graded answer has the wrong sign.

    >>> wrong_sign(0.0), round(wrong_sign(0.5), 3)
    (0.0, 0.159)
    """
    return portable.normal_share(-CENTRE / spread) if spread else 0.0


def _gamma(truth: Ints, rng: Generator, seed: int) -> Noise:
    gamma = rng.uniform(0, 0.6)
    return Noise(NoisyOracle(truth, gamma, seed), gamma / 2)


def _flips(truth: Ints, rng: Generator, seed: int) -> Noise:
    share = rng.uniform(0, 0.25)
    return Noise(FlippingOracle(truth, share, seed), share)


def _one_sided(truth: Ints, rng: Generator, seed: int) -> Noise:
    wrong = rng.permutation([rng.uniform(0.05, 0.35), rng.uniform(0, 0.05)])
    return Noise(OneSidedOracle(truth, wrong, seed), float(wrong.mean()))


def _graded(truth: Ints, rng: Generator, seed: int) -> Noise:
    spread = rng.uniform(0.2, 0.7)
    return Noise(GradedOracle(truth, spread, seed), wrong_sign(spread))


def _annotators(truth: Ints, rng: Generator, seed: int) -> Noise:
    people = int(rng.integers(2, 9))
    wrong = rng.uniform(0, 0.2, (people, 2))
    if rng.random() < 0.5:  # one of them is hardly better than chance
        wrong[0] = rng.uniform(0.3, 0.5, 2)
    return Noise(OneSidedOracle(truth, wrong, seed), float(wrong.mean()))


def _repeats(truth: Ints, rng: Generator, seed: int) -> Noise:
    wrong, misleading = rng.uniform(0.05, 0.25), rng.choice([0.0, rng.uniform(0.0, 0.1)])
    oracle = OneSidedOracle(truth, np.full(2, wrong), seed, misleading=misleading)
    return Noise(oracle, wrong + misleading, repeats=3)


def _mixture(truth: Ints, rng: Generator, seed: int) -> Noise:
    flips, spread, share = rng.uniform(0, 0.2), rng.uniform(0.2, 0.7), rng.uniform(0.2, 0.8)
    wrong = (1 - share) * flips + share * wrong_sign(spread)
    return Noise(MixedOracle(truth, flips, spread, share, seed), wrong)


NOISES: dict[str, Callable[[Ints, Generator, int], Noise]] = {
    "gamma": _gamma,
    "flips": _flips,
    "one-sided": _one_sided,
    "graded": _graded,
    "annotators": _annotators,
    "repeats": _repeats,
    "mixture": _mixture,
}
PROBLEM_KINDS = (*NOISES, "few objects")
