"""Candidates as a prior: all are equally likely, others may be of a kind, and no features are needed."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.posterior.forest.candidate_graph import without_features
from twins.featured import right
from twins.replays import reloaded

pytestmark = pytest.mark.slow


def listed(groups, size, recall, *, seed=0):
    """True groups, and a list with a share of the pairs inside them, and three times as many others."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(groups), size))
    u, v = np.triu_indices(len(truth), 1)
    same = truth[u] == truth[v]
    kept = same & (rng.random(len(u)) < recall)
    kept[rng.choice(np.flatnonzero(~same), 3 * kept.sum(), replace=False)] = True
    return truth, np.stack([u[kept], v[kept]], axis=1)


def learner_of(truth, pairs, belief, rounds=14):
    learner = ok.ActiveClustering(len(truth), candidates=pairs, belief=belief, initial=0)
    for _ in range(rounds):
        learner.tell(asked := learner.ask(20), right(truth, list(asked)))
    return learner


def wrong_pairs(learner, truth):
    u, v = np.triu_indices(len(truth), 1)
    return int(((learner.labels[u] == learner.labels[v]) != (truth[u] == truth[v])).sum())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_where_the_list_misses_pairs_of_larger_groups_they_are_found_all_the_same():
    """Where other pairs are treated as different, groups fall apart, and this is not noticed."""
    truth, pairs = listed(6, 12, 0.6)
    open_minded = learner_of(truth, pairs, ok.FeatureBelief())
    strict = learner_of(truth, pairs, ok.PartitionBelief(blocked=True))
    assert ok.adjusted_rand_index(open_minded.labels, truth) > 0.9
    assert ok.adjusted_rand_index(strict.labels, truth) < 0.5
    assert wrong_pairs(open_minded, truth) <= open_minded.accuracy.wrong_pairs_interval[1]
    assert wrong_pairs(strict, truth) > 3 * strict.accuracy.expected_wrong_pairs


def test_only_candidates_are_asked_and_there_is_no_second_reading():
    truth, pairs = listed(8, 4, 0.8)
    learner = learner_of(truth, pairs, ok.FeatureBelief(), 3)
    assert set(learner.similarity.pairs()) <= {tuple(pair) for pair in pairs.tolist()}
    assert learner.posterior.plain is None
    assert learner.prior is None
    assert learner.prior_map.names == ("constant",)
    assert learner.accuracy.wrong_pairs_interval[0] == 0


def test_a_learner_goes_on_after_a_save_with_more_objects_and_more_candidates():
    truth, pairs = listed(8, 4, 0.8)
    truth = np.append(truth, [0, 0])
    one = learner_of(truth[:-2], pairs, ok.FeatureBelief(), 3)
    one.ask(2)
    two = reloaded(one)
    more = [(0, 32), (1, 32), (5, 33), (32, 33)]
    for _ in range(2):
        for each in (one, two):
            if each.n == 32:
                each.extend(2, candidates=more)
        asked = one.ask(12)
        assert two.ask(12) == asked
        for each in (one, two):
            each.tell(asked, right(truth, list(asked)))
        two = reloaded(two)
    assert one.labels.tolist() == two.labels.tolist()
    assert len(one.posterior.forests.candidates) == len(pairs) + 4


def test_a_document_with_other_candidates_than_its_memory_knows_is_refused():
    truth, pairs = listed(8, 4, 0.8)
    learner = learner_of(truth, pairs, ok.FeatureBelief(), 2)
    learner.ask(1)
    document = learner.to_document()
    fewer = {name: column[:-1] for name, column in document["candidates"].items()}
    with pytest.raises(ok.InvalidInputError, match=r"memory.*candidates"):
        ok.ActiveClustering.from_document({**document, "candidates": fewer, "checksum": None})


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_forecast_is_that_of_candidates():
    truth, pairs = listed(8, 4, 0.8)
    forecast = learner_of(truth, pairs, ok.FeatureBelief(), 2).forecast(0.999)
    assert (forecast.restricted, forecast.featured) == (True, False)
    assert 1 <= forecast.low <= forecast.questions <= forecast.high == forecast.left


def test_without_it_candidates_are_read_as_before():
    assert isinstance(ok.ActiveClustering(4, candidates=[(0, 1)]).belief, ok.PartitionBelief)


def test_candidates_are_a_graph_in_order_with_one_constant_feature():
    graph = without_features(6, ok.Pairs.of([4, 0, 1], [5, 3, 2]))
    assert list(graph.pairs) == [(0, 3), (1, 2), (4, 5)]
    assert (graph.names, graph.features.tolist()) == (("constant",), [[1.0]] * 3)
