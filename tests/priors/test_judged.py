"""What judges say as features: columns of the pair map, and a candidate graph where there is no other."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.answers import Answers
from ofakind.pairs import Pairs
from ofakind.priors.judged import (
    JUDGED,
    beyond_features,
    judged_graph,
    judges_of,
    log_odds_of,
    newest_scores,
)
from ofakind.priors.pair_map import PairMap
from ofakind.priors.start import start_of
from twins.featured import near_vectors


def said_about(n, count, seed, name="model"):
    """Return a table of so many scores, no two alike."""
    rng = np.random.default_rng(seed)
    ranks = rng.choice(n * (n - 1) // 2, count, replace=False)
    return Answers.none(n).adding(Pairs.from_ranks(ranks, n), rng.uniform(-0.95, 0.95, count), name)


def best_and_worst(said):
    """Return, pair by pair, what `judged_graph` should hold without features: the plain twin."""
    scores = dict(zip(zip(said.u.tolist(), said.v.tolist(), strict=True), said.values.tolist(), strict=True))
    kept = set()
    for each in range(said.n):
        own = sorted((pair for pair in scores if each in pair), key=lambda pair: -scores[pair])
        kept |= {*own[: JUDGED.best], *own[-JUDGED.worst :]}
    return sorted(kept)


def test_log_odds_are_those_of_a_probability_of_half_the_score_plus_one_and_bounded():
    scores = np.array([-1.0, -0.5, 0.0, 0.2, 0.99, 1.0])
    probability = (1 + scores[1:5]) / 2
    assert log_odds_of(scores)[1:5] == pytest.approx(np.log(probability / (1 - probability)))
    assert log_odds_of(scores)[[0, 5]] == pytest.approx([-JUDGED.surest, JUDGED.surest])


def test_a_later_score_of_the_same_judge_replaces_the_earlier_and_another_judge_has_its_own():
    said = Answers.none(4).adding([(0, 1), (2, 3)], [0.9, 0.5], "X").adding([(1, 0)], [-0.3], "Y")
    said = said.adding([(1, 0)], [0.1], "X")
    assert judges_of(said) == ("X", "Y")
    pairs, scores = newest_scores(said, "X")
    assert (list(pairs), scores.tolist()) == ([(0, 1), (2, 3)], [0.1, 0.5])
    assert newest_scores(said, "Y")[1].tolist() == [-0.3]
    assert len(newest_scores(said, "Z")[0]) == 0
    assert judged_graph(said, None).names == (
        "constant",
        "judge: X",
        "judge yes: X",
        "judge: Y",
        "judge yes: Y",
    )


@pytest.mark.parametrize("seed", range(3))
def test_without_features_the_best_and_some_of_the_worst_of_each_object_are_candidates(seed):
    said = said_about(30, 300, seed)
    near = judged_graph(said, None)
    assert list(near.pairs) == best_and_worst(said)
    own = log_odds_of(newest_scores(said, "model")[1])
    place = np.searchsorted(newest_scores(said, "model")[0].ranks(30), near.pairs.ranks(30))
    assert near.features[:, 1] == pytest.approx(own[place] / 4)
    assert near.features[:, 2] == pytest.approx(np.maximum(own[place], 0) / 4)


@pytest.mark.parametrize("seed", range(3))
def test_the_graph_does_not_depend_on_what_objects_are_numbered_or_when_they_were_judged(seed):
    said, rng = said_about(25, 200, seed), np.random.default_rng(seed)
    number, order = rng.permutation(25), rng.permutation(200)
    again = Answers.none(25).adding(
        np.stack([number[said.u], number[said.v]], axis=1)[order], said.values[order], "model"
    )

    def found(near, names):
        rows = zip(near.pairs, near.features.round(12).tolist(), strict=True)
        return sorted((sorted((names[u], names[v])), row) for (u, v), row in rows)

    assert found(judged_graph(said, None), number) == found(judged_graph(again, None), np.arange(25))


def test_with_features_the_graph_is_theirs_and_pairs_without_a_score_have_zeros():
    _, near = near_vectors(4, 5)
    first, other = (
        near.pairs.take([0]),
        Pairs.from_ranks(np.setdiff1d(np.arange(190), near.pairs.ranks(20))[:1], 20),
    )
    said = Answers.none(20).adding(first, [0.5], "model").adding(other, [1.0], "model")
    found = judged_graph(said, near)
    assert found.pairs == near.pairs
    assert np.array_equal(found.features[:, : len(near.names)], near.features)
    assert found.kind == "vectors+judge"
    assert found.features[0, -2:] == pytest.approx([np.log(3) / 4] * 2)
    assert not found.features[1:, -2:].any()


def others_of(near, count, seed=0):
    """Return some pairs that are no candidates."""
    every = np.setdiff1d(np.arange(near.n * (near.n - 1) // 2), near.pairs.ranks(near.n))
    return Pairs.from_ranks(np.sort(np.random.default_rng(seed).permutation(every)[:count]), near.n)


def test_beside_features_the_best_pairs_beyond_them_are_candidates_where_a_judge_finds_many_of_a_kind_there():
    _, near = near_vectors(6, 10)
    other, scores = others_of(near, 400), np.random.default_rng(1).uniform(-0.9, 0.9, 400)
    said = Answers.none(60).adding(other, scores, "model").adding(near.pairs.take([0]), [0.5], "model")
    found = judged_graph(said, near)
    best = best_and_worst(Answers.none(60).adding(other, scores, "model"))
    assert sorted(found.pairs) == sorted({*near.pairs, *best})
    d = len(near.names)
    here = np.isin(found.pairs.ranks(60), near.pairs.ranks(60))
    assert np.array_equal(found.features[here, :d], near.features)
    lowest = near.features[np.argsort(near.features[:, 1])[: -(-len(near.pairs) // 4)]]
    assert found.features[~here, :d] == pytest.approx(np.tile(lowest.mean(axis=0), ((~here).sum(), 1)))
    own = dict(zip(other, log_odds_of(scores) / 4, strict=True))
    assert found.features[~here, d] == pytest.approx([own[pair] for pair in found.pairs.take(~here)])


@pytest.mark.parametrize(
    ("count", "same", "told"),
    [(59, 59, False), (60, 1, False), (60, 2, True), (60, 60, True), (60, 0, False)],
)
def test_a_judge_must_have_looked_at_enough_beyond_features_and_called_some_the_same(count, same, told):
    _, near = near_vectors(6, 10)
    scores = np.where(np.arange(count) < same, 0.5, -0.5)
    said = Answers.none(60).adding(near.pairs, np.full(len(near.pairs), 0.9), "model")
    said = said.adding(others_of(near, count), scores, "model")
    said = said.adding(others_of(near, 300), np.full(300, 0.5), "another")
    found = beyond_features(said, "model", near)
    assert (found is not None) == told
    if told:
        assert (found[0], found[1].tolist()) == (others_of(near, count), scores.tolist())


def test_features_of_nobody_are_described_too():
    near = ok.Neighbours.from_scores([], [], 5)
    said = Answers.none(5).adding(Pairs.all(5), np.full(10, 0.9), "model")
    found = judged_graph(said, near)
    assert found.pairs == Pairs.all(5)
    assert found.features[:, : len(near.names)].tolist() == [[1.0] + [0.0] * (len(near.names) - 1)] * 10


def test_the_map_begins_where_a_judge_is_believed_in_part_and_half_as_much_beside_features():
    said = said_about(20, 60, 0)
    alone = judged_graph(said, None)
    start = start_of(alone)
    assert start.mean.tolist() == [0.0, 2.0, 0.0]
    assert np.array_equal(np.linalg.inv(start.precision), np.diag([4.0, 2.0, 2.0]))
    expected = 2 * alone.features[:, 1]
    assert PairMap.at(alone.names, start).log_odds(alone.features) == pytest.approx(expected)
    _, near = near_vectors(4, 5)
    beside = start_of(judged_graph(said, near))
    assert beside.mean[-2:].tolist() == [1.0, 0.0]
    assert np.array_equal(beside.precision[-2:, -2:], np.eye(2) / 2)
    assert np.array_equal(beside.mean[:-2], start_of(near).mean)


def test_several_judges_share_out_what_is_believed_of_one():
    """Their errors go together, so that two who agree are no two witnesses."""
    said = said_about(20, 60, 0)
    one = judged_graph(said, None)
    twice = judged_graph(
        said.adding(np.stack([said.u, said.v], axis=1), said.values, "another of the same kind"), None
    )
    odds = [PairMap.at(near.names, start_of(near)).log_odds(near.features) for near in (one, twice)]
    assert one.pairs == twice.pairs
    assert odds[1] == pytest.approx(odds[0])


def test_judges_that_looked_at_other_pairs_take_nothing_from_each_other():
    every = said_about(20, 190, 0)
    first, second = every.first(90), every.since(90)
    both = first.adding(np.stack([second.u, second.v], axis=1), second.values, "another")
    alone, shared = start_of(judged_graph(first, None)), start_of(judged_graph(both, None))
    assert shared.mean[[1, 3]].tolist() == alone.mean[[1, 1]].tolist()
    assert shared.alike == alone.alike
    assert np.array_equal(np.diag(shared.precision)[1:3], np.diag(alone.precision)[1:])


def test_judges_that_agree_share_the_variances_out_too():
    said = said_about(20, 60, 0)
    twice = said.adding(np.stack([said.u, said.v], axis=1), said.values, "another")
    one, two = (start_of(judged_graph(each, None)) for each in (said, twice))
    assert two.alike == 2 * one.alike
    assert np.array_equal(np.diag(two.precision)[1:3], 2 * np.diag(one.precision)[1:])


def test_a_judge_that_has_said_little_takes_little_from_another():
    said = said_about(20, 60, 0)
    alone = start_of(judged_graph(said, None)).mean
    more = said.adding([(said.u[0], said.v[0])], [0.5], "another")
    assert start_of(judged_graph(more, None)).mean[1] == pytest.approx(alone[1], rel=0.1)
