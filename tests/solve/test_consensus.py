import tracemalloc
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.clustering import adjusted_rand_index, canonical_labels
from ofakind.errors import InvalidInputError
from ofakind.similarity import Similarity
from ofakind.solve import consensus as module
from ofakind.solve.consensus import Consensus, consensus, expected
from twins import consensus as twin
from twins.partitions import partitions

seeds = st.integers(0, 2**32 - 1)
measures = pytest.mark.parametrize("measure", ["ari", "f1"])


def blurred(n, k, S, noise, rng):
    """A truth, and samples of it in which some objects have gone elsewhere."""
    truth = rng.integers(k, size=n)
    stray = rng.random((S, n)) < noise * rng.random(n)
    samples = np.where(stray, rng.integers(k + 1, size=(S, n)), truth)
    return truth, np.array([canonical_labels(sample) for sample in samples]).reshape(S, n)


def some_pairs(n, count, rng):
    every = np.array(np.triu_indices(n, 1)).T
    return every[rng.choice(len(every), count, replace=False)]


@st.composite
def sampled(draw, max_objects=6, max_samples=6):
    n, S = draw(st.integers(0, max_objects)), draw(st.integers(1, max_samples))
    rng = np.random.default_rng(draw(seeds))
    if draw(st.booleans()):
        return blurred(n, draw(st.integers(1, 4)), S, draw(st.floats(0, 1)), rng)[1]
    return np.array([canonical_labels(row) for row in rng.integers(max(n, 1), size=(S, n))]).reshape(S, n)


def same_partition(a, b):
    return np.array_equal(canonical_labels(a), canonical_labels(b))


class TestExpected:
    @pytest.mark.slow
    @measures
    @given(samples=sampled(), seed=seeds)
    def test_it_is_the_mean_over_the_samples(self, measure, samples, seed):
        n = samples.shape[1]
        tried = np.random.default_rng(seed).integers(max(n, 1), size=(3, n))
        plain = [twin.expected(samples, labels, measure) for labels in tried]
        assert expected(samples, tried, measure=measure) == pytest.approx(plain, abs=1e-12)

    @measures
    @pytest.mark.parametrize("labels", [[0, 0, 0, 0], [0, 1, 2, 3]])
    def test_it_is_one_where_everything_agrees(self, measure, labels):
        assert expected([labels, labels], [labels], measure=measure).tolist() == [1.0]


