"""An oracle that repeats the answers of real people, one at a time."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Ints
from ofakind.checks import whole_number
from ofakind.clustering import as_labels
from ofakind.errors import InvalidInputError
from ofakind.oracles.replay import ReplayOracle
from ofakind.pairs import Pairs, split_columns


class CrowdOracle:
    """Answers a pair with one of the answers that people gave to it, drawn at random.

    Asking the pair again draws among its answers not drawn yet; when none is left, all are there again, in a
    new order. These repeat what was heard before and are no new evidence: a learner with ``repeats`` no
    larger than the number of people asked per pair never meets them. What is drawn depends on the seed, on
    the pair and on how often this oracle was asked that pair before, and on nothing else: not on the order
    of the questions, nor on that of the table.

    ``pairs`` are the known ones: hand them to the learner as ``candidates`` and it asks nothing else.
    ``annotators`` names who gave each answer; `answers_with_names` tells. Memory: the table.

    >>> oracle = CrowdOracle([(0, 1), (1, 0), (1, 2)], [1, -1, -1], annotators=["Ada", "Ben", "Ada"])
    >>> sorted(oracle([(0, 1), (0, 1)]).tolist())
    [-1.0, 1.0]
    >>> oracle.answers_with_names([(1, 2)])
    (array([-1.]), ('Ada',))
    """

    def __init__(
        self, pairs: ArrayLike, values: ArrayLike, seed: int = 0, *, annotators: ArrayLike | None = None
    ) -> None:
        self.seed = whole_number("seed", seed, least=0)
        # It checks the answers, knows the distinct pairs, and refuses in plain words what nobody was asked.
        self._known = ReplayOracle(pairs, values)
        self.pairs: Pairs = self._known.pairs
        self._n = int(self.pairs.v.max(initial=-1)) + 1
        self._keys = self.pairs.u * self._n + self.pairs.v
        answers, names = np.asarray(values, np.float64), _as_names(annotators, len(np.asarray(values)))
        position = self._find(pairs)
        order = np.lexsort((names, answers, position))  # by pair, and the same for any order of the table
        self._values, self._names = answers[order], names[order]
        self._starts = np.searchsorted(position[order], np.arange(len(self.pairs) + 1))
        self._times_asked: dict[int, int] = {}

    def __call__(self, pairs: ArrayLike) -> NDArray[np.float64]:
        """Answer `Pairs` or an ``(m, 2)`` array of object numbers, each of them known."""
        return self._values[self._draw(pairs)]

    def answers_with_names(self, pairs: ArrayLike) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """Answer as a call does, and say who gave each answer ("" when that is not known)."""
        rows = self._draw(pairs)
        return self._values[rows], tuple(self._names[rows].tolist())

    def _draw(self, pairs: ArrayLike) -> Ints:
        """Row of the next answer to each pair."""
        self._known(pairs)
        positions, after = self._find(pairs), dict[int, int]()
        rows = np.empty(len(positions), np.int64)
        for row, position in enumerate(positions.tolist()):
            times = after.get(position, self._times_asked.get(position, 0))
            rows[row] = self._row(position, times)
            after[position] = times + 1
        self._times_asked |= after  # at last: a question that is interrupted has not been asked
        return rows

    def _row(self, position: int, times: int) -> int:
        """Row of the answer to a pair that was asked so many times before."""
        start, end = self._starts[position], self._starts[position + 1]
        turn, place = divmod(times, int(end - start))
        u, v = self.pairs.u[position], self.pairs.v[position]
        order = np.random.default_rng([self.seed, u, v, turn]).permutation(end - start)
        return int(start + order[place])

    def _find(self, pairs: ArrayLike) -> Ints:
        """Where each of these pairs, all of them known, stands among the distinct ones."""
        u, v = split_columns(pairs)
        return np.searchsorted(self._keys, np.minimum(u, v) * self._n + np.maximum(u, v))

    def __repr__(self) -> str:
        return f"CrowdOracle({len(self._values)} answers to {len(self.pairs)} pairs, seed={self.seed})"


def _as_names(annotators: ArrayLike | None, count: int) -> NDArray[np.str_]:
    if annotators is None:
        return np.full(count, "")
    names = as_labels(annotators, "annotators").astype(np.str_)
    if len(names) != count:
        raise InvalidInputError(f"got {len(names)} annotators for {count} answers; expected one each")
    return names
