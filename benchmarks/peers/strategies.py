"""The query strategies of active-semi-supervised-clustering and scikit-query, called as their users do.

All get the features, standardised, and the true number of clusters. They ask yes/no questions, make of the
answers lists of pairs that must or cannot be linked, and leave the clustering to `PCKMeans`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import skquery.pairwise
from active_semi_clustering.active.pairwise_constraints import NPU, ExploreConsolidate, MinMax
from active_semi_clustering.active.pairwise_constraints.example_oracle import MaximumQueriesExceeded
from active_semi_clustering.exceptions import EmptyClustersException
from active_semi_clustering.semi_supervised.pairwise_constraints import PCKMeans
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from skquery.exceptions import EmptyBudgetError

from ofakind.arrays import Ints
from ofakind.oracles.base import Oracle
from ofakind.pairs import Pairs

# Importing active_semi_clustering makes every underflow in the process an error; these are NumPy's defaults.
np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")

MAX_ITER = 20
"""PCKMeans often circles without settling until its limit, 100 by default; 20 give the same ARI sooner."""

Features = NDArray[np.float64]
Links = tuple[list[Any], list[Any]]  # must be linked, cannot be linked


class YesNo:
    """An oracle as both packages want it: one question at a time, and an error once the budget is spent."""

    def __init__(self, oracle: Oracle, budget: int) -> None:
        self.budget = self.max_queries_cnt = budget  # scikit-query's name and the other package's
        self.queries = 0
        self.spent: type[Exception] = EmptyBudgetError
        self._oracle = oracle

    def query(self, i: int, j: int) -> bool:
        """Say whether two objects are of a kind; an object paired with itself costs a question too."""
        if self.queries >= self.budget:
            raise self.spent
        self.queries += 1
        return i == j or bool(self._oracle(Pairs.of([i], [j]))[0] > 0)


Strategy = Callable[[Features, int, YesNo], Links]


def of_active_semi(make: Callable[[int], Any]) -> Strategy:
    def ask(features: Features, k: int, questions: YesNo) -> Links:
        questions.spent = MaximumQueriesExceeded
        strategy = make(k).fit(features, oracle=questions)
        must, cannot = strategy.pairwise_constraints_
        return must, cannot

    return ask


def of_skquery(make: Callable[[int], Any]) -> Strategy:
    def ask(features: Features, k: int, questions: YesNo) -> Links:
        links = make(k).fit(features, questions, n_clusters=k)
        return links["ml"], links["cl"]

    return ask


def kmeans(k: int) -> Any:
    return PCKMeans(n_clusters=k, max_iter=MAX_ITER)


STRATEGIES: dict[str, Strategy] = {
    "active-semi ExploreConsolidate": of_active_semi(lambda k: ExploreConsolidate(n_clusters=k)),
    "active-semi MinMax": of_active_semi(lambda k: MinMax(n_clusters=k)),
    "active-semi NPU": of_active_semi(lambda k: NPU(clusterer=kmeans(k))),
    "scikit-query RandomMLCL": of_skquery(lambda _: skquery.pairwise.RandomMLCL()),
    "scikit-query FFQS": of_skquery(lambda _: skquery.pairwise.FFQS()),
    "scikit-query MinMax": of_skquery(lambda _: skquery.pairwise.MinMax()),
    "scikit-query NPU": of_skquery(lambda k: skquery.pairwise.NPU(cc_alg=kmeans(k))),
    "scikit-query AIPC": of_skquery(lambda _: skquery.pairwise.AIPC()),
    "scikit-query SASC": of_skquery(lambda _: skquery.pairwise.SASC()),
}


def cluster(features: Features, k: int, links: Links) -> Ints:
    """Labels by PCKMeans; when it meets an empty cluster it is started again, as its own package does."""
    must, cannot = thinned(links, len(features))
    while True:
        try:
            return np.asarray(kmeans(k).fit(features, ml=must, cl=cannot).labels_)
        except EmptyClustersException:
            continue


def thinned(links: Links, n: int) -> Links:
    """Fewer links that imply the same: PCKMeans adds all that follow, from all of them in minutes."""
    must, cannot = (np.array(pairs, np.int64).reshape(-1, 2) for pairs in links)
    linked = coo_array((np.ones(len(must)), must.T), shape=(n, n))
    group = connected_components(linked, directed=False)[1]
    first = np.unique(group, return_index=True)[1]  # the first object of each group speaks for it
    others = np.setdiff1d(np.arange(n), first)
    apart = np.unique(np.sort(first[group[cannot]], axis=1), axis=0)
    return np.stack([first[group[others]], others], axis=1).tolist(), apart.tolist()
