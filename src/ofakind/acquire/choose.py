"""From scores to a batch: the best pairs, or a power batch, filled up uniformly and checked."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import Acquisition, Scores, Selector, State
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats, Ints, nth
from ofakind.checks import real_number, whole_number
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import Pairs, first_duplicate


@dataclass(frozen=True, slots=True)
class ChoiceRules:
    """Tuned numbers of the choice of a batch, by judgement; the last three change nothing but its time."""

    candidates: int = 1_000_000  # pairs, drawn uniformly, that are scored when too many are open to list
    floor: float = 1e-16  # a score at or below it counts as this in a power batch: it comes last but may come
    crowd: int = 10  # from so many pairs for each question on, only those with early clocks are sorted:
    early: float = 1.5  # so many for each question,
    spare: int = 100  # and so many more


CHOICE = ChoiceRules()


def choose(acquisition: Acquisition, state: State, pool: Pool, size: int, rng: Generator) -> Scores:
    """Choose the next questions: ``min(size, pool.size)`` distinct open pairs with their scores, best first.

    A `Selector` chooses by its own ``select``. Any other acquisition scores every open pair (when they are
    too many to list: a million of them, drawn uniformly), and the pairs with the highest scores are
    taken, ties at random; with a field ``noise`` above 0 they are a power batch (`power_top`), which stands
    in the order of its draws, so that its first b pairs are a power batch of b. Should that give too few,
    uniformly drawn open pairs follow, with score NaN.

    Raises:
        InvalidInputError: a negative size, or an acquisition that returned something else than scores of
            distinct open pairs; the message names its class.
    """
    wanted = min(whole_number("size", size, least=0), pool.size)
    if wanted == 0:
        return Scores(Pairs.empty(), np.empty(0))
    if isinstance(acquisition, Selector):
        chosen = acquisition.select(state, pool, wanted, rng)
        _check_type(acquisition, "select", chosen)
        if chosen.values.size > wanted:
            _refuse(acquisition, "select", f"{len(chosen.pairs)} pairs", f"at most {wanted}")
    else:
        chosen = _best_scored(acquisition, state, pool, wanted, rng)
    _check_pairs(acquisition, pool, chosen)
    missing = wanted - chosen.values.size
    return _joined(chosen, pool.draw(missing, rng, exclude=chosen.pairs)) if missing else chosen


def top(values: Floats, size: int, rng: Generator) -> Ints:
    """Positions of the ``size`` highest values (all, when fewer), highest first, ties at random. O(m)."""
    if size <= 0:
        return np.empty(0, np.int64)
    kept = np.arange(len(values))
    if size < len(values):
        threshold = nth(values, len(values) - size)
        above, tied = np.flatnonzero(values > threshold), np.flatnonzero(values == threshold)
        kept = np.concatenate([above, rng.choice(tied, size - len(above), replace=False)])
    return kept[np.lexsort((rng.random(len(kept)), -values[kept]))]


def power_keys(values: Floats, noise: float, rng: Generator) -> Floats:
    """Random keys whose smallest are a power batch.

    The paper takes the largest log a + noise * G with G standard Gumbel. Since -G is the logarithm of an
    Exp(1) variable X, that is the smallest of X^noise / a: a race of exponential clocks at rates
    a^(1/noise), one number drawn per pair and no logarithm taken.
    """
    return clocks(len(values), noise, rng) / np.maximum(values, CHOICE.floor)


def clocks(count: int, noise: float, rng: Generator) -> Floats:
    """X^noise for so many independent Exp(1) variables X; with ``noise`` 0 all are 1."""
    ring = rng.random(count)
    np.negative(ring, out=ring)
    np.negative(portable.log1p(ring, out=ring), out=ring)  # in place: there may be very many
    return portable.power(ring, noise)


def power_top(values: Floats, size: int, noise: float, rng: Generator) -> Ints:
    """Positions of a power batch in order of its draws; with ``noise`` 0 the highest values (`top`).

    The same as drawing one after another without replacement, with probability proportional to
    ``values ** (1 / noise)``. O(m).
    """
    if noise == 0:
        return top(values, size, rng)
    keys = power_keys(values, noise, rng)
    if noise == 1 and CHOICE.crowd * size < len(values):
        # Clocks at rate a have rung about t sum(a) times until t: what rings late need not be sorted.
        early = np.flatnonzero(keys * values.sum() < CHOICE.early * size + CHOICE.spare)
        if len(early) >= size:
            return early[top(-keys[early], size, rng)]
    return top(-keys, size, rng)


def _best_scored(acquisition: Acquisition, state: State, pool: Pool, wanted: int, rng: Generator) -> Scores:
    pairs = pool.list() if pool.listable else pool.draw(max(CHOICE.candidates, wanted), rng)
    scores = acquisition.score(state, pairs, rng)
    _check_type(acquisition, "score", scores)
    if len(scores.pairs) != len(pairs):
        _refuse(
            acquisition, "score", f"{len(scores.pairs)} scores", f"one for each of the {len(pairs)} pairs"
        )
    noise = real_number(f"{type(acquisition).__name__}.noise", getattr(acquisition, "noise", 0.0), least=0)
    best = power_top(scores.values, wanted, noise, rng)
    return Scores(scores.pairs.take(best), scores.values[best])


def _joined(chosen: Scores, fill: Pairs) -> Scores:
    u, v = np.concatenate([chosen.pairs.u, fill.u]), np.concatenate([chosen.pairs.v, fill.v])
    return Scores(Pairs.trusted(u, v), np.concatenate([chosen.values, np.full(len(fill), np.nan)]))


def _check_type(acquisition: Acquisition, method: str, scores: object) -> None:
    if not isinstance(scores, Scores):
        _refuse(acquisition, method, f"a {type(scores).__name__}", "Scores(pairs, values)")
    elif np.isnan(scores.values).any():
        row = int(np.argmax(np.isnan(scores.values)))
        count = np.count_nonzero(np.isnan(scores.values))
        got = f"NaN for {count} of {len(scores.values)} pairs, the first of them {scores.pairs[row]}"
        _refuse(acquisition, method, got, "a number each (-inf for a pair that must come last)")


def _check_pairs(acquisition: Acquisition, pool: Pool, chosen: Scores) -> None:
    pairs, method = chosen.pairs, "select" if isinstance(acquisition, Selector) else "score"
    unknown = (pairs.u < 0) | (pairs.u >= pairs.v) | (pairs.v >= pool.similarity.n)
    if unknown.any():
        got = f"the pair {pairs[int(np.argmax(unknown))]}"
        _refuse(acquisition, method, got, f"u < v among {pool.similarity.n} objects")
    again = first_duplicate(pairs.u, pairs.v)
    if again is not None:
        _refuse(acquisition, method, f"the pair {pairs[again]} twice", "distinct pairs")
    closed = ~pool.is_open(pairs.u, pairs.v)
    if closed.any():
        got = f"the pair {pairs[int(np.argmax(closed))]}, which may not be asked now"
        _refuse(acquisition, method, got, "open pairs (see Pool.is_open)")


def _refuse(acquisition: Acquisition, method: str, got: str, expected: str) -> None:
    raise InvalidInputError(f"{type(acquisition).__name__}.{method} returned {got}; expected {expected}")
