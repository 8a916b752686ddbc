"""Uniform asks any open pair as readily as any other."""

import numpy as np
import pytest
from scipy.stats import chisquare

from ofakind.acquire.base import State
from ofakind.acquire.choose import choose
from ofakind.acquire.pool import Pool
from ofakind.acquire.uniform import Uniform
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from twins.instances import CORNERS


def unseen():
    raise AssertionError("uniform looked at the posterior")


def make_state(similarity):
    return State(similarity, Clustering.of(similarity, np.zeros(similarity.n, np.int64)), believe=unseen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("list_limit", [0, 1000])
def test_every_open_pair_is_equally_likely(seed, list_limit):
    state = make_state(Similarity.from_pairs(7, [0, 2], [1, 3], [1.0, -1.0]))
    pool = Pool(state.similarity, Pairs.of([5], [6]), list_limit=list_limit)
    rng = np.random.default_rng(seed)
    draws = [pair for _ in range(500) for pair in choose(Uniform(), state, pool, 2, rng).pairs]
    counts = np.unique(np.array(draws), axis=0, return_counts=True)[1]
    assert len(counts) == 18
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("corner", CORNERS)
def test_the_whole_batch_has_score_one(corner):
    state = make_state(CORNERS[corner])
    pool = Pool(state.similarity, Pairs.empty())
    batch = choose(Uniform(), state, pool, 100, np.random.default_rng(0))
    assert len(batch.pairs) == pool.size
    assert np.all(batch.values == 1)


def test_scores_are_random_numbers():
    pairs = Pairs.all(60)
    values = Uniform().score(make_state(CORNERS["no answers"]), pairs, np.random.default_rng(0)).values
    assert chisquare(np.histogram(values, bins=10, range=(0, 1))[0]).pvalue > 1e-4
