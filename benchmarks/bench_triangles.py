"""maxexp over all violating pairs: ours against the plain twin, and how ours grows with n.

Answers are about uniformly drawn pairs of ten equally large clusters, by Oracle 1 with gamma = 0.4. Times are
CPU seconds, the best of several runs for ours and one run for the twin.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.acquire.base import Scores, State
from ofakind.acquire.triangles import weakest_pairs
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs, count_pairs
from ofakind.posterior.base import Posterior
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch

ALL = 2**62  # more violating pairs than there can be
WHAT = "maxexp, all violating pairs"


def run() -> list[dict[str, Any]]:
    """Rows with what, n, answers, ours_s, twin_s (None: not run), ratio; the last row is the growth."""
    rows = [compare_with_twin(500, 32), compare_with_twin(1000, 20)]
    growth = [time_ours(n, 20) for n in (1_000, 3_000, 10_000, 30_000, 100_000)]
    sizes, seconds = np.log([[row["n"], row["ours_s"]] for row in growth]).T
    exponent = float(np.polyfit(sizes, seconds, 1)[0])
    return [*rows, *growth, {"what": f"{WHAT}: seconds grow as n^exponent", "exponent": exponent}]


def compare_with_twin(n: int, degree: int) -> dict[str, Any]:
    """Time both on the same similarities, clustering and dice; an error if a pair or a value differs."""
    similarity, _ = make_answers(n, degree)
    state = State(similarity, LocalSearch()(similarity, rng=np.random.default_rng(1)), no_posterior)
    scores, ours = fastest(state, repeats=30)
    expected, twin = run_twin(state)
    assert sorted(scores.pairs) == sorted(expected), "ours and the twin chose different pairs"
    np.testing.assert_allclose(scores.values, [expected[pair] for pair in scores.pairs], rtol=1e-13)
    return as_row(state, scores, ours, twin)


def time_ours(n: int, degree: int) -> dict[str, Any]:
    """Time ours on a clustering that is the truth but for a tenth of the objects."""
    similarity, labels = make_answers(n, degree)
    rng = np.random.default_rng(1)
    labels = np.where(rng.random(n) < 0.1, rng.integers(10, size=n), labels)
    state = State(similarity, Clustering.of(similarity, labels), no_posterior)
    scores, ours = fastest(state, repeats=max(2, min(20, 1_000_000 // n)))
    return as_row(state, scores, ours, None)


def make_answers(n: int, degree: int) -> tuple[Similarity, NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 10
    ranks = np.unique(rng.integers(count_pairs(n), size=n * degree // 2))
    pairs = Pairs.from_ranks(ranks, n)
    honest = np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0)
    noise = rng.uniform(-1, 1, len(pairs))
    values = np.where(rng.random(len(pairs)) < 0.4, noise, honest)
    return Similarity.from_pairs(n, pairs.u, pairs.v, values), truth


def fastest(state: State, repeats: int) -> tuple[Scores, float]:
    seconds = []
    for _ in range(repeats + 1):  # the first run compiles
        start = time.process_time()
        scores = weakest_pairs(state, 1.0, violations=ALL, rng=np.random.default_rng(2))
        seconds.append(time.process_time() - start)
    return scores, min(seconds[1:])


def run_twin(state: State) -> tuple[dict[tuple[int, int], float], float]:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    from twins import triangles as twin  # type: ignore[import-not-found]

    S = state.similarity.to_scipy().toarray()
    rng = np.random.default_rng(2)
    start = time.process_time()
    violating = twin.violating_pairs(S, state.clustering.labels)
    dice = rng.integers(6, size=len(violating)), rng.integers(6, size=len(S))
    scores = twin.weakest_pairs(S, violating, dice, 1.0)
    return scores, time.process_time() - start


def as_row(state: State, scores: Scores, ours: float, twin: float | None) -> dict[str, Any]:
    return {
        "what": WHAT,
        "n": state.similarity.n,
        "answers": state.similarity.n_pairs,
        "pairs_valued": len(scores.pairs),
        "ours_s": ours,
        "twin_s": twin,
        "ratio": None if twin is None else twin / ours,
    }


def no_posterior() -> Posterior:
    raise NotImplementedError("maxexp needs no posterior")


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
