"""The candidate graph of a project's features, rebuilt from its objects and from arrays beside the log."""

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ofakind.arrays import Floats
from ofakind.priors.neighbours import Neighbours
from ofakind.project.events import FeaturesUsed
from ofakind.project.fields import Content
from ofakind.project.numbers import number_in

ReadBlob = Callable[[str], bytes]

LARGEST_NUMBER = 1e100  # squares of larger ones do not fit


class Graphs:
    """The graphs of a project, each made when it is first needed.

    ``features`` are the events and the number of objects at each; ``columns`` the contents of all objects.
    A later graph is made from all objects, and keeps the pairs of the one before. What a graph is made from
    does not change, so it is the same whenever it is made; ``strange`` names those that are not, as on a
    machine with another arithmetic.
    """

    def __init__(
        self,
        features: Sequence[tuple[FeaturesUsed, int]],
        columns: Mapping[str, Sequence[Content]],
        read: ReadBlob,
    ) -> None:
        self.features, self.columns, self._read = features, columns, read
        self.strange: list[int] = []
        self._made: dict[int, Neighbours] = {}

    def __getitem__(self, number: int) -> Neighbours:
        """Return a graph by its number."""
        if number not in self._made:
            before = self[number - 1] if number else None
            event, n = self.features[number]
            found = build_graph([one for one, _ in self.features[: number + 1]], n, self.columns, self._read)
            found = found if before is None else found.including(before.pairs)
            if digest_of(found) != event.digest and number not in self.strange:
                self.strange.append(number)
            self._made[number] = found
        return self._made[number]

    def know(self, number: int, graph: Neighbours) -> None:
        """Take a graph that was just made."""
        self._made[number] = graph


def build_graph(
    events: Sequence[FeaturesUsed], n: int, columns: Mapping[str, Sequence[Content]], read: ReadBlob
) -> Neighbours:
    """Make the graph that some events together describe; arrays of later ones go on where earlier end."""
    base = None
    names = next((event.fields for event in events if event.fields is not None), None)
    numbers = next((event.numbers for event in events if event.numbers is not None), None)
    if any(event.vectors for event in events):
        tables = [array_in(read(event.vectors)) for event in events if event.vectors]
        base = Neighbours.from_vectors(np.concatenate(tables))
    elif names is not None:
        base = Neighbours.from_records(records(columns, names, n), names)
    elif numbers is not None:
        base = Neighbours.from_vectors(standardised(columns, numbers, n))
    scored = [(event.pairs, event.scores) for event in events if event.pairs and event.scores]
    if not scored:
        return Neighbours.from_scores([], [], n) if base is None else base
    pairs = np.concatenate([array_in(read(digest)) for digest, _ in scored])
    values = np.concatenate([array_in(read(digest)) for _, digest in scored])
    return Neighbours.from_scores(pairs, values, n, on=base)


def records(
    columns: Mapping[str, Sequence[Content]], names: Sequence[str], n: int
) -> list[dict[str, Content]]:
    """Return the first n objects as dictionaries with these fields."""
    return [{name: columns[name][row] for name in names} for row in range(n)]


def standardised(columns: Mapping[str, Sequence[Content]], names: Sequence[str], n: int) -> Floats:
    """Return columns of numbers in units of their spread, from their mean; what is no number is the mean.

    >>> standardised({"a": [1, 3, None], "b": [5, 5, 5]}, ["a", "b"], 3).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    """
    table = np.zeros((n, len(names)))
    for place, name in enumerate(names):
        found = [as_number(columns[name][row]) for row in range(n)]
        known = np.array([row for row in range(n) if found[row] is not None], np.int64)
        values = np.array([number for number in found if number is not None])
        if len(known) and (spread := values.std()) > 0:
            table[known, place] = (values - values.mean()) / spread
    return table


def is_number(value: Content) -> bool:
    """Whether something is a number that can be computed with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER


def as_number(value: Content) -> float | None:
    """Return a number that can be computed with, also one that is written as text; None if it is none."""
    found = number_in(value) if isinstance(value, str) else value
    return float(found) if found is not None and is_number(found) else None


def digest_of(graph: Neighbours) -> str:
    """Return the SHA-256 of a graph: its pairs and features."""
    digest = hashlib.sha256(f"{graph.n} {graph.kind} {graph.names}".encode())
    for array in (graph.pairs.u, graph.pairs.v, graph.features):
        digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def as_bytes(array: Any) -> bytes:
    """Return an array of numbers as the content of a ``.npy`` file."""
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    return file.getvalue()


def array_in(content: bytes) -> Any:
    """Read what `as_bytes` gave."""
    return np.load(io.BytesIO(content), allow_pickle=False)
