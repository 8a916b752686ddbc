import tracemalloc
from dataclasses import dataclass
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.clustering import Clustering, adjusted_rand_index, canonical_labels
from ofakind.errors import InvalidInputError, NotConvergedWarning
from ofakind.posterior import estimate
from ofakind.posterior.agreement import expected
from ofakind.posterior.estimate import Accuracy, Consensus, accuracy, consensus, interval, mergers
from ofakind.posterior.estimate import per_object_doubt as doubt
from ofakind.similarity import Similarity
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
            assert value >= twin.expected(samples, other, measure) - (0.07 if alone else 0) - 1e-12
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
        monkeypatch.setattr(estimate, "READ", (0, 0))
        monkeypatch.setattr(estimate, "COMPARED", 0)  # so the first sample is the only one looked at
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


@dataclass
class Held:
    """A posterior that holds samples, as far as Consensus looks at it."""

    similarity: Similarity
    labels: np.ndarray
    chain: np.ndarray


class TestConsensusOfALearner:
    nothing = Similarity.from_pairs(4, [0], [1], [1.0])
    samples = np.array([[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2]], np.int32)

    def test_it_reads_a_clustering_from_samples(self):
        held = Held(self.nothing, self.samples, np.array([0, 0, 1, 1]))
        for start in (None, Clustering.of(self.nothing, [0, 1, 2, 3])):
            for measure in ("ari", "f1"):
                found = Consensus(measure).read(held, start=start, rng=np.random.default_rng(0))
                assert isinstance(found, Clustering)
                assert found.labels.tolist() == [0, 0, 1, 1]
                assert found.cost == 0

    def test_it_searches_from_the_last_state_of_each_chain_and_from_the_start(self, monkeypatch):
        held = Held(self.nothing, self.samples, np.array([7, 7, 3, 3]))
        seen = {}
        monkeypatch.setattr(
            estimate, "consensus", lambda samples, starts, **_: seen.update(starts=starts) or samples[0]
        )
        Consensus().read(held, start=Clustering.of(self.nothing, [0, 0, 0, 0]), rng=np.random.default_rng(0))
        assert seen["starts"].tolist() == [[0, 0, 1, 2], [0, 1, 2, 2], [0, 0, 0, 0]]

    @pytest.mark.slow
    @pytest.mark.parametrize(("n", "asked"), [(60, 1770), (90, 4005), (90, 2000), (90, 630)])
    def test_where_all_answers_are_different_all_objects_are_alone(self, n, asked):
        for seed in range(3):
            learner = ok.ActiveClustering(n, seed=seed)
            learner.tell(some_pairs(n, asked, np.random.default_rng(seed)), np.full(asked, -1))
            assert learner.labels.tolist() == list(range(n))

    def test_a_posterior_without_samples_is_refused_with_a_way_out(self):
        field = ok.mean_field(self.nothing, [0, 0, 1, 1])
        with pytest.raises(
            InvalidInputError, match=r"got a MeanField; use belief=PartitionBelief\(\), or a solv"
        ):
            Consensus().read(field, start=None, rng=np.random.default_rng(0))

    def test_answers_alone_are_refused_with_a_way_out(self):
        with pytest.raises(InvalidInputError, match=r"got only answers; call .* such as LocalSearch\(\)"):
            Consensus()(self.nothing, rng=np.random.default_rng(0))

    def test_a_measure_that_is_none_is_refused(self):
        with pytest.raises(InvalidInputError, match="measure is 'ARI'; expected 'ari' or 'f1'"):
            Consensus("ARI")


