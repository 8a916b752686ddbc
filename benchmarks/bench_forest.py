"""Chains of forests: a sweep of both moves, P(same) of any pair, and growth with n.

Records come in clusters of 3, with candidates of which most are wrong; the other instance has ten clusters.
Every object has about 15 candidates and one or two answers. A sweep is timed far from the start, as it is and
with P(same) of every candidate and answer (``note``). The twin lists, in plain Python, all forests that a
narrow move leads to; ours draws one of them.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Row, cpu_seconds, exponent, peak_memory_mb, twin
from ofakind.arrays import Ints
from ofakind.kernels.graph.csr import Graph, symmetric_csr
from ofakind.kernels.partition.forest import Forest, TreePrior, forest_at, forest_in, tree_prior
from ofakind.kernels.partition.forest_chain import revise_forests, sample_forests
from ofakind.kernels.partition.forest_same import probability_in_forests

SIZES = (1_000, 10_000, 100_000)
SWEEPS, DEGREE, BACKGROUND = 10, 15, 0.1
NOTHING = np.empty(0), np.empty(0)


def run() -> list[Row]:
    rows = [against_twin()]
    for what, size in (("clusters of 3", 3), ("10 clusters", None)):
        growth = [large(what, n, size or n // 10) for n in SIZES]
        growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
        rows += growth
    return rows


def against_twin() -> Row:
    n, times = 60, 2_000
    prior, answers, truth, rng = instance(n, 3)
    parents = np.tile(forest_in(prior, answers, truth, rng), (times, 1))
    everybody, first = np.arange(n), tuple(parents[0].tolist())
    revise_forests(prior, answers, parents[:1], everybody, rng)  # compiles
    ours_s, _ = cpu_seconds(lambda: revise_forests(prior, answers, parents, everybody, rng), repeats=3)
    f, w = dense(prior.candidates) + prior.f_bg, dense(answers)
    plain = twin("forest").narrow
    twin_s, _ = cpu_seconds(lambda: [plain(f, w, first, i) for i in range(n)])
    row = {"what": "all objects once", "n": n, "ours_s": ours_s / times, "twin_s": twin_s}
    return row | {"ratio": twin_s * times / ours_s}


def large(what: str, n: int, size: int) -> Row:
    prior, answers, truth, rng = instance(n, size)
    forest = forest_at(forest_in(prior, answers, truth, rng))
    sample_forests(prior, answers, forest, (2 * SWEEPS, 1, 1), NOTHING, rng)
    same = np.zeros(len(prior.candidates.indices)), np.zeros(len(answers.indices))
    sweep_s, _ = cpu_seconds(partial(sample_forests, prior, answers, forest, (SWEEPS, 0, 1), NOTHING, rng))
    noted_s, drawn = cpu_seconds(partial(sample_forests, prior, answers, forest, (0, SWEEPS, 1), same, rng))
    pairs_s = asked(prior, answers, drawn[1], rng)
    row = {"what": f"sweep, {what}", "n": n, "answers": len(answers.indices) // 2, "ours_s": sweep_s / SWEEPS}
    texts = f"with P(same) {noted_s / SWEEPS:.4f} s", f"{pairs_s * 1e6:.2f} us a pair and sample"
    return row | {"peak_mb": peak_memory_mb(), "note": ", ".join((*texts, f"{clusters(forest)} clusters"))}


def asked(prior: TreePrior, answers: Graph, parents: NDArray[np.int32], rng: np.random.Generator) -> float:
    """Seconds for P(same) of one pair in one sample: of each object with one other."""
    n = int(parents.shape[1])
    arguments = np.arange(n), np.arange(n + 1), rng.integers(n, size=n)
    probability_in_forests(prior, answers, parents[:1], *arguments)  # compiles
    seconds, _ = cpu_seconds(lambda: probability_in_forests(prior, answers, parents, *arguments))
    return seconds / float(n * len(parents))


def instance(n: int, size: int) -> tuple[TreePrior, Graph, Ints, np.random.Generator]:
    """Candidates, two in five of them true, and about one answer an object, half of them true."""
    rng = np.random.default_rng([n, size])
    truth = rng.permutation(np.arange(n) // size)
    order = np.argsort(truth, kind="stable")
    u, v = pairs(truth, order, np.repeat(np.arange(n), DEGREE // 2), 0.4, rng)
    f = np.where(truth[u] == truth[v], 2.0, 0.05) * np.exp(rng.normal(0, 0.5, len(u)))
    prior = tree_prior(graph_of(n, u, v, f), BACKGROUND / n)
    u, v = pairs(truth, order, rng.integers(n, size=n), 0.5, rng)
    return prior, graph_of(n, u, v, np.where(truth[u] == truth[v], 3.0, -3.0)), truth, rng


def pairs(truth: Ints, order: Ints, u: Ints, share: float, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Distinct pairs of the objects u and others, a share of which are of their cluster."""
    n, (first, count) = len(truth), (np.searchsorted(truth[order], truth), np.bincount(truth)[truth])
    inside = order[first[u] + (rng.random(len(u)) * count[u]).astype(np.int64)]
    v = np.where(rng.random(len(u)) < share, inside, rng.integers(n, size=len(u)))
    keys = np.unique(np.minimum(u, v) * n + np.maximum(u, v))
    keys = keys[keys // n != keys % n]
    return keys // n, keys % n


def graph_of(n: int, u: Ints, v: Ints, values: NDArray[np.float64]) -> Graph:
    indptr, indices, pair = symmetric_csr(n, u, v)
    return Graph(indptr, indices, values[pair])


def dense(graph: Graph) -> NDArray[np.float64]:
    n = len(graph.indptr) - 1
    full = np.zeros((n, n))
    full[np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices] = graph.S
    return full


def clusters(forest: Forest) -> int:
    return int((forest.sizes > 0).sum())
