"""What the demo prints: live rows on a terminal, plain lines elsewhere, then a summary."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from time import perf_counter

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

from ofakind.cli.demo import STANDARD_OUTPUT
from ofakind.cli.demo.race import Digits, RaceCurve, RaceSettings, contestants, race, warm_up
from ofakind.cli.demo.report import (
    ARI_LEVELS,
    RACE_HEADINGS,
    RaceOutcome,
    cells,
    picture,
    report,
    verdict,
    write,
)
from ofakind.errors import AccuracyWarning, NotConvergedWarning

WIDE, MIDDLING = 77, 37  # columns of a terminal in which live rows show everything, and all but the bar


@dataclass(frozen=True, slots=True)
class ShowRules:
    """Tuned numbers of what is printed, chosen by judgement."""

    patience: float = 3.0  # seconds; reading compiled code from disk takes less, compiling it takes more
    plain_lines: int = 10  # for each method, where there is no terminal


SHOW = ShowRules()


class Display(Console):
    """A console that leaves a closed pipe to the command line, which knows how to end quietly."""

    def on_broken_pipe(self) -> None:
        """Raise again what is being handled."""
        raise  # noqa: PLE0704 - rich calls this while it handles the error


def show(settings: RaceSettings, *, report_path: Path, picture_path: Path | None) -> bool:
    """Run the demo and write its files; False if it was stopped before the budget was spent."""
    aside = STANDARD_OUTPUT in (report_path, picture_path)  # what is written there is to stay whole
    console = Display(highlight=False, markup=False, soft_wrap=True, stderr=aside)
    with warnings.catch_warnings():
        # A belief that is not quite settled still makes good questions, and the curves tell how good.
        for doubt in (NotConvergedWarning, AccuracyWarning):
            warnings.simplefilter("ignore", doubt)
        with preparing(console):
            digits = Digits.load(settings.objects, settings.seed)
            warm_up()
        outcome = run_race(console, digits, settings)
    conclude(console, outcome)
    deliver(console, report_path, report(outcome))
    if picture_path is not None:
        deliver(console, picture_path, picture(outcome))
    return outcome.finished


def deliver(console: Console, path: Path, content: str) -> None:
    """Write a file and say so, or write to standard output."""
    if path == STANDARD_OUTPUT:
        typer.echo(content.encode("utf-8"), nl=False)
    else:
        write(path, content)
        console.print(f"written: {path}")


def run_race(console: Console, digits: Digits, settings: RaceSettings) -> RaceOutcome:
    """Run the methods and show how they do; Ctrl-C ends the race with what there is."""
    curves = contestants()
    finished = False
    try:
        watch = watch_live if console.is_terminal else watch_plain
        watch(console, curves, settings.budget, race(curves, digits.truth, settings))
        finished = True
    except KeyboardInterrupt:
        if not curves[0].points:
            raise
    return RaceOutcome(settings, digits, [curve for curve in curves if curve.points], finished)


def watch_live(console: Console, curves: list[RaceCurve], budget: int, moves: Iterable[RaceCurve]) -> None:
    """Show one row for each method, kept up to date."""
    with Progress(*live_columns(console.width), console=console) as progress:
        rows = {curve.name: progress.add_task(curve.name, total=budget, k=0, ari=0.0) for curve in curves}
        for curve in moves:
            last = curve.last
            progress.update(rows[curve.name], completed=last.answers, k=last.k, ari=last.ari)


def live_columns(width: int) -> list[ProgressColumn]:
    """Columns of the live rows: what fits into the terminal, so that nothing is cut off."""
    name, ari = TextColumn("{task.description:8}"), TextColumn("ARI {task.fields[ari]:.2f}")
    clusters = TextColumn("{task.fields[k]:>3} clusters")
    if width < MIDDLING:
        return [name, ari]
    if width < WIDE:
        return [name, TextColumn("{task.completed:>6,.0f}"), clusters, ari]
    answers, left = TextColumn("{task.completed:>6,.0f} answers"), TimeRemainingColumn(compact=True)
    return [name, BarColumn(bar_width=20), answers, clusters, ari, left, TextColumn("left")]


def watch_plain(console: Console, curves: list[RaceCurve], budget: int, moves: Iterable[RaceCurve]) -> None:
    """Print a line for each method now and then."""
    start = perf_counter()
    printed = dict.fromkeys((curve.name for curve in curves), 0)
    for curve in moves:
        last = curve.last
        share = last.answers / budget
        if int(share * SHOW.plain_lines) > printed[curve.name]:
            printed[curve.name] = int(share * SHOW.plain_lines)
            left = (perf_counter() - start) * (1 - share) / share
            where = f"{last.answers:>7,} answers  {last.k:>3} clusters  ARI {last.ari:.2f}"
            console.print(f"{curve.name:8}{where}  {left:.0f} s left")


@contextmanager
def preparing(console: Console) -> Iterator[None]:
    """Show that something is going on, and say what if it takes long."""
    message = "compiling, once: this takes up to a minute, later runs start at once"

    def say() -> None:
        with suppress(OSError):  # the main thread will run into it too, and can report it
            console.print(message)

    timer = Timer(SHOW.patience, say)
    timer.daemon = True
    timer.start()
    try:
        if console.is_terminal:
            with console.status("getting ready"):
                yield
        else:
            yield
    finally:
        timer.cancel()


def conclude(console: Console, outcome: RaceOutcome) -> None:
    """Print the summary: a table and one sentence."""
    head, *rows = table_lines(outcome.curves, console.width if console.is_terminal else None)
    console.print()
    if not outcome.finished:
        console.print("stopped early; this is what there is so far\n")
    console.print(head, style="bold")
    console.print("\n".join(rows))
    console.print(f"\n{verdict(outcome)}", soft_wrap=not console.is_terminal)


def table_lines(curves: list[RaceCurve], width: int | None) -> list[str]:
    """Lines of the table, its head first: a row for each method or, in a narrow terminal, a column for each.

    Nothing is ever cut off or left out. Without a width, as in a pipe, each method has a row.
    """
    rows = [list(RACE_HEADINGS), *(cells(curve) for curve in curves)]
    lines = _aligned(rows)
    if width is None or max(map(len, lines)) <= width:
        return lines
    head, *body = (list(column) for column in zip(*rows, strict=True))
    levels = [[f"to ARI {level}", *needed] for level, *needed in body[: len(ARI_LEVELS)]]
    return _aligned([["answers", *head[1:]], *levels, *body[len(ARI_LEVELS) :]])


def _aligned(rows: list[list[str]]) -> list[str]:
    """Return the rows as lines with two blanks between columns: the first flush left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
