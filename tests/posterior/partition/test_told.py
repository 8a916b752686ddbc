"""Told matches in our posterior: which they are, and what is believed, enumerated for a few objects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from ofakind.answers import Answers
from ofakind.noise.calibration import CALIBRATION
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.loop import grid_of
from twins.partition_posterior import same_probabilities
from twins.partitions import partitions
from twins.pins import fits, pinned, random_pins
from twins.ties import TiedPrior

COUPLES = np.arange(40).reshape(20, 2)
PAIRS = [(0, 1), (1, 2), (0, 2), (2, 3)]


def tied_pairs(graph):
    """The pairs of nodes that ties join."""
    rows = np.repeat(np.arange(graph.nodes), np.diff(graph.frame.indptr))
    slots = np.flatnonzero(graph.ties.kernel.slots)
    return {tuple(sorted((int(rows[slot]), int(graph.frame.indices[slot])))) for slot in slots}


def test_a_match_is_a_pair_with_a_positive_mean_that_nobody_asked_for():
    answers = Answers.none(9).adding([(0, 1), (2, 3), (4, 5)], [1, 1, 0], asked=False)
    answers = answers.adding([(6, 7)], [1]).adding([(7, 8), (7, 8)], [1, -0.5], asked=False)
    graph = AnswerGraph.of(answers)
    assert tied_pairs(graph) == {(0, 1), (2, 3), (7, 8)}
    assert graph.ties.units == 6
    for more in ([-1.0], [1.0]):
        assert tied_pairs(AnswerGraph.of(answers.adding([(0, 1)], more))) == {(2, 3), (7, 8)}
    assert AnswerGraph.of(answers.adding([(0, 1)], [-1], asked=False)).ties.units == 7
    assert AnswerGraph.of(answers.without([0, 1, 4, 5])).ties is None


def test_for_each_pair_that_is_told_to_differ_the_least_sure_match_counts_as_asked_for():
    answers = Answers.none(9).adding([(0, 1), (2, 3), (4, 5)], [0.9, 0.3, 0.9], asked=False)
    for differing, expected in ((1, {(0, 1), (4, 5)}), (2, {(0, 1)})):
        others = [(6, 7), (7, 8)][:differing]
        graph = AnswerGraph.of(answers.adding(others, [-1] * differing, asked=False))
        assert tied_pairs(graph) == expected
        assert set(graph.evidence.pairs.take(~graph.heard)) == expected
    sample = AnswerGraph.of(answers.adding([(6, 7), (7, 8), (6, 8)], [-1, -1, -1], asked=False))
    assert sample.ties is None
    assert sample.heard is None
    assert len(tied_pairs(AnswerGraph.of(answers.adding([(6, 7), (7, 8)], [-1, -1])))) == 3


def test_the_surest_matches_are_joined_first_and_none_that_is_joined_already():
    answers = Answers.none(4).adding(PAIRS, [0.5, 0.9, 0.8, 0.1], asked=False)
    assert tied_pairs(AnswerGraph.of(answers)) == {(1, 2), (0, 2), (2, 3)}
    answers = Answers.none(4).adding(PAIRS, [1, 1, 1, 1], asked=False)
    assert tied_pairs(AnswerGraph.of(answers)) == {(0, 1), (0, 2), (2, 3)}


def test_without_a_told_match_nothing_is_tied():
    for answers in (
        Answers.none(4).adding(PAIRS, [1, 1, 1, 1]),
        Answers.none(4).adding(PAIRS, [-1, -1, 0, -0.2], asked=False),
        Answers.none(4),
    ):
        assert AnswerGraph.of(answers).ties is None


@given(pins=pinned(7), seed=st.integers(0, 2**32))
def test_ties_join_units_that_pins_leave_open_and_never_in_a_circle(pins, seed):
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(np.stack(np.triu_indices(7, 1), axis=1))[:9]
    answers = Answers.none(7).adding(pairs, rng.uniform(-0.2, 1, 9), asked=rng.random(9) < 0.3)
    graph = AnswerGraph.of(answers, pins=pins)
    told = {tuple(pair): 0.0 for pair in pairs.tolist()}
    for u, v, value, asked in zip(answers.u, answers.v, answers.values, answers.asked, strict=True):
        told[int(u), int(v)] = 0.0 if asked else float(value)
    part, expected = list(range(graph.nodes)), set()
    free = {pair: value for pair, value in told.items() if not pins.implied(*np.array([pair]).T)[0]}
    differing = sum(value < 0 for value in free.values())
    matches = sorted((-value, pair) for pair, value in free.items() if value > 0)
    for _, (u, v) in matches[: max(len(matches) - differing, 0)]:
        a, b = sorted((int(pins.units[u]), int(pins.units[v])))
        if part[a] != part[b]:
            part = [part[a] if each == part[b] else each for each in part]
            expected.add((a, b))
    if not expected:
        assert graph.ties is None
        return
    assert tied_pairs(graph) == expected
    np.testing.assert_array_equal(
        np.equal.outer(graph.ties.unit, graph.ties.unit), np.equal.outer(part, part)
    )


def enumerated(answers, pins, exponent, *, candidates=None):
    """P(same) of all pairs of a few objects, by the prior of nodes and plain sums over pairs of objects."""
    graph = AnswerGraph.of(answers, candidates, pins=pins)
    units = np.arange(answers.n) if pins is None else pins.units
    ties = graph.ties
    edges = [] if ties is None else sorted(tied_pairs(graph))
    room = 0 if ties is None else ties.kernel.room
    prior = TiedPrior(grid_of(graph, exponent)(), exponent, edges, room)
    near = set() if candidates is None else {tuple(sorted((units[u], units[v]))) for u, v in candidates}
    first = np.unique(units, return_index=True)[1]
    found, logs = [], []
    for labels in map(np.array, partitions(answers.n)):
        if pins is None or fits(labels, pins):
            rows = zip(answers.u, answers.v, answers.values, strict=True)
            held = [value for u, v, value in rows if labels[u] == labels[v] and units[u] != units[v]]
            lifted = sum(labels[first[a]] == labels[first[b]] for a, b in near if a != b)
            found.append(labels)
            weight = CALIBRATION.slope * sum(held) - graph.background * lifted
            logs.append(logsumexp(prior.log_weights(labels[first])) + weight)
    return same_probabilities(np.array(found), np.exp(np.array(logs) - logsumexp(logs)))


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [1.0, 0.5])
@pytest.mark.parametrize("case", ["plain", "pins", "candidates"])
@pytest.mark.parametrize("seed", range(2))
def test_the_belief_gives_the_enumerated_probabilities(seed, case, exponent):
    rng, n = np.random.default_rng(seed), 6
    pairs = rng.permutation(np.stack(np.triu_indices(n, 1), axis=1))[:10]
    answers = Answers.none(n).adding(pairs, rng.uniform(-0.3, 0.7, 10), asked=rng.random(10) < 0.3)
    pins = random_pins(n, 2, rng) if case == "pins" else None
    candidates = Pairs.from_ranks(rng.permutation(15)[:8], n) if case == "candidates" else None
    expected = enumerated(answers, pins, exponent, candidates=candidates)
    belief = PartitionBelief(chains=4, burn_in=100, samples=4000, calibrate=False, exponent=exponent)
    posterior = belief.update(answers, candidates=candidates, pins=pins, rng=rng)
    u, v = np.triu_indices(n, 1)
    np.testing.assert_allclose(posterior.same_probability(u, v), expected[u, v], atol=0.025)
    answered = posterior.similarity.pairs()
    np.testing.assert_allclose(posterior.answered_same, expected[answered.u, answered.v], atol=0.025)


def test_told_matches_do_not_show_what_an_answer_is_worth():
    only = AnswerGraph.of(Answers.none(40).adding(COUPLES, np.ones(20), asked=False))
    assert not only.heard.any()
    assert len(only.judging(only.answers)) == 0
    both = AnswerGraph.of(only.answers.adding([(0, 2)], [-1.0]))
    assert both.judging(both.answers).values.tolist() == [-1.0]
    assert AnswerGraph.of(Answers.none(40).adding(COUPLES, np.ones(20))).heard is None


def test_a_graph_of_before_has_the_ties_of_before():
    answers = Answers.none(5).adding([(0, 1), (1, 2)], [1, 1], asked=False).adding([(0, 1), (3, 4)], [1, 1])
    graph = AnswerGraph.of(answers)
    assert tied_pairs(graph) == {(1, 2)}
    assert tied_pairs(graph.before(2, tempered=False)) == {(0, 1), (1, 2)}
    assert tied_pairs(AnswerGraph.of(answers, Pairs.of([0], [4])).before(2, tempered=False)) == {
        (0, 1),
        (1, 2),
    }


def test_ties_of_units_are_as_many_as_pins_leave():
    pins = Pins.none(5).adding(np.array([0]), np.array([2]), same=True)
    pins = pins.adding(np.array([0]), np.array([4]), same=False)
    pairs = [(0, 1), (1, 2), (0, 2), (3, 4), (2, 4)]
    graph = AnswerGraph.of(Answers.none(5).adding(pairs, [1] * 5, asked=False), pins=pins)
    assert tied_pairs(graph) == {(0, 1), (2, 3)}  # 1 with the unit of 0 and 2, and 3 with 4
    assert graph.ties.units == 2
