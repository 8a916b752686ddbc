"""What happened when, day by day, for people."""

from collections.abc import Iterator
from dataclasses import dataclass

from ofakind.project.events import (
    AnswerGiven,
    EventRetracted,
    GroupNamed,
    NoteWritten,
    ObjectsAdded,
    PairsPinned,
    PairsUnpinned,
    QuestionSkipped,
)
from ofakind.project.ledger import Ledger

WORDS = {
    AnswerGiven: "answers",
    QuestionSkipped: "skips",
    EventRetracted: "undos",
    PairsPinned: "pins",
    PairsUnpinned: "unpins",
    GroupNamed: "names",
}


@dataclass(frozen=True, slots=True)
class HistoryDay:
    """A day (UTC): how many answers, skips and so on people gave, who they were, and what else happened."""

    day: str
    counts: dict[str, int]
    people: tuple[str, ...]
    milestones: tuple[str, ...]


def history_of(ledger: Ledger) -> list[HistoryDay]:
    """Return all days on which something happened, in order."""
    counts: dict[str, dict[str, int]] = {}
    people: dict[str, dict[str, None]] = {}
    told: dict[str, list[str]] = {}
    for at, words in _milestones(ledger):
        told.setdefault(at[:10], []).append(words)
    for seq, event in ledger.events.items():
        day, word = ledger.times[seq][:10], WORDS[type(event)]
        of_day = counts.setdefault(day, {})
        many = len(event.pairs) if isinstance(event, AnswerGiven) else 1
        of_day[word] = of_day.get(word, 0) + many
        people.setdefault(day, {})[getattr(event, "annotator", "")] = None
    days = sorted({*counts, *told})
    return [
        HistoryDay(day, counts.get(day, {}), tuple(people.get(day, {})), tuple(told.get(day, ())))
        for day in days
    ]


def _milestones(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Give what happened besides, with its time: objects that came, and notes."""
    for at, event in ledger.milestones:
        if isinstance(event, ObjectsAdded):
            count = f"{len(event.ids):,} object{'' if len(event.ids) == 1 else 's'} came"
            yield at, count if event.source.startswith(f"{len(event.ids)} ") else f"{count}: {event.source}"
        elif isinstance(event, NoteWritten):
            yield at, event.text
