"""How far the work is, put together beside."""

from dataclasses import dataclass

from ofakind.project.curve import CurvePoint
from ofakind.project.judge_worth import JudgeWorth
from ofakind.project.pace import SPEED, Gains
from ofakind.project.people import Person
from ofakind.project.project import Project
from ofakind.project.prospect import Prospect
from ofakind.project.status import ProjectStatus
from ofakind.web.forms import PointOut, ProgressOut
from ofakind.web.people import Access
from ofakind.web.sittings import Sittings


@dataclass(frozen=True, slots=True)
class PageProgressRules:
    """What is shown of progress; by judgement."""

    target: float = 0.01  # share of wrong pairs to aim at
    questions: int = 100  # of which it is said what they may bring
    points: int = 60  # of the curve


PAGE_PROGRESS = PageProgressRules()


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a project at a time."""

    status: ProjectStatus
    prospect: Prospect
    curve: tuple[CurvePoint, ...]
    gains: Gains | None = None
    people: tuple[Person, ...] = ()
    judges: tuple[JudgeWorth, ...] = ()


def look(project: Project) -> Seen:
    """Look at a project; it may take as long as the learner takes."""
    status = project.status()
    ahead = project.prospect(PAGE_PROGRESS.target, PAGE_PROGRESS.questions)
    gains = project.gains() if any(compares(project, name) for name in project.answer_counts()) else None
    people, judges = tuple(project.people()), tuple(project.judges())
    return Seen(status, ahead, tuple(project.curve), gains, people, judges)


def compares(project: Project, person: str) -> bool:
    """Whether somebody answers by pairs and by screens: only then is it computed what either tells."""
    pace = project.speed(person, None)
    return min(pace.n_pairs, pace.n_screens) >= SPEED.least


@dataclass(frozen=True, slots=True)
class Watched:
    """Whose progress it is: the person, who else there is, and what was spent."""

    person: str
    access: Access
    sittings: Sittings


def progress_for(project: Project, whose: Watched, seen: Seen | None) -> ProgressOut:
    """Say how far it is; counts are of now, the rest as of what was seen last."""
    counts, person = project.answer_counts(), whose.person
    answers = sum(counts.values())
    status = None if seen is None else seen.status
    low, high = (None, None) if status is None else status.limits
    early = status is None or bool(status.lacking)
    ahead = None if seen is None or early else seen.prospect
    forecast = None if ahead is None else ahead.forecast
    pace = project.speed(person, None if seen is None else seen.gains)
    return ProgressOut(
        project=project.path.stem,
        question=project.question,
        grades=project.grades,
        person=person,
        owner=person == whose.access.owner,
        people=len(whose.access.tokens),
        objects=len(project.ids),
        answers=answers,
        seen_answers=0 if status is None else status.n_answers,
        own_answers=counts.get(person, 0),
        groups=None if status is None else status.n_clusters,
        wrong_expected=None if status is None or early else status.expected_wrong_pairs,
        wrong_at_least=low,
        wrong_at_most=high,
        lacking=0 if status is None else still_lacking(status, answers),
        target=PAGE_PROGRESS.target,
        reached=ahead is not None and ahead.reached,
        doubtful=None if ahead is None else ahead.doubtful,
        open_ended=ahead is not None and ahead.open_ended,
        questions_left=None if forecast is None else forecast.questions,
        questions_at_least=None if forecast is None else forecast.low,
        next_questions=PAGE_PROGRESS.questions,
        next_fewer=None if ahead is None else ahead.fewer_wrong_pairs,
        budget=whose.sittings.told(person),
        curve=[] if seen is None else points_of(seen.curve),
        pace_pairs=pace.pairs,
        pace_screens=pace.screens,
        quicker=pace.quicker,
        notes=[] if status is None else list(status.notes),
    )


def still_lacking(status: ProjectStatus, answers: int) -> int:
    """Return how many more answers it takes until numbers mean something, those since the look counted."""
    return max(1, status.lacking - max(0, answers - status.n_answers)) if status.lacking else 0


def points_of(curve: tuple[CurvePoint, ...]) -> list[PointOut]:
    """Return at most some of the points, the last among them."""
    step = max(1, -(-len(curve) // PAGE_PROGRESS.points))
    kept = curve[::-1][::step][::-1]
    return [
        PointOut(answers=p.answers, expected=p.expected, low=p.low, high=p.high, open_ended=p.open_ended)
        for p in kept
    ]
