import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.clustering import Clustering, cost
from ofakind.errors import InvalidInputError
from ofakind.kernels.search.local_search import NO_GAIN, REPELLED, STRICT, sweep
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch, random_labels
from twins import local_search as twin
from twins.instances import CORNERS, noisy, similarities

RULES = {"repelled": REPELLED, "no_gain": NO_GAIN, "strict": STRICT}
each_rule = pytest.mark.parametrize("rule", RULES)
each_option = pytest.mark.parametrize("new_cluster", ["repelled", "no_gain"])
seeds = st.integers(0, 2**32 - 1)


def arrays(similarity):
    return similarity.indptr, similarity.indices, similarity.values


def same_sweep(similarity, labels, rule, rng):
    """Sweep a copy of the labels with the kernel and with the twin; the labels after."""
    order = rng.permutation(similarity.n)
    ours = labels.copy()
    gain = sweep(arrays(similarity), ours, order, RULES[rule])
    plain, plain_gain = twin.sweep(similarity.to_scipy().toarray(), labels, order, rule)
    assert np.array_equal(ours, plain)
    assert gain == pytest.approx(plain_gain, abs=1e-9)
    return ours, gain


class TestSweep:
    @pytest.mark.slow
    @each_rule
    @given(similarity=similarities(max_objects=10), k=st.integers(1, 10), seed=seeds)
    def test_it_gives_the_labels_of_the_plain_twin(self, rule, similarity, k, seed):
        rng = np.random.default_rng(seed)
        labels = random_labels(similarity.n, min(k, similarity.n), rng)
        for _ in range(3):
            labels, _ = same_sweep(similarity, labels, rule, rng)

    @each_rule
    @pytest.mark.parametrize("seed", range(3))
    def test_its_gain_is_the_fall_of_the_cost_and_never_negative(self, rule, seed):
        rng = np.random.default_rng(seed)
        similarity = noisy(80, 400, clusters=5, rng=rng)
        labels = random_labels(80, 7, rng)
        for _ in range(5):
            before = cost(similarity, labels)
            labels, gain = same_sweep(similarity, labels, rule, rng)
            assert gain == pytest.approx(before - cost(similarity, labels), abs=1e-9)
            assert gain >= -1e-9
            assert np.array_equal(np.unique(labels), np.arange(labels.max() + 1))

    def test_a_tie_goes_to_the_oldest_cluster_and_a_strict_sweep_stays(self):
        similarity = Similarity.from_pairs(3, [], [], [])
        labels = np.array([2, 1, 0])
        sweep(arrays(similarity), labels, np.arange(3), STRICT)
        assert labels.tolist() == [2, 1, 0]
        sweep(arrays(similarity), labels, np.arange(3), REPELLED)
        assert labels.tolist() == [0, 0, 0]

    def test_an_object_repelled_by_one_cluster_prefers_a_cluster_that_it_knows_nothing_of(self):
        similarity = Similarity.from_pairs(3, [0], [1], [-1.0])
        for rule, expected in ((REPELLED, [1, 0, 1]), (STRICT, [1, 0, 1]), (NO_GAIN, [2, 0, 1])):
            labels = np.array([0, 0, 1])
            sweep(arrays(similarity), labels, np.array([0]), rule)
            assert labels.tolist() == expected


