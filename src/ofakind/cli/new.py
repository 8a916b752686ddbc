"""``ofakind new``: a file of records, a folder of pictures or a list of ids becomes a project."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.options import (
    CopyOption,
    DelimiterOption,
    EncodingOption,
    IdOption,
    NamesOption,
    OnNetworkOption,
    ScoresOption,
    VectorsOption,
)
from ofakind.cli.printable import printable
from ofakind.errors import InvalidInputError

if TYPE_CHECKING:
    from ofakind.priors.neighbours import Neighbours
    from ofakind.project.from_files import NewProject
    from ofakind.project.making import ProjectOptions
    from ofakind.project.plan import QuestionPlan


def new(
    objects: Annotated[
        Path,
        typer.Argument(metavar="FILE|FOLDER", help="CSV, TSV, JSONL, Parquet, .npy, .txt, or pictures."),
    ],
    *,
    id: IdOption = None,  # noqa: A002
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="NAME.ofk", help="The project file to make.")
    ] = None,
    show: Annotated[NamesOption, typer.Option(metavar="A,B", help="Columns that people see.")] = None,
    text: Annotated[NamesOption, typer.Option(metavar="A,B", help="Columns to compare as text.")] = None,
    vector: Annotated[NamesOption, typer.Option(metavar="A,B", help="Columns to compare as numbers.")] = None,
    ignore: Annotated[NamesOption, typer.Option(metavar="A,B", help="Columns not to compare.")] = None,
    vectors: VectorsOption = None,
    scores: ScoresOption = None,
    must_link: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Pairs of ids that are of a kind for certain.")
    ] = None,
    cannot_link: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Pairs of ids that are not, for certain.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Groups that are known; they become answers.")
    ] = None,
    question: Annotated[
        str, typer.Option(metavar="TEXT", help="What people are asked.")
    ] = "Are these two of a kind?",
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Equal seeds give equal questions.")] = 0,
    encoding: EncodingOption = None,
    delimiter: DelimiterOption = None,
    copy: CopyOption = False,
    log: Annotated[
        bool,
        typer.Option("--log", help="FILE is a log that `ofakind export --log` wrote: make it a project."),
    ] = False,
    on_network: OnNetworkOption = False,
) -> None:
    """Make a project from records, pictures, vectors or ids.

    Text columns say beforehand which records may be of a kind, or columns of numbers do where there are
    three or more and no text; the options choose others. A file that is there is never replaced, and what
    cannot be read is refused with its line and column.

    Example: ofakind new customers.csv --id customer_id
    """
    from ofakind.cli.export import refuse_standard_output
    from ofakind.cli.taken import taken
    from ofakind.cli.watching import shown
    from ofakind.errors import noting
    from ofakind.project.bringing import SourceOptions
    from ofakind.project.from_files import ExtraFiles, NewProject
    from ofakind.project.making import ProjectOptions

    if output is not None:
        refuse_standard_output(output, "a project", "NAME.ofk")
    target = Path(f"{objects.resolve().stem}.ofk") if output is None else output
    columns = {"show": show, "text": text, "vector": vector, "ignore": ignore}
    files = ExtraFiles(vectors, scores, must_link, cannot_link, encoding)
    how = SourceOptions(id, encoding, delimiter, copy=copy)
    wanted = NewProject(objects, target, how, columns, files=files, groups=groups)
    options = ProjectOptions(question, seed, on_network=on_network)
    if log:
        _from_log(wanted, options)
        return
    notes: dict[str, None] = {}
    with shown(), noting(notes):
        brought, made = wanted.make(options)
    for note in notes:
        typer.echo(f"note: {printable(note)}", err=True)
    parts = [*taken(brought, made), f"seed {seed}"]
    typer.echo(f"{' · '.join(parts)} → {printable(target)}")
    if len(brought.ids) < 2:
        typer.echo(f"next: ofakind add {printable(quote(str(target)))} FILE")
        return
    typer.echo(f"plan: {plan_for(made.graph, seed)}")
    typer.echo(f"next: ofakind label {printable(quote(str(target)))}")


def _from_log(wanted: "NewProject", options: "ProjectOptions") -> None:
    """Make a project of a log; everything else that could be said of it is in there already."""
    from dataclasses import replace

    from ofakind.project.making import ProjectOptions, refuse_existing
    from ofakind.project.transfer import project_from_log

    if wanted.says_more or replace(options, on_network=False) != ProjectOptions():
        raise InvalidInputError("--log makes a project as it was; leave all other options out, but for -o")
    refuse_existing(wanted.target)
    found = project_from_log(wanted.source, wanted.target, on_network=options.on_network)
    typer.echo(f"{found} → {printable(wanted.target)}")
    typer.echo(f"next: ofakind label {printable(quote(str(wanted.target)))}")


def plan_for(graph: "Neighbours | None", seed: int) -> "QuestionPlan":
    """Say about how many questions it will take: a few seconds, besides what is compiled once."""
    from ofakind.cli.waiting import waiting
    from ofakind.project.plan import PLAN, QuestionPlan, planned

    if graph is None or not len(graph.pairs):
        return QuestionPlan(PLAN.target)
    with waiting("making a plan"):
        return planned(graph, seed=seed)
