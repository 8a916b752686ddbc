"""Local search (Alg. 2): against the plain twin with identical labels, and how its time grows with n."""

from functools import partial

import numpy as np

from benchmarks.common import Row, cpu_seconds, exponent, oracle_answers, peak_memory_mb, twin
from ofakind.clustering import Clustering
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch


def run() -> list[Row]:
    growth = [one_restart(n) for n in (1_000, 10_000, 100_000)]
    growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
    return [against_twin(500, 3000), against_twin(500, 8000), *growth]


def against_twin(n: int, answers: int) -> Row:
    """Five restarts from one cluster, the same stream of random numbers for both."""
    similarity = oracle_answers(n, answers)
    solve(similarity)  # compiles
    ours_s, ours = cpu_seconds(partial(solve, similarity), repeats=7)
    plain = twin("local_search")
    twin_s, theirs = cpu_seconds(lambda: plain.local_search(similarity, rng=np.random.default_rng(0)))
    assert np.array_equal(ours.labels, theirs.labels), "the twin gives other labels"
    row = {"what": "local search, 5 restarts, identical labels", "n": n, "answers": answers}
    return row | {"ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s}


def one_restart(n: int) -> Row:
    similarity = oracle_answers(n, 10 * n)
    ours_s, _ = cpu_seconds(partial(solve, similarity, restarts=1), repeats=3)
    row = {"what": "local search, 1 restart", "n": n, "answers": 10 * n, "ours_s": ours_s}
    return row | {"peak_mb": peak_memory_mb()}


def solve(similarity: Similarity, restarts: int = 5) -> Clustering:
    return LocalSearch(restarts=restarts)(similarity, rng=np.random.default_rng(0))
