"""maxexp over all violating pairs: against the plain twin with identical values, and how it grows with n."""

import numpy as np

from benchmarks.common import Row, cpu_seconds, exponent, oracle_answers, peak_memory_mb, twin
from ofakind.acquire.base import Scores, State
from ofakind.acquire.triangles import weakest_pairs
from ofakind.posterior.base import Posterior
from ofakind.solve.local_search import LocalSearch

ALL = 2**62  # more violating pairs than there can be
WHAT = "maxexp, all violating pairs"


def run() -> list[Row]:
    growth = [ours(n, 10 * n) for n in (1_000, 10_000, 100_000)]
    growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
    return [against_twin(500, 8000), against_twin(1000, 10_000), *growth]


def against_twin(n: int, answers: int) -> Row:
    """The same similarities, clustering and dice; an error if a pair or a value differs."""
    state = state_of(n, answers)
    scores = valued(state)  # compiles
    ours_s, scores = cpu_seconds(lambda: valued(state), repeats=30)
    S, plain = state.similarity.to_scipy().toarray(), twin("triangles")

    def theirs() -> dict[tuple[int, int], float]:
        rng = np.random.default_rng(2)
        violating = plain.violating_pairs(S, state.clustering.labels)
        dice = rng.integers(6, size=len(violating)), rng.integers(6, size=len(S))
        return plain.weakest_pairs(S, violating, dice, 1.0)  # type: ignore[no-any-return]

    twin_s, expected = cpu_seconds(theirs)
    assert sorted(scores.pairs) == sorted(expected), "ours and the twin chose different pairs"
    np.testing.assert_allclose(scores.values, [expected[pair] for pair in scores.pairs], rtol=1e-13)
    row = {"what": f"{WHAT}, identical values", "n": n, "answers": answers}
    return row | {"ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s}


def ours(n: int, answers: int) -> Row:
    state = state_of(n, answers)
    seconds, _ = cpu_seconds(lambda: valued(state), repeats=5)
    return {"what": WHAT, "n": n, "answers": answers, "ours_s": seconds, "peak_mb": peak_memory_mb()}


def state_of(n: int, answers: int) -> State:
    similarity = oracle_answers(n, answers)
    clustering = LocalSearch(restarts=1)(similarity, rng=np.random.default_rng(1))
    return State(similarity, clustering, no_posterior)


def valued(state: State) -> Scores:
    return weakest_pairs(state, 1.0, violations=ALL, rng=np.random.default_rng(2))


def no_posterior() -> Posterior:
    raise AssertionError("maxexp needs no posterior")
