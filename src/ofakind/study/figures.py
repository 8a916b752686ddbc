"""The figures of a study, drawn as in the paper: ARI against answers, area against noise, seconds per round.

Needs matplotlib, but none of its global state: what is drawn does not depend on the user's settings.
"""

import io
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ofakind.errors import InvalidInputError
from ofakind.files import write_whole
from ofakind.study.canvas import finish, look, new_figure, plain
from ofakind.study.curves import Curve
from ofakind.study.styles import Styles, line_options, styles_of
from ofakind.study.summary import (
    MeanCurve,
    area,
    checked,
    common_budget,
    dataset_order,
    estimate,
    grouped,
    mean_curve,
    seconds_per_round,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4  # of panels
MOST_POINTS = 160  # of a line: about one for each point (1/72 inch) of a panel's width
DPI = 200


# -- the figures -------------------------------------------------------------------------------------------


def draw_curves(curves: Iterable[Curve], *, title: str = "", styles: Styles | None = None) -> "Figure":
    """ARI against answers, a panel for each dataset (Figures 1, 2 and 3b to d).

    Lines are means over seeds and go on to the end of the panel, bands are 95% intervals of the mean.

    Raises:
        InvalidInputError: there are no curves, or they are of several oracles.
    """
    runs = checked(curves)
    oracles = sorted({curve.oracle for curve in runs})
    if len(oracles) > 1:
        raise InvalidInputError(f"these are curves of the oracles {oracles}; expected one: draw each alone")

    def draw(axes: "Axes", methods: dict[str, list[Curve]], looks: Styles) -> None:
        budget = common_budget(curve for shared in methods.values() for curve in shared)
        for place, (method, shared) in enumerate(methods.items()):
            _draw_mean(axes, mean_curve(shared, budget), options=line_options(looks, method), place=place)
        lowest = min(float(np.min(line.get_ydata())) for line in axes.lines)
        axes.set(xlim=(0, budget), ylim=(min(0.0, lowest) - 0.03, 1.03))
        _count_answers(axes, budget)

    return _panels(runs, draw, labels=("answers", "ARI"), title=title, styles=styles)


def draw_areas(curves: Iterable[Curve], *, title: str = "", styles: Styles | None = None) -> "Figure":
    """Area under the curve against the noise level, a panel for each dataset (Figure 3a).

    The areas of a panel go up to the same budget; bars are 95% intervals. Curves whose oracle has no noise
    level are left out.

    Raises:
        InvalidInputError: no curve has a noise level, or two oracles have the same.
    """
    runs = [curve for curve in checked(curves) if curve.noise is not None]
    if not runs:
        raise InvalidInputError("no curve has a noise level; expected curves of a noisy oracle")
    oracles = {curve.oracle: curve.noise for curve in runs}
    if len(set(oracles.values())) < len(oracles):
        raise InvalidInputError(f"the oracles {list(oracles)} share noise levels; expected each level once")

    def draw(axes: "Axes", methods: dict[str, list[Curve]], looks: Styles) -> None:
        runs = [curve for shared in methods.values() for curve in shared]
        budget, levels = common_budget(runs), sorted({float(curve.noise or 0) for curve in runs})
        # The methods stand side by side at each level: their intervals would hide each other.
        room = 0.25 * min(np.diff(levels), default=1.0)
        shifts = np.linspace(-room / 2, room / 2, len(methods)) if len(methods) > 1 else [0.0]
        for shift, (method, shared) in zip(shifts, methods.items(), strict=True):
            _draw_areas(axes, shared, budget=budget, shift=shift, options=line_options(looks, method))
        axes.set_xticks(levels, [f"{level:g}" for level in levels])
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))

    return _panels(runs, draw, labels=("noise level", "area"), title=title, styles=styles)


