"""The groups as cards, doubtful ones first; what is searched for."""

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from ofakind.project.describe import GroupDescription
from ofakind.project.doubtful import DoubtfulPair
from ofakind.project.fields import ObjectId
from ofakind.project.project import Project
from ofakind.web.desk import LabelDesk, UnknownError
from ofakind.web.forms import GroupOut, GroupsOut


@dataclass(frozen=True, slots=True)
class GroupCardRules:
    """What is on a card; by judgement."""

    members: int = 6  # on a card
    most: int = 500  # of a group that is opened
    doubts: int = 300  # doubtful pairs that are looked at


CARDS = GroupCardRules()


@dataclass(frozen=True, slots=True)
class GroupDoubt:
    """Why a group is doubtful: ``merge``, it may be one with ``other``; ``apart``, some may not belong."""

    kind: str
    weight: float
    other: int | None = None


class GroupCards:
    """The groups of a project, looked at again only when something has happened."""

    def __init__(self, desk: LabelDesk) -> None:
        self._desk, self._lock, self._as_of = desk, Lock(), -1
        self._groups: list[GroupDescription] = []
        self._doubts: dict[int, GroupDoubt] = {}
        self._texts: list[str] | None = None

    def page(self, search: str, offset: int, limit: int) -> GroupsOut:
        """Return some groups that hold what is searched for."""
        with self._lock:
            self._refresh()
            found = self._holding(search) if search else self._groups
            doubts = self._doubts
        return GroupsOut(
            found=len(found),
            groups=[self._card(one, doubts, CARDS.members) for one in found[offset : offset + limit]],
        )

    def one(self, number: int) -> GroupOut:
        """Return a group with its members."""
        with self._lock:
            self._refresh()
            found = next((one for one in self._groups if one.group == number), None)
            doubts = self._doubts
        if found is None:
            raise UnknownError("this group is gone: newer answers have changed it; look at the list again")
        return self._card(found, doubts, CARDS.most)

    def _card(self, one: GroupDescription, doubts: dict[int, GroupDoubt], members: int) -> GroupOut:
        doubt = doubts.get(one.group)
        return GroupOut.model_validate(
            {
                "group": one.group,
                "name": one.name,
                "size": len(one.members),
                "confidence": one.confidence,
                "wrong_pairs": one.wrong_pairs,
                "doubt": "" if doubt is None else doubt.kind,
                "other": None if doubt is None else doubt.other,
                "members": self._desk.things(one.members[:members]),
            }
        )

    def _refresh(self) -> None:
        project = self._desk.project
        last = project.last_event
        if last == self._as_of:
            return
        every = project.describe()
        labels = {member: one.group for one in every for member in one.members}
        self._doubts = doubts_of(labels, project.doubtful(CARDS.doubts))
        self._groups = sorted(every, key=self._order)
        self._as_of = last

    def _order(self, one: GroupDescription) -> tuple[float, float, int]:
        doubt = self._doubts.get(one.group)
        return (-doubt.weight if doubt else 0.0, -len(one.members), one.group)

    def _holding(self, search: str) -> list[GroupDescription]:
        if self._texts is None:
            self._texts = texts_of(self._desk.project)
        words = search.casefold().split()
        numbers = {
            self._desk.ids[row] for row, text in enumerate(self._texts) if all(w in text for w in words)
        }
        named = search.casefold()
        return [
            one for one in self._groups if named in one.name.casefold() or not numbers.isdisjoint(one.members)
        ]


def texts_of(project: Project) -> list[str]:
    """Return all that may be searched for of each object, in small letters."""
    columns = [project.columns[name] for name in project.show if name in project.columns]
    rows: Iterable[tuple[object, ...]] = zip(*columns, strict=True) if columns else [()] * len(project.ids)
    return [
        "\n".join([str(one), *(str(cell) for cell in row if cell is not None)]).casefold()
        for one, row in zip(project.ids, rows, strict=True)
    ]


def doubts_of(labels: dict[ObjectId, int], pairs: Iterable[DoubtfulPair]) -> dict[int, GroupDoubt]:
    """Return the greatest doubt about each group."""
    found: dict[int, GroupDoubt] = {}
    for pair in pairs:
        left, right = labels[pair.left_id], labels[pair.right_id]
        for group, other in ((left, right), (right, left)):
            doubt = (
                GroupDoubt("apart", pair.expected)
                if pair.together
                else GroupDoubt("merge", pair.expected, other)
            )
            if group not in found or found[group].weight < doubt.weight:
                found[group] = doubt
    return found
