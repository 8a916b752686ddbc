"""``ofakind demo``: chosen questions against the paper's and random ones, on handwritten digits."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from ofakind.cli.demo import STANDARD_OUTPUT
from ofakind.errors import InvalidInputError
from ofakind.interrupts import uninterrupted


def demo(
    *,
    records: Annotated[
        bool, typer.Option("--records", help="Find duplicates in a made-up list of people instead.")
    ] = False,
    page: Annotated[
        bool, typer.Option("--page", help="Label pictures of digits yourself, on the page.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --page: keeps pictures and project here.")
    ] = None,
    objects: Annotated[
        int, typer.Option(min=10, max=1797, metavar="N", help="How many digits to sort.")
    ] = 600,
    budget: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Answers for each method.", show_default="40 a digit"),
    ] = None,
    gamma: Annotated[
        float, typer.Option(min=0, max=1, metavar="P", help="Share of answers that are random.")
    ] = 0.4,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Fixes every random choice.")] = 0,
    report: Annotated[
        Path, typer.Option(metavar="FILE", help="The report (HTML); - is standard output.")
    ] = Path("demo-report.html"),
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the chart too, as SVG; - is standard output."),
    ] = None,
) -> None:
    """Watch ofakind sort handwritten digits that it never sees.

    It only gets answers to "are these two the same digit?", and many of them are wrong. Its own method runs
    against JEIG, the paper's choice, and Uniform, which asks at random; all get the same budget and the
    same noise. Takes under a minute, offline. Ctrl-C stops early and still writes the report. Where a file
    goes to standard output, everything else is written to standard error.

    With --records it is the way of a list of people, misspelt, from a file to groups, by a simulated person;
    only --seed and --budget (by default 150) have a meaning then.

    With --page you answer yourself: pictures of digits become a project, and a page opens. Only --folder,
    --objects and --seed have a meaning then. Without a folder everything is removed at the end.

    Example: ofakind demo --page
    """
    if page:
        uninterrupted(load_digits_page)
        from ofakind.cli.demo.digits import show_digits

        raise typer.Exit(show_digits(folder, objects, seed))
    if folder is not None:
        raise InvalidInputError("--folder is for the page; give --page, too, or leave it out")
    if records:
        uninterrupted(load_records)
        from ofakind.cli.demo.records import show_records

        show_records(people=120, records=300, budget=budget or 150, seed=seed)
        return
    check_writable(report, picture)
    story = f"{objects:,} of 1,797 handwritten digits; {gamma:.0%} of answers are random"
    typer.echo(story, err=STANDARD_OUTPUT in (report, picture))
    uninterrupted(load)
    from ofakind.cli.demo.race import RaceSettings
    from ofakind.cli.demo.show import show

    if not show(RaceSettings.of(objects, budget, gamma, seed), report_path=report, picture_path=picture):
        raise typer.Exit(130)


def load() -> None:
    """Import what takes seconds."""
    for module in ("numba", "sklearn.datasets", "ofakind.cli.demo.show"):
        import_module(module)


def load_digits_page() -> None:
    """Import what takes seconds; without the page, say how to get it."""
    from importlib.util import find_spec

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise InvalidInputError("the page is not installed; pip install 'ofakind[web]' gives you the page")
    for module in ("numba", "sklearn.datasets", "ofakind.cli.demo.digits"):
        import_module(module)


def load_records() -> None:
    """Import what takes seconds."""
    for module in ("numba", "ofakind.cli.demo.records"):
        import_module(module)


def check_writable(report: Path, picture: Path | None) -> None:
    """Refuse paths that could not be written, before any work is done."""
    from ofakind.files import check_target

    if report == picture == STANDARD_OUTPUT:
        raise InvalidInputError(
            "the report and the picture cannot both go to standard output; name a file for one of them"
        )
    files = [path for path in (report, picture) if path not in (None, STANDARD_OUTPUT)]
    targets = [check_target(path) for path in files if path is not None]
    if len(set(targets)) < len(targets):
        raise InvalidInputError(
            f"the report and the picture would both be {targets[0].name}; give them two names"
        )
