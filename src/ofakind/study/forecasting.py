"""How good forecasts were: questions that were forecast against those it took, round by round."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats
from ofakind.study.curves import FORECAST_TARGET, Curve
from ofakind.study.summary import checked, dataset_order
from ofakind.study.table import NEVER, Section, Table, one_line

# Rounds at which this share of the questions to the target has been asked, or more, up to the next.
WAYS = {"up to half": (0.0, 0.5), "half to 80 %": (0.5, 0.8), "from 80 % on": (0.8, 1.0), "all": (0.0, 1.0)}
FORECAST_HEADINGS = ("way", "two sides", "holds", "upper side holds", "forecast / real", "at least", "holds")
FORECAST_LEGEND = (
    f"way: share of the questions until the expected ARI is {FORECAST_TARGET} that has been asked.",
    "two sides: rounds with a forecast that has an upper limit; holds: the share in which both limits do.",
    "forecast / real: median of these, and in brackets what 90% of them lie between.",
    "at least: rounds with a lower limit only; holds: the share in which it does.",
    "Rounds without a forecast do not count, nor do runs that never got there.",
)


@dataclass(frozen=True, slots=True)
class ForecastRecord:
    """How often the forecasts of some rounds held; shares are None where there are no rounds."""

    closed: int
    held: float | None
    upper_held: float | None
    ratios: Floats
    lower_only: int
    lower_held: float | None


def forecast_sections(curves: Iterable[Curve]) -> list[Section]:
    """Return a table for each dataset of runs with forecasts, and one for all; nothing if there are none."""
    runs = [run for run in checked(curves) if run.forecasts is not None]
    if not runs:
        return []
    datasets = sorted({run.dataset for run in runs}, key=dataset_order)
    tables = [_table(name, [run for run in runs if run.dataset == name]) for name in datasets]
    tables.append(_table("all datasets", runs))
    return [Section("Forecasts", tuple(tables), None)]


def kept(runs: Iterable[Curve], least: float = 0.0, most: float = 1.0) -> ForecastRecord:
    """Sum up the forecasts of rounds that have asked this share of the questions to the target."""
    rows = np.concatenate([np.empty((0, 5)), *(_rows(run, least, most) for run in runs)])
    low, middle, high, fewest, most_real = rows.T
    closed, lower = ~np.isnan(high), np.isnan(high) & ~np.isnan(low)
    upper = high[closed] >= fewest[closed]
    return ForecastRecord(
        closed=int(closed.sum()),
        held=_share(upper & (low[closed] <= most_real[closed])),
        upper_held=_share(upper),
        ratios=middle[closed] / np.maximum((fewest + most_real)[closed] / 2, 1),
        lower_only=int(lower.sum()),
        lower_held=_share(low[lower] <= most_real[lower]),
    )


def _rows(run: Curve, least: float, most: float) -> NDArray[np.float64]:
    """Forecast limits and the fewest and most questions that it really took, of the rounds on this way.

    The target was reached by one of the answers between two rounds, nobody knows which.
    """
    there = run.estimates is not None and run.estimates.expected_ari >= FORECAST_TARGET
    if run.forecasts is None or not np.any(there):
        return np.empty((0, 5))
    first = int(np.argmax(there))
    now, before = run.answers[:first], np.r_[0, run.answers][first]
    way = now / run.answers[first]
    found = run.forecasts
    columns = [found.forecast_low[:first], found.forecast[:first], found.forecast_high[:first]]
    rows = np.stack([*columns, before - now + 1, run.answers[first] - now], axis=1)
    return np.asarray(rows[(way >= least) & (way < most)], np.float64)


def _share(true: NDArray[np.bool_]) -> float | None:
    return float(true.mean()) if len(true) else None


def _table(title: str, runs: list[Curve]) -> Table:
    rows = tuple((name, *_cells(kept(runs, *limits))) for name, limits in WAYS.items())
    return Table(one_line(title), f"{len(runs)} run{'s' * (len(runs) != 1)}", FORECAST_HEADINGS, rows)


def _cells(found: ForecastRecord) -> tuple[str, ...]:
    spread = NEVER
    if found.closed:
        low, middle, high = np.quantile(found.ratios, [0.05, 0.5, 0.95])
        spread = f"{middle:.2f} ({low:.2f} to {high:.2f})"
    held, upper, lower = (
        NEVER if share is None else f"{share:.0%}"
        for share in (found.held, found.upper_held, found.lower_held)
    )
    return (f"{found.closed:,}", held, upper, spread, f"{found.lower_only:,}", lower)
