"""The adjusted mutual information is that of scikit-learn, and quick where clusters are many and small."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_mutual_info_score

from ofakind.study import mutual_information
from ofakind.study.mutual_information import adjusted_mutual_information


@pytest.fixture(autouse=True)
def our_own(monkeypatch):
    """Compute it here, however few clusters there are."""
    monkeypatch.setattr(mutual_information, "QUICK_PAIRS", 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=40))
def test_it_is_that_of_scikit_learn(labels):
    one, two = np.array(labels).T
    assert adjusted_mutual_information(one, two) == pytest.approx(
        adjusted_mutual_info_score(two, one), abs=1e-9
    )


@pytest.mark.parametrize(("n", "groups"), [(300, 150), (300, 3), (500, 499)])
def test_it_is_so_of_many_clusters_and_of_few(n, groups):
    rng = np.random.default_rng(n + groups)
    truth = rng.integers(groups, size=n)
    found = np.where(rng.random(n) < 0.2, rng.integers(groups, size=n), truth)
    expected = adjusted_mutual_info_score(truth, found)
    assert adjusted_mutual_information(found, truth) == pytest.approx(expected, abs=1e-9)


def test_equal_partitions_have_1_and_one_cluster_says_nothing():
    alone, together = np.arange(5), np.zeros(5, np.int64)
    assert adjusted_mutual_information(alone, alone) == pytest.approx(1)
    assert adjusted_mutual_information(together, together) == 1
    assert adjusted_mutual_information(together, alone) == 0
    assert adjusted_mutual_information(np.array([], np.int64), np.array([], np.int64)) == 1
