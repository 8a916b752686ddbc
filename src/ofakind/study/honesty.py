"""Honest or not: what methods expected of their own clusters against what was true, round by round."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from math import inf

import numpy as np
from numpy.typing import NDArray

from ofakind.errors import InvalidInputError
from ofakind.study.curves import Curve, Estimates
from ofakind.study.styles import styles_of
from ofakind.study.summary import checked, dataset_order
from ofakind.study.table import NEVER, Section, Table, one_line

# Rounds whose ARI is at least the first number and below the second.
STAGES = {
    "ARI below 0.5": (-inf, 0.5),
    "ARI 0.5 to 0.9": (0.5, 0.9),
    "ARI 0.9 to 0.99": (0.9, 0.99),
    "ARI 0.99 and more": (0.99, inf),
    "all rounds": (-inf, inf),
}
HONESTY_HEADINGS = (
    "rounds with",
    "number",
    "open-ended",
    "interval holds",
    "upper side holds",
    "real / expected",
    "ARI too high",
)
HONESTY_LEGEND = (
    "open-ended: share of rounds with correlated errors, in which no upper limit was given.",
    "interval holds: of the other rounds, the share whose 90% interval holds the real number of wrong pairs.",
    "upper side holds: of these, the share with no more wrong pairs than the upper limit; 95% are meant.",
    "real / expected: wrong pairs of all these rounds, by those that were expected.",
    "ARI too high: the expected ARI minus the real one, mean over the rounds.",
    "Rounds of one run are not independent: a wrong belief stays for some time.",
)


COVERAGE_HEADINGS = (
    "dataset",
    "rounds",
    "open-ended",
    "upper side holds",
    "interval holds",
    "real / expected",
)
COVERAGE_LEGEND = (
    "Rounds after the first of each run: that one knows nothing, or only what the features say.",
    "upper side holds: share of rounds with no more wrong pairs than the upper limit; 95% are meant.",
    "interval holds: share of rounds whose 90% interval holds the real number; of those with an upper limit.",
    "real / expected: wrong pairs of all these rounds, by those that were expected.",
)


@dataclass(frozen=True, slots=True)
class Honesty:
    """How often the intervals of some rounds held, and how far off the expectations were.

    ``open_ended`` is the share of them that had no upper limit; ``held`` and ``upper_held`` are shares of the
    others, None where there are none: an interval without a limit holds too easily. ``ratio`` is real by
    expected wrong pairs, None where none were expected.
    """

    rounds: int
    open_ended: float
    held: float | None
    upper_held: float | None
    ratio: float | None
    optimism: float


def estimated(curves: Iterable[Curve]) -> list[tuple[Curve, Estimates]]:
    """Return the runs that say how good they think they are, in an order of their own.

    Raises:
        InvalidInputError: none does.
    """
    found = [(run, run.estimates) for run in checked(curves) if run.estimates is not None]
    if not found:
        raise InvalidInputError(
            "no run says how wrong it may be; only clusters read from samples of partitions come with that "
            "(InformationGain, a belief PartitionBelief, or a reader)"
        )
    return found


def honesty(
    runs: Iterable[tuple[Curve, Estimates]], *, least: float = -inf, below: float = inf, after: int = 0
) -> Honesty | None:
    """Sum up the rounds whose ARI is at least ``least`` and less than ``below``; None without any.

    The first ``after`` rounds of each run are left out.
    """
    rows = [_columns(*run)[:, _chosen(run[0], least, below, after)] for run in runs]
    real, expected, low, high, open_ended, optimism = np.concatenate(rows, axis=1)
    if not len(real):
        return None
    closed = open_ended == 0
    return Honesty(
        rounds=len(real),
        open_ended=float(open_ended.mean()),
        held=_share(((low <= real) & (real <= high))[closed]),
        upper_held=_share((real <= high)[closed]),
        ratio=float(real.sum() / expected.sum()) if expected.sum() else None,
        optimism=float(optimism.mean()),
    )


def _chosen(curve: Curve, least: float, below: float, after: int) -> NDArray[np.bool_]:
    late = np.arange(len(curve.ari)) >= after
    return np.asarray((curve.ari >= least) & (curve.ari < below) & late)


def _share(true: NDArray[np.bool_]) -> float | None:
    return float(true.mean()) if len(true) else None


def _columns(curve: Curve, found: Estimates) -> NDArray[np.float64]:
    optimism, limits = found.expected_ari - curve.ari, (found.wrong_low, found.wrong_high, found.open_ended)
    return np.stack([found.wrong_pairs, found.expected_wrong_pairs, *limits, optimism])


def honesty_sections(curves: Iterable[Curve], *, short: bool = False) -> list[Section]:
    """Return for each oracle a table for each method and dataset, and one for all datasets together.

    In ``short``, only the last one where there are several datasets.
    """
    sections = []
    for oracle, group in groupby(estimated(curves), key=lambda run: run[0].oracle):
        runs = list(group)
        datasets = sorted({run.dataset for run, _ in runs}, key=dataset_order)
        tables = []
        for method in styles_of(run.method for run, _ in runs):
            own = [run for run in runs if run[0].method == method]
            several = len(datasets) > 1
            for dataset in () if short and several else datasets:
                shared = [run for run in own if run[0].dataset == dataset]
                tables.append(_table(f"{method}: {dataset}", shared))
            if several:
                tables.append(_table(f"{method}: all datasets", own))
        sections.append(Section(one_line(oracle), tuple(table for table in tables if table.rows), None))
    return sections


def coverage_sections(curves: Iterable[Curve]) -> list[Section]:
    """Return for each oracle and method how often limits and intervals held, a row for each dataset."""
    sections = []
    for oracle, group in groupby(estimated(curves), key=lambda run: run[0].oracle):
        runs = list(group)
        tables = []
        for method in styles_of(run.method for run, _ in runs):
            own = [run for run in runs if run[0].method == method]
            names = sorted({run.dataset for run, _ in own}, key=dataset_order)
            chosen = {one_line(name): [run for run in own if run[0].dataset == name] for name in names}
            chosen |= {"all datasets": own} if len(names) > 1 else {}
            found = {name: honesty(shared, after=1) for name, shared in chosen.items()}
            rows = tuple((name, *_coverage(one)) for name, one in found.items() if one is not None)
            note = f"{len(own)} run{'s' * (len(own) != 1)}"
            tables.append(Table(one_line(method), note, COVERAGE_HEADINGS, rows))
        sections.append(Section(one_line(oracle), tuple(table for table in tables if table.rows), None))
    return sections


def _coverage(found: Honesty) -> tuple[str, ...]:
    number, open_ended, held, upper, ratio, _ = _cells(found)
    return number, open_ended, upper, held, ratio


def _table(title: str, runs: list[tuple[Curve, Estimates]]) -> Table:
    """Sum up some runs, a row for each stage that they passed."""
    stages = {
        name: honesty(runs, least=least, below=below) for name, (least, below) in STAGES.items() if runs
    }
    rows = tuple((name, *_cells(found)) for name, found in stages.items() if found is not None)
    return Table(one_line(title), f"{len(runs)} run{'s' * (len(runs) != 1)}", HONESTY_HEADINGS, rows)


def _cells(found: Honesty) -> tuple[str, ...]:
    ratio = NEVER if found.ratio is None else f"{found.ratio:.2f}"
    shares = (
        NEVER if share is None else f"{share:.0%}"
        for share in (found.open_ended, found.held, found.upper_held)
    )
    return (f"{found.rounds:,}", *shares, ratio, f"{found.optimism:+.3f}")
