"""The objects of a cell and who answers about them: sizes, disjoint parts, always the same."""

from dataclasses import replace

import numpy as np
import pytest

from ofakind.datasets import load
from ofakind.errors import InvalidInputError
from ofakind.oracles.base import NamingOracle
from ofakind.pairs import Pairs
from ofakind.study import problem
from ofakind.study.problem import ORACLE, prepare
from ofakind.study.setting import BATCHES, Answerer, Data

NOISY, MODEL, CROWD = Answerer("noisy", 0.4), Answerer("model"), Answerer("crowd")
FLIP, GRADED = Answerer("flip", share=0.1), Answerer("graded", spread=0.5)
# Objects asked about with Oracle 1 and with Oracle 2, and those that its model may be trained on.
SIZES = {
    "cifar10": (1000, 1000, 3000),
    "newsgroups5": (1000, 1000, 3896),
    "cardiotocography": (1000, 1000, 1126),
    "ecoli": (336, 168, 168),
    "forest_type_mapping": (523, 261, 262),
    "user_knowledge": (403, 201, 202),
    "mnist": (1000, 1000, 9038),
    "synthetic": (500, 250, 250),
}


def parts(name, variant=None, objects=None):
    return problem._two_parts(name, problem._objects(name, variant, objects), np.random.default_rng(0))


