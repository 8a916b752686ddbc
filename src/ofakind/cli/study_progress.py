"""What ``study run`` prints while it runs: one live line on a terminal, plain lines elsewhere."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ofakind.study.runner import Finished
from ofakind.study.spec import Cell


@dataclass(frozen=True, slots=True)
class ProgressRules:
    """Tuned numbers of progress, chosen by judgement."""

    plain_every: float = 5.0  # seconds between two lines where there is no terminal


PROGRESS = ProgressRules()


class TimeLeft:
    """How long the cells to go may take, from those of the same method, or else of all, that are done."""

    def __init__(self, cells: Iterable[Cell], workers: int = 1) -> None:
        self._left = {cell.key: cell.method.name for cell in cells}
        self._workers = workers
        self._start = perf_counter()
        self._times: dict[str, list[float]] = defaultdict(list)

    def add(self, item: Finished) -> None:
        """Count one cell as done."""
        self._left.pop(item.cell.key, None)
        self._times[item.cell.method.name].append(item.seconds)

    def seconds(self) -> float:
        """Return how long it may take; 0 when nothing is left or nothing is known."""
        every = [time for times in self._times.values() for time in times]
        if not every:
            return 0.0
        overall = sum(every) / len(every)
        means = {name: sum(times) / len(times) for name, times in self._times.items()}
        total = sum(means.get(name, overall) for name in self._left.values())
        seen = sum(every) / (perf_counter() - self._start)  # of a cluster, only this tells the size
        return total / max(1.0, min(max(self._workers, seen), len(self._left)))


def watch(items: Iterable[Finished], cells: list[Cell], workers: int) -> None:
    """Show each finished cell as it comes; nothing when there is nothing to do."""
    if not cells:
        return
    console = Console(highlight=False, markup=False, soft_wrap=True)
    time_left = TimeLeft(cells, workers)
    show = _live if console.is_terminal else _plain
    for item in show(console, items, time_left, len(cells)):
        if item.failure is not None:
            console.print(f"failed: {item.cell}: {item.failure}")


def _live(console: Console, items: Iterable[Finished], time_left: TimeLeft, total: int) -> Iterator[Finished]:
    columns = (
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}", markup=False),  # names are not ours: "[b]" is a good one
    )
    with Progress(*columns, console=console) as progress:
        row = progress.add_task("", total=total, left="")
        for item in items:
            time_left.add(item)
            left = f"{duration(time_left.seconds())} left"
            progress.update(row, advance=1, left=left, description=str(item.cell), refresh=True)
            yield item
        progress.update(row, left="", description="")


def _plain(
    console: Console, items: Iterable[Finished], time_left: TimeLeft, total: int
) -> Iterator[Finished]:
    shown = perf_counter()
    for count, item in enumerate(items, 1):
        time_left.add(item)
        if count == total or perf_counter() - shown > PROGRESS.plain_every:
            shown = perf_counter()
            console.print(f"{count} of {total} runs, {duration(time_left.seconds())} left")
        yield item


def duration(seconds: float) -> str:
    """Write a length of time the way people say it.

    >>> duration(42.3), duration(150), duration(8000)
    ('42 s', '2 min 30 s', '2 h 13 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
