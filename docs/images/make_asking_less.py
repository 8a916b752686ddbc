"""Draws the pictures of docs/asking-less.md from real runs: ``python docs/images/make_asking_less.py``.

Takes about half a minute and writes its SVG files beside itself; equal versions draw equal files.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import norm

import ofakind as ok
from ofakind.cli.demo.race import Digits
from ofakind.study.canvas import FAINT, look
from ofakind.study.figures import svg

HERE = Path(__file__).parent
OBJECTS, GAMMA, SEED = 300, 0.4, 0
MOMENTS = (900, 1800, 2700, 3600)
ASKING = 1  # of the moments: the one whose questions are looked at
BLUE, ORANGE = "#0a58ca", "#c2570c"
Floats = NDArray[np.float64]


class Moment(NamedTuple):
    """What was believed of all pairs after some answers, and what was asked next."""

    answers: int
    ari: float
    same: Floats  # (n, n)
    information: Callable[[Any], Floats]
    asked: ok.Pairs
    known: NDArray[np.bool_]  # (n, n) answered pairs


def run(truth: NDArray[np.int64]) -> list[Moment]:
    """Let the default method ask about the digits, and stop at each of the moments to look."""
    learner = ok.ActiveClustering(len(truth), batch_size=OBJECTS // 2, seed=SEED)
    oracle, found = ok.NoisyOracle(truth, GAMMA, SEED), []
    while learner.n_answers <= MOMENTS[-1]:
        seen = observed(learner, truth) if learner.n_answers in MOMENTS else None
        pairs = learner.ask(learner.next_size)
        if seen is not None:
            found.append(seen._replace(asked=pairs))
        learner.tell(pairs, oracle(pairs))
    return found


def observed(learner: ok.ActiveClustering, truth: NDArray[np.int64]) -> Moment:
    """Write down everything that is believed; n x n, which is fine for a picture."""
    n, pairs = learner.n, ok.Pairs.all(learner.n)
    same, known = np.eye(n), np.eye(n, dtype=bool)
    same[pairs.u, pairs.v] = same[pairs.v, pairs.u] = learner.posterior.same_probability(pairs.u, pairs.v)
    told = learner.similarity.pairs()
    known[told.u, told.v] = known[told.v, told.u] = True
    ari = ok.adjusted_rand_index(learner.labels, truth)
    information = learner.calibration.information
    return Moment(learner.n_answers, ari, same, information, ok.Pairs.empty(), known)


def order_of(moments: list[Moment], truth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Objects by true cluster, within it those first that were known to belong there early."""
    own = truth[:, None] == truth
    early = np.mean([(m.same * own).sum(axis=1) for m in moments], axis=0)
    return np.lexsort((-early, truth))


# -- the pictures ------------------------------------------------------------------------------------------


def sharpening(moments: list[Moment], order: NDArray[np.int64]) -> Figure:
    """P(same) of all pairs at each of the moments."""
    figure = Figure(figsize=(8.2, 2.5), layout="constrained")
    axes = figure.subplots(1, len(moments))
    for axis, moment in zip(axes, moments, strict=True):
        image = matrix(axis, moment.same[np.ix_(order, order)])
        axis.set_title(f"{moment.answers:,} answers\nARI {moment.ari:.2f}")
    figure.colorbar(image, ax=axes, label="P(same)", shrink=0.82, ticks=[0, 0.5, 1])
    return figure


def questions(moment: Moment, order: NDArray[np.int64]) -> Figure:
    """What is asked at one of the moments: where, how doubtful it is, and who is compared."""
    figure = Figure(figsize=(8.2, 2.75), layout="constrained")
    where, doubt, who = figure.subplots(1, 3, width_ratios=[1, 1.1, 1.1])
    place = np.argsort(order)
    matrix(where, moment.same[np.ix_(order, order)], cmap="Greys", vmax=2.2)
    first, second = place[moment.asked.u], place[moment.asked.v]
    where.plot(np.r_[first, second], np.r_[second, first], ".", color=BLUE, markersize=2.2)
    where.set_title("Where it asks next")
    how_doubtful(doubt, moment)
    who_is_compared(who, moment)
    return figure


