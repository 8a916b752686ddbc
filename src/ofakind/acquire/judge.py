"""Which pairs a judge should look at next: cheap questions, several about one object at a time."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import Scores, State
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats, Ints, Mask
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.base import Posterior
from ofakind.posterior.forest.judged import JudgedPosterior


@dataclass(frozen=True, slots=True)
class JudgeQuestionRules:
    """Tuned numbers of what a judge is asked: from simulated judges, or chosen by judgement."""

    partners: int = 60  # that each object is compared with at random, where there are no features
    missing: float = 0.1  # share of them that may be missing
    tries: int = 3  # draws for each partner, in case that some were compared before
    awake: float = 0.1  # share of a person's questions that show which reading is right,
    rarely_awake: float = 0.03  # and where the judge is not believed,
    offered: int = 3000  # chosen from so many random pairs,
    wrong: float = 0.05  # if so many answers are wrong
    sure: float = 0.01  # a pair that is believed to be of a kind, or not, but for this is not worth a look


JUDGE_QUESTIONS = JudgeQuestionRules()


@dataclass(frozen=True, slots=True, eq=False)
class JudgePool:
    """The pairs of n objects that a judge may be asked: all, or ``allowed`` ones.

    It has looked at those that are ``seen``, and ``pins`` decide others.
    """

    n: int
    seen: Pairs
    allowed: Pairs | None = None
    pins: Pins | None = None

    def open(self, pairs: Pairs) -> Pairs:
        """Return those of the pairs that may be asked."""
        return pairs.take(self.is_open(pairs))

    def is_open(self, pairs: Pairs) -> Mask:
        """Tell which of the pairs may be asked."""
        ranks = pairs.ranks(self.n)
        kept = ~np.isin(ranks, self.seen.ranks(self.n))
        if self.allowed is not None:
            kept &= np.isin(ranks, self.allowed.ranks(self.n))
        if self.pins is not None:
            kept &= self.pins.implied(pairs.u, pairs.v) == 0
        return np.asarray(kept)


def random_partners(pool: JudgePool, size: int, rng: Generator) -> Pairs:
    """Return pairs at random, until each object has been compared with enough others; at most ``size``.

    The objects that were compared least come first, each with all of its new partners side by side. O(n +
    size log size).
    """
    n, rules = pool.n, JUDGE_QUESTIONS
    few = Pairs.all(n) if pool.allowed is None and n <= rules.partners + 1 else pool.allowed
    if few is not None:
        left = pool.open(few)
        if _degrees(few, n).max(initial=0) > rules.partners:
            left = _wanted(left, rules.partners - _degrees(pool.seen, n), rng)
        return by_object(left, np.ones(len(left)), size, rng)
    lacking = rules.partners - _degrees(pool.seen, n)
    order = rng.permutation(n)
    order = order[np.argsort(-lacking[order], kind="stable")]
    order = order[lacking[order] > rules.partners * rules.missing]
    wanted = -(-lacking[order] // 2)  # each pair counts for both of its objects
    order = order[: int(np.searchsorted(np.cumsum(wanted), size)) + 1]
    wanted = wanted[: len(order)]
    centre = np.repeat(order, rules.tries * wanted)
    other = rng.integers(n, size=len(centre))
    low, high = np.minimum(centre, other), np.maximum(centre, other)
    _, first = np.unique(low * n + high, return_index=True)
    first = np.sort(first)
    first = first[low[first] < high[first]]
    kept = first[pool.is_open(Pairs.trusted(low[first], high[first]))]
    place = np.arange(len(kept)) - np.searchsorted(kept, _starts(rules.tries * wanted))[_group(kept, wanted)]
    kept = kept[place < wanted[_group(kept, wanted)]][:size]
    return Pairs.trusted(low[kept], high[kept])


def _wanted(pairs: Pairs, lacking: Ints, rng: Generator) -> Pairs:
    """Return the pairs that are among the first, in random order, of so many that one of their two lacks."""
    order = rng.permutation(len(pairs))
    ends = np.concatenate([pairs.u[order], pairs.v[order]])
    by_end = np.argsort(ends, kind="stable")
    place = np.empty(len(ends), np.int64)
    place[by_end] = np.arange(len(ends)) - np.searchsorted(ends[by_end], ends[by_end])
    missing = (place < lacking[ends]).reshape(2, -1).any(axis=0)
    return pairs.take(np.sort(order[missing]))


def doubtful_pairs(pool: JudgePool, likely: tuple[Pairs, Floats], size: int, rng: Generator) -> Pairs:
    """Return the candidates in doubt that a judge has not seen, those of one object side by side."""
    pairs, same = likely
    doubtful = np.minimum(same, 1 - same) > JUDGE_QUESTIONS.sure
    left = pool.open(pairs.take(doubtful))
    doubt = np.minimum(same, 1 - same)[np.searchsorted(pairs.ranks(pool.n), left.ranks(pool.n))]
    return by_object(left, doubt, size, rng)


def by_object(pairs: Pairs, worth: Floats, size: int, rng: Generator) -> Pairs:
    """Return at most ``size`` of the pairs, object by object: first the object whose pairs are worth most.

    Each pair stands with that of its two objects that is worth more.
    """
    n = int(pairs.v.max(initial=-1)) + 1
    each = np.bincount(np.concatenate([pairs.u, pairs.v]), np.concatenate([worth, worth]), minlength=n)
    total = each + 1e-9 * rng.random(n)
    centre = np.where(total[pairs.u] >= total[pairs.v], pairs.u, pairs.v)
    order = np.lexsort((-worth, centre, -total[centre]))
    return pairs.take(order[:size])


def _degrees(pairs: Pairs, n: int) -> Ints:
    return np.bincount(np.concatenate([pairs.u, pairs.v]), minlength=n)


def _starts(counts: Ints) -> Ints:
    """Return where each of some stretches of these lengths begins."""
    return np.cumsum(counts) - counts


def _group(drawn: Ints, wanted: Ints) -> Ints:
    """Return whose each draw is, where everybody has some draws for each that is wanted."""
    return np.searchsorted(_starts(JUDGE_QUESTIONS.tries * wanted), drawn, side="right") - 1


def kept_awake(chosen: Scores, state: State, pool: Pool, rng: Generator) -> Scores:
    """Return a person's questions with a small share of others, in the places of the last ones.

    A reading that asks only what it finds doubtful itself is hardly ever contradicted. So some questions show
    which reading is right, as long as that is open: half of them are random, half are where the readings with
    judges and without differ most. Once judges are clearly believed, some check the objects that people have
    hardly compared with their own group.
    """
    posterior, size = state.posterior, len(chosen.pairs)
    if not isinstance(posterior, JudgedPosterior) or posterior.forests is None:
        return chosen
    share = JUDGE_QUESTIONS.awake if posterior.judged else JUDGE_QUESTIONS.rarely_awake
    first = chosen.pairs.take(slice(0, size - int(rng.binomial(size, share))))
    if len(first) == size:
        return chosen
    if posterior.base is None or posterior.is_clear:
        added = checks(state, pool, size - len(first), rng)
    else:
        added = _deciding((posterior.forests, posterior.base), pool, first, size - len(first), rng)
    n = state.similarity.n
    kept = np.flatnonzero(~np.isin(chosen.pairs.ranks(n), added.ranks(n)))[: size - len(added)]
    rest, values = chosen.pairs.take(kept), chosen.values[kept]
    u, v = np.concatenate([rest.u, added.u]), np.concatenate([rest.v, added.v])
    return Scores(Pairs.trusted(u, v), np.concatenate([values, np.full(len(added), np.nan)]))


def _deciding(
    readings: tuple[Posterior, Posterior], pool: Pool, first: Pairs, count: int, rng: Generator
) -> Pairs:
    """Return open pairs whose answers tell which reading is right, half of them at random."""
    offered = pool.draw(JUDGE_QUESTIONS.offered, rng, exclude=first)
    same = [each.same_probability(offered.u, offered.v) for each in readings]
    telling = np.argsort(-_divergence(*same), kind="stable")[: count // 2]
    at_random = np.setdiff1d(np.arange(len(offered)), telling)[: count - count // 2]
    return offered.take(np.concatenate([telling, at_random])[:count])


def checks(state: State, pool: Pool, count: int, rng: Generator) -> Pairs:
    """Return open pairs of objects and others of their group, the least compared with their group first.

    An object that is alone is compared with its likeliest candidate, if it was hardly compared at all. All
    objects are offered: those of small groups that are compared already, or alone without an open candidate,
    would stay first. O(n log n).
    """
    n, labels, told = state.similarity.n, state.clustering.labels, state.similarity.pairs()
    within = _degrees(told.take(labels[told.u] == labels[told.v]), n)
    lone = np.bincount(labels)[labels] == 1
    checked, likeliest = np.where(lone, _degrees(told, n), within), _likeliest(state, pool, lone)
    order = rng.permutation(n)
    order = order[~lone[order] | (likeliest[order] >= 0)]
    objects = order[np.argsort(checked[order], kind="stable")]
    members = np.argsort(labels, kind="stable")
    start, size = np.searchsorted(labels[members], labels[objects]), np.bincount(labels)[labels[objects]]
    others = np.where(size > 1, members[start + rng.integers(size)], likeliest[objects])
    kept = others != objects
    u, v = np.minimum(objects, others)[kept], np.maximum(objects, others)[kept]
    _, once = np.unique(u * n + v, return_index=True)
    once = np.sort(once)
    u, v = u[once], v[once]
    return Pairs.trusted(u, v).take(pool.is_open(u, v)).take(slice(0, count))


def _likeliest(state: State, pool: Pool, lone: Mask) -> Ints:
    """Return the other end of the likeliest open candidate of each that is alone, or -1 without one."""
    found = np.full(state.similarity.n, -1)
    likely = state.abilities.likely
    if likely is not None:
        some = np.flatnonzero(lone[likely[0].u] | lone[likely[0].v])
        pairs, same = likely[0].take(some), likely[1][some]
        open_ = pool.is_open(pairs.u, pairs.v)
        order = np.flatnonzero(open_)[np.argsort(same[open_], kind="stable")]
        ends = np.stack([pairs.u[order], pairs.v[order]], axis=1)
        found[ends.ravel()] = ends[:, ::-1].ravel()  # of several the last one stays, the likeliest
    return found


def _divergence(first: Floats, second: Floats) -> Floats:
    """Return how much an answer tells which of two probabilities is right, if both may be: Jensen-Shannon."""

    def entropy(p: Floats) -> Floats:
        return np.asarray(portable.entr(p) + portable.entr(1 - p))

    wrong = JUDGE_QUESTIONS.wrong
    heard = [wrong + (1 - 2 * wrong) * each for each in (first, second)]
    return entropy((heard[0] + heard[1]) / 2) - (entropy(heard[0]) + entropy(heard[1])) / 2
