"""Drawing partitions from their posterior: moves of objects and of blocks.

The posterior of a partition c into clusters of sizes n_1..n_K is proportional to

    alpha^K  prod_k Gamma(n_k)^a e^{b n_k (n_k - 1) / 2}  exp(sum of w over the graph's pairs in clusters),

w being the log-likelihood ratio of a pair's answers (`Graph.S`), less b. A pair that is not in the graph has
the log odds b <= 0: 0, but for pairs that are treated as different unless something speaks against it. A pair
of w = -inf is never together: a partition in which it is leaves that with the first visit to one of its
objects. With ties, Gamma(n_k) is that of the cluster's units, see `ties`. Every move here leaves the
posterior invariant. A sweep takes time in proportion to the number of answers, whatever the number of
clusters. What is called for every object is inlined and takes plain arrays: to take one out of a tuple counts
its references, which would take longer than the work.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.attraction import attraction, drawn
from ofakind.kernels.partition.bonds import bonded_blocks, is_bondable
from ofakind.kernels.partition.clusters import (
    NOWHERE,
    Clusters,
    close_label,
    draw_untouched,
    join,
    leave,
    mass_of,
    open_label,
)
from ofakind.kernels.partition.ties import (
    Ties,
    add_ties,
    count_ties,
    count_units,
    forget_ties,
    log_return,
    tie_counts,
)
from ofakind.kernels.portable.elementary import exp

Array = NDArray[Any]

# Chosen by judgement, for what a sweep may take. It stands alone because numba needs globals.
SCAN = 256  # so many clusters are looked at one by one; of more, a block sees those it has answers with


class SizeTables(NamedTuple):
    """What a prior says of clusters by their size m, and of pairs that are not in the graph."""

    powers: Array  # (n + 1,) m^a
    factors: Array  # (n + 1,) a log Gamma(m) + b m (m - 1) / 2
    background: float  # b, the log odds of a pair that is not in the graph


class Prior(NamedTuple):
    """A grid of alphas, what the prior says of sizes (`SizeTables`), the place in the grid in force, ties."""

    log_weights: Array  # (g,) how much each is believed beforehand, over its normaliser
    log_alphas: Array  # (g,)
    powers: Array  # (n + 1,)
    factors: Array  # (n + 1,)
    background: float
    current: Array  # (1,)
    ties: Ties | None = None


@compiled(forceinline=True)
def _draw_seen(W: Array, seen: Array, many: int, left: float) -> int:
    """Return the one of the seen clusters in whose share of the sum of W the number ``left`` falls.

    Never one of weight 0: such a cluster may be ruled out.
    """
    chosen = NOWHERE
    for t in range(many):
        k = int(seen[t])
        if W[k] > 0:
            chosen = k
            left -= W[k]
            if left < 0:
                break
    return chosen


@compiled(forceinline=True)
def evidence(
    indptr: Array,
    indices: Array,
    w: Array,
    labels: Array,
    i: int,
    W: Array,
    touched: Array,
    seen: Array,
) -> int:
    """Add w from an object to each cluster it has answers with to W; return how many these are."""
    many = 0
    for slot in range(indptr[i], indptr[i + 1]):
        k = np.uint32(labels[np.uint32(indices[slot])])
        seen[many] = k  # it stays there only if the cluster is a new one: no branch to guess wrong
        many += 1 - touched[k]
        touched[k] = 1
        W[k] += w[slot]
    return many


@compiled
def scratch(n: int) -> tuple[Array, Array, Array]:
    """Weights of clusters (all 0), marks (none) and room for a list of seen clusters, for labels 0..n+1."""
    return np.zeros(n + 2), np.zeros(n + 2, np.uint8), np.empty(n + 2, np.uint32)


@compiled(forceinline=True)
def forget(W: Array, touched: Array, seen: Array, many: int) -> None:
    """Take the marks of the seen clusters away, and their weights."""
    for t in range(many):
        touched[seen[t]], W[seen[t]] = 0, 0.0


@compiled
def sweep_objects(
    graph: Graph, clusters: Clusters, prior: Prior, objects: Array, same: Array, rng: Generator
) -> None:
    """Draw the cluster of each of the objects: m_k^a e^{b n_k + W_k} for each cluster, alpha for a new one.

    W_k sums w over the object's pairs with cluster k, and what the prior says of its ties; clusters without
    any pair are one choice together. If ``same`` has a place for each slot, the probability of being with the
    neighbour there is added to it. The objects are visited in a circle from a random one, in a random
    direction.
    """
    indptr, indices, w = graph
    labels, sizes, used, counts = clusters.labels, clusters.sizes, clusters.used, clusters.counts
    alpha, power, b = exp(prior.log_alphas[prior.current[0]]), prior.powers, prior.background
    n, ties, reach = len(labels), prior.ties, attraction(power, b)
    (W, touched, seen), D = scratch(n), tie_counts(ties, n)
    units, held = count_units(ties, graph, labels, sizes)
    mass, visits = mass_of(clusters, ties, units, reach, b), len(objects)
    at, step = int(rng.random() * visits), 1 if rng.random() < 0.5 else visits - 1
    for _ in range(visits):
        at = at + step if at + step < visits else at + step - visits
        i = objects[at]
        many = evidence(indptr, indices, w, labels, i, W, touched, seen)
        count_ties(ties, indptr, indices, labels, i, D)
        k = np.uint32(labels[i])
        mass += leave(ties, sizes, units, held, reach, b, k, 1, 1, D)
        if sizes[k] == 0:
            close_label(clusters, int(k))
        labels[i] = NOWHERE
        add_ties(ties, power, units, alpha, n - held[0], D, W, seen, many)
        top, near, rest = 0.0, 0.0, mass
        for t in range(many):
            W[seen[t]] += b * sizes[seen[t]]
            top = max(top, W[seen[t]])
        for t in range(many):
            k = seen[t]
            rest -= drawn(ties, reach, b, sizes[k], units[k])
            W[k] = power[units[k]] * exp(W[k] - top)
            near += W[k]
        rest, scale = (max(rest, 0.0) if counts[0] > many else 0.0), exp(-top)
        total = near + (rest + alpha) * scale
        if len(same):
            for slot in range(indptr[i], indptr[i + 1]):
                same[slot] += W[np.uint32(labels[np.uint32(indices[slot])])] / total
        left, chosen = rng.random() * total, NOWHERE
        if left < near:
            chosen = _draw_seen(W, seen, many, left)
        elif left < near + rest * scale:
            count = counts[0]
            chosen = draw_untouched(labels, sizes, used, count, ties, units, reach, b, touched, rest, rng)
        if chosen == NOWHERE:
            chosen = open_label(clusters)
        mass += join(ties, sizes, units, held, reach, b, chosen, 1, 1, D)
        labels[i] = chosen
        forget(W, touched, seen, many)
        forget_ties(ties, D, seen, many)


@compiled(forceinline=True)
def _pull(
    indptr: Array,
    indices: Array,
    w: Array,
    labels: Array,
    members: Array,
    first: int,
    last: int,
    key: int,
    share: float,
    W: Array,
    touched: Array,
    seen: Array,
) -> int:
    """Add w from a block to each cluster, of the pairs that are not bondable, to W; how many it touches."""
    many, n = 0, len(labels)
    for at in range(first, last):
        i = members[at]
        for slot in range(indptr[i], indptr[i + 1]):
            j = indices[slot]
            k = np.uint32(labels[np.uint32(j)])
            seen[many] = k  # as in `evidence`
            many += 1 - touched[k]
            touched[k] = 1
            bondable = is_bondable(i, j, n, key, share)
            W[k] += w[slot] * (1 - (bondable & (w[slot] > 0)))
    return many


@compiled
def sweep_blocks(graph: Graph, clusters: Clusters, prior: Prior, share: float, rng: Generator) -> None:
    """Draw the cluster of whole blocks of objects (Swendsen and Wang, with a share of the positive pairs).

    A random ``share`` of the positive pairs may bond what they connect; the others, and all negative ones,
    pull and push the blocks. With share 1 two halves of a cluster would never be drawn to each other, with
    share 0 every block is a single object. Beyond SCAN clusters, a block larger than 1 chooses among those it
    has answers with, and stays if its own would not be one of them.
    """
    indptr, indices, w = graph
    labels, sizes, used, counts = clusters.labels, clusters.sizes, clusters.used, clusters.counts
    b, factors, ties, n = prior.background, prior.factors, prior.ties, len(labels)
    key, log_alpha = int(rng.random() * 2.0**53), prior.log_alphas[prior.current[0]]
    reach = attraction(prior.powers, b)
    (W, touched, seen), D = scratch(n), tie_counts(ties, n)
    touched[n + 1] = 1  # the label of a block while it moves: what it has with itself is not seen
    begin, members = bonded_blocks(graph, labels, key, share, rng)
    units, held = count_units(ties, graph, labels, sizes)
    mass, blocks = mass_of(clusters, ties, units, reach, b), len(begin) - 1
    at, step = int(rng.random() * blocks), 1 if rng.random() < 0.5 else blocks - 1
    for _ in range(blocks):
        at = at + step if at + step < blocks else at + step - blocks
        first, last = begin[at], begin[at + 1]
        m, chosen = last - first, int(labels[members[first]])
        if m > 1:
            _label(labels, members, first, last, n + 1)
        many = _pull(indptr, indices, w, labels, members, first, last, key, share, W, touched, seen)
        own = _block_units(ties, indptr, indices, labels, members, first, last, D)
        mass += leave(ties, sizes, units, held, reach, b, chosen, m, own, D)
        if sizes[chosen] == 0:
            close_label(clusters, chosen)
        if m == 1 or counts[0] <= SCAN or sizes[chosen] == 0 or touched[chosen]:
            if m > 1 and counts[0] <= SCAN:
                many = _see_all(used, counts[0], touched, seen, many)
            _add_block_ties(ties, sizes, units, factors, b, log_alpha, n - held[0], m, own, D, W, seen, many)
            near, top = _weigh_block(W, sizes, factors, m, seen, many, log_alpha)
            alone = m == 1 and counts[0] > many
            rest = _rest(mass, sizes, ties, units, reach, b, seen, many) if alone else 0.0
            scaled = rest * exp(-top)
            left, chosen = rng.random() * (near + scaled + exp(log_alpha - top)), NOWHERE
            if left < near:
                chosen = _draw_seen(W, seen, many, left)
            elif left < near + scaled:
                count, rest = counts[0], scaled * exp(top)
                chosen = draw_untouched(labels, sizes, used, count, ties, units, reach, b, touched, rest, rng)
            if chosen == NOWHERE:
                chosen = open_label(clusters)
        mass += join(ties, sizes, units, held, reach, b, chosen, m, own, D)
        _label(labels, members, first, last, chosen)
        forget(W, touched, seen, many)
        forget_ties(ties, D, seen, many)


@compiled(forceinline=True)
def _label(labels: Array, members: Array, first: int, last: int, k: int) -> None:
    """Give the members in this range a label."""
    for at in range(first, last):
        labels[members[at]] = k


@compiled(forceinline=True)
def _see_all(used: Array, count: int, touched: Array, seen: Array, many: int) -> int:
    """Add the clusters without a mark to the seen ones; return how many these are then."""
    for c in range(count):
        if not touched[used[c]]:
            seen[many] = used[c]
            many += 1
    return many


@compiled(forceinline=True)
def _weigh_block(
    W: Array, sizes: Array, factors: Array, m: int, seen: Array, many: int, log_alpha: float
) -> tuple[float, float]:
    """Turn W into weights of the seen clusters for a block of m objects; return their sum and log scale."""
    near, top = 0.0, log_alpha
    for t in range(many):
        k = seen[t]
        W[k] += factors[sizes[k] + m] - factors[sizes[k]] - factors[m]
        top = max(top, W[k])
    for t in range(many):
        W[seen[t]] = exp(W[seen[t]] - top)
        near += W[seen[t]]
    return near, top


@compiled(forceinline=True)
def _rest(
    mass: float, sizes: Array, ties: Ties | None, units: Array, reach: Array, b: float, seen: Array, many: int
) -> float:
    """Return how much all clusters draw a single object together, but for the seen ones."""
    for t in range(many):
        mass -= drawn(ties, reach, b, sizes[seen[t]], units[seen[t]])
    return max(mass, 0.0)


@compiled(forceinline=True)
def _block_units(
    ties: Ties | None,
    indptr: Array,
    indices: Array,
    labels: Array,
    members: Array,
    first: int,
    last: int,
    D: Array,
) -> int:
    """Count the ties of a block with each cluster in D; return how many units it is.

    While it moves a block is labelled n + 1, unless it is a single object, which has no tie with itself.
    """
    if ties is None:
        return last - first
    for at in range(first, last):
        count_ties(ties, indptr, indices, labels, members[at], D)
    within, D[-1] = D[-1] // 2, 0  # each was counted from both sides
    return int(last - first - within)


@compiled(forceinline=True)
def _add_block_ties(
    ties: Ties | None,
    sizes: Array,
    units: Array,
    factors: Array,
    b: float,
    log_alpha: float,
    free: int,
    m: int,
    own: int,
    D: Array,
    W: Array,
    seen: Array,
    many: int,
) -> None:
    """Add to W what the prior says of a block, of m objects and ``own`` units, beyond what sizes say.

    It has D[k] ties with cluster k; there are ``free`` units, those of the block among them.
    """
    if ties is None:
        return
    for t in range(many):
        k = seen[t]
        n_k, m_k, d = sizes[k], units[k], D[k]
        if n_k > m_k or m > own or d > 0:
            W[k] -= factors[n_k + m] - factors[n_k] - factors[m] - b * n_k * m
            sign = 1.0
            for count in (m_k + own - d, m_k, own):  # a log Gamma of each, the first less the others
                W[k] += sign * (factors[count] - b * count * (count - 1) / 2)
                sign = -1.0
        if d > 0:
            W[k] += log_return(ties, exp(log_alpha), free, d)
