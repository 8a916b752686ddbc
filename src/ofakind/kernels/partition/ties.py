"""Ties: told matches, which the prior counts as one unit while they hold.

A partition of n objects that t ties hold together inside its clusters has n - t units. Ties are the edges of
a forest, so that a cluster of size n_k with t_k of them has m_k = n_k - t_k >= 1 units, and its factor in the
prior is Gamma(m_k)^a instead of Gamma(n_k)^a. Every partition is a partition of its units, and is weighed
against others of as many units: by 1 / Z_(n - t), of which here is what differs from the Z of all ties held,

    Z_m / Z_(m-1) = alpha + min(m - 1, room),

exact for a = 1 where all pairs may be of a kind; ``room`` is how many neighbours an object has elsewhere.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph

Array = NDArray[Any]


class Ties(NamedTuple):
    """Which slots of a graph are ties, how many ties these are, and how many neighbours an object has."""

    slots: Array  # (entries,) of the graph; or (0,), if there are none
    total: int
    room: int


NO_TIES = Ties(np.empty(0, np.bool_), 0, 0)


@compiled
def log_places(alpha: float, m: int, room: int) -> float:
    """Log of Z for m units, up to what does not depend on m: the product of alpha + min(j, room), j < m."""
    near = min(m, room)
    return math.lgamma(alpha + near) + (m - near) * math.log(alpha + room)


@compiled
def log_return(ties: Ties, alpha: float, free: int, d: int) -> float:
    """Log of what the prior gives for d more ties that hold, where there were ``free`` units without them."""
    if d == 1:
        return math.log(alpha + min(free - 1, ties.room))
    return log_places(alpha, free, ties.room) - log_places(alpha, free - d, ties.room)


@compiled
def log_joined(power: Array, m: int, d: int) -> float:
    """Log of how many times less than m^a an object draws m units, to d of which it has a tie.

    By Gamma(m + 1 - d)^a / Gamma(m)^a, which is m^a without ties, over m^a.
    """
    found = 0.0
    for j in range(d):
        found -= math.log(power[m - j])
    return found


@compiled
def count_held(graph: Graph, ties: Ties, labels: Array, units: Array) -> int:
    """Take the ties inside each cluster from its size, given in ``units``; return how many hold in all."""
    held = 0
    if len(ties.slots):
        for i in range(len(labels)):
            for slot in range(graph.indptr[i], graph.indptr[i + 1]):
                if ties.slots[slot] and graph.indices[slot] < i and labels[graph.indices[slot]] == labels[i]:
                    units[labels[i]] -= 1
                    held += 1
    return held


@compiled
def ties_of(graph: Graph, ties: Ties, labels: Array, i: int, counts: Array) -> None:
    """Add the number of an object's ties with each cluster to the counts."""
    for slot in range(graph.indptr[i], graph.indptr[i + 1]):
        if ties.slots[slot]:
            counts[labels[graph.indices[slot]]] += 1
