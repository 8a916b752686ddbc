"""Writing a new project file from what was brought: the whole of it, or nothing."""

from dataclasses import dataclass, replace
from pathlib import Path

from ofakind import __version__
from ofakind.errors import InvalidInputError
from ofakind.files import check_target
from ofakind.progress import progressed
from ofakind.project.adding import Made, events_for
from ofakind.project.beforehand import Beforehand, events_beforehand
from ofakind.project.choosing import FeatureData
from ofakind.project.events import ProjectCreated
from ofakind.project.objects import Brought
from ofakind.project.places import refuse_network
from ofakind.project.store import ProjectFile

QUESTION = "Are these two of a kind?"


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """What a project is to be: the question to people, the columns that they see (None: all), the seed.

    ``on_network`` allows a network file system, where nothing is promised. With ``grades`` people answer in
    five steps.
    """

    question: str = QUESTION
    seed: int = 0
    show: tuple[str, ...] | None = None
    on_network: bool = False
    grades: bool = False


def make_project(
    path: Path,
    brought: Brought,
    data: FeatureData,
    *,
    known: Beforehand | None = None,
    options: ProjectOptions | None = None,
) -> Made:
    """Write a project file with these objects, features, pins and answers; what is there is not replaced."""
    refuse_existing(path)
    wanted = ProjectOptions() if options is None else options
    refuse_network(path, on_network=wanted.on_network)
    unknown = [name for name in wanted.show or () if name not in brought.columns]
    if unknown:
        there = ", ".join(brought.columns) or "none"
        raise InvalidInputError(f"show has {unknown[0]!r:.60}; expected some of {there}")
    created = ProjectCreated(
        wanted.seed, wanted.question, __version__, {}, show=wanted.show, grades=wanted.grades or None
    )
    said = events_beforehand(Beforehand() if known is None else known, brought)
    made = events_for(brought, data)
    made = replace(made, events=[*made.events, *said])
    progressed(f"writing {path.name}")
    ProjectFile.create(path, [created, *made.events], made.blobs, on_network=wanted.on_network)
    return made


def refuse_existing(path: Path) -> None:
    """Refuse a name that is taken, or where nothing can be written, before any work is done."""
    if path.is_symlink() or check_target(path).exists():
        raise InvalidInputError(f"{path} is there already, and is left as it is; choose another name")
