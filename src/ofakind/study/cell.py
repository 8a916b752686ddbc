"""One cell of a study: prepare the objects and the oracle, run the method, measure every round."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.errors import AccuracyWarning, NotConvergedWarning
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.priors.neighbours import Neighbours
from ofakind.report.accuracy import Accuracy
from ofakind.report.forecast import Forecast
from ofakind.rivals import looks, restarts
from ofakind.solve.base import SampleSolver
from ofakind.study.curves import FORECAST_TARGET
from ofakind.study.features import graph_of, vectors_of
from ofakind.study.judges import judge_of, let_judge_look, pool_answers
from ofakind.study.measures import compare, forecast_row, measure, pair_rates
from ofakind.study.parts import build, is_acquisition
from ofakind.study.problem import StudyProblem, prepare
from ofakind.study.reading import Reader
from ofakind.study.setting import BATCHES, RANDOM
from ofakind.study.spec import Cell, Method

Measured = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """The rounds of a cell, how long each took, and how it came about."""

    rows: list[Measured]
    seconds: list[float]
    stopped: str
    manifest: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a cell has no result: one line for the reader, and the traceback."""

    reason: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Point:
    """Where a method stands: answers bought (for a rival: its budget), labels, and the time it took.

    ``accuracy`` is how good it thinks that it is, where its labels were read from samples of partitions;
    ``forecast`` how many questions it thinks are left, in random problems.
    """

    answers: int
    labels: NDArray[np.int64]
    seconds: float
    stopped: str = ""
    accuracy: Accuracy | None = None
    forecast: Forecast | None = None


