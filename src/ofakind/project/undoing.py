"""What somebody did last, which an undo would take back."""

from dataclasses import dataclass

from ofakind.project.events import AnswerGiven, PairsPinned, QuestionSkipped
from ofakind.project.fields import ObjectId
from ofakind.project.ledger import Ledger


@dataclass(frozen=True, slots=True)
class PastAction:
    """An event that can be taken back: an ``answer``, a ``skip``, a ``pin`` or an ``unpin``.

    ``pairs`` are the ids of the objects that it is about, and ``value`` is what was answered, if it was.
    """

    event: int
    kind: str
    pairs: tuple[tuple[ObjectId, ObjectId], ...]
    value: float | None = None


def last_action_of(ledger: Ledger, annotator: str | None) -> PastAction | None:
    """Return the last action of somebody, or of anybody, that is in force; None if there is none."""
    seq = ledger.last_action(annotator)
    if seq is None:
        return None
    event = ledger.events[seq]
    numbers = (event.pair,) if isinstance(event, QuestionSkipped) else getattr(event, "pairs", ())
    pairs = tuple((ledger.ids[u], ledger.ids[v]) for u, v in numbers)
    if isinstance(event, AnswerGiven):
        return PastAction(seq, "answer", pairs, event.values[0])
    skipped, pinned = isinstance(event, QuestionSkipped), isinstance(event, PairsPinned)
    return PastAction(seq, "skip" if skipped else "pin" if pinned else "unpin", pairs)
