import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import ofakind as ok
from ofakind.clustering import canonical_labels
from ofakind.errors import AccuracyWarning, InvalidInputError
from ofakind.report import accuracy as module
from ofakind.report.accuracy import Accuracy, accuracy, interval, mergers, model_error
from ofakind.report.accuracy import per_object_doubt as doubt
from ofakind.report.misplaced import misplaced
from twins import consensus as twin

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


class TestAccuracy:
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

    def test_the_doubt_about_the_model_is_larger_the_fewer_objects_are_open(self):
        upper = {}
        for n in (10, 30, 100, 400, 1000):
            labels = np.arange(n) % 5
            wrong = labels.copy()
            wrong[: n // 10] = 1  # in all samples alike, so the model's error is the only doubt
            found = accuracy([wrong] * 4, [0, 0, 1, 1], labels)
            low, high = found.wrong_pairs_interval
            upper[n] = high / found.expected_wrong_pairs
            assert low * high == pytest.approx(found.expected_wrong_pairs**2)
            assert 1 - found.ari_interval[0] == pytest.approx(min(upper[n] * (1 - found.expected_ari), 2))
            error = model_error(n, found.expected_ari)
            assert upper[n] == pytest.approx(np.exp(1.6448536 * error))
        assert upper[10] > upper[30] > upper[100] > upper[400] > upper[1000]

    def test_the_error_of_the_model_is_that_of_the_open_objects(self):
        rules = module.INTERVAL
        most = np.sqrt(rules.error**2 + rules.luck / rules.others)
        assert model_error(50, 1.0) == model_error(5000, 1.0) == pytest.approx(most)
        assert model_error(0, 1.0) == model_error(0, 0.0) == pytest.approx(most)
        assert model_error(10**9, 0.5) == pytest.approx(rules.error, rel=1e-6)
        assert model_error(100, -0.1) == model_error(100, 0.0)
        assert model_error(200, 0.49) == pytest.approx(np.sqrt(rules.error**2 + rules.luck / 60.6))

    def test_with_features_the_model_may_be_further_off(self):
        near = ok.Neighbours.from_vectors(np.random.default_rng(0).normal(size=(30, 3)))
        learner = ok.ActiveClustering(30, prior=near, seed=0)
        found = learner.posterior
        plainly = accuracy(found.labels, found.chain, learner.labels)
        unseen = misplaced(found.forests, learner.labels)
        error = module.INTERVAL.featured
        widely = accuracy(found.labels, found.chain, learner.labels, error=error, unseen=unseen)
        assert learner.accuracy.wrong_pairs_interval[1] == widely.wrong_pairs_interval[1]
        assert learner.accuracy.expected_wrong_pairs == plainly.expected_wrong_pairs
        assert widely.wrong_pairs_interval[1] > plainly.wrong_pairs_interval[1]

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
        with pytest.warns(AccuracyWarning, match="one sample alone does not tell"):
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


def certain(labels):
    """What is said of labels of which all samples are sure."""
    return accuracy([labels, labels], [0, 1], labels)


@pytest.mark.parametrize(("judged", "objects"), [(False, 1), (True, 600 * 0.007)])
def test_one_object_may_be_misplaced_by_features_and_more_by_a_judge(judged, objects):
    labels = np.arange(600) % 6
    found = certain(labels).with_unseen_errors(labels, judged=judged)
    assert found.wrong_pairs_interval == pytest.approx((0, objects * 2 * 100))
    moved = labels.copy()
    moved[: round(objects)] = (moved[: round(objects)] + 1) % 6
    if not judged:  # one object in another group: as many wrong pairs, but for itself, and that index
        assert ((labels[:, None] == labels) != (moved[:, None] == moved)).sum() / 2 == 199
        assert found.ari_interval == pytest.approx((adjusted_rand_score(labels, moved), 1), abs=1e-3)
    assert found.expected_wrong_pairs == 0


def test_of_few_objects_one_is_misplaced_in_part_and_a_worse_limit_stays():
    labels = np.arange(30) % 3
    found = certain(labels)
    assert found.with_unseen_errors(labels).wrong_pairs_interval == pytest.approx((0, 0.1 * 2 * 10))
    wide = found.without_worst_case(30)
    assert wide.with_unseen_errors(labels).wrong_pairs_interval == wide.wrong_pairs_interval
    assert wide.with_unseen_errors(labels).ari_interval == wide.ari_interval
