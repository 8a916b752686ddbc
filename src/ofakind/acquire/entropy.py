"""Entropy: ask the pairs whose answer is least certain (eq:entropy), for any number of objects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator

from ofakind.acquire import gpu
from ofakind.acquire.base import Scores, State
from ofakind.acquire.choose import power_top
from ofakind.acquire.cluster_proposals import ClusterProposal
from ofakind.acquire.pool import Pool, first_rows
from ofakind.arrays import Floats, Ints
from ofakind.checks import one_of, real_number, whole_number
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import Pairs, count_pairs, rank, unrank
from ofakind.posterior.base import Posterior
from ofakind.posterior.mean_field.dense import Device, MeanField
from ofakind.posterior.mean_field.sparse import SparseMeanField
from ofakind.registry import Ability

FAIR_COIN = 0.6931471805599453  # nats: no pair has more entropy


@dataclass(frozen=True, slots=True)
class ProposalRules:
    """Tuned numbers of drawing pairs by rejection, chosen by judgement."""

    per_pair: int = 200  # proposals for each wanted pair after which the search is given up,
    more: int = 10_000  # and so many more, for a small batch
    surplus: float = 1.1  # times the proposals that the acceptance so far asks for are made next,
    surplus_more: int = 64  # and so many more,
    chunk: int = 4  # but at most so many for each wanted pair at a time,
    chunk_more: int = 4096  # and so many more


PROPOSAL = ProposalRules()


@runtime_checkable
class LabelEntropy(Protocol):
    """A posterior that also knows how uncertain each object is, which makes drawing pairs faster."""

    def label_entropy(self) -> Floats:
        """Entropy H(y_u) in nats of each object's cluster: (n,)."""
        ...


@runtime_checkable
class AllPairEntropy(Protocol):
    """A posterior that knows a fast way to the entropies of all pairs."""

    def all_pair_entropy(self) -> Floats:
        """Entropy of every pair in order of rank."""
        ...


