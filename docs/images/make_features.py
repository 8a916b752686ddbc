"""Draws the pictures of docs/features.md from real runs: ``python docs/images/make_features.py``.

Takes two to three minutes and writes its SVG files beside itself; equal versions draw equal files.
"""

import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import expit

import ofakind as ok
from ofakind.cli.demo.race import Digits
from ofakind.study.canvas import FAINT, INK, look
from ofakind.study.figures import svg
from ofakind.study.measures import pair_f1

HERE = Path(__file__).parent
OBJECTS, WRONG, SEED = 600, 0.05, 0
MOMENTS = (0, 20, 120)
FEWER, SEEDS = 300, (0, 1, 2)  # digits and runs of the comparison,
LEAST, DONE = 500, 0.995  # which go on for so many answers, and until the pair F1 is above this
SMALL = 5  # a group of fewer objects has no colour of its own
BLUE, ORANGE, GREEN = "#0a58ca", "#c2570c", "#2a7f3f"
COLOURS = (
    *("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22"),
    *("#1b3a8a", "#7fc97f", "#f4a6a6", "#b39ddb", "#c9a227", "#00695c", "#ad1457", "#90caf9", "#5d4037"),
    *("#827717", "#4a148c", "#ffab91", "#37474f"),
)
GREY = "#b8bec6"  # of groups without a colour
LINES: dict[bool, dict[str, Any]] = {
    False: {"color": "#d00000", "linewidth": 0.9, "linestyle": (0, (3, 2))},
    True: {"color": INK, "linewidth": 1.3},
}
Floats, Ints = NDArray[np.float64], NDArray[np.int64]
Curve = tuple[list[int], list[float]]  # answers, and the pair F1 after each of these


class Moment(NamedTuple):
    """What was believed after some answers: groups under names that stay, and the map of pairs."""

    groups: Ints
    pair_map: ok.PairMap
    told: ok.Pairs
    answers: Floats


# -- runs --------------------------------------------------------------------------------------------------


def run(near: ok.Neighbours, truth: Ints) -> list[Moment]:
    """Ask one question at a time, and write down what is believed at each of the moments."""
    learner = ok.ActiveClustering(near.n, prior=near, seed=SEED)
    oracle = ok.FlippingOracle(truth, WRONG, SEED)
    found = [observed(learner)]
    for before, after in pairwise(MOMENTS):
        for _ in range(after - before):
            pairs = learner.ask(1)
            learner.tell(pairs, oracle(pairs))
        found.append(observed(learner))
    return found


def observed(learner: ok.ActiveClustering) -> Moment:
    """Write down everything that is believed."""
    told = learner.similarity.pairs()
    answers = learner.similarity.value(told.u, told.v)
    return Moment(learner.groups, learner.prior_map, told, answers)


def curve(prior: ok.Neighbours | None, truth: Ints, seed: int) -> Curve:
    """Return pair F1 by answers, as many at a time as the learner asks, until it stays above 0.995."""
    learner = ok.ActiveClustering(len(truth), prior=prior, seed=seed)
    oracle = ok.FlippingOracle(truth, WRONG, seed)
    answers, found = [0], [pair_f1(learner.labels, truth)]
    while learner.n_answers < LEAST or found[-1] <= DONE:
        pairs = learner.ask()
        learner.tell(pairs, oracle(pairs))
        answers.append(learner.n_answers)
        found.append(pair_f1(learner.labels, truth))
    return answers, found


# -- the pictures ------------------------------------------------------------------------------------------


def groups(moments: list[Moment], truth: Ints, places: Floats) -> Figure:
    """Objects in the plane, by the colour of their believed group, with the answers as lines."""
    figure = Figure(figsize=(8.4, 3.5), layout="constrained")
    labels, taken = moments[0].groups, dict[int, str]()
    for axis, moment, answers in zip(figure.subplots(1, 3), moments, MOMENTS, strict=True):
        axis.set_axis_off()
        taken = colours_of(moment.groups, labels, taken)
        labels = moment.groups
        dots(axis, places, labels, taken)
        lines(axis, places, moment)
        for digit in range(10):
            centre = np.median(places[truth == digit], axis=0)
            box = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": INK, "linewidth": 0.6}
            axis.text(*centre, str(digit), ha="center", va="center", fontsize=8, bbox=box, zorder=4)
        count, quality = len(np.unique(labels)), pair_f1(labels, truth)
        when = f"after {answers} answers" if answers else "before any answer"
        axis.set_title(f"{when}\n{count} groups, pair F1 {quality:.2f}")
    drawn = [figure.axes[1].plot([], [], **LINES[same])[0] for same in (True, False)]
    figure.legend(drawn, ["answer “same”", "answer “different”"], loc="outside lower center", ncols=2)
    return figure


def colours_of(found: Ints, before: Ints, known: dict[int, str]) -> dict[int, str]:
    """Return a colour for each group that is large enough: that of the earlier group it shares most with."""
    large = [group for group, size in Counter(found.tolist()).most_common() if size >= SMALL]
    shared = [[np.sum((found == group) & (before == old)) for old in known] for group in large]
    rows, columns = linear_sum_assignment(shared, maximize=True) if known else ((), ())
    old = list(known)
    taken = {large[i]: known[old[j]] for i, j in zip(rows, columns, strict=True) if shared[i][j]}
    free = iter([colour for colour in COLOURS if colour not in taken.values()])
    return taken | {group: next(free, GREY) for group in large if group not in taken}


