"""Many objects: less is sampled, from a start that does not keep them apart, and memory stays bounded."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind import ActiveClustering, Answers, NoisyOracle, Pairs
from ofakind.acquire.base import State
from ofakind.acquire.choose import choose
from ofakind.acquire.information.score import InformationGain
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.schedule import (
    QUICK,
    SCHEDULE,
    SMALL,
    THOROUGH,
    Plan,
    gathered,
    usual_schedule,
)
from ofakind.similarity import Similarity
from ofakind.solve.consensus import Consensus


def answered(n, per_object, *, k=10, seed=0):
    """Answers of Oracle 1 to random pairs."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) % k)
    u = rng.integers(n, size=n * per_object // 2)
    v = (u + rng.integers(1, n, size=len(u))) % n
    pairs = np.stack([u, v], axis=1)
    return Answers.none(n).adding(pairs, NoisyOracle(truth, gamma=0.4, seed=seed)(pairs))


@pytest.mark.parametrize(
    ("n", "schedule"),
    [
        (0, replace(THOROUGH, final=SMALL, sweeps=3)),
        (SCHEDULE.small, replace(THOROUGH, final=SMALL, sweeps=3)),
        (SCHEDULE.small + 1, replace(THOROUGH, sweeps=3)),
        (SCHEDULE.quick_beyond, THOROUGH),
        (SCHEDULE.quick_beyond + 1, QUICK),
    ],
)
def test_many_objects_are_sampled_less(n, schedule):
    assert usual_schedule(n) == PartitionBelief().schedule(n) == schedule


@pytest.mark.parametrize("n", [10, SCHEDULE.quick_beyond + 1])
def test_what_is_asked_for_holds_for_any_number_of_objects(n):
    schedule = PartitionBelief(chains=3, burn_in=0, samples=7).schedule(n)
    assert (schedule.chains, schedule.final[:2]) == (3, (0, 7))


def test_one_option_that_is_given_leaves_the_others_as_usual_but_all_that_is_asked_for_is_drawn():
    three = QUICK.final._replace(samples=3)
    assert PartitionBelief(samples=3).schedule(SCHEDULE.quick_beyond + 1) == replace(
        QUICK, final=three, renewal=0.0
    )
    assert PartitionBelief(chains=3).schedule(SCHEDULE.quick_beyond + 1) == replace(QUICK, chains=3)


@pytest.mark.parametrize("schedule", [QUICK, THOROUGH])
@pytest.mark.parametrize("new", [0, 1, 10, 300, 1000])
def test_the_more_is_new_the_more_is_drawn(schedule, new):
    drawn, more = (schedule.draws(count, 1000, 990) for count in (new, new + 10))
    assert schedule.fewest_draws <= drawn <= more <= schedule.final.samples
    assert drawn == schedule.final.samples or new < 1000 * schedule.renewal
    assert replace(schedule, final=Plan(0, 1, 1)).draws(new, 1000, 990) == 1  # never more than there are


@pytest.mark.parametrize("schedule", [QUICK, THOROUGH])
def test_a_whole_round_is_due_when_a_tenth_of_the_answers_came_after_the_last_one(schedule):
    assert schedule.draws(1, 1000, 900) < schedule.final.samples
    assert schedule.draws(1, 1000, 899) == schedule.final.samples


@given(st.lists(st.integers(0, 6), max_size=80), st.integers(0, 2**32))
def test_gathering_keeps_large_clusters_and_small_ones_whole(labels, seed):
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    found = gathered(labels, np.random.default_rng(seed))
    for cluster in range(labels.max(initial=-1) + 1):
        members = found[labels == cluster]
        assert len(set(members.tolist())) == 1
        if len(members) >= SCHEDULE.small_cluster:
            assert np.count_nonzero(found == members[0]) == len(members)
    small = np.bincount(labels)[labels] < SCHEDULE.small_cluster if len(labels) else np.zeros(0, bool)
    assert len(set(found[small].tolist())) <= SCHEDULE.gathered_clusters
    assert sorted(set(found.tolist())) == list(range(found.max(initial=-1) + 1))


@pytest.mark.parametrize(("size", "left"), [(9, 10), (10, 50)])
def test_clusters_of_ten_objects_stay_and_smaller_ones_are_gathered_in_ten(size, left):
    assert gathered(np.repeat(np.arange(50), size), np.random.default_rng(0)).max() + 1 == left


@pytest.mark.slow
def test_the_first_samples_of_many_objects_hold_few_clusters():
    n = 20_000
    posterior = PartitionBelief().update(answered(n, 2), carried=None, rng=np.random.default_rng(0))
    assert posterior.labels.max() + 1 < n / 100


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["json", "npz"])
def test_a_large_learner_goes_on_after_loading_as_it_would_have(tmp_path, format_):
    n = SCHEDULE.quick_beyond + 1
    oracle = NoisyOracle(np.arange(n) % 5, gamma=0.2, seed=1)
    learner = ActiveClustering(n, seed=3)
    for _ in range(3):
        learner.tell(pairs := learner.ask(), oracle(pairs))
    learner.save(tmp_path / f"learner.{format_}")
    again = ActiveClustering.load(tmp_path / f"learner.{format_}")
    assert np.array_equal(np.asarray(learner.ask()), np.asarray(again.ask()))


def test_without_answers_many_objects_are_no_trouble():
    learner = ActiveClustering(SCHEDULE.quick_beyond + 1, initial=0)
    assert len(learner.ask(50)) == 50


@pytest.mark.slow
def test_memory_grows_with_the_objects_and_not_with_their_pairs():
    n = 20_000
    answers = answered(n, 10)
    similarity = Similarity.from_answers(answers)
    tracemalloc.start()
    try:
        posterior = PartitionBelief().update(answers, carried=None, rng=np.random.default_rng(0))
        labels = Consensus().from_samples(posterior.labels, rng=np.random.default_rng(1))
        state = State(similarity, Clustering.of(similarity, labels), lambda: posterior)
        batch = choose(
            InformationGain(), state, Pool(similarity, Pairs.empty()), n // 2, np.random.default_rng(2)
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(batch.pairs) == n // 2
    assert peak < 6_000 * n  # a byte for every pair would be three times that
