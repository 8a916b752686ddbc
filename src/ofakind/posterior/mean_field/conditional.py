"""Many conditional mean fields at once: the one operation under EIG-O and JEIG.

The mean field Q^(S_D = e) is the one that the base field moves to when the similarities of the pairs in D are
replaced by e, with all others unchanged. With nothing replaced it is the base field itself. With pins all
this is done with units of objects in the place of objects; pairs that pins decide are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import as_known_endpoints, plain_array, real_number, whole_number
from ofakind.errors import InvalidInputError, TooLargeError
from ofakind.pairs import Pairs
from ofakind.parallel import run_each
from ofakind.pins import Pins
from ofakind.posterior.base import Posterior
from ofakind.posterior.mean_field.dense import MeanField, available_memory
from ofakind.posterior.mean_field.pinned import PinnedMeanField
from ofakind.posterior.mean_field.sparse import SparseMeanField

if TYPE_CHECKING:
    from ofakind.kernels.field.conditional import FieldSettings
    from ofakind.kernels.graph.csr import Graph


@dataclass(frozen=True, slots=True)
class ConditionalRules:
    """How conditional fields are computed in parts; chosen by judgement."""

    pairs_per_call: int = 1024  # conditioned on in one call of a kernel; Ctrl-C is heard in between


CONDITIONAL = ConditionalRules()


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

    def settings(self, field: MeanField) -> "FieldSettings":
        """Bundle what the kernels need to know."""
        from ofakind.kernels.field.conditional import FieldSettings

        sweeps = min(int(self.max_sweeps), 2**62)
        return FieldSettings(field.k, field.beta, float(self.tol), sweeps, field.schedule == "synchronous")


EXACT = Precision()


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalFields:
    """Conditional mean fields, sixteen in a block, ready to be asked for the entropies of any pairs.

    ``blocks`` is (blocks, n, width), see `ofakind.kernels.field.conditional`; ``weights`` (blocks, 16) is 1
    in a lane that holds a field and 0 in a lane that only fills the block. With ``pins``, n is the number of
    units.
    """

    blocks: NDArray[Any]
    weights: NDArray[Any]
    k: int
    pins: Pins | None = None

    @classmethod
    def given(cls, field: MeanField, subset: Pairs, answers: ArrayLike, precision: Precision = EXACT) -> Self:
        """Fields for each row of answers (fields, pairs): the similarities that the subset is given."""
        return cls.given_each(field, [(subset, answers)], precision)

    @classmethod
    def given_each(
        cls,
        field: MeanField,
        given: Sequence[tuple[Pairs, ArrayLike]],
        precision: Precision = EXACT,
        *,
        n_jobs: int | None = None,
    ) -> Self:
        """Fields for each row of answers to each of several subsets; ``n_jobs`` blocks at the same time."""
        from ofakind.kernels.portable.simd import LANES

        checked = [(subset, _checked_answers(answers, len(subset))) for subset, answers in given]
        pins = field.pins if isinstance(field, PinnedMeanField) else None
        if isinstance(field, PinnedMeanField):
            checked = [_between_units(field, subset, answers) for subset, answers in checked]
            field = field.of_units
        full = [np.arange(-(-len(answers) // LANES) * LANES) < len(answers) for _, answers in checked]
        weights = np.concatenate(full).reshape(-1, LANES).astype(precision.dtype)
        blocks = _room(precision.dtype, len(weights), field.similarity.n, field.k)
        calls = (call for subset, answers in checked for call in _calls(field, subset, answers, precision))
        for b, block in enumerate(run_each(_settled, calls, n_jobs)):
            blocks[b] = block
        return cls(blocks, weights, field.k, pins)

    def probabilities(self) -> Floats:
        """Return the fields themselves, (fields, n, k)."""
        b, n, width = self.blocks.shape
        lanes = self.weights.shape[1]
        q = self.blocks.reshape(b, n, width // lanes, lanes)[:, :, : self.k]
        return q.transpose(0, 3, 1, 2)[self.weights > 0].astype(np.float64)

    def mean_pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Mean over the fields of the entropy of each pair: H(E_uv | E_D), eq:igig. O(fields k) a pair."""
        from ofakind.kernels.field.gains import mean_pair_entropy

        if self.pins is None:
            objects = as_known_endpoints(u, v, self.blocks.shape[1])
            total = mean_pair_entropy(self.blocks, self.weights, self.k, *objects)
            return np.asarray(total / self.weights.sum(), np.float64)
        first, second = as_known_endpoints(u, v, self.pins.n)
        units = self.pins.units
        total = mean_pair_entropy(self.blocks, self.weights, self.k, units[first], units[second])
        return np.where(self.pins.implied(first, second) == 0, total / self.weights.sum(), 0.0)


def _between_units(
    field: PinnedMeanField, subset: Pairs, answers: NDArray[Any]
) -> tuple[Pairs, NDArray[Any]]:
    """Return pairs of units and their answers: of several pairs between two units, those of the first."""
    chosen, units = field.between_units(subset)
    n = field.pins.n
    order = np.argsort(ranks := subset.ranks(n), kind="stable")
    return units, answers[:, order[np.searchsorted(ranks[order], chosen.ranks(n))]]


def _calls(
    field: MeanField, subset: Pairs, answers: NDArray[Any], precision: Precision
) -> Iterator[tuple[Any, ...]]:
    """What `_settled` needs to know for each block of sixteen rows of answers to a subset.

    Arrays stand alone, not inside of something, so that a cluster is not sent the same one again and again.
    """
    from ofakind.kernels.portable.simd import LANES

    graph, settings = _graph_without(field, subset, precision.dtype), precision.settings(field)
    overrides, order = _overrides(field.similarity.n, subset)
    for first in range(0, len(answers), LANES):
        rows = np.minimum(np.arange(first, first + LANES), len(answers) - 1)  # fillers repeat the last
        yield field.q, settings, answers[rows].T[order], *graph, *overrides


