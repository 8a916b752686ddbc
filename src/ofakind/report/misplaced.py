"""Objects that features place wrongly and with certainty: how many, as answers about others tell.

All neighbours of an object may be of another group. The samples then agree on where it is, nothing seems to
be in doubt, and nobody asks. How often that happens is learned where somebody has asked: a mixture of "where
its candidates are" and "anywhere", whose weight is fitted to the answers (EM).

So it is with judges; but that none of its candidates wants an object tells nothing, for a judge may be wrong
about all of it. An object that is alone by a judge's word is alone as likely as any, and else anywhere.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.posterior.forest.samples import ForestSamples


@dataclass(frozen=True, slots=True)
class MisplacedRules:
    """What is taken to be so before any answer, and how long to fit; chosen by judgement, on ecoli."""

    wrong: float = 0.3  # objects that features place wrongly,
    right: float = 100.0  # and rightly, as if these had been seen
    rounds: int = 50  # of EM


MISPLACED = MisplacedRules()


class Misplaced(NamedTuple):
    """How many objects are expected to be misplaced where the samples see no doubt, and how many pairs."""

    share: float = 0.0  # of all objects, if nobody asks
    objects: float = 0.0
    pairs: float = 0.0


def misplaced(posterior: ForestSamples, labels: Ints, *, by_judges: bool = False) -> Misplaced:
    """Return how many objects features have misplaced, given where all others are. O(candidates + answers).

    An object is "where its candidates are" with the odds of their weights, or alone; "anywhere" is in a group
    with a probability that is proportional to its size. With pins, units of objects are what is placed. Where
    candidates are such ``by_judges``, they have no say about objects that are alone.
    """
    pins = posterior.pins
    nodes = labels if pins is None else labels[pins.first]
    members = np.ones(len(labels)) if pins is None else pins.sizes().astype(np.float64)
    if len(nodes) < 2:
        return Misplaced()
    inside, anywhere, elsewhere = _likelihoods(posterior, nodes, members)
    share = learned_share(inside, anywhere)
    stray = share * anywhere / (share * anywhere + (1 - share) * inside) * elsewhere
    sizes = np.bincount(nodes, members)
    if by_judges:
        alone = np.bincount(nodes)[nodes] == 1
        stray[alone] = with_others(elsewhere[alone])
    typical = (sizes**2).sum() / sizes.sum()
    pairs = stray * members * (sizes[nodes] - members + typical)
    return Misplaced(share, portable.dot(stray, members), float(pairs.sum()))


def with_others(elsewhere: Floats) -> Floats:
    """P(with others) of the objects that are alone, by answers: one is alone as likely as so many are.

    ``elsewhere`` is that probability if just one object were alone.

    >>> with_others(np.array([0.5, 0.9])).round(2).tolist()
    [0.33, 0.82]
    """
    return elsewhere / (elsewhere + len(elsewhere) * (1 - elsewhere))


def learned_share(inside: Floats, anywhere: Floats) -> float:
    """Return the weight of the second component of a mixture, from the likelihoods of each object's answers.

    >>> inside, anywhere = np.ones(900), np.zeros(900)  # of 900 objects, 9 are not where features say
    >>> inside[:9], anywhere[:9] = 0, 1
    >>> round(learned_share(inside, anywhere), 3)
    0.009
    """
    share = MISPLACED.wrong / (MISPLACED.wrong + MISPLACED.right)
    seen = MISPLACED.wrong + MISPLACED.right + len(inside)
    for _ in range(MISPLACED.rounds):
        given = share * anywhere / (share * anywhere + (1 - share) * inside)
        share = float(MISPLACED.wrong + given.sum()) / seen
    return share


def _likelihoods(posterior: ForestSamples, nodes: Ints, members: Floats) -> tuple[Floats, Floats, Floats]:
    """Likelihood of each node's answers by either component, and P(not where it is | anywhere).

    Both are divided by that of the group which the answers speak for most, so that none overflows.
    """
    candidates, answers = posterior.prior.candidates, posterior.graph
    groups = np.bincount(nodes, members).astype(np.float64)
    weight = _by_group(candidates, nodes)  # (nodes, groups)
    spoken = _by_group(answers, nodes)
    rows = np.repeat(np.arange(len(nodes)), np.diff(spoken.indptr))
    best = np.zeros(len(nodes))
    np.maximum.at(best, rows, spoken.data)
    least = portable.exp(-best)  # a group that no answer is about
    told = portable.exp(spoken.data - best[rows])
    own = spoken.indices == nodes[rows]
    chance = (groups[spoken.indices] - own * members[rows]) / groups.sum()  # of being there if anywhere
    anywhere: Floats = least + np.bincount(rows, chance * (told - least[rows]), minlength=len(nodes))
    others = groups[nodes] - members
    at_home = least + np.bincount(rows, own * (told - least[rows]), minlength=len(nodes))
    home = np.where(others > 0, others * at_home, members * least) / groups.sum()  # who is alone stays alone
    spoken.data = told - least[rows]
    total = np.asarray(weight.sum(axis=1)).ravel() + 1.0  # or alone
    inside = least + np.asarray(weight.multiply(spoken).sum(axis=1)).ravel() / total
    return inside, anywhere, 1 - home / anywhere


def _by_group(graph: Any, nodes: Ints) -> Any:
    """Return a sparse matrix (nodes, groups) with the sums of a graph's weights over each group."""
    from scipy.sparse import csr_array

    n = len(nodes)
    onto = csr_array((np.ones(n), nodes, np.arange(n + 1)), shape=(n, int(nodes.max()) + 1))
    return portable.sparse_matmul(csr_array((graph.S, graph.indices, graph.indptr), shape=(n, n)), onto)
