"""One answer at a time, and whole rounds: seconds of the processor, against how it was done before.

Learners of 100, 1,000, 5,000 and 10,000 objects in some clusters, 40 % of the answers random. The twin is the
same learner whose every round samples anew: four chains of 40 + 30 sweeps, as up to 5,000 objects had before
rounds with few new answers kept samples (more had shorter rounds, so that there is no twin). Both are
measured in turn in the same process. One round is an answer told and a question asked, or a batch of 0.6 n;
"a second question" comes without an answer. On two cores seconds are elapsed ones: both must be idle.
`python -m benchmarks.earlier REVISION` compares with an earlier revision of the code.
"""

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
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

SIZES = ((100, 6, 60), (1_000, 10, 20), (5_000, 20, 6), (10_000, 50, 6))  # objects, clusters, single answers
TWIN_UP_TO = 5_000
WARM = 10  # answers for each of a few objects, told before anything is measured: whatever is compiled, is
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
    for belief in (PartitionBelief, EveryRoundAnew):
        warm(belief(n_jobs=1))
    for n, clusters, count in SIZES:
        beliefs = (PartitionBelief, EveryRoundAnew) if n <= TWIN_UP_TO else (PartitionBelief,)
        both = [begun(n, clusters, belief(n_jobs=1)) for belief in beliefs]
        rows.append(measured("an answer and the next question", n, both, count, size=1))
        again, _ = cpu_seconds(partial(both[0][0].ask, 1), repeats=5)
        rows.append({"what": "a second question", "n": n, "ours_s": again, "note": f"{1000 * again:.1f} ms"})
        rows.append(measured("0.6 n answers and the next questions", n, both, 3, size=round(0.6 * n)))
        rows.append(on_two_cores(n, clusters))
    return rows


def warm(belief: PartitionBelief) -> None:
    """Let everything that is compiled be loaded: rounds of all kinds, of few objects."""
    learner, oracle = begun(SIZES[0][0], SIZES[0][1], belief)
    while learner.n_answers < WARM * learner.n:
        answer(learner, oracle, 2, 1)
        answer(learner, oracle, 1, round(0.6 * learner.n))
    learner.ask(1)


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
    for (learner, oracle), rounds in zip(both, (count, max(3, count // 10)), strict=False):
        answer(learner, oracle, 2, size)
        seconds, _ = cpu_seconds(partial(answer, learner, oracle, rounds, size))
        means.append(seconds / rounds)
    row: Row = {"what": what, "n": n, "answers": both[0][0].n_answers, "ours_s": means[0]}
    if len(means) == 1:
        return row | {"note": f"{1000 * means[0]:.0f} ms"}
    ours, before = means
    note = f"{1000 * ours:.0f} ms instead of {1000 * before:.0f}"
    return row | {"twin_s": before, "ratio": before / ours, "note": note}


def on_two_cores(n: int, clusters: int) -> Row:
    """Elapsed seconds of a round of 0.6 n answers with two jobs, and with one as the twin, in turn."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    learners = {jobs: begun(n, clusters, PartitionBelief(n_jobs=jobs)) for jobs in seconds}
    for _ in range(3):
        for jobs, (learner, oracle) in learners.items():
            begin = perf_counter()
            answer(learner, oracle, 1, round(0.6 * n))
            seconds[jobs].append(perf_counter() - begin)
    two, one = min(seconds[2]), min(seconds[1])
    what = "0.6 n answers, elapsed, two cores against one"
    return {"what": what, "n": n, "ours_s": two, "twin_s": one, "ratio": one / two}
