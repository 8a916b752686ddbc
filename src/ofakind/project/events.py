"""What can happen to a project: the kinds of events, and how they are chained.

The log of a project is a list of events without gaps. Nothing in it is changed or deleted: what is taken back
is taken back by another event. An event has a number ``seq``, a time ``at`` (UTC, for people; nothing depends
on it), a ``kind`` and a ``body`` (`canonical` JSON), and its hash is

    SHA-256(hash of the event before, seq, at, kind, body),

each part with its length before it. So whoever changes an event changes all hashes from there on.

| kind | says | fields |
|---|---|---|
| ``created`` | the first event | format, ofakind, seed, question, options, show |
| ``objects`` | objects came | ids, columns, source, features, id_column, pictures, frame, order |
| ``features`` | what is known of them | fields, numbers, vectors, descriptor, pairs, scores, digest, ... |
| ``asked`` | questions were chosen | after, size, pairs, scores, by, same, groups, revision |
| ``shown`` | some of them were handed to somebody | annotator, keys, pairs |
| ``answer`` | somebody answered | key, annotator, pairs, values, milliseconds, replaces |
| ``skip`` | somebody left a question out | key, annotator, pair, more |
| ``retract`` | an answer, skip, pin, unpin, name or retraction is taken back | target, annotator |
| ``pin``, ``unpin`` | pairs are known for certain, or no longer | pairs, same, annotator |
| ``named`` | a group, known by some of its objects, got a name | group, name, objects, annotator |
| ``released`` | questions were taken back unanswered | pairs |
| ``judging`` | a call of a judge is about to be made | judge, digest, cost |
| ``judge`` | what came of it | judge, model, digest, pairs, scores, swapped, tokens_in, tokens_out, ... |
| ``note`` | something for people to read | text |

Objects are meant by their numbers, and pairs are ``(u, v)`` with u < v, but where ``shown`` says which was on
the left. ``asked.after`` is the last event that the questions were chosen from; answers that came while they
were computed lie between. Where ``shown`` has the same key several times, that is a screen: one object, the
first of each pair, and several others. An answer that ``replaces`` another takes it back. Arrays (vectors,
scores) lie beside the log under their SHA-256, which the event names. What was computed, ``asked`` and
``features``, states the ``revision`` of the arithmetic (`engine.revision`), so a log that several versions
have written says of each event whether a replay here has to give it again.
"""

import hashlib
import struct
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

from ofakind.checks import one_of, real_number, truth_value, whole_number
from ofakind.errors import InvalidInputError
from ofakind.project import canonical
from ofakind.project.beginnings import Event, FeaturesUsed, ObjectsAdded, ProjectCreated
from ofakind.project.fields import (
    Pair,
    either_order,
    key_text,
    listed,
    optional_count,
    ordered_pairs,
    same_length,
    short_text,
    text,
    two_counts,
)
from ofakind.project.judge_events import JudgeCalled, JudgeSent

__all__ = [
    "BEFORE_THE_FIRST",
    "CHOSEN_BY",
    "KINDS_OF_EVENTS",
    "AnswerGiven",
    "Event",
    "EventRetracted",
    "FeaturesUsed",
    "GroupNamed",
    "JudgeCalled",
    "JudgeSent",
    "LoggedEvent",
    "NoteWritten",
    "ObjectsAdded",
    "PairsPinned",
    "PairsUnpinned",
    "ProjectCreated",
    "QuestionSkipped",
    "QuestionsAsked",
    "QuestionsReleased",
    "QuestionsShown",
    "chain_hash",
    "logged",
    "read_event",
]

BEFORE_THE_FIRST = bytes(32)  # what stands for the hash before the first event
# The learner, by pairs or as a screen; and where it is not ready, see `ahead`.
CHOSEN_BY = ("model", "screen", "next", "prior", "uniform")


