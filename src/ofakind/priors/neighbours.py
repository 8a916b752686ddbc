"""The candidate graph of the feature prior: which pairs may be of a kind, and what is known of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, read_only, restore_read_only
from ofakind.checks import as_count, plain_array, refuse_strange_pairs, whole_number
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, split_columns
from ofakind.priors.base import KINDS, FeatureSource, Prepared, positions, sorted_pairs, union
from ofakind.priors.records import read_columns
from ofakind.priors.scores import GivenScores, read_scores
from ofakind.priors.text import RecordTexts
from ofakind.priors.vectors import GivenVectors, read_vectors

CONSTANT = "constant"


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Pairs of n objects that may be of a kind, and a row of features for each: a candidate graph.

    That a pair is not in it says nothing against it: of large groups it holds a small share of the pairs.
    ``pairs`` are in order, ``features`` (m, d) describe them, ``names`` say what the columns are; the first
    is 1 everywhere. ``kind`` is "text", "vectors", "scores" or "judge", or several joined by a plus, such as
    "text+scores". ``sources`` is what it was made from, as far as that is known; it is not saved.

    >>> near = Neighbours.from_records(["Joe's Diner", "Joes Diner", "The Ritz", "Ritz"])
    >>> near
    Neighbours(4 objects, 2 pairs, text, 12 features)
    >>> list(near.pairs)
    [(0, 1), (2, 3)]
    """

    n: int
    pairs: Pairs
    features: Floats
    names: tuple[str, ...]
    kind: str
    sources: tuple[FeatureSource, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        n = as_count(self.n)
        refuse_strange_pairs(self.pairs.u, self.pairs.v, n)
        table, shape = plain_array(self.features, "features"), (len(self.pairs), len(self.names))
        if table.shape != shape or table.dtype.kind not in "biuf" or not np.isfinite(table).all():
            got = f"features have shape {table.shape} and type {table.dtype}"
            raise InvalidInputError(f"{got}; expected finite numbers, {shape}: a row for each pair")
        if len(set(self.names)) < len(self.names) or not self.names or (table[:, 0] != 1).any():
            got = f"the features are {', '.join(map(str, self.names))}"
            raise InvalidInputError(f"{got}; expected each name once, and ones in the first column")
        if not isinstance(self.kind, str) or not set(self.kind.split("+")) <= set(KINDS):
            raise InvalidInputError(f"kind is {self.kind!r}; expected {', '.join(KINDS)}, or some with a +")
        if (np.diff(self.pairs.u * n + self.pairs.v) <= 0).any():
            raise InvalidInputError(
                "pairs are not in order; expected them by their first object, then second"
            )
        object.__setattr__(self, "features", read_only(np.array(table, np.float64)))

    @classmethod
    def from_records(cls, rows: Any, fields: Sequence[str] | str | None = None) -> Self:
        """Make it from records: a data frame, a list of dictionaries, or a list of texts.

        Each record gets its ten nearest by n-grams of characters and its five nearest by words; equal
        records are joined to the first of them. None, NaN, "", "NA", "null", "-" and the like are missing;
        a record without any text has no neighbours, and of a value the first 200,000 characters count.
        ``fields`` names the columns to compare. By default these are all but those that are missing or the
        same everywhere, or that look like a key.

        Time and memory grow about as n: half a minute for 40,000 records of five fields on one core.
        """
        n, names, texts = read_columns(rows, fields)
        return cls._made_from([RecordTexts(n, names, texts)])

    @classmethod
    def from_vectors(cls, vectors: Any) -> Self:
        """Make it from vectors (n, d): an array, a list of lists or a data frame of numbers.

        Each object gets its 15 nearest by the cosine of what is left when the mean is taken off; equal
        vectors are joined to the first of them, and zeros have no neighbours. Columns that are measured in
        different units should be standardised before. Exact for up to 50,000 different vectors, time
        O(n^2 d). Beyond that, in O(n^1.5 d), some are missed: of made-up groups of 60,000 that overlap a lot
        7 in 100, of others none.

        >>> Neighbours.from_vectors([[1, 0], [1, 0], [0, 0], [1, 1]]).pairs
        Pairs(2: (0, 1), (0, 3))
        """
        return cls._made_from([GivenVectors(read_vectors(vectors))])

    @classmethod
    def from_scores(
        cls,
        pairs: ArrayLike | Pairs,
        scores: ArrayLike,
        n: int | None = None,
        *,
        on: "Neighbours | None" = None,
    ) -> Self:
        """Make it from scores of pairs: a number for each, or a row of numbers.

        Numbers that are all from 0 to 1 are taken for probabilities of "same", others for scores of which
        only order and distance count: they are measured from their median, in units of their spread. NaN is
        no score. A pair that is given twice has the mean. By default there are as many objects as the pairs
        name.

        ``on`` is another graph, to which the scored pairs and columns for their scores are added. A pair
        without a score has 0 in these, and 1 in the column "no ...". A pair that is new to that graph is
        described as all others are; where that graph was loaded and its records are not known, it gets the
        mean of the quarter of pairs with the lowest similarity.

        >>> near = Neighbours.from_scores([(0, 1), (1, 2)], [0.9, 0.2])
        >>> near.n, near.names[1], near.features[:, 1].round(2).tolist()
        (3, 'log odds', [2.2, -1.39])
        """
        if on is not None and n not in (None, on.n):
            raise InvalidInputError(f"n is {n!r}; expected {on.n}, that of the other graph, or None")
        if on is None:
            return cls._made_from([read_scores(pairs, scores, None if n is None else as_count(n))])
        given, (described, scored) = read_scores(pairs, scores, on.n), _parts(on)
        given = given if scored is None else scored.with_columns(given)
        return cls._made_from([*described, given], kept=on.pairs)

    def extended(
        self, more: Any, *, pairs: ArrayLike | Pairs | None = None, scores: ArrayLike | None = None
    ) -> Self:
        """Return the graph with more objects, numbered from n on: records or vectors as those before.

        Where there are only scores, ``more`` is the number of objects. ``pairs`` and ``scores`` give some of
        the new scores, in the columns of before. The graph is computed anew from all objects, and the
        pairs of the old one stay in it, so that nothing that is known of a pair is lost. Their features
        change a little: what is rare, best or a rank depends on all objects.
        """
        described, scored = _parts(self)
        described = [source.extended(more) for source in described]
        n = described[0].n if described else self.n + whole_number("more", more, least=0)
        if pairs is None and scores is None:
            given = None
        elif scored is None:
            raise InvalidInputError("scores were given to a graph without; expected from_scores(..., on=...)")
        else:
            given = read_scores([] if pairs is None else pairs, [] if scores is None else scores, n)
        if scored is not None:
            grown = scored.extended(n - self.n)
            described.append(grown if given is None else grown.with_pairs(given))
        return self._made_from(described, kept=self.pairs)

    def including(self, pairs: ArrayLike | Pairs) -> Self:
        """Return the graph with these pairs too, described as all others are."""
        u, v = split_columns(pairs)
        refuse_strange_pairs(u, v, self.n)
        sources = self.sources or [KnownFeatures(self)]
        return self._made_from(sources, kept=union(self.n, self.pairs, sorted_pairs(u, v, self.n)))

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields of records that are compared; none where there were no records."""
        found = (source.fields for source in self.sources if isinstance(source, RecordTexts))
        return next(found, ())

    def to_entry(self) -> dict[str, Any]:
        """Return it as it stands in a document: pairs and features, without what they were made from.

        The features are in one row: a table without rows would come back from JSON without columns.
        """
        pairs = {"u": self.pairs.u, "v": self.pairs.v}
        return {**pairs, "features": self.features.ravel(), "names": list(self.names), "kind": self.kind}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Read what `to_entry` gave of n objects, checked."""
        pairs = Pairs.of(entry["u"], entry["v"])
        names = entry["names"]
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise InvalidInputError(f"names are {names!r:.80}; expected a list of texts")
        table = plain_array(entry["features"], "features")
        if table.ndim == 1 and table.size == len(pairs) * len(names):
            table = table.reshape(len(pairs), len(names))
        return cls(n, pairs, table, tuple(names), entry["kind"])

    @classmethod
    def _made_from(cls, sources: Sequence[FeatureSource], kept: Pairs | None = None) -> Self:
        """Put the graphs of some sources together, and describe all pairs by each of them."""
        n = max(source.n for source in sources)
        prepared = [source.prepared() for source in sources]
        pairs = union(n, *(part.pairs for part in prepared), Pairs.empty() if kept is None else kept)
        columns = [np.ones((len(pairs), 1)), *(part.describe(pairs) for part in prepared)]
        names = _distinct_names([CONSTANT, *(name for source in sources for name in source.names)])
        kinds = dict.fromkeys(kind for source in sources for kind in source.kind.split("+"))
        return cls(n, pairs, np.concatenate(columns, axis=1), names, "+".join(kinds), tuple(sources))

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)

    def __repr__(self) -> str:
        columns = f"{len(self.names)} features"
        return f"Neighbours({self.n} objects, {len(self.pairs)} pairs, {self.kind}, {columns})"


