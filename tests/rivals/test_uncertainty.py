"""Uncertainty sampling: the fit against a general optimiser, what is asked, what is joined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import MapStart
from ofakind.priors.start import start_of
from ofakind.rivals.uncertainty import UncertaintySampling, most_probable
from twins.witness import Witness


def sampled(near, oracle, budget=1000, **options):
    rng = np.random.default_rng(0)
    return UncertaintySampling(**options)(near.n, oracle, budget=budget, rng=rng, prior=near)


def given_scores(scores):
    n = next(n for n in range(100) if n * (n - 1) // 2 >= len(scores))
    return Neighbours.from_scores(Pairs.all(n), scores)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(0, 40), st.integers(1, 4))
def test_the_fit_is_that_of_a_general_optimiser(seed, m, d):
    rng = np.random.default_rng(seed)
    features, same = 3 * rng.normal(size=(m, d)), rng.random(m) < 0.5
    root = rng.normal(size=(d, d))
    others, answers = rng.normal(size=(5, d)), 6.0 * (seed % 2)
    start = MapStart(5 * rng.normal(size=d), root @ root.T + 0.1 * np.eye(d), others, answers)

    def log_chance(rows, beta):
        return np.log(np.clip(expit(rows @ beta), 1e-300, 1))

    def depth(beta):
        away, p0 = beta - start.mean, expit(others @ start.mean)
        told = np.where(same, log_chance(features, beta), log_chance(-features, beta)).sum()
        as_before = (p0 * log_chance(others, beta) + (1 - p0) * log_chance(-others, beta)).mean()
        return away @ start.precision @ away / 2 - told - answers * as_before

    found = most_probable(start, features, same)
    best = minimize(depth, found, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-10})
    assert depth(found) <= best.fun + 1e-6


def test_without_answers_the_fit_is_the_start():
    start = start_of(given_scores([0.1, 0.4, 0.9]))
    found = most_probable(start, np.empty((0, len(start.mean))), np.empty(0, bool))
    assert found == pytest.approx(start.mean)


def test_the_first_batch_asks_the_pairs_nearest_to_one_half_by_the_start():
    scores = np.array([0.01, 0.45, 0.97, 0.7, 0.52, 0.03])
    oracle = Witness([0, 0, 1, 1])
    sampled(given_scores(scores), oracle, budget=2, batch_size=2)
    log_odds = given_scores(scores).features @ start_of(given_scores(scores)).mean
    nearest = np.argsort(np.abs(log_odds))[:2]
    assert oracle.asked.tolist() == np.asarray(Pairs.all(4))[nearest].tolist()


def test_a_pair_that_was_asked_counts_as_answered_whatever_the_model_says():
    """All features are the same, so the model cannot tell the pairs apart."""
    found = sampled(given_scores([0.6] * 6), Witness([0, 0, 1, 1]))
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert found.n_answers == 6


def test_answers_teach_it_what_a_score_is_worth():
    """Scores that are upside down: high for pairs that are different."""
    truth = np.repeat(np.arange(10), 3)
    pairs = Pairs.all(30)
    same = truth[pairs.u] == truth[pairs.v]
    scores = np.where(same, 0.4, 0.6) + np.random.default_rng(0).normal(0, 0.03, len(same))
    near = Neighbours.from_scores(pairs, np.clip(scores, 0.01, 0.99))
    before, after = (sampled(near, Witness(truth), budget=budget, batch_size=20) for budget in (0, 240))
    assert before.k == 1
    assert after.labels.tolist() == truth.tolist()


def test_no_pair_is_asked_twice_and_the_last_batch_is_cut():
    oracle = Witness(np.arange(8) // 2)
    found = sampled(given_scores(np.linspace(0.1, 0.9, 28)), oracle, budget=17, batch_size=5)
    assert found.n_answers == 17
    assert [len(pairs) for pairs, _ in oracle.calls] == [5, 5, 5, 2]
    assert len(np.unique(oracle.asked, axis=0)) == 17


@pytest.mark.parametrize("batch_size", [0, 2.5, None])
def test_a_batch_size_that_cannot_be_is_refused(batch_size):
    with pytest.raises(InvalidInputError, match="batch_size is"):
        UncertaintySampling(batch_size=batch_size)
