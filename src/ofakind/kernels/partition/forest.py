"""Rooted forests: the state of a chain over partitions whose prior is a mean over spanning trees.

With a weight f_uv >= 0 for every pair, a partition into clusters of sizes n_1..n_K has the prior

    p(c)  ~  prod_k Gamma(n_k) n_k^-(n_k - 2)  sum over spanning trees T of C_k of prod_{uv in T} f_uv:

the Chinese restaurant process times the mean over all trees of the product of their weights. A forest with a
root in each tree has 1 / n_k of that, so that, summed over trees and roots, its clusters have this prior:

    p(forest)  ~  prod over links of f / e  prod_k h(n_k),   h(n) = Gamma(n) e^(n - 1) / n^(n - 1),

h growing as the square root of n. A pair's weight is that of the graph of candidates, or 0, plus f_bg.

With a resolution r a cluster of n has the factor (c / n)^(r (n - 1)) besides, c = 5,000 e: every link counts
(c / n)^r times, which is the more the smaller its cluster is.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels import portable
from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.graph.union_find import root
from ofakind.kernels.partition.clusters import NOWHERE
from ofakind.kernels.portable.elementary import log1p

Array = NDArray[Any]
NOBODY = -1  # the parent of a root, the first child of a leaf

LINEAR_BEYOND = 5_000.0  # objects of a cluster beyond which a resolution costs each further one the same

# For kernels that make no arrays: references to those they are given are not counted, which would take most
# of the time of functions as short as these.
uncounted = compiled(_nrt=False, forceinline=True)


class TreePrior(NamedTuple):
    """The weights f of the candidates, that of every other pair, which candidates have besides, and h."""

    candidates: Graph  # f >= 0, both directions of every pair
    f_bg: float
    h: Array  # (n + 1,)


class Forest(NamedTuple):
    """A rooted forest that is cheap to change; its trees are the clusters, whose labels are below n + 1."""

    parent: Array  # (n,) NOBODY for roots
    labels: Array  # (n,)
    sizes: Array  # (n + 1,) of clusters
    child: Array  # (n,) the first child, or NOBODY
    following: Array  # (n,) the next child of the same parent, or NOBODY
    previous: Array  # (n,) the one before it, or NOBODY
    unused: Array  # (n + 1,) the first free[0] are the labels not in use
    free: Array  # (1,)


def tree_prior(candidates: Graph, f_bg: float, resolution: float = 0.0) -> TreePrior:
    """Return the prior of these candidates and of this resolution."""
    return TreePrior(candidates, float(f_bg), size_weights(len(candidates.indptr) - 1, resolution))


def size_weights(n: int, resolution: float) -> Array:
    """Return h by size, for up to n objects: h(1) = 1 and log h(m + 1) - log h(m) = 1 - m log(1 + 1/m).

    With a resolution r it is multiplied by (c / m)^(r (m - 1)), c = 5,000 e; beyond 5,000 objects the
    logarithm of that goes on straight.
    """
    m = np.arange(1.0, max(n, 1))
    log_h = np.concatenate([[0.0, 0.0], np.cumsum(1.0 - m * portable.log1p(1.0 / m))])
    size = np.arange(1.0, max(n, 1) + 1)
    slope = portable.log(LINEAR_BEYOND) + 1.0
    near = np.minimum(size, LINEAR_BEYOND)
    log_h[1:] += resolution * ((near - 1.0) * (slope - portable.log(near)) + (size - near) / LINEAR_BEYOND)
    return portable.exp(log_h)


@uncounted
def at(i: int) -> Any:
    """Return an index from 0 as one without a sign, so that no code is made for those from the end."""
    return np.uint64(i)


@uncounted
def attach(forest: Forest, i: int, j: int) -> None:
    """Make j the parent of a root."""
    parent, child, following, previous = forest.parent, forest.child, forest.following, forest.previous
    first = child[at(j)]
    parent[at(i)], child[at(j)], following[at(i)], previous[at(i)] = j, i, first, NOBODY
    if first != NOBODY:
        previous[at(first)] = i


@uncounted
def detach(forest: Forest, i: int) -> None:
    """Make an object that has a parent a root."""
    parent, child, following, previous = forest.parent, forest.child, forest.following, forest.previous
    before, after = previous[at(i)], following[at(i)]
    if before == NOBODY:
        child[at(parent[at(i)])] = after
    else:
        following[at(before)] = after
    if after != NOBODY:
        previous[at(after)] = before
    parent[at(i)] = NOBODY


@uncounted
def gather(forest: Forest, i: int, S: Array, most: float) -> int:
    """Write an object and all that hangs below it to S, the object first; return how many these are.

    What is more than ``most`` is not gathered to the end.
    """
    child, following = forest.child, forest.following
    S[0], s, done = i, 1, 0
    while done < s <= most:
        j = child[at(S[at(done)])]
        while j != NOBODY:
            S[at(s)] = j
            s += 1
            j = following[at(j)]
        done += 1
    return s


@uncounted
def cut(forest: Forest, S: Array) -> None:
    """Make what hangs at the first object of S, the others being below it, a tree of its own."""
    labels, sizes, first = forest.labels, forest.sizes, at(S[0])
    if forest.parent[first] == NOBODY:
        return
    detach(forest, S[0])
    forest.free[0] -= 1
    t = forest.unused[at(forest.free[0])]
    sizes[at(labels[first])] -= len(S)
    sizes[at(t)] = len(S)
    for place in range(len(S)):
        labels[at(S[at(place)])] = t


@uncounted
def graft(forest: Forest, S: Array, i: int, j: int) -> None:
    """Link i, the root of the tree with the objects S, to j of another tree."""
    labels, sizes = forest.labels, forest.sizes
    t, k = labels[at(i)], labels[at(j)]
    attach(forest, i, j)
    sizes[at(t)] = 0
    sizes[at(k)] += len(S)
    forest.unused[at(forest.free[0])] = t
    forest.free[0] += 1
    for place in range(len(S)):
        labels[at(S[at(place)])] = k


@uncounted
def reroot(forest: Forest, i: int) -> None:
    """Make an object the root of its tree: the links on its way to the root turn round."""
    up = forest.parent[at(i)]
    if up != NOBODY:
        detach(forest, i)
    while up != NOBODY:
        above = forest.parent[at(up)]
        if above != NOBODY:
            detach(forest, up)
        attach(forest, up, i)
        i, up = up, above


@compiled
def forest_at(parent: Array) -> Forest:
    """Index a forest given by the parent of each object; it is copied. O(n)."""
    n = len(parent)
    labels, sizes = np.full(n, NOWHERE, np.int32), np.zeros(n + 1, np.int64)
    child, following = np.full(n, NOBODY, np.int32), np.full(n, NOBODY, np.int32)
    previous, unused = np.full(n, NOBODY, np.int32), np.empty(n + 1, np.int32)
    own, free = parent.astype(np.int32), np.zeros(1, np.int64)
    forest = Forest(own, labels, sizes, child, following, previous, unused, free)
    clusters, S = 0, np.empty(n, np.int32)
    for i in range(n):
        if parent[i] != NOBODY:
            attach(forest, i, parent[i])
    for i in range(n):
        if parent[i] == NOBODY:
            s = gather(forest, i, S, n)
            sizes[clusters] = s
            for at in range(s):
                labels[S[at]] = clusters
            clusters += 1
    for k in range(n, clusters - 1, -1):
        unused[forest.free[0]] = k
        forest.free[0] += 1
    return forest


@compiled
def labels_of(parents: Array) -> Array:
    """Return the clusters of several forests, rows of parents, numbered 0, 1, ... as they first appear."""
    out, path = np.full(parents.shape, NOWHERE, np.int32), np.empty(parents.shape[1], np.int32)
    for s in range(len(parents)):
        parent, label, clusters = parents[s], out[s], 0
        for i in range(len(parent)):
            j, steps = i, 0
            while label[j] == NOWHERE and parent[j] != NOBODY:
                path[steps] = j
                steps += 1
                j = parent[j]
            if label[j] == NOWHERE:
                label[j] = clusters
                clusters += 1
            for at in range(steps):
                label[path[at]] = label[j]
    return out


@compiled
def forest_in(prior: TreePrior, answers: Graph, labels: Array, rng: Generator) -> Array:
    """Draw the parents of a forest whose clusters are those of the labels, as far as that can be.

    An object with an answer of -inf to an earlier one of its cluster comes out alone. A cluster that the
    candidates do not connect is connected by other pairs if f_bg > 0 and comes out in parts otherwise. Each
    tree is the shortest one for lengths that are drawn from exponential distributions of rates f: likely
    where its weight is large, but not drawn from p(forest | labels). O(candidates log candidates).
    """
    n, (indptr, indices, f) = len(labels), prior.candidates
    alone, links = _ruled_out(answers, labels), 0
    u, v, length = np.empty(len(indices), np.int32), np.empty(len(indices), np.int32), np.empty(len(indices))
    for i in range(n):
        for slot in range(indptr[i], indptr[i + 1]):
            j = indices[slot]
            if i < j and labels[i] == labels[j] and f[slot] > 0 and not (alone[i] or alone[j]):
                u[links], v[links], length[links] = i, j, -log1p(-rng.random()) / f[slot]
                links += 1
    forest, trunk = forest_at(np.full(n, NOBODY, np.int32)), np.arange(n).astype(np.int32)
    for e in np.argsort(length[:links]):
        _connect(forest, trunk, u[e], v[e])
    if prior.f_bg > 0:
        _join_parts(forest, trunk, labels, alone, rng)
    rooted = np.zeros(n, np.bool_)
    for i in np.argsort(rng.random(n)):  # the root of each tree is one of its objects at random
        if not rooted[root(trunk, i)]:
            rooted[root(trunk, i)] = True
            reroot(forest, i)
    return forest.parent


@compiled
def _ruled_out(answers: Graph, labels: Array) -> Array:
    """Whether each object has an answer of -inf to an earlier one of its cluster, which stays there."""
    found = np.zeros(len(labels), np.bool_)
    for i in range(len(labels)):
        for slot in range(answers.indptr[i], answers.indptr[i + 1]):
            j = answers.indices[slot]
            if j < i and labels[i] == labels[j] and answers.S[slot] == -np.inf and not found[j]:
                found[i] = True
    return found


@compiled
def _connect(forest: Forest, trunk: Array, i: int, j: int) -> None:
    """Link two objects if they are in different trees; the links of the smaller tree turn round."""
    a, b = root(trunk, i), root(trunk, j)
    if a == b:
        return
    if forest.sizes[a] > forest.sizes[b]:  # of trees, while labels are not kept
        a, b, i, j = b, a, j, i
    trunk[a] = b
    forest.sizes[b] += forest.sizes[a]
    reroot(forest, i)
    attach(forest, i, j)


@compiled
def _join_parts(forest: Forest, trunk: Array, labels: Array, alone: Array, rng: Generator) -> None:
    """Link the parts that a cluster is in: each of its objects to one before it at random."""
    members = np.flatnonzero(~alone)
    members = members[np.argsort(labels[members], kind="mergesort")]
    many = 0
    for at in range(len(members)):
        many = many + 1 if at and labels[members[at - 1]] == labels[members[at]] else 0
        if many:
            _connect(forest, trunk, members[at], members[at - 1 - int(rng.random() * many)])
