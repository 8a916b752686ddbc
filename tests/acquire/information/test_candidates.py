"""Candidates are pairs of objects in doubt and representatives, all that are needed and none that are not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.information import candidates, known
from ofakind.acquire.information.candidates import (
    CANDIDATE,
    Representatives,
    _leaders,
    _one_of_each,
    listed,
    proposed,
)
from ofakind.acquire.information.known import Familiarity, familiarity_of
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from twins.agreement import agreement_state, perturbed


def all_proposed(state, seed=0, familiarity=None):
    rng = np.random.default_rng(seed)
    familiarity = familiarity_of(state, rng) if familiarity is None else familiarity
    parts = list(proposed(state, familiarity, len(familiarity.weight), rng))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def clustering_of(labels):
    return Clustering.of(Similarity.from_pairs(len(labels), [], [], []), labels)


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(2, 60), st.integers(1, 8))
def test_proposed_pairs_have_two_objects_and_their_probability(seed, n, k):
    rng = np.random.default_rng(seed)
    state = agreement_state(perturbed(rng.integers(k, size=n), 8, 0.5, rng))
    u, v, probability = all_proposed(state, seed)
    assert np.all(u != v)
    assert np.all((u >= 0) & (u < n) & (v >= 0) & (v < n))
    np.testing.assert_allclose(probability, state.posterior.same_probability(u, v), atol=1e-6)


@pytest.mark.parametrize("block", [1, 7, 100])
def test_small_blocks_propose_the_same_pairs_as_one_large_block(monkeypatch, block):
    truth = np.arange(90) % 5
    state = agreement_state(perturbed(truth, 10, 0.5, np.random.default_rng(0)), estimate=truth)
    whole = all_proposed(state)
    monkeypatch.setattr(known, "FAMILIARITY", replace(known.FAMILIARITY, block=block))
    for ours, theirs in zip(all_proposed(state), whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_no_part_of_the_candidates_is_larger_than_a_block(monkeypatch):
    monkeypatch.setattr(known, "FAMILIARITY", replace(known.FAMILIARITY, block=64))
    state = agreement_state(perturbed(np.arange(200) % 5, 10, 0.5, np.random.default_rng(0)))
    rng = np.random.default_rng(0)
    assert max(len(u) for u, _, _ in proposed(state, familiarity_of(state, rng), 1000, rng)) <= 64


def test_when_candidates_are_many_each_cluster_is_met_once(monkeypatch):
    truth = np.arange(120) % 4
    state = agreement_state(perturbed(truth, 20, 0.5, np.random.default_rng(0)), estimate=truth)
    twice = all_proposed(state)
    monkeypatch.setattr(candidates, "CANDIDATE", replace(CANDIDATE, many_pairs=0))
    assert len(all_proposed(state)[0]) == pytest.approx(len(twice[0]) / 2, rel=0.02)


def test_every_object_in_doubt_meets_every_cluster():
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 4
    state = agreement_state(perturbed(truth, 20, 0.5, rng), estimate=truth)
    u, v, _ = all_proposed(state)
    meetings = {(a, int(truth[b])) for a, b in zip(u.tolist(), v.tolist(), strict=True)}
    assert meetings >= {(a, c) for a in range(120) for c in range(4) if c != truth[a]}


def test_of_settled_objects_only_some_of_each_cluster_ask():
    truth = np.arange(1000) % 4
    labels = np.tile(truth, (4, 1))
    labels[:2, 17] = 0
    u, _, _ = all_proposed(agreement_state(labels, estimate=truth))
    assert 17 in u
    assert 4 * 15 <= len(set(u.tolist())) <= 4 * 20 + 1
    assert all(np.count_nonzero(truth[np.unique(u)] == c) <= 21 for c in range(4))


@pytest.mark.parametrize("k", [1, CANDIDATE.few_clusters, CANDIDATE.few_clusters + 1, 300])
def test_any_number_of_clusters_has_candidates(k):
    rng = np.random.default_rng(1)
    truth = np.arange(600) % k
    state = agreement_state(perturbed(truth, 30, 0.3, rng), estimate=truth)
    u, v, probability = all_proposed(state)
    assert len(u) > (600 if k > 1 else 20)
    assert np.all(u != v)
    np.testing.assert_allclose(probability, state.posterior.same_probability(u, v), atol=1e-6)


def test_of_many_clusters_the_likely_ones_are_met_each_once():
    k = 2 * CANDIDATE.few_clusters
    truth = np.repeat(np.arange(k), 4)
    labels = np.tile(truth, (10, 1))
    labels[:5, 0] = 77  # half of the samples have it elsewhere
    state = agreement_state(labels, estimate=truth)
    familiarity = Familiarity(np.ones(4 * k), np.ones(4 * k))
    u, v, _ = all_proposed(state, familiarity=familiarity)
    met = truth[v[u == 0]].tolist()
    assert {0, 77} <= set(met)
    assert len(met) == len(set(met))
    assert len(u) < 35 * len(truth)


def test_likely_clusters_are_those_of_samples_of_all_chains():
    k = 2 * CANDIDATE.few_clusters
    truth = np.repeat(np.arange(k), 4)
    labels = np.tile(truth, (60, 1))
    labels[30:, :2] = 77  # only later samples, of other chains, have the first two objects there
    state = agreement_state(labels, estimate=truth)
    u, v, _ = all_proposed(state, familiarity=Familiarity(np.ones(4 * k), np.ones(4 * k)))
    assert {0, 1} <= set(u[truth[v] == 77].tolist())


def test_a_posterior_without_samples_has_candidates_among_many_clusters():
    k = 2 * CANDIDATE.few_clusters
    state = agreement_state(np.arange(3 * k) % k)

    class Bare:
        same_probability = state.posterior.same_probability

    bare = type(state)(state.similarity, state.clustering, Bare)
    u, v, _ = all_proposed(bare, familiarity=Familiarity(np.ones(3 * k), np.ones(3 * k)))
    own = state.clustering.labels[u] == state.clustering.labels[v]
    assert np.count_nonzero(own) > k
    assert np.count_nonzero(~own) > 10 * k


@pytest.mark.parametrize("truth", [np.arange(2), np.zeros(90), np.arange(90), np.arange(300)])
def test_one_cluster_and_all_alone_are_no_obstacle(truth):
    u, v, _ = all_proposed(
        agreement_state(truth), familiarity=Familiarity(np.ones(len(truth)), np.ones(len(truth)))
    )
    assert len(u) > 0
    assert np.all(u != v)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_objects_have_no_candidates(n):
    state = agreement_state(np.zeros(n))
    assert (
        sum(
            len(u)
            for u, _, _ in proposed(state, Familiarity(np.ones(n), np.ones(n)), 1, np.random.default_rng(0))
        )
        == 0
    )


def test_listed_candidates_are_the_open_pairs():
    rng = np.random.default_rng(2)
    similarity = Similarity.from_pairs(12, [0, 3], [1, 4], [1.0, -1.0])
    state = agreement_state(perturbed(np.arange(12) % 3, 9, 0.4, rng), similarity=similarity)
    pool = Pool(similarity, Pairs.of([5], [6]))
    u, v, probability = map(np.concatenate, zip(*listed(state, pool), strict=True))
    assert Pairs.of(u, v) == pool.list()
    np.testing.assert_allclose(probability, state.posterior.same_probability(u, v))


@given(st.integers(0, 2**32), st.integers(1, 50), st.integers(1, 6))
def test_representatives_are_the_better_known_half_of_their_cluster(seed, n, k):
    rng = np.random.default_rng(seed)
    clustering, weight = clustering_of(rng.integers(k, size=n)), rng.random(n)
    representatives = Representatives.of(clustering, weight)
    clusters = rng.integers(clustering.k, size=(20, 3))
    drawn = representatives.draw(clusters, rng)
    assert np.array_equal(clustering.labels[drawn], clusters)
    best = np.array([weight[clustering.labels == c].max() for c in range(clustering.k)])
    assert np.all(weight[drawn] >= best[clusters] / 2)
    expected = {i for i in range(n) if weight[i] >= best[clustering.labels[i]] / 2}
    assert set(representatives.members.tolist()) == expected


def test_every_representative_is_drawn_equally_often():
    representatives = Representatives.of(clustering_of([0, 1, 0, 0, 1]), np.ones(5))
    drawn = representatives.draw(np.zeros((300, 100), int), np.random.default_rng(0))
    counts = np.bincount(drawn.ravel(), minlength=5)
    assert counts[[1, 4]].tolist() == [0, 0]
    assert np.abs(counts[[0, 2, 3]] - 10_000).max() < 5 * np.sqrt(10_000 * 2 / 3)


def test_leaders_belong_to_their_cluster_and_are_mostly_well_known():
    labels, weight = np.arange(100) % 4, np.where(np.arange(100) < 20, 1.0, 0.01)
    rng = np.random.default_rng(0)
    leaders = np.array([_leaders(labels, weight, rng) for _ in range(200)])
    assert np.array_equal(labels[leaders], np.tile(np.arange(4), (200, 1)))
    assert np.mean(leaders < 20) > 0.95
    assert len(np.unique(leaders)) > 10


def test_of_others_in_one_cluster_the_first_stays():
    objects, others = np.array([9, 8]), np.array([[1, 0, 3, 2], [0, 1, 2, 3]])
    labels = np.array([0, 0, 1, 1, 2, 2, 2, 2, 2, 2])
    assert _one_of_each(objects, others, labels).tolist() == [[1, 9, 3, 9], [0, 8, 2, 8]]


@pytest.mark.parametrize("k", [3, 40, 100])
def test_a_few_questions_look_at_a_bounded_number_of_candidates_which_stay_the_same(k):
    rng = np.random.default_rng(0)
    state = agreement_state(rng.integers(k, size=(4, 2000)))
    familiarity = Familiarity(np.ones(2000), np.ones(2000))
    few, again = (list(proposed(state, familiarity, 1, np.random.default_rng(seed))) for seed in (1, 2))
    many = sum(len(u) for u, _, _ in proposed(state, familiarity, 1000, rng))
    found = sum(len(u) for u, _, _ in few)
    assert found <= 2.5 * CANDIDATE.fewest_pairs
    assert found < many / 2
    for ours, theirs in zip(few[0], again[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)
