"""The scale of the tree prior: what makes it give candidates by itself what the pair map gives them.

A tree pays each link once, and neighbours are redundant: linked by weights p / (1 - p) alone, objects would
be together more or less often than the map says. So the weights have a level and a slope of their own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Floats
from ofakind.kernels import portable
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.trees import TREES, Scale, log_odds, tree_prior_of
from ofakind.priors.base import JUDGE
from ofakind.priors.pair_map import PairMap


@dataclass(frozen=True, slots=True)
class ScalingRules:
    """Tuned numbers of the scale; from a prototype, or chosen by judgement."""

    sweeps: int = 18  # of the prior's own chain for each step, or so many
    quick_sweeps: int = 6  # where there are more than
    quick_beyond: int = 20_000  # nodes: a mean over so many needs fewer
    first_steps: int = 10  # steps of the first round,
    steps: int = 3  # and of any other
    pace: float = 0.5  # a step goes this part of the way
    within: tuple[float, float] = (0.02, 0.98)  # a mean probability counts as between these: nearer to 0 or 1
    # it hangs on the background and on chance, and a level that followed it would run away
    slopes: tuple[float, float] = (0.8, 2.2)  # between which the slope is: a steep one feeds on itself
    judged: tuple[float, float] = (1.0, 1.0)  # and where there is nothing but scores of judges: their links
    # are sure enough, and steeper ones would hold an object in a wrong group against many answers,
    beside: tuple[float, float] = (0.8, 1.2)  # or where these are beside features: both err about the same
    apart: float = 0.2  # log odds between the means of the halves, at least: else the slope would jump


SCALING = ScalingRules()


def rescaled(
    candidates: CandidateGraph, pair_map: PairMap, scale: Scale, own: Any, rng: Generator, *, first: bool
) -> tuple[Scale, Any]:
    """Run the prior's own chain on from a forest, and move the scale by what it gives the candidates.

    Returns the scale and the parents of the chain's last forest.
    """
    from ofakind.kernels.partition.forest import forest_at, size_weights
    from ofakind.kernels.partition.forest_chain import prior_same

    if not len(candidates.near.pairs):
        return scale, own
    given, forest = log_odds(candidates.near, pair_map), forest_at(own)
    h = size_weights(candidates.nodes, TREES.usual_resolution)
    sweeps = SCALING.sweeps if candidates.nodes <= SCALING.quick_beyond else SCALING.quick_sweeps
    slopes = slopes_of(candidates)
    for _ in range(SCALING.first_steps if first else SCALING.steps):
        prior = tree_prior_of(candidates, pair_map, scale)._replace(h=h)
        found = candidates.shares(prior_same(prior, forest, sweeps, rng), 1)
        scale = moved(scale, given, found, slopes)
    return scale, forest.parent


def slopes_of(candidates: CandidateGraph) -> tuple[float, float]:
    """Return the bounds of the slope."""
    kinds = candidates.near.kind.split("+")
    if JUDGE not in kinds:
        return SCALING.slopes
    return SCALING.judged if kinds == [JUDGE] else SCALING.beside


def moved(scale: Scale, given: Floats, found: Floats, slopes: tuple[float, float] = SCALING.slopes) -> Scale:
    """Move a scale by what candidates have, ``found``, that the map gives the log odds ``given``.

    The likelier half of the candidates should have on average what the map gives them, and so should the
    other half: both together tell the level, their difference the slope, which is kept between ``slopes``.
    Where all are equally likely, the slope stays.

    >>> given = np.array([2.0, 2.0, -2.0, -2.0])
    >>> round(moved(Scale(), given, np.full(4, 0.5)).slope, 2)
    1.5
    """
    likely = given > np.median(given)
    halves = (likely, ~likely) if likely.any() else (~likely,)
    means = [
        np.clip([portable.expit(given[half]).mean(), found[half].mean()], *SCALING.within) for half in halves
    ]
    gaps = [float(wanted - had) for wanted, had in portable.logit(np.array(means))]
    level, slope = scale.level + SCALING.pace * float(np.mean(gaps)), scale.slope
    if len(gaps) > 1:
        apart = float(given[likely].mean() - given[~likely].mean())
        slope += SCALING.pace * (gaps[0] - gaps[1]) / max(apart, SCALING.apart)
    return Scale(float(np.clip(level, -TREES.largest, TREES.largest)), float(np.clip(slope, *slopes)))
