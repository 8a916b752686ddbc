"""Drawing partitions from their posterior: moves of objects and of blocks.

The posterior of a partition c into clusters of sizes n_1..n_K is proportional to

    alpha^K  prod_k Gamma(n_k)^a e^{b n_k (n_k - 1) / 2}  exp(sum of w over the graph's pairs in clusters),

w being the log-likelihood ratio of a pair's answers (`Graph.S`), less b. A pair that is not in the graph has
the log odds b <= 0: 0, but for pairs that are treated as different unless something speaks against it. A pair
of w = -inf is never together: a partition in which it is leaves that with the first visit to one of its
objects. With ties, Gamma(n_k) is that of the cluster's units, see `ties`. Every move here leaves the
posterior invariant. A sweep takes time in proportion to the number of answers, whatever the number of
clusters.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.graph.union_find import root
from ofakind.kernels.partition.attraction import attraction
from ofakind.kernels.partition.clusters import (
    NOWHERE,
    Clusters,
    count_units,
    draw_untouched,
    drawn,
    join,
    leave,
)
from ofakind.kernels.partition.ties import NO_TIES, Ties, log_joined, log_return, ties_of

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
    ties: Ties = NO_TIES


@compiled
def _refresh(graph: Graph, clusters: Clusters, prior: Prior, reach: Array) -> None:
    """Count the units; and sum m_k^a e^{b n_k} anew, against the rounding of many small changes."""
    sizes, units, total = clusters.sizes, clusters.units, 0.0
    count_units(graph, clusters, prior.ties)
    for c in range(clusters.counts[0]):
        k = clusters.used[c]
        total += drawn(reach, prior.background, sizes[k], units[k])
    clusters.mass[0] = total


@compiled
def _draw_seen(W: Array, seen: Array, many: int, left: float) -> int:
    """Return the one of the seen clusters in whose share of the sum of W the number ``left`` falls.

    Never one of weight 0: such a cluster may be ruled out.
    """
    chosen = NOWHERE
    for t in range(many):
        if W[seen[t]] > 0:
            chosen = seen[t]
            left -= W[chosen]
            if left < 0:
                break
    return chosen


@compiled
def _evidence(graph: Graph, labels: Array, i: int, scratch: Any) -> int:
    """Sum w from an object to each cluster it has answers with; return how many these are."""
    W, touched, seen = scratch
    many = 0
    for slot in range(graph.indptr[i], graph.indptr[i + 1]):
        k = labels[graph.indices[slot]]
        if not touched[k]:
            touched[k], W[k], seen[many] = True, 0.0, k
            many += 1
        W[k] += graph.S[slot]
    return many


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
    labels, sizes, units, n = clusters.labels, clusters.sizes, clusters.units, len(clusters.labels)
    alpha, power, b = math.exp(prior.log_alphas[prior.current[0]]), prior.powers, prior.background
    scratch = np.empty(n + 1), np.zeros(n + 1, np.bool_), np.empty(n + 1, np.int32)
    W, touched, seen = scratch
    tied, d = len(prior.ties.slots) > 0, 0
    D = np.zeros(n + 1 if tied else 0, np.int64)
    reach = attraction(power, b)
    _refresh(graph, clusters, prior, reach)
    visits = len(objects)
    at, step = int(rng.random() * visits), 1 if rng.random() < 0.5 else visits - 1
    for _ in range(visits):
        at = at + step if at + step < visits else at + step - visits
        i = objects[at]
        many = _evidence(graph, labels, i, scratch)
        if tied:
            ties_of(graph, prior.ties, labels, i, D)
            d = D[labels[i]]
        leave(clusters, reach, b, labels[i], (1, 1, d))
        labels[i] = NOWHERE
        if tied:
            _add_ties(clusters, prior, alpha, D, many, scratch)
        top, near, rest = 0.0, 0.0, clusters.mass[0]
        for t in range(many):
            W[seen[t]] += b * sizes[seen[t]]
            top = max(top, W[seen[t]])
        for t in range(many):
            k = seen[t]
            rest -= drawn(reach, b, sizes[k], units[k])
            W[k] = power[units[k]] * math.exp(W[k] - top)
            near += W[k]
        rest, scale = (max(rest, 0.0) if clusters.counts[0] > many else 0.0), math.exp(-top)
        total = near + (rest + alpha) * scale
        if len(same):
            for slot in range(graph.indptr[i], graph.indptr[i + 1]):
                same[slot] += W[labels[graph.indices[slot]]] / total
        left, chosen = rng.random() * total, NOWHERE
        if left < near:
            chosen = _draw_seen(W, seen, many, left)
        elif left < near + rest * scale:
            chosen = draw_untouched(clusters, reach, b, touched, rest, rng)
        labels[i] = join(clusters, reach, b, chosen, (1, 1, _cleared(D, chosen, seen, many)))
        for t in range(many):
            touched[seen[t]] = False


@compiled
def _add_ties(clusters: Clusters, prior: Prior, alpha: float, D: Array, many: int, scratch: Any) -> None:
    """Add to W what the prior says of an object's ties with the clusters it sees: D[k] of them with k."""
    W, _, seen = scratch
    free = len(clusters.labels) - clusters.counts[2]
    for t in range(many):
        k = seen[t]
        if D[k] > 0:
            W[k] += log_joined(prior.powers, clusters.units[k], D[k])
            W[k] += log_return(prior.ties, alpha, free, D[k])


