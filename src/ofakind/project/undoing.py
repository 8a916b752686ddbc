"""What somebody did, which an undo would take back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ofakind.project.events import (
    AnswerGiven,
    Event,
    EventRetracted,
    GroupNamed,
    PairsPinned,
    PairsUnpinned,
    QuestionSkipped,
)
from ofakind.project.fields import ObjectId
from ofakind.project.ledger import Ledger

KINDS_OF_ACTIONS: Mapping[type[Event], str] = {
    AnswerGiven: "answer",
    QuestionSkipped: "skip",
    PairsPinned: "pin",
    PairsUnpinned: "unpin",
    GroupNamed: "name",
}


@dataclass(frozen=True, slots=True)
class PastAction:
    """An event that can be taken back: an ``answer``, ``skip``, ``pin``, ``unpin``, or ``name`` of a group.

    ``pairs`` are the ids of the objects that it is about, and ``value`` is what was answered, if it was.
    ``screen`` is the object and the others, if it was one, and ``values`` what was said of each of them.
    ``in_force`` unless it was taken back.
    """

    event: int
    kind: str
    pairs: tuple[tuple[ObjectId, ObjectId], ...]
    value: float | None = None
    annotator: str = ""
    in_force: bool = True
    values: tuple[float, ...] = ()
    screen: tuple[ObjectId, tuple[ObjectId, ...]] | None = None


def last_action_of(ledger: Ledger, annotator: str | None) -> PastAction | None:
    """Return the last action of somebody, or of anybody, that is in force; None if there is none."""
    seq = ledger.last_action(annotator)
    return None if seq is None else action_in(ledger, seq)


def action_under(ledger: Ledger, which: int | str) -> PastAction | None:
    """Return an action by the number of its event or, an answer or a skip, by its key; None if none."""
    seq = which if isinstance(which, int) else ledger.keys.get(which)
    if seq is None:
        found = (
            seq for seq, one in ledger.events.items() if isinstance(one, QuestionSkipped) and one.key == which
        )
        seq = max(found, default=None)
    if seq is None or seq not in ledger.events or isinstance(ledger.events[seq], EventRetracted):
        return None
    return action_in(ledger, seq)


def action_in(ledger: Ledger, seq: int) -> PastAction:
    """Return the action of an event."""
    event: Any = ledger.events[seq]
    pairs = tuple((ledger.ids[u], ledger.ids[v]) for u, v in getattr(event, "pairs", ()))
    said = event.values if isinstance(event, AnswerGiven) else ()
    kind, value = KINDS_OF_ACTIONS[type(event)], said[0] if said else None
    screen = screen_of(ledger, getattr(event, "key", "")) if len(pairs) > 1 else None
    values = () if screen is None else said
    return PastAction(seq, kind, pairs, value, event.annotator, ledger.force[seq], values, screen)


def screen_of(ledger: Ledger, key: str) -> tuple[ObjectId, tuple[ObjectId, ...]] | None:
    """Return the ids of the object and the others that were shown under a key; None if none were."""
    _, shown = ledger.shown.get(key, ("", ()))
    if not shown:
        return None
    return ledger.ids[shown[0][0]], tuple(ledger.ids[other] for _, other in shown)
