"""An oracle that repeats answers collected earlier."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, split_columns
from ofakind.similarity import Similarity


class ReplayOracle:
    """Answers from a table of known answers; a pair that stands there several times gets their mean.

    ``pairs`` are the known ones: hand them to the learner as ``candidates`` and it asks nothing else. A pair
    is found in logarithmic time.

    >>> oracle = ReplayOracle([(0, 1), (2, 1)], [1, -1])
    >>> oracle([(1, 2)]).tolist(), list(oracle.pairs)
    ([-1.0], [(0, 1), (1, 2)])
    """

    def __init__(self, pairs: ArrayLike, values: ArrayLike) -> None:
        u, v = split_columns(pairs)
        n = int(max(u.max(initial=-1), v.max(initial=-1))) + 1
        self._known = Similarity.from_pairs(n, u, v, values)
        self.pairs: Pairs = self._known.pairs()

    def __call__(self, pairs: ArrayLike) -> NDArray[np.float64]:
        """Answer `Pairs` or an ``(m, 2)`` array of object numbers, each of them known."""
        u, v = split_columns(pairs)
        inside = (np.minimum(u, v) >= 0) & (np.maximum(u, v) < self._known.n)
        slots = np.full(len(u), -1)
        slots[inside] = self._known.slots(u[inside], v[inside])
        if np.any(slots < 0):
            row = int(np.argmax(slots < 0))
            known = f"its {len(self.pairs)} pairs: ActiveClustering(n, candidates=oracle.pairs)"
            raise InvalidInputError(
                f"no known answer to ({u[row]}, {v[row]}); let the learner ask only {known}"
            )
        return np.asarray(self._known.values[slots], np.float64)

    def __repr__(self) -> str:
        return f"ReplayOracle({len(self.pairs)} known pairs)"
