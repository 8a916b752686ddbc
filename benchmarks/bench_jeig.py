"""JEIG batches with the paper's settings (2 %, m = 5, n = 50) against 250 sparse mean fields one by one.

The clustering and its mean field are given. "twin" runs each conditional field until it settles, at most 200
synchronous sweeps; "twin, 10 sweeps" only as many as ours makes. ``error`` is the mean difference of our
scores from fully converged ones with the same subsets and samples; ``noise`` that between two seeds.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Row, cpu_seconds, exponent, peak_memory_mb, solved, twin
from ofakind.acquire.base import State
from ofakind.acquire.choose import choose
from ofakind.acquire.jeig import JEIG
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.dense import MeanField
from ofakind.similarity import Similarity

BATCH = 300


def run() -> list[Row]:
    states = {"early": 1500, "middle": 5000, "critical": 12_000, "late": 20_000}
    rows = [row for name, answers in states.items() for row in against_twin(name, 500, answers)]
    larger = [ours(n, 12 * n, repeats) for n, repeats in ((1000, 3), (2000, 2), (5000, 1))]
    larger[-1]["exponent"] = exponent([row["n"] for row in larger], [row["ours_s"] for row in larger])
    return rows + larger


def against_twin(name: str, n: int, answers: int) -> list[Row]:
    """Time a batch both ways; the twin also scores every pair, as the paper's algorithm says."""
    similarity, _, field = solved(n, answers)
    row = ours(n, answers, 5)
    S, asked = similarity.to_scipy(), similarity.to_scipy().toarray() != 0
    plain = twin("sparse_mean_field")

    def batch(max_sweeps: int) -> object:
        rng = np.random.default_rng(0)
        scores = plain.jeig(S, field.q, field.costs, field.beta, max_sweeps=max_sweeps, rng=rng)
        return plain.power_batch(scores, asked, BATCH, rng)

    rows = []
    for sweeps, label in ((200, "twin"), (10, "twin, 10 sweeps")):
        twin_s, _ = cpu_seconds(partial(batch, sweeps))
        what = {"what": f"JEIG batch, {name}, k = {field.k}, {label}", "twin_s": twin_s}
        rows.append(row | what | {"ratio": twin_s / row["ours_s"]})
    rows[0]["note"] = accuracy(field)
    return rows


def ours(n: int, answers: int, repeats: int) -> Row:
    similarity, clustering, field = solved(n, answers)
    chosen(similarity, clustering, field)  # compiles
    seconds, _ = cpu_seconds(lambda: chosen(similarity, clustering, field), repeats=repeats)
    row = {"what": f"JEIG batch, k = {field.k}", "n": n, "answers": answers, "batch": BATCH}
    return row | {"ours_s": seconds, "peak_mb": peak_memory_mb()}


def chosen(similarity: Similarity, clustering: Clustering, field: MeanField) -> Pairs:
    state = State(similarity, clustering, lambda: field)
    pool = Pool(similarity, Pairs.empty())
    return choose(JEIG(), state, pool, BATCH, np.random.default_rng(0)).pairs


def accuracy(field: MeanField) -> str:
    pairs = Pairs.all(field.similarity.n)

    def scores(acquisition: JEIG, seed: int) -> NDArray[np.float64]:
        fields = acquisition.simulate(field, np.random.default_rng(seed))
        return field.pair_entropy(pairs.u, pairs.v) - fields.mean_pair_entropy(pairs.u, pairs.v)

    settled = JEIG(tol=1e-5, max_sweeps=2000)
    exact = scores(settled, 0)
    error = np.abs(scores(JEIG(), 0) - exact).mean()
    noise = np.abs(scores(settled, 1) - exact).mean()
    return f"error {error:.2g}, noise {noise:.2g}"
