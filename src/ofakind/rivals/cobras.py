"""COBRAS: split groups of similar objects, and let the answers say which of them belong together."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import whole_number
from ofakind.errors import BudgetSpentError
from ofakind.rivals.base import BudgetedRival, Given, Questions
from ofakind.rivals.super_instances import (
    Features,
    SuperClusters,
    SuperInstance,
    labels_of,
    largest,
    one_cluster,
    split,
)


@dataclass(frozen=True, slots=True)
class COBRAS(BudgetedRival):
    """Constraint-based repeated aggregation and splitting, by Van Craenendonck, Dumančić and others (2018).

    All objects begin in one super-instance. Again and again the largest one is split by k-means, the finer
    the more its parts turn out to differ (`split_level`), and clusters are joined where the answer about two
    representatives is above 0 (`merge`). No pair is asked twice, and what is known about representatives is
    used again. Every complete clustering replaces the one before; a budget that ends in between leaves the
    last complete one. When no super-instance is left to split, the run ends by itself.

    Each answer is taken at its word: a wrong one is never noticed. Objects with identical features are never
    parted.

    Options:
        n_init: how many starts k-means makes for each split; among seven members or fewer the best split is
            found without it.

    Takes O(n**2) memory at worst, when every object is a cluster; the time goes mostly into k-means.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> x = np.arange(40.0).reshape(-1, 1)
    >>> oracle = NoisyOracle(np.arange(40) // 10, gamma=0)
    >>> COBRAS()(40, oracle, budget=200, rng=np.random.default_rng(0), features=x).sizes().tolist()
    [10, 10, 10, 10]
    """

    n_init: int = 10
    anytime: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole_number("n_init", self.n_init, least=1)

    def _labellings(self, questions: Questions, rng: Generator, given: Given) -> Iterator[Ints]:
        """Yield the labels of every complete clustering; features are needed."""
        table = Features.of(given.features, questions.n)
        relations = Constraints(questions)
        clusters = one_cluster(table)
        yield labels_of(clusters, questions.n)
        while divided := divide(clusters, relations, features=table, rng=rng, n_init=self.n_init):
            clusters = merge(divided, relations)
            yield labels_of(clusters, questions.n)


class Relations(Protocol):
    """What is known about pairs of objects: 1 when they must be together, -1 when they cannot, else 0."""

    def known(self, u: int, v: int) -> int:
        """Look the pair up, in either order."""
        ...

    def ask(self, u: int, v: int) -> int:
        """Ask about a pair that is not known, and remember the answer: 1 or -1."""
        ...

    def items(self) -> Iterable[tuple[tuple[int, int], int]]:
        """Everything known, as ``(u, v), relation``: each pair once, in either order."""
        ...


class Constraints:
    """Relations that take every answer at its word: above 0 together, else apart.

    >>> relations = Constraints(Questions(3, lambda pairs: [0.2] * len(pairs), budget=1))
    >>> relations.known(2, 0), relations.ask(2, 0), relations.known(0, 2)
    (0, 1, 1)
    """

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._known: dict[tuple[int, int], int] = {}

    def known(self, u: int, v: int) -> int:
        """Look the pair up, in either order."""
        return self._known.get((min(u, v), max(u, v)), 0)

    def ask(self, u: int, v: int) -> int:
        """Ask about the pair through the counter, and remember the answer."""
        answer = self._questions.ask([u], [v])[0]
        relation = 1 if answer > 0 else -1
        self._known[min(u, v), max(u, v)] = relation
        return relation

    def items(self) -> Iterable[tuple[tuple[int, int], int]]:
        """Everything known, in the order in which it was asked."""
        return self._known.items()


def divide(
    clusters: SuperClusters, relations: Relations, *, features: Features, rng: Generator, n_init: int = 10
) -> SuperClusters:
    """Split the largest super-instance that can be split; each of its parts becomes a cluster at the end.

    Returns new clusters, none when nothing can be split; those that were given stay as they are, but that a
    super-instance which k-means cannot split is marked as tried.
    """
    while (instance := largest(clusters)) is not None:
        level = split_level(instance, relations, features=features, rng=rng, n_init=n_init)
        parts = split(instance, level, features=features, rng=rng, n_init=n_init)
        if len(parts) > 1:
            others = [[s for s in cluster if s is not instance] for cluster in clusters]
            return [cluster for cluster in others if cluster] + [[part] for part in parts]
        instance.tried = True
    return []


def split_level(
    instance: SuperInstance, relations: Relations, *, features: Features, rng: Generator, n_init: int = 10
) -> int:
    """Into how many parts to split: 2, and twice as many for every further halving that parts two kinds.

    The group is halved and the representatives of its halves are compared; while they are apart, the smaller
    half that has two members or more is halved in its turn. The end of the budget ends this too.
    """
    halvings, group = 0, instance
    while len(halves := split(group, 2, features=features, rng=rng, n_init=n_init)) == 2:
        u, v = (half.representative for half in halves)
        try:
            relation = relations.known(u, v) or relations.ask(u, v)
        except BudgetSpentError:
            break
        if relation > 0:
            break
        halvings += 1
        divisible = [half for half in halves if len(half) > 1]
        if not divisible:
            break
        group = min(divisible, key=len)
    return min(len(instance), 1 << max(halvings, 1))


def merge(clusters: SuperClusters, relations: Relations) -> SuperClusters:
    """Join clusters, closest first, until every two of them are known to be apart.

    Two clusters are apart when any representative of the one is known to be apart from any of the other; else
    they are joined if any two are known to be together; else the representatives of their first
    super-instances are asked about. The distance of clusters is that of their closest centroids. Where the
    distance is the same, the clusters that stand first in the list go first.

    Returns new clusters; those that were given stay as they are, also when a `BudgetSpentError` comes.
    A question takes O(clusters), and joining two O(clusters**2).
    """
    merged = [list(cluster) for cluster in clusters]
    together, apart = _relations_of(merged, relations)
    distances = _open_distances(merged, apart)
    nearest = distances.min(axis=1, initial=np.inf)
    while (nearest < np.inf).any():
        a = int(nearest.argmin())
        b = int(distances[a].argmin())  # a < b: the table is symmetric, and the first row wins
        if together[a, b] or relations.ask(merged[a][0].representative, merged[b][0].representative) > 0:
            merged[a] += merged[b]
            merged[b] = []
            _join(distances, together, a, b)
            nearest = distances.min(axis=1)
        else:
            distances[a, b] = distances[b, a] = np.inf
            nearest[[a, b]] = distances[[a, b]].min(axis=1)
    return [cluster for cluster in merged if cluster]


def _relations_of(
    clusters: SuperClusters, relations: Relations
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which clusters have representatives known to be together, and which have some known to be apart."""
    cluster_of = {s.representative: c for c, cluster in enumerate(clusters) for s in cluster}
    seen = [
        (cluster_of[u], cluster_of[v], relation)
        for (u, v), relation in relations.items()
        if u in cluster_of and v in cluster_of
    ]
    a, b, relation = np.array(seen, np.int64).reshape(-1, 3).T
    together, apart = np.zeros((2, len(clusters), len(clusters)), bool)
    for table, chosen in ((together, relation > 0), (apart, relation < 0)):
        table[a[chosen], b[chosen]] = table[b[chosen], a[chosen]] = True
    return together, apart


def _open_distances(clusters: SuperClusters, apart: NDArray[np.bool_]) -> Floats:
    """Distances of the clusters that may yet be joined; infinite for the others."""
    from scipy.spatial.distance import cdist

    sizes = np.array([len(cluster) for cluster in clusters])
    centroids = [np.array([s.centroid for s in cluster]) for cluster in clusters]
    undecided = ~apart
    np.fill_diagonal(undecided, val=False)
    distances = np.full(undecided.shape, np.inf)
    # Small clusters first: after a split the new ones leave little to do between the large ones.
    for c in np.argsort(sizes, kind="stable"):
        others = np.flatnonzero(undecided[c] & np.isinf(distances[c]))
        if len(others):
            nearest = cdist(centroids[c], np.concatenate([centroids[o] for o in others])).min(axis=0)
            starts = np.cumsum(sizes[others]) - sizes[others]
            distances[c, others] = distances[others, c] = np.minimum.reduceat(nearest, starts)
    return distances


def _join(distances: Floats, together: NDArray[np.bool_], a: int, b: int) -> None:
    """Let cluster a stand for both: as near as the nearer, and apart from whatever either is apart from."""
    open_to_both = np.maximum(distances[a], distances[b]) < np.inf
    distances[a] = distances[:, a] = np.where(open_to_both, np.minimum(distances[a], distances[b]), np.inf)
    distances[b] = distances[:, b] = np.inf
    together[a] = together[:, a] = together[a] | together[b]
