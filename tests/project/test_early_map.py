"""The map before anything is believed: no groups, alike objects near each other, nobody waits for it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ofakind as ok
from ofakind.posterior.base import Abilities
from ofakind.priors.neighbours import Neighbours
from ofakind.project.early_map import early_map_of
from ofakind.project.object_map import MapBelief, map_of
from twins.pages import RECORDS

N, SIZE = 240, 6  # objects, and those that are alike


@pytest.fixture(scope="module")
def near():
    """Pairs of each six that are alike have high scores; so have a few others."""
    rng = np.random.default_rng(0)
    u, v = np.triu_indices(N, 1)
    alike = u // SIZE == v // SIZE
    some = rng.permutation(np.flatnonzero(~alike))[:100]
    rows = np.sort(np.concatenate([np.flatnonzero(alike), some]))
    scores = np.where(alike[rows], 3.0, -2.0)
    return Neighbours.from_scores(np.column_stack([u[rows], v[rows]]), scores, N)


def moved(one, other):
    return np.median(np.hypot(*(one.places - other.places).T))


@pytest.mark.slow
def test_every_object_is_alone_and_lies_near_what_is_like_it(near):
    found = early_map_of(near, N, 0)
    assert found.early
    assert found.doubt is None
    assert not found.colours.any()
    assert len(np.unique(found.groups)) == N
    assert found.groups.max() < 0  # no number that a group may get
    apart = np.hypot(*(found.places[:, None] - found.places[None]).transpose(2, 0, 1))
    alike = np.arange(N)[:, None] // SIZE == np.arange(N) // SIZE
    assert np.median(apart[alike & ~np.eye(N, dtype=bool)]) < 0.3 * np.median(apart[~alike])
    assert np.array_equal(found.places, early_map_of(near, N, 0).places)


@pytest.mark.slow
def test_groups_gather_where_their_objects_were(near):
    early, groups = early_map_of(near, N, 0), np.arange(N) // SIZE
    belief = MapBelief(5, groups, None, Abilities(likely=(near.pairs, np.full(len(near.pairs), 0.5))))
    found, anew = map_of(belief, early, 1), map_of(belief, None, 1)
    assert not found.early
    assert moved(found, early) < moved(anew, early) / 3
    middles = [
        np.array([one.places[groups == group].mean(0) for group in range(N // SIZE)])
        for one in (found, early)
    ]
    assert np.median(np.hypot(*(middles[0] - middles[1]).T)) < 3
    assert found.colours.all()
    assert np.array_equal(np.sort(found.slots), np.repeat(np.arange(SIZE), N // SIZE))


@pytest.mark.slow
def test_without_features_all_lie_around_the_middle(tmp_path):
    with ok.new_project(list(range(30)), path=tmp_path / "a.ofk") as project:
        found = project.early_map()
        assert found.early
        assert len(np.unique(found.places, axis=0)) == 30


def test_an_early_map_waits_for_nobody(tmp_path):
    with ok.new_project(RECORDS, id="id", path=tmp_path / "a.ofk") as project:
        assert project.early_map() is None  # nothing has compared the records yet
        project.status()
        with project._model.lock, ThreadPoolExecutor(1) as other:
            found = other.submit(project.early_map).result(60)
        assert len(found) == len(RECORDS)
        assert found.early
        with pytest.raises(ok.InvalidInputError, match="seed"):
            project.early_map(seed=-1)
