"""``ofakind add``: more objects for a project."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from ofakind.cli.options import (
    CopyOption,
    DelimiterOption,
    EncodingOption,
    IdOption,
    OnNetworkOption,
    ProjectArgument,
    ScoresOption,
    VectorsOption,
)
from ofakind.cli.printable import printable


def add(
    project: ProjectArgument,
    objects: Annotated[
        Path, typer.Argument(metavar="FILE|FOLDER", help="More objects, of the same form as those before.")
    ],
    *,
    id: IdOption = None,  # noqa: A002
    vectors: VectorsOption = None,
    scores: ScoresOption = None,
    encoding: EncodingOption = None,
    delimiter: DelimiterOption = None,
    copy: CopyOption = False,
    on_network: OnNetworkOption = False,
) -> None:
    """Add objects to a project.

    Groups keep their numbers, and nothing that was answered changes. The ids come from the column that they
    came from before. Where vectors were given before, these need some, too; what was compared as text or
    numbers is compared in the new objects as well.

    Example: ofakind add customers.ofk more.csv
    """
    from ofakind.cli.taken import counted
    from ofakind.cli.watching import shown
    from ofakind.errors import noting
    from ofakind.project.bringing import SourceOptions
    from ofakind.project.from_files import ExtraFiles, add_from
    from ofakind.project.opening import open_project

    notes: dict[str, None] = {}
    with shown(), noting(notes), open_project(project, on_network=on_network) as opened:
        how = SourceOptions(id, encoding, delimiter, copy=copy)
        brought = add_from(opened, objects, how, ExtraFiles(vectors, scores, encoding=encoding))
        total = len(opened.ids)
    for note in notes:
        typer.echo(f"note: {printable(note)}", err=True)
    typer.echo(f"{counted(brought)} added · {total:,} in all → {printable(project)}")
    typer.echo(f"next: ofakind label {printable(quote(str(project)))}")
