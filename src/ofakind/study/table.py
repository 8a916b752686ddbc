"""The tables of a study: answers needed, areas, and who beats whom; for a terminal and as Markdown."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise

from ofakind.study.curves import Curve
from ofakind.study.summary import (
    SIGNIFICANCE,
    TARGETS,
    Comparison,
    Estimate,
    Reach,
    Setting,
    Summary,
    compare,
    natural,
    pairs_needed,
    summarise,
)

TERMINAL_WIDTH = 100  # columns
GAP = "  "
NARROWEST = 8  # for the names of methods, which are wrapped
MOST_COLUMNS = 20  # of the matrix; with more methods it would not fit
BETTER, WORSE, ALIKE, UNMET = ">", "<", "·", "?"
NEVER = "—"

HEADINGS = ("method", *(f"to ARI {target:.2f}" for target in TARGETS), "area")
LEGEND = (
    "to ARI x: answers until the ARI is first at least x.",
    f"a (2 of 5): only 2 of 5 seeds got there, and a is the mean of those 2 alone; {NEVER}: none did.",
    "area: mean ARI from no answer to the budget; 0 before the first round, the last value after the end.",
    "±: half-width of the 95% Student t interval of the mean over seeds; a single seed has none.",
)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under headings; the first column is words, the others are numbers or signs."""

    title: str
    note: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """All tables of one oracle; ``contests`` has every two methods in numbers, too long for a terminal."""

    title: str
    tables: tuple[Table, ...]
    contests: Table | None


def text(curves: Iterable[Curve]) -> str:
    """Return the tables for a terminal, at most 100 columns wide."""
    return as_text(sections(curves), LEGEND)


def markdown(curves: Iterable[Curve]) -> str:
    """Return the tables as Markdown, one heading for each oracle and table."""
    return as_markdown(sections(curves), LEGEND)


def as_text(found: Iterable[Section], legend: Iterable[str]) -> str:
    """Write sections for a terminal; tables with the same headings have the same widths."""
    parts = []
    for section in found:
        title = textwrap.fill(section.title, TERMINAL_WIDTH)
        parts.append(f"{title}\n{'═' * max(map(len, title.splitlines()))}")
        for headings, alike in groupby(section.tables, key=lambda table: table.headings):
            tables = list(alike)
            widths = _widths([headings, *(row for table in tables for row in table.rows)])
            parts += [_text_table(table, widths) for table in tables]
    return "\n\n".join([*parts, _bullets(legend)]) + "\n"


def as_markdown(found: Iterable[Section], legend: Iterable[str]) -> str:
    """Write sections as Markdown, the legend as a list below them."""
    parts = []
    for section in found:
        parts.append(f"## {_escaped(section.title)}")
        parts += [_markdown_table(table) for table in section.tables]
    return "\n\n".join([*parts, "\n".join(f"- {_escaped(line)}" for line in legend)]) + "\n"


def sections(curves: Iterable[Curve]) -> list[Section]:
    """Return the tables of each oracle: one for each dataset, then who beats whom."""
    runs = list(curves)
    summaries, comparisons = summarise(runs), compare(runs)
    found = []
    for oracle, group in groupby(summaries, key=lambda summary: summary.setting.oracle):
        shared = list(group)
        methods = {summary.method for summary in shared}
        tables = [
            answers_table(setting, list(block), methods)
            for setting, block in groupby(shared, key=lambda summary: summary.setting)
        ]
        met = [comparison for comparison in comparisons if comparison.oracle == oracle]
        contests, full = contest_tables(met), contests_in_numbers(met)
        found.append(Section(one_line(oracle), (*tables, *contests), full))
    return found


# -- what the cells say ------------------------------------------------------------------------------------


def answers_table(setting: Setting, summaries: list[Summary], methods: set[str]) -> Table:
    """Sum up a setting, a row for each method; `methods` are all that ran with this oracle."""
    most = max(summary.area.n for summary in summaries)
    absent = sorted(methods - {summary.method for summary in summaries}, key=natural)
    note = f"{_count(most, 'seed')}, budget {_count(summaries[0].budget, 'answer')}"
    if absent:
        note += f"; not run here: {', '.join(map(one_line, absent))}"
    rows = []
    for summary in summaries:
        fewer = "" if summary.area.n == most else f" ({_count(summary.area.n, 'seed')})"
        reaches = (reach_cell(reach) for reach in summary.reaches)
        rows.append((one_line(summary.method) + fewer, *reaches, estimate_cell(summary.area, ".3f")))
    return Table(one_line(setting.dataset), note, HEADINGS, tuple(rows))


def reach_cell(reach: Reach) -> str:
    """Answers for a target; where not all runs reached it, how many did is said instead of the interval."""
    if reach.answers is None:
        return NEVER
    if reach.reached < reach.runs:
        return f"{reach.answers.mean:,.0f} ({reach.reached} of {reach.runs})"
    return estimate_cell(reach.answers, ",.0f")


def estimate_cell(estimate: Estimate, form: str) -> str:
    """Mean and half-width.

    >>> estimate_cell(Estimate(1234.5, 67.8, 3), ",.0f"), estimate_cell(Estimate(0.5, None, 1), ".3f")
    ('1,234 ± 68', '0.500')
    """
    spread = "" if estimate.half_width is None else f" ± {estimate.half_width:{form}}"
    return f"{estimate.mean:{form}}{spread}"