def draw_seconds(curves: Iterable[Curve], *, title: str = "", styles: Styles | None = None) -> "Figure":
    """Mean seconds per round, a bar for each method (Figure 4); see `seconds_per_round`.

    Above the bars stands how many runs and which datasets they are of.

    Raises:
        InvalidInputError: there is no dataset on which all methods ran.
    """
    runs = checked(curves)
    found = seconds_per_round(runs)
    seconds = found.by_method
    if not seconds:
        raise InvalidInputError("there is no dataset on which all methods ran; expected at least one")
    looks = _styles(set(seconds), styles)
    shortest = min((value for value in seconds.values() if value > 0), default=1.0)
    lengths = [max(value, shortest) for value in seconds.values()]  # a logarithm has no 0
    places = range(len(seconds))
    with look():
        figure = new_figure(4.6, 1.25 + 0.24 * len(seconds))
        axes = figure.add_subplot()
        bars = axes.barh(places, lengths, height=0.68, color=[looks[method].colour for method in seconds])
        axes.bar_label(bars, [_seconds(value) for value in seconds.values()], padding=3)
        axes.set_yticks(places, [plain(method) for method in seconds])
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.set(xscale="log", xlim=(shortest / 2, max(lengths) * 3), xlabel="seconds per round")
        axes.xaxis.set_major_formatter("{x:g}")
        over = f"n = {_span(found.runs.values())} runs of each method: {', '.join(found.datasets)}"
        axes.set_title(fill(plain(over), 68), loc="left", fontsize=7.5, fontweight="normal")
        finish(figure, title)
    return figure


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A figure, what it shows, and the name of its files."""

    stem: str
    caption: str
    figure: "Figure"


def draw_all(curves: Iterable[Curve]) -> list[Drawing]:
    """Every figure that these curves can give: for each oracle its curves, areas over noise, seconds."""
    runs = checked(curves)
    styles = styles_of(curve.method for curve in runs)
    drawings = []
    for family, shared in grouped((c for c in runs if c.noise is not None), _family).items():
        if len({curve.noise for curve in shared}) > 1:
            caption = (
                f"{family}: area under the curve against the noise level, with 95% intervals; the methods "
                "stand side by side at each level."
            )
            title = f"{family}, by noise level ({_seeds(shared)})"
            drawings.append(
                Drawing(f"noise {family}", caption, draw_areas(shared, title=title, styles=styles))
            )
    for oracle, shared in grouped(runs, lambda curve: curve.oracle).items():
        caption = (
            f"{oracle}: adjusted Rand index against the number of answers. Lines are means over seeds, bands "
            "95% intervals; a run that ended early keeps its last value."
        )
        title = f"{oracle} ({_seeds(shared)})"
        drawings.append(Drawing(f"curves {oracle}", caption, draw_curves(shared, title=title, styles=styles)))
    if datasets := seconds_per_round(runs).datasets:
        caption = f"Computing time of a round, mean over {', '.join(datasets)}."
        figure = draw_seconds(runs, title="Computing time of a round", styles=styles)
        drawings.append(Drawing("seconds", caption, figure))
    stems = file_names([drawing.stem for drawing in drawings])
    return [Drawing(stem, d.caption, d.figure) for stem, d in zip(stems, drawings, strict=True)]


# -- files -------------------------------------------------------------------------------------------------


def save(figure: "Figure", stem: str | os.PathLike[str]) -> list[Path]:
    """Write ``stem.svg`` and ``stem.png``, each whole or not at all; an equal figure gives equal files."""
    written = []
    for suffix, content in ((".svg", svg(figure).encode("utf-8")), (".png", png(figure))):
        path = Path(f"{os.fspath(stem)}{suffix}")
        write_whole(path, content)
        written.append(path)
    return written


def svg(figure: "Figure", *, background: str = "white") -> str:
    """Return the figure as SVG text, without a date and without the version of what drew it.

    Places are rounded to a hundredth of a point, which nobody sees: a quarter of the file.
    """
    file = io.StringIO()
    with look():
        figure.savefig(file, format="svg", facecolor=background, metadata={"Date": None, "Creator": None})
    text = re.sub(r"(?<=[ML] )-?\d+\.\d+ -?\d+\.\d+", _rounded, file.getvalue())
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def _rounded(place: re.Match[str]) -> str:
    return " ".join(f"{float(number):.2f}".rstrip("0").rstrip(".") for number in place[0].split())


def png(figure: "Figure") -> bytes:
    """Return the figure as a PNG image on white."""
    file = io.BytesIO()
    with look():
        figure.savefig(file, format="png", dpi=DPI, facecolor="white", metadata={"Software": None})
    return file.getvalue()


# -- parts -------------------------------------------------------------------------------------------------


def _panels(
    runs: Sequence[Curve],
    draw: Callable[["Axes", dict[str, list[Curve]], Styles], None],
    *,
    labels: tuple[str, str],
    title: str,
    styles: Styles | None,
) -> "Figure":
    """Draw a panel for each dataset, in the paper's order, and one legend for all of them."""
    looks = _styles({curve.method for curve in runs}, styles)
    by_dataset = grouped(sorted(runs, key=lambda curve: dataset_order(curve.dataset)), lambda c: c.dataset)
    columns = min(COLUMNS, len(by_dataset))
    rows = ceil(len(by_dataset) / columns)
    width, height = (2.45, 2.1) if columns > 1 else (4.4, 3.0)
    with look():
        figure = new_figure(width * columns, height * rows + 0.5)
        for place, (dataset, shared) in enumerate(by_dataset.items()):
            axes = figure.add_subplot(rows, columns, place + 1)
            groups = grouped(shared, lambda curve: curve.method)
            draw(axes, {method: groups[method] for method in looks if method in groups}, looks)
            axes.set_title(plain(dataset), loc="left")
            if place % columns == 0:
                axes.set_ylabel(labels[1])
            if place + columns >= len(by_dataset):
                axes.set_xlabel(labels[0])
        _legend(figure, looks)
        finish(figure, title)
    return figure


