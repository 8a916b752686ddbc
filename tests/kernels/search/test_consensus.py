import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.kernels.search import consensus as kernel
from ofakind.kernels.search.multilevel import common, told_apart
from twins import consensus as twin

ENDLESS = 2**62


@st.composite
def instances(draw, max_objects=9):
    """Samples, labels and masses of a few objects, and a generator for the rest."""
    n, S = draw(st.integers(1, max_objects)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    samples = rng.integers(rng.integers(1, n + 1), size=(S, n)).astype(np.int32)
    return samples, rng.integers(n, size=n), rng.integers(1, 4, size=n), rng


def spread(array, mass):
    """Objects written out as often as they count."""
    return np.repeat(array, mass, axis=-1)


def table(cells):
    """Each sample's cells as {(row, place): mass}."""
    S, m = cells.used.shape
    return [
        {
            (start, int(cells.places[s, j])): int(cells.masses[s, j])
            for start in range(m)
            for j in range(start, start + cells.used[s, start])
        }
        for s in range(S)
    ]


def counted(cells, labels):
    """The same, counted from the labels."""
    counts = [{} for _ in cells.used]
    for i, label in enumerate(labels.tolist()):
        for s, count in enumerate(counts):
            key = int(cells.rows[i, s]), label
            count[key] = count.get(key, 0) + int(cells.mass[i])
    return counts


def blocks_of(kind, samples, labels, rng):
    if kind == "objects":
        return np.arange(len(labels) + 1), rng.permutation(len(labels))
    if kind == "clusters":
        return kernel.by_group(labels)
    return kernel.by_group(common(labels, samples[0]))


@given(instance=instances())
def test_pairs_are_those_of_the_definition(instance):
    samples, labels, mass, _ = instance
    n = mass.sum()
    upper = np.triu(np.ones((n, n), bool), 1)
    same = [p[:, None] == p for p in spread(np.vstack([samples, labels]), mass)]
    assert kernel.within(samples, mass).tolist() == [(upper & one).sum() for one in same[:-1]]
    both = [(upper & one & same[-1]).sum() for one in same[:-1]]
    assert kernel.together(samples, mass, labels[None])[0].tolist() == both


@given(instance=instances())
def test_wrong_partners_are_those_of_the_definition(instance):
    samples, labels, _, _ = instance
    wrong = sum((s[:, None] == s) != (labels[:, None] == labels) for s in samples).sum(axis=1)
    assert kernel.wrong_partners(samples, labels).tolist() == wrong.tolist()


@given(instance=instances())
def test_labels_are_numbered_in_order_of_appearance_among_the_objects_kept(instance):
    samples, _, _, rng = instance
    kept = np.flatnonzero(rng.random(samples.shape[1]) < 0.7)
    for given_row, row in zip(samples, kernel.renumber(samples, kept), strict=True):
        names = list(dict.fromkeys(given_row[kept].tolist()))
        assert row.tolist() == [names.index(label) for label in given_row[kept].tolist()]


@pytest.mark.parametrize("kind", ["objects", "parts", "clusters"])
@given(instance=instances())
def test_moves_gain_what_they_say_and_keep_the_cells_right(kind, instance):
    samples, labels, mass, rng = instance
    weights = rng.dirichlet(np.ones(len(samples)))
    theta = rng.uniform()
    cells = kernel.tabulate(samples, mass, labels)
    assert table(cells) == counted(cells, labels)
    P = twin.agreement(spread(samples, mass), weights)
    before = twin.linear_form(P, spread(labels, mass), theta)
    gain, read = kernel.settle(cells, labels, blocks_of(kind, samples, labels, rng), weights, theta, ENDLESS)
    assert table(cells) == counted(cells, labels)
    assert 0 <= labels.min() <= labels.max() < len(labels)
    assert twin.linear_form(P, spread(labels, mass), theta) == pytest.approx(before + gain, abs=1e-9)
    assert read > 0


@pytest.mark.parametrize("kind", ["objects", "parts", "clusters"])
@given(instance=instances(max_objects=7))
def test_a_block_goes_where_it_gains_most(kind, instance):
    samples, labels, _, rng = instance
    weights = rng.dirichlet(np.ones(len(samples)))
    theta = rng.uniform()
    first, members = blocks_of(kind, samples, labels, rng)
    P, mass = twin.agreement(samples, weights), np.ones(len(labels), np.int64)
    b = rng.integers(len(first) - 1)
    block = members[first[b] : first[b + 1]]
    best = twin.best_move(P, labels, block, theta)
    one = (np.array([0, len(block)]), block)
    gain, _ = kernel.settle(kernel.tabulate(samples, mass, labels), labels, one, weights, theta, ENDLESS)
    assert gain == pytest.approx(max(best, 0), abs=1e-7)


def test_two_halves_merge_and_two_wholes_part():
    samples = np.zeros((1, 6), np.int32)
    labels, mass, one = np.array([0, 0, 0, 1, 1, 1]), np.ones(6, np.int64), np.ones(1)
    cells = kernel.tabulate(samples, mass, labels)
    alone = np.arange(7), np.arange(6)
    assert kernel.settle(cells, labels, kernel.by_group(labels), one, 0.5, ENDLESS)[0] == 4.5
    assert len(set(labels.tolist())) == 1
    labels = np.zeros(6, np.int64)
    samples[0, 3:] = 1
    cells = kernel.tabulate(samples, mass, labels)
    assert kernel.settle(cells, labels, alone, one, 0.45, ENDLESS)[0] > 0  # one by one, they can go too
    labels = np.zeros(6, np.int64)
    cells = kernel.tabulate(samples, mass, labels)
    parts = kernel.by_group(samples[0].astype(np.int64))
    assert kernel.settle(cells, labels, parts, one, 0.5, ENDLESS)[0] == 4.5
    assert (labels[:, None] == labels).sum() == 18


def test_nothing_is_read_beyond_the_limit():
    rng = np.random.default_rng(0)
    samples, labels = rng.integers(5, size=(3, 50)).astype(np.int32), rng.integers(5, size=50)
    cells = kernel.tabulate(samples, np.ones(50, np.int64), labels)
    everything = np.arange(51), np.arange(50)
    before = labels.copy()
    weights = np.full(3, 1 / 3)
    assert kernel.settle(cells, labels, everything, weights, 0.5, 0) == (0.0, 0)
    assert np.array_equal(labels, before)
    _, read = kernel.settle(cells, labels, everything, weights, 0.5, 30)
    assert 30 <= read < 30 + 3 * 50


@given(st.integers(0, 9), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_objects_that_some_sample_tells_apart_stand_for_those_that_none_does(n, S, seed):
    samples = np.random.default_rng(seed).integers(max(min(n, 3), 1), size=(S, n)).astype(np.int32)
    first, place = told_apart(samples)
    columns = [tuple(column) for column in samples.T]
    expected = list(dict.fromkeys(columns))  # in order of first appearance
    assert [columns[i] for i in first] == expected
    assert [columns.index(column) for column in expected] == first.tolist()
    assert [expected.index(column) for column in columns] == place.tolist()
