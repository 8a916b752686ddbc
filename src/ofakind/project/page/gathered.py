"""Everything that a report says, gathered from a project at one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ofakind.project.curve import CurvePoint
from ofakind.project.describe import GroupDescription, most_doubtful_first
from ofakind.project.doubtful import DoubtfulPair
from ofakind.project.evidence import GivenAnswer
from ofakind.project.fields import Content, ObjectId
from ofakind.project.history import HistoryDay
from ofakind.project.judge_worth import JudgeWorth
from ofakind.project.page.pictures import Pictures
from ofakind.project.people import Person
from ofakind.project.prospect import Prospect
from ofakind.project.status import ProjectStatus
from ofakind.project.view import ProjectView


@dataclass(frozen=True, slots=True)
class ReportRules:
    """How much of a project a report shows; by judgement."""

    groups: int = 60  # of two or more, the most doubtful first
    members: int = 8  # of a group
    singles: int = 20  # objects alone, the most doubtful first
    columns: int = 8  # of a record
    pairs: int = 12  # to check by hand
    answers: int = 12  # that the groups contradict
    disagreements: int = 8  # of people with each judge


REPORT = ReportRules()


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What a report is made of."""

    name: str
    question: str
    at: datetime
    status: ProjectStatus
    prospect: Prospect
    groups: Sequence[GroupDescription]  # the most doubtful first
    doubtful: Sequence[DoubtfulPair]
    contradicted: Sequence[GivenAnswer]
    people: Sequence[Person]
    judges: Sequence[JudgeWorth]
    curve: Sequence[CurvePoint]
    history: Sequence[HistoryDay]
    columns: Sequence[str]
    contents: Mapping[ObjectId, Mapping[str, Content]]
    picture: Pictures


def gathered(project: ProjectView, *, target: float = 0.01, now: datetime | None = None) -> Gathered:
    """Gather everything; only objects that are shown bring their contents with them."""
    status, labels = project.status(), project.labels()
    groups = most_doubtful_first(project.describe())
    doubtful = project.doubtful(REPORT.pairs)
    against = [one for one in project.answers if contradicts(one, labels)][-REPORT.answers :]
    ids = {one for pair in doubtful for one in (pair.left_id, pair.right_id)}
    ids |= {one for answer in against for one in (answer.left_id, answer.right_id)}
    ids |= {one for group in shown_groups(groups) for one in group.members[: REPORT.members]}
    judges = project.judges()
    differing = [pair for judge in judges for pair in judge.disagreements[: REPORT.disagreements]]
    ids |= {one for pair in differing for one in (pair.left_id, pair.right_id)}
    reader: Any = getattr(project, "picture", None)
    return Gathered(
        name=project.path.name,
        question=project.question,
        at=now or datetime.now(UTC),
        status=status,
        prospect=project.prospect(target),
        groups=groups,
        doubtful=doubtful,
        contradicted=against,
        people=project.people(),
        judges=judges,
        curve=project.curve,
        history=project.history(),
        columns=list(project.show)[: REPORT.columns],
        contents={one: project.contents(one) for one in ids},
        picture=Pictures(reader),
    )


def contradicts(one: GivenAnswer, labels: Mapping[ObjectId, int]) -> bool:
    """Whether groups go against an answer in force."""
    together = labels[one.left_id] == labels[one.right_id]
    return one.in_force and (one.value < 0 if together else one.value > 0)


def shown_groups(groups: Sequence[GroupDescription]) -> list[GroupDescription]:
    """Return the groups that are shown: some of two or more, and some of one, the most doubtful first."""
    several = [one for one in groups if len(one) > 1][: REPORT.groups]
    return several + [one for one in groups if len(one) == 1][: REPORT.singles]