def _settled(
    q: Floats, settings: "FieldSettings", lanes: NDArray[Any], *arrays: NDArray[Any]
) -> NDArray[Any]:
    """Return the block of the fields that q moves to when the overrides get the values of the lanes."""
    from ofakind.kernels.field.conditional import DIRTY, Overrides, block_width, settle, spread
    from ofakind.kernels.graph.csr import Graph

    n, k = q.shape
    graph, dtype = Graph(*arrays[:3]), arrays[2].dtype
    overrides = Overrides._make([*arrays[3:], lanes.ravel().astype(dtype)])
    block = np.empty((n, block_width(k)), dtype)
    spread(q, np.arange(n), block.reshape(-1))
    settle(graph, overrides, settings, block.reshape(-1), np.full(n, DIRTY, np.uint8))
    return block


def answer_gains(
    field: MeanField,
    pairs: Pairs,
    *,
    over_pairs: bool = False,
    precision: Precision = EXACT,
    n_jobs: int | None = None,
) -> Floats:
    """Entropy that the labels (or all pairs) lose when a pair is answered +1 and when it is answered -1.

    (pairs, 2). Each conditional field starts at the base field and is followed only as far as it moves.
    """
    if isinstance(field, PinnedMeanField):
        return _gains_with_pins(field, pairs, over_pairs=over_pairs, precision=precision, n_jobs=n_jobs)
    s, graph, settings = field.similarity, _graph(field, precision.dtype), precision.settings(field)
    slots = np.stack([s.slots(pairs.u, pairs.v), s.slots(pairs.v, pairs.u)], axis=1)
    size = CONDITIONAL.pairs_per_call
    chunks = [slice(start, start + size) for start in range(0, len(pairs), size)]
    calls = [
        (field.q, settings, over_pairs, *graph, pairs.u[rows], pairs.v[rows], slots[rows]) for rows in chunks
    ]
    return np.concatenate([np.empty((0, 2)), *run_each(_gains, calls, n_jobs)])


def _gains_with_pins(field: PinnedMeanField, pairs: Pairs, **options: Any) -> Floats:
    """Return the gains of answers between units; none of pairs that pins decide."""
    _, units = field.between_units(pairs)
    k, gains = len(field.pins.first), np.zeros((len(pairs), 2))
    order = np.argsort(keys := units.u * k + units.v, kind="stable")
    found = answer_gains(field.of_units, units.take(order), **options)
    a, b = field.pins.units[pairs.u], field.pins.units[pairs.v]
    own = np.minimum(a, b) * k + np.maximum(a, b)
    undecided = np.isin(own, keys)
    gains[undecided] = found[np.searchsorted(keys[order], own[undecided])]
    return gains


def _gains(q: Floats, settings: "FieldSettings", over_pairs: bool, *arrays: NDArray[Any]) -> Floats:  # noqa: FBT001
    from ofakind.kernels.field.gains import information_gains
    from ofakind.kernels.graph.csr import Graph

    indptr, indices, S, u, v, slots = arrays
    graph = Graph(indptr, indices, S)
    return np.asarray(information_gains(graph, q, settings, u, v, slots, over_pairs), np.float64)


def require_mean_field(posterior: Posterior, who: str) -> MeanField:
    """Return the posterior if it is a mean field; otherwise say who needs one and what to do."""
    if isinstance(posterior, MeanField):
        return posterior
    kind, remedy = type(posterior).__name__, "MeanFieldBelief()"
    if isinstance(posterior, SparseMeanField):
        remedy = "MeanFieldBelief(form='dense')"
    raise InvalidInputError(
        f"{who} conditions mean fields and cannot use a {kind}; choose belief={remedy} or Entropy()"
    )


def _graph(field: MeanField, dtype: Any) -> "Graph":
    from ofakind.kernels.graph.csr import Graph

    s = field.similarity
    return Graph(s.indptr, s.indices, s.values.astype(dtype))


def _graph_without(field: MeanField, subset: Pairs, dtype: Any) -> "Graph":
    graph = _graph(field, dtype)
    for u, v in ((subset.u, subset.v), (subset.v, subset.u)):
        slots = field.similarity.slots(u, v)
        graph.S[slots[slots >= 0]] = 0
    return graph


def _overrides(n: int, subset: Pairs) -> tuple[tuple[Ints, Ints, Ints, Ints], Ints]:
    """Return all of `Overrides` but the lanes, and the order in which the pairs stand there."""
    from ofakind.kernels.graph.csr import symmetric_csr

    order = np.lexsort((subset.v, subset.u))
    indptr, indices, pair = symmetric_csr(n, subset.u[order], subset.v[order])
    return (indptr[:-1], indptr[1:], indices.astype(np.int64), pair), order


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
    from ofakind.kernels.field.conditional import block_width

    check_room(dtype, blocks, n, k)
    return np.empty((blocks, n, block_width(k)), dtype)


def check_room(dtype: Any, blocks: int, n: int, k: int) -> None:
    """Refuse so many blocks of sixteen fields when they would not fit in memory."""
    from ofakind.kernels.field.conditional import block_width

    needed = blocks * n * block_width(k) * np.dtype(dtype).itemsize
    available = available_memory()
    if needed > available:
        raise TooLargeError(
            f"the conditional mean fields of n = {n} objects and k = {k} clusters need {needed / 1e9:.1f} GB "
            f"and {available / 1e9:.1f} GB are free; use fewer subsets or samples, or Entropy()"
        )