@compiled(inline="always")
def _cleared(D: Array, chosen: int, seen: Array, many: int) -> int:
    """Return the number of ties with the chosen cluster, and set all numbers to 0."""
    if len(D) == 0:
        return 0
    found = 0 if chosen == NOWHERE else D[chosen]
    for t in range(many):
        D[seen[t]] = 0
    return int(found)


@compiled
def _is_bondable(i: int, j: int, n: int, key: int, share: float) -> bool:
    """Whether a pair is among the share of all pairs that may be bonded, by a hash of the pair and a key."""
    x = np.uint64(min(i, j) * n + max(i, j)) ^ np.uint64(key)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return bool((x >> np.uint64(11)) * 2.0**-53 < share)


@compiled
def _bonded_blocks(
    graph: Graph, labels: Array, key: int, share: float, rng: Generator
) -> tuple[Array, Array, Array]:
    """Bond bondable positive pairs inside clusters with probability 1 - e^{-w}; return the connected blocks.

    They come as each object's block, where each block begins, and the members of all blocks, side by side.
    """
    indptr, indices, w = graph
    n = len(labels)
    parent = np.arange(n).astype(np.int32)
    for i in range(n):
        for slot in range(indptr[i], indptr[i + 1]):
            j = indices[slot]
            if j < i or w[slot] <= 0 or labels[i] != labels[j] or not _is_bondable(i, j, n, key, share):
                continue
            if rng.random() > math.exp(-w[slot]):
                a, b = root(parent, i), root(parent, j)
                parent[max(a, b)] = min(a, b)
    block, count = np.empty(n, np.int32), 0
    for i in range(n):
        first = root(parent, i)  # the smallest object of its block
        if first == i:
            block[i] = count
            count += 1
        else:
            block[i] = block[first]
    begin = np.zeros(count + 1, np.int64)
    for i in range(n):
        begin[block[i] + 1] += 1
    for b in range(count):
        begin[b + 1] += begin[b]
    members, fill = np.empty(n, np.int32), begin[:-1].copy()
    for i in range(n):
        members[fill[block[i]]] = i
        fill[block[i]] += 1
    return block, begin, members


@compiled
def _pull(
    graph: Graph, clusters: Clusters, block: Array, inside: Array, key: int, share: float, scratch: Any
) -> int:
    """Sum w from a block to each cluster over the pairs that are not bondable; how many it touches."""
    indptr, indices, w = graph
    W, touched, seen = scratch
    labels, n, many = clusters.labels, len(block), 0
    own = labels[inside[0]]
    for i in inside:
        for slot in range(indptr[i], indptr[i + 1]):
            j = indices[slot]
            k = labels[j]
            if k == own and block[j] == block[i]:  # in this order: most need not look up their block
                continue
            if not touched[k]:
                touched[k], W[k], seen[many] = True, 0.0, k
                many += 1
            if w[slot] < 0 or not _is_bondable(i, j, n, key, share):
                W[k] += w[slot]
    return many


@compiled
def _block_ties(graph: Graph, ties: Ties, labels: Array, block: Array, inside: Array, D: Array) -> int:
    """Add the number of a block's ties with each cluster, but for itself, to D; return how many are in it."""
    within = 0
    for i in inside:
        for slot in range(graph.indptr[i], graph.indptr[i + 1]):
            j = graph.indices[slot]
            if ties.slots[slot] and block[j] == block[i]:
                within += 1
            elif ties.slots[slot]:
                D[labels[j]] += 1
    return within // 2


