"""Where new objects would belong, by the prior and the groups as they are; nothing is added or asked.

An object i that nobody was asked about joins the group C, of n objects, with the odds

    (sum of f_ij over j in C + n f_bg) h(n + 1) / h(n)     against 1 for being alone,

f being the weight that features give a pair, f_bg that of any other pair, and h the factor of sizes
(`kernels.partition.forest`). That is averaged over the sampled partitions, each of which has its own clusters
and, by its chain, its own h; so what is in doubt among the objects of the project is in doubt here, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.errors import InvalidInputError
from ofakind.posterior.forest.belief import FeaturePosterior
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.samples import ForestSamples
from ofakind.posterior.forest.trees import resolved, tree_prior_of
from ofakind.priors.neighbours import Neighbours
from ofakind.project.adding import KnownBefore, features_with
from ofakind.project.choosing import FeatureData
from ofakind.project.fields import ObjectId
from ofakind.project.objects import Brought

NOTHING_KNOWN = (
    "of new objects nothing is known before somebody compares them; "
    "add them (ofakind add) and answer some questions"
)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a new object would belong: the likeliest ``group`` with its ``probability``, and P(``none``).

    ``group`` is None where none of these is likelier than any group. ``nearest`` is the object of that group
    that features call the likeliest, None where they name none. ``others`` are further groups with their
    probabilities, likeliest first. ``none`` is that it belongs to none that features name: to no group.
    """

    id: ObjectId
    group: int | None
    probability: float
    none: float
    nearest: ObjectId | None = None
    others: tuple[tuple[int, float], ...] = ()

    def __str__(self) -> str:
        """Say it in a line.

        >>> print(Placement("n1", 12, 0.93, 0.05, "a7"))
        n1: group 12 (0.93, like a7), none of these 0.05
        >>> print(Placement("n2", None, 0.2, 0.8))
        n2: none of these (0.80)
        """
        if self.group is None:
            return f"{self.id}: none of these ({self.none:.2f})"
        like = "" if self.nearest is None else f", like {self.nearest}"
        return f"{self.id}: group {self.group} ({self.probability:.2f}{like}), none of these {self.none:.2f}"


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """What new objects are compared with: the posterior, the group of each object, and their ids."""

    posterior: Any
    groups: Ints
    ids: Sequence[ObjectId]


def graph_with(brought: Brought, data: FeatureData, known: KnownBefore) -> Neighbours:
    """Return the graph of all objects of a project and the new ones; refused where there are no features."""
    if known.graph is None:
        raise InvalidInputError(f"the project has no features, so {NOTHING_KNOWN}")
    taken = [one for one in brought.ids if one in known.ledger.numbers]
    if taken and data.scores is not None:
        got = f"the id {taken[0]!r:.60} is in the project already, and scores name it"
        raise InvalidInputError(f"{got}; give the new object an id of its own")
    graph = features_with(brought, data, known)[2]
    if graph is None:
        raise InvalidInputError(f"the project has no features, so {NOTHING_KNOWN}")
    return linked_past(graph, graph.n - len(brought.ids))


@dataclass(frozen=True, slots=True)
class AssignRules:
    """How new objects are placed each by itself, chosen by judgement."""

    enough: int = 15  # objects of the project that a new one is compared with, if it is like other new ones


ASSIGN = AssignRules()


def linked_past(graph: Neighbours, n: int) -> Neighbours:
    """Let new objects, from n on, be compared with what other new ones that they are like are compared with.

    Else one that has many like it among the new ones, or a copy, would be compared with these alone.
    """
    around: dict[int, tuple[list[int], list[int]]] = {}  # of each new object: old ones, new ones
    concerned = graph.pairs.v >= n  # the second one is the larger number
    for u, v in zip(graph.pairs.u[concerned].tolist(), graph.pairs.v[concerned].tolist(), strict=True):
        for one, other in ((u, v), (v, u)):
            if one >= n:
                around.setdefault(one, ([], []))[other >= n].append(other)
    extra: list[tuple[int, int]] = []
    for one, (old, new) in around.items():
        reached, met, place = dict.fromkeys(old), [*new], 0
        while place < len(met) and len(reached) < ASSIGN.enough:
            further, others = around[met[place]]
            reached.update(dict.fromkeys(further))
            met += [other for other in others if other != one and other not in met]
            place += 1
        extra += [(other, one) for other in reached if other not in old]
    return graph.including(extra) if extra else graph


