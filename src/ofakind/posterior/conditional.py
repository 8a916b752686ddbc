"""Many conditional mean fields at once: the one operation under EIG-O and JEIG.

The mean field Q^(S_D = e) is the one that the base field moves to when the similarities of the pairs in D are
replaced by e, with all others unchanged. With nothing replaced it is the base field itself.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.errors import InvalidInputError, TooLargeError
from ofakind.pairs import Ints, Pairs, as_known_endpoints, plain_array, real_number, whole_number
from ofakind.posterior.base import Posterior
from ofakind.posterior.mean_field import MeanField, available_memory

if TYPE_CHECKING:
    from ofakind.kernels.conditional import Overrides, Settings
    from ofakind.kernels.csr import Graph

Floats = NDArray[np.float64]
CHUNK = 1024
"""So many pairs are conditioned on in one call of a kernel; Ctrl-C is heard in between."""


@dataclass(frozen=True, slots=True)
class Precision:
    """How far conditional fields are iterated: number format, largest change left, limit of sweeps."""

    dtype: type[np.float32] | type[np.float64] = np.float64
    tol: float = 1e-10
    max_sweeps: int = 5000

    def __post_init__(self) -> None:
        if self.dtype is not np.float32 and self.dtype is not np.float64:
            raise InvalidInputError(f"dtype is {self.dtype!r}; expected np.float32 or np.float64")
        real_number("tol", self.tol, above=0)
        whole_number("max_sweeps", self.max_sweeps, least=1)

    def settings(self, field: MeanField) -> "Settings":
        """Bundle what the kernels need to know."""
        from ofakind.kernels.conditional import Settings

        sweeps = min(int(self.max_sweeps), 2**62)
        return Settings(field.k, field.beta, float(self.tol), sweeps, field.schedule == "synchronous")


EXACT = Precision()


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalFields:
    """Conditional mean fields, sixteen in a block, ready to be asked for the entropies of any pairs.

    ``blocks`` is (blocks, n, width), see `ofakind.kernels.conditional`; ``weights`` (blocks, 16) is 1 in a
    lane that holds a field and 0 in a lane that only fills the block.
    """

    blocks: NDArray[Any]
    weights: NDArray[Any]
    k: int

    @classmethod
    def given(cls, field: MeanField, subset: Pairs, answers: ArrayLike, precision: Precision = EXACT) -> Self:
        """Fields for each row of answers (fields, pairs): the similarities that the subset is given."""
        given = _checked_answers(answers, len(subset))
        from ofakind.kernels.conditional import DIRTY, settle, spread
        from ofakind.kernels.simd import LANES

        n, count = field.similarity.n, len(given)
        blocks = _room(precision.dtype, -(-count // LANES), n, field.k)
        weights = np.arange(len(blocks) * LANES).reshape(-1, LANES) < count
        graph, settings = _graph_without(field, subset, precision.dtype), precision.settings(field)
        overrides, order = _overrides(n, subset, precision.dtype)
        for b, block in enumerate(blocks):
            rows = np.minimum(np.arange(b * LANES, (b + 1) * LANES), count - 1)  # fillers repeat the last
            overrides.lanes.reshape(-1, LANES)[:] = given[rows].T[order]
            flat = block.reshape(-1)
            spread(field.q, np.arange(n), flat)
            settle(graph, overrides, settings, flat, np.full(n, DIRTY, np.uint8))
        return cls(blocks, weights.astype(precision.dtype), field.k)

    @classmethod
    def joined(cls, parts: list["ConditionalFields"]) -> Self:
        """Join fields of the same base field into one collection."""
        blocks = np.concatenate([part.blocks for part in parts])
        return cls(blocks, np.concatenate([part.weights for part in parts]), parts[0].k)

    def probabilities(self) -> Floats:
        """Return the fields themselves, (fields, n, k)."""
        b, n, width = self.blocks.shape
        lanes = self.weights.shape[1]
        q = self.blocks.reshape(b, n, width // lanes, lanes)[:, :, : self.k]
        return q.transpose(0, 3, 1, 2)[self.weights > 0].astype(np.float64)

    def mean_pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Mean over the fields of the entropy of each pair: H(E_uv | E_D), eq:igig. O(fields k) a pair."""
        from ofakind.kernels.information import mean_pair_entropy

        objects = as_known_endpoints(u, v, self.blocks.shape[1])
        total = mean_pair_entropy(self.blocks, self.weights, self.k, *objects)
        return np.asarray(total / self.weights.sum(), np.float64)


