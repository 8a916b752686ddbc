"""Pairs that were never compared, counted by brute force."""

from dataclasses import replace

import numpy as np
import pytest

import ofakind as ok
from ofakind.pins import Pins
from ofakind.report.assessment import assess
from ofakind.report.compared import never_compared
from twins.featured import near_vectors, right


def unconnected(n, links):
    """Pairs that no chain of links connects: a matrix of what is reached, squared until nothing is new."""
    reached = np.eye(n, dtype=bool)
    for u, v in links:
        reached[u, v] = reached[v, u] = True
    for _ in range(n):
        reached = reached @ reached
    return int((~reached).sum()) // 2


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_never_compared_that_no_chain_of_candidates_answers_and_pins_connects(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    every = np.stack(np.triu_indices(n, 1), axis=1)
    some = [every[rng.random(len(every)) < share / n] for share in rng.uniform(0, 1, 3)]
    answers = ok.Answers.none(n).adding(some[1], rng.choice([-1.0, 1.0], len(some[1])))
    pins = Pins.none(n)
    for pair in some[2]:
        if not pins.implied(pair[:1], pair[1:])[0]:
            pins = pins.adding(pair[:1], pair[1:], same=bool(rng.integers(2)))
    candidates = ok.Pairs.from_array(some[0])
    links = [*some[0], *some[1], *np.asarray(pins.pairs)]
    assert never_compared(candidates, answers, pins) == unconnected(n, links)
    assert never_compared(candidates, answers) == unconnected(n, [*some[0], *some[1]])


def test_of_nobody_and_of_one_no_pair_was_never_compared():
    for n in (0, 1):
        assert never_compared(ok.Pairs.empty(), ok.Answers.none(n)) == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_learner_says_how_many_pairs_were_never_compared():
    near = ok.Neighbours.from_scores([(0, 1), (1, 2), (3, 4)], [0.9, 0.5, 0.2], 6)
    learner = ok.ActiveClustering(6, prior=near)
    assert learner.accuracy.never_compared == 3 * 2 + 3 + 2
    learner.tell([(2, 3)], [-1])
    assert learner.accuracy.never_compared == 5
    learner.pin([(5, 0)], same=False)
    assert learner.accuracy.never_compared == 0
    assert ok.ActiveClustering(6).accuracy.never_compared == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_where_the_reading_without_features_counts_all_pairs_may_be_compared():
    truth, near = near_vectors(4, 5)
    far = ok.Neighbours(20, near.pairs[:6], near.features[:6], near.names, near.kind)
    learner = ok.ActiveClustering(20, prior=far)
    learner.tell(pairs := learner.ask(5), right(truth, list(pairs)))
    for lead, some in ((1.0, True), (-99.0, False)):
        found = assess(replace(learner.posterior, lead=lead, featured=some), learner.labels, learner.answers)
        assert (found.never_compared > 0) == some