@dataclass(frozen=True, slots=True)
class QuestionsAsked(Event):
    """Questions were chosen from all events up to ``after``, best first; a score is None where none is.

    ``size`` is how many were wanted. Chosen ``by`` "screen" they are one: all of its pairs share an object.
    ``same`` is what was believed then, P(same) of each, and ``groups`` the groups that its two objects were
    in; None where nothing was believed. ``revision`` is that of the learner that chose them; None where none
    did, and in files from before it was kept.
    """

    KIND: ClassVar[str] = "asked"
    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"same", "groups", "revision"})
    after: int
    size: int
    pairs: tuple[Pair, ...]
    scores: tuple[float | None, ...]
    by: str = "model"
    same: tuple[float, ...] | None = None
    groups: tuple[tuple[int, int], ...] | None = None
    revision: int | None = None

    def __post_init__(self) -> None:
        self._keep("after", whole_number("after", self.after, least=1))
        self._keep("size", whole_number("size", self.size, least=1))
        self._keep("pairs", ordered_pairs(self.pairs))
        same_length("scores", self.scores, self.pairs)
        given = (None if one is None else real_number("scores", one) for one in self.scores)
        self._keep("scores", tuple(given))
        one_of("by", self.by, *CHOSEN_BY)
        if self.same is not None:
            same_length("same", self.same, self.pairs)
            self._keep("same", tuple(real_number("same", one, least=0, most=1) for one in self.same))
        if self.groups is not None:
            same_length("groups", self.groups, self.pairs)
            self._keep("groups", tuple(two_counts("groups", one) for one in self.groups))
        self._keep("revision", optional_count("revision", self.revision))


@dataclass(frozen=True, slots=True)
class QuestionsShown(Event):
    """Questions went to somebody, each under a key; the first object of a pair is on the left.

    Pairs under the same key are one screen: their first object is the one that the others are compared with.
    """

    KIND: ClassVar[str] = "shown"
    annotator: str
    keys: tuple[str, ...]
    pairs: tuple[Pair, ...]

    def __post_init__(self) -> None:
        short_text("annotator", self.annotator)
        self._keep("keys", tuple(key_text(key) for key in listed("keys", self.keys)))
        self._keep("pairs", tuple(either_order(pair) for pair in listed("pairs", self.pairs)))
        same_length("keys", self.keys, self.pairs)
        if any(len({first for first, _ in pairs}) > 1 for pairs in self.by_key().values()):
            raise InvalidInputError("pairs under the same key begin with different objects; expected one")

    def by_key(self) -> dict[str, tuple[Pair, ...]]:
        """Return the pairs under each key: one of a question, several of a screen."""
        found: dict[str, tuple[Pair, ...]] = {}
        for key, pair in zip(self.keys, self.pairs, strict=True):
            found[key] = (*found.get(key, ()), pair)
        return found


@dataclass(frozen=True, slots=True)
class AnswerGiven(Event):
    """Somebody's answers in [-1, 1] to pairs (most often one), under one key; they may replace another."""

    KIND: ClassVar[str] = "answer"
    key: str
    annotator: str
    pairs: tuple[Pair, ...]
    values: tuple[float, ...]
    milliseconds: int | None = None
    replaces: int | None = None

    def __post_init__(self) -> None:
        key_text(self.key)
        short_text("annotator", self.annotator)
        self._keep("pairs", ordered_pairs(self.pairs))
        same_length("values", self.values, self.pairs)
        values = (real_number("answer", value, least=-1, most=1) + 0.0 for value in self.values)
        self._keep("values", tuple(values))
        if not self.values:
            raise InvalidInputError("there are no answers; expected one or more")
        self._keep("milliseconds", optional_count("milliseconds", self.milliseconds))
        if self.replaces is not None:
            self._keep("replaces", whole_number("replaces", self.replaces, least=1))


