"""Where the pair map starts: what is shipped, and how it fits the features that there are."""

import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import ofakind as ok
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.start import START, shipped, start_of
from twins.featured import names, vectors

ROWS = [{"name": name, "city": city} for name, city in zip(names(6, 4)[1], "ABCDEF" * 4, strict=True)]
SCORED = [(0, 1), (1, 2), (0, 5), (3, 4)]
GRAPHS = {
    "text": lambda: Neighbours.from_records(ROWS),
    "vectors": lambda: Neighbours.from_vectors(vectors(4, 6)[1]),
    "probabilities": lambda: Neighbours.from_scores(SCORED, [0.9, 0.2, 0.4, 0.8]),
    "scores": lambda: Neighbours.from_scores(SCORED, [9.0, -2, 4, 8]),
    "text and scores": lambda: Neighbours.from_scores(
        SCORED, [0.9, 0.2, 0.4, 0.8], on=Neighbours.from_records(ROWS)
    ),
    "nothing": lambda: Neighbours.from_records([]),
}
each_graph = pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS)


@each_graph
def test_every_feature_has_a_mean_and_the_precision_is_positive_definite(make):
    near = make()
    start, d = start_of(near), len(near.names)
    assert (start.mean.shape, start.precision.shape) == ((d,), (d, d))
    assert np.isfinite(start.mean).all()
    np.testing.assert_allclose(start.precision, start.precision.T)
    assert np.linalg.eigvalsh(start.precision).min() > 0


@pytest.mark.parametrize("kind", ["text", "vectors"])
def test_shipped_coefficients_are_matched_by_name(kind):
    near = GRAPHS[kind]()
    known = dict(zip(shipped()[kind]["names"], shipped()[kind]["coefficients"], strict=True))
    found = dict(zip(near.names, start_of(near).mean, strict=True))
    assert known.keys() <= found.keys()
    assert {name: found[name] for name in known} == known


@pytest.mark.parametrize("kind", ["text", "vectors"])
def test_the_order_of_the_features_does_not_matter(kind):
    near = GRAPHS[kind]()
    order = np.r_[0, 1 + np.random.default_rng(0).permutation(len(near.names) - 1)]
    other = Neighbours(
        near.n, near.pairs, near.features[:, order], tuple(near.names[at] for at in order), near.kind
    )
    one, two = start_of(near), start_of(other)
    np.testing.assert_array_equal(two.mean, one.mean[order])
    np.testing.assert_allclose(two.precision, one.precision[np.ix_(order, order)])


def test_features_that_the_file_does_not_know_begin_at_nothing_with_little_certainty():
    near = GRAPHS["text"]()
    unknown = [at for at, name in enumerate(near.names) if name not in shipped()["text"]["names"]]
    assert len(unknown) >= 4  # of two fields
    start = start_of(near)
    assert (start.mean[unknown] == 0).all()
    np.testing.assert_array_equal(
        start.precision[np.ix_(unknown, unknown)], START.unknown * np.eye(len(unknown))
    )
    assert START.unknown == 0.5


@pytest.mark.parametrize("kind", ["text", "vectors"])
def test_the_variance_of_the_constant_is_raised_by_the_level_and_nothing_else_is(kind):
    near = GRAPHS[kind]()
    known = shipped()[kind]
    place = [near.names.index(name) for name in known["names"]]
    precision = START.unknown * np.eye(len(near.names))
    counted = START.answers * np.array(known["information"]) + START.least * np.eye(len(place))
    precision[np.ix_(place, place)] = counted
    covariance = np.linalg.inv(precision)
    covariance[0, 0] += START.level
    np.testing.assert_allclose(np.linalg.inv(start_of(near).precision), covariance, rtol=1e-6, atol=1e-8)


def test_a_given_probability_is_believed_before_any_answer_and_half_beside_other_features():
    for kind, name, worth in (
        ("probabilities", "log odds", 1.0),
        ("scores", "score", 1.0),
        ("text and scores", "log odds", 0.5),
    ):
        near = GRAPHS[kind]()
        start, at = start_of(near), near.names.index(name)
        assert start.mean[at] == worth * START.score
        assert start.precision[at, at] == START.certain_score
    start = start_of(GRAPHS["probabilities"]())
    assert start.mean[0] == 0
    np.testing.assert_allclose(np.linalg.inv(start.precision)[0, 0], START.level)


def test_the_start_of_records_is_the_same_when_scores_are_added_to_them():
    alone, both = GRAPHS["text"](), GRAPHS["text and scores"]()
    place = [both.names.index(name) for name in alone.names]
    np.testing.assert_array_equal(start_of(both).mean[place], start_of(alone).mean)
    np.testing.assert_allclose(start_of(both).precision[np.ix_(place, place)], start_of(alone).precision)


def test_nearer_vectors_and_texts_are_likelier_before_any_answer():
    for kind, truth in (("text", names(6, 4)[0]), ("vectors", vectors(4, 6)[0])):
        near = GRAPHS[kind]()
        log_odds = near.features @ start_of(near).mean
        same = truth[near.pairs.u] == truth[near.pairs.v]
        assert log_odds[same].mean() > log_odds[~same].mean() + 1


def test_the_file_names_the_script_that_made_it_and_its_kinds():
    text = (resources.files("ofakind.priors") / "start.json").read_text("utf-8")
    document = json.loads(text)
    script = Path(*document["made by"].removeprefix("python -m ").split(".")).with_suffix(".py")
    assert (Path(__file__).parents[2] / script).exists()
    assert document["kinds"].keys() == {"text", "vectors"}
    for known in document["kinds"].values():
        d = len(known["names"])
        assert known["names"][0] == "constant"
        assert len(set(known["names"])) == d == len(known["coefficients"])
        information = np.array(known["information"])
        np.testing.assert_array_equal(information, information.T)
        assert np.linalg.eigvalsh(information).min() > -1e-8
        assert len(set(known["sets"])) == len(known["sets"]) > 1


def test_a_learner_begins_with_the_start():
    near = GRAPHS["vectors"]()
    learner = ok.ActiveClustering(near.n, prior=near)
    np.testing.assert_array_equal(learner.posterior.forests.pair_map.coefficients, start_of(near).mean)


def test_what_the_start_gives_candidates_of_text_counts_as_answers_and_that_of_others_does_not():
    for kind, answers in (("text", 10.0), ("text and scores", 10.0), ("vectors", 0.0), ("scores", 0.0)):
        near = GRAPHS[kind]()
        start = start_of(near)
        assert start.answers == answers
        if answers:
            np.testing.assert_array_equal(start.candidates, near.features)


def test_of_many_candidates_some_at_even_distances_stand_for_all():
    near = Neighbours.from_records([f"{word} {number}" for number, word in enumerate(names(6, 120)[1])])
    assert len(near.pairs) > START.candidates
    found = start_of(near).candidates
    assert START.candidates / 2 <= len(found) <= START.candidates
    step = -(-len(near.pairs) // START.candidates)
    np.testing.assert_array_equal(found, near.features[::step])
