"""What may be written to the log: every change is checked against the ledger, written, then entered there.

All of it happens in the one thread that owns the file, so two people never see half of a change, and
Ctrl-C stops nobody in the middle of one. Objects are meant by their numbers here.
"""

import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ofakind.errors import ConflictingAnswerError, InvalidInputError
from ofakind.pairs import Pairs
from ofakind.project.ahead import by_chance, is_new
from ofakind.project.events import (
    AnswerGiven,
    Event,
    EventRetracted,
    LoggedEvent,
    PairsPinned,
    PairsUnpinned,
    QuestionsAsked,
    QuestionSkipped,
    QuestionsShown,
)
from ofakind.project.fields import Pair
from ofakind.project.leases import Clock, Leases, available
from ofakind.project.ledger import Ledger
from ofakind.project.people import PEOPLE, second_opinion
from ofakind.project.pinning import pins_of
from ofakind.project.reading import ReadOnlyFile
from ofakind.project.store import ProjectFile

T = TypeVar("T")


class Books:
    """The file, the ledger and the leases of an open project."""

    def __init__(self, file: ProjectFile | ReadOnlyFile, clock: Clock) -> None:
        self.file = file
        self.ledger = Ledger(file.events)
        self.hashes = [one.hash for one in file.events]  # of all events
        self.leases = Leases.after_restart(self.ledger, clock)

    def run(self, job: Callable[[], T]) -> T:
        """Call a function that reads or changes any of this, after all that came before."""
        return self.file.run(job)

    def write(self, events: Sequence[Event], blobs: Mapping[str, bytes] | None = None) -> int:
        """Write events and enter them; returns the number of the last."""

        def job() -> int:
            new: list[LoggedEvent] = self.file.append(events, blobs)
            for one in new:
                self.ledger.apply(one)
                self.hashes.append(one.hash)
            return len(self.hashes)

        return self.run(job)

    # -- answers -------------------------------------------------------------------------------------------

    def answer(self, event: AnswerGiven, *before: Event) -> int:
        """Write an answer, and what comes before, or find that it is written; returns the answer's event."""

        def job() -> int:
            if event.key in self.ledger.keys:
                return self._known(event)
            seq = self.write([*before, event])
            for pair in event.pairs:
                self.leases.give_back(pair, event.annotator)
            return seq

        return self.run(job)

    def _known(self, event: AnswerGiven) -> int:
        """Return the event of an answer that came before; another one under its key is refused."""
        seq = self.ledger.keys[event.key]
        old = self.ledger.events[seq]
        if not isinstance(old, AnswerGiven) or (old.annotator, old.pairs, old.values) != (
            event.annotator,
            event.pairs,
            event.values,
        ):
            said = old.values if isinstance(old, AnswerGiven) else ()
            got = f"the key {event.key!r} has the answer {_short(said)} already (event {seq})"
            raise ConflictingAnswerError(
                f"{got}, and {_short(event.values)} came; the first one is kept; correct it, or undo it"
            )
        if not self.ledger.force[seq]:
            got = f"the answer with the key {event.key!r} (event {seq}) was taken back"
            raise ConflictingAnswerError(f"{got}; ask again, or tell the pair itself; nothing was kept")
        return seq

    def correct(
        self, seq: int, value: float | Sequence[float], annotator: str | None, pair: Pair | None = None
    ) -> int:
        """Replace an answer in force by another value, or of several answers that to one ``pair`` alone."""

        def job() -> int:
            old = self.ledger.events.get(seq)
            if not isinstance(old, AnswerGiven):
                raise InvalidInputError(f"event {seq} is no answer; nothing was changed")
            if not self.ledger.force[seq]:
                raise InvalidInputError(f"the answer of event {seq} was taken back; nothing was changed")
            who = old.annotator if annotator is None else annotator
            values = _corrected(old, value, pair)
            return self.write([AnswerGiven(new_key(), who, old.pairs, values, replaces=seq)])

        return self.run(job)

    def skip(self, key: str, annotator: str, pairs: Sequence[Pair]) -> int:
        """Write that somebody would rather not answer a question, or a screen."""

        def job() -> int:
            before = self.ledger.skipped.get((annotator, pairs[0]), ())
            again = [seq for seq in before if getattr(self.ledger.events[seq], "key", "") == key]
            if again:  # sent twice
                return again[0]
            seq = self.write([QuestionSkipped(key, annotator, pairs[0], tuple(pairs[1:]))])
            for pair in pairs:
                self.leases.give_back(pair, annotator)
            return seq

        return self.run(job)

    def undo(self, seq: int | None, annotator: str | None) -> int | None:
        """Take an event back, or the last action of somebody; None if there is none."""

        def job() -> int | None:
            target = self.ledger.last_action(annotator) if seq is None else seq
            if target is None:
                return None
            changed = self.ledger.consequences(target)
            if not self.ledger.force[target]:
                got = f"event {target} was taken back already, or replaced"
                raise InvalidInputError(f"{got}; nothing was changed")
            pins_of(self.ledger.pinned_with(changed), self.ledger.ids)
            return self.write([EventRetracted(target, annotator or "")])

        return self.run(job)

    # -- pins ----------------------------------------------------------------------------------------------

    def pin(self, event: PairsPinned) -> int:
        """Pin pairs, if that contradicts no other pin; what the same person has pinned stays one pin."""

        def job() -> int:
            pins_of(self.ledger.pinned_with({}, event), self.ledger.ids)
            own = self.ledger.pins_by(event.annotator)
            new = tuple(pair for pair in event.pairs if pair not in own)
            return self.write([replace(event, pairs=new)]) if new else max(own[pair] for pair in event.pairs)

        return self.run(job)

    def unpin(self, event: PairsUnpinned) -> int:
        """Unpin pairs, each of which must be pinned."""

        def job() -> int:
            for u, v in event.pairs:
                if (u, v) not in self.ledger.pinned:
                    names = f"{self.ledger.ids[u]!r} and {self.ledger.ids[v]!r}"
                    follows = ", it follows from other pins" if self.ledger.implied((u, v)) else ""
                    raise InvalidInputError(f"{names} are not pinned{follows}; nothing was unpinned")
            return self.write([event])

        return self.run(job)

    # -- questions -----------------------------------------------------------------------------------------

    def take(
        self, size: int, annotator: str, asked: QuestionsAsked | None = None
    ) -> tuple[list[tuple[str, Pair]], int | None]:
        """Lend the best questions that somebody may have, at most so many, each with its key.

        New ones may come with it, which are written first; their event is returned, too.
        """

        def job() -> tuple[list[tuple[str, Pair]], int | None]:
            seq = None if asked is None else self.write([asked])
            pairs = self._checks(annotator) if size else []
            for pair in available(self.ledger, self.leases, annotator):
                if len(pairs) >= size:
                    break
                pairs.append(pair)
            return (self._lend(pairs, annotator) if pairs else []), seq

        return self.run(job)

    def take_spare(self, size: int, annotator: str, by: str, pairs: Sequence[Pair]) -> list[tuple[str, Pair]]:
        """Lend somebody the first of these pairs that are new; ``by`` says where they come from."""

        def job() -> list[tuple[str, Pair]]:
            new = tuple(pair for pair in pairs if is_new(self.ledger, pair))[:size]
            if not new:
                return []
            asked = QuestionsAsked(self.ledger.last, size, new, (None,) * len(new), by)
            return self._lend(new, annotator, asked)

        return self.run(job)

    def take_by_chance(self, size: int, annotator: str, near: Pairs | None) -> list[tuple[str, Pair]]:
        """Lend somebody questions that nothing speaks for."""

        def job() -> list[tuple[str, Pair]]:
            rng = np.random.default_rng((self._seed, self.ledger.last))
            return self.take_spare(size, annotator, "uniform", by_chance(self.ledger, near, size, rng))

        return self.run(job)

    @property
    def _seed(self) -> int:
        return 0 if self.ledger.created is None else self.ledger.created.seed

    def _lend(self, pairs: Sequence[Pair], annotator: str, *before: Event) -> list[tuple[str, Pair]]:
        """Lend pairs, each under a new key and its left object first; events may be written before."""
        keys = tuple(new_key() for _ in pairs)
        shown = tuple(left_first(self._seed, pair) for pair in pairs)
        self.write([*before, QuestionsShown(annotator, keys, shown)])
        for pair in pairs:
            self.leases.lend(pair, annotator)
        return list(zip(keys, shown, strict=True))

    def ready(self) -> int:
        """Return how many open questions nobody has, those of screens not counted."""
        ledger, free = self.ledger, self.leases.is_free
        return self.run(lambda: sum(free(pair) for pair in ledger.open if pair not in ledger.screen_of))

    def _checks(self, annotator: str) -> list[Pair]:
        """Return a pair that somebody else has answered, if it is time to compare two people."""
        had = self.ledger.had
        if len(had.keys() | {annotator}) < 2:
            return []
        pair = second_opinion(self.ledger, annotator, had[annotator], PEOPLE.overlap)
        return [pair] if pair is not None and self.leases.may_have(pair, annotator) else []


def new_key() -> str:
    """Return a key that nobody has."""
    return uuid.uuid4().hex


def left_first(seed: int, pair: Pair) -> Pair:
    """Return a pair with its left object first: either with equal chance, the same for equal seeds.

    Where the smaller one were always on the left, a habit of somebody's would look like knowledge.

    >>> [left_first(0, (1, number)) for number in (2, 3, 4, 5)]
    [(2, 1), (3, 1), (1, 4), (5, 1)]
    """
    digest = hashlib.sha256(f"{seed} {pair[0]} {pair[1]}".encode()).digest()
    return pair[::-1] if digest[0] % 2 else pair


def _corrected(old: AnswerGiven, value: Any, pair: Pair | None) -> tuple[float, ...]:
    """Return the values of an answer with another one for all, or for one pair; or with a list of others."""
    if isinstance(value, list | tuple | np.ndarray):
        if pair is not None or len(value) != len(old.pairs):
            expected = 1 if pair is not None else len(old.pairs)
            raise InvalidInputError(f"got {len(value)} answers; expected {expected}; nothing was changed")
        return tuple(value)
    if pair is None:
        return (value,) * len(old.pairs)
    return tuple(value if one == pair else before for one, before in zip(old.pairs, old.values, strict=True))


def _short(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
