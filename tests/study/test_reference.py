"""The reference: against the known numbers, against enumeration, and where it ends."""

from itertools import product
from math import inf, log

import numpy as np
import pytest

from ofakind.errors import InvalidInputError
from ofakind.study.curves import Curve
from ofakind.study.problem import prepare
from ofakind.study.reference import (
    REFERENCE,
    answer_kinds,
    information,
    reference_answers,
    reference_at_a_glance,
    reference_sections,
    references,
)
from ofakind.study.setting import Answerer, Data
from ofakind.study.spec import Study

# Answers of a reference that was computed independently.
KNOWN = {
    ("synthetic", Answerer(gamma=0.0)): 2711,
    ("synthetic", Answerer(gamma=0.2)): 3394,
    ("synthetic", Answerer(gamma=0.4)): 4486,
    ("synthetic", Answerer(gamma=0.6)): 6707,
    ("synthetic", Answerer("flip", share=0.1)): 4943,
    ("synthetic", Answerer("flip", share=0.2)): 8839,
    ("user_knowledge", Answerer("flip", share=0.2)): 3279,
    ("ecoli", Answerer(gamma=0.4)): 1287,
    ("cardiotocography", Answerer(gamma=0.4)): 5679,
}
STUDY = """
seeds = 2
budget = 300
methods = ["Uniform", "JEIG"]
oracles = [{ gamma = 0.0 }, { kind = "flip", share = 0.1 }, { kind = "flip", share = 0.5 }, "model"]
datasets = ["iris", { name = "digits", objects = 60 }]
"""


def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize(("name", "oracle"), KNOWN)
def test_it_is_within_five_percent_of_what_was_computed_elsewhere(data_folder, name, oracle):
    sizes = np.unique(prepare(Data(name, 9), oracle, 0).truth, return_counts=True)[1]
    found = reference_answers(sizes, answer_kinds(oracle), rng=rng())
    assert found == pytest.approx(KNOWN[name, oracle], rel=0.05)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_equal_clusters_without_wrong_signs_are_asked_one_after_the_other(k, gamma):
    until_found = [*range(1, k), k - 1]  # the last cluster need not be asked
    found = reference_answers([20] * k, answer_kinds(Answerer(gamma=gamma)), rng=rng())
    assert found / (20 * k) == pytest.approx(np.mean(until_found) / (1 - gamma), rel=0.03)


def test_two_clusters_with_flips_are_a_walk_between_two_limits():
    """Each answer moves the log odds one step; the walk's mean length is known."""
    share, steps = 0.2, 3  # 0.8^3 / (0.8^3 + 0.2^3) > 0.95 > 0.8^2 / (0.8^2 + 0.2^2)
    odds = (share / (1 - share)) ** steps
    expected = steps / (1 - 2 * share) * (1 - odds) / (1 + odds)
    found = reference_answers([50, 50], answer_kinds(Answerer("flip", share=share)), rng=rng())
    assert found / 100 == pytest.approx(expected, rel=0.03)


def test_what_is_known_beforehand_costs_nothing_and_what_cannot_be_known_is_infinite():
    exact, useless = answer_kinds(Answerer(gamma=0.0)), answer_kinds(Answerer("flip", share=0.5))
    assert reference_answers([7], exact, rng=rng()) == reference_answers([], exact, rng=rng()) == 0
    assert reference_answers([REFERENCE.sure * 100, 5], exact, rng=rng()) == 0
    assert reference_answers([5, 5], useless, rng=rng()) == inf
    assert reference_answers([5, 5], answer_kinds(Answerer(gamma=1.0)), rng=rng()) == inf
    assert reference_answers([1, 1], exact, rng=rng()) == 2


