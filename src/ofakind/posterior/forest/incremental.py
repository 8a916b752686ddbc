"""A round in which little is new: most samples are kept, and brought up to date around the new answers.

An answer changes much for the objects that may be with one of its two, and a little for all others, by what
it says of features and of answers in general. So in every kept sample the former find their parents anew, and
each chain draws a few samples more, of all objects. What was found about P(same) before counts on, but for
pairs of the objects concerned, of which it is computed anew.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints, Mask
from ofakind.kernels import portable
from ofakind.posterior.forest.trees import mean_same


@dataclass(frozen=True, slots=True)
class IncrementalRules:
    """Tuned numbers of a round in which little is new, chosen by judgement."""

    answers: int = 5  # so many new answers renew all samples,
    since: int = 12  # as do so many since the last whole round,
    share: float = 0.1  # if they are this share of all answers, too
    drift: float = 0.5  # or when the map has moved so much: log odds on average, doubtful pairs counting most
    sweeps: int = 3  # for each sample that is drawn, at most;
    visits: int = 3_000  # or so many visits to nodes
    companions: int = 64  # objects that may be with those of a new answer and are brought up to date, at most


INCREMENTAL = IncrementalRules()


def draws(new: int, answers: int, renewed_at: int, samples: int) -> int:
    """Return how many of its samples each chain draws anew: one for each new answer, or all of them.

    All are drawn if many answers are new, or if the last whole round was too many answers ago.

    >>> [draws(new, 50, 45, 12) for new in (1, 4, 5)], draws(1, 60, 45, 12), draws(1, 300, 280, 12)
    ([1, 4, 12], 12, 1)
    """
    since = answers - renewed_at
    if new >= INCREMENTAL.answers or since > max(INCREMENTAL.since, INCREMENTAL.share * answers):
        return samples
    return min(samples, max(1, new))


def sweeps(nodes: int) -> int:
    """Return how many sweeps a new sample takes.

    >>> [sweeps(nodes) for nodes in (100, 1_500, 10_000)]
    [3, 2, 1]
    """
    return min(max(INCREMENTAL.visits // max(nodes, 1), 1), INCREMENTAL.sweeps)


def drift_between(before: Floats, after: Floats) -> float:
    """Mean change of log odds, each pair counting by p (1 - p): of a pair that is certain it changes nothing.

    >>> round(drift_between(np.array([0.0, 12.0]), np.array([0.5, 9.0])), 2)
    0.49
    """
    p, q = portable.expit(before), portable.expit(after)
    return float(np.abs(q - p).sum() / max((p * (1 - p)).sum(), np.finfo(float).tiny))


def companions(labels: NDArray[np.int32], nodes: Ints) -> Ints:
    """Return these nodes and those that are with one of them in some sample, the most frequent ones.

    >>> companions(np.array([[0, 0, 1, 2], [0, 1, 1, 2]], np.int32), np.array([1])).tolist()
    [0, 1, 2]
    """
    often = np.zeros(labels.shape[1])
    for node in nodes:
        np.maximum(often, (labels == labels[:, [node]]).mean(axis=0), out=often)
    often[nodes] = 0.0
    met = np.flatnonzero(often)
    if len(met) > INCREMENTAL.companions:
        met = met[np.argsort(-often[met], kind="stable")[: INCREMENTAL.companions]]
    return np.union1d(nodes, met)


class Entries(NamedTuple):
    """Pairs of nodes as CSR arrays with the pair of each entry, and the place of each pair of objects there.

    ``place`` is None where the pairs are those of objects, and -1 where both are in one node.
    """

    indptr: Ints
    indices: Any
    of_entry: Ints
    place: Ints | None


def around(entries: Entries, nodes: Ints, source: tuple[Any, Any, Any, Ints]) -> tuple[Floats, Mask]:
    """P(same) of each pair of objects that has one of these nodes, and which pairs these are.

    ``source`` is what samples are drawn from, as `mean_same` takes it.
    """
    first, last = entries.indptr[nodes], entries.indptr[nodes + 1]
    starts = np.append(0, np.cumsum(last - first))
    slots = np.arange(starts[-1]) + np.repeat(first - starts[:-1], last - first)
    found = mean_same(source, nodes, starts, entries.indices[slots])
    pair, count = entries.of_entry[slots], len(entries.of_entry) // 2
    times = np.bincount(pair, minlength=count)
    mean = np.bincount(pair, found, minlength=count) / np.maximum(times, 1)
    if entries.place is None:
        return np.clip(mean, 0.0, 1.0), times > 0
    place = entries.place
    return np.clip(np.append(mean, 1.0)[place], 0.0, 1.0), np.append(times > 0, False)[place]


def blended(before: Floats, drawn: Floats, share: float, anew: tuple[Floats, Mask]) -> Floats:
    """Put what was known, what the ``share`` of new samples say and what was computed anew together."""
    found, there = anew
    return np.where(there, found, (1 - share) * before + share * drawn)
