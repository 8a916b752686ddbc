"""The prior of trees and the evidence of answers, as kernels take them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import PairMap


@dataclass(frozen=True, slots=True)
class TreeRules:
    """Tuned numbers of the prior of trees; from a prototype, or chosen by judgement."""

    largest: float = 12.0  # no log odds are further from 0
    lowest: float = 0.25  # the background is worth what this share of the candidates is, the least likely,
    unseen: float = 1.0  # and so much besides, if no judge has looked at any pair: an object that fits none
    # of its candidates is then as likely to be with some other object as alone

    # How much a link counts, beside others and in large groups, differs from set to set, and decides whether
    # groups are one. So chains differ in it: they disagree, and ask, until answers decide
    # (docs/results/attempts.md).
    resolutions: tuple[float, ...] = (0.0, 0.03, 0.06, 0.1)  # of the chains, in turn,
    usual_resolution: float = 0.05  # and of the prior's own chain


TREES = TreeRules()


class Scale(NamedTuple):
    """How the log odds of the map become those of links: about their mean, times a slope, plus a level."""

    level: float = 0.0
    slope: float = 1.0


def tree_prior_of(candidates: CandidateGraph, pair_map: PairMap, scale: Scale) -> Any:
    """Return the prior of trees: f for candidates, by map and scale, and the background of every pair.

    The background is worth, for an object and all others together, what the least likely quarter of the
    candidates are worth each on average; and more, as far as there are pairs that no judge has looked at.
    """
    from ofakind.kernels.graph.csr import Graph
    from ofakind.kernels.partition.forest import tree_prior

    given = log_odds(candidates.near, pair_map)
    middle = given.mean() if len(given) else 0.0
    links = middle + scale.level + scale.slope * (given - middle)
    f = candidates.weights(portable.exp(np.clip(links, -2 * TREES.largest, 2 * TREES.largest)))
    f_bg = _background(candidates, given) / max(candidates.nodes, 1)
    return tree_prior(Graph(candidates.indptr, candidates.indices, f), f_bg)


def _background(candidates: CandidateGraph, given: Floats) -> float:
    """Return what all pairs of an object that are no candidates are worth together."""
    unseen = TREES.unseen * candidates.unseen
    if not len(given):
        return 0.5 + unseen
    count = max(1, round(TREES.lowest * len(given)))
    return float(np.sort(portable.expit(given))[:count].mean()) + unseen


def resolved(prior: Any, chain: int) -> Any:
    """Return the prior of a chain, which has a resolution of its own."""
    from ofakind.kernels.partition.forest import size_weights

    resolution = TREES.resolutions[chain % len(TREES.resolutions)]
    return prior._replace(h=size_weights(len(prior.h) - 1, resolution))


def mean_same(source: tuple[Any, Any, Any, Ints], nodes: Ints, starts: Ints, others: Ints) -> Floats:
    """P(same) of each node with its others, the mean over samples of forests of several chains.

    ``source`` is the prior, the answers' evidence, the parents in each sample and its chain. The others of
    nodes[t] are others[starts[t]:starts[t + 1]].
    """
    from ofakind.kernels.partition.forest_same import probability_in_forests

    prior, answers, parents, chain = source
    total = np.zeros(len(others))
    for each in np.unique(chain).tolist():
        rows = parents[chain == each]
        total += len(rows) * probability_in_forests(
            resolved(prior, each), answers, rows, nodes, starts, others
        )
    return total / max(1, len(parents))


def log_odds(near: Neighbours, pair_map: PairMap) -> Floats:
    """Log odds that the map gives candidates, as far from 0 as any may be."""
    return np.clip(pair_map.log_odds(near.features, near.pairs), -TREES.largest, TREES.largest)


def answer_weights(graph: AnswerGraph, ratios: Floats) -> Any:
    """Return the evidence of the answers as a graph for kernels."""
    from ofakind.kernels.graph.csr import Graph

    return Graph(*graph.frame, graph.weights(ratios))