@dataclass(frozen=True, slots=True)
class Entropy:
    """Prefers pairs of high entropy H(E_uv) (eq:entropy); works on any posterior.

    The batch is a power batch: pairs drawn one after another with probability proportional to
    ``H ** (1 / noise)``. Open pairs that can be listed are all scored; otherwise the same distribution is
    drawn without listing them (`draw_by_entropy`). With ``noise`` 0 the batch is the pairs of highest
    entropy: among all when they can be listed, otherwise among ``candidates`` drawn by their entropy.
    ``device="cuda"`` scores all pairs on an NVIDIA GPU, however many objects; it needs a mean field.
    """

    noise: float = 1.0
    candidates: int = 100_000
    device: Device = "cpu"

    def __post_init__(self) -> None:
        real_number("noise", self.noise, least=0)
        whole_number("candidates", self.candidates, least=1)
        one_of("device", self.device, "cpu", "cuda")

    @property
    def needs(self) -> frozenset[Ability]:
        """What it needs of a posterior: on a GPU a mean field, else nothing."""
        return frozenset({Ability.MEAN_FIELD}) if self.device == "cuda" else frozenset()

    def score(self, state: State, pairs: Pairs, rng: Generator) -> Scores:
        """Entropy in nats of whether each pair is of a kind."""
        if self.device == "cuda":
            return Scores(pairs, gpu.score(_mean_field(state.posterior), pairs, rng))
        return Scores(pairs, state.posterior.pair_entropy(pairs.u, pairs.v))

    def select(self, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
        """Choose a power batch of open pairs; fewer when hardly any pair is uncertain (see `choose`)."""
        if self.device == "cuda":
            return gpu.select(_mean_field(state.posterior), pool, size, self.noise, rng)
        if pool.listable:
            return list_by_entropy(state.posterior, pool, size, self.noise, rng)
        if self.noise > 0:
            return draw_by_entropy(state.posterior, pool, size, self.noise, rng)
        drawn = draw_by_entropy(state.posterior, pool, max(size, self.candidates), 1.0, rng)
        return _taken(drawn, power_top(drawn.values, size, 0.0, rng))


def _mean_field(posterior: Posterior) -> MeanField:
    if isinstance(posterior, MeanField):
        return posterior
    got = f"Entropy(device='cuda') needs a mean field and got a {type(posterior).__name__}"
    raise InvalidInputError(f"{got}; choose belief=MeanFieldBelief() or device='cpu'")


def list_by_entropy(posterior: Posterior, pool: Pool, size: int, noise: float, rng: Generator) -> Scores:
    """Make a power batch by scoring every open pair; in order of the draws. O(open pairs)."""
    ranks, values = open_entropies(posterior, pool)
    best = power_top(values, size, noise, rng)
    return Scores(Pairs.from_ranks(ranks[best], pool.similarity.n), values[best])


def open_entropies(posterior: Posterior, pool: Pool) -> tuple[Ints, Floats]:
    """Ranks of all open pairs and their entropies. O(open pairs)."""
    n, ranks = pool.similarity.n, pool.ranks()
    if isinstance(posterior, AllPairEntropy) and 2 * len(ranks) > count_pairs(n):
        values = posterior.all_pair_entropy()[ranks]
    else:
        values = posterior.pair_entropy(*unrank(ranks, n))
    if (row := _first_nan(values)) is not None:
        u, v = unrank(ranks[row : row + 1], n)
        raise _not_a_number(posterior, f"the entropy of the pair ({u[0]}, {v[0]})")
    return ranks, values


def draw_by_entropy(
    posterior: Posterior,
    pool: Pool,
    size: int,
    noise: float,
    rng: Generator,
    *,
    gain: Callable[[Ints, Ints], Floats] | None = None,
) -> Scores:
    """Draw the same power batch without listing any pairs; ``noise`` must be above 0.

    E_uv is a function of y_u and y_v, so H(E_uv) <= H(y_u) + H(y_v). Pairs are proposed in proportion to
    such a bound (of a sparse mean field: to that of a `ClusterProposal`) and accepted with the ratio of
    H^(1/noise) to it, which makes them independent draws in proportion to H^(1/noise). Closed pairs and
    pairs seen before are passed over; what remains is drawn one after another without replacement. Expected
    time O(n + size / acceptance), memory O(n + size), and O(entries) more for a sparse mean field.

    When almost nothing is accepted (hardly an open pair is uncertain) it stops at 200
    proposals per pair with fewer than ``size`` pairs. For a draw from all pairs, asked or not, hand in
    `Pool.everything`.

    With ``gain``, a function of pairs that never exceeds their entropy, the batch is a power batch of that
    gain: a proposal is accepted once more, with the ratio of gain^(1/noise) to H^(1/noise).
    """
    n, size = pool.similarity.n, min(size, pool.size)
    proposal = _proposal(posterior, n, 1 / noise)
    found, values = np.empty(0, np.int64), np.empty(0)
    proposed, limit = 0, PROPOSAL.per_pair * size + PROPOSAL.more
    while len(found) < size and proposed < limit and proposal.possible:
        count = _next_chunk(size, len(found), proposed)
        u, v, entropy = _accepted(posterior, proposal, count, rng)
        is_open = pool.is_open(u, v)
        u, v, worth = u[is_open], v[is_open], entropy[is_open]
        if gain is not None:
            u, v, worth = _thinned(u, v, worth, gain, noise, rng)
        order = rng.permutation(len(u))  # they come sorted; independent draws may stand in any random order
        found = np.concatenate([found, rank(u, v, n)[order]])
        values = np.concatenate([values, worth[order]])
        first = first_rows(found)
        found, values = found[first], values[first]
        proposed += count
    return Scores(Pairs.from_ranks(found[:size], n), values[:size])


def _thinned(
    u: Ints, v: Ints, entropy: Floats, gain: Callable[[Ints, Ints], Floats], noise: float, rng: Generator
) -> tuple[Ints, Ints, Floats]:
    """Keep each pair with the probability (gain / entropy) ** (1 / noise); the kept pairs and their gains."""
    gains = np.maximum(gain(u, v), 0.0)
    keep = rng.random(len(u)) * portable.power(entropy, 1 / noise) < portable.power(gains, 1 / noise)
    return u[keep], v[keep], gains[keep]


def _proposal(posterior: Posterior, n: int, power: float) -> "_Proposal | ClusterProposal":
    if isinstance(posterior, SparseMeanField):
        return ClusterProposal.of(posterior, power)
    return _Proposal.from_posterior(posterior, n, power)


def _accepted(
    posterior: Posterior, proposal: "_Proposal | ClusterProposal", count: int, rng: Generator
) -> tuple[Ints, Ints, Floats]:
    """Make ``count`` proposals; return those accepted, in proportion to H ** power, as u < v with their H."""
    first, second, bound = proposal.draw(count, rng)
    entropy = posterior.pair_entropy(first, second)
    if (row := _first_nan(entropy)) is not None:
        raise _not_a_number(posterior, f"the entropy of the pair ({first[row]}, {second[row]})")
    keep = rng.random(len(first)) * bound < portable.power(entropy, proposal.power)
    first, second = first[keep], second[keep]
    return np.minimum(first, second), np.maximum(first, second), entropy[keep]


@dataclass(frozen=True, slots=True, eq=False)
class _Proposal:
    """Proposes u in proportion to a weight and v uniformly.

    The pair (u, v) is thus proposed in proportion to weight_u + weight_v, and H ** power is at most
    (weight_u + weight_v) * ceiling: for power >= 1 the weight is the bound b on an object's share of H and
    the ceiling is the bound on H to the power - 1; below 1 the weight is b ** power, since
    (b_u + b_v) ** power <= b_u ** power + b_v ** power, and the ceiling is 1.
    """

    weight: Floats  # (n,)
    cumulative: Floats  # (n,)
    power: float
    ceiling: float

    @classmethod
    def from_posterior(cls, posterior: Posterior, n: int, power: float) -> "_Proposal":
        share = np.full(n, FAIR_COIN / 2)  # of any posterior: H <= ln 2
        if isinstance(posterior, LabelEntropy):
            share = np.minimum(posterior.label_entropy(), FAIR_COIN)
            if (item := _first_nan(share)) is not None:
                raise _not_a_number(posterior, f"the entropy of object {item}")
        largest = min(FAIR_COIN, 2 * share.max(initial=0.0))
        weight = portable.power(share, min(power, 1.0))
        return cls(weight, np.cumsum(weight), power, portable.power(largest, max(power - 1, 0.0)))

    @property
    def possible(self) -> bool:
        """Whether there is anything to propose."""
        return len(self.weight) >= 2 and self.cumulative[-1] > 0 and self.ceiling > 0

    def draw(self, count: int, rng: Generator) -> tuple[Ints, Ints, Floats]:
        """Make ``count`` proposals; return their objects and a bound on H ** power of each.

        They stand in order of the proposed object, because neighbours in memory are looked up faster.
        """
        n = len(self.weight)
        at = np.sort(rng.random(count)) * self.cumulative[-1]
        first = np.minimum(np.searchsorted(self.cumulative, at, side="right"), n - 1)
        second = rng.integers(n - 1, size=count)
        second += second >= first
        return first, second, (self.weight[first] + self.weight[second]) * self.ceiling


def _first_nan(values: Floats) -> int | None:
    """Position of the first NaN, if any; one pass without a mask when there is none."""
    return int(np.argmax(np.isnan(values))) if np.isnan(values.min(initial=0.0)) else None


def _not_a_number(posterior: Posterior, what: str) -> InvalidInputError:
    kind = type(posterior).__name__
    return InvalidInputError(f"the belief gave {kind}, in which {what} is NaN; expected a number, 0 or more")


def _next_chunk(size: int, found: int, proposed: int) -> int:
    """Proposals to make next: what the acceptance so far asks for, within O(size)."""
    rate = (found + 1) / (proposed + 4)
    wanted = int(PROPOSAL.surplus * (size - found) / rate) + PROPOSAL.surplus_more
    return min(wanted, PROPOSAL.chunk * size + PROPOSAL.chunk_more)


def _taken(scores: Scores, rows: Ints) -> Scores:
    return Scores(scores.pairs.take(rows), scores.values[rows])
