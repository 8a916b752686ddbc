"""Entropy batches: end to end against the plain twins, and drawn without listing the pairs for large n.

End to end is the mean field of a given clustering, the entropy of every pair and a power batch. One twin
runs the same asynchronous mean field in plain NumPy; the other Alg. 3 as printed (synchronous, sparse, at
most 200 sweeps), which does not settle on such data. For the drawn batches the probabilities are synthetic:
ten clusters, 60 % of the objects nearly certain; ``peak_mb`` is what the draw takes beyond q and the answers.
"""

import tracemalloc

import numpy as np

from benchmarks.common import CLUSTERS, Row, cpu_seconds, exponent, solved, twin
from ofakind.acquire.entropy import draw_by_entropy, list_by_entropy
from ofakind.acquire.pool import Pool
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.dense import MeanField, mean_field
from ofakind.similarity import Similarity

BATCH = 1250


def run() -> list[Row]:
    drawn = [draw(n, 100_000) for n in (10_000, 100_000, 1_000_000)]
    drawn[-1]["exponent"] = exponent([row["n"] for row in drawn], [row["ours_s"] for row in drawn])
    return [*end_to_end(1000, 12_000), *drawn]


def end_to_end(n: int, answers: int) -> list[Row]:
    similarity, clustering, field = solved(n, answers)
    pool = Pool(similarity, Pairs.empty())
    dense, plain = twin("mean_field"), twin("sparse_mean_field")
    sparse_S = similarity.to_scipy()
    S, asked = sparse_S.toarray(), sparse_S.toarray() != 0
    costs = dense.start_costs(S, clustering.labels)

    def ours() -> Pairs:
        posterior = mean_field(similarity, clustering.labels)
        return list_by_entropy(posterior, pool, BATCH, 1.0, np.random.default_rng(0)).pairs

    def asynchronous() -> object:
        q, _ = dense.asynchronous(S, costs, field.beta, tol=1e-6)
        return plain.power_batch(dense.pair_entropy(q), asked, BATCH, np.random.default_rng(0))

    def synchronous() -> object:
        q = plain.mean_field(sparse_S, costs, field.beta)
        return plain.power_batch(dense.pair_entropy(q), asked, BATCH, np.random.default_rng(0))

    ours()  # compiles
    ours_s, _ = cpu_seconds(ours, repeats=7)
    rows = []
    for work, name in ((asynchronous, "same mean field"), (synchronous, "Alg. 3, 200 sweeps")):
        twin_s, _ = cpu_seconds(work)
        row = {
            "what": f"Entropy batch, k = {field.k}, twin: {name}",
            "n": n,
            "answers": answers,
            "batch": BATCH,
        }
        rows.append(row | {"ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s})
    return rows


def draw(n: int, batch: int) -> Row:
    field = synthetic(n)
    pool = Pool(field.similarity, Pairs.empty())

    def chosen() -> Pairs:
        return draw_by_entropy(field, pool, batch, 1.0, np.random.default_rng(0)).pairs

    assert len(chosen()) == batch
    seconds, _ = cpu_seconds(chosen, repeats=3)
    tracemalloc.start()
    chosen()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    row = {"what": "Entropy batch, drawn, given q", "n": n, "answers": 10 * n, "batch": batch}
    note = f"q {field.q.nbytes / 1e6:.0f} MB"
    return row | {"ours_s": seconds, "peak_mb": peak, "note": note}


def synthetic(n: int) -> MeanField:
    """A mean field with given probabilities, and 10 answers per object."""
    rng = np.random.default_rng(n)
    q = rng.dirichlet(np.ones(CLUSTERS), n)
    sure = rng.random(n) < 0.6
    q[sure] = 0.001 + 0.99 * np.eye(CLUSTERS)[rng.integers(CLUSTERS, size=int(sure.sum()))]
    asked = Pool.everything(n).draw(10 * n, rng)
    similarity = Similarity.from_pairs(n, asked.u, asked.v, np.ones(len(asked)))
    return MeanField(
        similarity, q, np.zeros_like(q), 3.0, "asynchronous", converged=True, sweeps=1, residual=0.0
    )
