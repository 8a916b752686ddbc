"""Core weights from a few landmarks are those of the whole matrix, and mean what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.base import State
from ofakind.acquire.information.known import (
    LANDMARKS,
    _landmarks,
    _prior_entropy,
    against,
    blocks,
    familiarity_of,
)
from ofakind.posterior.mean_field.dense import mean_field
from ofakind.similarity import Similarity
from twins.agreement import agreement_state, perturbed
from twins.batch import dense_cores, dense_knownness
from twins.instances import noisy
from twins.selection import BarePosterior, entropy_of, random_q


def matrix(state, n):
    rows = np.arange(n)
    return against(state, rows, np.tile(rows, (n, 1)))


@given(st.integers(0, 2**32), st.integers(2, LANDMARKS), st.floats(0, 1))
def test_few_objects_are_weighed_as_the_whole_matrix_says(seed, n, doubt):
    rng = np.random.default_rng(seed)
    shares = doubt * rng.random(n)
    state = agreement_state(perturbed(rng.integers(4, size=n), 12, shares, rng))
    cores = familiarity_of(state, rng)
    weight, unknown = dense_cores(matrix(state, n), state.posterior.share_same)
    np.testing.assert_allclose(cores.weight, weight, atol=1e-6)
    np.testing.assert_allclose(cores.unknown, unknown, rtol=1e-5)


def test_the_weight_is_an_eigenvector_of_how_well_pairs_are_known():
    rng = np.random.default_rng(0)
    state = agreement_state(perturbed(np.arange(60) % 3, 40, rng.random(60) ** 2, rng))
    posterior = state.posterior
    vectors = np.linalg.eigh(dense_knownness(matrix(state, 60), posterior.share_same))[1]
    leading = np.abs(vectors[:, -1]) / np.abs(vectors[:, -1]).max()
    np.testing.assert_allclose(familiarity_of(state, rng).weight, leading, atol=1e-3)


def test_landmarks_find_the_cores_that_the_whole_matrix_has():
    rng = np.random.default_rng(1)
    doubt = rng.random(600)
    state = agreement_state(perturbed(np.arange(600) % 5, 30, doubt, rng))
    cores = familiarity_of(state, rng)
    weight, unknown = dense_cores(matrix(state, 600), state.posterior.share_same)
    assert np.corrcoef(cores.weight, weight)[0, 1] > 0.9
    assert np.corrcoef(cores.unknown, unknown)[0, 1] > 0.9
    assert cores.weight.min() >= 0
    assert cores.weight.max() == 1


def test_objects_in_doubt_weigh_less_and_are_less_known():
    rng = np.random.default_rng(2)
    doubt = np.where(np.arange(300) < 150, 0.0, 0.8)
    cores = familiarity_of(agreement_state(perturbed(np.arange(300) % 4, 40, doubt, rng)), rng)
    assert cores.weight[:150].min() > 2 * cores.weight[150:].max()
    assert cores.unknown[:150].max() < cores.unknown[150:].min()


@pytest.mark.parametrize("n", [5, 200])
def test_where_nothing_is_known_all_weigh_the_same(n):
    state = agreement_state(np.random.default_rng(3).integers(2, size=(200, n)))
    cores = familiarity_of(state, np.random.default_rng(0))
    assert np.all(cores.weight == 1)
    assert np.all(cores.unknown > 0.9)


@pytest.mark.parametrize("truth", [np.zeros(100, int), np.arange(100), np.arange(100) % 5])
def test_where_all_is_known_nothing_is_unknown(truth):
    cores = familiarity_of(agreement_state(np.tile(truth, (3, 1))), np.random.default_rng(0))
    assert np.all(cores.unknown == 0)
    assert np.all(cores.weight > 0.9)


@pytest.mark.parametrize("n", [0, 1, 2, LANDMARKS, LANDMARKS + 1, 300])
def test_any_number_of_objects_has_cores(n):
    state = agreement_state(np.arange(n) % 2)
    cores = familiarity_of(state, np.random.default_rng(0))
    assert len(cores.weight) == len(cores.unknown) == n
    assert np.all(np.isfinite(cores.weight) & np.isfinite(cores.unknown))


@pytest.mark.parametrize("n", [LANDMARKS + 1, 200, 1000])
def test_landmarks_are_distinct_and_half_of_them_have_many_answers(n):
    hub = np.arange(1, 30)
    similarity = Similarity.from_pairs(n, np.zeros(29, int), hub, np.ones(29))
    state = agreement_state(np.zeros(n), similarity=similarity)
    hits = 0
    for seed in range(20):
        landmarks = _landmarks(state, np.random.default_rng(seed))
        assert len(set(landmarks.tolist())) == len(landmarks) == LANDMARKS
        hits += np.count_nonzero(landmarks <= 29)
    # The busiest 64 hold all 30 answered objects, and half of them are drawn; others are drawn from all.
    expected = 15 + 15 * (LANDMARKS / 2) / (n - LANDMARKS / 2)
    assert hits / 20 == pytest.approx(expected, abs=2.5)


def test_any_posterior_has_cores():
    similarity = noisy(100, 800, clusters=3, rng=np.random.default_rng(0))
    field = mean_field(similarity, np.arange(100) % 3)
    for posterior in (field, BarePosterior(random_q(100, 3, np.random.default_rng(0), confident=0.5))):
        state = agreement_state(np.arange(100) % 3, similarity=similarity)
        cores = familiarity_of(
            type(state)(similarity, state.clustering, lambda p=posterior: p), np.random.default_rng(0)
        )
        assert cores.weight.max() == 1
        assert np.all(cores.unknown >= 0)


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
