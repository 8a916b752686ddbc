"""The moves of a chain over rooted forests: a branch is cut off and linked anew.

Both moves leave p(forest) (see `forest`) times exp(sum of w over answered pairs inside clusters) invariant.
The link of an object i is cut. S is i and all that hangs below it, s its size; the rest stays as it is. Then

- narrow: i gets a parent j outside S with the weight f_ij e^{W(S, c_j)} h(s + n_j) / h(n_j), W being the sum
  of w between S and the cluster of j; or none, with e h(s). That is i's parent drawn given all other parents.
- wide: S as a tree without a root is linked by any pair (v in S, j outside) with the weight f_vj ... as
  above, and v becomes its root; or it stays alone, with e s h(s), and has any root. All forests that come of
  this give the same S and the same rest when the root of S is the object whose link is cut, so that the move
  is reversible if every object is as likely to be that: i is drawn with replacement, whatever the move before
  did.

Either may be left undone with any probability that depends on S alone: here it is done with min(1, most / s),
which takes time in proportion to most (1 + log(s / most)), since S need not be gathered to its end.

f_vj is the weight of a candidate plus f_bg. With the clusters that have candidates or answers with S, the
ones met, the sums of f_bg are f_bg n_k. The others have no answers with S. An object is drawn from these with
f_bg h(s + 1) / h(1) each, which is too much by h(s + 1) h(n_j) / (h(1) h(s + n_j)) >= 1 (log h is concave):
with the probability of the inverse it is taken, and otherwise the whole draw is begun again. This is exact,
and takes no time for each cluster. A pair of w = -inf never comes together.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.clusters import NOWHERE
from ofakind.kernels.partition.forest import (
    NOBODY,
    Forest,
    TreePrior,
    at,
    cut,
    gather,
    graft,
    reroot,
    uncounted,
)
from ofakind.kernels.portable.elementary import exp

Array = NDArray[Any]

# Tuned numbers, chosen by judgement: moves of larger branches are so rare that they cost hardly more than
# those of this size. They stand alone because numba needs globals.
WIDE_BRANCH = 4.0
NARROW_BRANCH = 32.0


class Workbench(NamedTuple):
    """Where a move notes what it needs: the branch, and the clusters that it meets, numbered from 0."""

    S: Array  # (n,)
    place: Array  # (n + 1,) the number of each cluster, or NOWHERE
    met: Array  # (n,) the label of each
    someone: Array  # (n,) one of its objects
    F: Array  # (n,) sum of f to it
    W: Array  # (n,) sum of w to it; then its weight


@compiled
def bench_for(n: int) -> Workbench:
    """Make room for the moves of a forest of n objects."""
    ints = (
        np.empty(n, np.int32),
        np.full(n + 1, NOWHERE, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
    )
    return Workbench(ints[0], ints[1], ints[2], ints[3], np.empty(n), np.empty(n))


@uncounted
def meet(graph: Graph, labels: Array, ends: Array, sums: Array, bench: Workbench, many: int) -> int:
    """Add a graph's entries from some objects of the branch to the sums of the clusters; how many are met."""
    place, t = bench.place, at(labels[at(bench.S[0])])
    for end in range(len(ends)):
        i = at(ends[at(end)])
        for slot in range(graph.indptr[i], graph.indptr[i + at(1)]):
            j = graph.indices[at(slot)]
            k = at(labels[at(j)])
            if k == t:
                continue
            c = place[k]
            if c == NOWHERE:
                c = many
                new = at(c)
                place[k], bench.met[new], bench.someone[new], bench.F[new], bench.W[new] = c, k, j, 0.0, 0.0
                many += 1
            sums[at(c)] += graph.S[at(slot)]
    return many


