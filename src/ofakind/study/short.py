"""The short tables of a study: all datasets at a glance, and every method against one of them."""

from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np

from ofakind.errors import InvalidInputError
from ofakind.study.curves import Curve
from ofakind.study.styles import styles_of
from ofakind.study.summary import (
    SIGNIFICANCE,
    Summary,
    answers_to_reach,
    areas_of,
    checked,
    dataset_order,
    estimate,
    grouped,
    holm,
    seconds_per_round,
    signed_rank,
    summarise,
)
from ofakind.study.table import NEVER, Section, Table, one_line, p_cell

TARGET = 0.95  # of the answers that are shown

GLANCE_LEGEND = (
    f"answers: until the ARI is first at least {TARGET}; {NEVER}: not all seeds got there.",
    "area: mean ARI from no answer to the largest number bought there by any run.",
    "last ARI: that of the last round. All are means over seeds; the full tables have intervals.",
)
AGAINST_LEGEND = (
    "area: difference of the areas of runs with the same dataset and seed; positive is better.",
    f"answers saved: share of its answers to ARI {TARGET}, over the runs in which both got there.",
    "±: half-width of the 95% Student t interval of the mean over these runs.",
    "p: Wilcoxon's signed-rank test of the areas, two-sided, corrected by Holm's method over the table.",
)
AGAINST = ("method", "runs", "area", "wins", "losses", "p", "answers saved", "both got there")


# -- all datasets at a glance ------------------------------------------------------------------------------


def glance(curves: Iterable[Curve]) -> list[Section]:
    """Return for each oracle answers needed, areas and last ARIs, a row for each dataset; then the times."""
    runs = checked(curves)
    last = {
        key: float(np.mean([run.ari[-1] if len(run.ari) else 0.0 for run in shared]))
        for key, shared in grouped(runs, lambda run: (run.oracle, run.dataset, run.method)).items()
    }
    sections = []
    for oracle, group in groupby(summarise(runs), key=lambda summary: summary.setting.oracle):
        shared = {(summary.setting.dataset, summary.method): summary for summary in group}
        note = _seeds(list(shared.values()))
        tables = (
            grid(f"Answers to ARI {TARGET}", note, {key: _answers(one) for key, one in shared.items()}),
            grid("Area", note, {key: f"{one.area.mean:.3f}" for key, one in shared.items()}),
            grid("Last ARI", note, {key: f"{last[oracle, *key]:.2f}" for key in shared}),
        )
        sections.append(Section(one_line(oracle), tables, None))
    return [*sections, *times(runs)]


def grid(title: str, note: str, cells: dict[tuple[str, str], str]) -> Table:
    """Put cells by dataset and method into rows and columns, methods as in the figures' legends."""
    methods = list(styles_of(method for _, method in cells))
    datasets = sorted({dataset for dataset, _ in cells}, key=dataset_order)
    rows = ((one_line(name), *(cells.get((name, m), "") for m in methods)) for name in datasets)
    return Table(title, note, ("dataset", *map(one_line, methods)), tuple(rows))


def _answers(summary: Summary) -> str:
    reach = next(reach for reach in summary.reaches if reach.target == TARGET)
    if reach.answers is None or reach.reached < reach.runs:
        return NEVER
    return f"{reach.answers.mean:,.0f}"


def _seeds(summaries: list[Summary]) -> str:
    """Say how many seeds each dataset has, and which methods have fewer."""
    most: dict[str, int] = {}
    for one in summaries:
        most[one.setting.dataset] = max(one.area.n, most.get(one.setting.dataset, 0))
    parts = [f"{seeds} seed{'s' * (seeds > 1)}: {', '.join(names)}" for seeds, names in _by_value(most)]
    fewer = [
        f"{one.method} on {one.setting.dataset} ({one.area.n})"
        for one in sorted(summaries, key=lambda one: (one.method, dataset_order(one.setting.dataset)))
        if one.area.n < most[one.setting.dataset]
    ]
    return one_line("; ".join(parts) + "." + (f" Fewer: {', '.join(fewer)}." if fewer else ""))


