"""A small project of the present version of the file, to be kept when the version changes.

PYTHONPATH=tests python -m twins.past_projects      writes tests/project/past/version_N.ofk
"""

from pathlib import Path

import ofakind as ok
from ofakind.project.schema import SCHEMA_VERSION

PAST = Path(__file__).parents[1] / "project" / "past"
RECORDS = [
    {"id": "a7", "name": "Joe's Diner", "city": "Rome"},
    {"id": "b2", "name": "Joes Diner", "city": "Rome"},
    {"id": "ç3", "name": "The Ritz\N{NO-BREAK SPACE}\N{GRINNING FACE}", "city": "Paris"},
    {"id": "d4", "name": "Ritz", "city": None},
    {"id": "e5", "name": "Blue Note", "city": "New York"},
]


def main() -> None:
    """Make it, with an answer, a correction, an undo and a pin; with its cache."""
    scores = [("a7", "b2", 0.9), ("d4", "e5", 0.2)]
    path = PAST / f"version_{SCHEMA_VERSION}.ofk"
    made = ok.new_project(
        RECORDS, "id", path=path, scores=scores, fields=(), question="The same place?", seed=7
    )
    with made as project:
        project.tell(("a7", "b2"), 1, "Ada")
        wrong = project.tell(("ç3", "e5"), -0.5, "Bob")
        project.correct(wrong, -1.0)
        project.undo(project.undo(project.pin(("d4", "e5"), same=True, annotator="Ada")))
        project.ask(2, "Cyd")
        project.status()


if __name__ == "__main__":
    main()
