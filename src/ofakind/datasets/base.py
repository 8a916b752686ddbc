"""What a loaded set holds: its objects, what is known about each, and the truth."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, read_only
from ofakind.checks import as_objects
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity

Records = tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SignedGraph:
    """Pairs of nodes with a weight each: positive pulls together, negative apart, an absent pair is unknown.

    ``optimal_cost`` is the least summed weight that a clustering contradicts, where it is known. Where the
    file rates a pair several times (once in each direction), the weight is the mean.
    """

    name: str
    n: int
    pairs: Pairs
    weights: Floats
    optimal_cost: float | None = None

    @property
    def scale(self) -> float:
        """The largest absolute weight, or 1 if there is none."""
        return float(np.abs(self.weights).max(initial=0.0)) or 1.0

    def similarity(self) -> Similarity:
        """Return the weights divided by `scale`, so a cost over them times `scale` is a cost over weights.

        >>> graph = SignedGraph("triangle", 3, Pairs.all(3), np.array([8.0, -4.0, 2.0]))
        >>> graph.similarity().value([0, 0, 1], [1, 2, 2]).tolist()
        [1.0, -0.5, 0.25]
        """
        return Similarity.from_pairs(self.n, self.pairs.u, self.pairs.v, self.weights / self.scale)

    def __repr__(self) -> str:
        return f"SignedGraph({self.name!r}, {self.n} nodes, {len(self.pairs)} pairs)"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Dataset:
    """Objects to be clustered. What a set does not have is None (or empty).

    ``rows`` tells which object of the whole set each one is: a bootstrap draw holds some of them twice.
    ``labels`` number the ``classes``, which are the same in all variants of a set, so a small variant may
    lack some. ``features`` are as in the files, not standardised. ``note`` says what a reader of a result
    should know.

    >>> d = Dataset(name="pets", rows=np.arange(3), truth=np.array([1, 0, 1]), classes=("cat", "dog"))
    >>> d.n, d.k, d.labels.tolist(), d.sizes().tolist(), d.take([0, 2]).sizes().tolist()
    (3, 2, [1, 0, 1], [1, 2], [0, 2])
    """

    name: str
    rows: Ints
    truth: Ints | None = None
    classes: tuple[str, ...] = ()
    features: Floats | None = None  # (n, d)
    records: Records | None = None
    images: NDArray[np.uint8] | None = None  # (n, height, width) or (n, height, width, 3)
    answers: Answers | None = None
    graphs: tuple[SignedGraph, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, read_only(value))

    @property
    def n(self) -> int:
        """Number of objects; a bootstrap draw counts those drawn twice twice."""
        return len(self.rows)

    @property
    def labels(self) -> Ints:
        """The true class of each object, as its position in ``classes``."""
        if self.truth is None:
            raise InvalidInputError(f"{self.name} has no true clusters; it is for its graphs")
        return self.truth

    @property
    def k(self) -> int:
        """Number of classes that have an object."""
        return int(np.count_nonzero(self.sizes()))

    @property
    def graph(self) -> SignedGraph:
        """The signed graph of a set that is one."""
        if len(self.graphs) != 1:
            raise InvalidInputError(f"{self.name} has {len(self.graphs)} graphs, not one; see .graphs")
        return self.graphs[0]

    def sizes(self) -> Ints:
        """Return the number of objects of each class."""
        return np.bincount(self.labels, minlength=len(self.classes))

    def take(self, index: ArrayLike) -> "Dataset":
        """Keep the objects at these positions (or where a mask is true), in that order; repeats are kept."""
        if self.answers is not None or self.graphs:
            raise InvalidInputError(f"{self.name} is about pairs of objects; it cannot be taken apart")
        given = np.asarray(index)
        where = np.flatnonzero(given) if given.dtype == np.bool_ else as_objects(given, "positions")
        records = None if self.records is None else tuple(self.records[i] for i in where.tolist())
        return replace(
            self,
            rows=self.rows[where],
            truth=None if self.truth is None else self.truth[where],
            features=None if self.features is None else self.features[where],
            images=None if self.images is None else self.images[where],
            records=records,
        )

    def __repr__(self) -> str:
        if self.truth is None:
            inside = repr(self.graphs[0]) if len(self.graphs) == 1 else f"{len(self.graphs)} signed graphs"
            return f"Dataset({self.name!r}, {inside})"
        width = "" if self.features is None else f", {self.features.shape[1]} features"
        return f"Dataset({self.name!r}, {self.n} objects in {self.k} clusters{width})"


def numbered(names: "list[str]", order: "tuple[str, ...] | None" = None) -> tuple[Ints, tuple[str, ...]]:
    """Position of each class name in the list of classes, and that list (else in order of appearance).

    >>> numbered(["b", "a", "b"])[0].tolist(), numbered(["b", "a", "b"], ("a", "b"))[0].tolist()
    ([0, 1, 0], [1, 0, 1])
    """
    classes = order if order is not None else tuple(dict.fromkeys(names))
    position = {name: number for number, name in enumerate(classes)}
    return np.array([position[name] for name in names], np.int64), classes
