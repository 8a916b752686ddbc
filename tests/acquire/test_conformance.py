"""What holds of every acquisition function. A new one joins by standing in the list below."""

from itertools import product

import numpy as np
import pytest

from ofakind.acquire.base import Acquisition, State
from ofakind.acquire.choose import choose
from ofakind.acquire.eig import EIGO
from ofakind.acquire.entropy import Entropy
from ofakind.acquire.information.score import InformationGain
from ofakind.acquire.jeig import JEIG
from ofakind.acquire.pool import Pool
from ofakind.acquire.triangles import MaxExp, MaxMin
from ofakind.acquire.uniform import Uniform
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.dense import mean_field
from twins.instances import CORNERS, noisy

ACQUISITIONS = [
    Uniform(),
    Entropy(),
    Entropy(noise=0.0),
    Entropy(noise=0.5),
    EIGO(),
    EIGO(over="pairs", noise=0.0),
    JEIG(),
    JEIG(noise=0.0, choose_by="uniform", draw="clusterings"),
    InformationGain(),
    InformationGain(focus=0.0),
    MaxMin(),
    MaxExp(),
    MaxExp(explore=0.0),
]

INSTANCES = {**CORNERS, "noisy": noisy(20, 60, clusters=4, rng=np.random.default_rng(0))}


def make_state(similarity, clusters=2):
    """A state with so many clusters (fewer, when there are fewer objects) and its mean field."""
    clustering = Clustering.of(similarity, np.arange(similarity.n) % clusters)
    return State(similarity, clustering, believe=lambda: mean_field(similarity, clustering.labels))


def make_pool(similarity, rng, list_limit):
    """A pool with some pending pairs."""
    every = Pool.everything(similarity.n)
    return Pool(similarity, every.draw(3 if similarity.n > 3 else 0, rng), list_limit=list_limit)


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=repr)
class TestConformance:
    def test_it_is_an_acquisition_that_cannot_be_changed(self, acquisition):
        assert isinstance(acquisition, Acquisition)
        assert type(acquisition).__dataclass_params__.frozen

    def test_any_pairs_in_any_order_can_be_scored(self, acquisition):
        for instance, similarity in INSTANCES.items():
            state = make_state(similarity)
            every = Pairs.all(state.similarity.n)
            shuffled = every.take(np.random.default_rng(1).permutation(len(every)))
            for pairs in (every, shuffled, shuffled[: len(every) // 2], Pairs.empty()):
                scores = acquisition.score(state, pairs, np.random.default_rng(0))
                assert scores.pairs == pairs, instance
                assert not np.isnan(scores.values).any(), instance

    def test_the_same_generator_gives_the_same_scores(self, acquisition):
        state = make_state(INSTANCES["noisy"])
        a, b = (acquisition.score(state, Pairs.all(20), np.random.default_rng(4)).values for _ in range(2))
        assert np.array_equal(a, b)

    @pytest.mark.parametrize("list_limit", [0, 10**6])
    def test_the_same_generator_gives_the_same_batch(self, acquisition, list_limit):
        state = make_state(INSTANCES["noisy"])
        pool = make_pool(state.similarity, np.random.default_rng(0), list_limit)
        a, b = (choose(acquisition, state, pool, 30, np.random.default_rng(4)) for _ in range(2))
        assert a.pairs == b.pairs
        assert np.array_equal(a.values, b.values, equal_nan=True)

    @pytest.mark.parametrize("list_limit", [0, 10**6])
    def test_a_batch_holds_open_pairs_and_as_many_as_it_can(self, acquisition, list_limit):
        for instance, size in product(INSTANCES, (1, 7, 1000)):
            rng = np.random.default_rng(2)
            state = make_state(INSTANCES[instance])
            pool = make_pool(state.similarity, rng, list_limit)
            batch = choose(acquisition, state, pool, size, rng)
            assert len(set(batch.pairs)) == len(batch.pairs) == min(size, pool.size), (instance, size)
            assert np.all(pool.is_open(batch.pairs.u, batch.pairs.v)), (instance, size)

    @pytest.mark.parametrize("clusters", [1, 20], ids=["one cluster", "n clusters"])
    def test_one_cluster_and_n_clusters_are_cases_like_any_other(self, acquisition, clusters):
        for instance in ("noisy", "no answers", "all alike", "all unlike", "all undecided"):
            state = make_state(INSTANCES[instance], clusters)
            pool = Pool(state.similarity, Pairs.empty(), repeats=2)
            batch = choose(acquisition, state, pool, 5, np.random.default_rng(2))
            assert len(set(batch.pairs)) == 5, instance

    @pytest.mark.parametrize("list_limit", [0, 10**6])
    def test_a_restricted_pool_is_respected(self, acquisition, list_limit):
        rng = np.random.default_rng(3)
        state = make_state(INSTANCES["noisy"])
        allowed = Pool.everything(20).draw(50, rng)
        pool = Pool(state.similarity, Pairs.empty(), allowed, list_limit=list_limit)
        batch = choose(acquisition, state, pool, 10, rng)
        assert len(batch.pairs) == 10
        assert set(batch.pairs) <= set(allowed)

    @pytest.mark.parametrize("list_limit", [0, 10**6])
    def test_nothing_that_it_is_given_changes(self, acquisition, list_limit):
        state = make_state(INSTANCES["noisy"])
        pool = make_pool(state.similarity, np.random.default_rng(0), list_limit)
        arrays = [state.similarity.values, state.similarity.counts, state.clustering.labels]
        arrays += [state.posterior.q, pool.pending.u, pool.pending.v]
        before = [array.copy() for array in arrays]
        acquisition.score(state, Pairs.all(20), np.random.default_rng(0))
        choose(acquisition, state, pool, 30, np.random.default_rng(0))
        for array, copy in zip(arrays, before, strict=True):
            assert np.array_equal(array, copy)
