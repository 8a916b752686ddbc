"""What each feature is worth, drawn."""

from typing import TYPE_CHECKING

import numpy as np

from ofakind.arrays import Floats
from ofakind.errors import OfakindError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_map(names: tuple[str, ...], coefficients: Floats, deviations: Floats, axes: "Axes | None") -> "Axes":
    """Draw the coefficients as points with their deviations, the first feature on top."""
    if axes is None:
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise OfakindError(
                "figures need matplotlib, which is not here: pip install ofakind[plot]"
            ) from error
        height = 0.8 + 0.28 * len(names)
        axes = Figure(figsize=(6.0, height), layout="constrained").add_subplot()
    rows = np.arange(len(names))[::-1]
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.errorbar(coefficients, rows, xerr=deviations, fmt="o", color="#3b528b", markersize=4)
    axes.set_yticks(rows, names)
    axes.set_xlabel("log odds of “same” for each unit of a feature, ± one deviation")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes
