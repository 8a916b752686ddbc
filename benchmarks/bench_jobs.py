"""Independent parts with two jobs (threads) and with one: chains, JEIG's sample blocks, EIG-O, runs.

Wall-clock seconds, in turn with one job and with two, the least of some repeats: "ours" is with two jobs, the
"twin" with one, and the ratio is the speed-up. The results are checked to be identical. Two idle cores are
needed; what else runs on the machine lowers the ratio.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.common import Row, oracle_answers, solved
from ofakind.acquire.jeig import JEIG
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.conditional import Precision, answer_gains
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.solve.local_search import LocalSearch

REPEATS = 3


def run() -> list[Row]:
    return [chains(10_000, 100_000), blocks(1000, 12_000), candidates(500, 6000), runs(10_000, 100_000)]


def chains(n: int, answers: int) -> Row:
    similarity = oracle_answers(n, answers)
    start = Clustering.of(similarity, LocalSearch(restarts=1)(similarity, rng=stream()).labels)

    def work(jobs: int) -> Any:
        belief = PartitionBelief(chains=4, burn_in=10, samples=5, n_jobs=jobs)
        return belief(similarity, start, rng=stream()).labels

    return compare("four chains", n, answers, work)


def blocks(n: int, answers: int) -> Row:
    field = solved(n, answers)[2]
    acquisition = {jobs: JEIG(n_jobs=jobs) for jobs in (1, 2)}
    return compare(
        f"JEIG's 20 blocks, k = {field.k}",
        n,
        answers,
        lambda jobs: acquisition[jobs].simulate(field, stream()).blocks,
    )


def candidates(n: int, answers: int) -> Row:
    field = solved(n, answers)[2]
    pairs = Pairs.all(n).take(stream().choice(n * (n - 1) // 2, 5 * n, replace=False))
    gains = partial(answer_gains, field, pairs, precision=Precision(np.float32, 1e-4, 200))
    return compare(f"EIG-O, 5 n candidates, k = {field.k}", n, answers, lambda jobs: gains(n_jobs=jobs))


def runs(n: int, answers: int) -> Row:
    similarity = oracle_answers(n, answers)

    def work(jobs: int) -> Any:
        return LocalSearch(restarts=1, runs=8, n_jobs=jobs)(similarity, rng=stream()).labels

    return compare("eight runs of local search", n, answers, work)


def compare(what: str, n: int, answers: int, work: Callable[[int], Any]) -> Row:
    """Time the work with one job and with two, which must come to the same."""
    assert np.array_equal(work(1), work(2)), "the number of jobs changed a result"  # and compiles
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(REPEATS):
        for jobs, measured in times.items():
            begin = perf_counter()
            work(jobs)
            measured.append(perf_counter() - begin)
    one, two = min(times[1]), min(times[2])
    row = {"what": f"{what}, two jobs against one", "n": n, "answers": answers}
    return row | {"ours_s": two, "twin_s": one, "ratio": one / two, "note": "identical results"}


def stream() -> np.random.Generator:
    return np.random.default_rng(0)
