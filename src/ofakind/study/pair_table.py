"""The tables of a study of features: answers to an F1 over pairs, by dataset, oracle and method."""

from collections.abc import Iterable, Sequence

import numpy as np

from ofakind.study.curves import Curve
from ofakind.study.short import TARGET, grid, times
from ofakind.study.styles import styles_of
from ofakind.study.summary import answers_to_reach, checked, grouped, setting_of
from ofakind.study.table import NEVER, Section, Table, one_line

PAIR_TARGETS = (0.9, 0.95, 0.99)
PAIR_HEADINGS = (
    "method",
    *(f"to F1 {target:.2f}" for target in PAIR_TARGETS),
    f"to ARI {TARGET:.2f}",
    "last F1",
)
PAIR_LEGEND = (
    "to F1 x: answers until the F1 over pairs is first at least x; 0: before any answer.",
    f"Answers are the median over seeds, a seed that did not get there counting as never; {NEVER}: never.",
    "last F1: that of the last round, the median over seeds.",
)


def pair_sections(curves: Iterable[Curve]) -> list[Section]:
    """Return for each oracle a table for each dataset, a row for each method."""
    found = []
    for oracle, shared in grouped(checked(curves), lambda curve: curve.oracle).items():
        tables = [_table(setting.dataset, runs) for setting, runs in grouped(shared, setting_of).items()]
        found.append(Section(one_line(oracle), tuple(tables), None))
    return found


def pair_glance(curves: Iterable[Curve]) -> list[Section]:
    """Return for each oracle answers to F1 and last F1, a row for each dataset; then the times."""
    runs = checked(curves)
    found = []
    for oracle, shared in grouped(runs, lambda curve: curve.oracle).items():
        groups = grouped(shared, lambda curve: (curve.dataset, curve.method))
        counts = sorted({len(group) for group in groups.values()})
        note = f"Median over {' or '.join(map(str, counts))} seed{'s' * (counts != [1])}."
        aims = [("pair F1", "pair_f1", target) for target in PAIR_TARGETS] + [("ARI", "ari", TARGET)]
        tables = [
            grid(
                f"Answers to {name} {target}",
                note,
                {key: answers_cell(group, target, measure) for key, group in groups.items()},
            )
            for name, measure, target in aims
        ]
        tables.append(grid("Last pair F1", note, {key: last_cell(group) for key, group in groups.items()}))
        found.append(Section(one_line(oracle), tuple(tables), None))
    return [*found, *times(runs)]


def answers_cell(runs: Sequence[Curve], target: float, measure: str = "pair_f1") -> str:
    """Median of the answers to a target; a run that did not get there counts as infinitely many."""
    reached = (answers_to_reach(run, target, measure) for run in runs)
    median = float(np.median([np.inf if answers is None else answers for answers in reached]))
    return f"{median:,.0f}" if np.isfinite(median) else NEVER


def last_cell(runs: Sequence[Curve]) -> str:
    """Median of the last F1."""
    return f"{np.median([run.pair_f1[-1] if len(run.pair_f1) else 0.0 for run in runs]):.3f}"


def _table(dataset: str, runs: list[Curve]) -> Table:
    methods = grouped(runs, lambda curve: curve.method)
    most = max(map(len, methods.values()))
    rows = []
    for method in styles_of(methods):
        own = methods[method]
        fewer = "" if len(own) == most else f" ({len(own)} seed{'s' * (len(own) != 1)})"
        numbers = (answers_cell(own, target) for target in PAIR_TARGETS)
        rows.append((one_line(method) + fewer, *numbers, answers_cell(own, TARGET, "ari"), last_cell(own)))
    answers = max((int(run.answers[-1]) for run in runs if len(run.answers)), default=0)
    note = f"{most} seed{'s' * (most != 1)}, at most {answers:,} answers"
    return Table(one_line(dataset), note, PAIR_HEADINGS, tuple(rows))
