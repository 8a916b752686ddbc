from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.kernels.graph.csr import Graph, symmetric_csr
from ofakind.pins import Pins
from ofakind.report.accuracy import INTERVAL, accuracy
from ofakind.report.misplaced import MISPLACED, learned_share, misplaced
from twins import misplaced as twin

seeds = st.integers(0, 2**32 - 1)


def as_graph(n, table):
    pairs = sorted(table)
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T
    indptr, indices, pair = symmetric_csr(n, u, v)
    return Graph(indptr, indices, np.array([table[one] for one in pairs])[pair])


def believed(n, weights, evidence, pins=None):
    """What `misplaced` looks at of a posterior."""
    prior = SimpleNamespace(candidates=as_graph(n, weights))
    return SimpleNamespace(prior=prior, graph=as_graph(n, evidence), pins=pins)


def some_table(n, rng, low, high):
    pairs = np.array(np.triu_indices(n, 1)).T
    kept = pairs[rng.random(len(pairs)) < 0.6]
    return {tuple(pair): float(rng.uniform(low, high)) for pair in kept.tolist()}


@given(n=st.integers(2, 9), k=st.integers(1, 5), by_judges=st.booleans(), seed=seeds)
def test_it_is_what_the_twin_finds_object_by_object(n, k, by_judges, seed):
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.integers(k, size=n), return_inverse=True)[1]
    weights, evidence = some_table(n, rng, 0, 20), some_table(n, rng, -6, 6)
    groups = [np.flatnonzero(labels == one).tolist() for one in range(labels.max() + 1)]
    found = misplaced(believed(n, weights, evidence), labels, by_judges=by_judges)
    rules = MISPLACED.wrong, MISPLACED.right, MISPLACED.rounds
    assert found == pytest.approx(twin.misplaced(weights, evidence, groups, rules, by_judges=by_judges))


def test_huge_evidence_neither_overflows_nor_gives_nan():
    labels = np.array([0, 0, 0, 1, 1, 1])
    evidence = {(0, 1): 900.0, (0, 3): -900.0, (2, 4): 900.0, (1, 2): -900.0}
    found = misplaced(believed(6, {(0, 1): 1e9, (1, 2): 1e-9, (3, 4): 5.0}, evidence), labels)
    assert np.isfinite(found).all()
    assert found.objects >= 0.99  # answers have 2 with 4


def test_one_object_or_none_cannot_be_misplaced():
    for n in (0, 1):
        assert misplaced(believed(n, {}, {}), np.zeros(n, np.int64)) == (0, 0, 0)


def test_the_share_is_learned_from_answers_that_contradict_neighbours():
    n = 200
    labels = np.arange(n) % 2
    near = {(i, i + 2): 50.0 for i in range(n - 2)}
    agree = {(i, i + 2): 3.0 for i in range(0, n - 2, 4)}
    found = misplaced(believed(n, near, agree), labels)
    contradict = agree | {(i, i + 1): 6.0 for i in range(0, 40, 4)}  # with the other group
    assert misplaced(believed(n, near, contradict), labels).share > 5 * found.share
    assert found.share < MISPLACED.wrong / (MISPLACED.wrong + MISPLACED.right)


def test_nothing_seen_leaves_what_was_taken_to_be_so():
    usual = MISPLACED.wrong / (MISPLACED.wrong + MISPLACED.right)
    assert learned_share(np.ones(50), np.ones(50)) == pytest.approx(usual, rel=1e-6)


def test_objects_that_are_pinned_together_count_each():
    labels = np.array([0, 0, 0, 0, 1, 1])
    pins = Pins.none(6).adding(np.array([0]), np.array([1]), same=True)
    alone = misplaced(believed(6, {(0, 2): 3.0, (2, 3): 3.0, (4, 5): 3.0}, {}), labels)
    units = misplaced(believed(5, {(0, 1): 3.0, (1, 2): 3.0, (3, 4): 3.0}, {}, pins), labels)
    assert units.objects == pytest.approx(alone.objects, rel=0.5)


def test_an_object_that_is_alone_by_judges_may_be_anywhere_until_people_have_said_no():
    n = 61
    labels = np.append(np.arange(n - 1) % 2, 2)
    near = {(i, i + 2): 50.0 for i in range(n - 3)}
    nobody = misplaced(believed(n, near, {}), labels, by_judges=True)
    usual = misplaced(believed(n, near, {}), labels).pairs
    assert nobody.pairs > usual + 25  # it may be in either group of 30
    one, both = {(0, n - 1): -6.0}, {(0, n - 1): -6.0, (1, n - 1): -6.0}
    halves, none = (misplaced(believed(n, near, said), labels, by_judges=True) for said in (one, both))
    assert nobody.pairs > halves.pairs > none.pairs
    assert none.pairs < usual + 5


def misled(n, share, rng):
    """Vectors in four groups, some of which lie in the middle of another group."""
    truth = rng.permutation(np.arange(n) % 4)
    lies = rng.random(n) < share
    seen = np.where(lies, (truth + 1 + rng.integers(3, size=n)) % 4, truth)
    return truth, np.eye(4)[seen] * 6 + rng.normal(size=(n, 4))


def wrong_pairs(labels, truth):
    u, v = np.triu_indices(len(truth), 1)
    return int(((labels[u] == labels[v]) != (truth[u] == truth[v])).sum())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what contradicts features that lie
def test_the_limit_allows_for_objects_that_lie_among_others():
    """Of several seeds, for most rounds of one have the same fate."""
    held = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth, vectors = misled(160, 0.05, rng)
        learner = ok.ActiveClustering(160, prior=ok.Neighbours.from_vectors(vectors), seed=seed)
        oracle = ok.NoisyOracle(truth, gamma=0.4, seed=seed)
        for _ in range(10):
            pairs = learner.ask(20)
            learner.tell(pairs, oracle(pairs))
            high = learner.accuracy.wrong_pairs_interval[1]
            held.append(wrong_pairs(learner.labels, truth) <= high)
    assert np.mean(held) >= 0.9


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what is believed of a judge
def test_the_limit_allows_for_objects_that_a_judge_calls_different_from_all():
    n, rng = 60, np.random.default_rng(0)
    truth = np.arange(n) % 6
    learner = ok.ActiveClustering(n, initial=0, seed=0)
    pairs = learner.ask_judge(n * n)
    same = (truth[pairs.u] == truth[pairs.v]) & (pairs.u >= 8)  # the first eight it does not recognise
    learner.tell_judge(pairs, np.where(same, 0.9, -0.9))
    others = pairs.take(rng.permutation(np.flatnonzero(pairs.u >= 8)))
    for start in range(0, 120, 20):  # and nobody asks about them
        learner.ask(1)
        learner.release()
        some = others.take(slice(start, start + 20))
        learner.tell(some, np.where(truth[some.u] == truth[some.v], 1.0, -1.0), asked=True)
        assert 0 < wrong_pairs(learner.labels, truth) <= learner.accuracy.wrong_pairs_interval[1]
    forests = learner.posterior.forests
    high = {}
    for by_judges in (False, True):
        unseen = misplaced(forests, learner.labels, by_judges=by_judges)
        found = accuracy(
            forests.labels, forests.chain, learner.labels, error=INTERVAL.featured, unseen=unseen
        )
        high[by_judges] = found.wrong_pairs_interval[1]
    assert high[True] > 1.3 * high[False]
    assert learner.accuracy.wrong_pairs_interval[1] == high[True]
