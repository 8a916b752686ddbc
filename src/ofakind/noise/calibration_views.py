"""What answers are worth, for people: a calibration as a table in words, and as a picture."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats
from ofakind.errors import OfakindError
from ofakind.noise.evidence import Bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Shown(Protocol):
    """What is shown of a `Calibration`, where the members are described."""

    @property
    def bins(self) -> Bins: ...
    @property
    def shares(self) -> Floats: ...
    @property
    def misleading(self) -> tuple[float, float]: ...
    @property
    def annotators(self) -> tuple[str, ...]: ...
    @property
    def slope(self) -> float | None: ...
    @property
    def centres(self) -> Floats: ...
    @property
    def same(self) -> Floats: ...
    @property
    def different(self) -> Floats: ...
    def log_ratio(self, values: ArrayLike, annotator: str | None = None) -> Floats: ...
    def log_ratios(self) -> Floats: ...
    def tables(self) -> tuple[Floats, Floats]: ...
    def error_rates(self, annotator: str | None = None) -> tuple[float, float]: ...


INK, FAINT, PALE, GRID = "#1f2328", "#656d76", "#c4c9d0", "#e4e7eb"
COLOURS = ("#0a58ca", "#c2570c", "#1b7f4b", "#8a3ffc")  # of the annotators that stand out
LABELLED = 12  # kinds of answers, at most, whose shares are written beside their bars
LISTED = 10  # annotators, at most, of whom a table has a line each; of more, those who stand out
LONGEST = 24  # letters of a name; of a longer one the middle is left out
ATOM, BARS = 0.05, 0.16  # width of the bar of a single value; height of the longest bar, by that of the axes
ODDS = ((2, 5, 20), (10, 100, 1000))  # marked where log ratios are small, and where some are large


# -- in words ----------------------------------------------------------------------------------------------


def described(calibration: Shown) -> list[str]:
    """Lines of a table: the kinds of answers by their values, misleading pairs, who errs how often."""
    if calibration.slope is not None:
        return [f"an answer s has the log ratio {calibration.slope:g} s (fixed, not learned)"]
    lines = ["answer   share   if same   if different   speaks for"]
    columns = (calibration.centres, calibration.shares, calibration.same, calibration.different)
    ratios = calibration.log_ratios()[0]
    for kind in _by_value(calibration):
        value, share, same, different = (column[kind] for column in columns)
        name = f"{'' if kind < len(calibration.bins.atoms) else '~'}{value:+.2f}"
        verdict = f"{'same' if ratios[kind] > 0 else 'different'}, {np.exp(abs(ratios[kind])):.3g} to 1"
        lines.append(f"{name:7}{share:>7.1%}{same:>10.3f}{different:>15.3f}   {verdict}")
    if any(calibration.misleading):
        d, e = calibration.misleading
        lines.append(
            f"pairs that mislead: {d:.1%} of the same look different, {e:.1%} of the others the same"
        )
    return [*lines, *_who_errs(calibration)]


def _who_errs(calibration: Shown) -> list[str]:
    """Lines that say who is wrong how often: anybody, and each annotator or, of many, those who stand out."""
    names = list(calibration.annotators)
    shown = names if len(names) <= LISTED else _standing_out(calibration)
    lines = []
    for who in (None, *shown):
        missed, mistaken = calibration.error_rates(who)
        lines.append(f"{_called(who)}: wrong about {missed:.1%} of the same, {mistaken:.1%} of the others")
    if len(shown) < len(names):
        others = 1 + np.flatnonzero(~np.isin(names, shown))  # the first row of the tables is anybody's
        same, different = (table[others] for table in calibration.tables())
        missed, mistaken = (
            same[:, calibration.centres < 0].sum(1),
            different[:, calibration.centres > 0].sum(1),
        )
        rates = f"{_range(missed)} of the same, {_range(mistaken)} of the others"
        lines.append(f"and {len(others):,} more, who differ less: wrong about {rates}")
    return lines


def _range(shares: Floats) -> str:
    """Write the smallest and the largest of some shares.

    >>> _range(np.array([0.2, 0.1])), _range(np.array([0.1]))
    ('10.0% to 20.0%', '10.0%')
    """
    low, high = (f"{share:.1%}" for share in (shares.min(), shares.max()))
    return low if low == high else f"{low} to {high}"


def _called(annotator: str | None) -> str:
    """What to call an annotator, in at most `LONGEST` letters, or all of them together (None): "anybody"."""
    if annotator is None:
        return "anybody"
    name = " ".join(annotator.split())
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2]}…{name[1 - LONGEST // 2 :]}"
    return f'"{name}"' if name == "anybody" else name


def _by_value(calibration: Shown) -> list[int]:
    """Kinds of answers in the order of their values."""
    return [int(kind) for kind in np.argsort(calibration.centres, kind="stable")]


# -- as a picture ------------------------------------------------------------------------------------------


def draw(calibration: Shown, axes: "Axes | None") -> "Axes":
    """Draw the log ratio of answers over their value, the shares of their kinds below, and who errs."""
    axes = _new_axes(7.2 if calibration.annotators else 5.4) if axes is None else axes
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.axhline(0, color=FAINT, linewidth=0.8, zorder=1.5)
    standing_out = _standing_out(calibration)
    _draw_line(axes, calibration, None, colour=INK)
    for colour, name in zip(COLOURS, standing_out, strict=False):
        _draw_line(axes, calibration, name, colour=colour)
    _draw_others(axes, calibration, standing_out)
    if calibration.slope is None:
        _draw_ranges(axes, calibration)
        _draw_shares(axes, calibration)
    _finish(axes, calibration)
    return axes


def _new_axes(width: float) -> "Axes":
    """Axes in a figure of their own, of a width in inches, which no global state of matplotlib knows of."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OfakindError("figures need matplotlib, which is not here: pip install ofakind[plot]") from error
    return Figure(figsize=(width, 3.6), layout="constrained").add_subplot()


