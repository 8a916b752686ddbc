"""A map of the objects: where each lies, in which colour, and how doubtful it is that it belongs there.

A map that follows another keeps what it can: groups stay where they are and keep their colours, objects keep
their places in them, and only what has changed moves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.pairs import Pairs
from ofakind.posterior.base import Abilities
from ofakind.project.doubtful import home_groups
from ofakind.project.layout import (
    LAYOUT,
    GroupLinks,
    around,
    disc_radius,
    drawn_further,
    group_links,
    heap_offsets,
    lay_out,
    without_overlap,
)


@dataclass(frozen=True, slots=True)
class ObjectMapRules:
    """What a map shows, and when it is drawn anew; by judgement."""

    colours: int = 7  # of groups; those alone have none
    neighbours: int = 10  # groups that are nearest, whose colours a group does not take
    anew: float = 0.25  # share of objects in other groups than when groups were last drawn near each other


OBJECT_MAP = ObjectMapRules()
BEFORE_ALL = 0  # a map of what features say, before anything is believed, is as of no event


@dataclass(frozen=True, slots=True, eq=False)
class ObjectMap:
    """Where each object lies after the event ``as_of``, in units of the width of a point.

    ``places`` (n, 2) are around the origin. ``colours`` are those of groups, from 1 on, such that neighbours
    differ; 0 is an object alone. ``doubt`` is how doubtful it is that an object belongs to its group, None
    before anything is believed. ``slots`` are places in heaps, and ``drawn`` the groups when they were last
    drawn near each other: what the next map goes on from.
    """

    as_of: int
    groups: Ints
    places: Floats
    colours: Ints
    doubt: Floats | None
    slots: Ints
    drawn: Ints

    @property
    def early(self) -> bool:
        """Whether it is from features alone, without any groups."""
        return self.as_of == BEFORE_ALL

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        return f"ObjectMap({len(self)} objects, {len(np.unique(self.groups))} groups)"


class MapBelief(NamedTuple):
    """What a map is drawn from: the groups after an event, how sure each object is, and what is believed."""

    as_of: int
    groups: Ints
    sure: Floats | None
    abilities: Abilities


class GroupPlaces(NamedTuple):
    """Groups in the order of their numbers: numbers, each object's place in the list, sizes."""

    numbers: Ints
    row: Ints
    sizes: Ints

    @classmethod
    def of(cls, groups: Ints) -> "GroupPlaces":
        """Sort objects into their groups."""
        return cls(*np.unique(groups, return_inverse=True, return_counts=True))


def map_of(belief: MapBelief, before: ObjectMap | None, seed: int) -> ObjectMap:
    """Draw a map, from nothing or from the one before. Equal seeds give equal maps."""
    own, rng = GroupPlaces.of(belief.groups), np.random.default_rng(seed)
    drawn, n = belief.groups, len(belief.groups)
    if before is None or not len(before):
        centres = lay_out(own.sizes, links_between(own, belief.abilities), rng)
    elif before.early:  # those that are linked lie near already: objects only gather where their groups are
        centres = without_overlap(_centres_before(own, before), disc_radius(own.sizes))
    elif np.array_equal(belief.groups, before.groups):
        centres, drawn = _centres_before(own, before), before.drawn
    else:
        centres = _centres_before(own, before)
        changed = np.count_nonzero(belief.groups[: len(before)] != before.drawn[:n])
        if changed + n - len(before) > OBJECT_MAP.anew * n:
            centres = drawn_further(centres, own.sizes, links_between(own, belief.abilities), rng)
        else:
            centres, drawn = without_overlap(centres, disc_radius(own.sizes)), _longer(before.drawn, drawn)
    slots = slots_of(own, belief.sure, before)
    places = centres[own.row] + heap_offsets(slots, own.sizes[own.row], belief.groups)
    colours = colours_of(own, centres, before)[own.row]
    doubt = None if belief.sure is None else 1 - belief.sure
    return ObjectMap(belief.as_of, belief.groups, places, colours, doubt, slots, drawn)


