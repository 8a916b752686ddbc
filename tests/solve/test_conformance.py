"""What every solver promises. A new solver only needs a line in SOLVERS.

Those that end at a local optimum must also promise that no single move helps; the others are named in GREEDY.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.clustering import Clustering, canonical_labels, correlation_cost, cost, move_gain
from ofakind.solve.exact import Exact
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel
from ofakind.solve.pivot import Pivot
from twins.instances import CORNERS, blocks, noisy, similarities
from twins.partitions import lowest_cost

SOLVERS = {
    "local search": LocalSearch(),
    "local search, one sweep": LocalSearch(restarts=1, sweeps=1),
    "local search, no gain": LocalSearch(new_cluster="no_gain"),
    "local search, warm": LocalSearch(warm_start=True),
    "multilevel": Multilevel(),
    "pivot": Pivot(),
    "pivot, best of 5": Pivot(repeats=5),
    "exact": Exact(),
}
GREEDY = {"pivot", "pivot, best of 5"}
DESCENDING = [name for name in SOLVERS if name not in GREEDY]
each_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS.keys())
each_descending = pytest.mark.parametrize("solver", [SOLVERS[name] for name in DESCENDING], ids=DESCENDING)
seeds = st.integers(0, 2**32 - 1)


def check(similarity, found):
    assert isinstance(found, Clustering)
    assert found.labels.shape == (similarity.n,)
    assert np.array_equal(found.labels, canonical_labels(found.labels))
    assert found.k == len(np.unique(found.labels))
    assert found.cost == cost(similarity, found.labels)


def best_move(similarity, labels):
    """What the best move of one object gains, a move to a new cluster included."""
    targets = range(max(labels, default=0) + 2)
    gains = [move_gain(similarity, labels, i, k) for i in range(similarity.n) for k in targets]
    return max(gains, default=0.0)


class TestEverySolver:
    @each_solver
    def test_the_corner_cases_give_a_valid_clustering(self, solver):
        for similarity in CORNERS.values():
            check(similarity, solver(similarity, rng=np.random.default_rng(0)))

    @pytest.mark.slow
    @each_solver
    @given(similarity=similarities(), seed=seeds)
    def test_the_result_is_canonical_and_states_its_cost(self, solver, similarity, seed):
        check(similarity, solver(similarity, rng=np.random.default_rng(seed)))

    @pytest.mark.slow
    @each_solver
    @given(similarity=similarities(max_objects=6), seed=seeds)
    def test_no_cost_is_below_the_minimum_over_all_partitions(self, solver, similarity, seed):
        found = solver(similarity, rng=np.random.default_rng(seed))
        assert found.cost >= lowest_cost(similarity) - 1e-9

    @each_solver
    def test_the_same_stream_gives_the_same_labels(self, solver):
        for seed in range(3):
            similarity = noisy(24, 60, clusters=3, rng=np.random.default_rng(seed))
            start = Clustering.of(similarity, np.arange(24) % 4)
            found = [solver(similarity, start=start, rng=np.random.default_rng(seed)) for _ in range(2)]
            assert np.array_equal(found[0].labels, found[1].labels)

    @each_solver
    def test_the_arguments_are_not_changed(self, solver):
        similarity = noisy(24, 60, clusters=3, rng=np.random.default_rng(1))
        start = Clustering.of(similarity, np.arange(24) % 4)
        arrays = (similarity.indptr, similarity.indices, similarity.values, similarity.counts, start.labels)
        before = [array.copy() for array in arrays]
        solver(similarity, start=start, rng=np.random.default_rng(1))
        assert all(map(np.array_equal, before, arrays))

    @each_solver
    @pytest.mark.parametrize("sizes", [[1], [6], [1] * 6, [8, 4, 2, 1], [5, 5, 5]], ids=str)
    def test_complete_and_true_answers_give_the_truth(self, solver, sizes):
        similarity, truth = blocks(sizes)
        for seed in range(3):
            found = solver(similarity, rng=np.random.default_rng(seed))
            assert np.array_equal(found.labels, truth), seed

    @pytest.mark.slow
    @each_descending
    @given(similarity=similarities(max_objects=12), seed=seeds)
    def test_on_return_no_single_move_helps(self, solver, similarity, seed):
        found = solver(similarity, rng=np.random.default_rng(seed))
        assert best_move(similarity, found.labels) <= 1e-9

    @each_descending
    def test_on_return_no_single_move_helps_in_a_larger_problem(self, solver):
        n = 20 if isinstance(solver, Exact) else 60
        for seed in range(5):
            similarity = noisy(n, 3 * n, clusters=4, rng=np.random.default_rng(seed))
            found = solver(similarity, rng=np.random.default_rng(seed))
            assert best_move(similarity, found.labels) <= 1e-9, seed


@pytest.mark.slow
@given(similarity=similarities(), data=st.data())
def test_the_gain_of_a_move_is_what_either_cost_falls_by(similarity, data):
    labels = data.draw(st.lists(st.integers(0, 3), min_size=similarity.n, max_size=similarity.n))
    for item in range(similarity.n):
        target = data.draw(st.integers(0, 4))
        moved = [*labels[:item], target, *labels[item + 1 :]]
        gain = move_gain(similarity, labels, item, target)
        assert gain == pytest.approx(cost(similarity, labels) - cost(similarity, moved), abs=1e-12)
        fall = correlation_cost(similarity, labels) - correlation_cost(similarity, moved)
        assert gain == pytest.approx(fall, abs=1e-12)
