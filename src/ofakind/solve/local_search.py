"""Local search for correlation clustering: Alg. 2 of the paper."""

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Ints
from ofakind.checks import check_jobs, one_of, truth_value, whole_number
from ofakind.clustering import Clustering, canonical_labels
from ofakind.parallel import run_each
from ofakind.similarity import Similarity
from ofakind.solve.base import check_start


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """Move one object at a time to the cluster it is most similar to; the best of several restarts (Alg. 2).

    Each restart visits all objects in random order, sweep after sweep, until a sweep gains nothing or
    ``sweeps`` are done. Ties go to the oldest cluster, even away from the current one: with answers of +1 and
    -1 ties are everywhere, and such plateau moves find much better optima than staying put. Sweeps that make
    only strict gains finish every restart.

    Promised: on return no move of one object, to another cluster or to a new one, lowers the cost by more
    than 1e-12. The global optimum is not promised. A sweep takes O(objects + asked pairs).

    Options:
        restarts: how often to start over.
        sweeps: the most sweeps with plateau moves in a restart.
        new_cluster: when an object founds a cluster. "repelled": when its total similarity to every cluster
            is below 0, as in the authors' code. "no_gain": when none is above 0, as Alg. 2 is worded; while
            few pairs are known this yields very many clusters.
        warm_start: begin the first restart at the labels of ``start``; the result is then no worse than it.
        alone: add a restart that begins with every object alone. It parts groups that grew together and that
            no single move parts, as happens with answers such as +0.9 and -0.1; but while few pairs are
            known it finds many more clusters.
        runs: how often to do all this, each time with random numbers of its own; the best run counts.
        n_jobs: runs at the same time, as in joblib (-1: on all cores). It changes no result.

    The other restarts begin at random labels in as many clusters as the restart before ended with, the first
    in as many as ``start`` has, or in one. After a restart that ended in one cluster, which can be a poor
    optimum that no single move leaves, the next begins with every object alone. So restarts follow one
    another; runs do not, and are what ``n_jobs`` divides.

    >>> import numpy as np
    >>> similarity = Similarity.from_pairs(3, [0, 1, 0], [1, 2, 2], [1.0, -1.0, -0.5])
    >>> LocalSearch()(similarity, rng=np.random.default_rng(0)).labels.tolist()
    [0, 0, 1]
    """

    restarts: int = 5
    sweeps: int = 30
    new_cluster: Literal["repelled", "no_gain"] = "repelled"
    warm_start: bool = False
    alone: bool = False
    runs: int = 1
    n_jobs: int | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole_number("restarts", self.restarts, least=1)
        whole_number("sweeps", self.sweeps, least=1)
        one_of("new_cluster", self.new_cluster, "repelled", "no_gain")
        truth_value("warm_start", self.warm_start)
        truth_value("alone", self.alone)
        whole_number("runs", self.runs, least=1)
        check_jobs(self.n_jobs)

    def __call__(
        self, similarity: Similarity, *, start: Clustering | None = None, rng: Generator
    ) -> Clustering:
        """Cluster the objects; without ``start`` the search begins with everything in one cluster."""
        check_start(start, similarity)
        if self.runs == 1:
            return self._search(similarity, start, rng)
        s = similarity
        arrays = (s.n, s.indptr, s.indices, s.values, s.counts)
        calls = [(self, start, stream, *arrays) for stream in rng.spawn(self.runs)]
        return min(run_each(LocalSearch._run, calls, self.n_jobs), key=attrgetter("cost"))

    def _run(self, start: Clustering | None, rng: Generator, *similarity: Any) -> Clustering:
        return self._search(Similarity(*similarity), start, rng)

    def _search(self, similarity: Similarity, start: Clustering | None, rng: Generator) -> Clustering:
        """Make all restarts of one run; the first of the best wins."""
        if start is not None and self.warm_start:
            labels = canonical_labels(start.labels)
        else:
            labels = random_labels(similarity.n, start.k if start else 1, rng)
        best = self._descend(similarity, labels, rng)
        k = best.k
        for _ in range(self.restarts - 1):
            # In one cluster again it would only repeat the search; from every object alone it need not.
            labels = random_labels(similarity.n, k, rng) if k > 1 else np.arange(similarity.n)
            found = self._descend(similarity, labels, rng)
            k = found.k
            best = min(best, found, key=attrgetter("cost"))
        if self.alone:
            found = self._descend(similarity, np.arange(similarity.n), rng)
            best = min(best, found, key=attrgetter("cost"))
        return best

    def _descend(self, similarity: Similarity, labels: Ints, rng: Generator) -> Clustering:
        """Sweep from these labels (changed in place) until nothing helps."""
        from ofakind.kernels.search import local_search as kernel

        S = (similarity.indptr, similarity.indices, similarity.values)
        rule = kernel.REPELLED if self.new_cluster == "repelled" else kernel.NO_GAIN
        for _ in range(self.sweeps):
            if kernel.sweep(S, labels, rng.permutation(similarity.n), rule) <= kernel.TOLERANCE:
                break
        # A plateau move can open a gain that comes too late for the limit; strict sweeps stop at an optimum.
        while kernel.sweep(S, labels, rng.permutation(similarity.n), kernel.STRICT) > 0:
            pass
        return Clustering.of(similarity, labels)


def random_labels(n: int, k: int, rng: Generator) -> Ints:
    """Draw a label 0..k-1 for each of n objects; none of the labels stays unused (k <= n)."""
    labels = rng.integers(max(k, 1), size=n)
    chosen = rng.permutation(n)[:k]
    labels[chosen] = np.arange(len(chosen))
    return labels
