"""The line above every question: answers, groups, how wrong they may be, and what is left to ask."""

from ofakind.cli.terminal.words import counted
from ofakind.project.project import Project
from ofakind.project.status import ProjectStatus


def progress_parts(project: Project, status: ProjectStatus | None) -> list[str]:
    """Return the parts of the progress line; ``status`` is the newest that was computed, if any."""
    answers = project.n_answers
    parts = [counted(answers, "answer")]
    if status is None:
        return parts
    parts += [counted(status.n_clusters, "group"), status.wrong]
    if answers != status.n_answers:
        parts.append(f"as of {counted(status.n_answers, 'answer')}")
    return parts
