"""The pivot algorithm (KwikCluster): very fast, and good enough as a baseline or a start."""

from dataclasses import dataclass
from operator import attrgetter

from numpy.random import Generator

from ofakind.checks import whole_number
from ofakind.clustering import Clustering
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True)
class Pivot:
    """Pick a free object at random, give it all free objects similar to it (S > 0), and go on with the rest.

    The best of ``repeats`` such runs. On a complete graph of +1 and -1 the expected cost is at most three
    times the optimum; nothing is promised where few pairs are known, since an unknown pair counts as not
    similar. Each run takes O(objects + asked pairs). ``start`` is not used.

    >>> import numpy as np
    >>> similarity = Similarity.from_pairs(3, [0, 1], [1, 2], [1.0, -1.0])
    >>> Pivot()(similarity, rng=np.random.default_rng(0)).labels.tolist()
    [0, 0, 1]
    """

    repeats: int = 1

    def __post_init__(self) -> None:
        whole_number("repeats", self.repeats, least=1)

    def __call__(
        self,
        similarity: Similarity,
        *,
        start: Clustering | None = None,  # noqa: ARG002
        rng: Generator,
    ) -> Clustering:
        """Cluster the objects; the first of equally good runs wins."""
        from ofakind.kernels.search.pivot import pivot_labels

        S = (similarity.indptr, similarity.indices, similarity.values)
        orders = (rng.permutation(similarity.n) for _ in range(self.repeats))
        found = (Clustering.of(similarity, pivot_labels(S, order)) for order in orders)
        return min(found, key=attrgetter("cost"))
