"""The figures of honesty: how often the intervals hold, and expected against real wrong pairs."""

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from ofakind.noise.calibration_views import FAINT, INK
from ofakind.study.canvas import finish, look, new_figure, plain
from ofakind.study.curves import Curve, Estimates
from ofakind.study.figures import Drawing, file_names
from ofakind.study.honesty import estimated, honesty
from ofakind.study.styles import OTHER_STYLES
from ofakind.study.summary import dataset_order, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEANT, GOOD = 0.9, (0.85, 0.95)  # what the intervals promise, and what would do

Runs = dict[str, list[tuple[Curve, Estimates]]]  # of each dataset


def draw_all_honesty(curves: Iterable[Curve]) -> list[Drawing]:
    """Draw a figure for each oracle and method whose clusters were read from samples."""
    drawings = []
    runs = (run for run, _ in estimated(curves))
    for (oracle, method), shared in grouped(runs, lambda run: (run.oracle, run.method)).items():
        caption = (
            f"{method}, {oracle}. Left: of the rounds whose interval has two sides, the share in which the "
            "90% interval holds the real number of wrong pairs, and in which its upper side does; hatched, "
            "the share of all rounds that are open-ended, without an upper limit. Right: wrong pairs in each "
            "round, expected and real."
        )
        figure = draw_honesty(shared, title=f"{method}, {oracle}")
        drawings.append(Drawing(f"honesty {oracle} {method}", caption, figure))
    stems = file_names([drawing.stem for drawing in drawings])
    return [Drawing(stem, d.caption, d.figure) for stem, d in zip(stems, drawings, strict=True)]


def draw_honesty(curves: Iterable[Curve], *, title: str = "") -> "Figure":
    """Draw how often the intervals of these runs held, and what they expected, a colour for each dataset."""
    found = sorted(estimated(curves), key=lambda run: dataset_order(run[0].dataset))
    runs = {name: list(group) for name, group in groupby(found, key=lambda run: run[0].dataset)}
    colours = {name: OTHER_STYLES[i % len(OTHER_STYLES)].colour for i, name in enumerate(runs)}
    with look():
        figure = new_figure(7.2, max(2.9, 1.2 + 0.26 * len(runs)))
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
        _draw_shares(left, runs, colours)
        _draw_pairs(right, runs, colours)
        finish(figure, title)
    return figure


def _draw_shares(axes: "Axes", runs: Runs, colours: dict[str, str]) -> None:
    """Draw the share of two-sided intervals that hold, a dot, and whose upper side does, a stroke.

    Behind them a hatched bar is the share of rounds without an upper limit, which count for neither.
    """
    axes.axvspan(*GOOD, color=FAINT, alpha=0.15, linewidth=0)
    axes.axvline(MEANT, color=FAINT, linewidth=1)
    for place, (name, shared) in enumerate(runs.items()):
        whole = honesty(shared)
        if whole is None:
            continue
        axes.barh(
            place, whole.open_ended, height=0.5, facecolor="none", edgecolor=FAINT, hatch="////", linewidth=0
        )
        if whole.held is not None and whole.upper_held is not None:
            axes.plot([whole.held, whole.upper_held], [place, place], color=colours[name], linewidth=1.2)
            axes.plot(whole.held, place, "o", color=colours[name], markersize=6)
            axes.plot(whole.upper_held, place, "|", color=colours[name], markersize=10)
    counts = [sum(len(curve.ari) for curve, _ in shared) for shared in runs.values()]
    axes.set_yticks(
        range(len(runs)), [f"{plain(name)} ({count:,})" for name, count in zip(runs, counts, strict=True)]
    )
    axes.set(ylim=(len(runs) - 0.5, -0.5), xlim=(-0.02, 1.02))
    axes.set_xlabel(
        "two-sided intervals that hold ●, their upper side |\n"
        "share of all rounds (number) that are open-ended ////"
    )
    axes.grid(visible=False, axis="y")


def _draw_pairs(axes: "Axes", runs: Runs, colours: dict[str, str]) -> None:
    """Draw a dot for each round, on scales that are logarithmic but for a part from 0 to 1."""
    most = 1.0
    for name, shared in runs.items():
        expected = np.concatenate([found.expected_wrong_pairs for _, found in shared])
        real = np.concatenate([found.wrong_pairs for _, found in shared])
        most = max(most, expected.max(initial=0), real.max(initial=0))
        axes.plot(expected, real, ".", color=colours[name], markersize=3.5, alpha=0.6, linestyle="none")
    axes.plot([0, 2 * most], [0, 2 * most], color=INK, linewidth=0.8)
    axes.set_xscale("symlog", linthresh=1)
    axes.set_yscale("symlog", linthresh=1)
    axes.set(xlim=(-0.2, 2 * most), ylim=(-0.2, 2 * most), xlabel="expected wrong pairs", ylabel="real")