def how_doubtful(axis: Any, moment: Moment) -> None:
    """Shares of open and of asked pairs by P(same), below what an answer tells."""
    edges = np.linspace(0, 1, 21)
    open_ = moment.same[np.triu(~moment.known, 1)]
    asked = moment.same[moment.asked.u, moment.asked.v]
    for values, colour, label in ((open_, "#c4c9d0", "open pairs"), (asked, BLUE, "asked next")):
        share = np.histogram(values, edges)[0] / len(values)
        axis.stairs(share, edges, fill=True, color=colour, alpha=0.75, label=label)
    p = np.linspace(0, 1, 201)
    told = moment.information(p)
    axis.plot(p, told, color=ORANGE, label="nats that an answer tells")
    axis.set(title="How doubtful those pairs are", xlabel="P(same)", ylim=(0, 0.72), xlim=(0, 1))
    axis.legend(loc="upper right", fontsize=7.5)


def who_is_compared(axis: Any, moment: Moment) -> None:
    """How sure each question's two objects are of a companion: the surer one, and the other one."""
    surest = (moment.same - np.eye(len(moment.same))).max(axis=1)
    both = surest[np.stack([moment.asked.u, moment.asked.v])]
    edges = np.linspace(0, 1, 21)
    for values, colour, label in (
        (both.min(axis=0), "#c4c9d0", "one of the two"),
        (both.max(axis=0), BLUE, "the other one"),
    ):
        share = np.histogram(values, edges)[0] / len(values)
        axis.stairs(share, edges, fill=True, color=colour, alpha=0.75, label=label)
    axis.set(title="Who is compared", xlabel="P(same) with its surest companion", xlim=(0, 1), ylim=(0, 1))
    axis.legend(loc="upper center", fontsize=7.5)


def worth() -> Figure:
    """Log ratio of answers as learned from three oracles, against the true one."""
    truth = np.arange(OBJECTS) % 10
    grid = np.linspace(-0.99, 0.99, 67)
    tail = float(norm.logcdf(-1) - norm.logcdf(-3))  # of a graded answer of 1: spread 0.5 about 0.5 or -0.5
    flips = np.log(0.8 / 0.2)
    cases: list[tuple[str, ok.Oracle, Floats, Floats, float]] = [
        ("40 % random (Oracle 1)", ok.NoisyOracle(truth, 0.4, SEED), grid, 0 * grid, 7.0),
        ("20 % flipped", ok.FlippingOracle(truth, 0.2, SEED), grid[:0], grid[:0], flips),
        ("graded, spread 0.5", ok.GradedOracle(truth, 0.5, SEED), grid, 4 * grid, tail),
    ]
    figure = Figure(figsize=(8.2, 2.7), layout="constrained")
    for axis, (title, oracle, x, y, end) in zip(figure.subplots(1, 3, sharey=True), cases, strict=True):
        learner = ok.ActiveClustering(OBJECTS, seed=SEED)
        for _ in ok.run(learner, oracle, budget=20 * OBJECTS):
            pass
        axis.axhline(0, color=FAINT, linewidth=0.7)
        axis.plot([-1, 1], [-3, 3], "--", color=FAINT, label="before any answer: 3 s")
        axis.plot(x, y, color=ORANGE, linewidth=1.2, label="true")
        axis.plot([-1, 1], [-end, end], "o", color=ORANGE, markersize=8, markerfacecolor="white")
        centres = learner.calibration.centres
        ratios = learner.calibration.log_ratio(centres)
        learned = f"learned, {learner.n_answers:,} answers"
        axis.plot(centres, ratios, "o", color=BLUE, markersize=4, label=learned)
        axis.set(title=title, xlabel="answer s", xlim=(-1.12, 1.12), ylim=(-7.9, 7.9))
    figure.axes[0].set_ylabel("log ratio of “same” to “different”")
    figure.axes[2].legend(loc="upper left", fontsize=7.5)
    return figure


def matrix(axis: Any, values: Floats, cmap: str = "viridis", vmax: float = 1.0) -> Any:
    """Show a matrix without ticks."""
    axis.set_axis_off()
    return axis.imshow(values, cmap=cmap, vmin=0, vmax=vmax, interpolation="nearest")


def main() -> None:
    """Draw all pictures."""
    truth = Digits.load(OBJECTS, SEED).truth
    moments = run(truth)
    order = order_of(moments, truth)
    with look():
        pictures = {
            "sharpening": sharpening(moments, order),
            "questions": questions(moments[ASKING], order),
            "worth": worth(),
        }
        for name, figure in pictures.items():
            (HERE / f"{name}.svg").write_text(svg(figure), encoding="utf-8")


if __name__ == "__main__":
    main()