def _styles(methods: set[str], styles: Styles | None) -> Styles:
    """Return the styles of these methods only, in the order of the legend."""
    given = styles_of(methods) if styles is None else styles
    if missing := sorted(methods - given.keys()):
        raise InvalidInputError(f"there are no styles for {missing}; expected one for each method")
    return {method: style for method, style in given.items() if method in methods}


def _draw_mean(axes: "Axes", mean: MeanCurve, *, options: dict[str, Any], place: int) -> None:
    """One line with its band; markers are far apart, and not where the line before has them."""
    kept = np.unique(np.linspace(0, len(mean.answers) - 1, MOST_POINTS).round().astype(int))
    x, y = mean.answers[kept], mean.mean[kept]
    if mean.half_width is not None:
        low, high = y - mean.half_width[kept], np.minimum(y + mean.half_width[kept], 1)  # ARI is at most 1
        axes.fill_between(x, low, high, color=options["color"], alpha=0.16, linewidth=0)
    axes.plot(x, y, markevery=(0.03 + 0.05 * (place % 6), 0.3), **options)


def _draw_areas(
    axes: "Axes", runs: list[Curve], *, budget: int, shift: float, options: dict[str, Any]
) -> None:
    """One line through a method's areas, with an interval at each noise level."""
    levels = sorted(grouped(runs, lambda curve: float(curve.noise or 0)).items())
    areas = [estimate([area(run, budget) for run in shared]) for _, shared in levels]
    x, y = [level + shift for level, _ in levels], [found.mean for found in areas]
    spread = [found.half_width or 0.0 for found in areas]
    axes.errorbar(x, y, yerr=spread, capsize=2, elinewidth=0.8, **options)


def _legend(figure: "Figure", looks: Styles) -> None:
    """Name the methods below the panels."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], **line_options(looks, method)) for method in looks]
    rows = ceil(len(lines) / (6 if figure.get_figwidth() > 6 else 3))
    figure.legend(
        lines,
        [plain(method) for method in looks],
        loc="outside lower center",
        ncols=ceil(len(lines) / rows),
        handlelength=3.4,
        columnspacing=1.8,
    )


def _count_answers(axes: "Axes", budget: int) -> None:
    """Few, round ticks; thousands as 10k."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    def words(value: float, _: int | None = None) -> str:
        return f"{value / 1000:g}k" if budget >= 10_000 and value else f"{value:,.0f}"

    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10], integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(words))


def _seconds(value: float) -> str:
    """Seconds with at least two digits that mean something.

    >>> _seconds(0.00123), _seconds(0.3), _seconds(12.34), _seconds(1234.0)
    ('0.0012', '0.30', '12', '1,234')
    """
    return f"{value:,.0f}" if value >= 10 else f"{value:#.2g}"


def _seeds(curves: Iterable[Curve]) -> str:
    """Say of how many runs each line is the mean; where that differs, from how few to how many."""
    groups = grouped(curves, lambda curve: (curve.oracle, curve.dataset, curve.method))
    span = _span(len(group) for group in groups.values())
    return f"n = {span} run{'s' * (span != '1')} of each method on each dataset"


def _span(counts: Iterable[int]) -> str:
    """Write numbers as one if they are all the same, else the smallest and the largest.

    >>> _span([3, 3]), _span([5, 3, 5])
    ('3', '3 to 5')
    """
    least, most = min(found := list(counts)), max(found)
    return f"{least}" if least == most else f"{least} to {most}"


def _family(curve: Curve) -> str:
    """Name of an oracle without its noise level: without the last number and the word before it."""
    return re.sub(r"\W*\w*\W*\d+(\.\d+)?\D*$", "", curve.oracle) or "Noisy oracle"


def file_names(titles: list[str]) -> list[str]:
    """Return names of files, of plain letters and all different."""
    names: list[str] = []
    for title in titles:
        spelled = title.casefold().replace("\N{GREEK SMALL LETTER GAMMA}", "gamma")
        name = re.sub(r"[^a-z0-9.]+", "-", spelled).strip("-.")
        again = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", other) is not None for other in names)
        names.append(f"{name}-{again + 1}" if again else name)
    return names
