"""Features in studies: whose they are, in which order, made how often; and cells that have some."""

from dataclasses import replace

import numpy as np
import pytest

from ofakind.datasets import load
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import InvalidInputError
from ofakind.oracles.noisy import FlippingOracle
from ofakind.priors.neighbours import Neighbours
from ofakind.rivals import TransitiveJoin, UncertaintySampling, looks
from ofakind.study.cell import run_cell
from ofakind.study.features import given_rows, graph_of, vectors_of
from ofakind.study.measures import pair_f1
from ofakind.study.problem import order_of, prepare, standardised
from ofakind.study.setting import Answerer, Data
from ofakind.study.spec import Cell, Method, PartSpec

IRIS = Data("iris", 60, objects=60, first_batch=20, batch=20, shuffle=True, prior="vectors")
RIGHT = Answerer("flip", share=0.0)
OURS = PartSpec("ofakind:InformationGain")


def same_graph(one, other):
    return np.array_equal(one.pairs.u, other.pairs.u) and np.array_equal(one.features, other.features)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 50])
@pytest.mark.parametrize("whose", ["own", "shuffled", "half"])
def test_no_features_are_given_to_two_objects(n, whose):
    rows = given_rows(n, whose, np.random.default_rng(n))
    assert np.array_equal(np.sort(rows), np.arange(n))


def test_half_of_the_objects_keep_their_own_features():
    rows = given_rows(1000, "half", np.random.default_rng(0))
    assert 500 <= np.sum(rows == np.arange(1000)) < 510
    assert np.sum(given_rows(1000, "shuffled", np.random.default_rng(0)) == np.arange(1000)) < 10


@pytest.mark.parametrize("whose", ["own", "shuffled", "half"])
def test_the_graph_is_that_of_the_vectors_in_the_order_of_the_cell(whose):
    vectors = vectors_of(IRIS, 4, whose)
    assert same_graph(graph_of(IRIS, 4, whose), Neighbours.from_vectors(vectors))
    own = prepare(IRIS, RIGHT, 4).features
    assert np.array_equal(vectors, own) == (whose == "own")
    assert np.array_equal(np.sort(vectors, axis=0), np.sort(own, axis=0))


def test_a_graph_is_made_once_for_all_cells_that_share_it():
    assert graph_of(IRIS, 4) is graph_of(replace(IRIS, budget=99, batch=3, repeats=2), 4)
    assert graph_of(IRIS, 4) is not graph_of(IRIS, 5)
    still = replace(IRIS, shuffle=False)
    assert graph_of(still, 4) is graph_of(still, 5)
    assert not same_graph(graph_of(still, 4, "half"), graph_of(still, 5, "half"))


def test_vectors_are_scaled_where_the_dataset_says_so():
    scaled = replace(IRIS, standardise=True)
    assert vectors_of(scaled, 1) == pytest.approx(standardised(vectors_of(IRIS, 1)))
    assert same_graph(graph_of(scaled, 1), Neighbours.from_vectors(vectors_of(scaled, 1)))


def test_what_a_dataset_has_not_cannot_be_its_prior():
    with pytest.raises(InvalidInputError, match="iris has no records; expected the prior 'vectors'"):
        graph_of(replace(IRIS, prior="records"), 0)


# -- cells -------------------------------------------------------------------------------------------------


def cell(part=OURS, *, data=IRIS, share=0.0, **others):
    return Cell(data, Answerer("flip", share=share), Method("m", part, **others), 2, 100)


@pytest.mark.slow
def test_a_learner_with_features_is_looked_at_before_any_answer_and_after_every_batch():
    rows, seconds, _ = run_cell(cell(features="own"))
    truth, vectors = prepare(IRIS, RIGHT, 2).truth, vectors_of(IRIS, 2)
    prior = Neighbours.from_vectors(vectors)
    learner, oracle = ActiveClustering(60, prior=prior, batch_size=20, seed=2), FlippingOracle(truth, 0.0, 2)
    for row in rows:
        assert row["answers"] == learner.n_answers
        assert row["pair_f1"] == pair_f1(learner.labels, truth)
        assert (row["wrong_low"], row["wrong_high"]) == learner.accuracy.wrong_pairs_interval
        if row is not rows[-1]:
            left = 60 - learner.n_answers
            pairs = learner.ask(left if left < 20 else None)
            learner.tell(pairs, oracle(pairs))
    assert rows[0]["answers"] == 0
    assert rows[-1]["answers"] == 60
    assert len(seconds) == len(rows)


