import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ofakind.clustering import Clustering, cost
from ofakind.datasets import load
from ofakind.errors import InvalidInputError
from ofakind.kernels.search import multilevel as kernel
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from ofakind.solve import multilevel
from ofakind.solve.exact import Exact
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel
from twins import multilevel as twin
from twins.instances import CORNERS, noisy, similarities

seeds = st.integers(0, 2**32 - 1)


def signs(similarity):
    """The same pairs answered with +1 and -1 only, so that ties are everywhere."""
    pairs = similarity.pairs()
    values = np.sign(similarity.value(pairs.u, pairs.v))
    return Similarity.from_pairs(similarity.n, pairs.u, pairs.v, values)


def gains(similarity, labels):
    """What the best move of one object and the best merger of two clusters gain."""
    n, k = similarity.n, labels.max(initial=-1) + 1
    member = sparse.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, k + 1))
    totals = similarity.to_scipy() @ member  # (n, k + 1): the last cluster is empty
    moves = totals.max(axis=1).toarray().ravel() - totals[np.arange(n), labels]
    between = (member.T @ totals).tocoo()
    mergers = between.data[between.row != between.col]
    return moves.max(initial=0), mergers.max(initial=0)


def numbered(names):
    return kernel.number(np.asarray(names, np.int64))[0].tolist()


class TestKernels:
    @given(similarity=similarities(max_objects=12), seed=seeds)
    def test_they_agree_with_the_plain_twins(self, similarity, seed):
        rng = np.random.default_rng(seed)
        n = similarity.n
        graph, plain = multilevel._in_units(similarity), twin.in_units(similarity)
        labels, other = rng.integers(max(n, 1), size=(2, n))
        order = rng.permutation(n)
        assert kernel.inside(graph, labels) == twin.inside(plain, labels)
        both = list(zip(labels, other, strict=True))
        assert numbered(kernel.common(labels, other)) == twin.number(both)
        assert numbered(kernel.gather(graph, labels, order)) == twin.number(twin.gather(plain, labels, order))
        settled, gained = twin.settle(plain, labels, order)
        before = kernel.inside(graph, labels)
        assert kernel.settle(graph, labels, order) == gained
        assert kernel.inside(graph, labels) == before + 2 * gained
        assert numbered(labels) == twin.number(settled)

    @given(similarity=similarities(max_objects=12), seed=seeds)
    def test_a_graph_of_groups_sums_the_pairs_between_them(self, similarity, seed):
        n = similarity.n
        groups, k = kernel.number(np.random.default_rng(seed).integers(max(n, 1), size=n))
        graph = kernel.aggregate(multilevel._in_units(similarity), groups, k)
        rows = [range(graph.indptr[group], graph.indptr[group + 1]) for group in range(k)]
        found = [{int(graph.indices[slot]): int(graph.S[slot]) for slot in row} for row in rows]
        assert found == twin.aggregate(twin.in_units(similarity), groups.tolist())

    def test_a_node_goes_alone_rather_than_stay_where_it_is_repelled(self):
        graph = multilevel._in_units(Similarity.from_pairs(3, [0, 0, 1], [1, 2, 2], [-1.0, -1.0, 1.0]))
        labels = np.array([2, 2, 2])
        assert kernel.settle(graph, labels, np.arange(3)) == 2 * 2**40
        assert numbered(labels) == [0, 1, 1]

    def test_only_those_in_the_order_are_visited_at_first(self):
        graph = multilevel._in_units(Similarity.from_pairs(4, [0, 2], [1, 3], [1.0, 1.0]))
        labels = np.arange(4)
        kernel.settle(graph, labels, np.array([0]))
        assert numbered(labels) == [0, 0, 1, 2]


