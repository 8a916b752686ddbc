"""Correlated errors: against a plain twin, by chance, with people, objects and models that err."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.noise.calibration import CALIBRATION
from ofakind.noise.correlated_errors import correlation
from ofakind.noise.evidence import Evidence
from ofakind.report.assessment import WARN
from ofakind.study.reading import Reader
from twins.correlated_errors import correlation as twin


def measured(n, rows, *samples):
    """Correlation of the errors of rows of (u, v, value, annotator)."""
    answers = ok.Answers.none(n)
    for u, v, value, who in rows:
        answers = answers.adding([(u, v)], [value], who)
    return correlation(Evidence.of(answers), np.array(samples).reshape(len(samples), n))


@st.composite
def tables(draw):
    n = draw(st.integers(2, 7))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    value = st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0])
    rows = draw(st.lists(st.tuples(pair, value, st.sampled_from(["", "Ada", "Bo"])), max_size=25))
    labels = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return n, [(*pair, value, who) for pair, value, who in rows], np.unique(labels, return_inverse=True)[1]


@pytest.mark.slow
@given(tables())
def test_it_is_what_looking_at_every_two_pairs_gives(table):
    n, rows, labels = table
    assert measured(n, rows, labels) == pytest.approx(twin(rows, labels), abs=1e-9)


@pytest.mark.slow
@given(tables(), st.randoms(use_true_random=False))
def test_neither_the_order_of_objects_nor_that_of_answers_matters(table, random):
    n, rows, labels = table
    place = random.sample(range(n), n)
    moved = [(place[u], place[v], value, who) for u, v, value, who in rows]
    random.shuffle(moved)
    there = np.empty(n, int)
    there[place] = labels
    assert measured(n, moved, there) == pytest.approx(measured(n, rows, labels), abs=1e-9)


def test_of_several_samples_it_is_the_mean():
    rows = [(0, 1, -1, ""), (0, 2, -1, ""), (1, 2, 1, ""), (2, 3, 1, ""), (0, 3, 1, "")]
    one, other = [0, 0, 0, 0], [0, 0, 1, 1]
    mean = (measured(4, rows, one) + measured(4, rows, other)) / 2
    assert measured(4, rows, one, other) == pytest.approx(mean)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_without_answers_there_is_none(n):
    assert measured(n, [], np.arange(n)) == 0


def test_where_all_is_right_or_all_is_wrong_there_is_none():
    rows = [(u, v, 1, "") for v in range(6) for u in range(v)]
    assert measured(6, rows, [0] * 6) == measured(6, rows, range(6)) == 0


def world(seed, n=120, per_object=40):
    """The truth, random pairs, and which are of a kind."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(5, size=n)
    pairs = ok.Pairs.from_ranks(rng.choice(n * (n - 1) // 2, per_object * n // 2, replace=False), n)
    return rng, truth, pairs, truth[pairs.u] == truth[pairs.v]


def of_errors(pairs, same, wrong, truth, annotator=None):
    answers = ok.Answers.none(len(truth)).adding(pairs, np.where(same != wrong, 1, -1), annotator)
    return correlation(Evidence.of(answers), truth[None])


@pytest.mark.parametrize("share", [0.002, 0.05, 0.3])
def test_independent_errors_are_correlated_as_chance_has_it(share):
    found = []
    for seed in range(100):
        rng, truth, pairs, same = world(seed)
        found.append(of_errors(pairs, same, rng.random(len(pairs)) < share, truth))
    assert abs(np.mean(found)) < 0.35
    assert np.std(found) < 1.2
    assert np.mean(np.array(found) > WARN.correlated) <= 0.02


def test_errors_about_some_objects_are_noticed():
    for seed in range(20):
        rng, truth, pairs, same = world(seed)
        difficult = rng.random(len(truth)) < 0.1
        involved = difficult[pairs.u] | difficult[pairs.v]
        assert of_errors(pairs, same, involved & (rng.random(len(pairs)) < 0.4), truth) > WARN.correlated


def test_people_who_differ_in_care_are_no_sign_of_it_if_their_names_are_known():
    named, unnamed = [], []
    for seed in range(20):
        rng, truth, pairs, same = world(seed)
        careless = pairs.u % 2 == 0  # everybody has objects of their own
        wrong = rng.random(len(pairs)) < np.where(careless, 0.35, 0.02)
        names = np.where(careless, "Bo", "Ada")
        named.append(of_errors(pairs, same, wrong, truth, names.tolist()))
        unnamed.append(of_errors(pairs, same, wrong, truth))
    assert np.mean(named) < 1 < WARN.correlated < np.mean(unnamed)


def test_the_same_pair_answered_wrongly_again_is_no_sign_of_it():
    rng, truth, pairs, same = world(0)
    wrong = rng.random(len(pairs)) < 0.1
    again = [np.tile(x, 4) for x in (pairs.u, pairs.v, np.where(same != wrong, 1, -1))]
    answers = ok.Answers.none(len(truth)).adding(np.stack(again[:2], axis=1), again[2])
    assert correlation(Evidence.of(answers), truth[None]) < WARN.correlated


# -- what a learner makes of it ----------------------------------------------------------------------------


class TwoFaces:
    """Answers without noise, but a third of the objects are taken for another kind in half of their pairs."""

    def __init__(self, truth, seed):
        rng = np.random.default_rng(seed)
        self.truth, self.seed = truth, seed
        self.other = np.where(rng.random(len(truth)) < 0.35, rng.permutation(truth), truth)

    def __call__(self, pairs):
        first, second = np.random.default_rng(self.seed).random((2, len(self.truth), len(self.truth))) < 0.5
        faces = [
            np.where(coin[pairs.u, pairs.v], self.truth[each], self.other[each])
            for coin, each in ((first, pairs.u), (second, pairs.v))
        ]
        return np.where(faces[0] == faces[1], 1.0, -1.0)


@pytest.mark.slow
def test_with_correlated_errors_only_the_side_that_holds_is_offered():
    truth = np.random.default_rng(5).integers(5, size=150)
    learner = ok.ActiveClustering(150, batch_size=300)
    for _ in ok.run(learner, TwoFaces(truth, 0), 2500):
        pass
    with pytest.warns(ok.DependentErrorsWarning, match="errors of the answers are correlated"):
        found = learner.accuracy
    assert found.open_ended
    assert found.wrong_pairs_interval[1] == 150 * 149 / 2
    assert found.ari_interval[0] == -1
    assert found.wrong_pairs_interval[0] <= found.expected_wrong_pairs
    assert found.ari_interval[1] >= found.expected_ari
    with pytest.warns(ok.DependentErrorsWarning):
        forecast = learner.forecast(0.999)
    assert forecast.open_ended
    assert forecast.reached or (forecast.high is None and forecast.questions is None and forecast.low >= 1)
    with pytest.warns(ok.DependentErrorsWarning):
        easy = learner.forecast(0.01)
    assert easy.reached
    assert easy.open_ended
    with pytest.warns(ok.DependentErrorsWarning):
        assert Reader(ok.PartitionBelief(), 0).read(learner.answers)[1].open_ended


@pytest.mark.slow
def test_what_correlated_errors_are_worth_is_not_learned_also_from_people_with_names():
    truth = np.random.default_rng(5).integers(5, size=150)
    oracle, learner = TwoFaces(truth, 0), ok.ActiveClustering(150, batch_size=300)
    while learner.n_answers < 2500:
        pairs = learner.ask()
        names = np.where(np.arange(len(pairs)) % 3 == 0, "Ada", "Bo")
        learner.tell(pairs, oracle(pairs), annotator=names.tolist())
    assert learner.calibration.slope == CALIBRATION.slope
    assert learner.posterior.fit is None  # and nobody looks for another reading of them
    memory = replace(learner.belief.carry(learner.posterior), tried_at=77)
    rng = np.random.default_rng(0)
    assert learner.belief.update(learner.answers, carried=memory, rng=rng).tried_at == 77
    again = ok.ActiveClustering.from_document(learner.to_document())
    assert np.array_equal(again.ask(), learner.ask())


@pytest.mark.slow
@pytest.mark.parametrize("make", [ok.NoisyOracle, lambda truth, seed: ok.FlippingOracle(truth, 0.2, seed)])
def test_with_independent_errors_both_sides_are_offered(make):
    truth = np.random.default_rng(6).integers(4, size=60)
    for seed in range(2):
        learner = ok.ActiveClustering(60, batch_size=100, seed=seed)
        for _ in ok.run(learner, make(truth, seed=seed), 900):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ok.ChainsDisagreeWarning)
                assert not learner.accuracy.open_ended
            assert learner.calibration.slope is None


@pytest.mark.slow
def test_looking_changes_nothing():
    truth = np.random.default_rng(7).integers(4, size=60)
    looked, not_looked = (ok.ActiveClustering(60, seed=1) for _ in range(2))
    oracle = TwoFaces(truth, 1)
    for _ in range(6):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _ = looked.accuracy, looked.forecast()
        for learner in (looked, not_looked):
            pairs = learner.ask()
            learner.tell(pairs, oracle(pairs))
    assert np.array_equal(looked.answers.u, not_looked.answers.u)
    assert np.array_equal(looked.answers.v, not_looked.answers.v)