@uncounted
def weigh(prior: TreePrior, forest: Forest, s: int, ends: int, many: int, bench: Workbench) -> Any:
    """Turn the sums of the clusters met into weights.

    Returns the sum of these, how many objects no cluster met holds, the weight that one of them has at most,
    the weight of staying alone, and the common factor of all of these.
    """
    h, F, W, sizes = prior.h, bench.F, bench.W, forest.sizes
    top, near, others = 0.0, 0.0, len(forest.labels) - s
    for number in range(many):
        c = at(number)
        m = sizes[at(bench.met[c])]
        F[c] += prior.f_bg * ends * m
        others -= m
        if F[c] > 0.0:
            top = max(top, W[c])
    scale = exp(-top) if top > 0.0 else 1.0
    for number in range(many):
        c = at(number)
        m = sizes[at(bench.met[c])]
        weight = F[c] * h[at(s + m)] / h[at(m)] if F[c] > 0.0 else 0.0
        if weight > 0.0 and W[c] != top:
            weight *= exp(W[c] - top)
        W[c] = weight
        near += weight
    far = prior.f_bg * ends * h[at(s + 1)] * scale if others > 0 else 0.0
    return near, others, far, math.e * ends * h[at(s)] * scale, scale


@uncounted
def choose(
    prior: TreePrior, forest: Forest, s: int, odds: Any, many: int, bench: Workbench, rng: Generator
) -> Any:
    """Draw a cluster met, or an object of another cluster, or neither: NOWHERE and NOBODY.

    Returns also in how many goes; this, times a weight over the sum of all, is the probability of a cluster
    on average.
    """
    near, others, far, alone, _ = odds
    total, h, labels, n = near + others * far + alone, prior.h, forest.labels, len(forest.labels)
    t, goes = labels[at(bench.S[0])], 0
    while True:
        goes += 1
        left, chosen = rng.random() * total, NOWHERE
        if left < near:
            for c in range(many):
                weight = bench.W[at(c)]
                if weight > 0.0:
                    chosen = c
                    left -= weight
                    if left < 0.0:
                        break
            return chosen, NOBODY, goes
        if left >= near + others * far:
            return NOWHERE, NOBODY, goes
        while True:
            j = int(rng.random() * n)
            k = labels[at(j)]
            if k != t and bench.place[at(k)] == NOWHERE:
                break
        m = forest.sizes[at(k)]
        if rng.random() * h[at(s + 1)] * h[at(m)] < h[at(s + m)]:
            return NOWHERE, j, goes


@uncounted
def link_into(
    prior: TreePrior, forest: Forest, s: int, ends: int, c: int, bench: Workbench, rng: Generator
) -> Any:
    """Draw the pair that links the branch to a cluster met, by f; one of the first objects of S is in it."""
    (indptr, indices, f), labels = prior.candidates, forest.labels
    k, left = bench.met[at(c)], rng.random() * bench.F[at(c)]
    v, j = NOBODY, NOBODY
    for end in range(ends):
        i = bench.S[at(end)]
        for slot in range(indptr[at(i)], indptr[at(i + 1)]):
            other = indices[at(slot)]
            if labels[at(other)] == k and f[at(slot)] > 0.0:
                v, j = i, other
                left -= f[at(slot)]
                if left < 0.0:
                    return v, j
    if prior.f_bg > 0.0 or v == NOBODY:
        v, j = bench.S[at(int(rng.random() * ends))], member(forest, s, c, bench, rng)
    return v, j


@uncounted
def member(forest: Forest, s: int, c: int, bench: Workbench, rng: Generator) -> int:
    """Draw one of the objects of a cluster met.

    O(min(m, n / m)) for m objects: they are gathered behind S, or objects are drawn until one is of these.
    """
    n, k, j = len(forest.labels), bench.met[at(c)], bench.someone[at(c)]
    m = forest.sizes[at(k)]
    if m == 1:
        return int(j)
    if m * m > n:
        while True:
            j = int(rng.random() * n)
            if forest.labels[at(j)] == k:
                return j
    while forest.parent[at(j)] != NOBODY:
        j = forest.parent[at(j)]
    gather(forest, j, bench.S[s:], n)
    return int(bench.S[at(s + int(rng.random() * m))])


@uncounted
def _note(graph: Graph, labels: Array, i: int, share: float, same: Array, bench: Workbench) -> None:
    """Add the probability of being with i for each entry of i: the weight of its cluster, times the share."""
    t = labels[at(i)]
    for slot in range(graph.indptr[at(i)], graph.indptr[at(i + 1)]):
        k = labels[at(graph.indices[at(slot)])]
        if k == t:
            same[at(slot)] += 1.0
        elif bench.place[at(k)] != NOWHERE:
            same[at(slot)] += bench.W[at(bench.place[at(k)])] * share


