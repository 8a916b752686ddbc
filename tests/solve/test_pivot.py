import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError
from ofakind.kernels.search.pivot import pivot_labels
from ofakind.similarity import Similarity
from ofakind.solve.exact import Exact
from ofakind.solve.pivot import Pivot
from twins import pivot as twin
from twins.instances import noisy, similarities


@given(similarity=similarities(max_objects=10), data=st.data())
def test_it_gives_the_labels_of_the_plain_twin(similarity, data):
    order = np.array(data.draw(st.permutations(range(similarity.n))), np.int64)
    ours = pivot_labels((similarity.indptr, similarity.indices, similarity.values), order)
    assert np.array_equal(ours, twin.pivot_labels(similarity.to_scipy().toarray(), order))


@pytest.mark.parametrize("seed", range(3))
def test_more_repeats_of_one_stream_never_cost_more(seed):
    similarity = noisy(60, 300, clusters=5, rng=np.random.default_rng(seed))
    costs = [Pivot(repeats=r)(similarity, rng=np.random.default_rng(seed)).cost for r in (1, 2, 5, 20)]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_mean_cost_on_complete_signs_is_at_most_three_times_the_optimum(seed):
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(9, 1)
    similarity = Similarity.from_pairs(9, u, v, rng.choice([-1.0, 1.0], len(u)))
    costs = [Pivot()(similarity, rng=rng).cost for _ in range(300)]
    assert np.mean(costs) <= 3 * Exact()(similarity).cost


def test_no_repeats_are_refused():
    with pytest.raises(InvalidInputError, match="repeats is 0"):
        Pivot(repeats=0)
