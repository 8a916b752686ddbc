"""``ofakind study``: run an experiment, look at it, draw it."""

import warnings
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.errors import InvalidInputError

if TYPE_CHECKING:
    from ofakind.study.curves import Curve
    from ofakind.study.figures import Drawing
    from ofakind.study.spec import Study
    from ofakind.study.store import Store

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="STUDY", help="A TOML file, or a name that `study list` shows.")]
Results = Annotated[Path, typer.Option(metavar="FOLDER", help="Where results are kept.")]
HERE = Path("ofakind-results")


@app.callback()
def study() -> None:
    """Run experiments: compare methods on datasets, with seeds, intervals and figures.

    Example: ofakind study run smoke --jobs 2
    """


@app.command("list")
def list_studies() -> None:
    """Show the studies that come with ofakind.

    Example: ofakind study list
    """
    from ofakind.study.spec import Study, names

    studies = {name: Study.load(name) for name in names()}
    widest = max(map(len, studies))
    for name, found in studies.items():
        typer.echo(f"{name:{widest}}  {len(found.cells):>5} runs  {found.title}")


@app.command()
def run(
    name: Name,
    *,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Processes to use.")] = 1,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use a Dask cluster: tcp://host:8786.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run again what failed before.")] = False,
    results: Results = HERE,
) -> None:
    """Run what is not done yet. Stop with Ctrl-C at any time; the next run goes on from there.

    A damaged result counts as not done. A run that fails stops no other; its reason is shown and kept, and
    the exit code is 1.

    Example: ofakind study run smoke --jobs 2
    """
    from ofakind.cli.study_progress import watch
    from ofakind.study.runner import pending, run_study

    # A process that has grown is replaced by a fresh one, and this is what is said about it.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    found, store = _open(name, results)
    todo = pending(found, store, retry=retry)
    typer.echo(f"{name}: {_done(found, store)} of {len(found.cells)} runs are done, {len(todo)} to go")
    for damage in _damages(found, store):
        typer.echo(f"run again: {damage.partition(';')[0]}")
    with closing(run_study(found, store, jobs=jobs, dask=dask, retry=retry)) as finished:
        watch(finished, todo, jobs)
    if _advise(found, store, name):
        raise typer.Exit(1)


@app.command()
def status(name: Name, *, results: Results = HERE) -> None:
    """Show what is done, what failed and why, and which results are damaged.

    Example: ofakind study status paper
    """
    found, store = _open(name, results)
    _advise(found, store, name)


