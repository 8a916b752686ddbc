"""How many questions would place objects in the clusters of a partition: played with random answers."""

from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.ties import (
    Ties,
    add_ties,
    count_ties,
    count_units,
    forget_ties,
    join_units,
    leave_units,
    tie_counts,
)
from ofakind.kernels.portable.elementary import exp

Array = NDArray[Any]


class Sample(NamedTuple):
    """A partition: the cluster of each object, alpha of its prior, m^a for m = 0..n units, and ties."""

    label: Array
    alpha: float
    power: Array
    ties: Ties | None = None


class Replies(NamedTuple):
    """Kinds of answers: cumulated probabilities if same and if different, their ratio, and what they tell.

    ``nats`` is the information of an answer for probabilities of "same" on an even grid from 0 to 1.
    """

    same: Array
    different: Array
    ratio: Array
    nats: Array


@compiled
def questions_to_place(
    graph: Graph, sample: Sample, objects: Array, replies: Replies, stop: tuple[float, int], rng: Generator
) -> Array:
    """Questions that each of these objects takes until it is placed, if all others are where the sample says.

    An object's own place in the sample counts as the truth. It starts from its probabilities given all other
    labels, m_k^a e^{W_k} for each cluster and alpha for none of them, and is compared with the cluster whose
    answer tells most, until one has the probability ``stop[0]`` or it was asked ``stop[1]`` times.
    O(degree + k + questions log k) for each.
    """
    label, alpha, power, ties = sample
    sizes, n = np.bincount(label), len(label)
    units, held = count_units(ties, graph, label, sizes)
    every, D = np.arange(len(sizes)), tie_counts(ties, n)
    asked = np.empty(len(objects), np.int64)
    for t in range(len(objects)):
        i = objects[t]
        own, W = label[i], np.zeros(len(sizes))
        for slot in range(graph.indptr[i], graph.indptr[i + 1]):
            W[label[graph.indices[slot]]] += graph.S[slot]
        count_ties(ties, graph.indptr, graph.indices, label, i, D)
        sizes[own] -= 1
        leave_units(ties, units, held, own, 1, D)
        add_ties(ties, power, units, alpha, n - held[0], D, W, every, len(every))
        top = max(W.max(), 0.0)
        heap = [(0.0, -1) for _ in range(0)]
        for k in range(len(sizes)):
            m = units[k]
            if m > 0:
                heap.append((-power[m] * exp(W[k] - top), k))
        sizes[own] += 1
        join_units(ties, units, held, own, 1, D)
        forget_ties(ties, D, every, len(every))
        asked[t] = _place(heap, own, alpha * exp(-top), replies, stop, rng)
    return asked


@compiled
def _place(
    heap: Any, own: int, alone: float, replies: Replies, stop: tuple[float, int], rng: Generator
) -> int:
    """Play the questions of one object: weights of clusters, negative, and that of being in none of them."""
    heapify(heap)
    total = alone
    for weight, _ in heap:
        total -= weight
    for asked in range(stop[1]):
        if not heap or max(-heap[0][0], alone) >= stop[0] * total:
            return asked
        # The information is concave in the probability and highest between 1/e and 1 - 1/e, so that one of
        # the two likeliest clusters tells most.
        first = heappop(heap)
        told = _told(-first[0] / total, replies.nats)
        second = len(heap) > 0 and _told(-heap[0][0] / total, replies.nats) > told
        weight, k = heappop(heap) if second else first
        new = weight * _draw(k == own, replies, rng)
        heappush(heap, (new, k))
        if second:
            heappush(heap, first)
        total += weight - new
    return stop[1]


@compiled
def _told(p: float, nats: Array) -> float:
    """Information of an answer, between the points of the grid."""
    place = p * (len(nats) - 1)
    low = min(int(place), len(nats) - 2)
    return float(nats[low] + (place - low) * (nats[low + 1] - nats[low]))


@compiled
def _draw(same: bool, replies: Replies, rng: Generator) -> float:
    """Draw an answer, and return how many times likelier it is if same."""
    cumulated = replies.same if same else replies.different
    kind = np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")
    return float(replies.ratio[min(kind, len(cumulated) - 1)])