def placements(
    graph: Neighbours, new: Sequence[ObjectId], believed: Believed, *, least: float = 0.01
) -> list[Placement]:
    """Place new objects, the last ones of a graph of all objects, each by itself.

    Groups with a probability of at least ``least`` are listed. O(samples x n) for each.
    """
    forests = _forests(believed.posterior)
    n = graph.n - len(new)
    prior = tree_prior_of(CandidateGraph.of(graph, None), forests.pair_map, forests.scale)
    found = []
    for row, one in enumerate(new):
        others, f = _weights(prior.candidates, n + row, n)
        found.append(_placed(one, (others, f), believed, joined(prior, forests, others, f), least))
    return found


def _forests(posterior: Any) -> ForestSamples:
    if isinstance(posterior, FeaturePosterior) and posterior.forests is not None:
        return posterior.forests
    why = "answers are predicted better without features, and these were dropped"
    why = why if isinstance(posterior, FeaturePosterior) else "the project has no features"
    raise InvalidInputError(f"{why}, so {NOTHING_KNOWN}")


def _weights(candidates: Any, node: int, n: int) -> tuple[Ints, Floats]:
    """Return the objects of the project that a node has a candidate pair with, and the weights of these."""
    start, end = candidates.indptr[node], candidates.indptr[node + 1]
    others, f = np.asarray(candidates.indices[start:end], np.int64), candidates.S[start:end]
    old = others < n
    return others[old], f[old]


def joined(prior: Any, forests: ForestSamples, others: Ints, f: Floats) -> tuple[Floats, float]:
    """Return P(same) of a new object with each of the others, its candidates, and P(with none of them)."""
    same, none = np.zeros(len(others)), 0.0
    for chain in np.unique(forests.chain).tolist():
        h = resolved(prior, chain).h
        growth = h[1:] / np.maximum(h[:-1], np.finfo(np.float64).tiny)  # of a cluster, by its size
        for labels in forests.labels[forests.chain == chain]:
            sizes = np.bincount(labels)
            odds = (np.bincount(labels[others], f, minlength=len(sizes)) + prior.f_bg * sizes) * growth[sizes]
            share = odds / (1 + odds.sum())
            same += share[labels[others]]
            none += 1 - share[np.unique(labels[others])].sum()
    return same / len(forests.labels), float(np.clip(none / len(forests.labels), 0, 1))


def _placed(
    one: ObjectId,
    near: tuple[Ints, Floats],
    believed: Believed,
    joins: tuple[Floats, float],
    least: float,
) -> Placement:
    """Say where an object belongs: P(group) is the mean P(same) with its candidates in that group."""
    (others, f), (same, none) = near, joins
    names, number = np.unique(believed.groups[others], return_inverse=True)
    mean = np.bincount(number, same) / np.maximum(np.bincount(number), 1)
    order = np.argsort(-mean, kind="stable")
    probable = [(int(names[place]), float(mean[place])) for place in order.tolist()]
    if not probable or probable[0][1] < none:
        likeliest = probable[0][1] if probable else 0.0
        return Placement(one, None, likeliest, none, others=_listed(probable, least))
    best, probability = probable[0]
    members = np.flatnonzero(believed.groups[others] == best)
    nearest = believed.ids[int(others[members[np.argmax(f[members])]])]
    return Placement(one, best, probability, none, nearest, _listed(probable[1:], least))


def _listed(probable: Sequence[tuple[int, float]], least: float) -> tuple[tuple[int, float], ...]:
    return tuple(two for two in probable if two[1] >= least)
