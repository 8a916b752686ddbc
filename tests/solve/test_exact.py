import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError, TooLargeError
from ofakind.similarity import Similarity
from ofakind.solve.exact import Exact
from ofakind.solve.local_search import LocalSearch
from twins.instances import CORNERS, noisy, similarities
from twins.partitions import lowest_cost, partitions


def test_the_partitions_of_n_objects_are_as_many_as_the_bell_number_says():
    for n, bell in enumerate([1, 1, 2, 5, 15, 52, 203, 877, 4140]):
        found = partitions(n)
        assert len({tuple(labels) for labels in found}) == len(found) == bell


@pytest.mark.slow
@given(similarity=similarities(max_objects=8))
def test_the_cost_is_the_minimum_over_all_partitions(similarity):
    assert Exact()(similarity).cost == pytest.approx(lowest_cost(similarity), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_cost_is_the_minimum_over_all_partitions_when_every_pair_was_asked(seed):
    u, v = np.triu_indices(8, 1)
    values = np.random.default_rng(seed).uniform(-1, 1, len(u))
    similarity = Similarity.from_pairs(8, u, v, values)
    assert Exact()(similarity).cost == pytest.approx(lowest_cost(similarity), abs=1e-6)


@pytest.mark.parametrize("name", CORNERS)
def test_the_corner_cases_cost_the_minimum_over_all_partitions(name):
    assert Exact()(CORNERS[name]).cost == pytest.approx(lowest_cost(CORNERS[name]), abs=1e-6)


@pytest.mark.slow
@given(similarity=similarities(max_objects=9), data=st.data())
def test_renumbering_the_objects_does_not_change_the_cost(similarity, data):
    number = np.array(data.draw(st.permutations(range(similarity.n))), np.int64)
    pairs = similarity.pairs()
    values = similarity.value(pairs.u, pairs.v)
    renumbered = Similarity.from_pairs(similarity.n, number[pairs.u], number[pairs.v], values)
    assert Exact()(renumbered).cost == pytest.approx(Exact()(similarity).cost, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_local_search_does_not_cost_less(seed):
    rng = np.random.default_rng(seed)
    similarity = noisy(18, 50, clusters=3, rng=rng)
    assert LocalSearch(restarts=50)(similarity, rng=rng).cost >= Exact()(similarity).cost - 1e-6


def test_more_objects_than_the_limit_are_refused_with_a_way_out():
    similarity = Similarity.from_pairs(31, [], [], [])
    with pytest.raises(TooLargeError, match=r"31 objects .*limit 30.*LocalSearch"):
        Exact()(similarity)
    assert Exact(limit=31)(similarity).cost == 0


def test_a_negative_limit_is_refused():
    with pytest.raises(InvalidInputError, match="limit is -1"):
        Exact(limit=-1)
