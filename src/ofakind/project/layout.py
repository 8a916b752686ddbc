"""Where objects lie on a map: each group a round heap of points, and groups that may be one near each other.

Groups are discs as large as they need to be. Discs whose objects may be of a kind draw each other near, and
others keep away; those that nothing draws lie around them, large ones first. Nothing takes n x n steps.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Floats, Ints, Mask
from ofakind.kernels import portable

TURN = np.pi * (3 - np.sqrt(5))  # the golden angle: points that follow each other by it fill a disc evenly


@dataclass(frozen=True, slots=True)
class LayoutRules:
    """How a map is laid out, in units of the width of a point; by judgement, from looking at maps."""

    spread: float = 0.66  # of the points of a heap: the n-th lies this times the root of n from its middle
    gap: float = 0.6  # between two groups, at least
    wider: float = 0.06  # of a group's radius, which is left free around it besides
    dense: float = 0.35  # share of the first round that discs cover
    steps: int = 200  # in which groups draw each other near, each with one in which they are pushed apart
    looks: int = 30_000_000  # at links in all these steps: of many links, fewer steps, but
    fewest: int = 20  # at least so many; they are enough for a rough map, as are so many sweeps (below)
    rate: float = 1.0  # of the first step; later ones are shorter and shorter
    least: float = 0.05  # strength below which a link draws nobody
    inwards: float = 0.008  # share of the way to the middle that everything moves in the first step
    across: float = 12.0  # the first round in units of attraction; a unit is at least as wide as most discs
    small: float = 0.3  # share of its size that a disc has in the first step
    inside: float = 0.95  # share of the linked groups that others lie around
    sweeps: int = 300  # that push discs apart in the end, at most
    patience: int = 20  # sweeps after which everything grows a little instead
    outwards: float = 0.01  # by how much
    touching: float = 0.05  # overlap that is left as it is


LAYOUT = LayoutRules()


@dataclass(frozen=True, slots=True, eq=False)
class GroupLinks:
    """Which groups may be one: pairs of places in the list of groups, and how strongly they are drawn."""

    u: Ints
    v: Ints
    strength: Floats


def group_links(n: int, pairs: tuple[Ints, Ints], same: Floats) -> GroupLinks:
    """Join P(same) of pairs of objects, given by their groups, to links between n groups.

    A link is the mean P(same) of its pairs, less where there are few. O(pairs log pairs).

    >>> found = group_links(3, (np.array([0, 1, 2]), np.array([1, 0, 2])), np.array([0.6, 0.3, 0.9]))
    >>> found.u.tolist(), found.v.tolist(), found.strength.round(2).tolist()
    ([0], [1], [0.3])
    """
    low, high = np.minimum(*pairs), np.maximum(*pairs)
    between = low < high
    keys, row, count = np.unique(
        low[between].astype(np.int64) * n + high[between], return_inverse=True, return_counts=True
    )
    strength = np.bincount(row, same[between], len(keys)) / (count + 1)
    kept = strength >= LAYOUT.least
    return GroupLinks(keys[kept] // n, keys[kept] % n, strength[kept])


def disc_radius(sizes: Ints) -> Floats:
    """Return how large the heap of so many points is, with half the gap to others."""
    heap = np.where(sizes > 1, LAYOUT.spread * np.sqrt(np.maximum(sizes - 0.5, 0)) + 0.5, 0.5)
    return np.asarray(heap * (1 + LAYOUT.wider) + LAYOUT.gap / 2, np.float64)


def heap_offsets(slots: Ints, sizes: Ints, groups: Ints) -> Floats:
    """Return where points lie in their heap: the one in slot 0 near the middle, later ones farther out.

    Heaps are turned by the numbers of their groups, so that those of two points do not all lie alike.
    """
    away = np.where(sizes > 1, LAYOUT.spread * np.sqrt(slots + 0.5), 0.0)
    angle = slots * TURN + groups
    return np.column_stack((away * portable.cos(angle), away * portable.sin(angle)))


def lay_out(sizes: Ints, links: GroupLinks, rng: Generator, *, rough: bool = False) -> Floats:
    """Return the places of groups of these sizes, (k, 2), around the origin.

    A ``rough`` one takes a third of the time where there are many links, and discs may still touch.
    """
    radius = disc_radius(sizes)
    linked = _linked(len(sizes), links)
    inner, outer = np.flatnonzero(linked), np.flatnonzero(~linked)
    places = np.zeros((len(sizes), 2))
    steps = LAYOUT.fewest if rough else None
    places[inner] = _lay_out_linked(radius[inner], _among(links, linked), rng, steps)
    outer = outer[np.lexsort((outer, -sizes[outer]))]
    start = 0.0
    if len(inner):
        places[inner] -= (places[inner].min(0) + places[inner].max(0)) / 2
        start = float(np.quantile(np.hypot(*places[inner].T) + radius[inner], LAYOUT.inside))
    places[outer] = around(radius[outer], start)
    return without_overlap(places, radius, LAYOUT.fewest if rough else LAYOUT.sweeps)


def drawn_further(places: Floats, sizes: Ints, links: GroupLinks, rng: Generator) -> Floats:
    """Return places to which links draw groups from where they are; others stay, or make room."""
    radius, found = disc_radius(sizes), np.array(places, np.float64)
    linked = _linked(len(sizes), links)
    if linked.any():
        found[linked] = _drawn(found[linked], radius[linked], _among(links, linked), rng)
    return without_overlap(found, radius)


def without_overlap(places: Floats, radius: Floats, sweeps: int = LAYOUT.sweeps) -> Floats:
    """Return places at which no disc lies on another, as near to the given ones as may be.

    It stops after so many ``sweeps``.
    """
    from ofakind.kernels.graph.discs import push_apart

    found = np.array(places, np.float64)
    for sweep in range(sweeps if len(found) > 1 else 0):
        if push_apart(found, radius) < LAYOUT.touching:
            break
        if sweep % LAYOUT.patience == LAYOUT.patience - 1:  # where it is crowded, all move outwards a little
            found *= 1 + LAYOUT.outwards
    return found


def around(radius: Floats, start: float) -> Floats:
    """Return places for discs in a spiral, around a disc of radius ``start`` that stays free."""
    area = np.cumsum(radius**2) - radius**2 / 2
    away = np.sqrt(start * start + area / 0.75) if start else np.sqrt(area / 0.75)
    angle = np.arange(len(radius)) * TURN
    return np.column_stack((away * portable.cos(angle), away * portable.sin(angle)))


def along_curve(share: Floats) -> Floats:
    """Return points of the unit square along Hilbert's curve, at shares of its length.

    >>> along_curve(np.array([0.0, 0.3, 0.6, 0.9])).round(1).tolist()
    [[0.0, 0.0], [0.1, 0.7], [0.7, 1.0], [0.5, 0.2]]
    """
    levels = 16
    left = np.minimum((share * 4**levels).astype(np.int64), 4**levels - 1)
    x, y = np.zeros(len(share), np.int64), np.zeros(len(share), np.int64)
    for level in range(levels):
        side = 1 << level
        right = (left >> 1) & 1
        up = (left ^ right) & 1
        turned, flipped = up == 0, (up == 0) & (right == 1)
        x, y = np.where(flipped, side - 1 - x, x), np.where(flipped, side - 1 - y, y)
        x, y = np.where(turned, y, x), np.where(turned, x, y)
        x, y, left = x + side * right, y + side * up, left >> 2
    return np.column_stack((x, y)) / float(1 << levels)


# -- inside ------------------------------------------------------------------------------------------------


def _linked(n: int, links: GroupLinks) -> Mask:
    found = np.zeros(n, np.bool_)
    found[links.u] = found[links.v] = True
    return found


def _among(links: GroupLinks, linked: Mask) -> GroupLinks:
    """Return the links with numbers that count only what is linked."""
    number = np.cumsum(linked) - 1
    return GroupLinks(number[links.u], number[links.v], links.strength)


def _lay_out_linked(radius: Floats, links: GroupLinks, rng: Generator, steps: int | None) -> Floats:
    """Begin along a curve, on which what is linked lies close together, and let links draw."""
    from ofakind.kernels.graph.discs import linkage_order

    if not len(radius):
        return np.zeros((0, 2))
    strongest = np.lexsort((links.v, links.u, -links.strength))
    order = linkage_order(len(radius), links.u[strongest], links.v[strongest])
    area = np.cumsum(radius[order] ** 2)
    places = np.empty((len(radius), 2))
    middle = (area - radius[order] ** 2 / 2) / area[-1]
    places[order] = _rounded(2 * along_curve(middle) - 1) * _width(radius) / 2
    return _drawn(places, radius, links, rng, steps)


def _width(radius: Floats) -> float:
    """Return how wide the round is that discs need."""
    return float(2 * np.sqrt((radius**2).sum() / LAYOUT.dense))


def _drawn(
    places: Floats, radius: Floats, links: GroupLinks, rng: Generator, wanted: int | None = None
) -> Floats:
    """Let links draw discs near each other, and push apart those that come too near."""
    from ofakind.kernels.graph.csr import symmetric_csr
    from ofakind.kernels.graph.discs import draw_together, push_apart

    indptr, indices, row = symmetric_csr(len(radius), links.u, links.v)
    edges, mass, found = (indptr, indices, links.strength[row]), radius**2, places.copy()
    unit = max(_width(radius) / LAYOUT.across, 2 * float(np.median(radius)))
    steps = wanted or max(LAYOUT.fewest, min(LAYOUT.steps, LAYOUT.looks // len(indices)))
    for step in range(steps):
        left = 1 - step / steps
        draw_together(found, mass, edges, unit, LAYOUT.rate * left, rng)
        found *= 1 - LAYOUT.inwards * left
        push_apart(found, radius * (1 - (1 - LAYOUT.small) * left))  # small ones get past each other
    return found


def _rounded(square: Floats) -> Floats:
    """Return points of the square from -1 to 1 as points of the unit disc; neighbours stay neighbours."""
    x, y = square.T
    wide = np.abs(x) >= np.abs(y)
    long, short = np.where(wide, x, y), np.where(wide, y, x)
    angle = np.pi / 4 * np.divide(short, long, out=np.zeros(len(x)), where=long != 0)
    along, across = long * portable.cos(angle), long * portable.sin(angle)
    return np.column_stack((np.where(wide, along, across), np.where(wide, across, along)))
