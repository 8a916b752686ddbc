"""Pairs to check by hand: where it is open whether they are of a kind, and much hangs on it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.engine.learner import ActiveClustering
from ofakind.pairs import Pairs, PairSet
from ofakind.posterior.base import abilities_of
from ofakind.priors.base import sorted_pairs
from ofakind.project.describe import belonging, members_by_group
from ofakind.project.fields import ObjectId


@dataclass(frozen=True, slots=True)
class DoubtRules:
    """Where doubtful pairs are looked for; by judgement."""

    objects: int = 500  # with most wrong pairs, whose groups of samples are looked at
    likely: float = 0.05  # candidates by features are looked at while P(same) is this far from 0 and from 1


DOUBTS = DoubtRules()


@dataclass(frozen=True, slots=True)
class DoubtfulPair:
    """Two objects that may be of a kind or not, and how many pairs hang on it.

    ``at_stake`` is how many pairs would change with them: all between two groups that may be one, or all of
    an object that may not belong to its group. ``expected`` is what may be wrong of these.
    """

    left_id: ObjectId
    right_id: ObjectId
    probability: float
    together: bool
    at_stake: int

    @property
    def expected(self) -> float:
        """How many pairs may be wrong by this: P(the other answer) times what hangs on it."""
        other = 1 - self.probability if self.together else self.probability
        return other * self.at_stake


def doubtful_pairs(
    learner: ActiveClustering, ids: list[ObjectId], groups: Ints, limit: int
) -> list[DoubtfulPair]:
    """Return the pairs without an answer whose answer matters most; one for each two groups, or object.

    O(samples x n), and O(samples) for each of some hundred objects.
    """
    pairs = _open(learner, _places(learner, groups))
    if not len(pairs):
        return []
    same = learner.posterior.same_probability(pairs.u, pairs.v)
    _, group, size = np.unique(groups, return_inverse=True, return_counts=True)
    together = groups[pairs.u] == groups[pairs.v]
    stake = np.where(together, size[group[pairs.u]] - 1, size[group[pairs.u]] * size[group[pairs.v]])
    weight = np.minimum(same, 1 - same) * stake
    found: dict[tuple[int, int], DoubtfulPair] = {}
    for row in np.lexsort((pairs.v, pairs.u, -weight)).tolist():
        u, v = int(pairs.u[row]), int(pairs.v[row])
        own = (min(u, v), -1) if together[row] else _two(int(groups[u]), int(groups[v]))
        if own not in found and weight[row] > 0:
            one = DoubtfulPair(ids[u], ids[v], float(same[row]), bool(together[row]), int(stake[row]))
            found[own] = one
        if len(found) == limit:
            break
    return list(found.values())


def _two(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _places(learner: ActiveClustering, groups: Ints) -> Pairs:
    """Return pairs of doubtful objects with faces of groups they may be in, and of features in doubt."""
    able = abilities_of(learner.posterior)
    u, v = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    if able.likely is not None:
        pairs, same = able.likely
        unsure = np.minimum(same, 1 - same) > DOUBTS.likely
        u, v = [*u, pairs.u[unsure]], [*v, pairs.v[unsure]]
    if able.samples is not None:
        found = np.array([*_elsewhere(able.samples.labels, groups)], np.int64).reshape(-1, 2)
        u, v = [*u, found[:, 0]], [*v, found[:, 1]]
    return sorted_pairs(np.concatenate(u), np.concatenate(v), learner.n)


def _elsewhere(samples: NDArray[np.int32], groups: Ints) -> Iterable[tuple[int, int]]:
    """Give the most doubtful objects with the face of their group, and of those they are in by samples."""
    wrong = wrong_partners_of(samples, groups)
    sure = belonging(samples, groups)
    faces = {group: members[:2] for group, members in members_by_group(groups, sure).items()}
    homes = [home_groups(sample, groups) for sample in samples]
    for one in np.argsort(-wrong, kind="stable")[: DOUBTS.objects].tolist():
        if wrong[one] <= 0:
            return
        near = {int(groups[one])} | {
            int(home[sample[one]]) for home, sample in zip(homes, samples, strict=True)
        }
        for group in near:
            face = faces[group]
            other = face[0] if face[0] != one else face[-1]
            if other != one:
                yield one, other


def home_groups(sample: NDArray[np.int32], groups: Ints) -> Ints:
    """Return the group that most objects of each cluster of a sample are in."""
    ids, group = np.unique(groups, return_inverse=True)
    cells, count = np.unique(sample.astype(np.int64) * len(ids) + group, return_counts=True)
    order = np.argsort(count, kind="stable")  # the largest comes last, and stays
    home = np.zeros(int(sample.max(initial=-1)) + 1, np.int64)
    home[cells[order] // len(ids)] = ids[cells[order] % len(ids)]
    return home


def wrong_partners_of(samples: NDArray[np.int32], groups: Ints) -> Floats:
    """Expected number of wrong pairs of each object."""
    from ofakind.report.accuracy import per_object_doubt

    _, labels = np.unique(groups, return_inverse=True)
    return per_object_doubt(samples, labels) * max(len(groups) - 1, 1)


def _open(learner: ActiveClustering, pairs: Pairs) -> Pairs:
    """Return the pairs that neither answers nor pins speak of."""
    known = learner.similarity.pairs()
    left = ~PairSet.of(known.u, known.v).holds(pairs.u, pairs.v) & (
        learner.pins.implied(pairs.u, pairs.v) == 0
    )
    return Pairs.trusted(pairs.u[left], pairs.v[left])
