"""The map of a project: equal for equal seeds, steady while answers come, near where things may be one."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.posterior.base import Abilities
from ofakind.project.object_map import GroupPlaces, MapBelief, colours_of, links_between, map_of, slots_of
from twins.pages import RECORDS

NOTHING = Abilities()


def belief(groups, as_of=1, sure=None):
    return MapBelief(as_of, np.array(groups, np.int64), sure, NOTHING)


def centre(found, group):
    return found.places[found.groups == group].mean(0)


@pytest.fixture
def project(tmp_path):
    with ok.new_project(RECORDS, id="id", path=tmp_path / "a.ofk") as project:
        yield project


@pytest.mark.slow
def test_a_project_has_a_map_of_all_objects_and_the_same_one_again(project):
    one, again = project.map(), project.map()
    assert len(one) == len(RECORDS)
    assert one.as_of == project.last_event
    assert np.isfinite(one.places).all()
    assert np.array_equal(one.places, again.places)
    assert list(one.groups) == list(project.labels().values())
    assert repr(one) == f"ObjectMap(8 objects, {len(project.groups())} groups)"
    with pytest.raises(ok.InvalidInputError, match="seed"):
        project.map(seed=-1)


@pytest.mark.slow
@pytest.mark.parametrize("ids", [[], [1], [1, 2]])
def test_projects_of_nothing_and_of_one_and_two_objects_have_maps(tmp_path, ids):
    try:
        made = ok.new_project(ids, path=tmp_path / "a.ofk")
    except ok.InvalidInputError:
        assert not ids
        return
    with made as project:
        found = project.map()
        assert found.places.shape == (len(ids), 2)
        assert len(np.unique(found.places, axis=0)) == len(ids)
        if len(ids) == 2:
            project.tell((1, 2), 1.0)
            assert len(project.map(found)) == 2


@pytest.mark.slow
def test_a_map_follows_answers_and_keeps_what_has_not_changed(project):
    before = project.map()
    project.pin(("a7", "h8"), same=True)
    after = project.map(before)
    assert after.as_of > before.as_of
    assert after.groups[0] == after.groups[7]
    assert np.hypot(*(after.places[0] - after.places[7])) < 2
    untouched = ~np.isin(after.groups, after.groups[[0, 7]]) & (before.groups == after.groups)
    assert np.abs(after.places - before.places)[untouched].max(initial=0) < 2


@pytest.mark.slow
def test_a_map_that_nothing_has_changed_on_is_the_same():
    groups = np.random.default_rng(0).integers(60, size=300)
    one = map_of(belief(groups), None, 0)
    two = map_of(belief(groups, as_of=9), one, 5)
    assert np.abs(one.places - two.places).max() < 1e-9
    assert np.array_equal(one.colours, two.colours)
    assert two.as_of == 9


@pytest.mark.slow
def test_a_group_that_gets_one_more_moves_nobody_far():
    groups = np.random.default_rng(1).integers(40, size=400)
    before = map_of(belief(groups), None, 0)
    changed = groups.copy()
    moved = np.flatnonzero(groups == 3)[0]
    changed[moved] = 7
    after = map_of(belief(changed), before, 0)
    others = np.flatnonzero((groups != 3) & (groups != 7))
    assert np.abs(after.places - before.places)[others].max() < 1
    assert np.hypot(*(after.places[moved] - centre(after, 7))) < 5
    assert np.array_equal(after.colours[others], before.colours[others])
    stayed = np.setdiff1d(np.flatnonzero((groups == 3) | (groups == 7)), [moved])
    assert np.count_nonzero(after.slots[stayed] != before.slots[stayed]) <= 1  # one fills the gap


@pytest.mark.slow
def test_a_new_group_comes_out_of_where_its_objects_were_and_new_objects_come_from_outside():
    groups = np.repeat(np.arange(12), 10)
    before = map_of(belief(groups), None, 0)
    split = np.concatenate((np.where(np.arange(120) < 4, 50, groups), [60, 60]))
    after = map_of(belief(split), before, 0)
    assert np.hypot(*(centre(after, 50) - centre(before, 0))) < 10
    assert np.isfinite(after.places).all()
    assert np.hypot(*centre(after, 60)) > np.hypot(*before.places.T).max() - 3
    fewer = map_of(belief(split[:30]), after, 0)
    assert len(fewer) == 30


@pytest.mark.slow
def test_when_most_has_changed_groups_are_drawn_near_each_other_again():
    """Singles first; then groups of four, each with one that samples take it for."""
    before = map_of(belief(np.arange(80)), None, 0)
    groups = np.repeat(np.arange(20), 4)
    able = Abilities(samples=Sampled(np.stack([groups, groups // 2 * 2])))
    after = map_of(MapBelief(2, groups, None, able), before, 0)
    middle = np.array([centre(after, group) for group in range(20)])
    partners = np.hypot(*(middle[0::2] - middle[1::2]).T)
    others = np.hypot(*(middle[0::2] - np.roll(middle[1::2], 3, axis=0)).T)
    assert np.median(partners) < np.median(others) / 1.5
    assert after.drawn is after.groups


class Sampled:
    def __init__(self, labels):
        self.labels = labels.astype(np.int32)


def test_links_come_from_candidates_and_from_samples():
    own = GroupPlaces.of(np.array([4, 4, 9, 9, 11]))
    pairs = ok.Pairs.of([0, 2], [2, 4])
    able = Abilities(likely=(pairs, np.array([0.8, 0.01])), samples=Sampled(np.array([[0, 0, 1, 1, 1]] * 2)))
    found = links_between(own, able)
    assert list(zip(found.u.tolist(), found.v.tolist(), strict=True)) == [(0, 1), (1, 2)]
    assert found.strength.tolist() == [0.4, 1.0]
    assert len(links_between(own, NOTHING).u) == 0


def test_the_surest_lie_in_the_middle_of_their_heap():
    own = GroupPlaces.of(np.array([1, 1, 1, 2]))
    assert slots_of(own, np.array([0.2, 0.9, 0.5, 1.0]), None).tolist() == [2, 0, 1, 0]


@pytest.mark.slow
def test_neighbours_have_other_colours_and_those_alone_have_none():
    groups = np.concatenate((np.repeat(np.arange(200), 3), np.arange(500, 520)))
    found = map_of(belief(groups), None, 0)
    assert (found.colours[600:] == 0).all()
    assert set(found.colours[:600]) == set(range(1, 8))
    middle = np.array([centre(found, group) for group in range(200)])
    colour = found.colours[:600:3]
    apart = np.hypot(*(middle[:, None] - middle[None]).transpose(2, 0, 1)) + 1e9 * np.eye(200)
    nearest = np.argsort(apart, axis=1)[:, :3]
    assert np.mean(colour[nearest] == colour[:, None]) < 0.02


def test_a_group_that_is_no_longer_alone_gets_a_colour_and_others_keep_theirs():
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [18.0, 0.0]])
    before = map_of(belief([0, 0, 1, 2, 2]), None, 0)
    own = GroupPlaces.of(np.array([0, 0, 1, 1, 2, 2]))
    found = colours_of(own, centres, before)
    assert found[0] == before.colours[0]
    assert len({*found}) == 3
    assert 0 not in found


@pytest.mark.slow
def test_the_digits_lie_by_their_kind(data_free_digits):
    """Real pictures of digits: pairs that features name lie much nearer than pairs by chance."""
    project, pairs = data_free_digits
    found, rng = project.map(), np.random.default_rng(0)
    near = np.hypot(*(found.places[pairs.u] - found.places[pairs.v]).T)
    u, v = rng.integers(len(found), size=(2, 4000))
    assert np.median(near) < np.median(np.hypot(*(found.places[u] - found.places[v]).T)) / 2.5


@pytest.fixture
def data_free_digits(tmp_path):
    from sklearn.datasets import load_digits

    data = load_digits().data[:600]
    pairs = ok.Neighbours.from_vectors(data).pairs
    with ok.new_project(list(range(600)), path=tmp_path / "digits.ofk", vectors=data) as project:
        yield project, pairs
