"""Many objects: less is sampled, from a start that does not keep them apart, and memory stays bounded."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind import ActiveClustering, Answers, NoisyOracle, Pairs
from ofakind.acquire.base import State
from ofakind.acquire.choose import choose
from ofakind.acquire.information import InformationGain
from ofakind.acquire.pool import Pool
from ofakind.posterior.effort import FEWEST, GROUPS, LARGE, QUICK, SMALL, THOROUGH, gathered, usual_effort
from ofakind.posterior.estimate import Consensus
from ofakind.posterior.partition import PartitionBelief
from ofakind.similarity import Similarity


def answered(n, per_object, *, k=10, seed=0):
    """Answers of Oracle 1 to random pairs."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) % k)
    u = rng.integers(n, size=n * per_object // 2)
    v = (u + rng.integers(1, n, size=len(u))) % n
    pairs = np.stack([u, v], axis=1)
    return Answers.none(n).adding(pairs, NoisyOracle(truth, gamma=0.4, seed=seed)(pairs))


@pytest.mark.parametrize(("n", "effort"), [(0, THOROUGH), (LARGE, THOROUGH), (LARGE + 1, QUICK)])
def test_many_objects_are_sampled_less(n, effort):
    assert usual_effort(n) == PartitionBelief().effort(n) == effort


@pytest.mark.parametrize("n", [10, LARGE + 1])
def test_what_is_asked_for_holds_for_any_number_of_objects(n):
    effort = PartitionBelief(chains=3, burn_in=0, samples=7).effort(n)
    assert (effort.chains, effort.plan[:2]) == (3, (0, 7))


def test_one_option_that_is_given_leaves_the_others_as_usual_but_all_that_is_asked_for_is_drawn():
    burn_in, _, thin = QUICK.plan
    assert PartitionBelief(samples=3).effort(LARGE + 1) == QUICK._replace(
        plan=(burn_in, 3, thin), renewal=0.0
    )
    assert PartitionBelief(chains=3).effort(LARGE + 1) == QUICK._replace(chains=3)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.3, 1.0])
def test_the_more_is_new_the_more_is_drawn_and_up_to_5_000_objects_everything(share):
    assert THOROUGH.draws(share) == THOROUGH.plan[1]
    assert FEWEST <= QUICK.draws(share) <= QUICK.draws(share + 0.01) <= QUICK.plan[1]
    assert QUICK.draws(share) == QUICK.plan[1] or share < 0.025
    assert QUICK._replace(plan=(0, 1, 1)).draws(share) == 1  # never more than there are


@given(st.lists(st.integers(0, 6), max_size=80), st.integers(0, 2**32))
def test_gathering_keeps_large_clusters_and_small_ones_whole(labels, seed):
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    found = gathered(labels, np.random.default_rng(seed))
    for cluster in range(labels.max(initial=-1) + 1):
        members = found[labels == cluster]
        assert len(set(members.tolist())) == 1
        if len(members) >= SMALL:
            assert np.count_nonzero(found == members[0]) == len(members)
    small = np.bincount(labels)[labels] < SMALL if len(labels) else np.zeros(0, bool)
    assert len(set(found[small].tolist())) <= GROUPS
    assert sorted(set(found.tolist())) == list(range(found.max(initial=-1) + 1))


@pytest.mark.slow
def test_the_first_samples_of_many_objects_hold_few_clusters():
    n = 20_000
    posterior = PartitionBelief().follow(answered(n, 2), memory=None, rng=np.random.default_rng(0))
    assert posterior.labels.max() + 1 < n / 100


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["json", "npz"])
def test_a_large_learner_goes_on_after_loading_as_it_would_have(tmp_path, format_):
    n = LARGE + 1
    oracle = NoisyOracle(np.arange(n) % 5, gamma=0.2, seed=1)
    learner = ActiveClustering(n, seed=3)
    for _ in range(3):
        learner.tell(pairs := learner.ask(), oracle(pairs))
    learner.save(tmp_path / f"learner.{format_}")
    again = ActiveClustering.load(tmp_path / f"learner.{format_}")
    assert np.array_equal(np.asarray(learner.ask()), np.asarray(again.ask()))


def test_without_answers_many_objects_are_no_trouble():
    learner = ActiveClustering(LARGE + 1, initial=0)
    assert len(learner.ask(50)) == 50


@pytest.mark.slow
def test_memory_grows_with_the_objects_and_not_with_their_pairs():
    n = 20_000
    answers = answered(n, 10)
    similarity = Similarity.from_answers(answers)
    tracemalloc.start()
    try:
        posterior = PartitionBelief().follow(answers, memory=None, rng=np.random.default_rng(0))
        clustering = Consensus().read(posterior, rng=np.random.default_rng(1))
        state = State(similarity, clustering, lambda: posterior)
        batch = choose(
            InformationGain(), state, Pool(similarity, Pairs.empty()), n // 2, np.random.default_rng(2)
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(batch.pairs) == n // 2
    assert peak < 6_000 * n  # a byte for every pair would be three times that