@pytest.mark.slow
def test_a_learner_without_features_is_not_told_of_any():
    rows = run_cell(cell())[0]
    unaware = run_cell(cell(data=replace(IRIS, prior=None)))[0]
    more = {"pair_precision", "pair_recall"}
    assert [{name: row[name] for name in row if name not in more} for row in rows] == unaware
    assert all(more <= row.keys() for row in rows)


@pytest.mark.parametrize("rival", [TransitiveJoin(), UncertaintySampling(batch_size=20)], ids=repr)
def test_a_rival_on_a_graph_is_looked_at_in_one_run_with_the_same_graph_as_ours(rival):
    part = PartSpec(f"ofakind.rivals:{type(rival).__name__}")
    rows, _, _ = run_cell(cell(part, share=0.1, features="own", one_run=True))
    truth = prepare(IRIS, RIGHT, 2).truth
    near, oracle = Neighbours.from_vectors(vectors_of(IRIS, 2)), FlippingOracle(truth, 0.1, 2)
    oracle_of_study = prepare(IRIS, Answerer("flip", share=0.1), 2).oracle
    assert oracle is not oracle_of_study
    seen = looks(rival, 60, oracle_of_study, budgets=[0, 20, 40, 60], seed=2, prior=near)
    expected = [pair_f1(look.labels, truth) for look in seen]
    assert [row["answers"] for row in rows] == [0, 20, 40, 60]
    assert [row["pair_f1"] for row in rows] == expected
    assert all(row["wrong_pairs"] >= 0 and "expected_wrong_pairs" not in row for row in rows)


def test_precision_recall_and_wrong_pairs_fit_the_f1():
    part = PartSpec("ofakind.rivals:COBRAS", {"n_init": 1})
    for row in run_cell(cell(part, one_run=True))[0]:
        precision, recall = row["pair_precision"], row["pair_recall"]
        assert row["pair_f1"] == pytest.approx(2 * precision * recall / (precision + recall))


@pytest.mark.slow
def test_features_of_other_objects_say_nothing():
    rows = {whose: run_cell(cell(features=whose))[0] for whose in ("own", "half", "shuffled")}
    own, half, shuffled = (np.mean([row["pair_f1"] for row in found]) for found in rows.values())
    assert own > max(half, shuffled)


# -- real files --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_records_are_read_as_a_graph_and_as_vectors(data_folder):
    data = Data("restaurants", 100, prior="records", shuffle=True)
    near, order = graph_of(data, 3), order_of(data, 3, 864)
    records = load("restaurants").records
    assert near.kind == "text"
    assert same_graph(near, Neighbours.from_records([dict(records[place]) for place in order]))
    vectors = vectors_of(data, 3)
    assert vectors.shape == (864, 100)
    truth = prepare(data, RIGHT, 3).truth
    nearest = np.argmax(vectors @ vectors.T - 2 * np.eye(864), axis=1)
    paired = np.bincount(truth)[truth] == 2
    assert np.mean(truth[nearest] == truth, where=paired) > 0.8
    rows = run_cell(
        Cell(
            *(replace(data, budget=140, batch=20), RIGHT),
            Method("m", PartSpec("ofakind.rivals:TransitiveJoin"), features="own", one_run=True),
            *(0, 100),
        )
    )[0]
    assert next(row["answers"] for row in rows if row["pair_f1"] >= 0.95) in (100, 120, 140)


@pytest.mark.slow
def test_a_part_in_whole_groups_has_all_members_of_its_groups(data_folder):
    data = Data("historical_50k", 100, objects=5000, whole_groups=True, prior="records")
    truth = prepare(data, RIGHT, 0).truth
    sizes = np.bincount(load("historical_50k").labels)
    assert 4950 < len(truth) <= 5000
    found, counts = np.unique(truth, return_counts=True)
    assert np.array_equal(counts, sizes[found])


@pytest.mark.slow
def test_a_study_may_ask_for_other_features_of_a_dataset(data_folder):
    usual, pixels = (Data("mnist", 9, features=kind, prior="vectors") for kind in (None, "pixels"))
    assert vectors_of(usual, 0).shape == (1000, 128)
    assert vectors_of(pixels, 0).shape == (1000, 784)
    assert (usual.title, pixels.title) == ("mnist", "mnist (pixels)")
