"""The mean field with pins is that of units: one row for each, certain of what pins decide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.eig import expected_information_gain
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.mean_field.belief import MeanFieldBelief
from ofakind.posterior.mean_field.conditional import ConditionalFields, answer_gains
from ofakind.posterior.mean_field.dense import mean_field
from ofakind.similarity import Similarity
from ofakind.solve.multilevel import Multilevel
from ofakind.solve.pinned import contracted, solve_pinned
from twins.pins import pinned

FORMS = ["dense", "sparse"]


def answered(n, rng, share=0.6):
    u, v = np.triu_indices(n, 1)
    asked = rng.random(len(u)) < share
    return Similarity.from_pairs(n, u[asked], v[asked], rng.uniform(-1, 1, np.count_nonzero(asked)))


def field_of(similarity, pins, form="dense", seed=0):
    rng = np.random.default_rng(seed)
    clustering = solve_pinned(Multilevel(), similarity, pins, start=None, rng=rng)
    return MeanFieldBelief(form=form).with_pins(similarity, clustering, pins, rng=rng), clustering


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ofakind.CollapsedWarning")
@pytest.mark.parametrize("form", FORMS)
@given(pins=pinned(8), seed=st.integers(0, 2**32))
def test_what_pins_decide_is_certain_and_units_are_one(form, pins, seed):
    field, _ = field_of(answered(8, np.random.default_rng(seed)), pins, form)
    u, v = np.triu_indices(8, 1)
    same, decided = field.same_probability(u, v), pins.implied(u, v)
    assert np.array_equal(same[decided != 0], decided[decided != 0] > 0)
    assert np.all(field.pair_entropy(u, v)[decided != 0] == 0)
    mirror = field.same_probability(pins.first[pins.units[u]], pins.first[pins.units[v]])
    np.testing.assert_allclose(same, mirror, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_it_is_the_mean_field_of_the_summed_similarities(form):
    """Two objects of a unit, each with an answer to a third: as one object with both answers."""
    similarity = Similarity.from_pairs(4, [0, 1, 2], [2, 2, 3], [0.5, 0.25, -0.5])
    pins = Pins.none(4).adding(np.array([0]), np.array([1]), same=True)
    field = MeanFieldBelief(form=form).with_pins(
        similarity, Clustering.of(similarity, [0, 0, 0, 1]), pins, rng=np.random.default_rng(0)
    )
    plain = mean_field(Similarity.from_pairs(3, [0, 1], [1, 2], [0.75, -0.5]), [0, 0, 1], tol=1e-5)
    expected = plain.same_probability([0, 0, 1], [1, 2, 2])
    np.testing.assert_allclose(field.same_probability([1, 0, 2], [2, 3, 3]), expected, atol=1e-4)


@pytest.mark.slow
@given(pins=pinned(7), seed=st.integers(0, 2**32))
def test_fields_given_answers_are_those_of_units(pins, seed):
    rng = np.random.default_rng(seed)
    similarity = answered(7, rng)
    field, clustering = field_of(similarity, pins)
    sums = contracted(similarity, pins)
    undecided = Pool(similarity, Pairs.empty(), pins=pins, repeats=9).list()
    if not len(undecided):
        return
    pair = undecided.take(rng.permutation(len(undecided))[:1])
    a, b = sorted((pins.units[pair.u[0]], pins.units[pair.v[0]]))
    units = Pairs.of([a], [b])
    plain = ConditionalFields.given(field.of_units, units, [[1.0], [-1.0]])
    decided = Pairs.from_ranks(pins.implied_ranks()[:2], 7)
    subset = Pairs.of(np.r_[decided.u, pair.u], np.r_[decided.v, pair.v])
    answers = np.concatenate([rng.choice([-1.0, 1.0], (2, len(decided))), [[1.0], [-1.0]]], axis=1)
    found = ConditionalFields.given(field, subset, answers)
    np.testing.assert_array_equal(found.probabilities(), plain.probabilities())
    u, v = undecided.u, undecided.v
    np.testing.assert_array_equal(
        found.mean_pair_entropy(u, v), plain.mean_pair_entropy(pins.units[u], pins.units[v])
    )
    every = Pairs.all(7)
    gains = answer_gains(field, every)
    assert np.all(gains[pins.implied(every.u, every.v) != 0] == 0)
    row = pair.ranks(7)[0]
    np.testing.assert_allclose(gains[row], answer_gains(field.of_units, units)[0], atol=1e-9)
    assert (sums.n, clustering.k >= field.k) == (len(field.of_units.q), True)


def test_what_two_objects_of_a_unit_would_be_told_is_equal():
    similarity = answered(8, np.random.default_rng(4))
    pins = Pins.none(8).adding(np.array([0]), np.array([5]), same=True)
    field, _ = field_of(similarity, pins)
    gains = expected_information_gain(field, [0, 5, 0], [1, 1, 5])
    assert gains[0] == gains[1] != 0
    assert gains[2] == 0
    assert field.all_pair_entropy()[Pairs.of([0], [5]).ranks(8)] == 0
