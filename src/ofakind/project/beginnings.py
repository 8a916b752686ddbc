"""The events that a project begins with: what it is about, its objects, and what is known of them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ofakind.checks import truth_value, whole_number
from ofakind.errors import InvalidInputError
from ofakind.project import canonical
from ofakind.project.fields import (
    Content,
    ObjectId,
    column_of,
    digest_text,
    listed,
    object_id,
    optional_count,
    pictures_of,
    short_text,
    text,
)

FORMAT_OF_EVENTS = 1


@dataclass(frozen=True, slots=True)
class Event:
    """The parent of all kinds of events; what a field may hold is checked when an event is made.

    ``OPTIONAL`` are fields that are not written where they are None, as in files from before they were there.
    """

    KIND: ClassVar[str] = ""
    OPTIONAL: ClassVar[frozenset[str]] = frozenset()

    def body(self) -> str:
        """Return its fields as canonical JSON."""
        every = {part.name: getattr(self, part.name) for part in fields(self)}
        left_out = {name for name in self.OPTIONAL if every[name] is None}
        return canonical.written({name: value for name, value in every.items() if name not in left_out})

    def _keep(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class ProjectCreated(Event):
    """The project begins: its seed, the question that people are asked, and options of the learner.

    ``show`` are the columns that people are shown; None for all. With ``grades`` they answer in five steps.
    """

    KIND: ClassVar[str] = "created"
    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"show", "grades"})
    seed: int
    question: str
    ofakind: str
    options: Mapping[str, int | None]
    format: int = FORMAT_OF_EVENTS
    show: tuple[str, ...] | None = None
    grades: bool | None = None

    def __post_init__(self) -> None:
        self._keep("seed", whole_number("seed", self.seed, least=0))
        self._keep("format", whole_number("format", self.format, least=1))
        text("question", self.question)
        text("ofakind", self.ofakind)
        if not isinstance(self.options, Mapping) or not {*self.options} <= {"initial", "batch_size"}:
            raise InvalidInputError(f"options is {self.options!r}; expected initial and batch_size, or none")
        checked = {name: optional_count(name, value) for name, value in self.options.items()}
        self._keep("options", checked)
        if self.show is not None:
            self._keep("show", tuple(text("show", name) for name in listed("show", self.show)))
        if self.grades is not None:
            truth_value("grades", self.grades)


@dataclass(frozen=True, slots=True)
class ObjectsAdded(Event):
    """More objects: their ids, and their contents by columns. A `FeaturesUsed` follows if ``features``.

    ``id_column`` is what the column of the ids was called; ``pictures`` says where those lie that the ids
    name, with the size and SHA-256 of each (see `pictures_of`). ``frame`` is the package of the data frame
    that they came in, and ``order`` the columns in their order; it is None in files from before it was kept.
    """

    KIND: ClassVar[str] = "objects"
    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"id_column", "pictures", "frame", "order"})
    ids: tuple[ObjectId, ...]
    columns: Mapping[str, tuple[Content, ...]]
    source: str
    features: bool = False
    id_column: str | None = None
    pictures: Mapping[str, Any] | None = None
    frame: str | None = None
    order: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        self._keep("ids", tuple(object_id(one, row) for row, one in enumerate(listed("ids", self.ids))))
        if not isinstance(self.columns, Mapping):
            raise InvalidInputError(f"columns is {self.columns!r:.80}; expected names and their values")
        self._keep("columns", {name: column_of(name, one, self.ids) for name, one in self.columns.items()})
        text("source", self.source)
        truth_value("features", self.features)
        if self.id_column is not None:
            text("id_column", self.id_column)
        if self.pictures is not None:
            self._keep("pictures", pictures_of(self.pictures, self.ids))
        if self.frame is not None:
            short_text("frame", self.frame)
        if self.order is not None:
            self._keep("order", tuple(text("order", name) for name in listed("order", self.order)))
            if sorted(self.order) != sorted(self.columns):
                raise InvalidInputError(f"order is {self.order!r:.80}; expected the names of the columns")


@dataclass(frozen=True, slots=True)
class FeaturesUsed(Event):
    """What the prior is made of: fields of text or ``numbers``, or arrays by their SHA-256.

    ``digest`` is that of the graph, computed under ``revision``, which is None in files from before it was
    kept; ``descriptor`` names what made vectors of pictures, where ofakind did.
    """

    KIND: ClassVar[str] = "features"
    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"numbers", "descriptor", "revision"})
    digest: str
    fields: tuple[str, ...] | None = None
    vectors: str | None = None
    pairs: str | None = None
    scores: str | None = None
    numbers: tuple[str, ...] | None = None
    descriptor: str | None = None
    revision: int | None = None

    def __post_init__(self) -> None:
        for name in ("digest", "vectors", "pairs", "scores"):
            if (value := getattr(self, name)) is not None or name == "digest":
                digest_text(name, value)
        for part in ("fields", "numbers"):
            if (given := getattr(self, part)) is not None:
                self._keep(part, tuple(text(part, name) for name in listed(part, given)))
        if self.descriptor is not None:
            text("descriptor", self.descriptor)
        self._keep("revision", optional_count("revision", self.revision))
        if (self.pairs is None) != (self.scores is None):
            raise InvalidInputError("scores come without pairs, or pairs without scores; expected both")