def answers(prepared):
    pairs = prepared.candidates or Pairs.all(len(prepared.truth))
    return prepared.oracle(pairs.take(np.arange(0, len(pairs), max(1, len(pairs) // 500))))


def test_all_datasets_of_the_paper_are_here():
    assert set(SIZES) == set(BATCHES)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_a_dataset_of_the_paper_has_its_size_with_either_oracle(data_folder, name):
    noisy, model = prepare(Data(name, 100), NOISY, 0), prepare(Data(name, 100), MODEL, 0)
    asked, training = parts(name)
    assert (len(noisy.truth), len(model.truth), training.n) == SIZES[name]
    assert np.array_equal(model.truth, asked.labels)
    assert np.intersect1d(asked.rows, training.rows).size == 0
    assert model.features.shape[1] == noisy.features.shape[1]
    assert noisy.noise == 0.2
    assert ORACLE.least_noise <= model.noise < 0.4
    values = answers(model)
    assert np.all(np.abs(values) < 1)
    assert len(np.unique(values)) > 50


@pytest.mark.parametrize("variant", ["paper", "distinct", "all", "rest"])
@pytest.mark.parametrize("objects", [None, 50, 300])
def test_a_model_never_sees_what_is_asked_about(data_folder, variant, objects):
    for name in ("ecoli", "cardiotocography"):
        asked, training = parts(name, variant, objects)
        assert np.intersect1d(asked.rows, training.rows).size == 0
        assert 0 < asked.n <= (objects or problem._objects(name, variant, None).n)
        assert training.n > 0


@pytest.mark.slow
def test_a_model_asks_about_no_more_objects_than_are_wanted():
    assert len(prepare(Data("digits", 100, objects=60), MODEL, 0).truth) == 60
    assert len(prepare(Data("iris", 100), MODEL, 0).truth) == pytest.approx(75, abs=1)


@pytest.mark.slow
@pytest.mark.parametrize("oracle", [NOISY, MODEL])
def test_everything_is_the_same_each_time(oracle):
    wanted = Data("iris", 100, objects=None if oracle == MODEL else 60)
    first = prepare(wanted, oracle, 5)
    seen = answers(first)
    problem._objects.cache_clear()
    problem._model_problem.cache_clear()
    again = prepare(wanted, oracle, 5)
    assert np.array_equal(first.truth, again.truth)
    assert np.array_equal(first.features, again.features)
    assert np.array_equal(seen, answers(again))
    assert first.noise == again.noise


def test_the_seed_is_that_of_the_noise_and_not_of_the_model():
    wanted = Data("iris", 100)
    assert not np.array_equal(answers(prepare(wanted, NOISY, 0)), answers(prepare(wanted, NOISY, 1)))
    assert np.array_equal(answers(prepare(wanted, MODEL, 0)), answers(prepare(wanted, MODEL, 1)))


def test_two_cells_do_not_share_the_memory_of_an_oracle():
    first, second = (prepare(Data("iris", 100), NOISY, 0) for _ in range(2))
    assert np.array_equal(answers(first), answers(second))


def test_noise_is_half_of_gamma_but_never_nothing():
    assert prepare(Data("iris", 100), Answerer("noisy", 0.0), 0).noise == ORACLE.least_noise
    assert prepare(Data("iris", 100), Answerer("noisy", 1.0), 0).noise == 0.5


@pytest.mark.parametrize("oracle", [FLIP, GRADED, Answerer("graded", spread=0.0)])
def test_noise_is_the_share_of_answers_with_a_wrong_sign(oracle):
    prepared = prepare(Data("iris", 100), oracle, 3)
    pairs = Pairs.all(150)
    same = prepared.truth[pairs.u] == prepared.truth[pairs.v]
    wrong = np.mean((prepared.oracle(pairs) > 0) != same)
    deviation = np.sqrt(prepared.noise / len(pairs))
    assert abs(max(wrong, ORACLE.least_noise) - prepared.noise) < 6 * deviation


@pytest.mark.parametrize("oracle", [NOISY, FLIP, GRADED, MODEL])
def test_shuffled_objects_are_the_same_ones_in_the_order_of_the_seed(oracle):
    wanted = Data("iris", 100, standardise=True)
    plain, orders = prepare(wanted, oracle, 5), []
    for seed in (5, 5, 6):
        shuffled = prepare(replace(wanted, shuffle=True), oracle, seed)
        order = np.random.default_rng([seed, problem.SHUFFLE_STREAM]).permutation(len(plain.truth))
        orders.append(shuffled.truth.tolist())
        assert np.array_equal(shuffled.truth, plain.truth[order])
        assert np.array_equal(shuffled.features, plain.features[order])
        if seed == 5:
            pairs = Pairs.all(len(order))
            asked = prepare(wanted, oracle, 5).oracle(Pairs.of(order[pairs.u], order[pairs.v]))
            assert np.array_equal(shuffled.oracle(pairs), asked)
            assert shuffled.oracle(Pairs.empty()).shape == (0,)
    assert orders[0] == orders[1] != orders[2]


def test_shuffled_real_workers_are_asked_only_what_they_answered(data_folder):
    wanted = Data("crowd_restaurants", 100, shuffle=True)
    prepared = prepare(wanted, CROWD, 0)
    assert len(prepared.candidates) == 2004
    same = prepared.truth[prepared.candidates.u] == prepared.truth[prepared.candidates.v]
    values = prepared.oracle(prepared.candidates)
    assert np.mean((values > 0) == same) > 0.7


def test_a_part_of_a_dataset_is_the_same_for_every_seed():
    parts_of = [prepare(Data("digits", 100, objects=50), NOISY, seed).features for seed in (0, 1)]
    assert np.array_equal(*parts_of)
    assert parts_of[0].shape == (50, 64)
    assert len(prepare(Data("iris", 100, objects=10**6), NOISY, 0).truth) == 150


def test_standard_features_have_mean_0_and_deviation_1_and_nothing_else_changes():
    plain, standard = (prepare(Data("digits", 9, standardise=s), NOISY, 0) for s in (False, True))
    assert np.array_equal(plain.features, load("digits").features)
    assert np.allclose(standard.features.mean(axis=0), 0, atol=1e-12)
    spread = standard.features.std(axis=0)
    constant = plain.features.std(axis=0) == 0
    assert constant.any()
    assert np.array_equal(standard.features[:, constant], np.zeros((1797, constant.sum())))
    assert np.allclose(spread[~constant], 1)
    assert np.array_equal(answers(plain), answers(standard))


def test_real_workers_are_asked_only_what_they_answered(data_folder):
    prepared = prepare(Data("crowd_restaurants", 100), CROWD, 0)
    assert (len(prepared.truth), len(prepared.candidates)) == (858, 2004)
    assert set(answers(prepared)) == {-1.0, 1.0}
    with pytest.raises(InvalidInputError):
        prepared.oracle([(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)])
    other = prepare(Data("crowd_restaurants", 100), CROWD, 1)
    every = prepared.candidates
    assert not np.array_equal(
        prepare(Data("crowd_restaurants", 100), CROWD, 0).oracle(every), other.oracle(every)
    )


def test_an_oracle_that_a_dataset_cannot_have_is_refused(data_folder):
    with pytest.raises(InvalidInputError, match="iris has no answers of real workers"):
        prepare(Data("iris", 100), CROWD, 0)
    with pytest.raises(InvalidInputError, match="cora has no features"):
        prepare(Data("cora", 100), MODEL, 0)


@pytest.mark.slow
@pytest.mark.parametrize("shuffle", [False, True])
def test_real_workers_have_names_unless_they_are_anonymous(data_folder, shuffle):
    wanted = Data("crowd_restaurants", 100, variant="qualification_test", shuffle=shuffle)
    named, nameless = (prepare(wanted, Answerer("crowd", anonymous=a), 3) for a in (False, True))
    values, names = named.oracle.answers_with_names(named.candidates)
    assert len(set(names)) == 10
    assert "" not in names
    assert not isinstance(nameless.oracle, NamingOracle)
    assert np.array_equal(values, nameless.oracle(nameless.candidates))
    assert np.array_equal(prepare(wanted, CROWD, 3).oracle(named.candidates), values)


def test_only_real_workers_can_be_anonymous():
    with pytest.raises(InvalidInputError, match="the noisy oracle is anonymous"):
        Answerer("noisy", 0.4, anonymous=True)