def answer_gains(
    field: MeanField, pairs: Pairs, *, over_pairs: bool = False, precision: Precision = EXACT
) -> Floats:
    """Entropy that the labels (or all pairs) lose when a pair is answered +1 and when it is answered -1.

    (pairs, 2). Each conditional field starts at the base field and is followed only as far as it moves.
    """
    from ofakind.kernels.information import information_gains

    s = field.similarity
    graph = _graph(field, precision.dtype)
    slots = np.stack([s.slots(pairs.u, pairs.v), s.slots(pairs.v, pairs.u)], axis=1)
    gains = np.zeros((len(pairs), 2))
    for start in range(0, len(pairs), CHUNK):
        rows = slice(start, start + CHUNK)
        gains[rows] = information_gains(
            graph, field.q, precision.settings(field), pairs.u[rows], pairs.v[rows], slots[rows], over_pairs
        )
    return gains


def require_mean_field(posterior: Posterior, who: str) -> MeanField:
    """Return the posterior if it is a mean field; otherwise say who needs one and what to do."""
    if isinstance(posterior, MeanField):
        return posterior
    kind = type(posterior).__name__
    raise InvalidInputError(
        f"{who} conditions mean fields and cannot use a {kind}; choose belief=MeanFieldBelief() or Entropy()"
    )


def _graph(field: MeanField, dtype: Any) -> "Graph":
    from ofakind.kernels.csr import Graph

    s = field.similarity
    return Graph(s.indptr, s.indices, s.values.astype(dtype))


def _graph_without(field: MeanField, subset: Pairs, dtype: Any) -> "Graph":
    graph = _graph(field, dtype)
    for u, v in ((subset.u, subset.v), (subset.v, subset.u)):
        slots = field.similarity.slots(u, v)
        graph.S[slots[slots >= 0]] = 0
    return graph


def _overrides(n: int, subset: Pairs, dtype: Any) -> "tuple[Overrides, Ints]":
    """Room for sixteen values per pair of the subset, and the order in which the pairs stand there."""
    from ofakind.kernels.conditional import Overrides
    from ofakind.kernels.csr import symmetric_csr
    from ofakind.kernels.simd import LANES

    order = np.lexsort((subset.v, subset.u))
    indptr, indices, pair = symmetric_csr(n, subset.u[order], subset.v[order])
    lanes = np.empty(len(subset) * LANES, dtype)
    return Overrides(indptr[:-1], indptr[1:], indices.astype(np.int64), pair, lanes), order


def _checked_answers(answers: ArrayLike, pairs: int) -> NDArray[Any]:
    """Answers (fields, pairs) in [-1, 1] for one field or more; anything else is refused."""
    given = plain_array(answers, "answers")
    if given.ndim != 2 or given.shape[1] != pairs or not len(given):
        got = f"answers have shape {given.shape}"
        raise InvalidInputError(f"{got}; expected (fields, {pairs}) with one field or more")
    if given.size and given.dtype.kind not in "iuf":
        raise InvalidInputError(f"answers have type {given.dtype}; expected numbers in [-1, 1]")
    fits = (given >= -1) & (given <= 1)
    if not fits.all():
        field, pair = np.argwhere(~fits)[0]
        got = f"answer {pair} of field {field} is {given[field, pair]}"
        raise InvalidInputError(f"{got}; expected a number in [-1, 1]")
    return given


def _room(dtype: Any, blocks: int, n: int, k: int) -> NDArray[Any]:
    from ofakind.kernels.conditional import block_width

    check_room(dtype, blocks, n, k)
    return np.empty((blocks, n, block_width(k)), dtype)


def check_room(dtype: Any, blocks: int, n: int, k: int) -> None:
    """Refuse so many blocks of sixteen fields when they would not fit in memory."""
    from ofakind.kernels.conditional import block_width

    needed = blocks * n * block_width(k) * np.dtype(dtype).itemsize
    available = available_memory()
    if needed > available:
        raise TooLargeError(
            f"the conditional mean fields of n = {n} objects and k = {k} clusters need {needed / 1e9:.1f} GB "
            f"and {available / 1e9:.1f} GB are free; use fewer subsets or samples, or Entropy()"
        )
