"""Leiden on signed weights against our solvers: the same similarities, the same cost.

The constant Potts model at resolution 0 sums the weights inside clusters, so maximising it is correlation
clustering. Both begin from what they need ready made: ours from a `Similarity`, Leiden from an igraph graph.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import igraph
import leidenalg
import numpy as np

from benchmarks.common import CLUSTERS, GAMMA, Row, cpu_seconds
from ofakind.acquire.pool import Pool
from ofakind.arrays import Ints
from ofakind.clustering import Clustering, adjusted_rand_index, correlation_cost
from ofakind.oracles.noisy import NoisyOracle
from ofakind.similarity import Similarity
from ofakind.solve.base import Solver
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel

STATES = ((500, 5_000), (500, 10_000), (500, 20_000), (1_000, 10_000), (1_000, 20_000), (1_000, 40_000))
LARGE = (10_000, 120_000)
SEEDS = 3


def run() -> list[Row]:
    rows: list[Row] = []
    for n, answers in (*STATES, LARGE):
        print(f"leiden: {n} objects, {answers} answers", flush=True)
        for seed in range(1 if (n, answers) == LARGE else SEEDS):
            rows += compare(n, answers, seed)
    return rows


def compare(n: int, answers: int, seed: int) -> Iterator[Row]:
    similarity, truth = instance(n, answers, seed)
    ours = partial(solve, similarity, seed)
    theirs = partial(leiden, similarity, *signed_graph(similarity), seed)
    for solver in (LocalSearch(), Multilevel()):
        ours(solver)  # compiles
    ours_s, found = cpu_seconds(partial(ours, LocalSearch()))
    leiden_s, leiden_found = cpu_seconds(theirs)
    longer = LocalSearch(restarts=max(5, round(5 * leiden_s / ours_s)))
    timed: list[tuple[str, float, Clustering]] = [
        ("LocalSearch", ours_s, found),
        ("same, longer", *cpu_seconds(partial(ours, longer))),
        ("Multilevel", *cpu_seconds(partial(ours, Multilevel()))),
        ("Leiden", leiden_s, leiden_found),
    ]
    if (n, answers) != LARGE:  # there it takes a minute
        timed.append(("Leiden, settled", *cpu_seconds(partial(theirs, n_iterations=-1))))
    for name, seconds, clustering in timed:
        row = {"n": n, "answers": answers, "seed": seed, "solver": name, "cost": clustering.cost}
        row |= {"clusters": clustering.k, "ari": adjusted_rand_index(clustering.labels, truth)}
        yield row | {"cpu_s": seconds, "ratio": seconds / ours_s}


def instance(n: int, answers: int, seed: int) -> tuple[Similarity, Ints]:
    """Distinct uniform pairs of ten balanced clusters, answered by Oracle 1, and the true labels."""
    rng = np.random.default_rng([seed, n, answers])
    truth = rng.permutation(np.arange(n) % CLUSTERS)
    pairs = Pool.everything(n).draw(answers, rng)
    values = NoisyOracle(truth, gamma=GAMMA, seed=seed)(pairs)
    return Similarity.from_pairs(n, pairs.u, pairs.v, values), truth


def signed_graph(similarity: Similarity) -> tuple[Any, list[float]]:
    pairs = similarity.pairs()
    edges = zip(pairs.u.tolist(), pairs.v.tolist(), strict=True)
    return igraph.Graph(n=similarity.n, edges=list(edges)), similarity.value(pairs.u, pairs.v).tolist()


def solve(similarity: Similarity, seed: int, solver: Solver) -> Clustering:
    return solver(similarity, rng=np.random.default_rng(seed))


def leiden(
    similarity: Similarity, graph: Any, weights: list[float], seed: int, *, n_iterations: int = 2
) -> Clustering:
    """Leiden as its documentation calls it; two iterations are its default."""
    partition = leidenalg.find_partition(
        graph,
        leidenalg.CPMVertexPartition,
        weights=weights,
        resolution_parameter=0,
        n_iterations=n_iterations,
        seed=seed,
    )
    labels = np.array(partition.membership)
    objective = -2 * correlation_cost(similarity, labels)  # it counts each pair in both directions
    assert np.isclose(partition.quality(), objective), "Leiden optimises something else"
    return Clustering.of(similarity, labels)
