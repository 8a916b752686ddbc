"""Joint expected information gain (JEIG, Alg. 5): how much many answers together would tell about a pair."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as option
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.acquire import gpu
from ofakind.acquire.base import Scores, State
from ofakind.acquire.choose import CHOICE, clocks, power_top, top
from ofakind.acquire.entropy import draw_by_entropy, open_entropies
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats, Ints, largest, nth
from ofakind.checks import check_jobs, one_of, real_number, whole_number
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, count_pairs, unique_pairs, unrank
from ofakind.posterior.mean_field.conditional import (
    EXACT,
    ConditionalFields,
    Precision,
    check_room,
    require_mean_field,
)
from ofakind.posterior.mean_field.dense import Device, MeanField
from ofakind.registry import Ability

if TYPE_CHECKING:
    from ofakind.kernels.gpu.pairs import Base, Fields


@dataclass(frozen=True, slots=True)
class JointRules:
    """Tuned numbers of `JEIG` that are no options of it; chosen by judgement."""

    candidates: int = 100_000  # pairs drawn by entropy that are scored if not all are listed, without noise


JOINT = JointRules()


def joint_information_gain(
    field: MeanField,
    u: ArrayLike,
    v: ArrayLike,
    subsets: Sequence[Any],
    samples: Sequence[ArrayLike],
    *,
    precision: Precision = EXACT,
) -> Floats:
    """H(E_uv) minus its mean entropy given the answers to subsets of pairs (eq:jeig), for any pairs.

    ``subsets[i]`` are the pairs D_i: `Pairs`, a (d, 2) array or two columns (u, v). ``samples[i]`` are their
    pseudo-answers e in {-1, +1}: (samples, d), at least one row of them. The approximation can make a gain
    slightly negative.
    """
    _require_list("subsets", subsets)
    _require_list("samples", samples)
    if len(subsets) != len(samples):
        raise InvalidInputError(
            f"got {len(subsets)} subsets and {len(samples)} sets of samples; expected equally many"
        )
    if not len(subsets):
        raise InvalidInputError("got no subsets; expected one or more, each with its samples")
    pairs, position = unique_pairs(u, v, field.similarity.n)
    given = [(_pairs(subset), answers) for subset, answers in zip(subsets, samples, strict=True)]
    fields = ConditionalFields.given_each(field, given, precision)
    return _gains(field, fields, pairs.u, pairs.v)[position]


@dataclass(frozen=True, slots=True)
class JEIG:
    """Ask the pairs about which the (simulated) answers to other pairs tell most: the paper's choice.

    Args:
        subset: size of each subset D_i as a share of all pairs.
        subsets: number of subsets, the paper's m.
        samples: pseudo-answers drawn for each subset, the paper's n.
        choose_by: subsets by "entropy" with Gumbel noise, or "uniform".
        draw: pseudo-answers of "pairs", each from P(E_uv), or of whole "clusterings" from Q(y).
        noise: scale of the Gumbel noise of the power batch; 0 takes the top.
        max_subset: no subset is larger than this, so that memory does not grow with the square of n.
        tol: a conditional field is followed until no probability moves by more than this.
        max_sweeps: or until then; ten sweeps err less than two seeds of the sampling differ.
        device: "cpu", or "cuda" for an NVIDIA GPU. There all pairs take part, however many objects, subsets
            have ``subset`` of the pairs on average, and equal seeds choose other pairs than on the CPU.
        n_jobs: blocks of sixteen samples that are computed at the same time, as in joblib (-1: on all
            cores). It changes no result.
    """

    subset: float = 0.02
    subsets: int = 5
    samples: int = 50
    choose_by: Literal["entropy", "uniform"] = "entropy"
    draw: Literal["pairs", "clusterings"] = "pairs"
    noise: float = 1.0
    max_subset: int = 500_000
    tol: float = 1e-3
    max_sweeps: int = 10
    device: Device = "cpu"
    n_jobs: int | None = option(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        real_number("subset", self.subset, above=0, most=1)
        for name in ("subsets", "samples", "max_subset", "max_sweeps"):
            whole_number(name, getattr(self, name), least=1)
        one_of("choose_by", self.choose_by, "entropy", "uniform")
        one_of("draw", self.draw, "pairs", "clusterings")
        real_number("noise", self.noise, least=0)
        real_number("tol", self.tol, above=0)
        one_of("device", self.device, "cpu", "cuda")
        check_jobs(self.n_jobs)

    @property
    def needs(self) -> frozenset[Ability]:
        """What it needs of a posterior."""
        return frozenset({Ability.MEAN_FIELD})

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:
        """Joint expected information gain of any pairs."""
        field = require_mean_field(state.posterior, "JEIG")
        if not len(pairs):
            return Scores(pairs, np.empty(0))
        if self.device == "cuda":
            return Scores(pairs, gpu.score(field, pairs, rng, simulate=self._on_gpu(field)))
        return Scores(pairs, _gains(field, self.simulate(field, rng), pairs.u, pairs.v))

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """Power batch of open pairs, with few conditional entropies computed (see `_lazy_batch`)."""
        field = require_mean_field(state.posterior, "JEIG")
        if self.device == "cuda":
            return gpu.select(field, pool, size, self.noise, rng, simulate=self._on_gpu(field))
        fields = self.simulate(field, rng)
        if pool.listable:
            return _lazy_batch(field, fields, pool, size, self.noise, rng)

        def gains(u: Ints, v: Ints) -> Floats:
            return _gains(field, fields, u, v)

        if self.noise > 0:
            return draw_by_entropy(field, pool, size, self.noise, rng, gain=gains)
        drawn = draw_by_entropy(field, pool, max(size, JOINT.candidates), 1.0, rng).pairs
        values = gains(drawn.u, drawn.v)
        best = top(values, size, rng)
        return Scores(drawn.take(best), values[best])

    def simulate(self, field: MeanField, rng: Generator) -> ConditionalFields:
        """Draw the subsets D_i and their pseudo-answers e, and compute the mean fields given them (CPU)."""
        from ofakind.kernels.portable.simd import LANES

        precision = Precision(np.float32, self.tol, self.max_sweeps)
        blocks = self.subsets * -(-self.samples // LANES)
        check_room(precision.dtype, 2 * blocks, field.similarity.n, field.k)  # twice, while they are gathered
        given = [(pairs, self.draw_answers(field, pairs, rng)) for pairs in self.draw_subsets(field, rng)]
        return ConditionalFields.given_each(field, given, precision, n_jobs=self.n_jobs)

    def draw_subsets(self, field: MeanField, rng: Generator) -> Iterator[Pairs]:
        """SelectPairs of Alg. 5: asked pairs may be among them, their answers are then replaced."""
        n = field.similarity.n
        size = self._subset_size(n)
        everything = Pool.everything(n)
        listed = self.choose_by == "entropy" and everything.listable
        entropy = field.all_pair_entropy() if listed else np.empty(0)
        for _ in range(self.subsets):
            if self.choose_by == "uniform":
                yield everything.draw(size, rng)
            elif listed:
                yield Pairs.from_ranks(power_top(entropy, size, 1.0, rng), n)
            else:
                yield draw_by_entropy(field, everything, size, 1.0, rng).pairs

    def _subset_size(self, n: int) -> int:
        return min(self.max_subset, max(1, round(self.subset * count_pairs(n))))

    def _on_gpu(self, field: MeanField) -> "Callable[[Base, int], Fields]":
        """Return the function that does on the GPU what `simulate` does."""

        def simulate(base: "Base", seed: int) -> "Fields":
            from ofakind.kernels.gpu import jeig as gpu_jeig

            simulation = gpu_jeig.Simulation(
                self._subset_size(field.similarity.n),
                self.subsets,
                self.samples,
                by_entropy=self.choose_by == "entropy",
                clusterings=self.draw == "clusterings",
                tol=self.tol,
                max_sweeps=self.max_sweeps,
                synchronous=field.schedule == "synchronous",
            )
            return gpu_jeig.simulate(base, simulation, seed)

        return simulate

    def draw_answers(self, field: MeanField, pairs: Pairs, rng: Generator) -> NDArray[np.int8]:
        """Pseudo-answers e of -1 and +1 for these pairs: (samples, pairs)."""
        if self.draw == "pairs":
            same_probability = field.same_probability(pairs.u, pairs.v).astype(np.float32)
            same = rng.random((self.samples, len(pairs)), np.float32) < same_probability
        else:
            labels = draw_labels(field.q, self.samples, rng)
            same = labels[:, pairs.u] == labels[:, pairs.v]
        return np.where(same, np.int8(1), np.int8(-1))


def _require_list(name: str, given: Any) -> None:
    if not isinstance(given, Sequence | np.ndarray):
        got = f"{name} come as a {type(given).__name__}"
        raise InvalidInputError(f"{got}; expected a list with an entry for each subset")


def _pairs(subset: Any) -> Pairs:
    columns = isinstance(subset, tuple) and len(subset) == 2 and isinstance(subset[0], np.ndarray)
    return Pairs.of(*subset) if columns else Pairs.from_array(subset)


def draw_labels(q: Floats, samples: int, rng: Generator) -> Ints:
    """Clusterings drawn from Q(y): (samples, n)."""
    cumulative = np.cumsum(q, axis=1)[:, :-1]  # (n, k - 1)
    at = rng.random((samples, len(q)))
    labels = np.zeros((samples, len(q)), np.int64)
    for column in cumulative.T:
        labels += at >= column
    return labels


def _gains(field: MeanField, fields: ConditionalFields, u: Ints, v: Ints) -> Floats:
    return field.pair_entropy(u, v) - fields.mean_pair_entropy(u, v)


def _lazy_batch(
    field: MeanField, fields: ConditionalFields, pool: Pool, size: int, noise: float, rng: Generator
) -> Scores:
    """Exactly the power batch that scoring every open pair would give, scoring few of them.

    A conditional entropy is never negative, so the gain of a pair is at most its entropy. Pairs are looked
    at in the order of the key that this bound gives them (see `power_keys`; smaller is better), until no
    further pair can have a better key than the ``size`` best found.
    """
    n, (ranks, entropy) = field.similarity.n, open_entropies(field, pool)
    race = clocks(len(ranks), noise, rng)
    bound = race / np.maximum(entropy, CHOICE.floor)
    keys, gains = np.full(len(ranks), np.inf), np.zeros(len(ranks))
    reach, limit, worst = size, -np.inf, np.inf  # worst: the key of the last pair of the best batch so far
    while limit < worst:
        reach = min(2 * reach, len(ranks))
        nearest = largest(-bound, reach)
        rows = nearest[np.isinf(keys[nearest]) & (bound[nearest] <= worst)]
        gains[rows] = _gains(field, fields, *unrank(ranks[rows], n))
        keys[rows] = race[rows] / np.maximum(gains[rows], CHOICE.floor)
        limit = bound[nearest].max() if reach < len(ranks) else np.inf
        worst = nth(keys, size - 1)
    best = top(-keys, size, rng)
    return Scores(Pairs.from_ranks(ranks[best], n), gains[best])
