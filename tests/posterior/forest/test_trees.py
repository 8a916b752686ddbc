"""The prior of trees: what links weigh, and the background of every pair."""

import numpy as np
import pytest
from scipy.special import expit

from ofakind import Answers, Pairs
from ofakind.posterior.forest.trees import TREES, Scale, tree_prior_of
from ofakind.priors.judged import judged_graph
from ofakind.priors.pair_map import PairMap
from twins.featured import near_vectors, problem_of

UNSCALED = Scale()


def prior_of(near, scale=UNSCALED):
    problem = problem_of(Answers.none(near.n), near)
    known = PairMap.at(near.names, problem.start)
    return tree_prior_of(problem.candidates, known, scale), known


def judged(n, share, seed=0):
    rng = np.random.default_rng(seed)
    pairs = np.asarray(Pairs.all(n))[rng.random(n * (n - 1) // 2) < share]
    return judged_graph(Answers.none(n).adding(pairs, rng.uniform(-1, 1, len(pairs)), "model"), None)


def test_a_link_weighs_what_map_and_scale_say():
    _, near = near_vectors(5, 8)
    prior, known = prior_of(near, Scale(0.7, 1.5))
    odds = known.log_odds(near.features)
    expected = np.exp(odds.mean() + 0.7 + 1.5 * (odds - odds.mean()))
    weights = {}
    for i in range(near.n):
        for slot in range(prior.candidates.indptr[i], prior.candidates.indptr[i + 1]):
            weights[i, int(prior.candidates.indices[slot])] = prior.candidates.S[slot]
    assert [weights[pair] for pair in near.pairs] == pytest.approx(expected)


def test_with_features_the_background_is_worth_what_the_least_likely_quarter_of_the_candidates_is():
    _, near = near_vectors(5, 8)
    prior, known = prior_of(near)
    odds = np.sort(known.log_odds(near.features))
    lowest = odds[: round(len(odds) / 4)]
    assert prior.f_bg * near.n == pytest.approx(expit(lowest).mean())


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_with_judges_alone_an_object_without_a_likely_candidate_may_be_with_any_other(share):
    """The worst that a judge has seen are among the candidates, and say nothing of those that it has not."""
    near = judged(60, share)
    prior, known = prior_of(near)
    assert prior.f_bg * near.n == TREES.judged == 1.0  # as likely with another as alone, whose weight is 1
    assert expit(known.log_odds(near.features)).min() < 0.1


def test_a_judge_beside_features_leaves_their_background():
    _, near = near_vectors(5, 8)
    said = Answers.none(near.n).adding(np.asarray(near.pairs), np.zeros(len(near.pairs)), "model")
    assert prior_of(judged_graph(said, near))[0].f_bg == pytest.approx(prior_of(near)[0].f_bg)
