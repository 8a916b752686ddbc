"""No solver breaks a pin, whatever the answers say, and the cost is low among clusterings that break none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.clustering import Clustering, cost, move_gain
from ofakind.errors import InvalidInputError
from ofakind.pins import Pins
from ofakind.similarity import Similarity
from ofakind.solve.exact import Exact
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel
from ofakind.solve.pinned import agreement, contracted, enforced, solve_pinned
from ofakind.solve.pivot import Pivot
from twins.partitions import partitions
from twins.pins import fits, pinned, random_pins


def everything_together(similarity, *, start=None, rng):
    return Clustering.of(similarity, np.zeros(similarity.n, np.int64))


SOLVERS = {
    "local search": LocalSearch(),
    "local search, no gain": LocalSearch(new_cluster="no_gain"),
    "local search, warm": LocalSearch(warm_start=True),
    "multilevel": Multilevel(),
    "pivot": Pivot(repeats=3),
    "exact": Exact(),
    "somebody's own": everything_together,
}
OPTIMAL = {"local search", "local search, no gain", "local search, warm", "multilevel", "exact"}
each_solver = pytest.mark.parametrize("name", SOLVERS)
seeds = st.integers(0, 2**32 - 1)


def random_similarity(n, rng, density=0.7):
    u, v = np.triu_indices(n, 1)
    asked = rng.random(len(u)) < density
    u, v = u[asked], v[asked]
    repeats = rng.integers(1, 4, len(u))
    u, v = u.repeat(repeats), v.repeat(repeats)
    return Similarity.from_pairs(n, u, v, rng.uniform(-1, 1, len(u)))


@pytest.mark.slow
@each_solver
@given(pins=pinned(), seed=seeds)
def test_no_solver_breaks_a_pin(name, pins, seed):
    rng = np.random.default_rng(seed)
    similarity = random_similarity(pins.n, rng)
    start = Clustering.of(similarity, rng.integers(3, size=pins.n)) if seed % 2 else None
    found = solve_pinned(SOLVERS[name], similarity, pins, start=start, rng=rng)
    assert fits(found.labels, pins)
    assert found.cost == cost(similarity, found.labels)


@pytest.mark.slow
@given(pins=pinned(), seed=seeds)
def test_the_exact_solver_finds_the_lowest_cost_among_clusterings_that_break_no_pin(pins, seed):
    n, rng = min(pins.n, 7), np.random.default_rng(seed)
    pins = random_pins(n, 5, rng)
    similarity = random_similarity(n, rng)
    found = solve_pinned(Exact(), similarity, pins, start=None, rng=rng)
    lowest = min(cost(similarity, labels) for labels in partitions(n) if fits(labels, pins))
    assert found.cost == pytest.approx(lowest, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(OPTIMAL))
@given(pins=pinned(), seed=seeds)
def test_what_a_descending_solver_finds_of_units_needs_no_correction(name, pins, seed):
    """Its local optima break no pin by themselves: a unit that breaks one always gains by leaving."""
    rng = np.random.default_rng(seed)
    sums = contracted(random_similarity(pins.n, rng), pins)
    scaled = Similarity(
        sums.n,
        sums.indptr,
        sums.indices,
        sums.values / max(1.0, abs(sums.values).max(initial=0)),
        sums.counts,
    )
    labels = SOLVERS[name](scaled, rng=rng).labels
    assert np.all(labels[pins.apart.u] != labels[pins.apart.v])


@given(pins=pinned(), seed=seeds)
def test_a_move_of_a_unit_gains_what_moving_all_its_objects_does(pins, seed):
    rng = np.random.default_rng(seed)
    similarity = random_similarity(pins.n, rng)
    sums = contracted(similarity, pins)
    k = sums.n
    for unit in range(k):
        labels = rng.integers(3, size=k)
        labels[pins.parted_from(unit)] = 4  # such pairs have a price of their own
        target = int(rng.integers(4))
        moved = labels.copy()
        moved[unit] = target
        gain = cost(similarity, labels[pins.units]) - cost(similarity, moved[pins.units])
        assert move_gain(sums, labels, unit, target) == pytest.approx(gain, abs=1e-9)


@given(pins=pinned(), seed=seeds)
def test_labels_that_are_enforced_break_no_pin_and_stay_if_they_broke_none(pins, seed):
    rng = np.random.default_rng(seed)
    labels, attraction = rng.integers(3, size=pins.n), rng.normal(size=(len(pins.first),) * 2)
    attraction += attraction.T
    found = enforced(labels, pins, lambda unit: attraction[unit].copy())
    assert fits(found, pins)
    again = enforced(found, pins, lambda unit: attraction[unit].copy())
    np.testing.assert_array_equal(again, found)


def test_an_offender_goes_where_samples_agree_most_and_no_pin_is_broken():
    """0 must differ from 1 to 3, is mostly with 1, often with 4, and hardly ever with 6."""
    pins = Pins.none(8).adding(np.array([0]), np.array([1]), same=False)
    pins = pins.adding(np.array([1, 2]), np.array([2, 3]), same=True)
    samples = np.array([[0, 1, 1, 1, 0, 0, 2, 2]] * 3 + [[3, 1, 1, 1, 0, 0, 3, 2]], np.int32)
    pull = agreement(samples, pins)
    labels = np.array([1, 1, 1, 1, 0, 0, 2, 2])
    assert enforced(labels, pins, pull).tolist() == [0, 1, 1, 1, 0, 0, 2, 2]
    without = np.where(np.arange(8) == 0, 3, samples)  # with nobody
    assert enforced(labels, pins, agreement(without, pins)).tolist() == [0, 1, 1, 1, 2, 2, 3, 3]


def test_a_unit_that_is_split_is_joined():
    pins = Pins.none(4).adding(np.array([0]), np.array([3]), same=True)
    samples = np.array([[0, 1, 0, 0], [0, 1, 1, 0]], np.int32)
    assert enforced(np.array([0, 1, 1, 2]), pins, agreement(samples, pins)).tolist() == [0, 1, 1, 0]


def test_a_solver_that_returns_something_else_is_named():
    def labels_only(similarity, *, start=None, rng):
        return np.zeros(similarity.n)

    similarity, rng = random_similarity(4, np.random.default_rng(0)), np.random.default_rng(0)
    with pytest.raises(InvalidInputError, match="function returned a ndarray; expected Clustering"):
        solve_pinned(labels_only, similarity, Pins.none(4), start=None, rng=rng)
