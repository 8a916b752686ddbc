"""Expected information gain (EIG-O, Alg. 4): how much one answer would tell about all labels."""

from dataclasses import dataclass
from dataclasses import field as option
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.acquire import gpu
from ofakind.acquire.base import Scores, State
from ofakind.acquire.choose import power_top
from ofakind.acquire.entropy import draw_by_entropy
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats
from ofakind.checks import check_jobs, one_of, real_number, whole_number
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, unique_pairs
from ofakind.posterior.mean_field.conditional import EXACT, Precision, answer_gains, require_mean_field
from ofakind.posterior.mean_field.dense import Device, MeanField
from ofakind.registry import Ability

Over = Literal["objects", "pairs"]


def expected_information_gain(
    field: MeanField,
    u: ArrayLike,
    v: ArrayLike,
    *,
    over: Over = "objects",
    precision: Precision = EXACT,
    n_jobs: int | None = None,
) -> Floats:
    """Expected loss of entropy when each pair is answered (eq:eigo), for any pairs.

    ``over="objects"`` sums the entropies of all labels: EIG-O. ``over="pairs"`` sums those of all pairs
    (eq:JEIG1), O(n^2 k) for each pair asked about. The approximation can make a gain slightly negative.
    """
    one_of("over", over, "objects", "pairs")
    pairs, position = unique_pairs(u, v, field.similarity.n)
    gains = answer_gains(field, pairs, over_pairs=over == "pairs", precision=precision, n_jobs=n_jobs)
    same = field.same_probability(pairs.u, pairs.v)
    return np.asarray((same * gains[:, 0] + (1 - same) * gains[:, 1])[position], np.float64)


@dataclass(frozen=True, slots=True)
class EIGO:
    """Ask the pairs whose answer is expected to tell most about the labels of all objects.

    The dearest of the paper's three: two mean fields for each candidate pair.

    Args:
        candidates_per_object: how many pairs per object are scored, those with the highest entropy. Others
            are asked only when these cannot fill the batch, and then by entropy.
        noise: scale of the Gumbel noise of the power batch; 0 takes the top.
        over: gain over the labels of "objects" (EIG-O) or over all "pairs".
        tol: a conditional field is followed until no probability moves by more than this.
        max_sweeps: or until then.
        device: "cpu", or "cuda" for an NVIDIA GPU, where the gain is that over the labels of objects.
        n_jobs: parts of the candidates that are scored at the same time, as in joblib (-1: on all cores). It
            changes no result.
    """

    candidates_per_object: float = 20.0
    noise: float = 1.0
    over: Over = "objects"
    tol: float = 1e-4
    max_sweeps: int = 200
    device: Device = "cpu"
    n_jobs: int | None = option(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        real_number("candidates_per_object", self.candidates_per_object, above=0)
        real_number("noise", self.noise, least=0)
        one_of("over", self.over, "objects", "pairs")
        real_number("tol", self.tol, above=0)
        whole_number("max_sweeps", self.max_sweeps, least=1)
        check_jobs(self.n_jobs)
        one_of("device", self.device, "cpu", "cuda")
        if self.device == "cuda" and self.over == "pairs":
            raise InvalidInputError("over is 'pairs' and device is 'cuda'; expected over='objects' there")

    @property
    def needs(self) -> frozenset[Ability]:
        """What it needs of a posterior."""
        return frozenset({Ability.MEAN_FIELD})

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:  # noqa: ARG002
        """Expected information gain of any pairs."""
        field = require_mean_field(state.posterior, "EIGO")
        if self.device == "cuda":
            gains = gpu.answer_gains(field, pairs, tol=self.tol, max_sweeps=self.max_sweeps)
            return Scores(pairs, gains)
        precision = Precision(np.float32, self.tol, self.max_sweeps)
        gains = expected_information_gain(
            field, pairs.u, pairs.v, over=self.over, precision=precision, n_jobs=self.n_jobs
        )
        return Scores(pairs, gains)

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """Power batch among the candidates; the rest of the batch, if any, by entropy."""
        field = require_mean_field(state.posterior, "EIGO")
        wanted = max(1, round(self.candidates_per_object * field.similarity.n))
        candidates = self._candidates(field, pool, max(wanted, size), rng)
        scored = self.score(state, candidates.take(slice(wanted)), rng)
        best = power_top(scored.values, size, self.noise, rng)
        rest = candidates.take(slice(wanted, wanted + size - len(best)))  # none for a usual batch
        u, v = np.r_[scored.pairs.u[best], rest.u], np.r_[scored.pairs.v[best], rest.v]
        return Scores(Pairs.trusted(u, v), np.r_[scored.values[best], np.zeros(len(rest))])

    def _candidates(self, field: MeanField, pool: Pool, count: int, rng: Generator) -> Pairs:
        """Open pairs of the highest entropy, best first; drawn by entropy when too many to list (CPU)."""
        if self.device == "cuda":
            return gpu.select(field, pool, min(count, pool.size), 0.0, rng).pairs
        if not pool.listable:
            return draw_by_entropy(field, pool, count, 1.0, rng).pairs
        pairs = pool.list()
        entropy = field.pair_entropy(pairs.u, pairs.v)
        return pairs.take(power_top(entropy, count, 0.0, rng))
