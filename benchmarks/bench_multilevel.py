"""Multilevel search: against its twin, growth with n, warm start, known optima, signed graphs.

LocalSearch stands beside it, and Leiden (two iterations, its default) where leidenalg is installed; of these
one run is timed, of ours the best of three. Real graphs are read as `ofakind.datasets.load` finds them.
"""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np

from benchmarks.common import Row, cpu_seconds, exponent, oracle_answers, peak_memory_mb, twin
from ofakind.clustering import Clustering, correlation_cost
from ofakind.datasets import load
from ofakind.similarity import Similarity
from ofakind.solve.base import Solver
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel

SIZES = (1_000, 10_000, 100_000)
SEEDS = {1_000: 5, 10_000: 3, 100_000: 1}
GRAPHS = (
    "bitcoin_otc",
    "bitcoin_alpha",
    "wikielections",
    "twitterreferendum",
    "congress",
    "stocks_corr_2020",
)


def run() -> list[Row]:
    rows = [against_twin(300, 1800)]
    for make in (few_clusters, many_clusters):
        growth = [
            compare(make.__name__.replace("_", " "), [make(n, s) for s in range(SEEDS[n])]) for n in SIZES
        ]
        growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
        rows += growth
    rows += [warm_start(n) for n in SIZES]
    rows += [compare(name, [load(name).graph.similarity()]) for name in GRAPHS]
    return [*rows, *known_optima()]


def against_twin(n: int, answers: int) -> Row:
    similarity = oracle_answers(n, answers)
    solve(similarity, Multilevel())  # compiles
    ours_s, ours = cpu_seconds(partial(solve, similarity, Multilevel(kicks=10)), repeats=5)
    plain = partial(twin("multilevel").multilevel, similarity, kicks=10)
    twin_s, theirs = cpu_seconds(lambda: plain(rng=np.random.default_rng(0)))
    assert np.array_equal(ours.labels, theirs.labels), "the twin gives other labels"
    row = {"what": "multilevel, 10 kicks, identical labels", "n": n, "answers": answers}
    return row | {"ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s}


def few_clusters(n: int, seed: int) -> Similarity:
    return oracle_answers(n, 10 * n, seed)


def many_clusters(n: int, seed: int) -> Similarity:
    """Clusters of one to five; a third of the questions inside them, the others among near neighbours."""
    rng = np.random.default_rng([seed, n])
    truth = np.repeat(np.arange(n), rng.integers(1, 6, n))[:n]
    u = rng.integers(n, size=10 * n)
    near = (u + rng.integers(1, 61, len(u)) * rng.choice([-1, 1], len(u))) % n
    first, last = (np.searchsorted(truth, truth[u], side=side) for side in ("left", "right"))
    v = np.where(rng.random(len(u)) < 0.35, rng.integers(first, last), near)
    u, v = u[u != v], v[u != v]
    answers = np.where(truth[u] == truth[v], 1.0, -1.0)
    noise = rng.uniform(-1, 1, len(u))
    number = rng.permutation(n)
    return Similarity.from_pairs(n, number[u], number[v], np.where(rng.random(len(u)) < 0.3, noise, answers))


def compare(what: str, similarities: list[Similarity]) -> Row:
    """Mean time and mean similarity inside clusters (more is better) over the instances."""
    found = {"": [timed(s, Multilevel(), repeats=3) for s in similarities]}
    found["LocalSearch"] = [timed(s, LocalSearch()) for s in similarities]
    if find_spec("leidenalg"):
        found["Leiden"] = [leiden(s) for s in similarities]
    means = {name: np.mean(measured, axis=0).tolist() for name, measured in found.items()}
    ours_s, inside = means.pop("")
    row = {"what": f"multilevel, {what}", "n": similarities[0].n, "answers": similarities[0].n_pairs}
    row |= {"ours_s": ours_s, "inside": inside, "peak_mb": peak_memory_mb()}
    notes = [f"inside {inside:.1f}"]
    for name, (seconds, other) in means.items():
        row |= {f"{name}_s": seconds, f"{name}_inside": other}
        notes.append(f"{name} {other:.1f} in {seconds / ours_s:.3g} times the time")
    return row | {"note": "; ".join(notes)}


def timed(similarity: Similarity, solver: Solver, repeats: int = 1) -> tuple[float, float]:
    seconds, found = cpu_seconds(partial(solve, similarity, solver), repeats=repeats)
    return seconds, -correlation_cost(similarity, found.labels)


def leiden(similarity: Similarity) -> tuple[float, float]:
    """Leiden's time without the making of its graph."""
    from benchmarks.peers.leiden import leiden as run_leiden
    from benchmarks.peers.leiden import signed_graph

    seconds, found = cpu_seconds(partial(run_leiden, similarity, *signed_graph(similarity), 0))
    return seconds, -correlation_cost(similarity, found.labels)


def warm_start(n: int) -> Row:
    """One in a hundred answers is new: from the clustering before, without a kick, and from nothing."""
    after = many_clusters(n, 0)
    pairs = after.pairs()
    old = pairs.take(np.random.default_rng(0).random(len(pairs)) < 0.99)
    before = Similarity.from_pairs(n, old.u, old.v, after.value(old.u, old.v))
    start = Clustering.of(after, solve(before, Multilevel()).labels)
    cold_s, cold = cpu_seconds(partial(solve, after, Multilevel()), repeats=3)
    ours_s, warm = cpu_seconds(partial(solve, after, Multilevel(kicks=0), start), repeats=3)
    row = {"what": "multilevel, warm, no kick", "n": n, "answers": after.n_pairs, "ours_s": ours_s}
    inside = [-correlation_cost(after, found.labels) for found in (start, warm, cold)]
    row |= dict(zip(("start_inside", "inside", "cold_inside"), inside, strict=True)) | {"cold_s": cold_s}
    note = "inside {1:.1f}; at the start {0:.1f}, cold {2:.1f}".format(*inside)
    return row | {"note": f"{note} in {cold_s / ours_s:.3g} times the time"}


def known_optima() -> Iterator[Row]:
    """How many of the 180 known optima of weighted cluster editing are met, over three seeds."""
    optima = {graph: graph.optimal_cost for graph in load("wce_instances").graphs}
    known = {graph: optimum for graph, optimum in optima.items() if optimum is not None}
    solvers: dict[str, Solver] = {"multilevel": Multilevel(), "local search": LocalSearch()}
    for name, solver in solvers.items():
        seconds, gaps = 0.0, []
        for graph, optimum in known.items():
            for seed in range(3):
                used, found = cpu_seconds(partial(solve, graph.similarity(), solver, seed=seed))
                seconds += used
                gaps.append((found.cost * graph.scale - optimum) / max(optimum, 1))
        met, gap = float(np.sum(np.array(gaps) < 1e-9)) / 3, 100 * float(np.mean(gaps))
        row = {"what": f"{name}, known optima", "n": max(graph.n for graph in known)}
        row |= {"ours_s": seconds / len(gaps), "met": met, "mean_gap_percent": gap}
        yield row | {"note": f"{met:.1f} of {len(known)} met, mean gap {gap:.2g} %"}


def solve(
    similarity: Similarity, solver: Solver, start: Clustering | None = None, seed: int = 0
) -> Clustering:
    return solver(similarity, start=start, rng=np.random.default_rng(seed))
