"""How well objects are known by a few landmarks is how well by the whole matrix, and means what it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.base import State
from ofakind.acquire.information.known import (
    FAMILIARITY,
    _landmarks,
    _prior_entropy,
    against,
    blocks,
    familiarity_of,
)
from ofakind.posterior.mean_field.dense import mean_field
from ofakind.similarity import Similarity
from twins.agreement import agreement_state, perturbed
from twins.batch import dense_familiarity, dense_knownness
from twins.instances import noisy
from twins.selection import BarePosterior, entropy_of, random_q


def matrix(state, n):
    rows = np.arange(n)
    return against(state, rows, np.tile(rows, (n, 1)))


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(2, FAMILIARITY.landmarks), st.floats(0, 1))
def test_few_objects_are_weighed_as_the_whole_matrix_says(seed, n, doubt):
    rng = np.random.default_rng(seed)
    shares = doubt * rng.random(n)
    state = agreement_state(perturbed(rng.integers(4, size=n), 12, shares, rng))
    familiarity = familiarity_of(state, rng)
    weight, unknown = dense_familiarity(matrix(state, n), state.posterior.share_same)
    np.testing.assert_allclose(familiarity.weight, weight, atol=1e-6)
    np.testing.assert_allclose(familiarity.unknown, unknown, rtol=1e-5)


def test_the_weight_is_an_eigenvector_of_how_well_pairs_are_known():
    rng = np.random.default_rng(0)
    state = agreement_state(perturbed(np.arange(60) % 3, 40, rng.random(60) ** 2, rng))
    posterior = state.posterior
    vectors = np.linalg.eigh(dense_knownness(matrix(state, 60), posterior.share_same))[1]
    leading = np.abs(vectors[:, -1]) / np.abs(vectors[:, -1]).max()
    np.testing.assert_allclose(familiarity_of(state, rng).weight, leading, atol=1e-3)


def test_landmarks_find_who_is_known_by_the_whole_matrix():
    rng = np.random.default_rng(1)
    doubt = rng.random(600)
    state = agreement_state(perturbed(np.arange(600) % 5, 30, doubt, rng))
    familiarity = familiarity_of(state, rng)
    weight, unknown = dense_familiarity(matrix(state, 600), state.posterior.share_same)
    assert np.corrcoef(familiarity.weight, weight)[0, 1] > 0.9
    assert np.corrcoef(familiarity.unknown, unknown)[0, 1] > 0.9
    assert familiarity.weight.min() >= 0
    assert familiarity.weight.max() == 1


def test_objects_in_doubt_weigh_less_and_are_less_known():
    rng = np.random.default_rng(2)
    doubt = np.where(np.arange(300) < 150, 0.0, 0.8)
    familiarity = familiarity_of(agreement_state(perturbed(np.arange(300) % 4, 40, doubt, rng)), rng)
    assert familiarity.weight[:150].min() > 2 * familiarity.weight[150:].max()
    assert familiarity.unknown[:150].max() < familiarity.unknown[150:].min()


@pytest.mark.parametrize("n", [5, 200])
def test_where_nothing_is_known_all_weigh_the_same(n):
    state = agreement_state(np.random.default_rng(3).integers(2, size=(200, n)))
    familiarity = familiarity_of(state, np.random.default_rng(0))
    assert np.all(familiarity.weight == 1)
    assert np.all(familiarity.unknown > 0.9)


@pytest.mark.parametrize("truth", [np.zeros(100, int), np.arange(100), np.arange(100) % 5])
def test_where_all_is_known_nothing_is_unknown(truth):
    familiarity = familiarity_of(agreement_state(np.tile(truth, (3, 1))), np.random.default_rng(0))
    assert np.all(familiarity.unknown == 0)
    assert np.all(familiarity.weight > 0.9)


@pytest.mark.parametrize("n", [0, 1, 2, FAMILIARITY.landmarks, FAMILIARITY.landmarks + 1, 300])
def test_of_any_number_of_objects_some_are_known_best(n):
    state = agreement_state(np.arange(n) % 2)
    familiarity = familiarity_of(state, np.random.default_rng(0))
    assert len(familiarity.weight) == len(familiarity.unknown) == n
    assert np.all(np.isfinite(familiarity.weight) & np.isfinite(familiarity.unknown))


@pytest.mark.parametrize("n", [FAMILIARITY.landmarks + 1, 200, 1000])
def test_landmarks_are_distinct_and_half_of_them_have_many_answers(n):
    hub = np.arange(1, 30)
    similarity = Similarity.from_pairs(n, np.zeros(29, int), hub, np.ones(29))
    state = agreement_state(np.zeros(n), similarity=similarity)
    hits = 0
    for seed in range(20):
        landmarks = _landmarks(state, np.random.default_rng(seed))
        assert len(set(landmarks.tolist())) == len(landmarks) == FAMILIARITY.landmarks
        hits += np.count_nonzero(landmarks <= 29)
    # The busiest 64 hold all 30 answered objects, and half of them are drawn; others are drawn from all.
    expected = 15 + 15 * (FAMILIARITY.landmarks / 2) / (n - FAMILIARITY.landmarks / 2)
    assert hits / 20 == pytest.approx(expected, abs=2.5)


def test_any_posterior_says_who_is_known():
    similarity = noisy(100, 800, clusters=3, rng=np.random.default_rng(0))
    field = mean_field(similarity, np.arange(100) % 3)
    for posterior in (field, BarePosterior(random_q(100, 3, np.random.default_rng(0), confident=0.5))):
        state = agreement_state(np.arange(100) % 3, similarity=similarity)
        familiarity = familiarity_of(
            type(state)(similarity, state.clustering, lambda p=posterior: p), np.random.default_rng(0)
        )
        assert familiarity.weight.max() == 1
        assert np.all(familiarity.unknown >= 0)


def test_both_ways_to_many_pairs_agree():
    q = random_q(20, 3, np.random.default_rng(0))
    rows, others = np.arange(5), np.random.default_rng(1).integers(20, size=(5, 7))
    blank = agreement_state(np.zeros(20))
    found = against(State(blank.similarity, blank.clustering, lambda: BarePosterior(q)), rows, others)
    np.testing.assert_allclose(found, np.einsum("ik,ijk->ij", q[rows], q[others]))


@pytest.mark.parametrize("others", [0, 1, 1000, 10**7])
def test_blocks_are_all_objects_in_order(others):
    objects = np.arange(10, 5000)
    parts = blocks(objects, others)
    assert np.array_equal(np.concatenate(parts), objects)
    assert max(map(len, parts)) * others <= 2**20 or max(map(len, parts)) == 1


def test_how_common_pairs_of_a_kind_are_is_not_told_by_objects_and_themselves():
    class Rarely:
        """A posterior without samples: any two objects are of a kind with probability 0.1."""

        def same_probability(self, u, v):
            return np.where(u == v, 1.0, 0.1)

    blank = agreement_state(np.zeros(3))
    state = State(blank.similarity, blank.clustering, Rarely)
    assert _prior_entropy(state, np.random.default_rng(0)) == pytest.approx(entropy_of(0.1))
