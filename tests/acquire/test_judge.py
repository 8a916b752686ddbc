"""What a judge is asked, and what people are asked so that it is seen whether the judge is right."""

from itertools import pairwise

import numpy as np
import pytest

from ofakind.acquire.base import State
from ofakind.acquire.judge import (
    JUDGE_QUESTIONS,
    JudgePool,
    by_object,
    checks,
    doubtful_pairs,
    random_partners,
)
from ofakind.acquire.pool import Pool
from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.forest.loop import one_round
from ofakind.priors.judged import judged_graph
from ofakind.similarity import Similarity
from twins.featured import problem_of, right


def degrees(pairs, n):
    return np.bincount(np.concatenate([pairs.u, pairs.v]), minlength=n)


def changes_of_object(pairs):
    """Return how often neighbouring pairs have no object in common."""
    ends = list(zip(pairs.u.tolist(), pairs.v.tolist(), strict=True))
    return sum(not set(one) & set(other) for one, other in pairwise(ends))


@pytest.mark.parametrize("seed", range(3))
def test_random_partners_are_enough_for_each_object_and_stand_side_by_side(seed):
    n, rng = 150, np.random.default_rng(seed)
    pool, rounds = JudgePool(n, Pairs.empty()), 0
    while len(more := random_partners(pool, n * n, rng)):
        assert not np.isin(more.ranks(n), pool.seen.ranks(n)).any()
        assert len(np.unique(more.ranks(n))) == len(more)
        assert changes_of_object(more) < n
        seen = np.unique(np.concatenate([pool.seen.ranks(n), more.ranks(n)]))
        pool, rounds = JudgePool(n, Pairs.from_ranks(seen, n)), rounds + 1
    wanted = JUDGE_QUESTIONS.partners
    assert degrees(pool.seen, n).min() >= wanted * (1 - JUDGE_QUESTIONS.missing)
    assert degrees(pool.seen, n).mean() < 1.1 * wanted
    assert rounds < 6


def test_no_more_pairs_come_than_are_wanted_and_none_where_there_is_nothing_left():
    pool, rng = JudgePool(200, Pairs.empty()), np.random.default_rng(0)
    assert len(random_partners(pool, 17, rng)) == 17
    assert len(random_partners(JudgePool(10, Pairs.all(10)), 17, rng)) == 0
    assert len(random_partners(JudgePool(10, Pairs.empty()), 100, rng)) == 45


def test_a_judge_is_asked_about_allowed_pairs_only_and_not_what_pins_decide():
    allowed = Pairs.of([0, 0, 1, 2], [1, 2, 3, 3])
    pins = Pins.none(4).adding(np.array([0]), np.array([1]), same=True)
    found = random_partners(JudgePool(4, Pairs.of([2], [3]), allowed, pins), 10, np.random.default_rng(0))
    assert sorted(found) == [(0, 2), (1, 3)]


