"""``ofakind new``: a file of records, a folder of pictures or a list of ids becomes a project."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.printable import printable

if TYPE_CHECKING:
    from ofakind.project.adding import Made
    from ofakind.project.events import FeaturesUsed
    from ofakind.project.objects import Brought

Source = Annotated[
    Path,
    typer.Argument(metavar="FILE|FOLDER", help="CSV, TSV, JSONL, Parquet, .npy, .txt, or pictures."),
]
Id = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the ids; else rows are numbered.")
]
Encoding = Annotated[str | None, typer.Option(metavar="NAME", help="How the file is encoded; else UTF-8.")]
Delimiter = Annotated[
    str | None, typer.Option(metavar="CHARACTER", help="What separates cells; else the header tells.")
]
Vectors = Annotated[
    Path | None, typer.Option(metavar="FILE.npy", help="Vectors of all objects, in their order.")
]
Scores = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Scores of pairs: two ids and a number, or Splink's.")
]
Columns = list[str] | None
SHOWN_NAMES = 6  # of columns, in the line that says what was taken


def new(
    source: Source,
    *,
    id: Id = None,  # noqa: A002
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="NAME.ofk", help="The project file to make.")
    ] = None,
    show: Annotated[Columns, typer.Option(metavar="A,B", help="Columns that people see.")] = None,
    text: Annotated[Columns, typer.Option(metavar="A,B", help="Columns to compare as text.")] = None,
    vector: Annotated[Columns, typer.Option(metavar="A,B", help="Columns to compare as numbers.")] = None,
    ignore: Annotated[Columns, typer.Option(metavar="A,B", help="Columns that say nothing.")] = None,
    vectors: Vectors = None,
    scores: Scores = None,
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
    encoding: Encoding = None,
    delimiter: Delimiter = None,
) -> None:
    """Make a project from a file of records, a folder of pictures, an array of vectors or a list of ids.

    Text columns say beforehand which records may be of a kind, or columns of numbers do where there are
    three or more and no text; --text, --vector and --ignore choose. A file that is there is never replaced,
    and what cannot be read is refused with its line and column.

    Example: ofakind new customers.csv --id customer_id
    """
    from ofakind.project import bringing
    from ofakind.project.making import ProjectOptions, make_project, refuse_existing

    target = Path(f"{source.resolve().stem}.ofk") if output is None else output
    refuse_existing(target)
    files = bringing.ExtraFiles(vectors, scores, must_link, cannot_link)
    brought, own = bringing.bring_file(source, bringing.SourceOptions(id, encoding, delimiter))
    given = {"show": show, "text": text, "vector": vector, "ignore": ignore}
    choice = bringing.ColumnChoice.of(brought, given)
    data = bringing.features_of(brought, choice, files, vectors=own, groups=groups)
    shown = bringing.shown_columns(brought, choice, groups)
    known = bringing.beforehand_of(files, groups)
    made = make_project(target, brought, data, known=known, options=ProjectOptions(question, seed, shown))
    if id is None and (key := bringing.likely_id(brought)):
        typer.echo(f"rows are numbered; ids could come from a column: --id {quote(printable(key))}", err=True)
    typer.echo(taken(brought, made, seed=seed, target=target))
    typer.echo(f"next: ofakind label {quote(str(target))}")


def taken(brought: "Brought", made: "Made", *, seed: int, target: Path) -> str:
    """Say in one line what was taken, and what may be expected of it."""
    from ofakind.project.events import AnswerGiven, FeaturesUsed, PairsPinned
    from ofakind.project.outlook import outlook_of

    parts = [f"{len(brought.ids):,} {'records' if brought.columns else 'objects'}"]
    features = next((event for event in made.events if isinstance(event, FeaturesUsed)), None)
    parts.append("no prior" if features is None else f"prior from {prior_of(features)}")
    if made.graph is not None:
        parts.append(str(outlook_of(made.graph)))
    pins = sum(len(event.pairs) for event in made.events if isinstance(event, PairsPinned))
    answers = [event for event in made.events if isinstance(event, AnswerGiven)]
    parts += [f"{pins:,} pinned pairs"] if pins else []
    parts += [f"{len(answers):,} answers from the column {answers[0].annotator}"] if answers else []
    return printable(f"{' · '.join([*parts, f'seed {seed}'])} → {target}")


def prior_of(features: "FeaturesUsed") -> str:
    """Say what the prior is made from."""
    parts = []
    if features.vectors is not None:
        parts.append("vectors" if features.descriptor is None else "how the pictures look")
    if features.fields is not None:
        parts.append(_columns("text", features.fields))
    if features.numbers is not None:
        parts.append(_columns("number", features.numbers))
    if features.scores is not None:
        parts.append("scores")
    return " and ".join(parts)


def _columns(kind: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return f"the {kind} column{'s' if len(names) > 1 else ''} {', '.join(names[:SHOWN_NAMES])}{more}"
