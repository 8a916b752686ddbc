"""What answers might cost at best: the questions of somebody who knows all other objects, and the noise."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from math import inf

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats
from ofakind.checks import real_number, whole_number
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.oracles.noisy import CENTRE
from ofakind.study.curves import Curve
from ofakind.study.problem import prepare
from ofakind.study.setting import Answerer
from ofakind.study.short import TARGET
from ofakind.study.spec import Study
from ofakind.study.styles import styles_of
from ofakind.study.summary import TARGETS, Setting, answers_to_reach, grouped, setting_of, setting_order
from ofakind.study.table import NEVER, Section, Table, one_line

REFERENCE_LEGEND = (
    "reference: answers that place every object, each as if all others were placed and the noise were known.",
    "It asks greedily and is no proven bound; a model and real workers have none.",
    f"to ARI x: answers of a method, mean over seeds, by the reference; {NEVER}: not all seeds got there.",
)


@dataclass(frozen=True, slots=True)
class ReferenceRules:
    """Tuned numbers of the reference, chosen by judgement."""

    sure: float = 0.95  # an object is placed when its cluster has this probability
    kinds_between: int = 40  # of graded answers, besides -1 and 1
    table: int = 1001  # probabilities for which the information of an answer is tabulated


REFERENCE = ReferenceRules()


def reference_answers(
    sizes: ArrayLike, answers: tuple[Floats, Floats], *, objects: int = 20_000, rng: Generator
) -> float:
    """Return n times the mean number of questions that place one object when all others are placed.

    The clusters' sizes are known, and so is how often answers of each kind are given to pairs of a kind and
    to others (the two rows of ``answers``, see `answer_kinds`). The object is asked against the cluster
    whose answer tells most, until one cluster has a probability of 0.95. A reference and no proven bound:
    greedy questions may not be the best ones, and a clustering may be good with some objects misplaced.
    Infinite if answers tell nothing. Simulated with so many ``objects``: the error is well below 1%.

    >>> rng = np.random.default_rng(0)
    >>> round(reference_answers([5, 5], answer_kinds(Answerer(gamma=0.0)), rng=rng))
    10
    """
    counts = np.asarray(sizes, np.float64)
    if counts.ndim != 1 or not (counts > 0).all():
        raise InvalidInputError(f"sizes is {sizes!s:.60}; expected a list of positive numbers")
    whole_number("objects", objects, least=1)
    if len(counts) < 2 or counts.max() >= REFERENCE.sure * counts.sum():
        return 0.0
    same, different = answers
    if np.allclose(same, different):
        return inf
    prior = counts / counts.sum()
    truth = rng.choice(len(counts), objects, p=prior)
    asked = 0
    belief = np.tile(prior, (objects, 1))  # (objects left, clusters)
    grid = np.linspace(0, 1, REFERENCE.table)
    table = information(grid, same, different)
    while len(belief):
        asked += len(belief)
        cluster = np.interp(belief, grid, table).argmax(axis=1)
        belief = _answered(belief, truth == cluster, cluster, answers, rng)
        left = belief.max(axis=1) < REFERENCE.sure
        belief, truth = belief[left], truth[left]
    return float(counts.sum() * asked / objects)


def _answered(
    belief: Floats,
    is_same: NDArray[np.bool_],
    cluster: NDArray[np.int64],
    answers: tuple[Floats, Floats],
    rng: Generator,
) -> Floats:
    """Draw an answer for each object against its cluster, and believe it (Bayes' rule)."""
    same, different = answers
    kinds = np.where(is_same, _draw(same, len(belief), rng), _draw(different, len(belief), rng))
    likelihood = np.repeat(different[kinds][:, None], belief.shape[1], axis=1)
    likelihood[np.arange(len(belief)), cluster] = same[kinds]
    new = belief * likelihood
    return np.asarray(new / new.sum(axis=1, keepdims=True))


def _draw(probabilities: Floats, size: int, rng: Generator) -> NDArray[np.int64]:
    return rng.choice(len(probabilities), size, p=probabilities)


def information(probability: ArrayLike, same: Floats, different: Floats) -> Floats:
    """Mutual information in nats between "same", of this probability, and an answer.

    >>> information([0.0, 0.5], np.array([1.0, 0.0]), np.array([0.0, 1.0])).round(3).tolist()
    [0.0, 0.693]
    """
    p = np.asarray(probability, np.float64)[..., None]
    either = p * same + (1 - p) * different
    heard = np.where(either > 0, either, 1.0)
    parts = portable.xlogy(p * same, same / heard) + portable.xlogy((1 - p) * different, different / heard)
    return np.asarray(parts.sum(axis=-1))


def answer_kinds(oracle: Answerer) -> tuple[Floats, Floats] | None:
    """Return the probability of each kind of answer to pairs of a kind, and to others.

    None where it depends on more than that: for a model, and for people. Graded answers are put into small
    intervals.

    >>> [row.round(2).tolist() for row in answer_kinds(Answerer(gamma=0.4))]
    [[0.0, 0.4, 0.6], [0.6, 0.4, 0.0]]
    """
    level = oracle.level
    if level is None:
        return None
    if oracle.kind == "graded":
        same = _graded(real_number("spread", level, least=0))
    elif oracle.kind == "flip":
        same = np.array([level, 1 - level])
    else:
        same = np.array([0.0, level, 1 - level])  # -1, something between, 1
    return same, same[::-1]


def _graded(spread: float) -> Floats:
    """Kinds of answers to a pair of a kind: -1, the intervals between, 1."""
    if not spread:
        return np.array([0.0, 1.0])
    cuts = np.linspace(-1, 1, REFERENCE.kinds_between + 1)
    below = np.array([portable.normal_share((cut - CENTRE) / spread) for cut in cuts])
    return np.diff(below, prepend=0.0, append=1.0)


# -- the reference beside the runs of a study --------------------------------------------------------------


def references(study: Study) -> dict[Setting, float]:
    """Return the reference of each dataset with each oracle that has one."""
    settings = {Setting(cell.data.title, cell.oracle.title): cell for cell in study.cells}
    found = {}
    for setting, cell in settings.items():
        kinds = answer_kinds(cell.oracle)
        if kinds is not None:
            truth = prepare(cell.data, cell.oracle, cell.seed).truth
            sizes = np.unique(truth, return_counts=True)[1]
            found[setting] = reference_answers(sizes, kinds, rng=np.random.default_rng(0))
    return found


def reference_sections(study: Study, curves: Iterable[Curve]) -> list[Section]:
    """Return for each oracle the references, and how many times as many answers the methods need."""
    found, runs = references(study), grouped(curves, setting_of)
    sections = []
    for oracle, group in groupby(sorted(found, key=setting_order), key=lambda setting: setting.oracle):
        settings = list(group)
        rows = tuple((one_line(setting.dataset), _number(found[setting])) for setting in settings)
        tables = [
            Table("Reference", "all other objects and the noise are known", ("dataset", "answers"), rows)
        ]
        tables += [_multiples(one, runs[one], found[one]) for one in settings if one in runs]
        sections.append(Section(one_line(oracle), tuple(tables), None))
    return sections


def reference_at_a_glance(study: Study, curves: Iterable[Curve]) -> list[Section]:
    """Return for each oracle one table: a row for each dataset, and what each method needs to ARI 0.95."""
    found, runs = references(study), grouped(curves, lambda run: (setting_of(run), run.method))
    sections = []
    for oracle, group in groupby(sorted(found, key=setting_order), key=lambda setting: setting.oracle):
        settings = list(group)
        methods = list(styles_of(method for setting, method in runs if setting in settings))
        rows = tuple(
            (
                one_line(setting.dataset),
                _number(found[setting]),
                *(_multiple(runs.get((setting, method), []), TARGET, found[setting]) for method in methods),
            )
            for setting in settings
        )
        headings = ("dataset", "reference", *map(one_line, methods))
        table = Table(f"Answers to ARI {TARGET}", "by the reference, mean over seeds", headings, rows)
        sections.append(Section(one_line(oracle), (table,), None))
    return sections


def _multiples(setting: Setting, runs: list[Curve], reference: float) -> Table:
    """What each method needs in this setting, as times the reference."""
    methods = grouped(runs, lambda run: run.method)
    rows = (
        (one_line(method), *(_multiple(methods[method], target, reference) for target in TARGETS))
        for method in styles_of(methods)
    )
    headings = ("method", *(f"to ARI {target:.2f}" for target in TARGETS))
    return Table(one_line(setting.dataset), f"reference {_number(reference)}", headings, tuple(rows))


def _multiple(runs: list[Curve], target: float, reference: float) -> str:
    """How many times the reference these runs need, on average, if all get there."""
    needed = [answers_to_reach(run, target) for run in runs]
    reached = [answers for answers in needed if answers is not None]
    if not reached or len(reached) < len(needed) or not 0 < reference < inf:
        return NEVER
    return f"{np.mean(reached) / reference:.2f}"


def _number(answers: float) -> str:
    return f"{answers:,.0f}" if answers < inf else NEVER
