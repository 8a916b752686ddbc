"""Running chains of rooted forests: sweeps of both moves, samples, and samples brought up to date."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph, find_slot
from ofakind.kernels.partition.forest import NOBODY, Forest, TreePrior, forest_at
from ofakind.kernels.partition.forest_moves import NARROW_BRANCH, bench_for, sweep_narrow, sweep_wide

Array = NDArray[Any]


@compiled
def sample_forests(
    prior: TreePrior,
    answers: Graph,
    forest: Forest,
    plan: tuple[int, int, int],
    same: tuple[Array, Array],
    rng: Generator,
) -> tuple[Array, Array, Array]:
    """Run a chain: ``burn_in`` sweeps, then ``draws`` samples every ``thin`` sweeps.

    Changes the forest and ``same`` in place: the sums over the samples of the probability of being with the
    neighbour, for the slots of the candidates and for those of the answers, either being empty if it is not
    wanted. Returns the labels and the parents of every sample, and how many links are no candidates.
    """
    burn_in, draws, thin = plan
    n = len(forest.labels)
    everybody, nothing, bench = np.arange(n), (np.empty(0), np.empty(0)), bench_for(n)
    labels, parents = np.empty((draws, n), np.int32), np.empty((draws, n), np.int32)
    outside = np.empty(draws, np.int64)
    for sweep in range(burn_in + draws * thin):
        sweep_wide(prior, answers, forest, n, bench, rng)
        drawing = sweep >= burn_in and (sweep - burn_in) % thin == thin - 1
        sweep_narrow(
            prior, answers, forest, everybody, NARROW_BRANCH, same if drawing else nothing, bench, rng
        )
        if drawing:
            at = (sweep - burn_in) // thin
            labels[at], parents[at] = forest.labels, forest.parent
            outside[at] = links_outside(prior.candidates, forest.parent)
    return labels, parents, outside


@compiled
def links_outside(candidates: Graph, parent: Array) -> int:
    """Count the links that are no candidates."""
    found = 0
    for i in range(len(parent)):
        if parent[i] != NOBODY and find_slot(candidates.indptr, candidates.indices, i, parent[i]) < 0:
            found += 1
    return found


@compiled
def revise_forests(
    prior: TreePrior, answers: Graph, parents: Array, objects: Array, rng: Generator
) -> tuple[Array, Array]:
    """Draw the parents of some objects anew in each of several forests, rows of parents.

    Returns labels and parents. O(n) for each forest, and the entries of what hangs at the objects.
    """
    n, nothing, labels, revised = (
        parents.shape[1],
        (np.empty(0), np.empty(0)),
        np.empty_like(parents),
        np.empty_like(parents),
    )
    bench = bench_for(n)
    for s in range(len(parents)):
        forest = forest_at(parents[s])
        sweep_narrow(prior, answers, forest, objects, np.inf, nothing, bench, rng)
        labels[s], revised[s] = forest.labels, forest.parent
    return labels, revised


@compiled
def prior_same(prior: TreePrior, forest: Forest, sweeps: int, rng: Generator) -> Array:
    """Run the prior's own chain on; return the probability of "same" of each slot of the candidates.

    It is the mean over the sweeps. Changes the forest in place.
    """
    n, slots = len(forest.labels), len(prior.candidates.indices)
    answers = Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    same = np.zeros(slots), np.empty(0)
    everybody, bench = np.arange(n), bench_for(n)
    for _ in range(sweeps):
        sweep_wide(prior, answers, forest, n, bench, rng)
        sweep_narrow(prior, answers, forest, everybody, NARROW_BRANCH, same, bench, rng)
    return same[0] / max(1, sweeps)
