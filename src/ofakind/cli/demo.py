"""``ofakind demo``: chosen questions against random ones, on handwritten digits."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    *,
    objects: Annotated[
        int, typer.Option(min=10, max=1797, metavar="N", help="How many digits to sort.")
    ] = 1000,
    budget: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Answers for each method.", show_default="40 a digit"),
    ] = None,
    gamma: Annotated[
        float, typer.Option(min=0, max=1, metavar="P", help="Share of answers that are random.")
    ] = 0.4,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Fixes every random choice.")] = 0,
    report: Annotated[Path, typer.Option(metavar="FILE", help="The report (HTML).")] = Path(
        "demo-report.html"
    ),
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the chart too, as SVG.")] = None,
) -> None:
    """Watch ofakind sort handwritten digits that it never sees.

    It only gets answers to "are these two the same digit?", and many of them are wrong. JEIG, which chooses
    its questions, runs against Uniform, which asks at random; both get the same budget and the same noise.
    Takes under a minute, offline. Ctrl-C stops early and still writes the report.

    Example: ofakind demo --objects 600 --seed 1
    """
    from ofakind.cli.race import Settings
    from ofakind.cli.show import show

    if not show(Settings.of(objects, budget, gamma, seed), report_path=report, picture_path=picture):
        raise typer.Exit(130)