class TestMultilevel:
    @pytest.mark.parametrize("answers", ["graded", "signs"])
    @pytest.mark.parametrize("warm", [False, True])
    @pytest.mark.parametrize("seed", range(3))
    def test_it_gives_the_labels_of_the_plain_twin(self, answers, warm, seed):
        draw = np.random.default_rng(seed)
        similarity = noisy(50, 50 * (seed + 1), clusters=4, rng=draw)
        similarity = signs(similarity) if answers == "signs" else similarity
        start = Clustering.of(similarity, draw.integers(5, size=50)) if warm else None
        ours = Multilevel(kicks=6)(similarity, start=start, rng=np.random.default_rng(seed))
        plain = twin.multilevel(similarity, start=start, rng=np.random.default_rng(seed), kicks=6)
        assert np.array_equal(ours.labels, plain.labels)

    @pytest.mark.parametrize("name", CORNERS)
    def test_it_gives_the_labels_of_the_plain_twin_in_the_corner_cases(self, name):
        ours = Multilevel(kicks=50)(CORNERS[name], rng=np.random.default_rng(3))
        plain = twin.multilevel(CORNERS[name], rng=np.random.default_rng(3), kicks=50)
        assert np.array_equal(ours.labels, plain.labels)

    @pytest.mark.slow
    @given(similarity=similarities(max_objects=12), kicks=st.integers(0, 4), seed=seeds)
    def test_on_return_no_move_and_no_merger_helps(self, similarity, kicks, seed):
        rng = np.random.default_rng(seed)
        start = Clustering.of(similarity, rng.integers(4, size=similarity.n))
        for begin in (None, start):
            found = Multilevel(kicks=kicks)(similarity, start=begin, rng=rng)
            assert max(gains(similarity, found.labels)) <= 1e-9

    @pytest.mark.parametrize(("n", "answers"), [(300, 1500), (2000, 20_000), (12_000, 60_000)])
    def test_on_return_no_move_and_no_merger_helps_in_larger_problems(self, n, answers):
        similarity = noisy(n, answers, rng=np.random.default_rng(n))
        found = Multilevel(kicks=1)(similarity, rng=np.random.default_rng(0))
        assert max(gains(similarity, found.labels)) <= 1e-9

    @pytest.mark.slow
    @given(similarity=similarities(max_objects=10), kicks=st.integers(0, 4), seed=seeds)
    def test_a_start_is_never_made_worse(self, similarity, kicks, seed):
        rng = np.random.default_rng(seed)
        start = Clustering.of(similarity, rng.integers(4, size=similarity.n))
        assert Multilevel(kicks=kicks)(similarity, start=start, rng=rng).cost <= start.cost + 1e-9

    @pytest.mark.parametrize("seed", range(3))
    def test_a_start_at_a_clear_optimum_stays_there(self, seed):
        rng = np.random.default_rng(seed)
        similarity = noisy(40, 2000, clusters=4, gamma=0.1, rng=rng)
        truth = Clustering.of(similarity, np.arange(40) % 4)
        found = Multilevel()(similarity, start=truth, rng=rng)
        assert np.array_equal(found.labels, truth.labels)

    @pytest.mark.parametrize("seed", range(3))
    def test_new_answers_are_taken_up_from_the_clustering_before(self, seed):
        rng = np.random.default_rng(seed)
        similarity = noisy(1000, 10_000, rng=rng)
        before = Multilevel()(similarity, rng=rng)
        new = Pairs.from_ranks(rng.choice(499_500, 100, replace=False), 1000)
        more = similarity.with_answers(new, rng.uniform(-1, 1, 100))
        start = Clustering.of(more, before.labels)
        warm = Multilevel(kicks=0)(more, start=start, rng=rng)
        assert warm.cost < start.cost
        assert max(gains(more, warm.labels)) <= 1e-9

    @pytest.mark.parametrize("seed", range(3))
    def test_a_kick_never_raises_the_cost(self, seed):
        rng = np.random.default_rng(seed)
        similarity = noisy(120, 700, clusters=6, rng=rng)
        graph = multilevel._in_units(similarity)
        labels = rng.integers(120, size=120)
        for _ in range(5):
            for shaken in (multilevel._ejected(labels, rng), multilevel._merged(graph, labels, rng)):
                other = multilevel._climb(graph, shaken, rng)
                mixed = multilevel._combined(graph, (labels, other), labels, rng)
                assert cost(similarity, mixed) <= cost(similarity, labels) + 1e-9
                labels = mixed

    @pytest.mark.parametrize("seed", range(3))
    def test_the_parts_that_a_kick_improved_are_kept_though_others_got_worse(self, seed):
        u, v = np.triu_indices(4, 1)
        similarity = Similarity.from_pairs(8, np.r_[u, u + 4], np.r_[v, v + 4], np.ones(12))
        graph = multilevel._in_units(similarity)
        left_whole, right_whole = np.array([0, 0, 0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2, 2, 2, 2])
        rng = np.random.default_rng(seed)
        mixed = multilevel._combined(graph, (left_whole, right_whole), left_whole, rng)
        assert numbered(mixed) == [0, 0, 0, 0, 1, 1, 1, 1]

    @given(similarity=similarities(max_objects=10), seed=seeds)
    def test_one_kind_of_kick_only_parts_objects_and_the_other_only_merges_clusters(self, similarity, seed):
        rng = np.random.default_rng(seed)
        labels = rng.integers(max(similarity.n, 1), size=similarity.n)
        shaken = multilevel._ejected(labels, rng)
        together = shaken[:, None] == shaken
        assert np.all(together <= (labels[:, None] == labels))
        if similarity.n_pairs:
            merged = multilevel._merged(multilevel._in_units(similarity), labels, rng)
            assert np.all((labels[:, None] == labels) <= (merged[:, None] == merged))

    @pytest.mark.parametrize("seed", range(3))
    def test_it_costs_less_than_local_search_on_sparse_answers(self, seed):
        similarity = noisy(1000, 10_000, rng=np.random.default_rng(seed))
        ours = Multilevel()(similarity, rng=np.random.default_rng(seed))
        assert ours.cost < LocalSearch()(similarity, rng=np.random.default_rng(seed)).cost

    @pytest.mark.parametrize("seed", range(3))
    def test_it_mostly_finds_the_optimum_of_few_objects(self, seed):
        rng = np.random.default_rng(seed)
        instances = [noisy(16, 60, clusters=3, rng=rng) for _ in range(10)]
        met = [Multilevel()(s, rng=rng).cost <= Exact()(s).cost + 1e-6 for s in instances]
        assert sum(met) >= 7

    def test_objects_that_nothing_draws_together_stay_as_they_are(self):
        nothing = CORNERS["no answers"]
        rng = np.random.default_rng(0)
        assert Multilevel()(nothing, rng=rng).k == 7
        start = Clustering.of(nothing, [0, 0, 0, 1, 1, 1, 1])
        assert np.array_equal(Multilevel(kicks=5)(nothing, start=start, rng=rng).labels, start.labels)

    @pytest.mark.parametrize("total", [2.0**12, 2.0**24])
    def test_units_are_as_small_as_whole_sums_allow(self, total):
        few = Similarity.from_pairs(3, [0, 1], [1, 2], [1.0, -0.3])
        many = Similarity(3, few.indptr, few.indices, few.values * total, few.counts)
        S = multilevel._in_units(many).S
        assert S.max() >= 2**52
        assert np.abs(S).astype(float).sum() < 2.0**62
        assert S / S[0] == pytest.approx(few.values, abs=1e-12)

    def test_large_problems_get_one_kick_and_small_ones_more(self):
        def kicks(n, **options):
            return Multilevel(**options)._kicks(Similarity.from_pairs(n, [0], [1], [1.0]))

        assert [kicks(n) for n in (2, 150, 1000, 10_000, 100_000)] == [100, 100, 15, 1, 1]
        assert [kicks(100, kicks=k) for k in (0, 3, 500)] == [0, 3, 500]

    def test_a_start_of_another_size_is_refused(self):
        start = Clustering.of(CORNERS["two alike"], [0, 0])
        with pytest.raises(InvalidInputError, match="start has 2 objects and the similarity 7"):
            Multilevel()(CORNERS["no answers"], start=start, rng=np.random.default_rng(0))

    @pytest.mark.parametrize("kicks", [-1, 1.0, "3", True, np.array([1, 2])])
    def test_what_is_no_number_of_kicks_is_refused(self, kicks):
        with pytest.raises(InvalidInputError, match=r"^kicks is .*; expected a whole number, 0 or more"):
            Multilevel(kicks=kicks)


# -- known optima ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def instances(data_folder):
    """Instances of weighted cluster editing with at most 45 objects and a known optimum."""
    graphs = load("wce_instances").graphs
    return [graph for graph in graphs if graph.n <= 45 and graph.optimal_cost is not None]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_at_least_99_of_the_101_small_known_optima_are_met(instances, seed):
    assert len(instances) == 101
    rng = np.random.default_rng(seed)
    found = [Multilevel()(graph.similarity(), rng=rng).cost * graph.scale for graph in instances]
    excess = np.array(found) - [graph.optimal_cost for graph in instances]
    assert excess.min() > -1e-6
    assert np.sum(excess < 1e-6) >= 99
