"""Diagnostics: chains that agree as with themselves, and chains that are stuck in different places."""

from dataclasses import replace

import numpy as np
import pytest

from ofakind import ActiveClustering, Answers, ChainsDisagreeWarning, NoisyOracle, PartitionBelief, run
from ofakind.posterior.partition import diagnostics as module
from ofakind.posterior.partition.diagnostics import diagnose

CHAIN = np.repeat(np.arange(4), 10)


def strayed(labels, share, rng):
    """The labels with a share of the objects put elsewhere."""
    moved = rng.random(len(labels)) < share
    return np.where(moved, rng.integers(labels.max() + 1, size=len(labels)), labels).astype(np.int32)


def test_chains_around_one_partition_have_converged():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=100)
    found = diagnose(np.array([strayed(truth, 0.3, rng) for _ in CHAIN]), CHAIN)
    assert found.converged
    assert found.between == pytest.approx(found.within, abs=0.1)


def test_chains_around_different_partitions_have_not():
    rng = np.random.default_rng(0)
    centres = rng.integers(3, size=(4, 100))
    found = diagnose(np.array([strayed(centres[chain], 0.1, rng) for chain in CHAIN]), CHAIN)
    assert not found.converged
    assert found.within > 0.5 > found.between


def test_independent_samples_count_fully_and_copies_hardly():
    rng = np.random.default_rng(1)
    many = [
        diagnose(rng.integers(3, size=(40, 50)).astype(np.int32), CHAIN).effective_samples for _ in range(40)
    ]
    assert np.mean(many) > 20
    copies = np.repeat(rng.integers(3, size=(4, 50)), 10, axis=0).astype(np.int32)
    assert diagnose(copies, CHAIN).effective_samples < 6


def test_one_chain_agrees_with_itself():
    labels = np.zeros((3, 5), np.int32)
    assert diagnose(labels, np.zeros(3, int)).converged


@pytest.mark.slow
def test_the_sampler_converges_on_a_usual_problem_all_the_way():
    truth = np.random.default_rng(2).integers(4, size=100)
    learner = ActiveClustering(100)
    for _ in run(learner, NoisyOracle(truth), 900):
        assert learner.posterior.diagnostics.converged
        assert learner.posterior.diagnostics.effective_samples > 4


@pytest.mark.slow
def test_the_accuracy_warns_when_chains_disagree(monkeypatch):
    learner = ActiveClustering(30)
    for _ in run(learner, NoisyOracle(np.repeat([0, 1, 2], 10)), 90):
        pass
    monkeypatch.setattr(module, "AGREEMENT", replace(module.AGREEMENT, tolerance=-2.0))
    with pytest.warns(ChainsDisagreeWarning, match="do not agree"):
        assert learner.accuracy.expected_wrong_pairs >= 0


def test_without_objects_nothing_fails():
    belief = PartitionBelief()
    assert belief.update(Answers.none(0), carried=None, rng=np.random.default_rng(0)).diagnostics.converged
