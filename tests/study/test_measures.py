"""The four measures, against scikit-learn and against counting pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from ofakind.report.accuracy import accuracy
from ofakind.study.measures import compare, measure, pair_f1, wrong_pairs

NAMES = ["ari", "ami", "v_measure", "pair_f1"]


@st.composite
def two_labellings(draw):
    size = draw(st.integers(2, 30))
    labels = st.lists(st.integers(0, 5), min_size=size, max_size=size)
    return np.array(draw(labels)), np.array(draw(labels))


def f1_by_counting(labels, truth):
    both = found = true = 0
    for i, j in combinations(range(len(labels)), 2):
        together, alike = labels[i] == labels[j], truth[i] == truth[j]
        both, found, true = both + (together and alike), found + together, true + alike
    if not found + true:
        return 1.0
    precision, recall = both / found if found else 0.0, both / true if true else 0.0
    return 2 * precision * recall / (precision + recall) if both else 0.0


@pytest.mark.slow
@given(two_labellings())
def test_the_measures_are_those_of_scikit_learn_and_of_counting(labellings):
    labels, truth = labellings
    measured = measure(labels, truth)
    assert list(measured) == NAMES
    assert measured["ari"] == pytest.approx(metrics.adjusted_rand_score(truth, labels), abs=1e-12)
    assert measured["ami"] == pytest.approx(metrics.adjusted_mutual_info_score(truth, labels), abs=1e-9)
    assert measured["v_measure"] == pytest.approx(metrics.v_measure_score(truth, labels), abs=1e-12)
    assert measured["pair_f1"] == pytest.approx(f1_by_counting(labels, truth), abs=1e-12)


@given(two_labellings())
def test_wrong_pairs_are_those_that_only_one_of_the_two_holds_together(labellings):
    labels, truth = labellings
    counted = sum(
        (labels[i] == labels[j]) != (truth[i] == truth[j]) for i, j in combinations(range(len(labels)), 2)
    )
    assert wrong_pairs(labels, truth) == counted


def test_what_was_expected_stands_beside_what_is_true():
    labels, truth = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    found = compare(accuracy([[0, 0, 1, 1], [0, 1, 2, 2]], [0, 1], labels), labels, truth)
    assert found["wrong_pairs"] == 3
    assert found["expected_wrong_pairs"] == 0.5
    assert found["wrong_low"] <= 0.5 <= found["wrong_high"]
    assert found["ari_low"] <= found["expected_ari"] <= found["ari_high"]
    assert compare(accuracy([[0]], [0], [0]), np.array([0]), np.array([0]))["wrong_pairs"] == 0


@pytest.mark.slow
@given(two_labellings(), st.permutations(range(6)))
def test_how_clusters_are_numbered_does_not_matter(labellings, names):
    labels, truth = labellings
    renamed = np.array(names)[labels] * 7 - 3
    assert measure(renamed, truth) == pytest.approx(measure(labels, truth), abs=1e-9)


@pytest.mark.parametrize(
    "truth", [[], [4], [1, 1], [1, 2], [0, 0, 1, 1, 2], list(range(20)), [3] * 20, ["a", "b", "a"]]
)
def test_the_truth_is_perfect_by_every_measure(truth):
    assert measure(truth, truth) == dict.fromkeys(NAMES, 1.0)


def test_one_cluster_or_one_for_each_is_worth_little():
    truth = np.arange(12) % 3
    for labels in (np.zeros(12), np.arange(12)):
        assert measure(labels, truth)["ari"] == 0.0
        assert measure(labels, truth)["ami"] == pytest.approx(0.0, abs=1e-12)
    assert pair_f1(np.arange(12), truth) == 0.0


def test_many_clusters_raise_no_warning():
    measure(np.arange(100), np.arange(100))  # warnings are errors here
    measure(np.arange(100) % 60, np.arange(100))
