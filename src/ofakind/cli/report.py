"""``ofakind report``: a page about a project."""

from pathlib import Path
from typing import Annotated

import typer

from ofakind.cli.export import refuse_standard_output, refuse_to_replace
from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, opened


def report(
    path: ProjectPath,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The page (HTML).")] = Path(
        "report.html"
    ),
    target: Annotated[
        float,
        typer.Option(
            metavar="SHARE", min=0.001, max=0.9, help="Wrong pairs to aim at, as a share of those by chance."
        ),
    ] = 0.01,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a page about a project.

    One HTML file that needs nothing else: numbers, progress, what to check by hand, groups, people, history.

    Example: ofakind report customers.ofk -o report.html
    """
    from ofakind.files import check_target

    refuse_standard_output(output, "the page", "report.html")

    refuse_to_replace(check_target(output), output, force=force)
    with opened(path) as project:
        project.report(output, target=target)
    typer.echo(f"written: {printable(output)}")
