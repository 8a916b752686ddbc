"""What is carried over: written and read, refused when damaged, and fitted to other pins and objects."""

import json
from functools import cache

import numpy as np
import pytest
from scipy.special import logit

from ofakind import InvalidInputError, Neighbours, Pairs
from ofakind.engine.document import plain
from ofakind.pins import Pins
from ofakind.posterior.forest.carried import CarriedForests
from ofakind.posterior.forest.loop import one_round
from ofakind.posterior.forest.trees import tree_prior_of
from ofakind.priors.judged import judged_graph
from ofakind.priors.pair_map import MAP
from twins import judged as liar
from twins.featured import near_vectors, problem_of, some_answers, vectors

TRUTH, NEAR = near_vectors(6, 4)
N = len(TRUTH)
ANSWERS = some_answers(TRUTH, np.asarray(NEAR.pairs)[::7], wrong=0.1)
pytestmark = pytest.mark.slow


@cache
def carried():
    return CarriedForests.of(one_round(problem_of(ANSWERS, NEAR), None, np.random.default_rng(0)))


def entry(**changes):
    return {**json.loads(json.dumps(plain(carried().to_entry()))), **changes}


def trees(parents):
    """The root of each node."""
    found = np.arange(len(parents))
    for _ in parents:
        found = np.where(parents[found] < 0, found, parents[found])
    assert (parents[found] < 0).all()
    return found


def partition(labels):
    return (np.asarray(labels)[:, None] == np.asarray(labels)).tolist()


@pytest.mark.parametrize("saved", [False, True])
def test_a_posterior_is_made_again_to_the_last_bit_from_what_was_carried_over(saved):
    problem = problem_of(ANSWERS, NEAR)
    posterior = one_round(problem, None, np.random.default_rng(0))
    kept = CarriedForests.of(posterior)
    if saved:
        kept = CarriedForests.from_entry(json.loads(json.dumps(plain(kept.to_entry()))), N)
    again = kept.posterior(problem.graph, problem.candidates)
    u, v = np.triu_indices(N, 1)
    np.testing.assert_array_equal(again.same_probability(u, v), posterior.same_probability(u, v))
    for name in ("labels", "parents", "chain", "own", "candidate_same", "answered_same"):
        np.testing.assert_array_equal(getattr(again, name), getattr(posterior, name))
        assert not getattr(again, name).flags.writeable
    for name in ("scale", "n_answers", "log_likelihood", "fit"):
        assert getattr(again, name) == getattr(posterior, name)


def test_what_is_written_again_is_the_same():
    assert plain(CarriedForests.from_entry(entry(), N).to_entry()) == entry()


def circle():
    found = entry()["parents"]
    found[3][:3] = [1, 2, 0]
    return found


def replaced(name, value):
    return [[value, *row[1:]] for row in entry()[name]]


DAMAGES = {
    "a circle": (lambda: {"parents": circle()}, "circle"),
    "its own parent": (lambda: {"own": [0, *entry()["own"][1:]]}, "circle"),
    "a label too high": (lambda: {"labels": replaced("labels", N)}, "outside"),
    "a label below 0": (lambda: {"labels": replaced("labels", -1)}, "outside"),
    "a parent too high": (lambda: {"parents": replaced("parents", N)}, "outside"),
    "a parent below": (lambda: {"parents": replaced("parents", -2)}, "outside"),
    "a sample less": (lambda: {"labels": entry()["labels"][1:]}, "shapes"),
    "no sample": (lambda: {"labels": np.empty((0, N)), "parents": np.empty((0, N)), "chain": []}, "shapes"),
    "own of others": (lambda: {"own": entry()["own"][1:]}, "shapes"),
    "no probability": (lambda: {"candidate_same": [1.5, *entry()["candidate_same"][1:]]}, "probabilities"),
    "not a number": (lambda: {"same": [np.nan]}, "probabilities"),
    "no scale": (lambda: {"scale": "large"}, "scale"),
    "answers": (lambda: {"answers": -1}, "answers"),
}


