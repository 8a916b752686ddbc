"""The exact minimum of the cost for few objects, by integer programming."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.arrays import Ints
from ofakind.checks import whole_number
from ofakind.clustering import Clustering
from ofakind.errors import OfakindError, TooLargeError
from ofakind.pairs import Pairs, rank
from ofakind.similarity import Similarity


@dataclass(frozen=True, slots=True)
class Exact:
    """Find a clustering whose cost is the minimum over all clusterings (to the solver's 1e-6).

    Meant for certificates and tests: the time grows exponentially in the worst case, so more than ``limit``
    objects are refused. ``start`` and ``rng`` are not used.

    Objects that no path of positive pairs connects are solved apart. That is exact: cutting a cluster between
    them removes no positive pair from inside it, so it never raises the cost.

    >>> similarity = Similarity.from_pairs(3, [0, 1, 0], [1, 2, 2], [1.0, 0.5, -0.8])
    >>> Exact()(similarity)
    Clustering(3 objects in 2 clusters, cost 0.5)
    """

    limit: int = 30

    def __post_init__(self) -> None:
        whole_number("limit", self.limit, least=0)

    def __call__(
        self,
        similarity: Similarity,
        *,
        start: Clustering | None = None,  # noqa: ARG002
        rng: Generator | None = None,  # noqa: ARG002
    ) -> Clustering:
        """Cluster the objects at the lowest possible cost; above ``limit`` objects raise `TooLargeError`."""
        if similarity.n > self.limit:
            got = f"{similarity.n} objects are too many for an exact solution (limit {self.limit})"
            raise TooLargeError(f"{got}; use LocalSearch, or raise the limit and be patient")
        asked = similarity.pairs()
        positive = asked.take(similarity.value(asked.u, asked.v) > 0)
        parts = _components(similarity.n, positive.u, positive.v)
        together = [
            _positive_together(similarity, np.flatnonzero(parts == part))
            for part in np.flatnonzero(np.bincount(parts) > 1)
        ]
        u, v = np.concatenate([np.empty((2, 0), np.int64), *together], axis=1)
        return Clustering.of(similarity, _components(similarity.n, u, v))


def _positive_together(similarity: Similarity, objects: Ints) -> Ints:
    """Positive pairs that an optimal clustering of these objects keeps together: rows u and v.

    The program has a variable per pair, 1 for "together". Transitivity, x_uv + x_vw <= 1 + x_uw, is demanded
    only where S_uv > 0 or S_vw > 0. That is enough: along a path of chosen positive pairs it makes every pair
    chosen, and a chosen pair without such a path has S <= 0, so that leaving it out costs nothing.
    """
    from scipy.optimize import LinearConstraint, milp

    pairs = Pairs.all(len(objects))
    u, v = objects[pairs.u], objects[pairs.v]
    S = similarity.value(u, v)
    transitive = _transitivity(len(objects), S > 0)
    solution = milp(
        -S,
        integrality=np.ones(len(S)),
        bounds=(0, 1),
        constraints=LinearConstraint(transitive, ub=1) if transitive.shape[0] else None,
        options={"mip_rel_gap": 0},
    )
    if solution.x is None or solution.status != 0:
        raise OfakindError(f"the integer program was not solved: {solution.message}; use LocalSearch")
    chosen = (solution.x > 0.5) & (S > 0)
    return np.stack([u[chosen], v[chosen]])  # (2, chosen)


def _transitivity(n: int, positive: NDArray[np.bool_]) -> Any:
    """Rows x_uv + x_vw - x_uw of the demanded inequalities, as a sparse matrix over the pairs by rank."""
    from scipy import sparse

    u, v, w = np.array(list(combinations(range(n), 3)), np.int64).reshape(-1, 3).T
    uv, uw, vw = rank(u, v, n), rank(u, w, n), rank(v, w, n)
    triples = np.concatenate([np.stack(t, axis=1) for t in ((uv, vw, uw), (uv, uw, vw), (uw, vw, uv))])
    triples = triples[positive[triples[:, 0]] | positive[triples[:, 1]]]
    rows = np.repeat(np.arange(len(triples)), 3)
    signs = np.tile([1.0, 1.0, -1.0], len(triples))
    return sparse.csr_array((signs, (rows, triples.ravel())), shape=(len(triples), len(positive)))


def _components(n: int, u: Ints, v: Ints) -> Ints:
    """Label of the connected component of each object in the graph with these edges."""
    from scipy import sparse

    edges = sparse.coo_array((np.ones(len(u)), (u, v)), shape=(n, n))
    return np.asarray(sparse.csgraph.connected_components(edges, directed=False)[1], np.int64)
