"""Local search (Alg. 2): against the plain twin with identical labels, and how its time grows with n."""

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from ofakind.clustering import Clustering
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

SEED = 0
CLUSTERS = 10
GAMMA = 0.4


def run() -> list[dict[str, Any]]:
    """Rows of measurements; times are CPU seconds on one core."""
    return [against_twin(500, 3000), against_twin(500, 8000), *growth([1_000, 10_000, 100_000])]


def against_twin(n: int, answers: int) -> dict[str, Any]:
    """Five restarts from one cluster, the same stream of random numbers for both."""
    twin = import_module("twins.local_search")
    similarity = oracle_answers(n, answers)
    solve(similarity)  # compiles
    ours_s, ours = fastest(partial(solve, similarity), repeats=7)
    twin_s, plain = fastest(lambda: twin.local_search(similarity, rng=np.random.default_rng(SEED)), repeats=1)
    if not np.array_equal(ours.labels, plain.labels):
        raise RuntimeError(f"the twin gives other labels at n = {n}, {answers} answers")
    row = {"what": "local search, 5 restarts", "n": n, "answers": answers}
    return row | {
        "ours_s": ours_s,
        "twin_s": twin_s,
        "ratio": twin_s / ours_s,
        "cost": ours.cost,
        "k": ours.k,
    }


def growth(sizes: list[int]) -> list[dict[str, Any]]:
    """One restart with 20 answers per object; the exponent is that of a straight line through the logs."""
    rows: list[dict[str, Any]] = []
    for n in sizes:
        similarity = oracle_answers(n, 10 * n)
        ours_s, found = fastest(partial(solve, similarity, restarts=1), repeats=3)
        row = {"what": "local search, 1 restart", "n": n, "answers": 10 * n}
        rows.append(row | {"ours_s": ours_s, "twin_s": None, "ratio": None, "cost": found.cost, "k": found.k})
    exponent = np.polyfit(np.log(sizes), np.log([row["ours_s"] for row in rows]), 1)[0]
    rows[-1]["exponent"] = float(exponent)
    return rows


def solve(similarity: Similarity, restarts: int = 5) -> Clustering:
    return LocalSearch(restarts=restarts)(similarity, rng=np.random.default_rng(SEED))


def oracle_answers(n: int, count: int) -> Similarity:
    """Distinct uniform pairs of balanced clusters; with probability GAMMA an answer is uniform noise."""
    rng = np.random.default_rng([SEED, n, count])
    pairs = rng.integers(n, size=(2 * count, 2))
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    u, v = rng.permutation(np.unique(pairs, axis=0))[:count].T
    answers = np.where(u % CLUSTERS == v % CLUSTERS, 1.0, -1.0)
    noise = rng.uniform(-1, 1, count)
    return Similarity.from_pairs(n, u, v, np.where(rng.random(count) < GAMMA, noise, answers))


def fastest(work: Callable[[], Clustering], *, repeats: int) -> tuple[float, Clustering]:
    times = []
    for _ in range(repeats):
        begin = process_time()
        result = work()
        times.append(process_time() - begin)
    return min(times), result


if __name__ == "__main__":
    for row in run():
        print("  ".join(f"{name} {value}" for name, value in row.items() if value is not None))