@pytest.mark.parametrize(("changes", "words"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_document_is_refused(changes, words):
    with pytest.raises(InvalidInputError, match=words):
        CarriedForests.from_entry(entry(**changes()), N)


def test_a_long_path_is_no_circle():
    path = np.r_[np.arange(1, N), -1]
    found = CarriedForests.from_entry(entry(own=path.tolist()), N)
    assert found.own.tolist() == path.tolist()


def test_chains_go_on_from_their_last_forests_while_nothing_else_has_changed():
    problem = problem_of(ANSWERS, NEAR)
    prior = tree_prior_of(problem.candidates, carried().pair_map, carried().scale)
    parents, own = carried().forests(problem.graph, lambda: prior, 4, np.random.default_rng(0))
    np.testing.assert_array_equal(parents, carried().parents[[11, 23, 35, 47]])
    np.testing.assert_array_equal(own, carried().own)


def test_with_more_objects_forests_are_those_of_before_and_the_new_ones_are_alone():
    found = vectors(6, 4)[1]
    near = NEAR.extended(np.random.default_rng(0).normal(size=(3, found.shape[1])))
    grown = carried().extended(3)
    problem = problem_of(ANSWERS.grown(N + 3), near)
    prior = tree_prior_of(problem.candidates, grown.pair_map, grown.scale)
    parents, own = grown.forests(problem.graph, lambda: prior, 4, np.random.default_rng(0))
    assert parents.shape == (4, N + 3)
    for row, at in zip(parents, [11, 23, 35, 47], strict=True):
        assert partition(trees(row)[:N]) == partition(carried().labels[at])
        assert len(set(trees(row)[N:]) - set(trees(row)[:N])) == 3
    assert own.tolist() == [-1] * (N + 3)
    assert (grown.offsets(near, near.pairs[:5]) == 0).all()
    after = one_round(problem, grown, np.random.default_rng(1))
    assert after.labels.shape == (48, N + 3)


def test_with_new_pins_forests_are_of_units_each_where_its_first_object_was():
    first = carried().labels[11]
    apart = int(np.flatnonzero(first != first[0])[0])
    pins = Pins.none(N).adding(np.array([0]), np.array([apart]), same=True)
    problem, moved = (
        problem_of(ANSWERS, NEAR, pins),
        carried().without(np.zeros(len(ANSWERS), bool), np.array([0])),
    )
    prior = tree_prior_of(problem.candidates, moved.pair_map, moved.scale)
    parents, _ = moved.forests(problem.graph, lambda: prior, 4, np.random.default_rng(0))
    assert parents.shape == (4, N - 1)
    for row, at in zip(parents, [11, 23, 35, 47], strict=True):
        assert partition(trees(row)) == partition(carried().labels[at][pins.first])


def test_answers_that_are_taken_back_are_no_longer_counted():
    gone = np.zeros(len(ANSWERS), bool)
    gone[[0, 2]] = True
    left = carried().without(gone, np.array([0]))
    assert (left.n_answers, left.moved, left.answered_same.size) == (len(ANSWERS) - 2, True, 0)
    assert carried().n_answers == len(ANSWERS)


def test_offsets_of_another_graph_are_unknown():
    other = Neighbours.from_scores(NEAR.pairs[:6], np.linspace(0.1, 0.9, 6), N)
    assert carried().offsets(other, other.pairs).tolist() == [0.0] * 6
    assert (carried().offsets(NEAR, NEAR.pairs[:6]) != 0).all()


# -- what is known of single objects -----------------------------------------------------------------------


@cache
def carried_with_a_judge():
    problem = problem_of(liar.ANSWERS, liar.NEAR)
    return CarriedForests.of(one_round(problem, None, np.random.default_rng(0)))


def test_offset_and_map_together_are_what_was_expected_also_where_a_judge_is_wrong_about_an_object():
    kept, rows = carried_with_a_judge(), liar.rows_of(liar.NEAR, liar.OPEN)
    expected = [kept.candidate_same[list(liar.NEAR.pairs).index(pair)] for pair in liar.OPEN]
    found = kept.offsets(liar.NEAR, liar.OPEN) + kept.pair_map.log_odds(rows, liar.OPEN)
    np.testing.assert_allclose(found, logit(np.clip(expected, MAP.surest, 1 - MAP.surest)))


def test_a_new_object_is_one_of_which_nothing_is_known_and_of_the_others_it_stays_known():
    grown, n = carried_with_a_judge().extended(1), liar.N
    pairs = Pairs.of([0, 1], [n, n])
    near = judged_graph(liar.SAID.grown(n + 1).adding(np.asarray(pairs), [0.8, 0.8], "model"), None)
    with_it, without = grown.pair_map.log_odds(liar.rows_of(near, pairs), pairs)
    assert with_it < without - 0.5
    after = one_round(problem_of(liar.ANSWERS.grown(n + 1), near), grown, np.random.default_rng(1))
    assert after.labels.shape == (48, n + 1)
