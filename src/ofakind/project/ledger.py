"""What has happened, folded from the log: objects, answers in force, pins, open questions.

A ledger is rebuilt from the events in no time, without the learner, and says what each event means to the
learner (`calls`). An event stands unless a retraction that stands takes it back; it is in force if it stands
and, being an answer, no other that stands replaces it. Everything here follows from the order of events
alone, never from their times.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ofakind.errors import ContradictingPinsError, DamagedProjectError, InvalidInputError
from ofakind.pins import Pins
from ofakind.project.calls import (
    AskCall,
    BeginCall,
    ExtendCall,
    LearnerCall,
    PinCall,
    ReleaseCall,
    RetractCall,
    TellCall,
    UnpinCall,
)
from ofakind.project.events import (
    AnswerGiven,
    Event,
    EventRetracted,
    FeaturesUsed,
    GroupNamed,
    JudgeCalled,
    JudgeSent,
    LoggedEvent,
    NoteWritten,
    ObjectsAdded,
    PairsPinned,
    PairsUnpinned,
    ProjectCreated,
    QuestionsAsked,
    QuestionSkipped,
    QuestionsReleased,
    QuestionsShown,
)
from ofakind.project.fields import Content, ObjectId, Pair
from ofakind.project.judge_book import JudgeBook
from ofakind.project.pictures import KnownPicture, known_pictures
from ofakind.project.pinning import pins_of
from ofakind.project.questions import shares_object


@dataclass(frozen=True, slots=True)
class WhyAsked:
    """Why a pair was asked: the event, who chose it, its score, and what was believed of it then."""

    event: int
    by: str
    score: float | None
    probability: float | None
    groups: tuple[int, int] | None

    def __str__(self) -> str:
        """Say it in a line.

        >>> print(WhyAsked(7, "model", 0.4, 0.25, (2, 5)))
        asked in event 7, chosen by the learner: P(same) was 0.25, in groups 2 and 5
        """
        told = [] if self.probability is None else [f"P(same) was {self.probability:.2f}"]
        if self.groups is not None:
            one, other = self.groups
            told.append(f"both in group {one}" if one == other else f"in groups {one} and {other}")
        return f"asked in event {self.event}, {HOW_CHOSEN[self.by]}" + (
            f": {', '.join(told)}" if told else ""
        )


HOW_CHOSEN = {
    "model": "chosen by the learner",
    "screen": "chosen by the learner for a screen",
    "next": "next best by the learner's last scores",
    "prior": "likely by features",
    "uniform": "by chance",
}


class Ledger:
    """Everything that the log says. Only `apply` changes it."""

    def __init__(self, events: Iterable[LoggedEvent] = ()) -> None:
        self.last = 0  # the number of the last event
        self.created: ProjectCreated | None = None
        self.ids: list[ObjectId] = []
        self.numbers: dict[ObjectId, int] = {}
        self.columns: dict[str, list[Content]] = {}
        self.id_column: str | None = None  # of the first objects that had one
        self.pictures: dict[int, KnownPicture] = {}
        self.features: list[tuple[FeaturesUsed, int]] = []  # with the number of objects then
        self.events: dict[int, Event] = {}  # all that can be taken back
        self.times: dict[int, str] = {}
        self.standing: dict[int, bool] = {}
        self.force: dict[int, bool] = {}
        self.keys: dict[str, int] = {}  # of answers
        self.shown: dict[str, tuple[str, tuple[Pair, ...]]] = {}  # annotator, and pairs with the left first
        self.screen_of: dict[Pair, int] = {}  # the last event that had a pair in a screen
        self.had: Counter[str] = Counter()  # how many questions each person was shown
        self.answered: dict[Pair, dict[int, float]] = {}  # answers in force, by the numbers of their events
        self.several: dict[Pair, None] = {}  # pairs with more than one of them
        self.answerers: Counter[str] = Counter()  # how many of them each person has given
        self.skipped: dict[tuple[str, Pair], set[int]] = {}
        self.asked: dict[Pair, int] = {}  # the first event that asked
        self.reasons: dict[Pair, WhyAsked] = {}  # of that event
        self.open: dict[Pair, int] = {}  # asked when, and neither answered, released nor decided by pins
        self.pinned: dict[Pair, bool] = {}
        self.pins = Pins.none(0)
        self.milestones: list[tuple[str, Event]] = []  # objects that came, and notes, with their times
        self.frame: str | None = None  # the package of the data frame that objects came in last
        self.judges = JudgeBook()
        self.calls: list[LearnerCall] = []
        self._against: dict[int, int] = {}  # how many retractions that stand take an event back,
        self._replaced: dict[int, int] = {}  # and how many answers that stand replace one
        self._pinnings: list[int] = []
        self._handlers = self._handlers_of_kinds()
        for one in events:
            self.apply(one)

    def apply(self, one: LoggedEvent) -> None:
        """Take the next event of the log; what cannot be there raises `DamagedProjectError`."""
        try:
            event = one.event
            self._check_objects(event)
            if isinstance(event, RETRACTABLE):
                self.events[one.seq], self.times[one.seq] = event, one.at
                self.standing[one.seq] = self.force[one.seq] = False
                self._against[one.seq] = self._replaced[one.seq] = 0
                target = event.target if isinstance(event, EventRetracted) else None
                self._change({one.seq: True, **self.consequences(target)}, one.seq)
            if isinstance(event, ObjectsAdded | NoteWritten):
                self.milestones.append((one.at, event))
            if type(event) in self._handlers:
                self._handlers[type(event)](one.seq, event)
        except InvalidInputError as error:
            raise DamagedProjectError(f"event {one.seq} cannot be: {error}") from error
        self.last = one.seq

    # -- what is in force ----------------------------------------------------------------------------------

    def consequences(self, target: int | None) -> dict[int, bool]:
        """Return what stands, or stands no longer, if one retraction more takes an event back."""
        changed: dict[int, bool] = {}
        step = 1
        while target is not None:
            if target not in self.standing:
                raise InvalidInputError(
                    f"event {target} cannot be taken back; expected an answer, skip, pin, name or undo"
                )
            on = self._against[target] + step == 0
            if on == self.standing[target]:
                break
            changed[target] = on
            event, step = self.events[target], 1 if on else -1
            target = event.target if isinstance(event, EventRetracted) else None
        return changed

    def pinned_with(self, changed: Mapping[int, bool], more: Event | None = None) -> dict[Pair, bool]:
        """Return the pins if some events stand or do not, or one more comes; unchecked."""
        events = [self.events[seq] for seq in self._pinnings if changed.get(seq, self.standing[seq])]
        pinned: dict[Pair, bool] = {}
        for event in [*events, *([] if more is None else [more])]:
            if isinstance(event, PairsPinned):
                for pair in event.pairs:
                    if pinned.setdefault(pair, event.same) != event.same:
                        u, v = (self.ids[number] for number in pair)
                        got = f"{u!r} and {v!r} would be pinned as the same and as different"
                        raise ContradictingPinsError(f"{got}; unpin them first; nothing was changed")
            elif isinstance(event, PairsUnpinned):
                for pair in event.pairs:
                    pinned.pop(pair, None)
        return pinned

    def pins_by(self, annotator: str) -> dict[Pair, int]:
        """Return the pairs that one person has pinned, with the events."""
        own: dict[Pair, int] = {}
        for seq in self._pinnings:
            event = self.events[seq]
            if not self.standing[seq]:
                continue
            if isinstance(event, PairsPinned) and event.annotator == annotator:
                own.update(dict.fromkeys(event.pairs, seq))
            elif isinstance(event, PairsUnpinned):
                for pair in event.pairs:
                    own.pop(pair, None)
        return own

    def last_action(self, annotator: str | None) -> int | None:
        """Return the last answer, skip, pin, unpin or name in force, of one person or of anybody."""
        for seq in reversed(self.events):
            event: Any = self.events[seq]
            theirs = annotator is None or event.annotator == annotator
            if theirs and self.force[seq] and not isinstance(event, EventRetracted):
                return seq
        return None

    @property
    def names(self) -> list[GroupNamed]:
        """Names of groups in force, in the order in which they were given."""
        return [one for seq, one in self.events.items() if isinstance(one, GroupNamed) and self.force[seq]]

    @property
    def answered_at(self) -> str | None:
        """The time of the last answer in force."""
        for seq in reversed(self.events):
            if self.force[seq] and isinstance(self.events[seq], AnswerGiven):
                return self.times[seq]
        return None

    def implied(self, pair: Pair) -> int:
        """Return 1 or -1 where pins decide a pair, else 0."""
        return int(self.pins.implied(np.array([pair[0]]), np.array([pair[1]]))[0]) if self.pinned else 0

    def _change(self, changed: Mapping[int, bool], seq: int) -> None:
        """Let some events stand, or no longer, because of the event ``seq``."""
        pinning = False
        for one, on in changed.items():
            event = self.events[one]
            self.standing[one] = on
            if isinstance(event, AnswerGiven):
                self._set_answers(one, event, seq)
                continue
            self.force[one] = on
            if isinstance(event, EventRetracted):
                self._against[event.target] += 1 if on else -1
            elif isinstance(event, QuestionSkipped):
                for pair in event.pairs:
                    seqs = self.skipped.setdefault((event.annotator, pair), set())
                    (seqs.add if on else seqs.discard)(one)
            elif isinstance(event, PairsPinned | PairsUnpinned):
                pinning = True
                if one == seq:
                    self._pinnings.append(one)
        if pinning:
            self._set_pins(seq)

    def _set_answers(self, one: int, event: AnswerGiven, seq: int) -> None:
        """Let an answer that stands, or no longer, be in force or not, and so the one that it replaces."""
        touched = [one]
        if event.replaces is not None:
            if not isinstance(self.events.get(event.replaces), AnswerGiven):
                raise InvalidInputError(f"it replaces event {event.replaces}, which is no answer")
            self._replaced[event.replaces] += 1 if self.standing[one] else -1
            touched.append(event.replaces)
        for each in touched:
            on = self.standing[each] and not self._replaced[each]
            answer = self.events[each]
            if on != self.force[each] and isinstance(answer, AnswerGiven):
                self.force[each] = on
                self._set_answer(each, answer, seq, on=on)

    def _set_answer(self, one: int, event: AnswerGiven, seq: int, *, on: bool) -> None:
        self.keys.setdefault(event.key, one)
        self.answerers[event.annotator] += 1 if on else -1
        for pair, value in zip(event.pairs, event.values, strict=True):
            if on:
                found = self.answered.setdefault(pair, {})
                found[one] = value
                self.open.pop(pair, None)
            else:
                found = self.answered[pair]
                del found[one]
                if not found:
                    del self.answered[pair]
            if len(found) > 1:
                self.several[pair] = None
            else:
                self.several.pop(pair, None)
        if on:
            asked = tuple(pair in self.asked for pair in event.pairs)
            self.calls.append(TellCall(seq, one, event.pairs, event.values, event.annotator, asked))
        else:
            self.calls.append(RetractCall(seq, one))

    def _set_pins(self, seq: int) -> None:
        before, self.pinned = self.pinned, self.pinned_with({})
        self.pins = pins_of(self.pinned, self.ids)
        gone = tuple(pair for pair, same in before.items() if self.pinned.get(pair) != same)
        if gone:
            self.calls.append(UnpinCall(seq, gone))
        for same in (True, False):
            new = (pair for pair, kind in self.pinned.items() if kind is same and before.get(pair) != kind)
            if pairs := tuple(new):
                self.calls.append(PinCall(seq, pairs, same))
        for pair in [pair for pair in self.open if self.implied(pair)]:
            del self.open[pair]

    def _handlers_of_kinds(self) -> dict[type[Event], Callable[[int, Any], None]]:
        return {
            ProjectCreated: self._create,
            ObjectsAdded: self._add_objects,
            FeaturesUsed: self._use_features,
            QuestionsAsked: self._ask,
            QuestionsShown: self._show,
            QuestionsReleased: self._release,
            JudgeSent: self.judges.send,
            JudgeCalled: self._judge,
        }

    # -- other events --------------------------------------------------------------------------------------

    def _create(self, seq: int, event: ProjectCreated) -> None:
        if seq != 1:
            raise InvalidInputError("a project is created twice")
        self.created = event

    def _add_objects(self, seq: int, event: ObjectsAdded) -> None:
        if self.created is None:
            raise InvalidInputError("objects come before the project was created")
        n, more = len(self.ids), len(event.ids)
        for number, one in enumerate(event.ids, n):
            if self.numbers.setdefault(one, number) != number:
                raise InvalidInputError(f"the id {one!r} stands there twice")
        self.ids += event.ids
        self.frame = event.frame or self.frame
        for name in {**dict.fromkeys(self.columns), **dict.fromkeys(event.order or event.columns)}:
            values = event.columns.get(name, (None,) * more)
            self.columns.setdefault(name, [None] * n).extend(values)
        self.id_column = self.id_column or event.id_column
        if event.pictures is not None:
            self.pictures |= known_pictures(event.ids, event.pictures, n)
        self.pins = pins_of(self.pinned, self.ids)
        if not event.features:
            self._grow(seq, None)

    def _use_features(self, seq: int, event: FeaturesUsed) -> None:
        self.features.append((event, len(self.ids)))
        self._grow(seq, len(self.features) - 1)

    def _grow(self, seq: int, graph: int | None) -> None:
        """Begin with the objects that came first; later ones extend the learner."""
        n, created = len(self.ids), self.created
        if created is None:
            raise InvalidInputError("features come before the project was created")
        known = sum(call.n if isinstance(call, BeginCall) else call.more for call in self._growths())
        if not self.calls:
            self.calls.append(BeginCall(seq, n, created.seed, created.options, graph))
        else:
            self.calls.append(ExtendCall(seq, n - known, graph))

    def _growths(self) -> list[BeginCall | ExtendCall]:
        return [call for call in self.calls if isinstance(call, BeginCall | ExtendCall)]

    def _ask(self, seq: int, event: QuestionsAsked) -> None:
        if event.after >= seq:
            raise InvalidInputError(f"questions are chosen from event {event.after}, which comes later")
        for row, pair in enumerate(event.pairs):
            if self.asked.setdefault(pair, seq) == seq:
                same = None if event.same is None else event.same[row]
                groups = None if event.groups is None else event.groups[row]
                self.reasons[pair] = WhyAsked(seq, event.by, event.scores[row], same, groups)
            if pair not in self.answered and not self.implied(pair):
                self.open[pair] = seq
        if event.by == "screen":
            if not shares_object(event.pairs):
                raise InvalidInputError("a screen has pairs without a common object")
            self.screen_of.update(dict.fromkeys(event.pairs, seq))
        if event.by in ("model", "screen"):
            given = (event.size, event.pairs, event.by == "screen", event.revision)
            self.calls.append(AskCall(seq, event.after, *given))

    def _show(self, seq: int, event: QuestionsShown) -> None:
        for key, pairs in event.by_key().items():
            self.shown[key] = event.annotator, pairs
            if len(pairs) > 1:
                self.screen_of.update({(min(pair), max(pair)): seq for pair in pairs})
        self.had[event.annotator] += len(event.by_key())

    def _release(self, seq: int, event: QuestionsReleased) -> None:
        for pair in event.pairs:
            self.open.pop(pair, None)
        self.calls.append(ReleaseCall(seq, event.pairs))

    def _judge(self, seq: int, event: JudgeCalled) -> None:
        if (call := self.judges.call(seq, event)) is not None:
            self.calls.append(call)

    def _check_objects(self, event: Event) -> None:
        pairs = getattr(event, "pairs", None)
        pairs = [event.objects] if isinstance(event, GroupNamed) else pairs
        if isinstance(pairs, list | tuple) and any(max(pair) >= len(self.ids) for pair in pairs):
            raise InvalidInputError(f"it names an object that is not one of the {len(self.ids)}")


RETRACTABLE = (AnswerGiven, QuestionSkipped, EventRetracted, PairsPinned, PairsUnpinned, GroupNamed)