def test_one_object_with_many_allowed_pairs_keeps_no_others_from_being_asked():
    rng = np.random.default_rng(0)
    others = np.stack([rng.integers(1, 200, 400), rng.integers(200, 400, 400)])
    hub = np.stack([np.zeros(90, int), rng.permutation(np.arange(1, 400))[:90]])
    every = np.unique(np.concatenate([others, hub], axis=1), axis=1)
    allowed = Pairs.of(*every)
    found = random_partners(JudgePool(400, Pairs.empty(), allowed), 10_000, rng)
    assert set(found) == set(allowed)
    crowded = Pairs.all(150).take(np.arange(0, 150 * 149 // 2))
    some = random_partners(JudgePool(150, Pairs.empty(), crowded), 100_000, rng)
    assert degrees(some, 150).min() >= JUDGE_QUESTIONS.partners
    assert len(some) < len(crowded)


def test_with_features_only_candidates_in_doubt_are_looked_at_and_the_most_doubtful_object_first():
    pairs = Pairs.of([0, 0, 0, 1, 2], [1, 2, 3, 4, 4])
    same = np.array([0.5, 0.6, 0.001, 0.02, 0.999])
    found = doubtful_pairs(JudgePool(5, Pairs.of([0], [2])), (pairs, same), 10, np.random.default_rng(0))
    assert list(found) == [(0, 1), (1, 4)]


@pytest.mark.parametrize("seed", range(3))
def test_pairs_stand_with_the_object_that_is_worth_more(seed):
    rng = np.random.default_rng(seed)
    pairs = Pairs.from_ranks(np.sort(rng.choice(190, 80, replace=False)), 20)
    worth = rng.random(80)
    found = by_object(pairs, worth, 80, rng)
    assert sorted(found) == sorted(pairs)
    assert changes_of_object(found) < 20
    total = np.bincount(np.concatenate([pairs.u, pairs.v]), np.concatenate([worth, worth]))
    assert int(np.argmax(total)) in found[0]


# -- people check what a judge has told apart ----------------------------------------------------------------


def believed(seed, n=40, groups=4):
    """Return a round with a judge that is right about most pairs, and a few answers of a person."""
    rng, truth = np.random.default_rng(seed), np.arange(n) % groups
    pairs = Pairs.all(n)
    scores = np.tanh(np.where(truth[pairs.u] == truth[pairs.v], 1.5, -1.5) + rng.normal(size=len(pairs)))
    near = judged_graph(Answers.none(n).adding(np.asarray(pairs), scores, "model"), None)
    some = rng.permutation(np.asarray(pairs))[:60]
    return truth, one_round(problem_of(Answers.none(n).adding(some, right(truth, some)), near), None, rng)


def state_with(posterior, labels, answers):
    """Return the state in which these pairs are answered, whatever the posterior saw, and the open pairs."""
    similarity = Similarity.from_answers(answers)
    state = State.of(similarity, Clustering.of(similarity, labels), posterior)
    return state, Pool(similarity, Pairs.empty())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_checks_compare_objects_with_others_of_their_group_the_least_compared_first(seed):
    truth, posterior = believed(seed)
    n, neglected = len(truth), {2, 11, 25}
    inside = [(u, v) for u, v in Pairs.all(n) if truth[u] == truth[v] and not {u, v} & neglected]
    told = [pair for place, pair in enumerate(inside) if place % 4]
    answers = Answers.none(n).adding(told, np.ones(len(told)))
    state, pool = state_with(posterior, truth, answers)
    found = checks(state, pool, 3, np.random.default_rng(seed))
    assert len(found) == 3
    assert pool.is_open(found.u, found.v).all()
    assert (truth[found.u] == truth[found.v]).all()
    assert all({u, v} & neglected for u, v in found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_an_object_that_is_alone_is_checked_against_its_likeliest_open_candidate(seed):
    truth, posterior = believed(seed)
    labels = truth.copy()
    labels[[3, 8]] = 4, 5
    state, pool = state_with(posterior, labels, Answers.none(len(truth)))
    found = set(checks(state, pool, 40, np.random.default_rng(seed)))
    pairs, same = posterior.candidates, posterior.candidate_same
    for alone in (3, 8):
        here = np.flatnonzero((pairs.u == alone) | (pairs.v == alone))
        assert set(pairs.take(here[[np.argmax(same[here])]])) <= found


@pytest.mark.slow
def test_objects_that_are_alone_and_were_compared_often_do_not_take_the_checks_of_others():
    truth, posterior = believed(0)
    n, labels = len(truth), truth.copy()
    labels[[3, 8]] = 4, 5
    told = [(u, v) for u, v in Pairs.all(n) if len({u, v} & {3, 8}) == 1 and (u + v) % 2]
    state, pool = state_with(posterior, labels, Answers.none(n).adding(told, -np.ones(len(told))))
    found = checks(state, pool, 6, np.random.default_rng(0))
    assert len(found) == 6
    assert not {3, 8} & {*found.u.tolist(), *found.v.tolist()}


@pytest.mark.slow
def test_objects_that_are_alone_and_have_no_open_candidate_do_not_take_the_checks_of_others():
    """They were never compared with anything, and would come first for ever."""
    truth, posterior = believed(0)
    n, labels = len(truth), truth.copy()
    labels[:20] = 4 + np.arange(20)
    grouped = [(u, v) for u, v in Pairs.all(n) if u >= 20]
    told = [(u, v) for u, v in grouped if truth[u] == truth[v] and (u + v) % 8]
    state, pool = state_with(posterior, labels, Answers.none(n).adding(told, np.ones(len(told))))
    pool = Pool(pool.similarity, Pairs.empty(), allowed=Pairs.from_array(grouped))
    found = checks(state, pool, 4, np.random.default_rng(0))
    assert len(found) > 0
    assert found.u.min() >= 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_small_groups_that_are_compared_already_do_not_take_the_checks_of_others(seed):
    """Their objects have been compared with fewer of their group than those of large ones ever."""
    truth, posterior = believed(0, n=60, groups=3)
    n, labels = len(truth), np.where(np.arange(60) < 40, np.arange(60) // 2, 20)
    told = [(u, v) for u, v in Pairs.all(n) if labels[u] == labels[v] and (labels[u] < 20 or (u + v) % 3)]
    state, pool = state_with(posterior, labels, Answers.none(n).adding(told, np.ones(len(told))))
    found = checks(state, pool, 3, np.random.default_rng(seed))
    assert len(found) == 3
    assert found.u.min() >= 40