class TestLocalSearch:
    @each_option
    @pytest.mark.parametrize("warm_start", [False, True])
    @pytest.mark.parametrize("seed", range(3))
    def test_it_gives_the_labels_of_the_plain_twin(self, new_cluster, warm_start, seed):
        options = {"restarts": 3, "sweeps": 6, "new_cluster": new_cluster, "warm_start": warm_start}
        draw = np.random.default_rng(seed)
        similarity = noisy(60, 60 * (seed + 1), clusters=4, rng=draw)
        start = Clustering.of(similarity, draw.integers(5, size=60))
        ours = LocalSearch(**options)(similarity, start=start, rng=np.random.default_rng(seed))
        plain = twin.local_search(similarity, start=start, rng=np.random.default_rng(seed), **options)
        assert np.array_equal(ours.labels, plain.labels)

    @each_option
    @pytest.mark.parametrize("name", CORNERS)
    def test_it_gives_the_labels_of_the_plain_twin_in_the_corner_cases(self, new_cluster, name):
        ours = LocalSearch(new_cluster=new_cluster)(CORNERS[name], rng=np.random.default_rng(3))
        plain = twin.local_search(CORNERS[name], rng=np.random.default_rng(3), new_cluster=new_cluster)
        assert np.array_equal(ours.labels, plain.labels)

    @each_option
    @given(similarity=similarities(max_objects=10), seed=seeds)
    def test_a_warm_start_is_never_made_worse(self, new_cluster, similarity, seed):
        rng = np.random.default_rng(seed)
        start = Clustering.of(similarity, rng.integers(4, size=similarity.n))
        solver = LocalSearch(restarts=1, new_cluster=new_cluster, warm_start=True)
        assert solver(similarity, start=start, rng=rng).cost <= start.cost + 1e-9

    @pytest.mark.parametrize("seed", range(3))
    def test_a_warm_start_at_a_clear_optimum_stays_there(self, seed):
        rng = np.random.default_rng(seed)
        similarity = noisy(40, 2000, clusters=4, gamma=0.1, rng=rng)
        truth = Clustering.of(similarity, np.arange(40) % 4)
        found = LocalSearch(restarts=1, warm_start=True)(similarity, start=truth, rng=rng)
        assert np.array_equal(found.labels, truth.labels)

    @pytest.mark.parametrize("seed", range(3))
    def test_more_restarts_of_one_stream_never_cost_more(self, seed):
        similarity = noisy(80, 400, clusters=5, rng=np.random.default_rng(seed))
        costs = [
            LocalSearch(restarts=r)(similarity, rng=np.random.default_rng(seed)).cost for r in (1, 2, 5, 9)
        ]
        assert costs == sorted(costs, reverse=True)

    @pytest.mark.parametrize("seed", range(3))
    def test_one_cluster_is_left_even_when_no_single_move_leaves_it(self, seed):
        truth = np.repeat(np.arange(3), 10)
        u, v = np.triu_indices(30, 1)
        similarity = Similarity.from_pairs(30, u, v, np.where(truth[u] == truth[v], 0.7, -0.3))
        found = LocalSearch()(similarity, rng=np.random.default_rng(seed))
        assert np.array_equal(found.labels, truth)

    @pytest.mark.parametrize("seed", range(3))
    def test_a_restart_from_all_alone_parts_what_grew_together(self, seed):
        truth = np.repeat(np.arange(6), 10)
        u, v = np.triu_indices(60, 1)
        similarity = Similarity.from_pairs(60, u, v, np.where(truth[u] == truth[v], 0.9, -0.1))
        merged = Clustering.of(similarity, truth // 3)
        options = {"restarts": 1, "warm_start": True}
        assert LocalSearch(**options)(similarity, start=merged, rng=np.random.default_rng(seed)).k == 2
        found = LocalSearch(**options, alone=True)(similarity, start=merged, rng=np.random.default_rng(seed))
        assert np.array_equal(found.labels, truth)

    def test_without_answers_one_rule_keeps_everything_together_and_the_other_apart(self):
        nothing = Similarity.from_pairs(6, [], [], [])
        rng = np.random.default_rng(0)
        assert LocalSearch()(nothing, rng=rng).k == 1
        assert LocalSearch(new_cluster="no_gain")(nothing, rng=rng).k == 6

    def test_a_start_of_another_size_is_refused(self):
        start = Clustering.of(CORNERS["two alike"], [0, 0])
        with pytest.raises(InvalidInputError, match="start has 2 objects and the similarity 7"):
            LocalSearch()(CORNERS["no answers"], start=start, rng=np.random.default_rng(0))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"restarts": 0}, "restarts is 0"),
            ({"sweeps": 0}, "sweeps is 0"),
            ({"new_cluster": "never"}, "new_cluster is 'never'; expected 'repelled' or 'no_gain'"),
        ],
    )
    def test_options_that_make_no_sense_are_refused(self, options, message):
        with pytest.raises(InvalidInputError, match=message):
            LocalSearch(**options)


@given(n=st.integers(0, 12), k=st.integers(0, 12), seed=seeds)
def test_random_labels_leave_no_label_unused(n, k, seed):
    k = min(k, n) if n else k
    labels = random_labels(n, k, np.random.default_rng(seed))
    assert np.array_equal(np.unique(labels), np.arange(min(max(k, 1), n)))
