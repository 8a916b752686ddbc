"""An oracle that compares the features of two objects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.errors import InvalidInputError
from ofakind.oracles.base import Oracle, endpoints


@dataclass(frozen=True, slots=True)
class FeatureOracle:
    """Says how two rows of features become an answer; `bind` it to the features to get an oracle.

    ``compare(left, right)`` gets the features of the first and of the second object of every question, row
    by row, and gives one value in [-1, 1] per row.

    >>> near = FeatureOracle(lambda left, right: np.where(abs(left - right)[:, 0] < 1, 1.0, -1.0))
    >>> near.bind(np.array([[0.0], [0.5], [9.0]]))([(0, 1), (1, 2)]).tolist()
    [1.0, -1.0]
    """

    compare: Callable[[Any, Any], ArrayLike]

    def __post_init__(self) -> None:
        if not callable(self.compare):
            raise InvalidInputError(f"compare is {self.compare!r}; expected a function of two arrays of rows")

    def bind(self, features: Any) -> Oracle:
        """Return the oracle over these objects: an array (or scipy CSR array) with a row for each."""
        if not getattr(features, "shape", ()):
            got = f"features come as a {type(features).__name__}"
            raise InvalidInputError(f"{got}; expected an array with a row for each object")
        return _BoundOracle(self.compare, features)


@dataclass(frozen=True, slots=True, eq=False)
class _BoundOracle:
    compare: Callable[[Any, Any], ArrayLike]
    features: Any

    def __call__(self, pairs: ArrayLike) -> NDArray[np.float64]:
        u, v = endpoints(pairs, self.features.shape[0])
        answers = np.asarray(self.compare(self.features[u], self.features[v]))
        if answers.dtype == np.bool_:
            raise InvalidInputError("compare gave true and false; expected 1 for same and -1 for different")
        return answers.astype(np.float64)
