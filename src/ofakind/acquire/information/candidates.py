"""Candidates: the pairs that are worth a look when there are too many to look at all."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import State
from ofakind.acquire.information.known import FAMILIARITY, Familiarity, against, blocks, checked
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats, Ints, order_of_distinct
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs

Found = tuple[Ints, Ints, Floats]


@dataclass(frozen=True, slots=True)
class CandidateRules:
    """Tuned numbers of the candidates, chosen by judgement."""

    settled: float = 1e-3  # objects of smaller unknownness have nothing to ask, but for some of each cluster:
    askers: int = 20  # so many of its representatives, at most
    fewest_doubtful: int = 512  # objects in doubt that are looked at, if there are so many,
    per_question: int = 8  # and so many for each question;
    fewest_pairs: int = 16_384  # but, for a few questions, no more than so many candidates hold
    familiar: float = 0.5  # these are known at least so well as this share of the best-known one is
    few_clusters: int = 128  # an object meets all of them; of more clusters likely ones and some at random:
    samples: int = 20  # so many samples name a likely one each,
    strangers: int = 12  # and so many are drawn
    many_pairs: int = 2_000_000  # beyond so many candidates each cluster is met once, not twice
    unfamiliar: float = 1e-3  # added to all weights when one member stands for a cluster of a sample


CANDIDATE = CandidateRules()


def listed(state: State, pool: Pool) -> Iterable[Found]:
    """Every open pair with its P(same), block by block; of a restricted pool, also those no longer open."""
    if pool.allowed is None:
        return _in_blocks(state, pool.list())
    allowed = pool.allowed
    return state.once("allowed pairs", lambda _: list(_in_blocks(state, allowed)))


def _in_blocks(state: State, pairs: Pairs) -> Iterator[Found]:
    for start in range(0, len(pairs), FAMILIARITY.block):
        rows = slice(start, start + FAMILIARITY.block)
        u, v = pairs.u[rows], pairs.v[rows]
        yield u, v, checked(state.posterior, u, v, state.posterior.same_probability(u, v))


def featured(state: State, rng: Generator) -> Iterable[Found]:
    """Pairs that features name as likely, with P(same), and pairs that are together in some samples.

    Of these last, each object with a companion in each of some samples; P(same) is their share of all
    samples, which is rough. O(samples n).
    """
    able = state.abilities
    if able.likely is None or able.samples is None:
        raise AssertionError("only a posterior with features has likely pairs")
    pairs, same = able.likely
    yield pairs.u, pairs.v, same
    labels = able.samples.labels
    some = rng.choice(len(labels), min(CANDIDATE.samples, len(labels)), replace=False)
    everybody, anybody = np.arange(labels.shape[1]), np.ones(labels.shape[1])
    for sample in labels[some]:
        others = _leaders(sample.astype(np.int64), anybody, rng)[sample]
        u, v = everybody[others != everybody], others[others != everybody]
        yield u, v, np.mean([row[u] == row[v] for row in labels], axis=0)


def proposed(state: State, known: Familiarity, size: int, rng: Generator) -> Iterable[Found]:
    """Objects in doubt, and some of each cluster, against representatives of clusters, with P(same).

    They come block by block, whether open or not, and some more than once. O(n k) pairs in all while there
    are few clusters, O(n) otherwise. For a few questions ``size``, some of the objects in doubt are enough;
    then the candidates stay the same while the state does.
    """
    many = CANDIDATE.per_question * size
    if many > CANDIDATE.fewest_doubtful:
        return _proposed(state, known, (many, CANDIDATE.askers), rng)
    k = max(state.clustering.k, 1)
    most = min(CANDIDATE.fewest_doubtful, max(CANDIDATE.fewest_pairs // (2 * k), many))
    few = (most, min(CANDIDATE.askers, max(1, most // (4 * k))))
    return state.once(("candidates", most), lambda own: list(_proposed(state, known, few, own)))


def _proposed(state: State, known: Familiarity, askers: tuple[int, int], rng: Generator) -> Iterator[Found]:
    representatives = Representatives.of(state.clustering, known.weight)
    objects = _askers(known, representatives, askers, rng)
    if state.clustering.k <= CANDIDATE.few_clusters:
        met = _all_clusters(objects, representatives, rng)
    else:
        met = _likely_clusters(objects, representatives, state, known, rng)
    for first, second in met:
        probability = against(state, first, second)
        kept = second != first[:, None]
        yield np.repeat(first, kept.sum(axis=1)), second[kept], probability[kept]


@dataclass(frozen=True, slots=True, eq=False)
class Representatives:
    """The members of each cluster that are known at least half as well as its best-known one."""

    members: Ints  # of cluster 0, then of cluster 1, ...
    start: Ints  # (k,)
    count: Ints  # (k,)

    @classmethod
    def of(cls, clustering: Clustering, weight: Floats) -> Self:
        """Find them by their weights."""
        labels, k = clustering.labels, clustering.k
        best = np.zeros(k)
        np.maximum.at(best, labels, weight)
        members = np.flatnonzero(weight >= CANDIDATE.familiar * best[labels])
        members = members[np.argsort(labels[members], kind="stable")]
        count = np.bincount(labels[members], minlength=k)
        return cls(members, np.cumsum(count) - count, count)

    def draw(self, clusters: Ints, rng: Generator) -> Ints:
        """Draw a representative of each of these clusters; an array of the same shape."""
        place = (rng.random(clusters.shape) * self.count[clusters]).astype(np.int64)
        return np.asarray(self.members[self.start[clusters] + place], np.int64)


def _askers(
    known: Familiarity, representatives: Representatives, askers: tuple[int, int], rng: Generator
) -> Ints:
    """The objects in doubt, and some representatives of each cluster for questions between those.

    ``askers`` says how many objects in doubt at most, drawn if there are more; and how many of each cluster.
    """
    (most, of_each), asks = askers, known.unknown > CANDIDATE.settled
    if (left := np.count_nonzero(asks) - most) > 0:
        asks[rng.choice(np.flatnonzero(asks), left, replace=False)] = False
    clusters = np.arange(len(representatives.count))
    asks[representatives.draw(np.repeat(clusters, of_each), rng)] = True
    return np.flatnonzero(asks)


def _all_clusters(
    objects: Ints, representatives: Representatives, rng: Generator
) -> Iterator[tuple[Ints, Ints]]:
    """Every object with one or two representatives of every cluster."""
    k = len(representatives.count)
    clusters = np.tile(np.arange(k), 2 if 2 * k * len(objects) <= CANDIDATE.many_pairs else 1)
    for block in blocks(objects, len(clusters)):
        yield block, representatives.draw(np.broadcast_to(clusters, (len(block), len(clusters))), rng)


def _likely_clusters(
    objects: Ints, representatives: Representatives, state: State, known: Familiarity, rng: Generator
) -> Iterator[tuple[Ints, Ints]]:
    """Every object with a companion in each of some samples, and with representatives of random clusters."""
    sampled, k = state.abilities.samples, state.clustering.k
    samples = state.clustering.labels[None]
    if sampled is not None:
        count = len(sampled.labels)
        some = rng.choice(count, min(CANDIDATE.samples, count), replace=False)
        samples = sampled.labels[some].astype(np.int64)
    leaders = [_leaders(labels, known.weight, rng) for labels in samples]
    for block in blocks(objects, len(leaders) + CANDIDATE.strangers):
        likely = [leader[labels[block]] for leader, labels in zip(leaders, samples, strict=True)]
        drawn = rng.integers(k, size=(len(block), CANDIDATE.strangers))
        strangers = representatives.draw(drawn, rng)
        others = np.concatenate([np.stack(likely, axis=1), strangers], axis=1)
        yield block, _one_of_each(block, others, state.clustering.labels)


def _leaders(labels: Ints, weight: Floats, rng: Generator) -> Ints:
    """One member of each cluster of a sample, well-known ones preferred."""
    leaders = np.empty(int(labels.max()) + 1, np.int64)
    order = order_of_distinct((weight + CANDIDATE.unfamiliar) * rng.random(len(weight)))
    leaders[labels[order]] = order  # the last one written, the highest, stays
    return leaders


def _one_of_each(objects: Ints, others: Ints, labels: Ints) -> Ints:
    """Replace all but the first other of each cluster by the object itself, which is no candidate."""
    clusters = labels[others]
    order = np.argsort(clusters, axis=1, kind="stable")
    ordered = np.take_along_axis(clusters, order, axis=1)
    again = np.zeros(others.shape, np.bool_)
    np.put_along_axis(again, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return np.where(again, objects[:, None], others)