def run_cell(cell: Cell, folder: str | None = None) -> tuple[list[Measured], list[float], str]:
    """Rows, seconds and why it stopped early, if it did. The rows depend on the cell alone.

    Linear algebra runs on one thread here: with several, sums would be rounded differently from run to run.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        # A belief that is not quite settled still makes good questions, and the curves tell how good.
        for doubt in (NotConvergedWarning, AccuracyWarning):
            warnings.simplefilter("ignore", doubt)
        problem = prepare(cell.data, cell.oracle, cell.seed)
        batch = problem.batch or batches(cell, len(problem.truth))[1]
        method = build(cell.method.part, folder, noise=problem.noise, batch_size=batch)
        follow = _learner_points if is_acquisition(method) else _rival_points
        return _measured(follow(cell, problem, method, folder), problem.truth, cell)


def _measured(
    points: Iterator[Point], truth: NDArray[Any], cell: Cell
) -> tuple[list[Measured], list[float], str]:
    """Measure point after point, until the truth was found ``settled`` times running.

    Where there are features, precision and recall over pairs are measured too: a method that begins with them
    may be wrong in either way.
    """
    rows: list[Measured] = []
    seconds: list[float] = []
    stopped, perfect = "", 0
    for point in points:
        rows.append({"answers": point.answers, "k": int(point.labels.max(initial=-1)) + 1})
        rows[-1] |= measure(point.labels, truth)
        if cell.data.prior is not None:
            rows[-1] |= pair_rates(point.labels, truth)
        if point.accuracy is not None:
            rows[-1] |= compare(point.accuracy, point.labels, truth)
        if point.forecast is not None:
            rows[-1] |= forecast_row(point.forecast)
        seconds.append(round(point.seconds, 6))
        stopped = point.stopped
        perfect = perfect + 1 if rows[-1]["ari"] == 1.0 else 0
        if perfect >= cell.settled:
            break
    return rows, seconds, stopped


def _learner_points(cell: Cell, problem: StudyProblem, method: Any, folder: str | None) -> Iterator[Point]:
    """Run the active loop (Alg. 1), a point after every batch; a reader's time is added to the method's.

    With features or a judge there is a point before any answer, too.
    """
    learner = _learner(cell, problem, method, folder)
    reader = _reader(cell, problem, folder)
    sampled = isinstance(learner.solver, SampleSolver)
    pooled = _with_judge(cell, learner)
    if (learner.prior is not None or cell.method.judge is not None) and reader is None:
        start = perf_counter()
        labels = learner.labels
        seconds = perf_counter() - start
        yield Point(0, labels, seconds, accuracy=learner.accuracy if sampled else None)
    seen, budget = 0, min(cell.data.budget, problem.budget or cell.data.budget)
    if cell.method.judging == "alone":
        return
    for step in run(learner, problem.oracle, budget + pooled):
        if step.n_answers - pooled < seen + problem.look:
            continue
        seen = step.n_answers - pooled
        if reader is None:
            # Elsewhere nothing is asked of the posterior: to form it is part of the next round's time.
            own = learner.accuracy if sampled else None
            left = learner.forecast(FORECAST_TARGET) if sampled and cell.data.name == RANDOM else None
            yield Point(seen, step.labels, step.seconds, accuracy=own, forecast=left)
        else:
            start = perf_counter()
            clustering, accuracy, reader = reader.read(learner.answers)
            seconds = step.seconds + perf_counter() - start
            yield Point(seen, clustering.labels, seconds, accuracy=accuracy)


def _learner(cell: Cell, problem: StudyProblem, method: Any, folder: str | None) -> ActiveClustering:
    """Make the learner; one with features chooses from the start."""
    first, batch = batches(cell, len(problem.truth))
    prior = _prior(cell)
    return ActiveClustering(
        len(problem.truth),
        acquisition=method,
        **_other_parts(cell.method, folder),
        initial=first if prior is None else 0,
        batch_size=problem.batch or batch,
        candidates=problem.candidates,
        repeats=(problem.repeats or cell.data.repeats or 1) + (cell.method.judging == "pooled"),
        prior=prior,
        seed=cell.seed,
    )


def _prior(cell: Cell) -> Neighbours | None:
    whose = cell.method.features
    return None if whose is None else graph_of(cell.data, cell.seed, whose)


def _with_judge(cell: Cell, learner: ActiveClustering) -> int:
    """Let the judges of a cell look at pairs; return how many answers are a judge's, as one more person's."""
    judges = {kind: judge_of(cell.data, cell.seed, kind) for kind in cell.method.judges}
    if cell.method.judging in ("pooled", "alone"):
        return sum(pool_answers(learner, judge) for judge in judges.values())
    for kind, judge in judges.items():
        let_judge_look(learner, judge, kind)
    return 0


def _reader(cell: Cell, problem: StudyProblem, folder: str | None) -> Reader | None:
    reader = cell.method.reader
    return None if reader is None else Reader(build(reader, folder), cell.seed, problem.candidates)


def _rival_points(cell: Cell, problem: StudyProblem, method: Any, folder: str | None) -> Iterator[Point]:  # noqa: ARG001
    """Run a rival: a fresh one for each budget, or one that is looked at after every batch.

    As for a learner, the oracle's time is not counted.
    """
    away = 0.0

    def oracle(pairs: Pairs) -> NDArray[np.float64]:
        nonlocal away
        left = perf_counter()
        answers = problem.oracle(pairs)
        away += perf_counter() - left
        return answers

    n, once = len(problem.truth), cell.method.one_run
    first, batch = batches(cell, n)
    if once:
        budgets = [*range(0, cell.data.budget, batch), cell.data.budget]
    else:
        budgets = spread(first, batch, cell.data.budget, cell.method.points)
    runs = (looks if once else restarts)(
        method,
        n,
        oracle,
        budgets=budgets,
        seed=cell.seed,
        features=_vectors(cell, problem, method),
        prior=_prior(cell),
    )
    start = perf_counter()
    for budget, outcome in zip(budgets, runs, strict=True):
        yield Point(budget, outcome.labels, perf_counter() - start - away, outcome.stopped)
        start, away = perf_counter(), 0.0


def _vectors(cell: Cell, problem: StudyProblem, method: Any) -> NDArray[np.float64] | None:
    """Return the vectors of a rival that may need some; where features are a prior, vectors of these."""
    if cell.data.prior is None or getattr(method, "needs_prior", False):
        return problem.features
    return vectors_of(cell.data, cell.seed, cell.method.features or "own")


def _other_parts(method: Method, folder: str | None) -> dict[str, Any]:
    named = {"solver": method.solver, "belief": method.belief}
    return {role: build(part, folder) for role, part in named.items() if part is not None}


def batches(cell: Cell, n: int) -> tuple[int, int]:
    """First batch and batch size: the cell's own, else the paper's, else n and 0.6 n."""
    first, batch = BATCHES.get(cell.data.name, (n, max(1, round(0.6 * n))))
    return cell.data.first_batch or first, cell.data.batch or batch


def spread(first: int, batch: int, budget: int, points: int) -> list[int]:
    """At most ``points`` of the budgets that a learner passes, spread evenly on a logarithmic scale.

    >>> spread(500, 300, 20000, 6)
    [500, 1100, 2300, 4700, 9500, 20000]
    """
    if budget <= first:
        return [budget]
    wanted = portable.geomspace(first, budget, points)
    passed = np.append(np.arange(first, budget, batch), budget)
    nearest = np.abs(passed[:, None] - wanted).argmin(axis=0)
    return [int(passed[index]) for index in np.unique(nearest)]