@pytest.mark.parametrize("sizes", [[0, 3], [-1], [[2, 3]]])
def test_sizes_that_cannot_be_are_refused(sizes):
    with pytest.raises(InvalidInputError, match="sizes is"):
        reference_answers(sizes, answer_kinds(Answerer(gamma=0.0)), rng=rng())


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("oracle", [Answerer(gamma=0.0), Answerer(gamma=0.4), Answerer("flip", share=0.1)])
def test_the_information_is_that_of_the_joint_table(p, oracle):
    same, different = answer_kinds(oracle)
    joint = np.array([p * same, (1 - p) * different])
    total = 0.0
    for i, j in product(*map(range, joint.shape)):
        if joint[i, j]:
            total += joint[i, j] * log(joint[i, j] / (joint[i].sum() * joint[:, j].sum()))
    assert information(p, same, different) == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize(
    "oracle",
    [
        *(Answerer(gamma=level) for level in (0.0, 0.4, 1.0)),
        *(Answerer("flip", share=level) for level in (0.0, 0.2, 1.0)),
        *(Answerer("graded", spread=level) for level in (0.0, 0.5, 3.0)),
    ],
)
def test_kinds_of_answers_have_the_shares_that_the_oracle_gives(data_folder, oracle):
    same, different = answer_kinds(oracle)
    assert same.sum() == pytest.approx(1)
    assert np.array_equal(different, same[::-1])
    prepared = prepare(Data("synthetic", 9), oracle, 0)
    n, middle = len(prepared.truth), len(same) // 2
    u, v = np.triu_indices(n, 1)
    alike = prepared.truth[u] == prepared.truth[v]
    answers = prepared.oracle(np.stack([u, v], axis=1)[alike])
    sure = [np.mean(answers == -1), np.mean(answers == 1)]
    if oracle.kind != "graded" or oracle.level:
        assert [same[0], same[-1]] == pytest.approx(sure, abs=0.02)
    assert same[:middle].sum() <= np.mean(answers <= 0) + 0.02


def test_a_model_and_people_have_no_reference():
    assert answer_kinds(Answerer("model")) is None
    assert answer_kinds(Answerer("crowd")) is None


# -- beside the runs of a study ----------------------------------------------------------------------------


def run(method, seed, ari, dataset="iris"):
    columns = dict.fromkeys(("k", "ami", "v_measure", "pair_f1", "seconds"), np.ones(3))
    answers, oracle = np.array([100, 200, 300]), "Flipped answers, share 0.1"
    return Curve(dataset, oracle, 0.1, method, seed, answers, ari=np.array(ari), **columns)


@pytest.mark.slow
def test_each_method_stands_beside_the_reference_of_its_setting():
    study = Study.parse(STUDY, "small")
    found = references(study)
    assert len(found) == 2 * 3
    curves = [run("JEIG", 0, [0, 0.9, 1]), run("JEIG", 1, [0.8, 1, 1]), run("Uniform", 0, [0, 0, 0.8])]
    flips, useless, noisy = reference_sections(study, curves)
    assert [part.title for part in (flips, useless, noisy)] == sorted({s.oracle for s in found})
    reference, table = flips.tables
    answers = found["iris", "Flipped answers, share 0.1"]
    assert reference.rows[1] == ("iris", f"{answers:,.0f}")
    assert [row[1] for row in useless.tables[0].rows] == ["—", "—"]
    assert len(useless.tables) == len(noisy.tables) == 1
    assert table.title == "iris"
    assert table.rows == (
        ("JEIG", *(f"{mean / answers:.2f}" for mean in (150, 200, 250, 250))),
        ("Uniform", f"{300 / answers:.2f}", "—", "—", "—"),
    )
    at_a_glance = reference_at_a_glance(study, curves)
    assert [part.title for part in at_a_glance] == [part.title for part in (flips, useless, noisy)]
    (short,) = at_a_glance[0].tables
    assert short.headings == ("dataset", "reference", "JEIG", "Uniform")
    assert short.rows[1] == ("iris", f"{answers:,.0f}", f"{250 / answers:.2f}", "—")
    assert short.rows[0][2:] == ("—", "—")