@app.command()
def table(
    name: Name,
    *,
    short: Annotated[bool, typer.Option("--short", help="Print a row for each dataset, and times.")] = False,
    against: Annotated[
        str | None, typer.Option(metavar="METHOD", help="Print what the others gain over this method.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    results: Results = HERE,
) -> None:
    """Print answers needed for ARI 0.8 to 0.99, the area under the curve, and who beats whom.

    A study of features (its measure is pair_f1) has answers to an F1 over pairs of 0.9 to 0.99 instead.

    Example: ofakind study table smoke
    """
    from ofakind.study import pair_table as pairs
    from ofakind.study import short as brief
    from ofakind.study import table as tables

    if short and against is not None:
        raise InvalidInputError("--short and --against print different tables; expected one of them")
    curves, by_pairs = _curves(name, results), _open(name, results)[0].measure == "pair_f1"
    legend: tuple[str, ...]
    if by_pairs and against is None:
        found, legend = (pairs.pair_glance if short else pairs.pair_sections)(curves), pairs.PAIR_LEGEND
    elif short:
        found, legend = brief.glance(curves), brief.GLANCE_LEGEND
    elif against is not None:
        found, legend = brief.against(curves, against), brief.AGAINST_LEGEND
    else:
        found, legend = tables.sections(curves), tables.LEGEND
    write = tables.as_markdown if markdown else tables.as_text
    typer.echo(write(found, legend), nl=False)


@app.command()
def honesty(
    name: Name,
    *,
    short: Annotated[bool, typer.Option("--short", help="Print all datasets together only.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Draw it too, into this folder.")
    ] = None,
    results: Results = HERE,
) -> None:
    """Print how often intervals for wrong pairs held, and what was expected against what was true.

    Where questions were forecast, as in the study called honesty, also how often forecasts held. A study of
    features (its measure is pair_f1) begins with a row for each dataset.

    Example: ofakind study honesty fewer
    """
    from ofakind.study import table as tables
    from ofakind.study.forecasting import FORECAST_LEGEND, forecast_sections
    from ofakind.study.honesty import COVERAGE_LEGEND, HONESTY_LEGEND, coverage_sections, honesty_sections

    curves = _curves(name, results)
    write = tables.as_markdown if markdown else tables.as_text
    if _open(name, results)[0].measure == "pair_f1":
        typer.echo(write(coverage_sections(curves), COVERAGE_LEGEND))
    typer.echo(write(honesty_sections(curves, short=short), HONESTY_LEGEND), nl=False)
    if forecasts := forecast_sections(curves):
        typer.echo("\n" + write(forecasts, FORECAST_LEGEND), nl=False)
    if output is not None:
        from ofakind.study.honesty_figure import draw_all_honesty

        _save(draw_all_honesty(curves), name, output)


@app.command()
def reference(
    name: Name,
    *,
    short: Annotated[bool, typer.Option("--short", help="Print a row for each dataset.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    results: Results = HERE,
) -> None:
    """Print the answers of somebody who knows all other objects and the noise, and the methods beside it.

    Example: ofakind study reference fewer
    """
    from ofakind.study import table as tables
    from ofakind.study.reference import REFERENCE_LEGEND, reference_at_a_glance, reference_sections

    found, store = _open(name, results)
    curves = [store.curve(cell) for cell in found.cells if store.kept(cell)]
    write = tables.as_markdown if markdown else tables.as_text
    sections = (reference_at_a_glance if short else reference_sections)(found, curves)
    typer.echo(write(sections, REFERENCE_LEGEND), nl=False)


@app.command()
def figures(
    name: Name,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write them.")
    ] = Path(),
    results: Results = HERE,
) -> None:
    """Draw the figures, as SVG and PNG (needs the plot extra).

    Example: ofakind study figures smoke -o figures
    """
    from ofakind.study.figures import draw_all

    _save(draw_all(_curves(name, results)), name, output)


@app.command()
def report(
    name: Name,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The page (HTML).")
    ] = None,
    results: Results = HERE,
) -> None:
    """Write one self-contained HTML page with the figures and the tables (needs the plot extra).

    Example: ofakind study report smoke -o smoke.html
    """
    from ofakind.files import write_whole
    from ofakind.study.page import page

    found, store = _open(name, results)
    curves = _curves(name, results)
    file = output or Path(f"{found.name}-report.html")
    origin = {"command": f"ofakind study run {name}", **store.manifests(found.cells)}
    write_whole(file, page(curves, title=found.title or found.name, manifest=origin).encode())
    typer.echo(f"written: {file}")


def _save(drawings: "list[Drawing]", name: str, folder: Path) -> None:
    from ofakind.files import prepare_folder
    from ofakind.study.figures import save

    prepare_folder(folder)
    for drawing in drawings:
        for file in save(drawing.figure, folder / f"{Path(name).stem}-{drawing.stem}"):
            typer.echo(f"written: {file}")


def _open(name: str, results: Path) -> "tuple[Study, Store]":
    from ofakind.study.spec import Study
    from ofakind.study.store import Store

    return Study.load(name), Store(results)


def _done(found: "Study", store: "Store") -> int:
    return sum(map(store.has, found.cells))


def _damages(found: "Study", store: "Store") -> list[str]:
    """Return which files cannot be read and why, each file once."""
    return list(dict.fromkeys(damage for cell in found.cells if (damage := store.damage(cell)) is not None))


def _curves(name: str, results: Path) -> "list[Curve]":
    """Curves of the finished runs; a hint when there are none, a word when some are missing."""
    found, store = _open(name, results)
    curves = [store.curve(cell) for cell in found.cells if store.kept(cell)]
    if not curves:
        first = f"ofakind study run {name}{_where(store)}"
        raise InvalidInputError(f"no results of {name} in {results}; first: {first}")
    if len(curves) < len(found.cells):
        typer.echo(f"only {len(curves)} of {len(found.cells)} runs are done", err=True)
    return curves


def _advise(found: "Study", store: "Store", name: str) -> int:
    """Say what is done, what failed and why, what is damaged and what to do next; the number of failures."""
    failures = {str(cell): reason for cell in found.cells if (reason := store.failure(cell)) is not None}
    done, damages = _done(found, store), _damages(found, store)
    damaged = f", {len(damages)} damaged" if damages else ""
    typer.echo(f"{name}: {done} of {len(found.cells)} runs done, {len(failures)} failed{damaged}")
    if older := store.count_older(found.cells):
        typer.echo(f"not counted: {older} results of older code (another revision or version of ofakind)")
    for cell, reason in failures.items():
        typer.echo(f"  {cell}: {reason}")
    for damage in damages:
        typer.echo(f"  {damage}")
    if failures:
        typer.echo(f"details: {store.folder}/*.failed.json")
        typer.echo(f"again:   ofakind study run {name} --retry{_where(store)}")
    if damages:
        typer.echo(f"mend:    ofakind study run {name}{_where(store)}")
    elif done:
        typer.echo(f"next:    ofakind study table {name}{_where(store)} (or figures, or report)")
    return len(failures)


def _where(store: "Store") -> str:
    """Return the option that names the results, where one is needed."""
    return "" if store.folder == HERE else f" --results {quote(str(store.folder))}"
