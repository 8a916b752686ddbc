"""Scores that somebody gives for pairs: probabilities, log odds, or any number that rises with likeness."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats
from ofakind.checks import plain_array, refuse_strange_pairs, whole_number
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import Pairs, split_columns, unique_pairs
from ofakind.priors.base import Prepared, positions, union
from ofakind.priors.standing import similarity_features, similarity_names


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """How scores become features; chosen by judgement."""

    surest: float = 7.0  # no log odds, and no score in units of its spread, beyond this: 1100 to 1
    hinges: tuple[float, ...] = (-2.0, 0.0, 2.0)  # where the worth of a score may change its slope
    spread: float = 1.349  # distance of the quartiles of a normal distribution, in standard deviations


SCORES = ScoreRules()
HUGE = 1e150  # taken for infinite: squares and sums of smaller numbers stay finite


@dataclass(frozen=True, slots=True, eq=False)
class GivenScores:
    """Scores of pairs of n objects, some columns of them; NaN where a pair has none.

    ``odds`` says of each column whether its scores are probabilities, which become log odds.
    """

    n: int
    pairs: Pairs
    values: Floats  # (m, c)
    odds: tuple[bool, ...]

    @property
    def kind(self) -> str:
        """What it is."""
        return "scores"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its features, for each column of scores."""
        words = [
            f"{'log odds' if odds else 'score'}{f' {i + 1}' if i else ''}" for i, odds in enumerate(self.odds)
        ]
        return tuple(
            part for word in words for part in (*similarity_names(word, SCORES.hinges), f"no {word}")
        )

    def extended(self, more: Any) -> "GivenScores":
        """Return the same scores for so many objects more."""
        return replace(self, n=self.n + whole_number("more", more, least=0))

    def with_pairs(self, given: "GivenScores") -> "GivenScores":
        """Return these and the scores of further pairs, in the same columns; the newer ones hold."""
        if given.values.shape[1] != len(self.odds):
            got = f"scores have {given.values.shape[1]} columns"
            raise InvalidInputError(f"{got}; expected {len(self.odds)}, as before")
        _refuse_no_probabilities(given.values, self.odds)
        pairs = union(self.n, self.pairs, given.pairs)
        old, new = _spread(self, pairs), _spread(given, pairs)
        return replace(self, pairs=pairs, values=np.where(np.isnan(new), old, new))

    def with_columns(self, given: "GivenScores") -> "GivenScores":
        """Return these and further columns of scores."""
        pairs = union(self.n, self.pairs, given.pairs)
        values = np.concatenate([_spread(self, pairs), _spread(given, pairs)], axis=1)
        return GivenScores(self.n, pairs, values, self.odds + given.odds)

    def prepared(self) -> Prepared:
        """Propose the pairs that have a score."""
        return Prepared(self.pairs, partial(_features, self))


def read_scores(pairs: ArrayLike | Pairs, scores: ArrayLike, n: int | None) -> GivenScores:
    """Check scores of pairs; a pair that is given several times, in either order, has their mean."""
    u, v = split_columns(pairs)
    values = plain_array(scores, "scores")
    if not values.size and values.ndim < 2:
        values = np.empty((0, 1))
    if values.dtype.kind not in "biuf" or values.ndim not in (1, 2) or len(values) != len(u):
        got = f"scores have shape {values.shape} and type {values.dtype} for {len(u)} pairs"
        raise InvalidInputError(f"{got}; expected a number for each pair, or a row of numbers")
    values = values.astype(np.float64).reshape(len(u), -1 if len(u) else values.shape[-1])
    refuse_strange_pairs(u, v, n)
    n = int(max(u.max(), v.max())) + 1 if n is None and len(u) else n or 0
    found, place = unique_pairs(u, v, n)
    means = np.stack([_means(column, place, len(found)) for column in values.T], axis=1)
    return GivenScores(n, found, means, tuple(_are_probabilities(column) for column in means.T))


def _means(column: Floats, place: Any, count: int) -> Floats:
    """Mean of the scores at each place, NaN where there is none; infinite ones become very large."""
    known = ~np.isnan(column)
    sums = np.bincount(place[known], np.clip(column[known], -HUGE, HUGE), minlength=count)
    times = np.bincount(place[known], minlength=count)
    return np.asarray(np.divide(sums, times, out=np.full(count, np.nan), where=times > 0))


def _are_probabilities(column: Floats) -> bool:
    known = column[~np.isnan(column)]
    return bool(((known >= 0) & (known <= 1)).all())


def _refuse_no_probabilities(values: Floats, odds: tuple[bool, ...]) -> None:
    for number, (column, is_odds) in enumerate(zip(values.T, odds, strict=True)):
        if is_odds and not _are_probabilities(column):
            known = column[~np.isnan(column)]
            wrong = known[(known < 0) | (known > 1)][0]
            got = f"column {number} of the scores holds {wrong:g}"
            raise InvalidInputError(f"{got}; expected numbers from 0 to 1, as before")


def _spread(given: GivenScores, pairs: Pairs) -> Floats:
    """Scores in the places of more pairs, NaN elsewhere."""
    values = np.full((len(pairs), given.values.shape[1]), np.nan)
    values[positions(pairs, given.pairs, given.n)] = given.values
    return values


def _features(given: GivenScores, pairs: Pairs) -> Floats:
    """Describe pairs by each column of scores; a pair without a score has zeros, and a flag for that."""
    place = positions(given.pairs, pairs, given.n)
    parts = []
    for column, odds in zip(given.values.T, given.odds, strict=True):
        scored = np.flatnonzero(~np.isnan(column))
        values = standardised(column[scored], odds=odds)
        own = similarity_features(
            given.pairs.take(scored), values, 1 / (1 + portable.exp(-values)), SCORES.hinges
        )
        table = np.zeros((len(given.pairs) + 1, own.shape[1] + 1))  # the last row is that of other pairs
        table[:, -1] = 1.0
        table[scored, :-1], table[scored, -1] = own, 0.0
        parts.append(table[place])
    return np.concatenate(parts, axis=1)


def standardised(column: Floats, *, odds: bool) -> Floats:
    """Probabilities as log odds; other scores less their median, in units of their spread; bounded both.

    >>> standardised(np.array([0.5, 1.0]), odds=True).tolist(), standardised(np.array([5.0, 5.0]), odds=False)
    ([0.0, 7.0], array([0., 0.]))
    """
    if odds:
        edge = 1 / (1 + portable.exp(SCORES.surest))
        inside = np.clip(column, edge, 1 - edge)
        return np.asarray(
            np.clip(portable.log(inside) - portable.log1p(-inside), -SCORES.surest, SCORES.surest)
        )
    finite = column[np.abs(column) < HUGE]
    low, middle, high = np.quantile(finite, [0.25, 0.5, 0.75]) if len(finite) else (0.0, 0.0, 0.0)
    spread = (high - low) / SCORES.spread or float(np.std(finite if len(finite) else 0.0)) or 1.0
    return np.asarray(np.clip((column - middle) / spread, -SCORES.surest, SCORES.surest))