def dots(axis: Any, places: Floats, found: Ints, taken: dict[int, str]) -> None:
    """Draw objects as the round ends of lines next to no length: a third of the file of as many markers."""
    colours = np.array([taken.get(group, GREY) for group in found.tolist()])
    for colour in dict.fromkeys(colours.tolist()):
        chosen = places[colours == colour]
        style = {"color": colour, "linewidth": 3.4, "zorder": 2}
        segments(axis, chosen, chosen + 0.05, style)
    axis.autoscale_view()


def lines(axis: Any, places: Floats, moment: Moment) -> None:
    """Draw each answered pair as a line between its objects, thinner where there are many."""
    thin = 1.0 if len(moment.told) < 50 else 0.6
    for same, style in LINES.items():
        rows = np.flatnonzero((moment.answers > 0) == same)
        width = {"linewidth": thin * style["linewidth"], "zorder": 3}
        segments(axis, places[moment.told.u[rows]], places[moment.told.v[rows]], style | width)


def segments(axis: Any, begin: Floats, end: Floats, style: dict[str, Any]) -> None:
    """Draw many lines as one path, and none is left out because another one is near."""
    vertices = np.stack([begin, end], axis=1).reshape(-1, 2)
    path = Outline(vertices, np.tile([Outline.MOVETO, Outline.LINETO], len(begin)))
    path.should_simplify = False
    axis.add_patch(PathPatch(path, capstyle="round", fill=False, **style))


def pair_maps(near: ok.Neighbours, moments: list[Moment], truth: Ints, cosines: Floats) -> Figure:
    """P(same) of the candidates by their cosine, as the map has it, with the true share of matches."""
    figure = Figure(figsize=(7.2, 3.1), layout="constrained")
    matches = truth[near.pairs.u] == truth[near.pairs.v]
    edges = np.quantile(cosines, np.linspace(0, 1, 16))
    bins = np.clip(np.searchsorted(edges, cosines, side="right") - 1, 0, 14)
    middle, share = means(cosines, bins), means(matches.astype(float), bins)
    for axis, moment, title in zip(
        figure.subplots(1, 2, sharey=True),
        (moments[0], moments[-1]),
        ("before any answer", f"after {MOMENTS[-1]} answers"),
        strict=True,
    ):
        believed = expit(moment.pair_map.log_odds(near.features))
        low, high = (np.array([np.quantile(believed[bins == b], q) for b in range(15)]) for q in (0.1, 0.9))
        axis.fill_between(middle, low, high, color=BLUE, alpha=0.15, linewidth=0, label="eight pairs in ten")
        axis.plot(middle, means(believed, bins), color=BLUE, linewidth=1.8, label="believed, on average")
        axis.plot(middle, share, "o", color=ORANGE, markersize=4, label="true share of matches")
        axis.set(title=title, xlabel="cosine of a pair", ylim=(0, 1.03))
    figure.axes[0].set_ylabel("P(same)")
    figure.axes[1].legend(loc="lower right", fontsize=8)
    return figure


def means(values: Floats, bins: Ints) -> Floats:
    """Mean in each bin."""
    return np.asarray(np.bincount(bins, values) / np.bincount(bins))


def lies(curves: dict[str, list[Curve]]) -> Figure:
    """Pair F1 by answers with good features, none, and those of other objects: a line for each run."""
    figure = Figure(figsize=(7.2, 3.1), layout="constrained")
    axis = figure.subplots()
    for (name, runs), colour in zip(curves.items(), (GREEN, FAINT, ORANGE), strict=True):
        for number, (answers, quality) in enumerate(runs):
            label = None if number else name
            axis.plot(answers, quality, color=colour, linewidth=1.4, alpha=0.9, label=label)
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.set(xlabel="answers", ylabel="pair F1", ylim=(0, 1.02), xlim=(0, None))
    axis.legend(loc="center left", bbox_to_anchor=(0.08, 0.6), fontsize=8.5)
    return figure


def compared() -> dict[str, list[Curve]]:
    """Run with good features, with none, and with those of other objects."""
    digits = Digits.load(FEWER, SEED)
    vectors = digits.images.reshape(FEWER, -1)
    permuted = vectors[np.random.default_rng(SEED).permutation(FEWER)]
    priors = {
        "features": ok.Neighbours.from_vectors(vectors),
        "no features": None,
        "features of other objects": ok.Neighbours.from_vectors(permuted),
    }
    return {name: [curve(prior, digits.truth, seed) for seed in SEEDS] for name, prior in priors.items()}


def main() -> None:
    """Draw all pictures."""
    from sklearn.manifold import TSNE

    warnings.simplefilter("ignore")
    digits = Digits.load(OBJECTS, SEED)
    vectors = digits.images.reshape(OBJECTS, -1)
    near = ok.Neighbours.from_vectors(vectors)
    places = TSNE(perplexity=25, init="pca", random_state=SEED).fit_transform(vectors).astype(float)
    centred = vectors - vectors.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    cosines = (unit[near.pairs.u] * unit[near.pairs.v]).sum(axis=1)
    moments, curves = run(near, digits.truth), compared()
    with look():
        pictures = {
            "features-groups": groups(moments, digits.truth, places),
            "features-map": pair_maps(near, moments, digits.truth, cosines),
            "features-lies": lies(curves),
        }
        for name, figure in pictures.items():
            (HERE / f"{name}.svg").write_text(svg(figure), encoding="utf-8")


if __name__ == "__main__":
    main()
