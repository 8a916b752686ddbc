"""The layout's kernels do what their plain twins do."""

import numpy as np
import pytest

from ofakind.kernels.graph import discs
from ofakind.kernels.graph.csr import symmetric_csr
from twins import discs as twin

seeds = pytest.mark.parametrize("seed", range(4))


def random_edges(rng, n, count):
    ends = np.sort(rng.integers(n, size=(count, 2)), axis=1)
    return np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0)


@pytest.mark.slow
@seeds
def test_the_order_of_linkage_is_the_twins(seed):
    rng = np.random.default_rng(seed)
    edges = rng.permutation(random_edges(rng, 40, 30))
    found = discs.linkage_order(40, edges[:, 0], edges[:, 1])
    assert found.tolist() == twin.linkage_order(40, edges.tolist())


@pytest.mark.slow
@seeds
def test_a_step_in_which_links_draw_is_the_twins(seed):
    rng = np.random.default_rng(seed)
    n, ends = 30, random_edges(rng, 30, 40)
    places, mass, weights = rng.normal(size=(n, 2)), rng.uniform(1, 9, n), rng.random(len(ends))
    indptr, indices, row = symmetric_csr(n, ends[:, 0], ends[:, 1])
    near = {
        i: [(int(indices[p]), weights[row[p]]) for p in range(indptr[i], indptr[i + 1])] for i in range(n)
    }
    expected = twin.draw_together(
        places.tolist(), mass.tolist(), near, 1.5, 0.3, np.random.default_rng([seed, 1])
    )
    edges = (indptr, indices, weights[row])
    discs.draw_together(places, mass, edges, 1.5, 0.3, np.random.default_rng([seed, 1]))
    np.testing.assert_allclose(places, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@seeds
def test_discs_are_pushed_apart_as_by_the_twin_whatever_their_sizes(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    places, radius = rng.uniform(-12, 12, (n, 2)), np.exp(rng.uniform(-2, 2, n))
    places[1] = places[0]  # two on one another
    expected, deepest = twin.push_apart(places.tolist(), radius.tolist())
    assert discs.push_apart(places, radius) == pytest.approx(deepest)
    np.testing.assert_allclose(places, expected, rtol=1e-9, atol=1e-9)