@dataclass(frozen=True, slots=True, eq=False)
class KnownFeatures:
    """A graph of which it is not known any more what it was made from; it still describes its own pairs."""

    graph: Neighbours

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.graph.n

    @property
    def kind(self) -> str:
        """What it is."""
        return self.graph.kind

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its features but for the constant."""
        return self.graph.names[1:]

    def extended(self, more: Any) -> "KnownFeatures":  # noqa: ARG002
        """Refuse that."""
        raise InvalidInputError(
            "the graph was loaded without its records or vectors; "
            "make it anew from all of them and add its pairs: from_records(rows).including(old.pairs)"
        )

    def prepared(self) -> Prepared:
        """Know its pairs; others are described as those of the lowest quarter are on average."""
        return Prepared(self.graph.pairs, partial(_known_or_usual, self.graph))


def _known_or_usual(graph: Neighbours, pairs: Pairs) -> Floats:
    table = graph.features[:, 1:]
    lowest = np.argsort(table[:, 0], kind="stable")[: -(-len(table) // 4)]
    usual = table[lowest].mean(axis=0) if len(table) else np.zeros(table.shape[1])
    return np.concatenate([table, usual[None]])[positions(graph.pairs, pairs, graph.n)]


def _parts(graph: Neighbours) -> tuple[list[FeatureSource], GivenScores | None]:
    """What a graph was made from: what describes any pair, and given scores."""
    if not graph.sources:
        return [KnownFeatures(graph)], None
    scores = [source for source in graph.sources if isinstance(source, GivenScores)]
    others = [source for source in graph.sources if not isinstance(source, GivenScores)]
    return others, scores[0] if scores else None


def _distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Number names that stand there more than once.

    >>> _distinct_names(["a", "b", "a"])
    ('a', 'b', 'a (2)')
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(found)