@uncounted
def _note_both(
    prior: TreePrior, answers: Graph, labels: Array, i: int, share: float, same: Any, bench: Workbench
) -> None:
    """Do so for the candidates and for the answers, where there is a place for it."""
    if len(same[0]):
        _note(prior.candidates, labels, i, share, same[0], bench)
    if len(same[1]):
        _note(answers, labels, i, share, same[1], bench)


@uncounted
def narrow(
    prior: TreePrior,
    answers: Graph,
    forest: Forest,
    i: int,
    most: float,
    same: tuple[Array, Array],
    bench: Workbench,
    rng: Generator,
) -> None:
    """Draw the parent of an object given all other parents, unless more than ``most`` hangs at it.

    If ``same`` has places for the candidates' slots, or for those of the answers, the probability of being
    with the neighbour there is added. It is 1 below i, and 1 or 0 where nothing is done.
    """
    labels, s = forest.labels, gather(forest, i, bench.S, most)
    if s > most:
        _note_both(prior, answers, labels, i, 0.0, same, bench)
        return
    S = bench.S[:s]
    cut(forest, S)
    many = meet(prior.candidates, labels, S[:1], bench.F, bench, 0)
    if len(answers.indices):
        many = meet(answers, labels, S, bench.W, bench, many)
    odds = weigh(prior, forest, s, 1, many, bench)
    c, j, goes = choose(prior, forest, s, odds, many, bench, rng)
    share = goes / (odds[0] + odds[1] * odds[2] + odds[3])
    _note_both(prior, answers, labels, i, share, same, bench)
    if c != NOWHERE:
        _, j = link_into(prior, forest, s, 1, c, bench, rng)
    if j != NOBODY:
        graft(forest, S, i, j)
    for c in range(many):
        bench.place[at(bench.met[at(c)])] = NOWHERE


@uncounted
def wide(prior: TreePrior, answers: Graph, forest: Forest, i: int, bench: Workbench, rng: Generator) -> None:
    """Link what hangs at an object anew, by any pair; i must be drawn from all objects, with replacement."""
    most = WIDE_BRANCH / (1.0 - rng.random())
    labels, s = forest.labels, gather(forest, i, bench.S, most)
    if s > most:
        return
    S = bench.S[:s]
    cut(forest, S)
    many = meet(prior.candidates, labels, S, bench.F, bench, 0)
    if len(answers.indices):
        many = meet(answers, labels, S, bench.W, bench, many)
    odds = weigh(prior, forest, s, s, many, bench)
    c, j, _ = choose(prior, forest, s, odds, many, bench, rng)
    if c != NOWHERE:
        v, j = link_into(prior, forest, s, s, c, bench, rng)
    else:
        v = S[int(rng.random() * s)]
    reroot(forest, v)
    if j != NOBODY:
        graft(forest, S, v, j)
    for c in range(many):
        bench.place[at(bench.met[at(c)])] = NOWHERE


@uncounted
def sweep_narrow(
    prior: TreePrior,
    answers: Graph,
    forest: Forest,
    objects: Array,
    most: float,
    same: tuple[Array, Array],
    bench: Workbench,
    rng: Generator,
) -> None:
    """Make a narrow move of each of the objects, in a circle from a random one, in a random direction.

    Where s > most objects hang at it, only with the probability most / s.
    """
    visits = len(objects)
    now, step = int(rng.random() * visits), 1 if rng.random() < 0.5 else visits - 1
    for _ in range(visits):
        now = now + step if now + step < visits else now + step - visits
        narrow(prior, answers, forest, objects[now], most / (1.0 - rng.random()), same, bench, rng)


@uncounted
def sweep_wide(
    prior: TreePrior, answers: Graph, forest: Forest, visits: int, bench: Workbench, rng: Generator
) -> None:
    """Make so many wide moves."""
    n = len(forest.labels)
    for _ in range(visits):
        wide(prior, answers, forest, int(rng.random() * n), bench, rng)
