"""What is known before anybody is asked: what must or cannot be of a kind, and groups that exist."""

from dataclasses import dataclass
from typing import Any

from ofakind.errors import ContradictingPinsError, InvalidInputError
from ofakind.project.books import new_key
from ofakind.project.choosing import is_missing
from ofakind.project.events import AnswerGiven, Event, PairsPinned
from ofakind.project.fields import Content, Pair
from ofakind.project.id_pairs import read_id_pairs
from ofakind.project.objects import Brought
from ofakind.project.pinning import pins_of

MUST, CANNOT = "must-link", "cannot-link"  # the names under which such pins stand in the log


@dataclass(frozen=True, slots=True, eq=False)
class Beforehand:
    """Pairs of ids that must or cannot be of a kind, and the name of a column of groups."""

    must_link: Any = None
    cannot_link: Any = None
    groups: str | None = None


def events_beforehand(known: Beforehand, brought: Brought) -> list[Event]:
    """Return the pins and answers that say what is known; pins that contradict each other are refused."""
    must, cannot = (
        () if given is None else read_id_pairs(given, brought.ids, meant)
        for given, meant in ((known.must_link, MUST), (known.cannot_link, CANNOT))
    )
    both = next((pair for pair in must if pair in set(cannot)), None)
    if both is not None:
        one, other = (brought.ids[number] for number in both)
        got = f"{one!r:.60} and {other!r:.60} are in the {MUST} list and in the {CANNOT} list"
        raise ContradictingPinsError(f"{got}; expected each pair in one; nothing was made")
    pins_of({pair: pair in must for pair in (*must, *cannot)}, brought.ids)
    events: list[Event] = []
    for pairs, same, name in ((must, True, MUST), (cannot, False, CANNOT)):
        if pairs:
            events.append(PairsPinned(pairs, same, name))
    return events + answers_of_groups(brought, known.groups)


def answers_of_groups(brought: Brought, column: str | None) -> list[Event]:
    """Return answers of an annotator called like the column, which join the members of each group in a row.

    A group of n has n - 1 of them. An empty cell is no group, and that two groups differ is not said.
    """
    if column is None:
        return []
    if column not in brought.columns:
        known = ", ".join(brought.columns) or "none"
        raise InvalidInputError(f"groups is {column!r:.60}; expected one of the columns: {known}")
    last: dict[Content, int] = {}
    joined: list[Pair] = []
    for number, label in enumerate(brought.columns[column]):
        if not is_missing(label):
            if label in last:
                joined.append((last[label], number))
            last[label] = number
    return [AnswerGiven(new_key(), column, (pair,), (1.0,)) for pair in joined]
