"""What all samples of partitions have in common: P(same) of any pair, one object's label averaged out."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import as_known_endpoints, as_known_rows
from ofakind.kernels import portable
from ofakind.pins import Pins


class SampledPartitions:
    """P(same) of pairs, from samples: each a row of ``labels``. Where ``pins`` decide it is exactly 1 or 0.

    Whoever is one says in `_averaged` how to average an object's label out.
    """

    __slots__ = ()
    labels: NDArray[np.int32]  # (samples, n)
    pins: Pins | None

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.labels.shape[1])

    @property
    def share_same(self) -> float:
        """Probability that a random pair is of a kind."""
        if self.n < 2:
            return 0.0
        sizes = [np.bincount(row) for row in self.labels]
        return float(np.mean([(size * (size - 1.0)).sum() for size in sizes])) / (self.n * (self.n - 1.0))

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Probability that each pair is of a kind; either object's label is averaged out in turn."""
        first, second = as_known_endpoints(u, v, self.n)
        found = np.clip((self.towards(first, second) + self.towards(second, first)) / 2, 0.0, 1.0)
        return np.where(first == second, 1.0, found)

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Entropy in nats of whether each pair is of a kind."""
        same = self.same_probability(u, v)
        return np.asarray(portable.entr(same) + portable.entr(1 - same), np.float64)

    def against(self, objects: ArrayLike, others: ArrayLike) -> NDArray[np.float32]:
        """Probability that each object is of a kind with each of its row of others: (m,), (m, r) -> (m, r).

        The objects' labels are averaged out.
        """
        rows, columns = as_known_rows(objects, others, self.n)
        starts = np.arange(len(rows) + 1) * columns.shape[1]
        found = self._probabilities(rows, starts, columns.ravel()).reshape(columns.shape)
        return np.where(columns == rows[:, None], np.float32(1), found.astype(np.float32))

    def in_each_sample(self, objects: ArrayLike, others: ArrayLike) -> Floats:
        """Probability that each pair is of a kind by each sample alone, (pairs, samples).

        The label of the first object is averaged out, given all others in the sample.
        """
        first, second = as_known_endpoints(objects, others, self.n)
        every = (self.at(np.array([row])) for row in range(len(self.labels)))
        found = [sample.towards(first, second) for sample in every]
        return np.stack(found, axis=1) if found else np.empty((len(first), 0))

    def at(self, rows: Ints) -> Self:
        """Return it with only these of its samples."""
        raise NotImplementedError

    def thinned(self, count: int) -> Self:
        """Return it with only so many of its samples, evenly spaced."""
        spaced = np.linspace(0, len(self.labels) - 1, min(count, len(self.labels)))
        return self.at(spaced.round().astype(np.int64))

    def towards(self, objects: Ints, others: Ints) -> Floats:
        """Probability that each pair is of a kind; the label of the first object is averaged out."""
        order = np.argsort(objects, kind="stable")
        rows, starts = np.unique(objects[order], return_index=True)
        found = np.empty(len(objects))
        found[order] = self._probabilities(rows, np.r_[starts, len(objects)], others[order])
        return found

    def _probabilities(self, objects: Ints, starts: Ints, others: Ints) -> Floats:
        """P(same) of objects[t] with others[starts[t]:starts[t + 1]], 1 or 0 where pins decide."""
        if self.pins is None:
            return self._averaged(objects, starts.astype(np.int64), others)
        units = self.pins.units
        found = self._averaged(units[objects], starts.astype(np.int64), units[others])
        decided = self.pins.implied(np.repeat(objects, np.diff(starts)), others)
        return np.where(decided == 0, found, decided > 0)

    def _averaged(self, nodes: Ints, starts: Ints, others: Ints) -> Floats:
        """P(same) of nodes[t] with others[starts[t]:starts[t + 1]], nodes being objects or pinned units."""
        raise NotImplementedError
