"""EIG-O for 20 n candidate pairs against two sparse mean fields a pair, one after another.

The clustering and its mean field are given. The twin is timed on a sample of the candidates and scaled up.
``spearman`` compares our scores with double precision followed to a change below 1e-7.
"""

import numpy as np
from scipy.stats import spearmanr

from benchmarks.common import Row, cpu_seconds, exponent, peak_memory_mb, solved, twin
from ofakind.acquire.base import State
from ofakind.acquire.eig import EIGO, expected_information_gain
from ofakind.acquire.entropy import list_by_entropy
from ofakind.acquire.pool import Pool
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.conditional import Precision, require_mean_field
from ofakind.posterior.mean_field.dense import MeanField

SAMPLE, REFERENCE, GROWTH = 30, 300, 400


def run() -> list[Row]:
    states = {"early": 1500, "middle": 5000, "critical": 12_000, "late": 20_000}
    growth = [sampled(n, 40 * n) for n in (1000, 2000, 4000)]
    growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
    return [*(against_twin(name, 500, answers) for name, answers in states.items()), *growth]


def against_twin(name: str, n: int, answers: int) -> Row:
    """All 20 n candidates by ours, a sample of them by the twin."""
    state, candidates, rng = instance(n, answers)
    ours_s, scores = cpu_seconds(lambda: EIGO().score(state, candidates, rng).values)
    field = require_mean_field(state.posterior, "EIGO")
    twin_s = twin_seconds(field, candidates, rng)
    some = rng.choice(len(candidates), REFERENCE, replace=False)
    exact = expected_information_gain(
        field, candidates.u[some], candidates.v[some], precision=Precision(np.float64, 1e-7, 5000)
    )
    row = {"what": f"EIG-O, {name}, k = {field.k}", "n": n, "answers": answers, "batch": len(candidates)}
    row |= {"ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s, "peak_mb": peak_memory_mb()}
    return row | {"note": f"spearman {spearmanr(scores[some], exact)[0]:.4f}"}


def sampled(n: int, answers: int) -> Row:
    """Time for 20 n candidates from neighbouring ones among them."""
    state, candidates, rng = instance(n, answers)
    candidates = candidates.take(np.argsort(candidates.ranks(n)))
    start = len(candidates) // 3
    ours_s, _ = cpu_seconds(lambda: EIGO().score(state, candidates.take(slice(start, start + GROWTH)), rng))
    row = {"what": f"EIG-O, {GROWTH} candidates scaled to 20 n", "n": n, "answers": answers}
    return row | {"ours_s": ours_s * len(candidates) / GROWTH, "peak_mb": peak_memory_mb()}


def instance(n: int, answers: int) -> tuple[State, Pairs, np.random.Generator]:
    similarity, clustering, field = solved(n, answers)
    state, rng = State(similarity, clustering, lambda: field), np.random.default_rng(0)
    candidates = list_by_entropy(field, Pool(similarity, Pairs.empty()), 20 * n, 0.0, rng).pairs
    EIGO().score(state, candidates.take(slice(16)), rng)  # compiles
    return state, candidates, rng


def twin_seconds(field: MeanField, candidates: Pairs, rng: np.random.Generator) -> float:
    """CPU seconds of the twin for all candidates, from a sample of them."""
    some = rng.choice(len(candidates), SAMPLE, replace=False)
    S, plain = field.similarity.to_scipy(), twin("sparse_mean_field")
    u, v = candidates.u[some], candidates.v[some]
    seconds, _ = cpu_seconds(lambda: plain.eigo(S, field.q, field.costs, field.beta, u, v))
    return seconds * len(candidates) / SAMPLE
