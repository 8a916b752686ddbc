"""What the demo prints: live rows on a terminal, plain lines elsewhere, then a summary."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ofakind.cli.demo.race import Curve, Digits, Settings, contestants, race, warm_up
from ofakind.cli.demo.report import HEADINGS, Outcome, cells, picture, report, verdict, write
from ofakind.errors import NotConvergedWarning

PATIENCE = 3.0  # seconds; reading compiled code from disk takes less, compiling it takes more
PLAIN_LINES = 10  # for each method


class Screen(Console):
    """A console that leaves a closed pipe to the command line, which knows how to end quietly."""

    def on_broken_pipe(self) -> None:
        """Raise again what is being handled."""
        raise  # noqa: PLE0704 - rich calls this while it handles the error


def show(settings: Settings, *, report_path: Path, picture_path: Path | None) -> bool:
    """Run the demo and write its files; False if it was stopped before the budget was spent."""
    console = Screen(highlight=False, markup=False, soft_wrap=True)
    with warnings.catch_warnings():
        # A belief that is not quite settled still makes good questions, and the curves tell how good.
        warnings.simplefilter("ignore", NotConvergedWarning)
        with preparing(console):
            digits = Digits.load(settings.objects, settings.seed)
            warm_up()
        outcome = run_race(console, digits, settings)
    conclude(console, outcome)
    write(report_path, report(outcome))
    console.print(f"written: {report_path}")
    if picture_path is not None:
        write(picture_path, picture(outcome))
        console.print(f"written: {picture_path}")
    return outcome.finished


def run_race(console: Console, digits: Digits, settings: Settings) -> Outcome:
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
    return Outcome(settings, digits, [curve for curve in curves if curve.points], finished)


def watch_live(console: Console, curves: list[Curve], budget: int, moves: Iterable[Curve]) -> None:
    """Show one row for each method, kept up to date."""
    columns = (
        TextColumn("{task.description:8}"),
        BarColumn(bar_width=20),
        TextColumn("{task.completed:>6,.0f} answers"),
        TextColumn("{task.fields[k]:>3} clusters"),
        TextColumn("ARI {task.fields[ari]:.2f}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    with Progress(*columns, console=console) as progress:
        rows = {curve.name: progress.add_task(curve.name, total=budget, k=0, ari=0.0) for curve in curves}
        for curve in moves:
            last = curve.last
            progress.update(rows[curve.name], completed=last.answers, k=last.k, ari=last.ari)


def watch_plain(console: Console, curves: list[Curve], budget: int, moves: Iterable[Curve]) -> None:
    """Print a line for each method now and then."""
    start = perf_counter()
    printed = dict.fromkeys((curve.name for curve in curves), 0)
    for curve in moves:
        last = curve.last
        share = last.answers / budget
        if int(share * PLAIN_LINES) > printed[curve.name]:
            printed[curve.name] = int(share * PLAIN_LINES)
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

    timer = Timer(PATIENCE, say)
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


def conclude(console: Console, outcome: Outcome) -> None:
    """Print the summary: a table and one sentence."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == HEADINGS[0] else "right", no_wrap=True)
    for curve in outcome.curves:
        table.add_row(*cells(curve))
    console.print()
    if not outcome.finished:
        console.print("stopped early; this is what there is so far\n")
    console.print(table)
    console.print(f"\n{verdict(outcome)}")