@compiled
def sweep_blocks(graph: Graph, clusters: Clusters, prior: Prior, share: float, rng: Generator) -> None:
    """Draw the cluster of whole blocks of objects (Swendsen and Wang, with a share of the positive pairs).

    A random ``share`` of the positive pairs may bond what they connect; the others, and all negative ones,
    pull and push the blocks. With share 1 two halves of a cluster would never be drawn to each other, with
    share 0 every block is a single object. Beyond SCAN clusters, a block larger than 1 chooses among those it
    has answers with, and stays if its own would not be one of them.
    """
    labels, sizes, counts, bg = clusters.labels, clusters.sizes, clusters.counts, prior.background
    reach = attraction(prior.powers, bg)
    n, key = len(labels), int(rng.random() * 2.0**53)
    scratch = np.empty(n + 1), np.zeros(n + 1, np.bool_), np.empty(n + 1, np.int32)
    W, touched, seen = scratch
    tied, units, d = len(prior.ties.slots) > 0, 0, 0
    D = np.zeros(n + 1 if tied else 0, np.int64)
    block, begin, members = _bonded_blocks(graph, labels, key, share, rng)
    _refresh(graph, clusters, prior, reach)
    b, step = int(rng.random() * (len(begin) - 1)), 1 if rng.random() < 0.5 else len(begin) - 2
    for _ in range(len(begin) - 1):
        b = b + step if b + step < len(begin) - 1 else b + step - len(begin) + 1
        inside = members[begin[b] : begin[b + 1]]
        m, own = len(inside), labels[inside[0]]
        many, units = _pull(graph, clusters, block, inside, key, share, scratch), m
        if tied:
            units -= _block_ties(graph, prior.ties, labels, block, inside, D)
            d = D[own]
        leave(clusters, reach, bg, own, (m, units, d))
        scan = m > 1 and counts[0] <= SCAN
        if m > 1 and not scan and sizes[own] > 0 and not touched[own]:
            join(clusters, reach, bg, own, (m, units, _cleared(D, own, seen, many)))
        else:
            if scan:
                for c in range(counts[0]):
                    if not touched[clusters.used[c]]:
                        W[clusters.used[c]], seen[many] = 0.0, clusters.used[c]
                        many += 1
            if tied:
                _add_block_ties(clusters, prior, (m, units), D, many, scratch)
            chosen = _place_block(clusters, prior, reach, m, many, scratch, rng)
            k = join(clusters, reach, bg, chosen, (m, units, _cleared(D, chosen, seen, many)))
            for i in inside:
                labels[i] = k
        for t in range(many):
            touched[seen[t]] = False


@compiled
def _add_block_ties(
    clusters: Clusters, prior: Prior, block: tuple[int, int], D: Array, many: int, scratch: Any
) -> None:
    """Add to W what the prior says of a block, of so many objects and units, beyond what sizes say.

    It has D[k] ties with cluster k.
    """
    (m, own), W, seen, b = block, scratch[0], scratch[2], prior.background
    alpha, free = math.exp(prior.log_alphas[prior.current[0]]), len(clusters.labels) - clusters.counts[2]
    for t in range(many):
        k = seen[t]
        n_k, m_k, d = clusters.sizes[k], clusters.units[k], D[k]
        if n_k > m_k or m > own or d > 0:
            W[k] -= prior.factors[n_k + m] - prior.factors[n_k] - prior.factors[m] - b * n_k * m
            sign = 1.0
            for units in (m_k + own - d, m_k, own):  # a log Gamma of each, the first less the others
                W[k] += sign * (prior.factors[units] - b * units * (units - 1) / 2)
                sign = -1.0
        if d > 0:
            W[k] += log_return(prior.ties, alpha, free, d)


@compiled
def _place_block(
    clusters: Clusters, prior: Prior, reach: Array, m: int, many: int, scratch: Any, rng: Generator
) -> int:
    """Draw one of the seen clusters, a new one or, for a single object, an untouched one."""
    W, touched, seen = scratch
    sizes, units, factor, b = clusters.sizes, clusters.units, prior.factors, prior.background
    log_alpha = prior.log_alphas[prior.current[0]]
    top, rest, near = log_alpha, 0.0, 0.0
    for t in range(many):
        k = seen[t]
        W[k] += factor[sizes[k] + m] - factor[sizes[k]] - factor[m]
        top = max(top, W[k])
    for t in range(many):
        W[seen[t]] = math.exp(W[seen[t]] - top)
        near += W[seen[t]]
    if m == 1 and clusters.counts[0] > many:
        rest = clusters.mass[0]
        for t in range(many):
            rest -= drawn(reach, b, sizes[seen[t]], units[seen[t]])
        rest = max(rest, 0.0)
    rest *= math.exp(-top)
    left = rng.random() * (near + rest + math.exp(log_alpha - top))
    if left < near:
        return _draw_seen(W, seen, many, left)
    if left < near + rest:
        return draw_untouched(clusters, reach, b, touched, rest * math.exp(top), rng)
    return NOWHERE