def _by_value(counts: dict[str, int]) -> Iterator[tuple[int, list[str]]]:
    for count in sorted(set(counts.values())):
        yield count, sorted((name for name in counts if counts[name] == count), key=dataset_order)


def times(runs: list[Curve]) -> list[Section]:
    """Seconds per round; nothing where no dataset has all methods."""
    seconds = seconds_per_round(runs)
    if not seconds.datasets:
        return []
    note = f"Mean over the rounds, then over {', '.join(map(one_line, seconds.datasets))}."
    rows = tuple((one_line(method), f"{value:.3f}") for method, value in seconds.by_method.items())
    table = Table("Seconds per round", note, ("method", "seconds"), rows)
    return [Section("Computing time", (table,), None)]


# -- every method against one ------------------------------------------------------------------------------


def against(curves: Iterable[Curve], rival: str) -> list[Section]:
    """Return for each oracle what every method gains over ``rival``: a table for each dataset, one for all.

    Raises:
        InvalidInputError: no run is of that method.
    """
    runs = checked(curves)
    methods = list(styles_of(curve.method for curve in runs))
    if rival not in methods:
        raise InvalidInputError(f"there are no runs of {rival!r}; expected one of {methods}")
    sections = []
    for oracle, shared in grouped(runs, lambda curve: curve.oracle).items():
        datasets = sorted({curve.dataset for curve in shared}, key=dataset_order)
        choices = [(one_line(name), {name}) for name in datasets]
        if len(datasets) > 1:
            choices.append(("all datasets", set(datasets)))
        tables = [
            _gains(title, [c for c in shared if c.dataset in kept], rival, methods) for title, kept in choices
        ]
        sections.append(Section(one_line(oracle), tuple(tables), None))
    return sections


def _gains(title: str, runs: list[Curve], rival: str, methods: list[str]) -> Table:
    """What each method gains over the rival in these runs."""
    areas = areas_of(runs)
    common = {m: [cell for cell in areas[m] if cell in areas[rival]] for m in methods if m != rival}
    gaps = {
        method: np.array([areas[method][cell] - areas[rival][cell] for cell in cells])
        for method, cells in common.items()
        if cells
    }
    corrected = holm([signed_rank(gap)[0] for gap in gaps.values()])
    answers = {(c.method, c.dataset, c.seed): answers_to_reach(c, TARGET) for c in runs}
    rows = []
    for (method, gap), p in zip(gaps.items(), corrected, strict=True):
        signs = (str(int(np.sum(gap > SIGNIFICANCE.same))), str(int(np.sum(gap < -SIGNIFICANCE.same))))
        both = ((answers[method, *cell], answers[rival, *cell]) for cell in common[method])
        saved = [100 * (1 - mine / others) for mine, others in both if mine is not None and others]
        numbers = (str(len(gap)), mean_cell(gap.tolist(), "+z.3f"), *signs, p_cell(p))
        rows.append((one_line(method), *numbers, mean_cell(saved, "z.0f", "%"), str(len(saved))))
    return Table(title, f"against {one_line(rival)}", AGAINST, tuple(rows))


def mean_cell(values: list[float], form: str, unit: str = "") -> str:
    """Mean and half-width of some differences; "z" in the form writes -0 as 0.

    >>> mean_cell([0.1, 0.3], "+z.2f"), mean_cell([-0.2], "z.0f", "%"), mean_cell([], ".0f")
    ('+0.20 ± 1.27', '0%', '—')
    """
    if not values:
        return NEVER
    found = estimate(values)
    spread = "" if found.half_width is None else f" ± {found.half_width:{form.lstrip('+')}}{unit}"
    return f"{found.mean:{form}}{unit}{spread}"