class TestAccuracy:
    @pytest.mark.slow
    @given(samples=sampled(), seed=seeds)
    def test_what_is_expected_is_the_mean_over_the_samples(self, samples, seed):
        n = samples.shape[1]
        labels = np.random.default_rng(seed).integers(max(n, 1), size=n)
        found = accuracy(samples, np.arange(len(samples)) % 2, labels)
        assert found.expected_wrong_pairs == pytest.approx(twin.wrong_pairs(samples, labels))
        assert found.expected_ari == pytest.approx(twin.expected(samples, labels))
        assert found.expected_clusters == pytest.approx(np.mean([len(set(s.tolist())) for s in samples]))

    @given(samples=sampled(), seed=seeds)
    def test_intervals_hold_what_is_expected_and_end_where_nothing_can_be(self, samples, seed):
        n = samples.shape[1]
        labels = np.random.default_rng(seed).integers(max(n, 1), size=n)
        found = accuracy(samples, np.arange(len(samples)) % 3, labels, level=0.8)
        for mean, (low, high), least, most in (
            (found.expected_wrong_pairs, found.wrong_pairs_interval, 0, n * (n - 1) / 2),
            (found.expected_ari, found.ari_interval, -1, 1),
            (found.expected_clusters, found.clusters_interval, min(n, 1), n),
        ):
            assert least - 1e-9 <= low <= mean + 1e-9
            assert mean - 1e-9 <= high <= most + 1e-9

    def test_nothing_is_doubted_where_all_samples_are_the_estimate(self):
        for labels in ([], [0], [0, 0, 1], [0, 1, 2], [0, 0, 0]):
            found = accuracy([labels] * 4, [0, 0, 1, 1], labels)
            k = float(len(set(labels)))
            assert found == Accuracy(0.9, 0.0, (0.0, 0.0), 1.0, (1.0, 1.0), k, (k, k))

    def test_the_doubt_about_the_model_is_larger_of_fewer_objects(self):
        upper = {}
        for n in (10, 30, 100, 400, 1000, 2000):
            labels = np.arange(n) % 5
            wrong = labels.copy()
            wrong[0] = 1  # in all samples alike, so the model's error is the only doubt
            found = accuracy([wrong] * 4, [0, 0, 1, 1], labels)
            low, high = found.wrong_pairs_interval
            upper[n] = high / found.expected_wrong_pairs
            assert low * high == pytest.approx(found.expected_wrong_pairs**2)
            assert 1 - found.ari_interval[0] == pytest.approx(min(upper[n] * (1 - found.expected_ari), 2))
        assert upper[30] > upper[100] > upper[400] > upper[1000]
        assert (upper[10], upper[2000]) == pytest.approx((upper[30], upper[1000]))
        assert upper[30] == pytest.approx(np.exp(1.6448536))
        assert upper[100] == pytest.approx(np.exp(1.6448536 * estimate.FEW_OBJECTS / 100))
        assert upper[400] == pytest.approx(np.exp(1.6448536 * estimate.MODEL_ERROR / 20))

    def test_one_sample_knows_nothing(self):
        found = accuracy([[0, 0, 1, 1]], [0], [0, 0, 1, 1])
        assert found == Accuracy(0.9, 0.0, (0.0, 6.0), 1.0, (-1.0, 1.0), 2.0, (1.0, 4.0))

    @pytest.mark.slow
    def test_of_a_hundred_objects_the_interval_holds_as_often_as_it_says(self):
        held, n = [], 100
        for seed in range(30):  # equal groups are not what the prior expects
            rng = np.random.default_rng(seed)
            truth = rng.permutation(np.arange(n) % 10)
            learner = ok.ActiveClustering(n, seed=seed)
            pairs = some_pairs(n, 1500, rng)
            learner.tell(pairs, ok.FlippingOracle(truth, share=0.1, seed=seed)(pairs))
            low, high = learner.accuracy.wrong_pairs_interval
            held.append(low <= twin.wrong_pairs([truth], learner.labels) <= high)
        assert np.mean(held) > 0.88

    def test_a_learner_with_one_sample_says_so(self):
        learner = ok.ActiveClustering(8, belief=ok.PartitionBelief(chains=1, samples=1, burn_in=0))
        with pytest.warns(NotConvergedWarning, match="one sample alone does not tell"):
            assert learner.accuracy.wrong_pairs_interval == (0.0, 28.0)

    def test_there_is_at_least_one_cluster(self):
        for n in (1, 2, 20):
            assert ok.ActiveClustering(n).accuracy.clusters_interval[0] >= 1

    def test_samples_and_chains_must_be_as_many(self):
        with pytest.raises(InvalidInputError, match="got 2 values and the chains of 3"):
            accuracy([[0, 1], [0, 0]], [0, 0, 1], [0, 0])


