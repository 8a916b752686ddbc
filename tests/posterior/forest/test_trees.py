"""The prior of trees: what links weigh, and the background of every pair."""

import numpy as np
import pytest
from scipy.special import expit

from ofakind import Answers, Pairs
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.trees import TREES, Scale, tree_prior_of
from ofakind.priors.judged import judged_graph, unseen_share
from ofakind.priors.pair_map import PairMap
from ofakind.priors.start import start_of
from twins import judged as liar
from twins.featured import near_vectors

UNSCALED = Scale()


def prior_of(near, scale=UNSCALED, unseen=0.0):
    known = PairMap.at(near.names, start_of(near))
    return tree_prior_of(CandidateGraph.of(near, None, unseen=unseen), known, scale), known


def weights_in(prior):
    """Return the weight of each candidate, by its two objects in either order."""
    graph, found = prior.candidates, {}
    for i in range(len(graph.indptr) - 1):
        for slot in range(graph.indptr[i], graph.indptr[i + 1]):
            found[i, int(graph.indices[slot])] = graph.S[slot]
    return found


def judged(n, share, seed=0):
    """Return what a judge says of a share of all pairs."""
    rng = np.random.default_rng(seed)
    pairs = np.asarray(Pairs.all(n))[rng.random(n * (n - 1) // 2) < share]
    return Answers.none(n).adding(pairs, rng.uniform(-1, 1, len(pairs)), "model")


def test_a_link_weighs_what_map_and_scale_say():
    _, near = near_vectors(5, 8)
    prior, known = prior_of(near, Scale(0.7, 1.5))
    odds = known.log_odds(near.features)
    expected = np.exp(odds.mean() + 0.7 + 1.5 * (odds - odds.mean()))
    weights = weights_in(prior)
    assert [weights[pair] for pair in near.pairs] == pytest.approx(expected)


def test_a_link_weighs_less_where_a_judge_is_known_to_be_wrong_about_an_object():
    """All pairs have the same features: only what is known of single objects tells them apart."""
    found = weights_in(tree_prior_of(CandidateGraph.of(liar.NEAR, None), liar.known_map(), UNSCALED))
    with_it, without = (found[pair] for pair in liar.OPEN)
    assert with_it < without / 2


def test_with_features_the_background_is_worth_what_the_least_likely_quarter_of_the_candidates_is():
    _, near = near_vectors(5, 8)
    prior, known = prior_of(near)
    odds = np.sort(known.log_odds(near.features))
    lowest = odds[: round(len(odds) / 4)]
    assert prior.f_bg * near.n == pytest.approx(expit(lowest).mean())


def test_with_judges_alone_the_background_is_worth_more_the_fewer_pairs_they_have_looked_at():
    """The worst that a judge has seen are among the candidates, and say nothing of those that it has not."""
    n = 60
    for share in (0.2, 0.6, 1.0):
        said = judged(n, share)
        unseen = 1 - len(said) / (n * (n - 1) // 2)
        prior, known = prior_of(judged_graph(said, None), unseen=unseen_share(said))
        odds = np.sort(known.log_odds(judged_graph(said, None).features))
        lowest = odds[: round(len(odds) / 4)]
        assert prior.f_bg * n == pytest.approx(TREES.unseen * unseen + expit(lowest).mean())


def test_pairs_that_may_not_be_of_a_kind_are_no_reason_for_a_background():
    said = judged(60, 0.3)
    seen = Pairs.of(said.u, said.v)
    assert unseen_share(said, seen) == 0
    more = Pairs.of([*seen.u, 0], [*seen.v, next(v for v in range(1, 60) if (0, v) not in set(seen))])
    assert unseen_share(said, more) == pytest.approx(1 / 1770)


def test_a_judge_beside_features_leaves_their_background():
    _, near = near_vectors(5, 8)
    said = Answers.none(near.n).adding(np.asarray(near.pairs), np.zeros(len(near.pairs)), "model")
    assert prior_of(judged_graph(said, near))[0].f_bg == pytest.approx(prior_of(near)[0].f_bg)
