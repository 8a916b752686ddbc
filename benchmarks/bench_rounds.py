"""One answer at a time, and whole rounds: seconds of the processor, against how it was done before.

Learners of 100, 1,000 and 5,000 objects in some clusters, 40 % of the answers random. The twin is the same
learner whose every round samples anew: four chains of 40 + 30 sweeps, as up to 5,000 objects had before
rounds with few new answers kept samples. Both are measured in turn in the same process. One round is an
answer told and a question asked, or a batch of 0.6 n; `again` is a second question without an answer.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.common import GAMMA, Row, cpu_seconds
from ofakind.acquire.information.score import InformationGain
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run as run_learner
from ofakind.oracles.noisy import NoisyOracle
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.schedule import THOROUGH, Plan, Schedule
from ofakind.solve.consensus import Consensus

SIZES = ((100, 6, 60), (1_000, 10, 20), (5_000, 20, 6))  # objects, clusters, answers one by one
BEGIN = 3.0  # answers for each object before anything is measured
EARLIER = replace(
    THOROUGH,
    final=Plan(burn_in=40, samples=15, thin=2),
    lesson=Plan(burn_in=10, samples=5, thin=1),
    renewal=0.0,
)


@dataclass(frozen=True, slots=True)
class EveryRoundAnew(PartitionBelief):
    """The belief whose rounds are all whole, as they were."""

    def schedule(self, n: int) -> Schedule:  # noqa: ARG002
        """Return how much was sampled."""
        return EARLIER


def run() -> list[Row]:
    rows = []
    for n, clusters, count in SIZES:
        both = [begun(n, clusters, belief(n_jobs=1)) for belief in (PartitionBelief, EveryRoundAnew)]
        rows.append(measured("an answer and the next question", n, both, count, size=1))
        again, _ = cpu_seconds(partial(both[0][0].ask, 1), repeats=5)
        rows.append({"what": "a second question", "n": n, "ours_s": again, "note": f"{1000 * again:.1f} ms"})
        rows.append(measured("0.6 n answers and the next questions", n, both, 3, size=round(0.6 * n)))
    return rows


def begun(n: int, clusters: int, belief: PartitionBelief) -> tuple[ActiveClustering, NoisyOracle]:
    """A learner in mid-run, and who answers."""
    oracle = NoisyOracle(np.arange(n) % clusters, gamma=GAMMA, seed=1)
    parts: dict[str, Any] = {"acquisition": InformationGain(), "solver": Consensus(), "belief": belief}
    learner = ActiveClustering(n, **parts, seed=0)
    for _ in run_learner(learner, oracle, round(BEGIN * n)):
        pass
    return learner, oracle


def answer(learner: ActiveClustering, oracle: NoisyOracle, rounds: int, size: int) -> None:
    """Ask and tell so many times."""
    for _ in range(rounds):
        learner.tell(pairs := learner.ask(size), oracle(pairs))


def measured(
    what: str, n: int, both: list[tuple[ActiveClustering, NoisyOracle]], count: int, *, size: int
) -> Row:
    """Mean seconds of a round of either learner, after one that loads what is compiled."""
    means = []
    for (learner, oracle), rounds in zip(both, (count, max(3, count // 10)), strict=True):
        answer(learner, oracle, 2, size)
        seconds, _ = cpu_seconds(partial(answer, learner, oracle, rounds, size))
        means.append(seconds / rounds)
    ours, before = means
    answers = both[0][0].n_answers
    row = {"what": what, "n": n, "answers": answers, "ours_s": ours, "twin_s": before, "ratio": before / ours}
    return row | {"note": f"{1000 * ours:.0f} ms instead of {1000 * before:.0f}"}
