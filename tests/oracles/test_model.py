"""The pairwise model: Oracle 2 of the paper, and the report on any oracle."""

import csv
import pickle
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from ofakind.clustering import adjusted_rand_index
from ofakind.errors import InvalidInputError, TooLargeError
from ofakind.oracles import model as module
from ofakind.oracles.model import ModelOracle, OracleReport, PairModel
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch


def blobs(n, *, kinds=4, apart=3.0, seed=0):
    """Points in five dimensions around the centre of their kind, and the kinds."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % kinds
    centres = np.random.default_rng(99).normal(size=(kinds, 5)) * apart
    return centres[labels] + rng.normal(size=(n, 5)), labels


def fit(features, labels, seed=0):
    return PairModel.fit(features, labels, rng=np.random.default_rng(seed))


@pytest.fixture(scope="module")
def model():
    return fit(*blobs(200))


@pytest.fixture(scope="module")
def asked():
    return blobs(90, seed=1)


# -- answers -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_answers_are_symmetric_and_inside_the_open_interval(model, asked):
    oracle, pairs = model.oracle(asked[0]), np.asarray(Pairs.all(90))
    answers = oracle(pairs)
    assert np.array_equal(answers, oracle(pairs[:, ::-1]))
    assert np.all(np.abs(answers) < 1)
    assert answers.dtype == np.float64


def test_exchanging_two_objects_exchanges_nothing_but_their_names(model, asked):
    features = asked[0]
    forth, back = model.oracle(features), model.oracle(features[::-1])
    u, v = np.asarray(Pairs.all(90)).T
    assert np.allclose(forth(np.c_[u, v]), back(np.c_[89 - u, 89 - v]), rtol=0, atol=1e-12)


def test_an_answer_is_two_p_minus_one_of_the_written_out_model(model, asked):
    features, oracle = asked[0], model.oracle(asked[0])
    for u, v in [(0, 1), (5, 80), (17, 3)]:
        h = []
        for x in (features[u], features[v]):
            code = (x - model.mean) / model.scale
            for weights, bias in model.layers:
                code = np.maximum(code @ weights + bias, 0)
            h.append(code)
        z = model.weights @ np.r_[np.abs(h[0] - h[1]), h[0] * h[1]] + model.bias
        assert oracle([(u, v)])[0] == pytest.approx(2 / (1 + np.exp(-z)) - 1, abs=1e-9)


def test_a_question_alone_and_in_any_batch_gets_the_same_answer(model, asked):
    oracle, pairs = model.oracle(asked[0]), Pairs.all(90)
    together = oracle(pairs)
    assert np.array_equal(together, [oracle([pair])[0] for pair in pairs])
    order = np.random.default_rng(0).permutation(len(pairs))
    assert np.array_equal(together[order], oracle(pairs.take(order)))


def test_blocks_do_not_show(model, asked, monkeypatch):
    oracle, pairs = model.oracle(asked[0]), Pairs.all(90)
    expected = oracle(pairs)
    monkeypatch.setattr(module, "MODEL", replace(module.MODEL, block=17))
    assert np.array_equal(oracle(pairs), expected)


@pytest.mark.slow
def test_equal_seeds_give_equal_models_on_one_thread_and_on_two(asked):
    pairs = Pairs.all(90)
    with threadpool_limits(1):
        one = fit(*blobs(120), seed=5).oracle(asked[0])(pairs)
    with threadpool_limits(2):
        two = fit(*blobs(120), seed=5).oracle(asked[0])(pairs)
    assert np.array_equal(one, two)
    assert not np.array_equal(one, fit(*blobs(120), seed=6).oracle(asked[0])(pairs))


@pytest.mark.slow
def test_training_and_asking_leave_what_they_are_given_alone():
    (features, labels), (others, _) = blobs(40), blobs(20, seed=1)
    kept = features.copy(), labels.copy(), others.copy()
    fit(features, labels).oracle(others)(Pairs.all(20))
    assert all(
        np.array_equal(now, before) for now, before in zip((features, labels, others), kept, strict=True)
    )


def test_the_model_is_frozen_and_survives_being_sent_elsewhere(model, asked):
    oracle, pairs = model.oracle(asked[0]), Pairs.all(90)
    with pytest.raises(AttributeError):
        model.bias = 0.0
    for array in (
        model.mean,
        model.scale,
        model.weights,
        oracle.codes,
        *(w for both in model.layers for w in both),
    ):
        assert not array.flags.writeable
    assert np.array_equal(pickle.loads(pickle.dumps(oracle))(pairs), oracle(pairs))  # noqa: S301


def test_the_objects_asked_about_do_not_change_the_model(model, asked):
    features = asked[0]
    few, many = model.oracle(features[:10]), model.oracle(np.r_[features, features * 100])
    pairs = Pairs.all(10)
    assert np.allclose(few(pairs), many(pairs), rtol=0, atol=1e-12)


def test_none_and_one_object_can_be_asked_about(model):
    for n in (0, 1):
        assert model.oracle(np.zeros((n, 5)))(Pairs.empty()).shape == (0,)
    with pytest.raises(InvalidInputError, match=r"question 0 is \(0, 1\)"):
        model.oracle(np.zeros((1, 5)))([(0, 1)])


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1.0, 1e-80])
def test_an_object_far_outside_gets_answers_too(unit):
    features, labels = blobs(40)
    model = fit(features * unit, labels)
    others = features[:10] * unit
    others[:4] = [[1e90], [-1e90], [1e6], [0]]
    answers = model.oracle(others)(Pairs.all(10))
    assert np.all(np.abs(answers) < 1)


# -- what it learns ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_kinds_far_apart_are_told_apart_and_hidden_ones_are_not(seed):
    truth = blobs(120, seed=10 + seed)[1]
    rng = np.random.default_rng(seed)
    far = fit(*blobs(200, apart=8.0, seed=seed)).oracle(blobs(120, apart=8.0, seed=10 + seed)[0])
    good = OracleReport.of(far, truth, rng=rng)
    assert good.ceiling > 0.99
    assert good.sign_error < 0.02
    hidden = fit(*blobs(200, apart=0.0, seed=seed)).oracle(blobs(120, apart=0.0, seed=10 + seed)[0])
    assert OracleReport.of(hidden, truth, rng=rng).ceiling < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_sign_error_on_held_out_pairs_foretells_that_on_others(seed):
    model = fit(*blobs(600, apart=1.0, seed=seed), seed=seed)
    features, truth = blobs(300, apart=1.0, seed=10 + seed)
    error = OracleReport.of(model.oracle(features), truth, rng=np.random.default_rng(0)).sign_error
    assert 0.05 < error < 0.4
    assert abs(model.sign_error - error) < 0.06


@pytest.mark.slow
def test_the_sign_error_is_that_of_all_pairs_of_the_held_out_objects(monkeypatch):
    held = []
    split = module._split

    def spy(kinds, rng):
        parts = split(kinds, rng)
        held.append(parts[1])
        return parts

    monkeypatch.setattr(module, "_split", spy)
    features, labels = blobs(150, apart=1.0)
    model = fit(features, labels)
    pairs = np.array(list(combinations(held[0], 2)))
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    assert model.sign_error == np.mean((model.oracle(features)(pairs) > 0) != same)


@pytest.mark.slow
def test_units_and_shifts_of_the_features_do_not_matter():
    (features, labels), (others, _) = blobs(100), blobs(40, seed=1)
    plain = fit(features, labels).oracle(others)(Pairs.all(40))
    moved = fit(features * 1024 + 2048, labels).oracle(others * 1024 + 2048)(Pairs.all(40))
    assert np.array_equal(np.sign(plain), np.sign(moved))
    assert np.allclose(plain, moved, atol=1e-3)


@pytest.mark.slow
def test_names_of_the_kinds_may_be_text(asked):
    features, labels = blobs(60)
    names = np.array(["a", "b", "c", "d"])[labels]
    pairs = Pairs.all(90)
    assert np.array_equal(
        fit(features, labels).oracle(asked[0])(pairs), fit(features, names.tolist()).oracle(asked[0])(pairs)
    )


# -- small and strange training parts ----------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[], [0], [0, 0], [0, 1], [0] * 9, list(range(9))])
def test_without_a_pair_of_each_sort_there_is_nothing_to_learn(labels):
    with pytest.raises(
        InvalidInputError, match=rf"the {len(labels)} training labels are of {len(set(labels))} kinds"
    ):
        fit(np.random.default_rng(0).normal(size=(len(labels), 2)), labels)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [[0, 0, 1], [0, 0, 1, 1], [0] * 30 + [1], [*range(20), 0]])
def test_the_smallest_training_parts_give_a_model(labels):
    features = np.random.default_rng(1).normal(size=(len(labels), 3))
    model = fit(features, labels)
    answers = model.oracle(features)(Pairs.all(len(labels)))
    assert np.all(np.abs(answers) < 1)
    assert 0 <= model.sign_error <= 1


@pytest.mark.parametrize("value", [0.0, 0.1, 1e99])
def test_constant_features_teach_nothing_and_do_no_harm(value):
    features = np.full((40, 3), value)
    answers = fit(features, np.arange(40) % 2).oracle(features)(Pairs.all(40))
    assert np.ptp(answers) == 0
    assert abs(answers[0]) < 0.1  # as many pairs of one kind as of different kinds: undecided


@pytest.mark.slow
def test_one_informative_column_among_constant_ones_is_enough():
    features, labels = blobs(80, kinds=2, apart=9.0)
    features[:, 1:] = 0.1
    report = OracleReport.of(fit(features, labels).oracle(features), labels, rng=np.random.default_rng(0))
    assert report.ceiling > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e101])
def test_a_missing_feature_is_refused_by_its_place(bad):
    features, labels = blobs(20)
    features[7, 2] = bad
    with pytest.raises(InvalidInputError, match=r"feature 2 of object 7 is .*; expected finite numbers"):
        fit(features, labels)
    good = fit(*blobs(20))
    with pytest.raises(InvalidInputError, match="feature 2 of object 7"):
        good.oracle(features)


@pytest.mark.parametrize(
    "features", [[1.0, 2.0, 3.0], np.zeros((3, 0)), np.zeros((3, 1, 1)), [["a"], ["b"], ["c"]], None]
)
def test_features_are_a_table_of_numbers(features):
    with pytest.raises(InvalidInputError, match="features"):
        fit(features, [0, 0, 1])


def test_labels_and_columns_must_fit(model):
    with pytest.raises(InvalidInputError, match="got 3 labels for 4 objects"):
        fit(np.zeros((4, 2)), [0, 0, 1])
    with pytest.raises(InvalidInputError, match="features have 4 columns and those of the training part 5"):
        model.oracle(np.zeros((2, 4)))


# -- parts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("same", [True, False])
def test_training_pairs_are_drawn_uniformly_among_those_of_their_sort(same, monkeypatch):
    monkeypatch.setattr(module, "MODEL", replace(module.MODEL, pairs=60_000))
    kinds = np.array([2, 0, 1, 0, 2, 0, 0])
    u, v = module._draw_pairs(kinds, same=same, rng=np.random.default_rng(3))
    meant = [(a, b) for a, b in combinations(range(7), 2) if (kinds[a] == kinds[b]) == same]
    counts = np.array([np.sum((np.minimum(u, v) == a) & (np.maximum(u, v) == b)) for a, b in meant])
    assert counts.sum() == 60_000
    expected = 60_000 / len(meant)
    freedom = len(meant) - 1
    assert np.sum((counts - expected) ** 2 / expected) < freedom + 8 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("seed", range(3))
def test_a_fifth_of_each_kind_is_held_out_and_none_of_it_fitted(seed):
    kinds = np.repeat([0, 1, 2, 3], [50, 20, 11, 1])
    fitted, held = module._split(kinds, np.random.default_rng(seed))
    assert sorted([*fitted, *held]) == list(range(82))
    assert np.bincount(kinds[held], minlength=4).tolist() == [10, 4, 2, 0]


def test_too_small_a_part_is_fitted_and_checked_on_itself():
    fitted, held = module._split(np.array([0, 0, 1, 1]), np.random.default_rng(0))
    assert sorted(fitted) == sorted(held) == [0, 1, 2, 3]


# -- the report --------------------------------------------------------------------------------------------


def counted(oracle, truth):
    """Precision, recall and sign error, pair by pair."""
    hits = claims = same = wrong = total = 0
    for u, v in combinations(range(len(truth)), 2):
        claim, true = oracle([(u, v)])[0] > 0, truth[u] == truth[v]
        hits += claim and true
        claims += claim
        same += true
        wrong += claim != true
        total += 1
    return hits / claims, hits / same, wrong / total


@pytest.mark.parametrize("block", [1, 7, 10**6])
@pytest.mark.parametrize("seed", range(3))
def test_a_report_counts_what_counting_pair_by_pair_gives(seed, block, monkeypatch):
    monkeypatch.setattr(module, "MODEL", replace(module.MODEL, block=block))
    truth = np.random.default_rng(seed).integers(4, size=25)
    report = OracleReport.of(NoisyOracle(truth, 0.6, seed), truth, rng=np.random.default_rng(0))
    expected = counted(NoisyOracle(truth, 0.6, seed), truth)
    assert (report.precision, report.recall, report.sign_error) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_ceiling_is_the_agreement_of_the_clustering_of_all_answers(seed):
    truth = np.random.default_rng(seed).integers(4, size=60)
    report = OracleReport.of(NoisyOracle(truth, 0.8, seed), truth, rng=np.random.default_rng(seed))
    pairs = Pairs.all(60)
    similarity = Similarity.from_pairs(60, pairs.u, pairs.v, NoisyOracle(truth, 0.8, seed)(pairs))
    labels = LocalSearch()(similarity, rng=np.random.default_rng(seed)).labels
    assert report.ceiling == adjusted_rand_index(labels, truth)


def test_the_truth_gets_full_marks_and_its_contrary_none():
    truth = ["a", "b", "a", "b", "c"]
    right = NoisyOracle(truth, 0)
    rng = np.random.default_rng(0)
    assert OracleReport.of(right, truth, rng=rng) == OracleReport(1.0, 1.0, 0.0, 1.0)
    contrary = OracleReport.of(lambda pairs: -right(pairs), truth, rng=rng)
    assert (contrary.precision, contrary.recall, contrary.sign_error) == (0.0, 0.0, 1.0)


def test_an_undecided_answer_counts_as_not_of_a_kind():
    report = OracleReport.of(lambda pairs: np.zeros(len(pairs)), [0, 0, 1], rng=np.random.default_rng(0))
    assert (report.precision, report.recall) == (1.0, 0.0)
    assert report.sign_error == pytest.approx(1 / 3)


@pytest.mark.parametrize("truth", [[], [0], [0, 0], [0, 1]])
def test_the_smallest_truths_are_reported_on(truth):
    report = OracleReport.of(NoisyOracle(truth, 0), truth, rng=np.random.default_rng(0))
    assert report == OracleReport(1.0, 1.0, 0.0, 1.0)


def test_too_many_objects_are_refused_before_anything_is_asked():
    def refuse(pairs):
        raise AssertionError("it was asked")

    with pytest.raises(TooLargeError, match="at most 4000; take a sample"):
        OracleReport.of(refuse, np.zeros(4001, int), rng=np.random.default_rng(0))


# -- real data ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_half_of_the_ecoli_proteins_teach_a_useful_oracle_about_the_other_half(data_folder):
    with (data_folder / "ecoli" / "records.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = ["mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"]
    features = np.array([[float(row[name]) for name in names] for row in rows])
    labels = np.array([row["cluster"] for row in rows])
    order = np.random.default_rng(0).permutation(len(rows))
    training, others = order[::2], order[1::2]
    oracle = fit(features[training], labels[training]).oracle(features[others])
    assert isinstance(oracle, ModelOracle)
    report = OracleReport.of(oracle, labels[others], rng=np.random.default_rng(0))
    assert 0.5 < report.ceiling < 0.95  # neither useless nor perfect
    assert report.precision > 0.6
    assert report.recall > 0.7
