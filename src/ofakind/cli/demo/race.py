"""Methods with the same objects, the same budget and the same noise take turns."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ofakind.acquire.base import Acquisition
from ofakind.acquire.information.score import InformationGain
from ofakind.acquire.jeig import JEIG
from ofakind.acquire.uniform import Uniform
from ofakind.arrays import Ints
from ofakind.cli.demo.compiling import while_compiling
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import Step, run
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import count_pairs


@dataclass(frozen=True, slots=True)
class RaceRules:
    """Tuned numbers of the demo, chosen by judgement."""

    answers_per_object: int = 40  # as many as random questions need, about


RACING = RaceRules()


@dataclass(frozen=True, slots=True)
class RaceSettings:
    """What is sorted, for how many answers, and how many of those are random."""

    objects: int
    budget: int
    gamma: float
    seed: int

    @classmethod
    def of(cls, objects: int, budget: int | None, gamma: float, seed: int) -> Self:
        """Ask for no more answers than there are pairs; by default for as many as random questions need."""
        answers = RACING.answers_per_object * objects if budget is None else budget
        return cls(objects, min(answers, count_pairs(objects)), gamma, seed)


@dataclass(frozen=True, slots=True, eq=False)
class Digits:
    """Images of handwritten digits, (n, 8, 8) from 0 (paper) to 16 (ink), and the digit that each one is."""

    images: NDArray[np.float64]
    truth: Ints

    @classmethod
    def load(cls, count: int, seed: int) -> Self:
        """Draw some of scikit-learn's digits at random, each digit as often as in the whole."""
        from sklearn.datasets import load_digits

        everything = load_digits()
        chosen = stratified(everything.target, count, seed)
        return cls(everything.images[chosen], everything.target[chosen])


def stratified(kinds: Ints, count: int, seed: int) -> Ints:
    """Positions of a random subset in which each kind has its share, in ascending order."""
    order = np.random.default_rng(seed).permutation(len(kinds))
    depth = np.empty(len(kinds))  # how far into its own kind each position comes, in (0, 1)
    for kind in np.unique(kinds):
        members = order[kinds[order] == kind]
        depth[members] = (np.arange(len(members)) + 0.5) / len(members)
    return np.sort(np.argsort(depth, kind="stable")[:count])


@dataclass(frozen=True, slots=True, eq=False)
class RacePoint:
    """Where a method stands after a number of answers; ``seconds`` is its own computing time so far."""

    answers: int
    ari: float
    k: int
    seconds: float
    labels: Ints


@dataclass(slots=True, eq=False)
class RaceCurve:
    """What one method has reached; grows while it runs."""

    name: str
    gloss: str
    acquisition: Acquisition
    points: list[RacePoint] = field(default_factory=list)

    @property
    def last(self) -> RacePoint:
        """Where the method stands now."""
        return self.points[-1]

    def needed(self, ari: float) -> int | None:
        """Return the number of answers after which this agreement was first reached, or None."""
        return next((point.answers for point in self.points if point.ari >= ari), None)

    def add(self, step: Step, truth: Ints) -> None:
        """Note where the method stands after one more round."""
        before = self.last.seconds if self.points else 0.0
        ari, seconds = step.ari(truth), before + step.seconds
        self.points.append(RacePoint(step.n_answers, ari, step.k, seconds, step.labels))


def contestants() -> list[RaceCurve]:
    """Return the methods, ours first, with nothing reached yet; each asks with the parts that go with it."""
    return [
        RaceCurve("ofakind", "our questions", InformationGain()),
        RaceCurve("JEIG", "the paper's choice", JEIG()),
        RaceCurve("Uniform", "random questions", Uniform()),
    ]


def race(curves: list[RaceCurve], truth: Ints, settings: RaceSettings) -> Iterator[RaceCurve]:
    """Let the methods take turns, one round of as many questions as objects each; yields who just moved."""
    turns = deque((curve, _track(curve.acquisition, truth, settings)) for curve in curves)
    while turns:
        curve, track = turns.popleft()
        if (step := next(track, None)) is not None:
            curve.add(step, truth)
            turns.append((curve, track))
            yield curve


def _track(acquisition: Acquisition, truth: Ints, settings: RaceSettings) -> Iterator[Step]:
    n, seed = len(truth), settings.seed
    learner = ActiveClustering(n, acquisition=acquisition, batch_size=n, seed=seed)
    return run(learner, NoisyOracle(truth, settings.gamma, seed), settings.budget)


def warm_up() -> None:
    """Run a tiny race, so that everything is compiled (or read from disk) before the clock starts.

    If it is to be compiled, a second process does so for the other methods while ours is compiled here.
    """
    ours, *others = contestants()
    with while_compiling(f"from {__name__} import *; tiny_race(contestants()[1:])"):
        tiny_race([ours])
    tiny_race(others)


def tiny_race(curves: list[RaceCurve]) -> None:
    """Let the methods do all that they ever do, on a few objects."""
    for _ in race(curves, np.arange(30) % 3, RaceSettings(30, 120, 0.4, 0)):
        pass
