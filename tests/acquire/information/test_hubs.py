"""The first chosen batch founds clusters: some hubs are compared with each other, and others with them."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind
from ofakind.acquire.information.hubs import HUBS, count_hubs, hub_questions
from ofakind.acquire.information.known import FAMILIARITY, Familiarity
from ofakind.acquire.information.score import InformationGain
from ofakind.acquire.pool import Pool
from ofakind.engine.learner import ActiveClustering
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from twins.agreement import agreement_state


def unknown(n, share=1.0):
    return Familiarity(np.ones(n), np.full(n, share))


def random_pool(rng, n, answers, pending=0):
    asked = Pool.everything(n).draw(answers, rng)
    similarity = Similarity.from_pairs(n, asked.u, asked.v, np.ones(len(asked)))
    return Pool(similarity, Pool(similarity, Pairs.empty()).draw(pending, rng))


@given(st.integers(1, 5000))
def test_the_hubs_pairs_are_about_their_share_of_the_batch(size):
    m = count_hubs(size)
    assert m * (m - 1) / 2 <= HUBS.share * size
    assert m == FAMILIARITY.landmarks or (m + 1) * m / 2 > HUBS.share * size


@given(st.integers(0, 2**32), st.integers(3, 60), st.integers(1, 400), st.integers(0, 30))
def test_its_pairs_are_open_distinct_and_no_more_than_wanted(seed, n, size, answers):
    rng = np.random.default_rng(seed)
    pool = random_pool(rng, n, answers, pending=5)
    batch = hub_questions(unknown(n), pool, size, rng)
    assert len(batch) <= size
    assert len(set(batch)) == len(batch)
    assert np.all(pool.is_open(batch.u, batch.v))


def test_the_hubs_are_those_with_most_answers_and_all_others_meet_one():
    n, size = 100, 200
    rng = np.random.default_rng(0)
    star = Similarity.from_pairs(n, np.full(4, 7), [1, 2, 3, 4], np.ones(4))
    batch = hub_questions(unknown(n), Pool(star, Pairs.empty()), size, rng)
    asked = np.bincount(np.asarray(batch).ravel(), minlength=n)
    m = count_hubs(size)
    hubs = np.argsort(-asked)[:m]
    assert {7, 1, 2, 3, 4} <= set(hubs.tolist())
    among = np.isin(np.asarray(batch), hubs).all(axis=1)
    assert np.count_nonzero(among) == m * (m - 1) // 2 - 4  # but for those that were asked
    assert np.all(among[: np.count_nonzero(among)])  # they come first
    others = np.delete(asked, hubs)
    assert others.min() >= 1
    assert np.ptp(others) <= 1


@pytest.mark.parametrize("size", [1, 5, 9])
def test_a_small_batch_has_no_start(size):
    assert len(hub_questions(unknown(50), Pool.everything(50), size, np.random.default_rng(0))) == 0


def test_it_comes_once():
    n, rng = 200, np.random.default_rng(1)
    pool = random_pool(rng, n, 200)
    first = hub_questions(unknown(n), pool, 150, rng)
    assert len(first) > 100
    after = Pool(pool.similarity.with_answers(first, np.ones(len(first))), Pairs.empty())
    assert len(hub_questions(unknown(n), after, 150, rng)) == 0


def test_there_is_none_when_the_clusters_are_known_without_answers():
    n = 200
    assert len(hub_questions(unknown(n, 0.4), Pool.everything(n), 150, np.random.default_rng(0))) == 0
    truth = np.arange(n) % 4
    batch = InformationGain().select(
        agreement_state(np.tile(truth, (20, 1))), Pool.everything(n), 150, np.random.default_rng(0)
    )
    assert np.bincount(np.asarray(batch.pairs).ravel()).max() < 10


@pytest.mark.slow
def test_pairs_that_are_restricted_are_not_left_for_a_start():
    n, rng = 200, np.random.default_rng(0)
    allowed = Pool.everything(n).draw(5000, rng)
    learner = ActiveClustering(n, candidates=allowed, initial=200, batch_size=150, seed=1)
    for _ in range(2):
        learner.tell(pairs := learner.ask(), np.ones(len(pairs)))
        assert set(pairs) <= set(allowed)


@pytest.mark.slow
def test_with_large_batches_fewer_answers_are_needed_than_without_it(monkeypatch):
    truth = np.repeat(np.arange(10), 30)

    def answers_to(target, seed):
        oracle = NoisyOracle(truth, gamma=0.4, seed=seed)
        learner = ActiveClustering(len(truth), initial=30, batch_size=400, seed=seed)
        while learner.n_answers < 9000:
            learner.tell(pairs := learner.ask(), oracle(pairs))
            if ofakind.adjusted_rand_index(truth, learner.labels) >= target:
                break
        return learner.n_answers

    with_start = [answers_to(0.9, seed) for seed in range(3)]
    monkeypatch.setattr("ofakind.acquire.information.score.hub_questions", lambda *_: Pairs.empty())
    without = accumulate(answers_to(0.9, seed) for seed in range(3))  # stops when it is decided
    assert any(sum(with_start) < total for total in without)


@pytest.mark.parametrize(("answers", "late"), [(5, False), (6, True)])
def test_it_is_too_late_when_as_many_objects_as_hubs_have_half_as_many_answers_each(answers, late):
    n, size = 100, 200
    hubs = count_hubs(size)
    assert hubs / 2 == 5.5
    busy, others = np.repeat(np.arange(hubs), answers), hubs + np.arange(hubs * answers)
    similarity = Similarity.from_pairs(n, busy, others, np.ones(len(busy)))
    batch = hub_questions(unknown(n), Pool(similarity, Pairs.empty()), size, np.random.default_rng(0))
    assert (len(batch) == 0) == late
