"""Opening a project from the command line, with progress where it takes long."""

import sys
from pathlib import Path

from ofakind.project.project import Project


def open_with_progress(path: Path, *, ahead: bool = False) -> Project:
    """Open a project; if somebody watches, say what is being done after two seconds."""
    from ofakind.project.opening import open_project

    if not sys.stderr.isatty():
        return open_project(path, ahead=ahead)
    from rich.console import Console

    with Console(stderr=True).status("opening the project and choosing the first questions"):
        return open_project(path, ahead=ahead)