def _standing_out(calibration: Shown) -> list[str]:
    """Annotators whose answers are worth something else than anybody's, those that differ most first."""
    ratios = calibration.log_ratios()
    distance = np.abs(ratios[1:] - ratios[0]) @ calibration.shares
    most = np.argsort(-distance, kind="stable")[: len(COLOURS)]
    return [calibration.annotators[row] for row in most]


def _draw_others(axes: "Axes", calibration: Shown, standing_out: list[str]) -> None:
    """Draw everybody who does not stand out in grey, with one entry of the legend for all."""
    others = [name for name in calibration.annotators if name not in standing_out]
    for name in others:
        values, ratios = _line(calibration, name)
        axes.plot(values, ratios, color=PALE, linewidth=0.8, zorder=1.8)
    if others:
        axes.plot([], [], color=PALE, linewidth=0.8, label=f"{len(others)} more")


def _draw_line(axes: "Axes", calibration: Shown, name: str | None, *, colour: str) -> None:
    """Draw one annotator, or anybody: a dot for each kind of answer, joined by a thin line."""
    values, ratios = _line(calibration, name)
    missed, mistaken = calibration.error_rates(name)
    who = _called(name).replace("$", r"\$")  # a dollar would begin mathematics
    label = f"{missed:.1%}, {mistaken:.1%}  {who}"
    width, order = (1.6, 3.0) if name is None else (1.1, 2.5)
    axes.plot(values, ratios, "o-", color=colour, linewidth=width, markersize=4.5, zorder=order, label=label)


def _line(calibration: Shown, name: str | None) -> tuple[Floats, Floats]:
    values = calibration.centres[_by_value(calibration)]
    return values, calibration.log_ratio(values, name)


def _draw_ranges(axes: "Axes", calibration: Shown) -> None:
    """Draw a broad stroke over all values that share a range, at the height of what they are worth."""
    first, edges = len(calibration.bins.atoms), _edges(calibration)
    if len(edges):
        ratios = calibration.log_ratios()[0][first:]
        axes.hlines(ratios, edges[:, 0], edges[:, 1], color=INK, linewidth=5, alpha=0.18, zorder=2.2)