def links_between(own: GroupPlaces, able: Abilities) -> GroupLinks:
    """Return which groups may be one, by candidates of features and by where samples put objects."""
    k, found = len(own.numbers), []
    if able.likely is not None:
        pairs, same = able.likely
        found.append(group_links(k, _rows_of(pairs, own), same))
    if able.samples is not None:
        found.append(_by_samples(own, able.samples.labels))
    keys = np.concatenate([np.empty(0, np.int64), *(one.u * k + one.v for one in found)])
    strength = np.concatenate([np.empty(0), *(one.strength for one in found)])
    keys, row = np.unique(keys, return_inverse=True)
    strongest = np.zeros(len(keys))
    np.maximum.at(strongest, row, strength)
    return GroupLinks(keys // max(k, 1), keys % max(k, 1), strongest)


def slots_of(own: GroupPlaces, sure: Floats | None, before: ObjectMap | None) -> Ints:
    """Return each object's place in its heap: as before where it may stay, else the first that are free.

    Among those who come new, the surest get the inner ones.
    """
    n = len(own.row)
    start, slots = np.cumsum(own.sizes) - own.sizes, np.full(n, -1, np.int64)
    if before is not None:
        m = min(n, len(before))
        same = own.numbers[own.row[:m]] == before.groups[:m]
        stays = np.flatnonzero(same & (before.slots[:m] < own.sizes[own.row[:m]]))
        slots[stays] = before.slots[stays]
    taken = np.zeros(n, np.bool_)
    known = slots >= 0
    taken[start[own.row[known]] + slots[known]] = True
    coming = np.flatnonzero(~known)
    doubt = np.zeros(n) if sure is None else -np.round(sure, 9)
    coming = coming[np.lexsort((coming, doubt[coming], own.row[coming]))]
    slots[coming] = np.flatnonzero(~taken) - start[own.row[coming]]
    return slots


def colours_of(own: GroupPlaces, centres: Floats, before: ObjectMap | None) -> Ints:
    """Return a colour for each group: the one it had, or one that no neighbour has, or no near one.

    An object alone has 0.
    """
    from scipy.spatial import cKDTree

    colours = np.zeros(len(own.numbers), np.int64)
    many = np.flatnonzero(own.sizes > 1)
    if before is not None and len(before):
        numbers, first = np.unique(before.groups, return_index=True)
        rows = np.searchsorted(numbers, own.numbers[many]).clip(max=len(numbers) - 1)
        had = numbers[rows] == own.numbers[many]
        colours[many[had]] = before.colours[first[rows[had]]]
    lacking = many[colours[many] == 0]
    if not len(lacking):
        return colours
    reach = min(OBJECT_MAP.neighbours + 1, len(many))
    far, near = (one.reshape(len(many), -1) for one in cKDTree(centres[many]).query(centres[many], reach))
    row = {group: at for at, group in enumerate(many.tolist())}
    used = np.bincount(colours[many], minlength=OBJECT_MAP.colours + 1)
    for group in lacking[np.lexsort((lacking, -own.sizes[lacking]))].tolist():
        at = row[group]
        nearest = np.full(OBJECT_MAP.colours + 1, np.inf)
        np.minimum.at(nearest, colours[many[near[at]]], far[at])
        colours[group] = np.lexsort((used[1:], -nearest[1:]))[0] + 1
        used[colours[group]] += 1
    return colours


# -- inside ------------------------------------------------------------------------------------------------


def _rows_of(pairs: Pairs, own: GroupPlaces) -> tuple[Ints, Ints]:
    return own.row[pairs.u], own.row[pairs.v]


def _by_samples(own: GroupPlaces, samples: np.typing.NDArray[np.int32]) -> GroupLinks:
    """Return links between groups by the share of the smaller one that samples put into the other."""
    k, keys = len(own.numbers), []
    for sample in samples:
        home = np.searchsorted(own.numbers, home_groups(sample, own.numbers[own.row])[sample])
        other = home != own.row
        low, high = np.minimum(home, own.row)[other], np.maximum(home, own.row)[other]
        keys.append(low * k + high)
    found, count = np.unique(np.concatenate([np.empty(0, np.int64), *keys]), return_counts=True)
    u, v = found // max(k, 1), found % max(k, 1)
    smaller = np.minimum(own.sizes[u], own.sizes[v])
    strength = np.minimum(count / (smaller * max(len(samples), 1)), 1.0)
    kept = strength >= LAYOUT.least
    return GroupLinks(u[kept], v[kept], strength[kept])


def _centres_before(own: GroupPlaces, before: ObjectMap) -> Floats:
    """Return where groups were; new ones are where their objects were, and new objects around everything."""
    m = min(len(own.row), len(before))
    _, rows, sizes = GroupPlaces.of(before.groups)
    middle = before.places - heap_offsets(before.slots, sizes[rows], before.groups)
    stays = before.groups[:m] == own.numbers[own.row[:m]]
    found, known = _means(before.places[:m], own.row[:m], len(own.numbers))
    here, held = _means(middle[:m][stays], own.row[:m][stays], len(own.numbers))
    found[held] = here[held]
    new = np.flatnonzero(~known & ~held)
    if len(new):
        start = float(np.hypot(*before.places.T).max()) + 1
        found[new] = around(disc_radius(own.sizes[new]), start)
    return found


def _means(points: Floats, row: Ints, k: int) -> tuple[Floats, np.typing.NDArray[np.bool_]]:
    """Return the mean of the points of each row, and which rows have any."""
    count = np.bincount(row, minlength=k)
    sums = [np.bincount(row, points[:, axis], k) for axis in range(2)]
    return np.column_stack(sums) / np.maximum(count, 1)[:, None], count > 0


def _longer(drawn: Ints, groups: Ints) -> Ints:
    return np.concatenate((drawn[: len(groups)], groups[len(drawn) :]))
