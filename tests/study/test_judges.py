"""Simulated judges in studies: what they say, of which objects, and cells that have one."""

from dataclasses import replace

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.study.cell import run_cell
from ofakind.study.features import graph_of
from ofakind.study.judges import judge_of, let_judge_look
from ofakind.study.problem import prepare
from ofakind.study.setting import Answerer, Data
from ofakind.study.spec import Cell, Method, PartSpec, Study

IRIS = Data("iris", 60, objects=60, first_batch=20, batch=20, shuffle=True, prior="vectors")
OURS = PartSpec("ofakind:InformationGain")
PAIRS = Pairs.all(60)


def share_right(scores, seed):
    truth = prepare(IRIS, Answerer("flip", share=0.0), seed).truth
    return np.mean((scores > 0) == (truth[PAIRS.u] == truth[PAIRS.v]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_judges_are_as_right_as_their_names_say_and_always_say_the_same(seed):
    kinds = ("good", "flipped", "random", "shuffled", "third", "bought")
    said = {kind: judge_of(IRIS, seed, kind)(PAIRS) for kind in kinds}
    assert share_right(said["good"], seed) > 0.85
    assert np.array_equal(said["flipped"], -said["good"])
    for kind in ("random", "shuffled"):
        assert 0.3 < share_right(said[kind], seed) < 0.7
    assert np.array_equal(np.sort(said["shuffled"]), np.sort(said["good"]))
    turned = said["third"] != said["good"]
    assert 0.45 < turned.mean() < 0.65  # pairs with one of a third of the objects: 1 - (2/3)^2
    assert np.array_equal(said["third"][turned], -said["good"][turned])
    truth = prepare(IRIS, Answerer("flip", share=0.0), seed).truth
    bought = said["bought"] != said["good"]
    assert bought.sum() > 100
    assert np.array_equal(said["bought"], np.where(bought, np.abs(said["good"]), said["good"]))
    assert len(set(truth[PAIRS.u[bought]]) | set(truth[PAIRS.v[bought]])) == 2
    for kind, scores in said.items():
        some = PAIRS.take([5, 700])
        assert np.array_equal(judge_of(IRIS, seed, kind)(some), scores[[5, 700]])


def test_a_judge_needs_objects_that_are_not_asked_about():
    with pytest.raises(InvalidInputError, match="all of iris is asked about"):
        judge_of(replace(IRIS, objects=None), 0, "good")


def test_a_judge_may_go_by_other_features_of_the_same_objects(data_folder):
    pixels = Data("mnist", 60, objects=60, features="pixels", prior="vectors")
    both, cnn = replace(pixels, judge_features="cnn"), replace(pixels, features="cnn")
    said = [judge_of(data, 0, "good")(PAIRS) for data in (pixels, both, cnn)]
    assert np.array_equal(said[1], said[2])
    assert not np.array_equal(said[0], said[1])
    graphs = [graph_of(data, 0) for data in (pixels, both)]
    assert np.array_equal(graphs[0].features, graphs[1].features)
    posts = Data("newsgroups5", 60, objects=60, features="tfidf", judge_features="minilm")
    with pytest.raises(InvalidInputError, match="other objects with minilm features than with tfidf"):
        judge_of(posts, 0, "good")


@pytest.mark.slow
def test_a_cell_with_a_judge_begins_before_any_answer_and_counts_those_of_the_person_only():
    def rows(**others):
        return run_cell(Cell(IRIS, Answerer("flip", share=0.02), Method("m", OURS, **others), 2, 100))[0]

    ours, pooled, alone = (rows(judge="good", judging=each) for each in (None, "pooled", "alone"))
    assert [row["answers"] for row in ours][:: len(ours) - 1] == [0, 60]
    assert [row["answers"] for row in pooled][:: len(pooled) - 1] == [0, 60]
    assert [row["answers"] for row in alone] == [0]
    assert alone[0]["ari"] == pooled[0]["ari"]
    assert ours[-1]["ari"] > rows()[-1]["ari"]


@pytest.mark.slow
def test_several_judges_each_say_what_they_think():
    learner = ok.ActiveClustering(60, seed=0)
    for kind in ("good", "random"):
        let_judge_look(learner, judge_of(IRIS, 0, kind), kind)
    assert learner.judges == ("good", "random")
    method = Method("m", OURS, judge="good+random")
    rows = run_cell(Cell(replace(IRIS, budget=20), Answerer("flip", share=0.02), method, 0, 100))[0]
    assert rows[0]["ari"] == ok.adjusted_rand_index(
        learner.labels, prepare(IRIS, Answerer("flip", share=0.02), 0).truth
    )


@pytest.mark.parametrize(
    ("method", "error"),
    [
        ('{ name = "InformationGain", judge = "wise" }', "the judge of InformationGain"),
        ('{ name = "InformationGain", judge = "good", judging = "x" }', "judging of InformationGain"),
        ('{ name = "InformationGain", judging = "pooled" }', "has judging and no judge"),
        ('{ name = "InformationGain", judge = "good+wise" }', "the judge of InformationGain"),
        ('{ name = "InformationGain", judge = "good+" }', "the judge of InformationGain"),
        ('{ name = "InformationGain", judge = "good+good" }', "two of the judges of InformationGain"),
        ('{ name = "InformationGain", judge = "good+poor", judging = "alone" }', "expected one judge"),
    ],
)
def test_what_no_judge_is_is_refused(method, error):
    text = f'title = "t"\nbudget = 9\noracles = [{{ gamma = 0.1 }}]\nmethods = [{method}]\n'
    text += '[[datasets]]\nname = "iris"\n'
    with pytest.raises(InvalidInputError, match=error):
        Study.parse(text, "s")