def contest_tables(comparisons: list[Comparison]) -> list[Table]:
    """Who beats whom: a matrix of all methods (unless there are too many), then neighbours with numbers."""
    if not comparisons:
        return []
    ranked = ranking(comparisons)
    signs = {(one.first, one.second): one.verdict for one in comparisons}
    signs |= {(one.second, one.first): -one.verdict for one in comparisons}
    shown = {1: BETTER, -1: WORSE, 0: ALIKE, None: UNMET}
    wide = len(str(len(ranked)))
    numbers = [f"{place:>{wide}}" for place in range(1, len(ranked) + 1)]
    rows = []
    for number, method in zip(numbers, ranked, strict=True):
        cells = ["" if other == method else shown[signs.get((method, other))] for other in ranked]
        rows.append((f"{number} {one_line(method)}", *cells, str(cells.count(BETTER))))
    matrix = Table("Who beats whom", contest_note(comparisons), ("by area", *numbers, "beats"), tuple(rows))
    next_ones = _in_numbers("Each against the next", list(pairwise(ranked)), comparisons)
    return [matrix, next_ones] if len(ranked) <= MOST_COLUMNS else [next_ones]


def contests_in_numbers(comparisons: list[Comparison]) -> Table | None:
    """Return every two methods, the better before the worse; None when there are no two."""
    pairs = list(combinations(ranking(comparisons), 2))
    return _in_numbers("All comparisons", pairs, comparisons) if pairs else None


def contest_note(comparisons: Sequence[Comparison]) -> str:
    """Say how the methods were compared, and whether so few runs could show anything."""
    pairs = [comparison.pairs for comparison in comparisons]
    span = f"{min(pairs)}" if min(pairs) == max(pairs) else f"{min(pairs)} to {max(pairs)}"
    note = (
        f"{BETTER}: the row is significantly better than the column, {WORSE}: worse, {ALIKE}: neither. "
        "Wilcoxon's signed-rank test of the areas of runs with the same dataset and seed "
        f"({span} for two methods), two-sided, {_count(len(comparisons), 'comparison')} corrected by Holm's "
        f"method, level {SIGNIFICANCE.level:.0%}. It speaks of these datasets only."
    )
    methods = {one.first for one in comparisons} | {one.second for one in comparisons}
    if len(comparisons) < len(methods) * (len(methods) - 1) // 2:
        note += f" {UNMET}: no run in common."
    needed = pairs_needed(len(comparisons))
    if max(pairs) < needed:
        note += f" With fewer than {needed} runs nothing can be significant here: run more seeds."
    return note


def ranking(comparisons: Iterable[Comparison]) -> list[str]:
    """Methods by wins minus losses against all others, each decided by the median; equal ones by name."""
    score: dict[str, int] = {}
    for one in comparisons:
        step = (one.median > 0) - (one.median < 0)
        score[one.first] = score.get(one.first, 0) + step
        score[one.second] = score.get(one.second, 0) - step
    return sorted(score, key=lambda method: (-score[method], natural(method)))


def _in_numbers(title: str, pairs: list[tuple[str, str]], comparisons: list[Comparison]) -> Table:
    """Return pairs of methods with what the comparison of the two gave; those that never met are left out."""
    met = {(one.first, one.second): one for one in comparisons}
    rows = []
    for first, second in pairs:
        turn = 1 if (first, second) in met else -1
        one = met.get((first, second) if turn > 0 else (second, first))
        if one is not None:
            names = f"{one_line(first)} vs {one_line(second)}"
            wins, losses = (one.wins, one.losses)[::turn]
            rows.append((names, f"{turn * one.median:+.4f}", str(wins), str(losses), p_cell(one.p)))
    note = "difference: median of the first one's area minus the second one's; p after the correction."
    return Table(title, note, ("methods", "difference", "wins", "losses", "p"), tuple(rows))


def p_cell(p: float) -> str:
    """Write a p value with as many digits as mean something.

    >>> p_cell(0.0004), p_cell(0.03), p_cell(1.0)
    ('< 0.001', '0.030', '1.000')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def one_line(name: str) -> str:
    """Return a name on one line, whatever it is."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# -- how they are written ----------------------------------------------------------------------------------


def _text_table(table: Table, widths: Sequence[int]) -> str:
    head = _text_row(table.headings, widths)
    rows = [line for row in table.rows for line in _text_row(row, widths)]
    rule = "─" * (sum(widths) + len(GAP) * (len(widths) - 1))
    words = (textwrap.fill(line, TERMINAL_WIDTH) for line in (table.title, table.note))
    return "\n".join([*words, "", *head, rule, *rows])


def _widths(cells: list[tuple[str, ...]]) -> list[int]:
    """Return the widths of the columns; the first one gives way where the others need room."""
    first, *others = (max(map(len, column)) for column in zip(*cells, strict=True))
    room = TERMINAL_WIDTH - sum(others) - len(GAP) * len(others)
    return [min(first, max(room, NARROWEST)), *others]


def _text_row(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """One row, on several lines if its name is long."""
    first, *more = textwrap.wrap(row[0], widths[0], subsequent_indent="  ")
    cells = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
    return [GAP.join([f"{first:<{widths[0]}}", *cells]).rstrip(), *more]


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(textwrap.fill(line, TERMINAL_WIDTH, subsequent_indent="  ") for line in lines)


def _markdown_table(table: Table) -> str:
    rule = ("---", *("--:" for _ in table.headings[1:]))
    rows = (table.headings, rule, *table.rows)
    lines = ("| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows)
    return "\n".join([f"### {_escaped(table.title)}", "", _escaped(table.note), "", *lines])


def _escaped(words: str) -> str:
    """Return words that Markdown shows as they are: no markup, no HTML, no end of a cell."""
    for sign in "\\|*_`[]":
        words = words.replace(sign, f"\\{sign}")
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