@dataclass(frozen=True, slots=True)
class QuestionSkipped(Event):
    """Somebody would rather not answer; the pair may go to somebody else, as may ``more`` of a screen."""

    KIND: ClassVar[str] = "skip"
    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"more"})
    key: str
    annotator: str
    pair: Pair
    more: tuple[Pair, ...] | None = None

    def __post_init__(self) -> None:
        key_text(self.key)
        short_text("annotator", self.annotator)
        more = () if self.more is None else listed("more", self.more)
        self._keep("pair", ordered_pairs([self.pair, *more])[0])
        self._keep("more", ordered_pairs(more) or None)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs that were left out."""
        return self.pair, *(self.more or ())


@dataclass(frozen=True, slots=True)
class EventRetracted(Event):
    """An earlier event is taken back; a retraction, too, which puts in force again what that took back."""

    KIND: ClassVar[str] = "retract"
    target: int
    annotator: str

    def __post_init__(self) -> None:
        self._keep("target", whole_number("target", self.target, least=1))
        short_text("annotator", self.annotator)


@dataclass(frozen=True, slots=True)
class PairsPinned(Event):
    """Pairs are of a kind for certain, or are not."""

    KIND: ClassVar[str] = "pin"
    pairs: tuple[Pair, ...]
    same: bool
    annotator: str

    def __post_init__(self) -> None:
        self._keep("pairs", ordered_pairs(self.pairs))
        truth_value("same", self.same)
        self._keep("same", bool(self.same))
        short_text("annotator", self.annotator)


@dataclass(frozen=True, slots=True)
class PairsUnpinned(Event):
    """Pairs are pinned no longer."""

    KIND: ClassVar[str] = "unpin"
    pairs: tuple[Pair, ...]
    annotator: str

    def __post_init__(self) -> None:
        self._keep("pairs", ordered_pairs(self.pairs))
        short_text("annotator", self.annotator)


@dataclass(frozen=True, slots=True)
class GroupNamed(Event):
    """A group has a name, or none again if it is empty; the name goes with ``objects``, typical members."""

    KIND: ClassVar[str] = "named"
    group: int
    name: str
    objects: tuple[int, ...]
    annotator: str

    def __post_init__(self) -> None:
        self._keep("group", whole_number("group", self.group, least=0))
        short_text("name", self.name)
        members = (whole_number("objects", one, least=0) for one in listed("objects", self.objects))
        self._keep("objects", tuple(members))
        if not self.objects:
            raise InvalidInputError("a name is for no objects; expected some members of the group")
        short_text("annotator", self.annotator)


@dataclass(frozen=True, slots=True)
class QuestionsReleased(Event):
    """Questions that nobody has answered need not be any longer."""

    KIND: ClassVar[str] = "released"
    pairs: tuple[Pair, ...]

    def __post_init__(self) -> None:
        self._keep("pairs", ordered_pairs(self.pairs))


@dataclass(frozen=True, slots=True)
class NoteWritten(Event):
    """Something for people to read."""

    KIND: ClassVar[str] = "note"
    text: str

    def __post_init__(self) -> None:
        text("text", self.text)


KINDS_OF_EVENTS = {
    kind.KIND: kind
    for kind in (
        ProjectCreated,
        ObjectsAdded,
        FeaturesUsed,
        QuestionsAsked,
        QuestionsShown,
        AnswerGiven,
        QuestionSkipped,
        EventRetracted,
        PairsPinned,
        PairsUnpinned,
        GroupNamed,
        QuestionsReleased,
        JudgeSent,
        JudgeCalled,
        NoteWritten,
    )
}


class LoggedEvent(NamedTuple):
    """An event as it stands in the log."""

    seq: int
    at: str
    kind: str
    body: str
    hash: bytes

    @property
    def event(self) -> Event:
        """Read the body; what cannot be is refused."""
        return read_event(self.kind, self.body)


def logged(event: Event, *, before: "LoggedEvent | None", at: str) -> LoggedEvent:
    """Return an event as it stands in the log behind the one before.

    >>> first = logged(NoteWritten("hello"), before=None, at="2026-01-01T00:00:00.000000Z")
    >>> first.seq, first.body, first.hash.hex()[:8]
    (1, '{"text":"hello"}', 'ccae1551')
    """
    seq, previous = (1, BEFORE_THE_FIRST) if before is None else (before.seq + 1, before.hash)
    body = event.body()
    return LoggedEvent(seq, at, event.KIND, body, chain_hash(previous, seq, at, (event.KIND, body)))


def chain_hash(previous: bytes, seq: int, at: str, content: tuple[str, str]) -> bytes:
    """Return the hash of an event (``content`` is its kind and body) behind one with the given hash."""
    digest = hashlib.sha256(previous + struct.pack(">q", seq))
    for part in (written.encode("utf-8", "surrogatepass") for written in (at, *content)):
        digest.update(struct.pack(">q", len(part)) + part)
    return digest.digest()


def read_event(kind: str, body: str) -> Event:
    """Read an event from its kind and body; nothing may be missing, and nothing more may be there."""
    if kind not in KINDS_OF_EVENTS:
        raise InvalidInputError(f"an event is of the kind {kind!r:.40}, which this ofakind does not know")
    tree, known = canonical.read(body), KINDS_OF_EVENTS[kind]
    names = {part.name for part in fields(known)}
    if not isinstance(tree, dict) or not names - known.OPTIONAL <= tree.keys() <= names:
        got = sorted(tree) if isinstance(tree, dict) else tree
        raise InvalidInputError(f"an event {kind!r} has {got!r:.200}; expected {sorted(names)}")
    return known(**tree)