class TestInterval:
    def test_it_has_the_quantiles_where_the_chains_agree(self):
        values = np.tile(np.linspace(-1, 1, 1001), 4)
        low, high = interval(values + 5, np.repeat(np.arange(4), 1001), 0.9)
        assert (low, high) == pytest.approx((4.1, 5.9))
        assert interval(values + 5, np.zeros(4004, int), 0.9) == pytest.approx((4.1, 5.9))

    def test_it_is_student_s_prediction_of_one_more_chain_where_chains_stand_still(self):
        low, high = interval([1, 1, 2, 2, 4, 4], [0, 0, 1, 1, 2, 2], 0.9)
        b = 2.91998558 * np.std([1, 2, 4], ddof=1) * np.sqrt(1 + 1 / 3)
        assert (low, high) == pytest.approx((7 / 3 - b, 7 / 3 + b))

    def test_an_error_of_the_model_is_one_of_the_logarithm(self):
        for level, z in ((0.5, 0.67448975), (0.9, 1.64485363)):
            low, high = interval([3, 3, 3], [0, 1, 2], level, relative=0.4)
            assert (low, high) == pytest.approx((3 * np.exp(-0.4 * z), 3 * np.exp(0.4 * z)))
        plain, wide = (interval([2, 4, 2, 4], [0, 0, 1, 1], relative=error) for error in (0, 0.4))
        up, down = 3 * np.expm1(0.4 * z), -3 * np.expm1(-0.4 * z)
        assert 3 - wide[0] == pytest.approx(np.hypot(3 - plain[0], down))
        assert wide[1] - 3 == pytest.approx(np.hypot(plain[1] - 3, up))

    def test_one_value_says_nothing(self):
        assert interval([3], [0], relative=0.4) == (-np.inf, np.inf)

    def test_it_widens_as_the_chains_part(self):
        noise = np.random.default_rng(0).normal(size=(4, 50))
        chain = np.repeat(np.arange(4), 50)
        widths = [
            np.ptp(interval((noise + shift * np.arange(4)[:, None]).ravel(), chain)) for shift in (0, 1, 2, 4)
        ]
        assert sorted(widths) == widths
        assert widths[-1] > 4 * widths[0]

    def test_a_higher_level_is_wider(self):
        values = np.random.default_rng(0).normal(size=200)
        widths = [np.ptp(interval(values, np.arange(200) % 4, level)) for level in (0.5, 0.8, 0.9, 0.99)]
        assert sorted(widths) == widths

    def test_it_holds_a_new_chain_as_often_as_it_says(self):
        rng = np.random.default_rng(0)
        held = []
        for _ in range(800):
            centres = rng.normal(size=5)
            low, high = interval(np.repeat(centres[:4], 10), np.repeat(np.arange(4), 10), 0.9)
            held.append(low <= centres[4] <= high)
        assert 0.87 < np.mean(held) < 0.93

    @pytest.mark.parametrize("level", [0, 1, -0.5, "high", None, np.nan])
    def test_what_is_no_level_is_refused(self, level):
        with pytest.raises(InvalidInputError, match=r"level is .*; expected a finite number, above 0"):
            interval([1, 2], [0, 1], level)


class TestDoubt:
    @given(samples=sampled(), seed=seeds)
    def test_its_mean_is_the_share_of_pairs_expected_wrong(self, samples, seed):
        n = samples.shape[1]
        labels = np.random.default_rng(seed).integers(max(n, 1), size=n)
        shares = doubt(samples, labels)
        assert shares.shape == (n,)
        if n > 1:
            wrong = accuracy(samples, np.zeros(len(samples), int), labels).expected_wrong_pairs
            assert shares.mean() == pytest.approx(wrong / (n * (n - 1) / 2))

    def test_the_object_that_moves_about_is_the_doubtful_one(self):
        samples = [[0, 0, 0, 1, 1, 1, label] for label in (0, 1, 2)]
        shares = doubt(samples, [0, 0, 0, 1, 1, 1, 0])
        assert shares.argmax() == 6
        assert shares[6] == pytest.approx((0 + 6 + 3) / 6 / 3)


class TestMergers:
    def test_clusters_that_samples_hold_together_are_found_likeliest_first(self):
        samples = [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 2, 2]]
        found = mergers(samples, [0, 0, 1, 1, 2, 2])
        assert found == [(0, 1, 0.75), (0, 2, 0.25), (1, 2, 0.25)]
        assert mergers(samples, [0, 0, 1, 1, 2, 2], least=0.5) == [(0, 1, 0.75)]

    def test_a_cluster_of_which_no_more_than_half_lies_together_has_no_home(self):
        assert mergers([[0, 0, 1, 0]], [0, 0, 1, 1]) == []
        assert mergers([[0, 0, 0, 0, 1]], [0, 0, 1, 1, 1]) == [(0, 1, 1.0)]

    def test_only_the_largest_clusters_are_looked_at(self):
        samples = [[0] * 7]
        assert mergers(samples, [0, 1, 1, 2, 2, 2, 3], largest=2) == [(1, 2, 1.0)]
        assert len(mergers(samples, [0, 1, 1, 2, 2, 2, 3])) == 6

    @pytest.mark.parametrize("labels", [[], [0], [0, 0, 0], [0, 1, 2]])
    def test_the_estimate_itself_merges_nothing(self, labels):
        assert mergers([labels] * 2, labels) == []

    def test_strange_limits_are_refused(self):
        with pytest.raises(InvalidInputError, match="least is 0; expected"):
            mergers([[0, 1]], [0, 1], least=0)
        with pytest.raises(InvalidInputError, match="largest is 0; expected"):
            mergers([[0, 1]], [0, 1], largest=0)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6))
def test_distinct_rows_are_those_of_numpy_in_the_same_order(rows):
    found = estimate._distinct_rows(np.array(rows))
    np.testing.assert_array_equal(found, np.unique(rows, axis=0))
