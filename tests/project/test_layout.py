"""Where groups lie: apart, near what they may be one with, and finite, whatever there is."""

import numpy as np
import pytest

from ofakind.project.layout import (
    GroupLinks,
    along_curve,
    disc_radius,
    drawn_further,
    group_links,
    heap_offsets,
    lay_out,
)

NONE = GroupLinks(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def links_of(*pairs):
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T
    return GroupLinks(u, v, np.full(len(u), 0.5))


def deepest(places, radius):
    """How deep two discs lie in each other at most, all pairs."""
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    deep = radius[:, None] + radius[None] - apart
    return deep[~np.eye(len(radius), dtype=bool)].max(initial=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[], [1], [7], [1, 1], [5, 300], [1] * 40, [4000, *[1] * 50]])
@pytest.mark.parametrize("linked", [False, True])
def test_any_groups_have_finite_places_and_no_two_lie_on_one_another(sizes, linked):
    many = np.array(sizes, np.int64)
    links = links_of(*[(i, i + 1) for i in range(0, len(many) - 1, 2)]) if linked else NONE
    places = lay_out(many, links, np.random.default_rng(0))
    assert places.shape == (len(sizes), 2)
    assert np.isfinite(places).all()
    assert deepest(places, disc_radius(many)) < 0.2


@pytest.mark.slow
def test_equal_seeds_give_equal_places():
    rng = np.random.default_rng(3)
    sizes, ends = rng.integers(1, 30, 200), np.unique(np.sort(rng.integers(200, size=(400, 2))), axis=0)
    links = links_of(*[pair for pair in ends.tolist() if pair[0] < pair[1]])
    one, same, other = (lay_out(sizes, links, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_groups_that_may_be_one_lie_much_nearer_than_others(seed):
    """Forty families of ten groups, linked within and a little across."""
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(40), 10)
    inside = [(i, j) for i in range(400) for j in range(i + 1, 400) if family[i] == family[j]]
    across = {tuple(sorted(pair)) for pair in rng.integers(400, size=(100, 2)).tolist() if pair[0] != pair[1]}
    links = links_of(*sorted({*inside, *across}))
    places = lay_out(rng.integers(1, 9, 400), links, rng)
    apart = np.hypot(*(places[links.u] - places[links.v]).T)
    u, v = rng.integers(400, size=(2, 5000))
    by_chance = np.hypot(*(places[u] - places[v]).T)
    assert np.median(apart) < np.median(by_chance) / 3


@pytest.mark.slow
def test_what_nothing_is_linked_with_lies_around_the_others_large_ones_first():
    sizes = np.array([3, 3, 3, 3, 1, 1, 1, 1, 20])
    places = lay_out(sizes, links_of((0, 1), (1, 2), (2, 3)), np.random.default_rng(0))
    away = np.hypot(*places.T)
    assert away[:4].max() < away[4:].min() + 3
    assert away[8] < np.median(away[4:8]) + 3


@pytest.mark.slow
def test_groups_that_are_drawn_further_go_on_from_where_they_are():
    sizes, rng = np.full(60, 4), np.random.default_rng(0)
    before = lay_out(sizes, NONE, rng)
    after = drawn_further(before, sizes, links_of((0, 59)), rng)
    nearer = np.hypot(*(after[0] - after[59])) < np.hypot(*(before[0] - before[59]))
    assert nearer
    assert np.median(np.hypot(*(after - before).T)) < 1
    assert deepest(after, disc_radius(sizes)) < 0.2


def test_links_are_the_mean_of_their_pairs_and_weak_ones_are_left_out():
    u, v = np.array([0, 0, 0, 1, 2]), np.array([1, 1, 1, 2, 2])
    found = group_links(3, (u, v), np.array([0.9, 0.9, 0.9, 0.05, 1.0]))
    assert list(zip(found.u.tolist(), found.v.tolist(), strict=True)) == [(0, 1)]
    assert found.strength[0] == pytest.approx(2.7 / 4)


@pytest.mark.parametrize("size", [2, 3, 10, 500])
def test_points_of_a_heap_lie_apart_and_inside_their_disc(size):
    places = heap_offsets(np.arange(size), np.full(size, size), np.full(size, 7))
    assert np.hypot(*places.T).max() + 0.5 < disc_radius(np.array([size]))[0]
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert apart[~np.eye(size, dtype=bool)].min() > 0.9


def test_the_curve_visits_every_cell_once_and_goes_in_small_steps():
    points = along_curve((np.arange(4096) + 0.5) / 4096)
    assert len(np.unique(np.floor(points * 64), axis=0)) == 4096
    assert np.abs(np.diff(np.floor(points * 64), axis=0)).sum(axis=1).max() == 1
