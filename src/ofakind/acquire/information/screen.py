"""The choice of a screen: the object, and the others, whose answers together tell most.

Candidates are those of single questions. The objects whose best pairs are worth most are looked at as the one
object of a screen; for each, the set of others is grown by what each answer tells beyond those before it
(`joint`), and the object with the most information in all is taken.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.acquire.base import State
from ofakind.acquire.information.answer_kinds import AnswerKinds
from ofakind.acquire.information.batch import Shortlist
from ofakind.acquire.information.candidates import CANDIDATE, Representatives
from ofakind.acquire.information.joint import grown
from ofakind.acquire.information.known import Familiarity
from ofakind.acquire.pool import Pool
from ofakind.acquire.screens import Screen
from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.posterior.base import Samples


@dataclass(frozen=True, slots=True)
class ScreenChoiceRules:
    """Tuned numbers of the choice of a screen, by judgement; docs/results/screens.md has what it gives."""

    listed: int = 64  # pairs that are listed for each other object, of which objects are chosen
    objects: int = 24  # objects that are looked at, and of each cluster the best known one,
    clusters: int = 40  # if there are no more than so many clusters
    doubtful: int = 400  # others that each of them is compared with where all pairs may be asked
    kept: int = 48  # others of each that are kept, the best ones,
    of_cluster: int = 2  # and so many of each cluster
    grown: int = 12  # objects whose sets are grown
    worthless: float = 0.1  # an other that tells less than this share of the first is left out
    same_object: float = 0.5  # a pending question about an other leaves so much of what it is worth
    compared: int = 512  # pending pairs, the newest, that others are compared with


SCREEN_CHOICE = ScreenChoiceRules()


@dataclass(frozen=True, slots=True, eq=False)
class Stars:
    """Candidates by their object: objects[e] with others[e], and P(same) by each sample: (pairs, samples)."""

    objects: Ints
    others: Ints
    same: Floats

    def take(self, rows: Ints) -> "Stars":
        """Keep the candidates at these positions."""
        return Stars(self.objects[rows], self.others[rows], self.same[rows])


@dataclass(frozen=True, slots=True, eq=False)
class ScreenSearch:
    """What a screen is chosen from: the state, the open pairs, who is known, what answers are like."""

    state: State
    pool: Pool
    known: Familiarity
    samples: Samples
    kinds: AnswerKinds
    useless: float

    def choose(self, worths: Shortlist, size: int, rng: Generator) -> Screen:
        """Choose the screen of most information; empty where no candidate tells anything."""
        stars = self._stars(worths, size, rng)
        if not len(stars.objects):
            return Screen.empty()
        alone = self._alone(stars)
        stars, alone = self._pruned(stars, alone)
        best, total = Screen.empty(), 0.0
        for one in _richest(stars.objects, alone, (size, SCREEN_CHOICE.grown), rng):
            rows = np.flatnonzero(stars.objects == one)
            part = stars.take(rows)
            chosen, gains = grown(part.same, self.kinds, size, self._left(part), least=total)
            kept = gains > SCREEN_CHOICE.worthless * gains[0]
            if gains[kept].sum() > total:
                best, total = Screen.of(one, part.others[chosen[kept]], gains[kept]), float(gains[kept].sum())
        return best

    def _stars(self, worths: Shortlist, size: int, rng: Generator) -> Stars:
        """Gather candidates: some objects, each with the others that it may be asked about."""
        ends = np.concatenate([worths.u, worths.v])
        others = np.concatenate([worths.v, worths.u])
        objects = _richest(ends, np.tile(worths.worth, 2), (size, SCREEN_CHOICE.objects), rng)
        featured = self.state.abilities.likely is not None
        if featured or self.pool.allowed is not None:
            among = np.isin(ends, objects)
            first, second = self._with_likely(objects, ends[among], others[among])
            return self._open(Stars(first, second, _same_in_samples(self.samples, second, first)), rng)
        if self.state.clustering.k <= SCREEN_CHOICE.clusters:
            objects = np.union1d(objects, _best_known(self.state.clustering.labels, self.known.weight))
        return self._open(self._all_doubtful(objects, rng), rng)

    def _all_doubtful(self, objects: Ints, rng: Generator) -> Stars:
        """Compare every object with those in doubt, and with some representatives of clusters."""
        unknown = self.known.unknown
        doubtful = np.flatnonzero(unknown > CANDIDATE.settled)
        if len(doubtful) > SCREEN_CHOICE.doubtful:
            weight = unknown[doubtful] / unknown[doubtful].sum()
            doubtful = rng.choice(doubtful, SCREEN_CHOICE.doubtful, replace=False, p=weight)
        representatives = Representatives.of(self.state.clustering, self.known.weight)
        k = min(self.state.clustering.k, SCREEN_CHOICE.doubtful)
        some = representatives.draw(rng.choice(self.state.clustering.k, k, replace=False), rng)
        others = np.union1d(doubtful, some)
        table = _table_in_samples(self.samples, others, objects)  # (samples, others, objects)
        same = table.reshape(len(table), -1).T
        return Stars(np.tile(objects, len(others)), np.repeat(others, len(objects)), same)

    def _with_likely(self, objects: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Add the pairs that features name as likely, or that are allowed, to those of the objects."""
        likely = self.state.abilities.likely
        listed = [] if likely is None else [likely[0]]
        listed = listed if self.pool.allowed is None else [self.pool.allowed]
        for pairs in listed:
            for one, other in ((pairs.u, pairs.v), (pairs.v, pairs.u)):
                rows = np.isin(one, objects)
                first, second = np.append(first, one[rows]), np.append(second, other[rows])
        n = self.state.similarity.n
        _, once = np.unique(first * n + second, return_index=True)
        return first[once], second[once]

    def _open(self, stars: Stars, rng: Generator) -> Stars:
        """Keep the open pairs, in a random order, so that ties follow no order of the objects."""
        stars = stars.take(np.flatnonzero(stars.objects != stars.others))
        return stars.take(rng.permutation(np.flatnonzero(self.pool.is_open(stars.objects, stars.others))))

    def _alone(self, stars: Stars) -> Floats:
        """What each candidate's answer tells by itself."""
        return self.kinds.information(stars.same.mean(axis=1))

    def _pruned(self, stars: Stars, alone: Floats) -> tuple[Stars, Floats]:
        """Keep the best others of each object, and the best of each cluster."""
        k, labels = self.state.clustering.k, self.state.clustering.labels
        best = _place_in_group(stars.objects, alone) < SCREEN_CHOICE.kept
        best |= _place_in_group(stars.objects * k + labels[stars.others], alone) < SCREEN_CHOICE.of_cluster
        rows = np.flatnonzero(best)
        return stars.take(rows), alone[rows]

    def _left(self, stars: Stars) -> Floats:
        """The share of its worth that pending questions leave of each candidate."""
        out = self.pool.pending
        if not len(out):
            return np.ones(len(stars.others))
        recent = out.take(slice(-SCREEN_CHOICE.compared, None))
        labels = self.samples.labels
        asked = _standardised(labels, recent.u, recent.v)
        found = _standardised(labels, stars.objects, stars.others)
        s = len(labels)
        overlap = np.clip((portable.matmul(found, asked.T) ** 2 * s - 1) / max(s - 1, 1), 0, 1)
        left = portable.exp(portable.log1p(-(1 - self.useless) * overlap).sum(axis=1))
        ends = np.sort(np.concatenate([recent.u, recent.v]))
        times = np.searchsorted(ends, stars.others, "right") - np.searchsorted(ends, stars.others)
        return np.asarray(left * portable.power(SCREEN_CHOICE.same_object, times))


