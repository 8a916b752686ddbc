"""From objects and features that people bring to the events that add them to a project."""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ofakind.checks import as_features
from ofakind.engine import revision
from ofakind.errors import InvalidInputError
from ofakind.priors.neighbours import Neighbours
from ofakind.project.choosing import FeatureData, chosen_columns
from ofakind.project.events import Event, FeaturesUsed, ObjectsAdded
from ofakind.project.fields import Content, ObjectId
from ofakind.project.graphs import ReadBlob, as_bytes, build_graph, digest_of
from ofakind.project.id_pairs import read_id_scores
from ofakind.project.ledger import Ledger
from ofakind.project.objects import Brought
from ofakind.project.store import blob_of

NO_DIGEST = "0" * 64


@dataclass(frozen=True, slots=True, eq=False)
class KnownBefore:
    """What a project holds already: all of it, the graph of its features, and how to read its arrays."""

    ledger: Ledger
    graph: Neighbours | None
    read: ReadBlob


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """Events that add objects, the arrays that they name, and the graph of all objects, if there is one."""

    events: list[Event]
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    graph: Neighbours | None = None


def events_for(brought: Brought, data: FeatureData, known: KnownBefore | None = None) -> Made:
    """Make the events that add objects; what does not fit what was there before is refused."""
    ledger = Ledger() if known is None else known.ledger
    for row, one in enumerate(brought.ids):
        if one in ledger.numbers:
            raise InvalidInputError(f"{brought.where(row)}: the id {one!r:.60} is in the project already")
    event, blobs, graph = features_with(brought, data, known)
    if event is None or graph is None:
        return Made([_objects(brought)], brought.copies or {})
    names = event.fields if event.fields is None or not graph.fields else graph.fields
    event = replace(event, digest=digest_of(graph), fields=names, revision=revision.REVISION)
    copies: Any = brought.copies or {}  # not read before they are written: they may take much memory
    return Made([_objects(brought, features=True), event], ChainMap(blobs, copies), graph)


def features_with(
    brought: Brought, data: FeatureData, known: KnownBefore | None = None
) -> tuple[FeaturesUsed | None, dict[str, bytes], Neighbours | None]:
    """Return what new objects are compared by, its arrays, and the graph of all objects with the new ones.

    None where there are no features. What does not fit the features of before is refused.
    """
    ledger = Ledger() if known is None else known.ledger
    ids = [*ledger.ids, *brought.ids]
    columns = _joined(ledger, brought)
    event, blobs = _features(brought, data, ledger, ids)
    if event is None:
        _refuse_features_missing(ledger)
        return None, {}, None
    earlier = [one for one, _ in ledger.features]

    def read(digest: str) -> bytes:
        return blobs[digest] if known is None or digest in blobs else known.read(digest)

    graph = build_graph([*earlier, event], len(ids), columns, read)
    if known is not None and known.graph is not None:
        graph = graph.including(known.graph.pairs)
    return event, blobs, graph


def _objects(brought: Brought, *, features: bool = False) -> ObjectsAdded:
    return ObjectsAdded(
        brought.ids,
        brought.columns,
        brought.source,
        features,
        id_column=brought.id_column,
        pictures=brought.pictures,
        frame=brought.frame,
        order=tuple(brought.columns),
    )


def _joined(ledger: Ledger, brought: Brought) -> dict[str, list[Content]]:
    """Return the columns of all objects, with None where one has no such column."""
    n, more = len(ledger.ids), len(brought.ids)
    names = dict.fromkeys([*ledger.columns, *brought.columns])
    old = {name: ledger.columns.get(name, [None] * n) for name in names}
    return {name: [*old[name], *brought.columns.get(name, (None,) * more)] for name in names}


def _features(
    brought: Brought, data: FeatureData, ledger: Ledger, ids: list[ObjectId]
) -> tuple[FeaturesUsed | None, dict[str, bytes]]:
    """Return what the features are made of, not yet with the digest of their graph, and its arrays."""
    first = ledger.features[0][0] if ledger.features else None
    event, blobs = FeaturesUsed(NO_DIGEST), {}
    if data.vectors is not None:
        table = as_features(data.vectors, len(brought.ids))
        single = data.descriptor is not None or (first is not None and first.descriptor is not None)
        vectors = blob_of(as_bytes(table.astype(np.float32) if single else table))
        event = replace(event, vectors=next(iter(vectors)), descriptor=data.descriptor)
        blobs = {**vectors}
    elif first is not None:
        event = replace(event, fields=first.fields, numbers=first.numbers)
    elif ledger.last == 0:
        fields, numbers = chosen_columns(brought, data)
        by_itself = data.scores is not None and data.numbers is None
        event = replace(event, fields=fields, numbers=None if by_itself else numbers)
    if data.scores is not None:
        pairs, values = read_id_scores(data.scores, ids)
        first_blob, second_blob = blob_of(as_bytes(pairs)), blob_of(as_bytes(values))
        event = replace(event, pairs=next(iter(first_blob)), scores=next(iter(second_blob)))
        blobs |= first_blob | second_blob
    _refuse_other_features(event, first, ledger)
    made = (event.vectors, event.fields, event.numbers, event.scores, first)
    described = any(one is not None for one in made)
    return (event if described else None), blobs


def _refuse_other_features(event: FeaturesUsed, first: FeaturesUsed | None, ledger: Ledger) -> None:
    """Refuse vectors where there were none before, and the other way round."""
    if ledger.last == 0:
        return
    if first is None and (event.vectors or event.scores):
        raise InvalidInputError("the project was made without features; leave vectors and scores out")
    if first is not None and bool(first.vectors) != bool(event.vectors):
        got, expected = ("none", "vectors, as before") if first.vectors else ("vectors", "none, as before")
        raise InvalidInputError(f"new objects come with {got}; expected {expected}")


def _refuse_features_missing(ledger: Ledger) -> None:
    if ledger.features:
        raise InvalidInputError("the project has features; expected those of the new objects, too")
