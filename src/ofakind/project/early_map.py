"""A map for the first minutes, when nothing is believed yet: every object by itself, near what it is like."""

import numpy as np

from ofakind.arrays import Floats
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.start import same_at_start
from ofakind.project.layout import GroupLinks, group_links, lay_out
from ofakind.project.object_map import BEFORE_ALL, ObjectMap


def early_map_of(near: Neighbours | None, n: int, seed: int) -> ObjectMap:
    """Draw all objects alone, drawn together by what features were worth on other data.

    Their groups have numbers that no group ever gets, so that the map that follows takes none for one of its
    own; it puts a group where its objects lie here.
    """
    groups, alone = -1 - np.arange(n), np.zeros(n, np.int64)
    links = GroupLinks(alone[:0], alone[:0], np.zeros(0))
    if near is not None and len(near.pairs):
        links = group_links(n, (near.pairs.u, near.pairs.v), same_at_start(near))
    places: Floats = lay_out(np.ones(n, np.int64), links, np.random.default_rng(seed), rough=True)
    return ObjectMap(BEFORE_ALL, groups, places, alone, None, alone, groups)