def _draw_shares(axes: "Axes", calibration: Shown) -> None:
    """Draw a bar on the floor for each kind of answer: how often it is given."""
    atoms, edges = calibration.bins.atoms, _edges(calibration)
    left = np.r_[atoms - ATOM / 2, edges[:, 0]]
    width = np.r_[np.full(len(atoms), ATOM), edges[:, 1] - edges[:, 0]]
    height = BARS * calibration.shares / calibration.shares.max()
    floor = axes.get_xaxis_transform()  # heights as parts of the axes' height
    axes.bar(left, height, width, align="edge", color=PALE, edgecolor="white", transform=floor, zorder=1.6)
    if len(calibration.shares) <= LABELLED:
        for x, y, share in zip(left + width / 2, height + 0.01, calibration.shares, strict=True):
            side = "right" if x <= -1 else "left" if x >= 1 else "center"  # beside its neighbour's, not on it
            style: dict[str, Any] = {"color": FAINT, "fontsize": "x-small", "transform": floor}
            axes.text(x, y, f"{share:.0%}", horizontalalignment=side, **style)


def _edges(calibration: Shown) -> Floats:
    """Where the ranges of values begin and end, (ranges, 2), in the order of their kinds."""
    if len(calibration.bins) == len(calibration.bins.atoms):
        return np.empty((0, 2))
    above = np.r_[0.0, calibration.bins.cuts, 1.0]
    upper = np.stack([above[:-1], above[1:]], axis=1)
    return np.concatenate([-upper[::-1, ::-1], upper])


def _finish(axes: "Axes", calibration: Shown) -> None:
    """Scale the axes, name them, and say who errs how often: in a line for anybody, in a legend for many."""
    ratios = [_line(calibration, name)[1] for name in (None, *calibration.annotators)]
    most = max(2.0, 1.15 * float(np.abs(ratios).max()))
    room = 2 * most * (BARS + 0.08) if calibration.slope is None else 0.0  # for the bars on the floor
    axes.set(xlim=(-1.15, 1.15), ylim=(-most - room, most), xlabel="answer")
    axes.set_ylabel("log ratio   (different ←  → same)")
    axes.set_xticks([-1, -0.5, 0, 0.5, 1])
    step = 2 if most > 4 else 1
    axes.set_yticks(step * np.arange(-(most // step), most // step + 1))
    axes.tick_params(labelsize="small")
    axes.set_title("What an answer is worth", loc="left", fontsize="medium", fontweight="bold")
    _draw_odds(axes, most)
    title = "wrong if same, if different"
    if calibration.annotators:
        legend = axes.legend(
            title=title, loc="upper left", bbox_to_anchor=(1.16, 1.02), frameon=False, fontsize="small"
        )
        legend.get_title().set(fontsize="small", color=FAINT)
    else:
        missed, mistaken = calibration.error_rates()
        words = f"{title}:\n{missed:.1%}, {mistaken:.1%}"
        style: dict[str, Any] = {"va": "top", "color": FAINT, "fontsize": "small", "backgroundcolor": "white"}
        axes.text(0.03, 0.96, words, transform=axes.transAxes, **style)


def _draw_odds(axes: "Axes", most: float) -> None:
    """Write odds at the right, to read the log ratios by."""
    marks = np.array(ODDS[most > 4])
    places = np.r_[-np.log(marks[::-1]), 0, np.log(marks)]
    words = [f"{mark:,} to 1" for mark in (*marks[::-1], 1, *marks)]
    shown = np.abs(places) <= most
    axis = axes.secondary_yaxis("right")
    axis.set_yticks(places[shown], [word for word, there in zip(words, shown, strict=True) if there])
    axis.tick_params(length=0, labelcolor=FAINT, labelsize="x-small")
    axis.spines["right"].set_visible(False)
