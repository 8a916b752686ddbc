"""Multilevel search for correlation clustering: good optima of sparse graphs in nearly linear time."""

from dataclasses import dataclass
from math import ceil, ldexp
from typing import Any

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Ints, shuffled
from ofakind.checks import whole_number
from ofakind.clustering import Clustering, canonical_labels
from ofakind.similarity import Similarity
from ofakind.solve.base import check_start


@dataclass(frozen=True, slots=True)
class MultilevelRules:
    """Tuned numbers of the multilevel search, chosen by judgement."""

    ejected: float = 0.3  # share of the objects that a kick takes out of their clusters
    merged: float = 0.3  # share of the clusters that a kick merges with another instead,
    merge_every: int = 3  # which every so many kicks do
    kicked_objects: int = 15_000  # in all kicks together, where ``kicks`` is not given,
    most_kicks: int = 100  # but never more kicks than this
    patience: int = 20  # kicks in a row without a gain, after which the search gives up


MULTILEVEL = MultilevelRules()


@dataclass(frozen=True, slots=True)
class Multilevel:
    """Move objects, then groups of objects, then whole clusters; shake the result and keep what got better.

    A climb moves single objects while that lowers the cost. Inside each cluster it then joins objects that
    attract one another into groups, makes each group a node of a smaller graph and goes on there, until the
    nodes are whole clusters. A kick takes three objects in ten out of their clusters, or (every third kick)
    merges clusters at random, and climbs again. Then the objects that the clusterings before and after it
    both hold together become nodes, and a climb on these takes from each clustering the parts where it is
    the better one. So a kick improves some parts of a large graph even when it harms others, and it never
    raises the cost.

    Promised: on return neither a move of one object, to another cluster or to a new one, nor a merger of two
    clusters lowers the cost by more than rounding (1e-12 for each pair concerned, up to a million pairs).
    With ``start`` the search begins there, and ends at a cost no higher than that of ``start``. The global
    optimum is not promised. A climb or a kick takes about O((objects + asked pairs) log objects). Objects
    that nothing draws together stay apart: without answers each is alone, or where ``start`` has it.

    Options:
        kicks: the most kicks; twenty in a row without a gain end the search before. None means one, and on
            fewer than 15,000 objects as many as shake 15,000 objects in all, up to 100.

    >>> import numpy as np
    >>> similarity = Similarity.from_pairs(3, [0, 1, 0], [1, 2, 2], [1.0, -1.0, -0.5])
    >>> Multilevel()(similarity, rng=np.random.default_rng(0)).labels.tolist()
    [0, 0, 1]
    """

    kicks: int | None = None

    def __post_init__(self) -> None:
        if self.kicks is not None:
            whole_number("kicks", self.kicks, least=0)

    def __call__(
        self, similarity: Similarity, *, start: Clustering | None = None, rng: Generator
    ) -> Clustering:
        """Cluster the objects, from ``start`` or else from every object alone."""
        from ofakind.kernels.search import multilevel as kernel

        check_start(start, similarity)
        graph = _in_units(similarity)
        labels = _rough(graph, rng) if start is None else canonical_labels(start.labels)
        labels = _climb(graph, labels, rng)
        value, useless = kernel.inside(graph, labels), 0
        for turn in range(self._kicks(similarity)):
            merges = turn % MULTILEVEL.merge_every == MULTILEVEL.merge_every - 1
            shaken = _merged(graph, labels, rng) if merges else _ejected(labels, rng)
            other = _climb(graph, shaken, rng)
            better = labels if value >= kernel.inside(graph, other) else other
            labels, before = _combined(graph, (labels, other), better, rng), value
            value = kernel.inside(graph, labels)
            useless = 0 if value > before else useless + 1
            if useless == MULTILEVEL.patience:
                break
        return Clustering.of(similarity, _finished(graph, labels, rng))

    def _kicks(self, similarity: Similarity) -> int:
        if similarity.n_pairs == 0:
            return 0
        few = min(max(MULTILEVEL.kicked_objects // similarity.n, 1), MULTILEVEL.most_kicks)
        return few if self.kicks is None else self.kicks


def _in_units(similarity: Similarity) -> Any:
    """Return the graph in whole units of 2^-40, or larger ones where sums of all pairs would not fit."""
    from ofakind.kernels.graph.csr import Graph

    total = float(np.abs(similarity.values).sum())
    unit = ldexp(1.0, -min(40, 61 - ceil(total).bit_length()))
    S = np.rint(similarity.values / unit).astype(np.int64)
    # Copies can be written to, as the arrays of smaller graphs; else the kernels would be compiled twice.
    return Graph(similarity.indptr.copy(), similarity.indices.copy(), S)


def _rough(graph: Any, rng: Generator) -> Ints:
    """Clusters of the groups that form when nothing keeps objects apart: a quick first climb."""
    from ofakind.kernels.search import multilevel as kernel

    n = len(graph.indptr) - 1
    groups, k = kernel.number(kernel.gather(graph, np.zeros(n, np.int64), shuffled(n, rng)))
    return _climb(kernel.aggregate(graph, groups, k), np.arange(k), rng)[groups]


def _climb(graph: Any, labels: Ints, rng: Generator) -> Ints:
    """Labels after moves of nodes, of groups inside clusters, and so on up to whole clusters."""
    from ofakind.kernels.search import multilevel as kernel

    labels, node = labels.copy(), np.arange(len(labels))  # the node that each node of the first graph is in
    while True:
        m = len(labels)
        kernel.settle(graph, labels, shuffled(m, rng))
        groups, k = kernel.number(kernel.gather(graph, labels, shuffled(m, rng)))
        if k == m:
            groups, k = kernel.number(labels)
        if k == m:
            return labels[node]
        graph, labels, node = kernel.aggregate(graph, groups, k), _lift(labels, groups, k), groups[node]


def _lift(labels: Ints, groups: Ints, k: int) -> Ints:
    """Labels of k groups whose nodes have these labels."""
    from ofakind.kernels.search import multilevel as kernel

    lifted = np.empty(k, np.int64)
    lifted[groups] = kernel.number(labels)[0]  # below k, since no group has nodes of two clusters
    return lifted


def _ejected(labels: Ints, rng: Generator) -> Ints:
    """Labels after some objects, chosen at random, have gone alone."""
    n = len(labels)
    names = np.where(rng.random(n) < MULTILEVEL.ejected, np.arange(n, 2 * n), labels)
    return canonical_labels(names)


def _merged(graph: Any, labels: Ints, rng: Generator) -> Ints:
    """Labels after some clusters, chosen at random, have joined one that they share an asked pair with."""
    labels = canonical_labels(labels)
    target = np.arange(labels.max() + 1)
    slots = rng.integers(len(graph.indices), size=int(np.ceil(MULTILEVEL.merged * len(target))))
    rows = np.searchsorted(graph.indptr, slots, side="right") - 1
    target[labels[rows]] = labels[graph.indices[slots]]
    return target[labels]


def _combined(graph: Any, both: tuple[Ints, Ints], labels: Ints, rng: Generator) -> Ints:
    """Labels after a climb, from these, on a node for each set of objects that both hold together."""
    from ofakind.kernels.search import multilevel as kernel

    groups, k = kernel.number(kernel.common(*both))
    return _climb(kernel.aggregate(graph, groups, k), _lift(labels, groups, k), rng)[groups]


def _finished(graph: Any, labels: Ints, rng: Generator) -> Ints:
    """Labels that no move of an object and no merger of clusters improves, from where a climb ended."""
    from ofakind.kernels.search import multilevel as kernel

    # No merger helps where a climb ended, so there is nothing to do until a move has changed a cluster.
    while kernel.settle(graph, labels, shuffled(len(labels), rng)) > 0:
        groups, k = kernel.number(labels)
        merged = np.arange(k)
        gain = kernel.settle(kernel.aggregate(graph, groups, k), merged, shuffled(k, rng))
        labels = merged[groups]
        if gain == 0:
            break
    return labels
