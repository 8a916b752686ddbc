"""From objects and features that people bring to the events that add them to a project."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.checks import as_features
from ofakind.errors import InvalidInputError
from ofakind.priors.neighbours import Neighbours
from ofakind.project.events import Event, FeaturesUsed, ObjectsAdded
from ofakind.project.fields import Content, ObjectId
from ofakind.project.graphs import ReadBlob, as_bytes, build_graph, digest_of, is_number, records
from ofakind.project.ledger import Ledger
from ofakind.project.objects import Brought
from ofakind.project.store import blob_of

NO_DIGEST = "0" * 64
MEASURED_AT_LEAST = 3  # columns of numbers that together say what is alike


@dataclass(frozen=True, slots=True, eq=False)
class FeatureData:
    """What is known beforehand of new objects: vectors (n, d), scores (two ids and a number), or fields."""

    vectors: Any = None
    scores: Any = None
    fields: Iterable[str] | str | None = None  # None: those that tell something


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
    blobs: dict[str, bytes] = field(default_factory=dict)
    graph: Neighbours | None = None


def events_for(brought: Brought, data: FeatureData, known: KnownBefore | None = None) -> Made:
    """Make the events that add objects; what does not fit what was there before is refused."""
    ledger = Ledger() if known is None else known.ledger
    for row, one in enumerate(brought.ids):
        if one in ledger.numbers:
            raise InvalidInputError(f"object {row}: the id {one!r:.60} is in the project already")
    ids = [*ledger.ids, *brought.ids]
    columns = _joined(ledger, brought)
    event, blobs = _features(brought, data, ledger, ids)
    if event is None:
        _refuse_features_missing(ledger)
        return Made([_objects(brought)])
    earlier = [one for one, _ in ledger.features]

    def read(digest: str) -> bytes:
        return blobs[digest] if known is None or digest in blobs else known.read(digest)

    graph = build_graph([*earlier, event], len(ids), columns, read)
    if known is not None and known.graph is not None:
        graph = graph.including(known.graph.pairs)
    names = event.fields if event.fields is None or not graph.fields else graph.fields
    event = replace(event, digest=digest_of(graph), fields=names)
    return Made([_objects(brought, features=True), event], blobs, graph)


def _objects(brought: Brought, *, features: bool = False) -> ObjectsAdded:
    ids, columns, came = brought.ids, brought.columns, (brought.frame, tuple(brought.columns))
    return ObjectsAdded(ids, columns, brought.source, features, *came)


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
        vectors = blob_of(as_bytes(as_features(data.vectors, len(brought.ids))))
        event, blobs = replace(event, vectors=next(iter(vectors))), {**vectors}
    elif first is not None:
        event = replace(event, fields=first.fields, numbers=first.numbers)
    elif ledger.last == 0:
        fields = _telling(brought, data.fields)
        measured = _measured(brought) if fields is None and data.fields is None else None
        event = replace(event, fields=fields, numbers=None if data.scores is not None else measured)
    if data.scores is not None:
        pairs, values = read_id_scores(data.scores, ids)
        first_blob, second_blob = blob_of(as_bytes(pairs)), blob_of(as_bytes(values))
        event = replace(event, pairs=next(iter(first_blob)), scores=next(iter(second_blob)))
        blobs |= first_blob | second_blob
    _refuse_other_features(event, first, ledger)
    made = (event.vectors, event.fields, event.numbers, event.scores, first)
    described = any(one is not None for one in made)
    return (event if described else None), blobs


def _telling(brought: Brought, fields: Iterable[str] | str | None) -> tuple[str, ...] | None:
    """Return the columns to compare: those that were named, or those that tell something, if any do."""
    if fields is not None:
        wanted = (fields,) if isinstance(fields, str) else tuple(fields)
        unknown = [name for name in wanted if name not in brought.columns]
        if unknown:
            known = ", ".join(brought.columns) or "none"
            raise InvalidInputError(f"fields has {unknown[0]!r}; expected some of {known}")
        return wanted or None
    if not brought.texts:
        return None
    rows = records(brought.columns, tuple(brought.columns), len(brought.ids))
    try:
        return Neighbours.from_records(rows).fields or None
    except InvalidInputError:  # all columns look like keys, and say nothing
        return None


def _measured(brought: Brought) -> tuple[str, ...] | None:
    """Return the columns of numbers, where there are at least three and nothing but numbers.

    Those that are the same everywhere, and whole numbers that only count the rows, tell nothing.
    """
    if brought.texts or len(brought.ids) < 2:
        return None
    found = []
    for name, column in brought.columns.items():
        values = [one for one in column if is_number(one)]
        distinct = {float(one) for one in values if one is not None}
        whole = all(one.is_integer() for one in distinct)
        counts = whole and len(distinct) == len(column) == max(distinct) - min(distinct) + 1
        if len(distinct) > 1 and not counts:
            found.append(name)
    return tuple(found) if len(found) >= MEASURED_AT_LEAST else None


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


def read_id_scores(given: Any, ids: list[ObjectId]) -> tuple[Ints, Floats]:
    """Read scores of pairs: rows of two ids and a number, or a data frame with three such columns.

    >>> read_id_scores([("a", "c", 0.9)], ["a", "b", "c"])
    (array([[0, 2]]), array([0.9]))
    """
    numbers: Mapping[Any, int] = {one: number for number, one in enumerate(ids)}
    pairs, values = [], []
    for row, entry in enumerate(_rows(given)):
        if not isinstance(entry, list | tuple) or len(entry) != 3:
            raise InvalidInputError(
                f"row {row} of the scores is {entry!r:.80}; expected two ids and a number"
            )
        left, right = (_as_id(one) for one in entry[:2])
        for one in (left, right):
            if not isinstance(one, str | int) or one not in numbers:
                got = f"row {row} of the scores: {one!r:.60} is no object"
                raise InvalidInputError(f"{got}; expected two ids of the project")
        if left == right:
            got = f"row {row} of the scores pairs {left!r:.60} with itself"
            raise InvalidInputError(f"{got}; expected two ids of the project")
        if isinstance(entry[2], bool) or not isinstance(entry[2], int | float):
            raise InvalidInputError(f"row {row} of the scores has {entry[2]!r:.60}; expected a number")
        pairs.append([numbers[left], numbers[right]])
        values.append(float(entry[2]))
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(values, np.float64)


def _rows(given: Any) -> list[Any]:
    """Return the rows of a list or a data frame, their numbers as Python has them."""
    import narwhals as nw

    frame = nw.from_native(given, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        return [
            tuple(row) for row in zip(*(column.to_list() for column in frame.iter_columns()), strict=True)
        ]
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise InvalidInputError(
            f"scores come as a {type(given).__name__}; expected rows of two ids and a number"
        )
    rows = [[*row] if isinstance(row, Iterable) and not isinstance(row, str) else row for row in given]
    return [[_python(one) for one in row] if isinstance(row, list) else row for row in rows]


def _python(one: Any) -> Any:
    return one.item() if isinstance(one, np.generic) else one


def _as_id(one: Any) -> Any:
    """Return a whole number that came as a float, as from an array, as an int."""
    return int(one) if isinstance(one, float) and one.is_integer() else one
