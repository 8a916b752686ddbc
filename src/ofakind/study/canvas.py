"""What all figures are drawn on: our look, whatever the user's settings of matplotlib are."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ofakind.errors import OfakindError
from ofakind.noise.calibration_views import FAINT, GRID, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CANVAS: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same letters on every machine
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.7,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "lines.solid_capstyle": "round",
    "svg.hashsalt": "ofakind",  # equal figures make equal files
    "svg.fonttype": "path",
}


def look() -> AbstractContextManager[None]:
    """Draw with matplotlib's defaults and our `CANVAS`, whatever the user's own settings are."""
    try:
        from matplotlib import style
    except ImportError as error:
        raise OfakindError("figures need matplotlib, which is not here: pip install ofakind[plot]") from error
    return style.context(["default", CANVAS])


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure, in inches, that no global state of matplotlib knows of."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plain(words: str) -> str:
    """Return words that matplotlib writes as they are: a dollar sign would begin mathematics."""
    return words.replace("$", r"\$")


def finish(figure: "Figure", title: str) -> None:
    """Write the title and lay everything out, once: each further time would move it by a hair."""
    if title:
        figure.suptitle(plain(title), fontsize=11, fontweight="bold")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
