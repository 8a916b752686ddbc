"""The numbers of a study: from learning curves to means, intervals, and who beats whom.

Between two rounds a person holds the clustering of the last one, so a curve is read as a step function: 0
before its first round (everything in one cluster), then the ARI of the last round, also beyond its end.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, Ints
from ofakind.checks import whole_number
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.study.curves import Curve

Order = tuple[tuple[str | float, ...], str]  # of names
Key = TypeVar("Key", bound=Hashable)

TARGETS = (0.8, 0.9, 0.95, 0.99)

# The order of the paper's figures; a name counts by its beginning ("Forest Type Mapping", "cifar-10").
PAPER_DATASETS = (
    *("cifar10", "newsgroups", "cardiotocography", "ecoli"),
    *("forest", "userknowledge", "mnist", "synthetic"),
)


@dataclass(frozen=True, slots=True)
class SignificanceRules:
    """When methods differ, by convention."""

    level: float = 0.05  # of significance; intervals have 1 - level
    fewest_pairs: int = 6  # with fewer, the smallest two-sided p of the signed-rank test is 2 / 2**5 > level
    same: float = 1e-12  # areas closer than this differ by rounding alone


SIGNIFICANCE = SignificanceRules()


class Setting(NamedTuple):
    """What all methods of one comparison share."""

    dataset: str
    oracle: str


def setting_of(curve: Curve) -> Setting:
    """Return what a run shares with those that it may be compared with."""
    return Setting(curve.dataset, curve.oracle)


# -- order and groups --------------------------------------------------------------------------------------


def natural(name: str) -> Order:
    """Sort key by which "β = 3" comes before "β = 10".

    >>> sorted(["b10", "a", "b3"], key=natural)
    ['a', 'b3', 'b10']
    """
    parts = re.split(r"(\d+(?:\.\d+)?)", name.casefold(), flags=re.ASCII)
    return tuple(float(part) if i % 2 else part for i, part in enumerate(parts)), name


def plain_name(name: str) -> str:
    """Return a name without case, blanks and punctuation, so that "EIG-O" and "eigo" are one."""
    return re.sub(r"[\W_]+", "", name.casefold())


def dataset_order(name: str) -> tuple[int, Order]:
    """Sort key of a dataset: those of the paper as in its figures, then the others by name."""
    place = next(
        (i for i, known in enumerate(PAPER_DATASETS) if plain_name(name).startswith(known)),
        len(PAPER_DATASETS),
    )
    return place, natural(name)


def setting_order(setting: Setting) -> tuple[Order, tuple[int, Order]]:
    """Sort key of a setting: by oracle, then by dataset."""
    return natural(setting.oracle), dataset_order(setting.dataset)


def grouped(curves: Iterable[Curve], key: Callable[[Curve], Key]) -> dict[Key, list[Curve]]:
    """Return the curves in groups of equal keys, in the order in which the keys come first."""
    groups: dict[Key, list[Curve]] = defaultdict(list)
    for curve in curves:
        groups[key(curve)].append(curve)
    return dict(groups)


def checked(curves: Iterable[Curve]) -> list[Curve]:
    """Return the curves in an order of their own, so that nothing depends on the order they come in.

    Raises:
        InvalidInputError: there are none, one stands there twice, or one is damaged.
    """
    found = sorted(curves, key=lambda c: (setting_order(setting_of(c)), natural(c.method), c.seed))
    if not found:
        raise InvalidInputError(
            "there are no curves yet; run the study first, or wait for its first run to end"
        )
    cells = [(*setting_of(curve), curve.method, curve.seed) for curve in found]
    for i, (curve, cell) in enumerate(zip(found, cells, strict=True)):
        if i and cell == cells[i - 1]:
            raise InvalidInputError(f"the run {cell} stands there twice; expected each once")
        whole = len(curve.answers) == len(curve.ari) == len(curve.seconds)
        if not whole or not (np.isfinite(curve.ari).all() and np.isfinite(curve.seconds).all()):
            raise InvalidInputError(f"the curve of {cell} is damaged; expected a number for every round")
        if np.any(np.diff(curve.answers, prepend=0) < 0):
            raise InvalidInputError(
                f"the answers of {cell} are {curve.answers}; expected them to rise from 0"
            )
    return found


# -- one curve ---------------------------------------------------------------------------------------------


def answers_to_reach(curve: Curve, target: float, measure: str = "ari") -> int | None:
    """Answers at the first round whose ARI (or another measure) is at least the target; None: never.

    It is the first crossing: later the curve may fall below the target again.
    """
    reached = np.flatnonzero(getattr(curve, measure) >= target)
    return int(curve.answers[reached[0]]) if len(reached) else None


def value_at(curve: Curve, answers: ArrayLike) -> Floats:
    """ARI in hand after so many answers: 0 before the first round, later that of the last round."""
    rounds = np.searchsorted(curve.answers, np.asarray(answers), side="right")
    return np.concatenate([[0.0], curve.ari])[rounds]


def area(curve: Curve, budget: int) -> float:
    """Area under the step function from 0 answers to the budget, divided by the budget.

    That is the ARI that a person holds on average while the answers come in: 1 would be perfect from the
    start. A run that ended earlier keeps its last value; what comes after the budget does not count.
    """
    whole_number("budget", budget, least=1)
    edges = np.minimum(np.concatenate([curve.answers, [budget]]), budget)
    return portable.dot(curve.ari, np.diff(edges)) / budget if len(curve.ari) else 0.0


def common_budget(curves: Iterable[Curve]) -> int:
    """Return the most answers that any of these runs bought (at least 1): their areas go up to there."""
    return max((int(curve.answers[-1]) for curve in curves if len(curve.answers)), default=0) or 1


# -- runs that differ in their seed only -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the half-width of its 95% Student t interval; a single value has no interval."""

    mean: float
    half_width: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Reach:
    """How many answers a target takes: ``answers`` is over the runs that reached it, so look at how many."""

    target: float
    reached: int
    runs: int
    answers: Estimate | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A method in a setting: its area up to the setting's budget, and what each of the `TARGETS` takes."""

    setting: Setting
    method: str
    budget: int
    area: Estimate
    reaches: tuple[Reach, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MeanCurve:
    """The mean ARI of some runs, with the half-width of its 95% interval where there are several."""

    answers: Ints
    mean: Floats
    half_width: Floats | None


def mean_and_half_width(values: Floats) -> tuple[Floats, Floats | None]:
    """Mean over the first axis, and the half-width of its 95% Student t interval (None for one row)."""
    n = len(values)
    if n == 1:
        return values[0], None
    return values.mean(axis=0), portable.t_quantile(n - 1, 1 - SIGNIFICANCE.level / 2) * values.std(
        axis=0, ddof=1
    ) / np.sqrt(n)


def estimate(values: Sequence[float]) -> Estimate:
    """Mean of at least one value, with its interval.

    >>> estimate([3.0])
    Estimate(mean=3.0, half_width=None, n=1)
    """
    mean, half_width = mean_and_half_width(np.asarray(values, np.float64))
    return Estimate(float(mean), None if half_width is None else float(half_width), len(values))


def reach(curves: Sequence[Curve], target: float) -> Reach:
    """What a target takes in these runs."""
    found = [answers for c in curves if (answers := answers_to_reach(c, target)) is not None]
    return Reach(target, len(found), len(curves), estimate(found) if found else None)


def summarise(curves: Iterable[Curve]) -> list[Summary]:
    """Sum up every method in every setting: by oracle, dataset, and from the largest area to the smallest."""
    summaries = []
    for setting, shared in grouped(checked(curves), setting_of).items():
        budget = common_budget(shared)
        for method, runs in grouped(shared, lambda c: c.method).items():
            areas = estimate([area(run, budget) for run in runs])
            reaches = tuple(reach(runs, target) for target in TARGETS)
            summaries.append(Summary(setting, method, budget, areas, reaches))
    return sorted(summaries, key=lambda s: (setting_order(s.setting), -s.area.mean))


def mean_curve(curves: Sequence[Curve], budget: int) -> MeanCurve:
    """Mean of some runs on the union of their answers, continued to the budget with the last values."""
    answers = np.unique(np.concatenate([*(curve.answers for curve in curves), [budget]]))
    mean, half_width = mean_and_half_width(np.stack([value_at(curve, answers) for curve in curves]))
    return MeanCurve(answers, mean, half_width)


# -- who beats whom ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two methods over the runs that both made, each pair with the same dataset, oracle and seed.

    ``median`` is that of the first method's area minus the second's. ``p`` is corrected by Holm's method;
    ``lean`` is the sign of the ranks' sum, by which the test decides. All this speaks of the datasets from
    which the pairs come, not of datasets in general.
    """

    oracle: str
    first: str
    second: str
    wins: int
    losses: int
    ties: int
    median: float
    p: float
    lean: int

    @property
    def pairs(self) -> int:
        """How many runs were compared."""
        return self.wins + self.losses + self.ties

    @property
    def verdict(self) -> int:
        """1 when the first is significantly better, -1 when the second is, 0 when none is."""
        return self.lean if self.p <= SIGNIFICANCE.level else 0


def signed_rank(differences: Floats) -> tuple[float, int]:
    """Two-sided p of Wilcoxon's signed-rank test, and the sign of the side to which the ranks lean.

    Differences of 0 are left out; if none is left, p is 1. Exact for up to 50 differences without ties
    (scipy's ``auto``). With fewer than six nothing can be significant.
    """
    from scipy.stats import rankdata, wilcoxon  # portable: ranks, and a p of which two digits are shown

    kept = differences[np.abs(differences) > SIGNIFICANCE.same]
    if not len(kept):
        return 1.0, 0
    return float(wilcoxon(kept).pvalue), int(np.sign((rankdata(np.abs(kept)) * np.sign(kept)).sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: each p times the number of hypotheses not smaller, kept rising, at most 1.

    >>> holm([0.01, 0.25, 0.015])
    [0.03, 0.25, 0.03]
    """
    given = np.asarray(p_values, np.float64)
    order = np.argsort(given, kind="stable")
    raised = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(raised, 1.0)
    return corrected.tolist()


def compare(curves: Iterable[Curve]) -> list[Comparison]:
    """Compare all methods of each oracle in twos by area; pairs of methods without a common run are left out.

    Holm's correction is over the comparisons of that oracle.
    """
    comparisons = []
    for oracle, shared in grouped(checked(curves), lambda c: c.oracle).items():
        areas = areas_of(shared)
        found = []
        for first, second in combinations(sorted(areas, key=natural), 2):
            cells = [cell for cell in areas[first] if cell in areas[second]]
            if cells:
                gaps = np.array([areas[first][cell] - areas[second][cell] for cell in cells])
                found.append(_compared(oracle, first, second, gaps))
        corrected = holm([comparison.p for comparison in found])
        comparisons += [replace(one, p=p) for one, p in zip(found, corrected, strict=True)]
    return comparisons


def pairs_needed(comparisons: int) -> int:
    """Fewest pairs with which one of so many comparisons can be significant after the correction.

    >>> pairs_needed(1), pairs_needed(45)
    (6, 11)
    """
    return next(n for n in range(1, 100) if max(comparisons, 1) * 2.0 ** (1 - n) <= SIGNIFICANCE.level)


def _compared(oracle: str, first: str, second: str, gaps: Floats) -> Comparison:
    """Compare two methods by the differences of their areas; p is not corrected yet."""
    wins, losses = int(np.sum(gaps > SIGNIFICANCE.same)), int(np.sum(gaps < -SIGNIFICANCE.same))
    ties, median = len(gaps) - wins - losses, float(np.median(gaps))
    p, lean = signed_rank(gaps)
    return Comparison(oracle, first, second, wins, losses, ties, median, p, lean)


def areas_of(curves: Iterable[Curve]) -> dict[str, dict[tuple[str, int], float]]:
    """Areas by method, then by dataset and seed, of the runs with one oracle."""
    areas: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for shared in grouped(curves, setting_of).values():
        budget = common_budget(shared)
        for curve in shared:
            areas[curve.method][curve.dataset, curve.seed] = area(curve, budget)
    return areas


# -- time --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seconds:
    """Mean seconds per round by method, from the quickest; over the datasets on which all methods ran.

    ``runs`` is how many runs of each method these are.
    """

    datasets: tuple[str, ...]
    by_method: dict[str, float]
    runs: dict[str, int]


def seconds_per_round(curves: Iterable[Curve]) -> Seconds:
    """Mean over the rounds on each dataset, then over the datasets (Figure 4).

    Like is compared with like: only settings in which every method has a round count. Where there is none,
    both parts of the result are empty.
    """
    timed = [curve for curve in checked(curves) if len(curve.seconds)]
    methods = {curve.method for curve in timed}
    settings = grouped(timed, setting_of).items()
    fair = {setting for setting, runs in settings if {run.method for run in runs} == methods}
    kept = grouped((curve for curve in timed if setting_of(curve) in fair), lambda c: (c.method, c.dataset))
    means: dict[str, list[float]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for (method, _), runs in kept.items():
        counts[method] += len(runs)
        means[method].append(float(np.concatenate([run.seconds for run in runs]).mean()))
    by_method = {method: float(np.mean(found)) for method, found in means.items()}
    datasets = sorted({setting.dataset for setting in fair}, key=dataset_order)
    return Seconds(tuple(datasets), dict(sorted(by_method.items(), key=lambda item: item[1])), dict(counts))
