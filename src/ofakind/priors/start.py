"""Where the pair map starts: coefficients fitted on public data, shipped with the package.

`benchmarks/fit_pair_map.py` fits them and writes `start.json`: for each kind of features the coefficients and
the information (the Hessian of the log likelihood, for one pair) by the names of the features.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from ofakind.arrays import Floats
from ofakind.kernels import portable
from ofakind.priors.base import JUDGE
from ofakind.priors.neighbours import CONSTANT, Neighbours
from ofakind.priors.pair_map import MapStart


@dataclass(frozen=True, slots=True)
class StartRules:
    """Tuned numbers of the start, from a prototype, or chosen by judgement."""

    answers: float = 20.0  # that the shipped coefficients count for
    level: float = 4.0  # variance of the constant besides: how many pairs are of a kind differs most
    least: float = 0.05  # precision of every coefficient besides: where sets agree, others may not
    unknown: float = 0.5  # precision of the coefficient, 0 before, of a feature that is not in the file
    score: float = 1.0  # coefficient of a given score, or of its log odds, and
    certain_score: float = 1.0  # its precision; half as much beside other features
    judge: float = 2.0  # coefficient of a judge's log odds, in units of 4, and
    certain_judge: float = 0.5  # precision of both its columns; half the coefficient beside features
    alike: float = 0.5  # precision of what is added to it for each object of a pair; where several judges
    # looked at the same pairs, they share coefficient and variances out
    spread: float = 10.0  # answers that what the start gives candidates counts for, of records: those that
    # hardly have a word in common differ in every set; chosen as docs/results/attempts.md says
    candidates: int = 2000  # of a graph, at most, that this is about


START = StartRules()
SCORE_FEATURES = ("log odds", "score")


@lru_cache(maxsize=1)
def shipped() -> dict[str, Any]:
    """Return what the file holds: for each kind, names, coefficients and information."""
    text = (resources.files("ofakind.priors") / "start.json").read_text("utf-8")
    return dict(json.loads(text)["kinds"])


def same_at_start(near: Neighbours) -> Floats:
    """Return P(same) of all candidates of a graph by what its features were worth on other data."""
    odds = portable.matmul(near.features, start_of(near).mean)
    return portable.expit(odds)


def start_of(near: Neighbours) -> MapStart:
    """Return the start for the features of a candidate graph, by their names.

    Features of given scores and of judges have a start of their own; others that the file does not know begin
    at 0.
    """
    d, kinds = len(near.names), near.kind.split("+")
    mean, precision = np.zeros(d), np.zeros((d, d))
    place = {name: at for at, name in enumerate(near.names)}
    judges = tuple(at for name, at in place.items() if JUDGE in kinds and name.startswith(f"{JUDGE}: "))
    alike = judges_in_effect(near, judges)
    described = [kind for kind in kinds if kind in shipped()]
    for kind in described:
        known = shipped()[kind]
        here = [at for at, name in enumerate(known["names"]) if name in place]
        there = [place[known["names"][at]] for at in here]
        mean[there] += np.array(known["coefficients"])[here]
        information = np.array(known["information"])[np.ix_(here, here)]
        precision[np.ix_(there, there)] += START.answers * information
        precision[there, there] += START.least
    for name, at in place.items():
        if precision[at, at] == 0 and name != CONSTANT:
            precision[at, at] = START.unknown
        if name in SCORE_FEATURES:
            mean[at] = START.score / (2 if described else 1)
            precision[at, at] = START.certain_score
        if JUDGE in kinds and name.startswith((f"{JUDGE}: ", f"{JUDGE} yes: ")):
            alone = START.judge if name.startswith(f"{JUDGE}: ") else 0.0
            mean[at] = alone / alike / (2 if len(kinds) > 1 else 1)
            precision[at, at] = START.certain_judge * alike
    answers = START.spread if "text" in described else 0.0
    step = max(1, -(-len(near.pairs) // START.candidates))
    rows = near.features[::step] if answers else None
    return MapStart(mean, _with_variance(precision, START.level), rows, answers, judges, START.alike * alike)


def judges_in_effect(near: Neighbours, judges: tuple[int, ...]) -> float:
    """Return how many judges have a score of the same pair, on average over all scores; 1 without any.

    Their errors go together, so that two who agree are no two witnesses: so many share what one is worth.
    """
    each = (near.features[:, judges] != 0).sum(axis=1)
    return float((each**2).sum() / each.sum()) if each.any() else 1.0


def _with_variance(precision: np.ndarray[Any, np.dtype[np.float64]], level: float) -> Any:
    """Return the precision when this variance is added to that of the constant, the first one.

    By the formula of Sherman and Morrison: of the covariance C, C + level e e' has the inverse
    P - P e e' P level / (1 + level e' P e).
    """
    column = precision[:, :1]
    if column[0, 0] == 0:  # nothing is known of it
        found = precision.copy()
        found[0, 0] = 1 / level
        return found
    return precision - column * column.T * level / (1 + level * column[0, 0])
