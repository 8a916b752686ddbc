"""A round in which little is new: what is kept, what is brought up to date, and when all is drawn."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ofakind.pins import Pins
from ofakind.posterior.forest.carried import CarriedForests
from ofakind.posterior.forest.incremental import INCREMENTAL, Entries, around, blended, companions, draws
from ofakind.posterior.forest.loop import FOREST, one_round
from twins.featured import near_vectors, problem_of, right, some_answers

TRUTH, NEAR = near_vectors(6, 6)
N = len(TRUTH)
EVERY = np.asarray(NEAR.pairs)[np.random.default_rng(0).permutation(len(NEAR.pairs))]
SAME = next(pair for pair in EVERY[40:] if TRUTH[pair[0]] == TRUTH[pair[1]])
pytestmark = pytest.mark.slow


def answered(more=0, pins=None):
    """What a round is given after 40 answers and so many more, the first of them about a pair of a kind."""
    answers = some_answers(TRUTH, EVERY[:40])
    new = np.array([SAME, *EVERY[100:]])[:more]
    return problem_of(answers.adding(new, right(TRUTH, new)), NEAR, pins)


@cache
def carried():
    return CarriedForests.of(one_round(answered(), None, np.random.default_rng(0)))


def after(more, before=None, seed=1):
    return one_round(answered(more), before or carried(), np.random.default_rng(seed))


def test_with_one_new_answer_all_but_one_sample_of_each_chain_are_kept():
    found, n = after(1), FOREST.samples
    assert (found.renewed_at, found.n_answers, len(found.labels)) == (40, 41, 4 * n)
    far = np.setdiff1d(np.arange(N), companions(carried().labels, SAME))
    before = carried().parents.reshape(4, n, N)[:, 1:]
    now = found.parents.reshape(4, n, N)[:, :-1]
    np.testing.assert_array_equal(now[:, :, far], before[:, :, far])
    assert (now != before).any()
    assert set(SAME) <= set(found.stale)


def test_labels_are_still_the_trees_of_the_forests():
    found = after(3)
    for labels, parents in zip(found.labels, found.parents, strict=True):
        linked = np.flatnonzero(parents >= 0)
        assert (labels[linked] == labels[parents[linked]]).all()
        assert labels.max() + 1 == (parents < 0).sum()


def test_on_average_p_same_is_that_of_whole_rounds():
    """Each by twelve seeds, for what is drawn differs from round to round."""
    whole = replace(carried(), renewed_at=-1000)
    little = [after(1, seed=seed).candidate_same for seed in range(12)]
    much = [after(1, whole, seed=seed).candidate_same for seed in range(12)]
    near = (np.isin(NEAR.pairs.u, SAME)) | np.isin(NEAR.pairs.v, SAME)
    gap = np.mean(little, axis=0) - np.mean(much, axis=0)
    assert np.abs(gap[near]).mean() < 0.06
    assert np.abs(gap).mean() < 0.05


def test_an_answer_counts_at_once_in_all_samples():
    u, v = SAME
    before = float(np.mean(carried().labels[:, u] == carried().labels[:, v]))
    contradicted = some_answers(TRUTH, EVERY[:40]).adding([SAME], [-1.0])
    no = one_round(problem_of(contradicted, NEAR), carried(), np.random.default_rng(1))
    yes = after(1)
    shares = [float(np.mean(each.labels[:, u] == each.labels[:, v])) for each in (no, yes)]
    assert (no.renewed_at, yes.renewed_at) == (40, 40)
    assert shares[0] < before - 0.2
    assert shares[1] >= min(before, 0.95)


@pytest.mark.parametrize(
    ("more", "changes"),
    [
        (INCREMENTAL.answers, {}),
        (1, {"renewed_at": 41 - INCREMENTAL.since - 1}),
        (1, {"drift": INCREMENTAL.drift}),
        (1, {"moved": True}),
        (1, {"chain": np.repeat(np.arange(2), 2 * FOREST.samples)}),
    ],
    ids=["many answers", "long ago", "another map", "moved", "other chains"],
)
def test_all_is_drawn_anew_where_much_is(more, changes):
    found = after(more, replace(carried(), **changes))
    assert (found.renewed_at, found.drift, found.stale) == (40 + more, 0.0, None)


def test_all_is_drawn_where_chains_disagree():
    halves = np.arange(N) % 2
    apart = np.where(np.repeat(np.arange(4), FOREST.samples)[:, None] % 2, halves, np.arange(N) // 18)
    parents = np.array(
        [
            [-1 if i == np.argmax(row == row[i]) else np.argmax(row == row[i]) for i in range(N)]
            for row in apart
        ]
    )
    stuck = replace(carried(), labels=apart.astype(np.int32), parents=parents.astype(np.int32))
    assert after(1, stuck).renewed_at == 41


def test_answer_after_answer_the_map_drifts_until_all_is_drawn():
    found, rounds = carried(), []
    for more in range(1, 20):
        posterior = after(more, found, seed=more)
        rounds.append((posterior.renewed_at, posterior.drift))
        found = CarriedForests.of(posterior)
    assert any(renewed == 40 and drift > 0 for renewed, drift in rounds)
    assert rounds[-1][0] > 40


@pytest.mark.parametrize("pinned", [False, True])
def test_p_same_of_pairs_around_some_nodes_is_the_mean_over_samples(pinned):
    pins = Pins.none(N).adding(EVERY[:3, 0], EVERY[:3, 1], same=True) if pinned else None
    problem = answered(0, pins)
    found = one_round(problem, None, np.random.default_rng(0))
    near, graph = problem.candidates, problem.graph
    entries = Entries(near.indptr, near.indices, near.entry, near.place)
    nodes, source = np.array([1, 4, 5]), (found.prior, found.graph, found.parents, found.chain)
    same, there = around(entries, nodes, source)
    units = np.arange(N) if pins is None else pins.units
    u, v = units[NEAR.pairs.u], units[NEAR.pairs.v]
    np.testing.assert_array_equal(there, (u != v) & (np.isin(u, nodes) | np.isin(v, nodes)))
    both = np.isin(u, nodes) & np.isin(v, nodes) & (u != v)
    np.testing.assert_allclose(
        same[both], found.same_probability(NEAR.pairs.u[both], NEAR.pairs.v[both]), atol=1e-9
    )
    share = (found.labels[:, NEAR.pairs.u] == found.labels[:, NEAR.pairs.v]).mean(axis=0)
    assert np.abs(same - share)[there].mean() < 0.08
    of_answers = Entries(*graph.frame, graph.pair_of_entry, graph.place)
    same, there = around(of_answers, np.arange(graph.nodes), source)
    pairs = graph.evidence.pairs
    np.testing.assert_allclose(same[there], found.same_probability(pairs.u, pairs.v)[there], atol=1e-9)


def test_what_is_known_anew_counts_alone_and_the_rest_by_its_share_of_samples():
    found = blended(
        np.array([0.0, 1.0, 0.5]), np.array([1.0, 1.0, 0.0]), 0.25, (np.full(3, 0.9), np.array([0, 0, 1]) > 0)
    )
    assert found.tolist() == [0.25, 1.0, 0.9]


def test_companions_are_the_most_frequent_ones_if_there_are_many():
    labels = np.zeros((4, 200), np.int32)
    labels[1:, 150:] = 1
    found = companions(labels, np.array([7]))
    assert len(found) == INCREMENTAL.companions + 1
    assert 7 in found
    assert found.max() < 150


def test_as_many_samples_are_drawn_as_answers_are_new():
    assert [draws(new, 100, 99, 12) for new in (0, 1, 4, 5, 12, 50)] == [1, 1, 4, 12, 12, 12]
    assert draws(1, 10, 0, 12) == 1
    assert draws(1, 14, 0, 12) == 12
