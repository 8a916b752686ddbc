"""Drawing partitions from their posterior: moves of objects and of blocks.

The posterior of a partition c into clusters of sizes n_1..n_K is proportional to

    alpha^K  prod_k Gamma(n_k)^a e^{b n_k (n_k - 1) / 2}  exp(sum of w over the graph's pairs in clusters),

w being the log-likelihood ratio of a pair's answers (`Graph.S`), less b. A pair that is not in the graph has
the log odds b <= 0: 0, but for pairs that are treated as different unless something speaks against it. A pair
of w = -inf is never together: a partition in which it is leaves that with the first visit to one of its
objects. Every move here leaves the posterior invariant. A sweep takes time in proportion to the number of
answers, whatever the number of clusters.
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

Array = NDArray[Any]
NOWHERE = -1  # the label of no cluster

# Tuned numbers, chosen by judgement: what a sweep may take. They stand alone because numba needs globals.
SCAN = 256  # so many clusters are looked at one by one; of more, a block sees those it has answers with
TRIES = 64  # draws of a random object's cluster, if there are more clusters than this, before all are listed


class Clusters(NamedTuple):
    """A partition that is cheap to change: labels below n + 1, sizes, and lists of used and unused labels."""

    labels: Array  # (n,)
    sizes: Array  # (n + 1,)
    used: Array  # (n + 1,) the first counts[0] are the labels in use
    place: Array  # (n + 1,) where each label in use stands among them
    unused: Array  # (n + 1,) the first counts[1] are the labels not in use
    counts: Array  # (2,)
    mass: Array  # (1,) sum of n_k^a e^{b n_k}


class SizeTables(NamedTuple):
    """What a prior says of clusters by their size m, and of pairs that are not in the graph."""

    powers: Array  # (n + 1,) m^a
    factors: Array  # (n + 1,) a log Gamma(m) + b m (m - 1) / 2
    background: float  # b, the log odds of a pair that is not in the graph


class Prior(NamedTuple):
    """A grid of alphas, what the prior says of sizes (`SizeTables`), and the place in the grid in force."""

    log_weights: Array  # (g,) how much each is believed beforehand, over its normaliser
    log_alphas: Array  # (g,)
    powers: Array  # (n + 1,)
    factors: Array  # (n + 1,)
    background: float
    current: Array  # (1,)


@compiled
def clusters_of(labels: Array) -> Clusters:
    """Index a partition whose labels are below n; they are copied."""
    n = len(labels)
    sizes, used, place = np.zeros(n + 1, np.int64), np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    unused, counts = np.empty(n + 1, np.int32), np.zeros(2, np.int64)
    for label in labels:
        sizes[label] += 1
    for k in range(n + 1):
        if sizes[k]:
            used[counts[0]], place[k] = k, counts[0]
            counts[0] += 1
        else:
            unused[counts[1]] = k
            counts[1] += 1
    return Clusters(labels.astype(np.int32), sizes, used, place, unused, counts, np.zeros(1))


@compiled
def _leave(clusters: Clusters, power: Array, k: int, m: int) -> None:
    """Take m objects out of cluster k."""
    sizes, counts = clusters.sizes, clusters.counts
    clusters.mass[0] += power[sizes[k] - m] - power[sizes[k]]
    sizes[k] -= m
    if sizes[k] == 0:
        counts[0] -= 1
        last = clusters.used[counts[0]]
        clusters.used[clusters.place[k]] = last
        clusters.place[last] = clusters.place[k]
        clusters.unused[counts[1]] = k
        counts[1] += 1


@compiled
def _join(clusters: Clusters, power: Array, k: int, m: int) -> int:
    """Put m objects into cluster k, or into a new one if it is NOWHERE; return its label."""
    sizes, counts = clusters.sizes, clusters.counts
    if k == NOWHERE:
        counts[1] -= 1
        k = clusters.unused[counts[1]]
        clusters.used[counts[0]], clusters.place[k] = k, counts[0]
        counts[0] += 1
    clusters.mass[0] += power[sizes[k] + m] - power[sizes[k]]
    sizes[k] += m
    return k


@compiled
def _draw_untouched(clusters: Clusters, power: Array, touched: Array, total: float, rng: Generator) -> int:
    """Draw a cluster without a mark, with probability power[size] / total."""
    labels, sizes = clusters.labels, clusters.sizes
    if clusters.counts[0] > TRIES:  # a random object's cluster, thinned from size to power[size]
        for _ in range(TRIES):
            k = labels[int(rng.random() * len(labels))]
            if k != NOWHERE and not touched[k] and rng.random() * sizes[k] < power[sizes[k]]:
                return int(k)
    left, chosen = rng.random() * total, NOWHERE
    for c in range(clusters.counts[0]):
        k = clusters.used[c]
        if not touched[k]:
            chosen = k
            left -= power[sizes[k]]
            if left < 0:
                break
    return chosen


@compiled
def refresh_mass(clusters: Clusters, power: Array) -> None:
    """Sum n_k^a e^{b n_k} anew, against the rounding of many small changes."""
    total = 0.0
    for c in range(clusters.counts[0]):
        total += power[clusters.sizes[clusters.used[c]]]
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
    """Draw the cluster of each of the objects: n_k^a e^{b n_k + W_k} for each cluster, alpha for a new one.

    W_k sums w over the object's pairs with cluster k; clusters without any are one choice together. If
    ``same`` has a place for each slot, the probability of being with the neighbour there is added to it. The
    objects are visited in a circle from a random one, in a random direction.
    """
    labels, sizes, n = clusters.labels, clusters.sizes, len(clusters.labels)
    alpha, power, b = math.exp(prior.log_alphas[prior.current[0]]), prior.powers, prior.background
    scratch = np.empty(n + 1), np.zeros(n + 1, np.bool_), np.empty(n + 1, np.int32)
    W, touched, seen = scratch
    reach = attraction(power, b)
    refresh_mass(clusters, reach)
    visits = len(objects)
    at, step = int(rng.random() * visits), 1 if rng.random() < 0.5 else visits - 1
    for _ in range(visits):
        at = at + step if at + step < visits else at + step - visits
        i = objects[at]
        many = _evidence(graph, labels, i, scratch)
        _leave(clusters, reach, labels[i], 1)
        labels[i] = NOWHERE
        top, near, rest = 0.0, 0.0, clusters.mass[0]
        for t in range(many):
            W[seen[t]] += b * sizes[seen[t]]
            top = max(top, W[seen[t]])
        for t in range(many):
            k = seen[t]
            rest -= reach[sizes[k]]
            W[k] = power[sizes[k]] * math.exp(W[k] - top)
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
            chosen = _draw_untouched(clusters, reach, touched, rest, rng)
        labels[i] = _join(clusters, reach, chosen, 1)
        for t in range(many):
            touched[seen[t]] = False


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
def sweep_blocks(graph: Graph, clusters: Clusters, prior: Prior, share: float, rng: Generator) -> None:
    """Draw the cluster of whole blocks of objects (Swendsen and Wang, with a share of the positive pairs).

    A random ``share`` of the positive pairs may bond what they connect; the others, and all negative ones,
    pull and push the blocks. With share 1 two halves of a cluster would never be drawn to each other, with
    share 0 every block is a single object. Beyond SCAN clusters, a block larger than 1 chooses among those it
    has answers with, and stays if its own would not be one of them.
    """
    labels, sizes, counts = clusters.labels, clusters.sizes, clusters.counts
    reach = attraction(prior.powers, prior.background)
    n, key = len(labels), int(rng.random() * 2.0**53)
    scratch = np.empty(n + 1), np.zeros(n + 1, np.bool_), np.empty(n + 1, np.int32)
    W, touched, seen = scratch
    block, begin, members = _bonded_blocks(graph, labels, key, share, rng)
    refresh_mass(clusters, reach)
    b, step = int(rng.random() * (len(begin) - 1)), 1 if rng.random() < 0.5 else len(begin) - 2
    for _ in range(len(begin) - 1):
        b = b + step if b + step < len(begin) - 1 else b + step - len(begin) + 1
        inside = members[begin[b] : begin[b + 1]]
        m, own = len(inside), labels[inside[0]]
        many = _pull(graph, clusters, block, inside, key, share, scratch)
        _leave(clusters, reach, own, m)
        scan = m > 1 and counts[0] <= SCAN
        if m > 1 and not scan and sizes[own] > 0 and not touched[own]:
            _join(clusters, reach, own, m)
        else:
            if scan:
                for c in range(counts[0]):
                    if not touched[clusters.used[c]]:
                        W[clusters.used[c]], seen[many] = 0.0, clusters.used[c]
                        many += 1
            chosen = _place_block(clusters, prior, reach, m, many, scratch, rng)
            k = _join(clusters, reach, chosen, m)
            for i in inside:
                labels[i] = k
        for t in range(many):
            touched[seen[t]] = False


@compiled
def _place_block(
    clusters: Clusters, prior: Prior, reach: Array, m: int, many: int, scratch: Any, rng: Generator
) -> int:
    """Draw one of the seen clusters, a new one or, for a single object, an untouched one."""
    W, touched, seen = scratch
    sizes, factor = clusters.sizes, prior.factors
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
            rest -= reach[sizes[seen[t]]]
        rest = max(rest, 0.0)
    rest *= math.exp(-top)
    left = rng.random() * (near + rest + math.exp(log_alpha - top))
    if left < near:
        return _draw_seen(W, seen, many, left)
    if left < near + rest:
        return _draw_untouched(clusters, reach, touched, rest * math.exp(top), rng)
    return NOWHERE
