"""The mean-field posterior for very many clusters, without an (n, k) array."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints, read_only
from ofakind.checks import as_known_endpoints
from ofakind.clustering import Clustering
from ofakind.errors import CollapsedWarning, NotConvergedWarning, TooLargeError, warn
from ofakind.kernels import portable
from ofakind.noise.channel import SymmetricChannel
from ofakind.posterior.base import Abilities
from ofakind.posterior.mean_field.dense import (
    available_memory,
    check_options,
    numbered_labels,
    visiting_order,
)
from ofakind.similarity import Similarity

if TYPE_CHECKING:
    from ofakind.kernels.field.sparse import Field, Rows, Update
    from ofakind.kernels.graph.csr import Graph

BYTES_OF_ENTRY = 12  # of a cluster in the row of an object: its number and its probability


@dataclass(frozen=True, slots=True)
class SparseRules:
    """Tuned numbers of a sparse mean field, chosen by judgement; docs/results/scale.md has what they cost."""

    neglected: float = 0.1  # changes of a probability below this share of ``tol`` are not followed
    spread: float = 0.5  # of the probability of an object, beyond which the field says nothing of it
    collapsed: float = 0.5  # a share of such objects, among those that answers tie, that needs a warning


SPARSE = SparseRules()


@dataclass(frozen=True, slots=True, eq=False)
class SparseMeanField:
    """The factorial approximation Q of `MeanField`, kept as Q_uk = rest_u + above_uk with few entries above.

    ``rest`` (n,) is the probability of each cluster that is not listed in an object's row; ``indptr``,
    ``clusters`` and ``above`` are CSR arrays of the listed ones, sorted by cluster, and what they have above
    the rest (or, negative, below it). Rows of Q sum to 1. ``converged`` is true only when the largest change
    of Q in the last sweep (``residual``) was below the tolerance.
    """

    similarity: Similarity
    k: int
    rest: Floats
    indptr: Ints
    clusters: NDArray[np.int32]
    above: Floats
    beta: float
    converged: bool
    sweeps: int
    residual: float

    @property
    def abilities(self) -> Abilities:
        """What it can do besides P(same) of any pair: it stands for answers wrong by 1 / (1 + e^beta)."""
        return Abilities(answers=SymmetricChannel.of_concentration(self.beta))

    @property
    def free_energy(self) -> float:
        """Expected R_MC minus entropy / beta: what the sweeps lower."""
        pairs = self.similarity.pairs()
        values = self.similarity.value(pairs.u, pairs.v)
        inside = float(np.sum(values * self.same_probability(pairs.u, pairs.v)))
        return -inside - float(self.label_entropy().sum()) / self.beta

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """P(E_uv = 1) = sum_k Q_uk Q_vk (eq:peuv); 1 for an object with itself. O(their rows)."""
        from ofakind.kernels.field.sparse import same_probability

        first, second = as_known_endpoints(u, v, self.similarity.n)
        return np.where(first == second, 1.0, same_probability(self.arrays(), self.k, first, second))

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """H(E_uv) in nats (eq:entropy); 0 for an object with itself. O(their rows)."""
        from ofakind.kernels.field.sparse import pair_entropy

        first, second = as_known_endpoints(u, v, self.similarity.n)
        return np.where(first == second, 0.0, pair_entropy(self.arrays(), self.k, first, second))

    def label_entropy(self) -> Floats:
        """H(y_u) of each object in nats."""
        from ofakind.kernels.field.sparse import row_entropies

        return np.asarray(row_entropies(self.arrays(), self.k), np.float64)

    def spread(self) -> Floats:
        """Probability of each object that lies evenly on all the clusters that its row does not list."""
        return (self.k - np.diff(self.indptr)) * self.rest

    def probabilities(self, objects: ArrayLike) -> Floats:
        """Q of these objects in full: (objects, k)."""
        rows, _ = as_known_endpoints(objects, objects, self.similarity.n)
        q = np.repeat(self.rest[rows][:, None], self.k, axis=1)
        for row, u in zip(q, rows, strict=True):
            listed = slice(self.indptr[u], self.indptr[u + 1])
            row[self.clusters[listed]] += self.above[listed]
        return q

    def arrays(self) -> "Field":
        """Return the arrays in the form that the kernels take."""
        from ofakind.kernels.field.sparse import Field

        return Field(self.indptr, self.clusters, self.above, self.rest)


def sparse_mean_field(
    similarity: Similarity,
    labels: ArrayLike | Clustering,
    *,
    beta: float = 3.0,
    order: ArrayLike | None = None,
    tol: float = 1e-6,
    max_sweeps: int = 2000,
) -> SparseMeanField:
    """Compute the asynchronous mean field of labels, as `mean_field` does, for very many clusters.

    Stated tolerance: an update leaves out clusters whose probabilities differ from the rest by less than
    ``tol`` / 10 in all, and an object whose probabilities could not move by ``tol`` / 10 is not updated.
    All else is exact, and the sweeps end as those of `mean_field` do: at a fixed point to within ``tol``.

    Memory: 12 bytes for each object and cluster that is kept, some three times that while it is computed,
    and 40 n + 25 k bytes. A sweep takes time in proportion to the kept entries of all neighbours. How many
    are kept depends on the answers: from none, where they say nothing, to k, where every cluster is likely.

    With k clusters the evidence m for one of them must beat all the others: e^(beta m) > k. Where it does
    not, an object's probability lies evenly on all clusters, whatever its answers say, and the field soon
    is of no use. When that befalls most objects that answers tie to their cluster, a `CollapsedWarning` says
    so; then raise ``beta``, to log k or more.

    >>> s = Similarity.from_pairs(4, [0, 1, 2], [1, 2, 3], [1.0, -1.0, 1.0])
    >>> field = sparse_mean_field(s, [0, 0, 1, 1])
    >>> field.converged, bool(field.same_probability([0], [1])[0] > 0.9)
    (True, True)
    """
    check_options(beta, "asynchronous", tol, max_sweeps)
    from ofakind.kernels.field.sparse import Update, packed
    from ofakind.kernels.graph.csr import Graph

    numbered, k = numbered_labels(similarity, labels)
    graph = Graph(similarity.indptr, similarity.indices, similarity.values)
    rule = Update(k, float(beta), SPARSE.neglected * float(tol))
    visits = visiting_order(similarity.n, order)
    rows, sweeps, residual = _settled(graph, rule, numbered, visits, float(tol), max_sweeps)
    indptr, clusters, above = map(read_only, packed(rows))
    state = (residual < tol, sweeps, residual)
    field = SparseMeanField(similarity, k, read_only(rows.b), indptr, clusters, above, float(beta), *state)
    _warn(field, numbered, graph, tol)
    return field


def _settled(
    graph: "Graph", rule: "Update", labels: Ints, order: Ints, tol: float, max_sweeps: int
) -> "tuple[Rows, int, float]":
    """Rows after sweeps over the objects in this order, how many sweeps, and what the last one changed."""
    from ofakind.kernels.field.sparse import empty_desk, empty_rows, label_rows, sweep

    desk = empty_desk(rule.k)

    def swept(old: "Rows | None", new: "Rows") -> "tuple[Rows, float]":
        done, largest = 0, 0.0
        while done < len(order):
            count, change = sweep(graph, order[done:], rule, new if old is None else old, new, desk)
            done, largest = done + count, max(largest, change)
            if done < len(order):
                new = _larger(new, rule.k)
        return new, largest

    n = len(labels)
    rows, _ = swept(label_rows(labels), empty_rows(n, 4 * n + 64))
    rows.unrest[:] = np.inf  # that was where the sweeps start; none has been made
    sweeps, residual = 0, np.inf
    while residual >= tol and sweeps < max_sweeps:
        rows, residual = swept(None, rows)
        sweeps += 1
    return rows, sweeps, residual


def _larger(rows: "Rows", k: int) -> "Rows":
    """Return the same rows in a space twice as large, if there is the memory for it."""
    from ofakind.kernels.field.sparse import empty_rows, moved

    n, length = len(rows.start), 2 * int(rows.room.sum()) + 2 * k + 64
    needed, available = BYTES_OF_ENTRY * length, available_memory()
    if needed > available:
        raise TooLargeError(
            f"the sparse mean field of n = {n} objects and k = {k} clusters needs {needed / 1e9:.1f} GB more "
            f"and {available / 1e9:.1f} GB are free; raise tol, or use a solver that gives fewer clusters"
        )
    target = empty_rows(n, length)
    moved(rows, target)
    return target


def _warn(field: SparseMeanField, labels: Ints, graph: "Graph", tol: float) -> None:
    """Say when the sweeps did not settle, or ended in a field that knows less than the answers do."""
    from ofakind.kernels.field.sparse import own_cluster

    if not field.converged:
        moves = f"still moves by {field.residual:.2g} after {field.sweeps} sweeps (tol {tol:.2g})"
        warn(f"the sparse mean field {moves}", NotConvergedWarning)
    tied = own_cluster(graph, labels) > 0
    lost = np.count_nonzero(field.spread()[tied] > SPARSE.spread)
    if lost > SPARSE.collapsed * np.count_nonzero(tied):
        warn(
            f"the mean field says nothing of {lost} of the {np.count_nonzero(tied)} objects that answers tie "
            f"to one of k = {field.k} clusters: beta = {field.beta:.3g} is too little against so many "
            f"clusters; raise it to log k = {portable.log(field.k):.1f} or more",
            CollapsedWarning,
        )
