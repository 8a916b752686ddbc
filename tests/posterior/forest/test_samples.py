"""Samples of forests: P(same) of any pair."""

from functools import cache

import numpy as np
import pytest

from ofakind.pins import Pins
from ofakind.posterior.forest.loop import one_round
from twins.featured import near_vectors, problem_of, some_answers

TRUTH, NEAR = near_vectors(6, 4, spread=0.5)
N = len(TRUTH)
U, V = np.triu_indices(N, 1)
pytestmark = pytest.mark.slow


def some_pins():
    same = np.flatnonzero(TRUTH[0] == TRUTH)[:3]
    other = int(np.flatnonzero(TRUTH[0] != TRUTH)[0])
    return Pins.none(N).adding(same[:2], same[1:], same=True).adding(same[:1], np.array([other]), same=False)


@cache
def posterior(*, pinned=False):
    every = np.stack([U, V], axis=1)[np.random.default_rng(0).permutation(len(U))[:25]]
    answers = some_answers(TRUTH, every, wrong=0.1)
    problem = problem_of(answers, NEAR, some_pins() if pinned else None)
    return one_round(problem, None, np.random.default_rng(1))


@pytest.mark.parametrize("pinned", [False, True])
def test_p_same_is_symmetric_a_probability_and_1_of_an_object_with_itself(pinned):
    found = posterior(pinned=pinned)
    one, other = found.same_probability(U, V), found.same_probability(V, U)
    np.testing.assert_allclose(one, other, atol=1e-12)
    assert ((one >= 0) & (one <= 1)).all()
    assert (found.same_probability(np.arange(N), np.arange(N)) == 1).all()
    assert 0.02 < one.mean() < 0.5


@pytest.mark.parametrize("pinned", [False, True])
def test_p_same_is_about_the_share_of_samples_that_say_so(pinned):
    found = posterior(pinned=pinned)
    share = (found.labels[:, U] == found.labels[:, V]).mean(axis=0)
    same = found.same_probability(U, V)
    assert np.abs(same - share).max() < 0.4
    assert np.abs(same - share).mean() < 0.05
    assert found.share_same == pytest.approx(share.mean())


def test_pins_decide():
    pins, found = some_pins(), posterior(pinned=True)
    decided, same = pins.implied(U, V), found.same_probability(U, V)
    assert (decided != 0).sum() >= 6
    assert (same[decided > 0] == 1).all()
    assert (same[decided < 0] == 0).all()
    assert (found.labels[:, U] == found.labels[:, V])[:, decided > 0].all()
    assert not (found.labels[:, U] == found.labels[:, V])[:, decided < 0].any()
    free = posterior().same_probability(U, V)
    assert ((free > 0) & (free < 1))[decided != 0].any()


def test_rows_against_others_average_to_p_same():
    found, objects = posterior(), np.arange(N)
    table = found.against(objects, np.broadcast_to(objects, (N, N)))
    np.testing.assert_allclose((table[U, V] + table[V, U]) / 2, found.same_probability(U, V), atol=1e-5)
    assert (np.diag(table) == 1).all()


def test_thinned_samples_are_some_of_them_with_their_forests():
    found = posterior()
    few = found.thinned(5)
    rows = [0, 12, 24, 35, 47]
    assert len(found.labels) == 48
    np.testing.assert_array_equal(few.labels, found.labels[rows])
    np.testing.assert_array_equal(few.parents, found.parents[rows])
    np.testing.assert_array_equal(few.chain, found.chain[rows])
    assert len(found.thinned(1000).labels) == 48
    assert 0 < np.abs(few.same_probability(U, V) - found.same_probability(U, V)).mean() < 0.2


def test_it_says_which_pairs_may_be_of_a_kind_and_that_there_may_be_others():
    able = posterior().abilities
    assert able.blocked
    assert able.likely[0] is NEAR.pairs
    assert len(able.likely[1]) == len(NEAR.pairs)
