"""The line above every question: answers, groups, how wrong they may be, and what is left to ask."""

from ofakind.project.project import Project
from ofakind.project.prospect import Prospect
from ofakind.project.status import ProjectStatus, counted

Standing = tuple[ProjectStatus, Prospect]
AIM = 0.01  # share of wrong pairs that is aimed at, of those by chance


def progress_parts(project: Project, standing: Standing | None) -> list[str]:
    """Return the parts of the progress line; ``standing`` is the newest that was computed, if any."""
    answers = project.n_answers
    parts = [counted(answers, "answer")]
    if standing is None:
        return parts
    status, ahead = standing
    parts += [counted(status.n_clusters, "group"), status.wrong]
    if not status.lacking:
        goal = f"{100 * ahead.target:g} %"
        done = f"{goal} is reached: you may stop"
        parts.append(done if ahead.reached else _left(ahead, goal))
    if answers != status.n_answers:
        parts.append(f"as of {counted(status.n_answers, 'answer')}")
    return parts


def _left(ahead: Prospect, goal: str) -> str:
    """Say what is left to the goal; where it is expected to be reached, why that is not sure."""
    return ahead.left if ahead.forecast.reached else f"{ahead.left} to {goal}"
