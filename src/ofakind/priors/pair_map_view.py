"""What each feature is worth, drawn."""

from typing import TYPE_CHECKING

import numpy as np

from ofakind.errors import OfakindError
from ofakind.priors.pair_map import PairMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_map(pair_map: PairMap, axes: "Axes | None") -> "Axes":
    """Draw the coefficients as points with their deviations, the first feature on top."""
    if axes is None:
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise OfakindError(
                "figures need matplotlib, which is not here: pip install ofakind[plot]"
            ) from error
        height = 0.8 + 0.28 * len(pair_map.names)
        axes = Figure(figsize=(6.0, height), layout="constrained").add_subplot()
    rows = np.arange(len(pair_map.names))[::-1]
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.errorbar(
        pair_map.coefficients, rows, xerr=pair_map.deviations, fmt="o", color="#3b528b", markersize=4
    )
    axes.set_yticks(rows, pair_map.names)
    axes.set_xlabel("log odds of “same” for each unit of a feature, ± one deviation")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes
