"""The map of the objects, drawn beside when somebody looks at it, in few bytes for each object."""

import base64
from dataclasses import dataclass
from threading import Lock
from typing import Annotated

import numpy as np
from fastapi import FastAPI, Query
from numpy.typing import ArrayLike
from pydantic import BaseModel

from ofakind.project.latest import Latest
from ofakind.project.object_map import ObjectMap
from ofakind.web.desk import LabelDesk
from ofakind.web.forms import ThingOut
from ofakind.web.groups import texts_of


@dataclass(frozen=True, slots=True)
class MapPageRules:
    """What is on the map; by judgement."""

    wait: float = 1.0  # seconds that a page waits for the first map, and then as long for an early one
    names: int = 1_000  # of the largest groups that are written on it
    doubtful: float = 0.3  # P(belongs elsewhere) from which an object is marked
    found: int = 5_000  # objects that a search lights up, at most


MAP_PAGE = MapPageRules()


class GroupNameOut(BaseModel):
    """What a group is called."""

    group: int
    name: str


class MapOut(BaseModel):
    """Where each object lies, in the order of their numbers; columns are little-endian bytes in base64.

    ``x`` and ``y`` are float32, around 0, in widths of a point; ``group`` is int32, ``colour`` (0: alone) and
    ``doubt`` (0 to 255) are uint8. All are empty while the map is being drawn (``as_of`` is null then) and
    where there is none newer than the one that was asked ``after``. While ``early``, groups are still being
    computed: every object is by itself, near those that features call like it, and ``as_of`` is 0.
    """

    as_of: int | None
    objects: int
    early: bool = False
    groups: int = 0
    alone: int = 0
    doubtful: int = 0
    doubtful_from: int = round(255 * MAP_PAGE.doubtful)
    x: str = ""
    y: str = ""
    group: str = ""
    colour: str = ""
    doubt: str = ""
    names: list[GroupNameOut] = []


class FoundOut(BaseModel):
    """How many objects hold what was searched for, and the numbers of the first of them."""

    found: int
    numbers: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMap:
    """A map and the names on it."""

    map: ObjectMap
    names: list[GroupNameOut]


class MapDesk:
    """The map of a project: drawn when it is first wanted, and again when something has happened since."""

    def __init__(self, desk: LabelDesk) -> None:
        self._desk, self._lock = desk, Lock()
        self._latest: Latest[DrawnMap] | None = None
        self._early: Latest[DrawnMap | None] | None = None  # until there is one of what is believed
        self._texts: list[str] | None = None

    def get(self, after: int | None) -> MapOut:
        """Return the newest map; nothing of it where the page has it.

        While nothing is believed yet it is one of what features say, as soon as that is there.
        """
        latest = self._begun()
        if latest.newest is None or latest.newest.map.as_of != self._desk.project.last_event:
            latest.want()
        found = latest.get(MAP_PAGE.wait if self._drawn_early is None else 0.0) or self._get_early()
        if found is None:
            return MapOut(as_of=None, objects=len(self._desk.ids))
        return map_out(found, full=found.map.as_of != after)

    def holding(self, search: str) -> FoundOut:
        """Return the objects that hold all words of a search."""
        with self._lock:
            if self._texts is None:
                self._texts = texts_of(self._desk.project)
        words = search.casefold().split()
        texts = self._texts if words else []
        numbers = [row for row, text in enumerate(texts) if all(word in text for word in words)]
        return FoundOut(found=len(numbers), numbers=numbers[: MAP_PAGE.found])

    def close(self, seconds: float = 0.0) -> None:
        """Draw no more."""
        for one in (self._early, self._latest):
            if one is not None:
                one.close(seconds)

    def _begun(self) -> Latest[DrawnMap]:
        with self._lock:
            if self._latest is None:
                self._latest = Latest(self._draw, "the map could not be drawn")
            return self._latest

    def _get_early(self) -> DrawnMap | None:
        with self._lock:
            if self._early is None:
                self._early = Latest(self._draw_early, "the first map could not be drawn")
        if self._early.newest is None:
            self._early.want()
        return self._early.get(MAP_PAGE.wait)

    @property
    def _drawn_early(self) -> DrawnMap | None:
        return None if self._early is None else self._early.newest

    def _draw_early(self) -> DrawnMap | None:
        found = self._desk.project.early_map()
        return None if found is None else DrawnMap(found, [])

    def _draw(self) -> DrawnMap:
        project, latest = self._desk.project, self._latest
        largest = sorted(project.describe(), key=lambda one: (-len(one), one.group))[: MAP_PAGE.names]
        # That may have taken minutes, so now there may be an early map to follow.
        before = (None if latest is None else latest.newest) or self._drawn_early
        found = project.map(None if before is None else before.map)
        names = [GroupNameOut(group=one.group, name=one.name) for one in largest if len(one) > 1]
        return DrawnMap(found, names)


def map_out(drawn: DrawnMap, *, full: bool) -> MapOut:
    """Return a map as it is sent, or that it is still the one that the page has."""
    found = drawn.map
    if not full:
        return MapOut(as_of=found.as_of, objects=len(found), early=found.early)
    doubt = np.zeros(len(found)) if found.doubt is None else found.doubt
    bytes_of_doubt = np.round(255 * doubt.clip(0, 1)).astype(np.uint8)
    least = round(255 * MAP_PAGE.doubtful)
    return MapOut(
        as_of=found.as_of,
        objects=len(found),
        early=found.early,
        groups=0 if found.early else len(np.unique(found.groups)),
        alone=0 if found.early else int(np.count_nonzero(found.colours == 0)),
        doubtful=int(np.count_nonzero(bytes_of_doubt >= least)),
        x=in_base64(found.places[:, 0], "<f4"),
        y=in_base64(found.places[:, 1], "<f4"),
        group=in_base64(found.groups, "<i4"),
        colour=in_base64(found.colours, "u1"),
        doubt=in_base64(bytes_of_doubt, "u1"),
        names=drawn.names,
    )


def in_base64(values: ArrayLike, kind: str) -> str:
    """Return numbers as bytes of this kind, in base64.

    >>> in_base64([1, 2], "<i4")
    'AQAAAAIAAAA='
    """
    return base64.b64encode(np.ascontiguousarray(values, kind).tobytes()).decode()


def add_map(app: FastAPI, desk: LabelDesk, drawn: MapDesk) -> None:
    """Add the routes of the map."""

    @app.get("/api/map")
    def object_map(after: Annotated[int | None, Query(ge=0, le=2**53)] = None) -> MapOut:
        """Return where each object lies; little where the map is still that ``after`` this event."""
        return drawn.get(after)

    @app.get("/api/search")
    def search(search: Annotated[str, Query(max_length=200)]) -> FoundOut:
        """Return the numbers of the objects that hold what is searched for."""
        return drawn.holding(search)

    @app.get("/api/objects/{number}")
    def one_object(number: int) -> ThingOut:
        """Return an object by its number."""
        return desk.thing(desk.id_of(number))