class TestConsensus:
    @pytest.mark.slow
    @measures
    @given(samples=sampled(), seed=seeds)
    def test_it_is_never_worse_than_a_start_or_a_sample(self, measure, samples, seed):
        rng = np.random.default_rng(seed)
        n = samples.shape[1]
        starts = rng.integers(max(n, 1), size=(3, n))
        labels = consensus(samples, starts=starts, measure=measure, rng=rng)
        value = twin.expected(samples, labels, measure)
        # Where few pairs are together, all alone may take the place of what is hardly better.
        alone = len(set(labels.tolist())) == n and twin.wrong_pairs(samples, labels) < 1.5 * n
        for other in (*starts, *samples):
            assert value >= twin.expected(samples, other, measure) - (0.1 if alone else 0) - 1e-12
        assert np.array_equal(labels, canonical_labels(labels))

    @measures
    def test_it_is_the_best_of_all_partitions_nearly_always(self, measure):
        rng = np.random.default_rng(0)
        every, found = partitions(6), []
        for _ in range(100):
            samples = blurred(6, 3, 5, 0.8, rng)[1]
            labels = consensus(samples, measure=measure, rng=rng)
            value, highest = (
                expected(samples, labels, measure=measure)[0],
                expected(samples, every, measure=measure).max(),
            )
            assert value <= highest + 1e-12
            found.append(value >= highest - 1e-9)
        assert np.mean(found) >= 0.9

    @measures
    @pytest.mark.parametrize("labels", partitions(4))
    def test_one_sample_is_its_own_consensus(self, measure, labels):
        for start in partitions(4):
            found = consensus([labels], starts=[start], measure=measure, rng=np.random.default_rng(0))
            assert found.tolist() == labels

    @pytest.mark.parametrize("n", [0, 1, 2])
    def test_few_objects_and_no_starts_are_no_trouble(self, n):
        for labels in partitions(n):
            samples = np.array([labels] * 3, np.int32).reshape(3, n)
            assert consensus(samples, rng=np.random.default_rng(0)).tolist() == labels

    def test_names_of_labels_do_not_matter(self):
        rng = np.random.default_rng(3)
        samples = blurred(30, 4, 6, 0.7, rng)[1]
        renamed = np.array([rng.permutation(30)[sample] for sample in samples])
        found = [consensus(s, starts=s[:1], rng=np.random.default_rng(1)) for s in (samples, renamed)]
        assert np.array_equal(*found)

    def test_permuting_the_objects_permutes_a_clear_result(self):
        for seed in range(5):
            rng = np.random.default_rng(seed)
            truth, samples = blurred(60, 4, 20, 0.2, rng)
            order = rng.permutation(60)
            plain, permuted = (
                consensus(s, rng=np.random.default_rng(9)) for s in (samples, samples[:, order])
            )
            assert same_partition(plain, truth)
            assert same_partition(plain[order], permuted)

    def test_equal_streams_give_equal_labels(self):
        samples = blurred(80, 6, 10, 1.0, np.random.default_rng(0))[1]
        found = [consensus(samples, rng=np.random.default_rng(5)) for _ in range(2)]
        assert np.array_equal(*found)

    def test_it_is_at_least_as_good_as_the_dense_search(self):
        for seed in range(6):
            rng = np.random.default_rng(seed)
            samples = blurred(40, 5, 12, 1.0, rng)[1]
            dense = twin.dense_search(samples, samples[:4], rng=rng)
            ours = consensus(samples, starts=samples[:4], rng=rng)
            assert expected(samples, ours[None])[0] >= expected(samples, dense[None])[0] - 0.01

    def test_a_start_that_parts_what_all_samples_hold_together_is_only_beaten(self):
        samples = [[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]
        starts = [[0, 1, 2, 3, 4], [0, 1, 1, 0, 1]]
        labels = consensus(samples, starts=starts, rng=np.random.default_rng(0))
        assert labels[0] == labels[1] == labels[2]

    def test_a_start_is_kept_where_the_search_may_not_move(self, monkeypatch):
        # With no labels compared, the first sample is the only one looked at.
        nothing = replace(module.CONSENSUS, most_read=0, least_read=0, compared=0)
        monkeypatch.setattr(module, "CONSENSUS", nothing)
        samples = [[0, 1, 2, 3, 4, 5], *[[0, 0, 0, 1, 1, 1]] * 4]
        labels = consensus(samples, starts=[[2, 2, 2, 5, 5, 5]], rng=np.random.default_rng(0))
        assert labels.tolist() == [0, 0, 0, 1, 1, 1]

    @pytest.mark.slow
    def test_many_small_clusters_take_seconds_and_little_memory(self):
        rng = np.random.default_rng(0)
        n, S = 20_000, 20
        truth, samples = blurred(n, 5_000, S, 0.3, rng)
        consensus(samples[:2, :50] % 50, starts=samples[:1, :50] % 50, rng=rng)  # compiles
        tracemalloc.start()
        begin = process_time()
        labels = consensus(samples, starts=samples[:4], rng=rng)
        seconds, peak = process_time() - begin, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert seconds < 10
        assert peak < 60 * S * n  # bytes; a matrix of all pairs would take over a hundred times as much
        assert adjusted_rand_index(labels, truth) > 0.95

    def test_samples_that_agree_on_nothing_do_not_take_for_ever(self):
        rng = np.random.default_rng(0)
        n = 20_000
        samples = rng.integers(4, size=(5, n)).astype(np.int32)
        begin = process_time()
        labels = consensus(samples, starts=np.arange(n)[None], rng=rng)
        assert process_time() - begin < 10
        assert len(labels) == n

    @pytest.mark.slow
    @measures
    @given(seed=seeds)
    def test_pairs_of_a_few_samples_are_no_clusters(self, measure, seed):
        rng = np.random.default_rng(seed)
        samples = np.tile(np.arange(90), (60, 1))
        most = rng.integers(2, 40)
        for sample in samples:  # each holds some pairs together, of which hardly any is in another one
            pairs = rng.choice(90, size=(rng.integers(1, most), 2), replace=False)
            sample[pairs[:, 0]] = sample[pairs[:, 1]]
        labels = consensus(samples, starts=samples[:4], measure=measure, rng=rng)
        assert labels.tolist() == list(range(90))

    @pytest.mark.slow
    @measures
    @given(seed=seeds)
    def test_few_pairs_that_most_samples_hold_together_are_clusters(self, measure, seed):
        rng = np.random.default_rng(seed)
        truth = np.arange(90)
        truth[[1, 3, 5]] = 0, 2, 4
        samples = np.tile(truth, (60, 1))
        for sample in samples[:20]:
            sample[rng.integers(6, 90)] = sample[rng.integers(6, 90)]
        labels = consensus(samples, starts=np.arange(90)[None], measure=measure, rng=rng)
        assert labels.tolist() == canonical_labels(truth).tolist()

    @pytest.mark.parametrize("size", [4, 5, 20])
    def test_samples_with_many_pairs_are_read_by_the_measure_alone(self, size):
        rng = np.random.default_rng(0)
        samples = np.array([rng.permutation(np.arange(60) // size) for _ in range(60)])
        labels = consensus(samples, rng=rng)
        assert expected(samples, labels)[0] >= expected(samples, samples).max() - 1e-12
        assert labels.max() + 1 < 60

    @pytest.mark.parametrize(
        ("samples", "message"),
        [
            ([0, 1], r"samples have shape \(2,\); expected \(S, n\)"),
            (np.empty((0, 3), int), "at least one sample"),
            ([[0.5, 1.0]], "samples have type float64; expected whole numbers"),
            ([[0, 2]], r"samples hold 0 to 2; expected labels in 0\.\.1"),
            ([[0, -1]], "samples hold -1 to 0"),
        ],
    )
    def test_what_is_no_sample_is_refused(self, samples, message):
        with pytest.raises(InvalidInputError, match=message):
            consensus(samples, rng=np.random.default_rng(0))

    def test_what_is_no_start_is_refused(self):
        with pytest.raises(InvalidInputError, match=r"shape \(1, 3\); expected one for each of 2 objects"):
            consensus([[0, 1]], starts=[[0, 1, 1]], rng=np.random.default_rng(0))
        with pytest.raises(InvalidInputError, match="measure is 'rand'; expected 'ari' or 'f1'"):
            consensus([[0, 1]], measure="rand", rng=np.random.default_rng(0))


class TestConsensusOfALearner:
    nothing = Similarity.from_pairs(4, [0], [1], [1.0])
    samples = np.array([[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2]], np.int32)

    def test_it_reads_a_clustering_from_samples(self):
        for starts in (None, [[0, 1, 2, 3]]):
            for measure in ("ari", "f1"):
                rng = np.random.default_rng(0)
                found = Consensus(measure).from_samples(self.samples, starts=starts, rng=rng)
                assert found.tolist() == [0, 0, 1, 1]

    @pytest.mark.slow
    @pytest.mark.parametrize(("n", "asked"), [(60, 1770), (90, 4005), (90, 2000), (90, 630)])
    def test_where_all_answers_are_different_all_objects_are_alone(self, n, asked):
        for seed in range(3):
            learner = ok.ActiveClustering(n, seed=seed)
            learner.tell(some_pairs(n, asked, np.random.default_rng(seed)), np.full(asked, -1))
            assert learner.labels.tolist() == list(range(n))

    def test_answers_alone_are_refused_with_a_way_out(self):
        with pytest.raises(InvalidInputError, match=r"got only answers; call .* such as LocalSearch\(\)"):
            Consensus()(self.nothing, rng=np.random.default_rng(0))

    def test_a_measure_that_is_none_is_refused(self):
        with pytest.raises(InvalidInputError, match="measure is 'ARI'; expected 'ari' or 'f1'"):
            Consensus("ARI")


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6))
def test_distinct_rows_are_those_of_numpy_in_the_same_order(rows):
    found = module._distinct_rows(np.array(rows))
    np.testing.assert_array_equal(found, np.unique(rows, axis=0))


class TestImprovedLabels:
    @measures
    @given(samples=sampled(), seed=seeds)
    def test_they_are_never_worse_than_those_before(self, measure, samples, seed):
        rng = np.random.default_rng(seed)
        n = samples.shape[1]
        before = rng.integers(max(n, 1), size=n)
        some = rng.permutation(n)[: rng.integers(n + 1)]  # none, too
        labels = Consensus(measure).improve(samples, before, some, rng=rng)
        value, was = (twin.expected(samples, each, measure) for each in (labels, before))
        assert value >= was - 1e-12
        assert np.array_equal(labels, canonical_labels(labels))

    def test_an_object_that_all_samples_have_moved_follows_them(self):
        before, moved = np.repeat([0, 1, 2], 10), np.repeat([0, 1, 2], 10)
        moved[0] = 2
        rng = np.random.default_rng(0)
        found = Consensus().improve(np.tile(moved, (8, 1)), before, [0], rng=rng)
        assert np.array_equal(found, canonical_labels(moved))

    def test_clusters_of_the_objects_that_all_samples_have_merged_merge(self):
        before, merged = np.repeat([0, 1, 2], 10), np.repeat([0, 1, 1], 10)
        found = Consensus().improve(np.tile(merged, (8, 1)), before, [12, 22], rng=np.random.default_rng(0))
        assert np.array_equal(found, merged)
