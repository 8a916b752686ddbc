from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.kernels.graph.csr import Graph, symmetric_csr
from ofakind.pins import Pins
from ofakind.report.contradicted import CONTRADICTED, spoken_for, uncontradicted


@dataclass
class Sampled:
    """What is looked at of a posterior."""

    labels: Any
    parents: Any
    chain: Any
    graph: Any
    pins: Any = None


def sampled(labels, chain, evidence, pins=None):
    labels = np.array(labels, np.int32)
    nodes = labels.shape[1] if pins is None else len(pins.first)
    pairs = sorted(evidence)
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T
    indptr, indices, pair = symmetric_csr(nodes, u, v)
    graph = Graph(indptr, indices, np.array([float(evidence[one]) for one in pairs])[pair])
    return Sampled(labels, labels, np.array(chain), graph, pins)


@given(n=st.integers(2, 7), seed=st.integers(0, 2**32 - 1))
def test_answers_speak_for_a_sample_by_their_evidence_inside_its_groups(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=(4, n))
    every = [(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.5]
    evidence = {pair: float(rng.normal()) for pair in every}
    found = spoken_for(sampled(labels, range(4), evidence))
    for row, one in zip(labels, found, strict=True):
        assert one == pytest.approx(sum(evidence[i, j] for i, j in every if row[i] == row[j]))


def test_pinned_objects_are_one():
    pins = Pins.none(4).adding(np.array([0]), np.array([1]), same=True)
    found = spoken_for(sampled([[0, 0, 0, 1], [0, 0, 1, 1]], [0, 1], {(0, 1): 3.0}, pins))
    assert found.tolist() == [3.0, 0.0]  # of units 0, 2 and 3


def test_evidence_of_pins_may_be_infinite():
    found = spoken_for(sampled([[0, 0, 1, 2], [0, 1, 1, 2]], [0, 1], {(0, 1): np.inf, (2, 3): -np.inf}))
    assert found.tolist() == [np.inf, 0.0]


def four_chains(spoken):
    """Two samples of each of four chains, for which the answers speak by so many nats."""
    chain = np.repeat(np.arange(4), 2)
    labels = np.tile(np.arange(5), (8, 1))
    labels[np.arange(8), 1 + chain] = 0  # object 0 is with another one in each chain
    return sampled(labels, chain, {(0, 1 + k): nats for k, nats in enumerate(spoken)})


@pytest.mark.parametrize(
    ("spoken", "stay"),
    [
        ((0, -1, -2, -3), [0, 1, 2, 3]),
        ((-30, -1, -2, -3), [1, 2, 3]),
        ((-30, -25, -2, -3), [2, 3]),
        ((-30, -25, -20, -3), [2, 3]),  # two stay, whatever the answers say
        ((-10.5, 0, -9.5, 0), [1, 2, 3]),
    ],
)
def test_chains_that_answers_contradict_are_left_out_but_for_the_best_two(spoken, stay):
    found = uncontradicted(four_chains(spoken))
    assert np.unique(found.chain).tolist() == stay
    assert len(found.labels) == len(found.parents) == 2 * len(stay)
    assert CONTRADICTED.nats == 10


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of chains that do not agree
def test_what_is_expected_of_handwritten_digits_is_closer_to_the_truth_without_them():
    """A chain that counts links too much takes several digits for one."""
    digits, nearer = ok.datasets.load("digits"), []
    for seed in range(2):
        truth = digits.labels
        learner = ok.ActiveClustering(
            len(truth), prior=ok.Neighbours.from_vectors(digits.features), seed=seed
        )
        oracle = ok.FlippingOracle(truth, share=0.05, seed=seed)
        for _ in range(8):
            pairs = learner.ask(40)
            learner.tell(pairs, oracle(pairs))
            forests = learner.posterior.forests
            if len(uncontradicted(forests).labels) < len(forests.labels):
                wrong = ok.accuracy(np.array([truth, truth]), [0, 1], learner.labels).expected_wrong_pairs
                every = ok.accuracy(forests.labels, forests.chain, learner.labels).expected_wrong_pairs
                nearer.append(abs(learner.accuracy.expected_wrong_pairs - wrong) < abs(every - wrong))
    assert len(nearer) >= 3
    assert sum(nearer) > 0.7 * len(nearer)
