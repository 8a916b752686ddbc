"""The open pairs are counted, tested, listed and drawn alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ofakind.acquire.pool import Pool
from ofakind.errors import InvalidInputError, TooLargeError
from ofakind.pairs import Pairs, count_pairs
from ofakind.pins import Pins
from ofakind.similarity import Similarity
from twins.pins import as_list, closure, pinned


def asked(n, pairs, repeats=1):
    u, v = (np.asarray(pairs, np.int64).reshape(-1, 2).repeat(repeats, axis=0)).T
    return Similarity.from_pairs(n, u, v, np.zeros(len(u)))


def everything_asked(n):
    return asked(n, np.asarray(Pairs.all(n)))


def some_pairs(n, count, rng):
    return Pairs.from_ranks(rng.choice(count_pairs(n), min(count, count_pairs(n)), replace=False), n)


@st.composite
def pools(draw):
    n = draw(st.integers(0, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    counts = rng.integers(0, 4, count_pairs(n)) * (rng.random(count_pairs(n)) < draw(st.floats(0, 1)))
    every = Pairs.all(n)
    u, v = every.u.repeat(counts), every.v.repeat(counts)
    similarity = Similarity.from_pairs(n, u, v, rng.uniform(-1, 1, len(u)))
    pending = some_pairs(n, draw(st.integers(0, 12)), rng)
    allowed = some_pairs(n, draw(st.integers(0, 40)), rng) if draw(st.booleans()) else None
    pins = draw(pinned(n)) if draw(st.booleans()) else None
    return Pool(similarity, pending, allowed, repeats=draw(st.integers(1, 3)), pins=pins)


def open_by_definition(pool):
    counts, pending = pool.similarity.count, set(pool.pending)
    allowed = set(Pairs.all(pool.similarity.n)) if pool.allowed is None else set(pool.allowed)
    decided = np.zeros((pool.similarity.n,) * 2, int)
    if pool.pins is not None:
        decided = closure(pool.similarity.n, as_list(pool.pins))
    return [
        (u, v)
        for u, v in Pairs.all(pool.similarity.n)
        if counts([u], [v])[0] < pool.repeats and (u, v) not in pending and (u, v) in allowed
        if not decided[u, v]
    ]


@given(pools())
def test_counting_testing_and_listing_agree_with_the_definition(pool):
    expected = open_by_definition(pool)
    every = Pairs.all(pool.similarity.n)
    assert list(pool.list()) == expected
    assert pool.size == len(expected)
    assert list(every.take(pool.is_open(every.u, every.v))) == expected
    assert np.array_equal(pool.is_open(every.v, every.u), pool.is_open(every.u, every.v))


@given(pools(), st.integers(0, 50), st.integers(0, 10), st.integers(0, 2**32))
def test_a_draw_is_distinct_open_and_as_long_as_possible(pool, size, excluded, seed):
    rng = np.random.default_rng(seed)
    exclude = some_pairs(pool.similarity.n, excluded, rng)
    left = set(open_by_definition(pool)) - set(exclude)
    drawn = list(pool.draw(size, rng, exclude=exclude))
    assert len(drawn) == len(set(drawn)) == min(size, len(left))
    assert set(drawn) <= left


@pytest.mark.parametrize("loose", [0, 3, 300])
def test_draws_are_uniform_among_what_pins_leave_however_little_that_is(loose):
    """A thousand objects in two units that must differ, and some more: drawn from or listed."""
    n = 1000 + loose
    pins = Pins.none(n).adding(np.zeros(499, int), np.arange(2, 1000, 2), same=True)
    pins = pins.adding(np.ones(499, int), np.arange(3, 1000, 2), same=True)
    pins = pins.adding(np.array([0]), np.array([1]), same=False)
    pool = Pool(asked(n, []), Pairs.empty(), pins=pins)
    assert pool.size == 1000 * loose + count_pairs(loose)
    drawn = pool.draw(2000, np.random.default_rng(0))
    assert len(drawn) == min(2000, pool.size)
    assert np.all(drawn.v >= 1000)
    if loose:
        among_loose, odd = np.mean(drawn.u >= 1000), np.mean(drawn.u % 2)
        assert among_loose == pytest.approx(count_pairs(loose) / pool.size, abs=0.05)
        assert odd == pytest.approx(0.5, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("allowed", [None, Pairs.all(7)])
def test_draws_are_uniform_whichever_way_they_are_made(seed, size, allowed):
    rng = np.random.default_rng(seed)
    pool = Pool(asked(7, [(0, 1), (2, 3)]), Pairs.of([5], [6]), allowed)
    exclude = Pairs.of([0, 1], [2, 2])
    draws = [pair for _ in range(700) for pair in pool.draw(size, rng, exclude=exclude)]
    counts = np.unique(np.array(draws), axis=0, return_counts=True)[1]
    assert len(counts) == 21 - 3 - 2
    # Draws without replacement are less dispersed than the test supposes: it errs on the safe side.
    assert chisquare(counts).pvalue > 1e-4


def test_the_same_generator_draws_the_same_pairs():
    pool = Pool.everything(1000)
    a, b = (pool.draw(50, np.random.default_rng(3)) for _ in range(2))
    assert a == b


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_objects_have_no_open_pair(n):
    pool = Pool.everything(n)
    assert pool.size == 0
    assert pool.listable
    assert len(pool.list()) == len(pool.draw(5, np.random.default_rng(0))) == 0


def test_when_every_pair_was_asked_nothing_is_drawn():
    pool = Pool(everything_asked(30), Pairs.empty(), list_limit=0)
    assert pool.size == 0
    assert len(pool.draw(10, np.random.default_rng(0))) == 0


def test_the_last_open_pairs_of_an_exhausted_pool_are_found():
    n, left = 300, [(7, 8), (0, 299), (150, 200)]
    ranks = Pairs.from_array(left).ranks(n)
    done = Pairs.from_ranks(np.setdiff1d(np.arange(count_pairs(n)), ranks), n)
    pool = Pool(asked(n, np.asarray(done)), Pairs.empty(), list_limit=0)
    assert set(pool.draw(10, np.random.default_rng(0))) == set(left)


def test_a_pair_may_be_asked_as_often_as_repeats_says():
    similarity = asked(3, [(0, 1)], repeats=2)
    assert not Pool(similarity, Pairs.empty(), repeats=2).is_open([0], [1])[0]
    assert Pool(similarity, Pairs.empty(), repeats=3).is_open([0], [1])[0]


def test_a_pair_that_is_asked_and_pending_is_closed_once():
    pool = Pool(asked(3, [(0, 1)]), Pairs.of([0], [1]))
    assert pool.size == 2


def test_a_million_objects_are_counted_and_drawn_without_listing_them():
    n = 1_000_000
    rng = np.random.default_rng(0)
    pool = Pool(asked(n, np.asarray(Pool.everything(n).draw(1000, rng))), Pairs.empty())
    assert pool.size == count_pairs(n) - 1000
    drawn = pool.draw(1000, rng)
    assert len(drawn) == 1000
    assert np.all(pool.is_open(drawn.u, drawn.v))


def test_a_restricted_pool_is_listable_at_any_n():
    allowed = Pairs.of([0, 999_999, 5], [9, 3, 6])
    pool = Pool(asked(1_000_000, [(5, 6)]), Pairs.empty(), allowed, list_limit=0)
    assert pool.listable
    assert list(pool.list()) == [(0, 9), (3, 999_999)]
    assert set(pool.draw(9, np.random.default_rng(0))) == {(0, 9), (3, 999_999)}


def test_an_object_with_itself_is_never_open():
    assert not Pool.everything(4).is_open([2], [2])[0]


def test_too_many_pairs_are_not_listed():
    with pytest.raises(TooLargeError, match="list_limit is 10"):
        Pool.everything(6, list_limit=10).list()


@pytest.mark.parametrize("options", [{"repeats": 0}, {"list_limit": -1}])
def test_senseless_options_are_refused(options):
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        Pool(asked(3, []), Pairs.empty(), **options)


def test_pairs_of_unknown_objects_are_refused():
    with pytest.raises(
        InvalidInputError, match=r"pending pair 0 is \(0, 3\); expected two different objects below 3"
    ):
        Pool(asked(3, []), Pairs.of([0], [3]))
    with pytest.raises(InvalidInputError, match=r"allowed pair 0 is \(0, 7\)"):
        Pool(asked(3, []), Pairs.empty(), Pairs.of([0], [7]))
