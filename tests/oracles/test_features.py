"""The oracle that compares features."""

import numpy as np
import pytest
from scipy import sparse

from ofakind.errors import InvalidInputError
from ofakind.oracles.features import FeatureOracle

FEATURES = np.array([[0.0, 1.0], [0.5, 1.0], [9.0, 0.0]])


def near(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.where(np.abs(left - right).sum(axis=1) < 1, 1, -1)


def test_rows_of_the_two_objects_are_compared() -> None:
    answers = FeatureOracle(near).bind(FEATURES)([(0, 1), (2, 1)])
    assert answers.tolist() == [1.0, -1.0]
    assert answers.dtype == np.float64


def test_compare_sees_the_smaller_object_first() -> None:
    oracle = FeatureOracle(lambda left, right: np.sign(left[:, 0] - right[:, 0])).bind(FEATURES)
    assert oracle([(2, 0), (0, 2)]).tolist() == [-1.0, -1.0]


def test_sparse_features_work() -> None:
    oracle = FeatureOracle(lambda left, right: near(left.toarray(), right.toarray()))
    assert oracle.bind(sparse.csr_array(FEATURES))([(0, 1), (1, 2)]).tolist() == [1.0, -1.0]


def test_one_comparison_serves_many_tables() -> None:
    oracle = FeatureOracle(near)
    assert oracle.bind(FEATURES)([(0, 1)]).tolist() != oracle.bind(FEATURES * 100)([(0, 1)]).tolist()


def test_no_questions_get_no_answers() -> None:
    assert FeatureOracle(near).bind(FEATURES)([]).tolist() == []


def test_an_object_without_features_is_named() -> None:
    with pytest.raises(InvalidInputError, match=r"question 0 is \(1, 3\)"):
        FeatureOracle(near).bind(FEATURES)([(1, 3)])


def test_compare_must_be_a_function() -> None:
    with pytest.raises(InvalidInputError, match="expected a function"):
        FeatureOracle("cosine")


def test_true_and_false_are_refused_with_a_hint() -> None:
    oracle = FeatureOracle(lambda left, right: left[:, 0] == right[:, 0]).bind(FEATURES)
    with pytest.raises(InvalidInputError, match="expected 1 for same and -1 for different"):
        oracle([(0, 1)])


@pytest.mark.parametrize("features", [[[0.0], [1.0]], None, 3.0, np.float64(3)])
def test_features_are_an_array(features: object) -> None:
    with pytest.raises(InvalidInputError, match=r"features come as a \w+; expected an array with a row"):
        FeatureOracle(near).bind(features)
