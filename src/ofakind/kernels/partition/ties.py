"""Ties: told matches, which the prior counts as one unit while they hold.

A partition of n objects that t ties hold together inside its clusters has n - t units. Ties are the edges of
a forest, so that a cluster of size n_k with t_k of them has m_k = n_k - t_k >= 1 units, and its factor in the
prior is Gamma(m_k)^a instead of Gamma(n_k)^a. Every partition is a partition of its units, and is weighed
against others of as many units: by 1 / Z_(n - t), of which here is what differs from the Z of all ties held,

    Z_m / Z_(m-1) = alpha + min(m - 1, room),

exact for a = 1 where all pairs may be of a kind; ``room`` is how many neighbours an object has elsewhere.

Kernels are given None where there are no ties. They are compiled for that on their own, by the functions
here, of which nothing is left then: units are sizes, and nothing is counted.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.portable.elementary import exp, log, log_gamma

Array = NDArray[Any]


class Ties(NamedTuple):
    """Which slots of a graph are ties, how many ties these are, and how many neighbours an object has."""

    slots: Array  # (entries,) of the graph
    total: int
    room: int


@compiled
def log_places(alpha: float, m: int, room: int) -> float:
    """Log of Z for m units, up to what does not depend on m: the product of alpha + min(j, room), j < m."""
    near = min(m, room)
    return log_gamma(alpha + near) + (m - near) * log(alpha + room)


@compiled
def log_return(ties: Ties, alpha: float, free: int, d: int) -> float:
    """Log of what the prior gives for d more ties that hold, where there were ``free`` units without them."""
    if d == 1:
        return log(alpha + min(free - 1, ties.room))
    return log_places(alpha, free, ties.room) - log_places(alpha, free - d, ties.room)


@compiled
def log_joined(power: Array, m: int, d: int) -> float:
    """Log of how many times less than m^a an object draws m units, to d of which it has a tie.

    By Gamma(m + 1 - d)^a / Gamma(m)^a, which is m^a without ties, over m^a.
    """
    found = 0.0
    for j in range(d):
        found -= log(power[m - j])
    return found


@compiled(forceinline=True)
def log_broken(ties: Ties | None, log_alpha: float, n: int, held: int) -> float:
    """Log of Z for the units of n objects while so many ties hold, over that of all ties held."""
    if ties is None or held == ties.total:
        return 0.0
    alpha = exp(log_alpha)
    return log_places(alpha, n - held, ties.room) - log_places(alpha, n - ties.total, ties.room)


@compiled(forceinline=True)
def count_units(ties: Ties | None, graph: Graph, labels: Array, sizes: Array) -> tuple[Array, Array]:
    """Return the units of each cluster (without ties the sizes themselves) and how many ties hold, (1,)."""
    held = np.zeros(1, np.int64)
    if ties is None:
        return sizes, held
    indptr, indices, _ = graph
    slots, units = ties.slots, sizes.copy()
    for i in range(len(labels)):
        for slot in range(indptr[i], indptr[i + 1]):
            if slots[slot] and indices[slot] < i and labels[indices[slot]] == labels[i]:
                units[labels[i]] -= 1
                held[0] += 1
    return units, held


@compiled(forceinline=True)
def tie_counts(ties: Ties | None, n: int) -> Array:
    """Room for the number of ties with each cluster, for labels 0..n+1; all 0."""
    return np.zeros(0 if ties is None else n + 2, np.int64)


@compiled(forceinline=True)
def count_ties(ties: Ties | None, indptr: Array, indices: Array, labels: Array, i: int, D: Array) -> None:
    """Add the number of an object's ties with each cluster to D."""
    if ties is not None:
        slots = ties.slots
        for slot in range(indptr[i], indptr[i + 1]):
            D[labels[indices[slot]]] += slots[slot]


@compiled(forceinline=True)
def forget_ties(ties: Ties | None, D: Array, seen: Array, many: int) -> None:
    """Set the number of ties with each of the seen clusters to 0."""
    if ties is not None:
        for t in range(many):
            D[seen[t]] = 0


@compiled(forceinline=True)
def leave_units(ties: Ties | None, units: Array, held: Array, k: int, own: int, D: Array) -> None:
    """Take so many units, with D[k] ties to others of cluster k, out of its units and of the ties that hold.

    Its size is counted elsewhere.
    """
    if ties is not None:
        units[k] -= own - D[k]
        held[0] -= D[k]


@compiled(forceinline=True)
def join_units(ties: Ties | None, units: Array, held: Array, k: int, own: int, D: Array) -> None:
    """Put so many units, with D[k] ties to cluster k, into it; as `leave_units`."""
    if ties is not None:
        units[k] += own - D[k]
        held[0] += D[k]


@compiled(forceinline=True)
def add_ties(
    ties: Ties | None,
    power: Array,
    units: Array,
    alpha: float,
    free: int,
    D: Array,
    W: Array,
    seen: Array,
    many: int,
) -> None:
    """Add to W what the prior says of an object's ties with the clusters it sees: D[k] of them with k.

    The object is in none of them; there are ``free`` units, itself among them.
    """
    if ties is not None:
        for t in range(many):
            k = seen[t]
            if D[k] > 0:
                W[k] += log_joined(power, units[k], D[k])
                W[k] += log_return(ties, alpha, free, D[k])