def _richest(objects: Ints, worth: Floats, most: tuple[int, int], rng: Generator) -> Ints:
    """Return the objects whose best candidates are worth most, best first; ties at random.

    ``most`` is how many candidates of each count, and how many objects are wanted.
    """
    size, count = most
    shown = _place_in_group(objects, worth) < size
    names, where = np.unique(objects, return_inverse=True)
    total = np.bincount(where, np.where(shown, worth, 0.0), len(names))
    return np.asarray(names[np.lexsort((rng.random(len(names)), -total))[:count]], np.int64)


def _place_in_group(groups: Ints, worth: Floats) -> Ints:
    """The place of each candidate within its group, by worth, from 0."""
    order = np.lexsort((-worth, groups))
    ordered = groups[order]
    first = (
        np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.empty(0, np.int64)
    )
    place = np.empty(len(groups), np.int64)
    place[order] = np.arange(len(groups)) - np.repeat(first, np.diff(np.r_[first, len(ordered)]))
    return place


def _best_known(labels: Ints, weight: Floats) -> Ints:
    """The best-known object of each cluster."""
    order = np.lexsort((weight, labels))
    last = np.flatnonzero(np.r_[labels[order][1:] != labels[order][:-1], True])
    return np.asarray(order[last], np.int64)


def _standardised(labels: NDArray[np.int32], u: Ints, v: Ints) -> Floats:
    """Whether pairs are together in each sample, centred, of length 1; zero where all samples agree."""
    together = np.asarray((labels[:, u] == labels[:, v]).T, np.float64)
    together -= together.mean(axis=1, keepdims=True)
    length = np.sqrt((together**2).sum(axis=1, keepdims=True))
    found = np.divide(together, length, out=np.zeros_like(together), where=length > 0)
    return np.asarray(found, np.float64)


def _table_in_samples(samples: Samples, objects: Ints, others: Ints) -> Floats:
    """P(same) of each of the objects with each of the others by each sample: (samples, objects, others).

    The objects' labels are averaged out, where samples can be taken one by one.
    """
    single = getattr(samples, "at", None)
    if single is None:
        return np.asarray(samples.labels[:, objects, None] == samples.labels[:, None, others], np.float64)
    rows = np.broadcast_to(others, (len(objects), len(others)))
    found = [single(np.array([one])).against(objects, rows) for one in range(len(samples.labels))]
    return np.asarray(found, np.float64)


def _same_in_samples(samples: Samples, objects: Ints, others: Ints) -> Floats:
    """P(same) of pairs by each sample, (pairs, samples), as in `_table_in_samples`."""
    each = getattr(samples, "in_each_sample", None)
    if each is None:
        return np.asarray((samples.labels[:, objects] == samples.labels[:, others]).T, np.float64)
    return np.asarray(each(objects, others), np.float64)
