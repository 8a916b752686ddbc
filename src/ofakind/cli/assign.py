"""``ofakind assign``: where would these objects belong?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ofakind.cli.options import DelimiterOption, EncodingOption, IdOption, ScoresOption, VectorsOption
from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, opened

if TYPE_CHECKING:
    from ofakind.project.assigning import Placement


def assign(
    path: ProjectPath,
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="New objects, of the same form as those of the project.")
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
    ] = Path("-"),
    id: IdOption = None,  # noqa: A002
    vectors: VectorsOption = None,
    scores: ScoresOption = None,
    encoding: EncodingOption = None,
    delimiter: DelimiterOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Say where new objects would belong.

    For each the group with its probability, or none of these.
    By features and the groups as they are: nothing is added, and nobody is asked. Those that are wanted in
    the project come in with ofakind add. Columns: id, group (empty for none of these), probability, none,
    nearest (the object of that group that is most alike), others.

    Example: ofakind assign customers.ofk new.csv -o places.csv
    """
    from ofakind.cli.export import deliver_table, refuse_to_replace
    from ofakind.cli.watching import shown
    from ofakind.errors import noting
    from ofakind.files import check_target
    from ofakind.project.bringing import SourceOptions
    from ofakind.project.from_files import ExtraFiles, assign_from

    if str(output) != "-":
        refuse_to_replace(check_target(output), output, force=force)
    notes: dict[str, None] = {}
    with shown(), noting(notes), opened(path) as project:
        how = SourceOptions(id, encoding, delimiter)
        found = assign_from(project, source, how, ExtraFiles(vectors, scores, encoding=encoding))
    for note in notes:
        typer.echo(f"note: {printable(note)}", err=True)
    deliver_table(placement_table(found), output)
    placed = sum(one.group is not None for one in found)
    typer.echo(f"{placed:,} of {len(found):,} would belong to a group, the others to none of these", err=True)


def placement_table(found: "list[Placement]") -> dict[str, list[Any]]:
    """Return placements by columns."""
    return {
        "id": [one.id for one in found],
        "group": [one.group for one in found],
        "probability": [round(one.probability, 4) for one in found],
        "none": [round(one.none, 4) for one in found],
        "nearest": [one.nearest for one in found],
        "others": [" ".join(f"{group}:{chance:.3f}" for group, chance in one.others) for one in found],
    }
