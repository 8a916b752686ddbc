"""P(same) of any pair from forests: the twin's conditional, and on average that of the enumeration."""

import numpy as np
import pytest

from ofakind.kernels.partition import forest_same
from ofakind.kernels.partition.forest import forest_at
from ofakind.kernels.partition.forest_chain import sample_forests
from ofakind.kernels.partition.forest_same import probability_in_forests
from twins import forest as twin
from twins.forest_instances import INSTANCES, instance
from twins.partition_posterior import same_probabilities


def every_pair(n):
    objects = np.arange(n)
    return objects, np.arange(n + 1) * n, np.tile(objects, n)


def samples(made, plan, rng):
    n = len(made.f)
    nothing = np.empty(0), np.empty(0)
    forest = forest_at(np.full(n, -1, np.int32))
    return sample_forests(made.prior, made.answers, forest, plan, nothing, rng)[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTANCES)
def test_it_is_the_narrow_move_of_the_twin_or_the_sample_where_much_hangs_at_an_object(name, monkeypatch):
    """Made to hold for few objects: the uncompiled kernel reads NARROW_BRANCH when it runs."""
    for n in (1, 2, 5, 9):
        made = instance(name, n, seed=n)
        parents = samples(made, (5, 6, 2), np.random.default_rng(n))
        expected, rarely = np.zeros((n, n)), np.zeros((n, n))
        for parent in parents.tolist():
            for i in range(n):
                before = expected[i].copy()
                for other, probability in twin.narrow(made.f, made.w, tuple(parent), i).items():
                    labels = np.array(twin.clusters_of(other))
                    expected[i] += probability * (labels == labels[i])
                labels = np.array(twin.clusters_of(parent))
                many = len(twin.branch(parent, i)) > 3
                rarely[i] += labels == labels[i] if many else expected[i] - before
        arguments = made.prior, made.answers, parents, *every_pair(n)
        found = probability_in_forests(*arguments)
        with monkeypatch.context() as patch:
            patch.setattr(forest_same, "NARROW_BRANCH", 3)
            plain = probability_in_forests.py_func(*arguments)
        np.testing.assert_allclose(found.reshape(n, n), expected / len(parents), atol=1e-9)
        np.testing.assert_allclose(plain.reshape(n, n), rarely / len(parents), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTANCES)
def test_on_average_it_is_the_p_same_of_the_enumeration_with_less_noise_than_the_samples(name):
    n, rng = 5, np.random.default_rng(4)
    made = instance(name, n, seed=6)
    expected = same_probabilities(*twin.enumerated(made.f, made.w, made.resolution))
    parents = samples(made, (50, 20_000, 5), rng)
    found = probability_in_forests(made.prior, made.answers, parents, *every_pair(n)).reshape(n, n)
    np.testing.assert_allclose(found, expected, atol=0.015)


def test_only_the_others_asked_for_are_answered_in_their_order():
    n, rng = 7, np.random.default_rng(1)
    made = instance("background", n, seed=1)
    parents = samples(made, (5, 20, 1), rng)
    every = probability_in_forests(made.prior, made.answers, parents, *every_pair(n)).reshape(n, n)
    objects, starts, others = np.array([5, 2, 0]), np.array([0, 2, 2, 5]), np.array([1, 6, 4, 3, 5])
    found = probability_in_forests(made.prior, made.answers, parents, objects, starts, others)
    np.testing.assert_allclose(found, [every[5, 1], every[5, 6], every[0, 4], every[0, 3], every[0, 5]])
    assert np.all((every >= 0) & (every <= 1 + 1e-12))
    assert np.all(np.diag(every) == 1)
