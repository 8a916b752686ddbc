"""The moves of forests: as tables they keep the prior of trees, and the kernels draw from these tables."""

import numpy as np
import pytest
from scipy import stats

from ofakind.kernels.compiled import compiled
from ofakind.kernels.partition.forest import forest_at
from ofakind.kernels.partition.forest_chain import revise_forests
from ofakind.kernels.partition.forest_moves import WIDE_BRANCH, bench_for, narrow, wide
from twins import forest as twin
from twins.forest_instances import INSTANCES, instance


@compiled(cache=False)  # a kernel kept on disk would not follow changes of those it calls
def moved_widely(prior, answers, parents, most, rng):
    """A wide move of a random object in each of several forests."""
    moved, bench = np.empty_like(parents), bench_for(parents.shape[1])
    for s in range(len(parents)):
        forest = forest_at(parents[s])
        for _ in range(most):
            wide(prior, answers, forest, int(rng.random() * parents.shape[1]), bench, rng)
        moved[s] = forest.parent
    return moved


@compiled(cache=False)
def moved_narrowly(prior, answers, parents, i, most, same, rng):
    """A narrow move of an object in each of several forests, with the probability min(1, most / |S|)."""
    moved, bench = np.empty_like(parents), bench_for(parents.shape[1])
    for s in range(len(parents)):
        forest = forest_at(parents[s])
        narrow(prior, answers, forest, i, most / (1.0 - rng.random()), same, bench, rng)
        moved[s] = forest.parent
    return moved


def stationary(f, w, states):
    weights = np.array([twin.forest_weight(f, w, state) for state in states])
    return weights / weights.sum()


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("name", INSTANCES)
def test_both_moves_as_tables_are_reversible_and_keep_the_prior_times_the_answers(name, n):
    made, states = instance(name, n, seed=n), twin.forests(n)
    assert len(states) == (n + 1) ** (n - 1)
    p = stationary(made.f, made.w, states)
    possible, q = [states[at] for at in np.flatnonzero(p)], p[p > 0]
    moves = [lambda f, w, parent, i=i: twin.narrow(f, w, parent, i) for i in range(n)]
    for move in (*moves, twin.wide_of_a_random_object(WIDE_BRANCH), twin.wide_of_a_random_object(1.5)):
        matrix = twin.transitions(made.f, made.w, move, possible)
        np.testing.assert_allclose(matrix.sum(axis=1), 1)
        flow = q[:, None] * matrix
        np.testing.assert_allclose(flow, flow.T, rtol=1e-8, atol=1e-14)
        np.testing.assert_allclose(q @ matrix, q, rtol=1e-8, atol=1e-14)


def test_in_permuted_order_the_wide_move_would_not_keep_it():
    """What the twin is worth: it tells the right move from one that looks right."""
    made, states = instance("background", 4, seed=4), twin.forests(4)
    p = after = stationary(made.f, made.w, states)
    for i in range(4):
        move = lambda f, w, parent, i=i: twin.wide(f, w, parent, i)  # noqa: E731
        after = after @ twin.transitions(made.f, made.w, move, states)
    number = {tuple(row): at for at, row in enumerate(twin.enumerated(made.f, made.w, made.resolution)[0])}
    of = [number[tuple(twin.clusters_of(state))] for state in states]
    assert abs(np.bincount(of, after) - np.bincount(of, p)).sum() / 2 > 0.01


def assert_drawn_from(rows, expected):
    """Chi-square of drawn forests against the probabilities of each."""
    drawn, counts = np.unique(rows, axis=0, return_counts=True)
    seen = {tuple(int(j) for j in row): count for row, count in zip(drawn, counts, strict=True)}
    possible = {state: q for state, q in expected.items() if q > 0}
    assert seen.keys() <= possible.keys()
    mean = np.array([q * len(rows) for q in possible.values()])
    found = np.array([seen.get(state, 0) for state in possible], float)
    rare = mean < 5
    if rare.any():
        mean, found = np.r_[mean[~rare], mean[rare].sum()], np.r_[found[~rare], found[rare].sum()]
    if len(mean) > 1 and mean[-1] > 0.1:
        assert stats.chisquare(found, mean * found.sum() / mean.sum()).pvalue > 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTANCES)
def test_the_kernels_draw_from_the_tables_of_the_moves(name):
    """From random forests of five objects; the wide move by the mixture over all objects."""
    n, draws, rng = 5, 20_000, np.random.default_rng(11)
    made, states = instance(name, n, seed=1), twin.forests(n)
    p = stationary(made.f, made.w, states)
    for at in rng.choice(np.flatnonzero(p > 0), size=3):
        parent = states[at]
        rows = np.tile(np.array(parent, np.int32), (draws, 1))
        for i in range(n):
            _, moved = revise_forests(made.prior, made.answers, rows, np.array([i]), rng)
            assert_drawn_from(moved, twin.narrow(made.f, made.w, parent, i))
        moved = moved_widely(made.prior, made.answers, rows, 1, rng)
        assert_drawn_from(moved, twin.wide_of_a_random_object(WIDE_BRANCH)(made.f, made.w, parent))


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize(("most", "noise"), [(1.5, 0.02), (np.inf, 0.006)])
def test_a_narrow_move_also_done_rarely_draws_from_its_table_and_gives_p_same_of_it(name, most, noise):
    """What is noted varies only with the goes that a draw takes, and with whether the move is done."""
    n, draws, rng = 5, 20_000, np.random.default_rng(3)
    made, states = instance(name, n, seed=3), twin.forests(n)
    p = stationary(made.f, made.w, states)
    for at in rng.choice(np.flatnonzero(p > 0), size=3):
        parent, rows = states[at], np.tile(np.array(states[at], np.int32), (draws, 1))
        for i in range(n):
            same = np.zeros(len(made.prior.candidates.indices)), np.zeros(len(made.answers.indices))
            moved = moved_narrowly(made.prior, made.answers, rows, i, most, same, rng)
            expected = twin.rarely(twin.narrow(made.f, made.w, parent, i), parent, i, most)
            assert_drawn_from(moved, expected)
            together = np.zeros(n)
            for other, probability in expected.items():
                labels = np.array(twin.clusters_of(other))
                together += probability * (labels == labels[i])
            for graph, sums in zip((made.prior.candidates, made.answers), same, strict=True):
                row = slice(graph.indptr[i], graph.indptr[i + 1])
                np.testing.assert_allclose(sums[row] / draws, together[graph.indices[row]], atol=noise)
                assert sums.sum() == pytest.approx(sums[row].sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTANCES)
def test_forests_of_the_posterior_that_are_moved_are_forests_of_it(name):
    n, draws, rng = 4, 60_000, np.random.default_rng(5)
    made, states = instance(name, n, seed=2), twin.forests(n)
    p = stationary(made.f, made.w, states)
    starts = np.array(states, np.int32)[rng.choice(len(states), size=draws, p=p)]
    expected = dict(zip(states, p, strict=True))
    for objects in ([0], [3, 1], [0, 1, 2, 3]):
        _, moved = revise_forests(made.prior, made.answers, starts, np.array(objects), rng)
        assert_drawn_from(moved, expected)
    assert_drawn_from(moved_widely(made.prior, made.answers, starts, 1, rng), expected)
    assert_drawn_from(moved_widely(made.prior, made.answers, starts, 4, rng), expected)
