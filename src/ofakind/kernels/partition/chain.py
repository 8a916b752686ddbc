"""Running chains of partitions: sweeps of all moves, samples, and samples brought up to date."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.clusters import NOWHERE, Clusters, clusters_of
from ofakind.kernels.partition.moves import Prior, sweep_blocks, sweep_objects
from ofakind.kernels.partition.ties import count_units, log_broken
from ofakind.kernels.portable.elementary import log, log1p

Array = NDArray[Any]

ALPHA_EVERY = 5  # sweeps after which alpha is drawn again: it changes slowly (chosen by judgement)


@compiled
def draw_alpha(graph: Graph, clusters: Clusters, prior: Prior, rng: Generator) -> None:
    """Draw alpha given the number of clusters: alpha^K / Z(alpha), times its own prior.

    The weights in the grid are for all ties held; there is one more unit for each that does not hold.
    """
    best, ties, n = -np.inf, prior.ties, len(clusters.labels)
    _, held = count_units(ties, graph, clusters.labels, clusters.sizes)
    for g in range(len(prior.log_alphas)):  # the largest of log p + Gumbel noise
        value = prior.log_weights[g] + clusters.counts[0] * prior.log_alphas[g]
        value -= log_broken(ties, prior.log_alphas[g], n, held[0])
        value -= log(-log1p(-rng.random()))
        if value > best:
            best, prior.current[0] = value, g


@compiled
def sample(
    graph: Graph, clusters: Clusters, prior: Prior, plan: tuple[int, int, int], same: Array, rng: Generator
) -> tuple[Array, Array]:
    """Run a chain: ``burn_in`` sweeps, then ``draws`` samples every ``thin`` sweeps.

    Changes the clusters, the current alpha and ``same`` (see `sweep_objects`) in place. Returns the labels
    and the place in the grid of alphas of every sample.
    """
    burn_in, draws, thin = plan
    n = len(clusters.labels)
    everybody = np.arange(n)
    kept, places, nothing = np.empty((draws, n), np.int32), np.empty(draws, np.int64), np.empty(0)
    for sweep in range(burn_in + draws * thin):
        if sweep % ALPHA_EVERY == 0:
            draw_alpha(graph, clusters, prior, rng)
        sweep_blocks(graph, clusters, prior, rng.random(), rng)
        drawing = sweep >= burn_in and (sweep - burn_in) % thin == thin - 1
        sweep_objects(graph, clusters, prior, everybody, same if drawing else nothing, rng)
        if drawing:
            at = (sweep - burn_in) // thin
            kept[at], places[at] = clusters.labels, prior.current[0]
    return kept, places


@compiled
def revise(graph: Graph, labels: Array, prior: Prior, objects: Array, rng: Generator) -> tuple[Array, Array]:
    """Draw alpha and the clusters of some objects anew in each of several partitions, rows of labels below n.

    Returns the labels, and the place in the grid of alphas of each. O(n) for each partition, and the entries
    of the objects.
    """
    revised, places, nothing = np.empty_like(labels), np.empty(len(labels), np.int64), np.empty(0)
    for s in range(len(labels)):
        clusters = clusters_of(labels[s])
        draw_alpha(graph, clusters, prior, rng)
        sweep_objects(graph, clusters, prior, objects, nothing, rng)
        revised[s], places[s] = clusters.labels, prior.current[0]
    return revised, places


@compiled
def canonical_rows(labels: Array) -> Array:
    """Number the clusters of each row 0, 1, ... in order of first appearance."""
    out, number = np.empty_like(labels), np.empty(labels.shape[1] + 1, np.int32)
    for s in range(len(labels)):
        number[:] = NOWHERE
        count = 0
        for i in range(labels.shape[1]):
            k = labels[s, i]
            if number[k] == NOWHERE:
                number[k] = count
                count += 1
            out[s, i] = number[k]
    return out
