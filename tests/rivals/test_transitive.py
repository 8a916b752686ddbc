"""Asking in order of score: what is asked, what is implied, and what one wrong answer does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.clustering import canonical_labels
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.priors.neighbours import Neighbours
from ofakind.rivals.transitive import KnownGroups, TransitiveJoin
from twins.transitive import implied, in_order_of_score
from twins.witness import Witness

truths = st.lists(st.integers(0, 3), min_size=2, max_size=6)


def scored(n, seed, share=0.7):
    """A random graph, and a score for each of its pairs."""
    rng = np.random.default_rng(seed)
    pairs = np.asarray(Pairs.all(n))
    kept = pairs[rng.random(len(pairs)) < share]
    return Neighbours.from_scores(kept, rng.random(len(kept)), n=n)


def join(near, oracle, budget=1000):
    return TransitiveJoin()(near.n, oracle, budget=budget, rng=np.random.default_rng(0), prior=near)


@pytest.mark.slow
@given(truths, st.integers(0, 1000), st.integers(0, 15))
def test_it_asks_as_its_twin_that_lists_all_partitions(truth, seed, budget):
    near, oracle = scored(len(truth), seed), Witness(truth)
    found = join(near, oracle, budget)
    asked, labels = in_order_of_score(near, truth, budget)
    assert [tuple(pair) for pair in oracle.asked.tolist()] == asked
    assert np.array_equal(found.labels, canonical_labels(labels))


@pytest.mark.slow
@given(truths, st.permutations(range(15)))
def test_what_is_implied_is_what_all_possible_partitions_agree_on(truth, order):
    n, groups, answers = len(truth), KnownGroups(len(truth)), {}
    pairs = [tuple(pair) for pair in np.asarray(Pairs.all(n)).tolist()]
    for u, v in (pairs[place] for place in order if place < len(pairs)):
        known = implied(n, answers)
        assert {pair for pair in pairs if groups.implies(*pair)} == known
        assert {pair for pair in pairs if groups.implies(*pair[::-1])} == known
        if (u, v) not in known:
            answers[u, v] = truth[u] == truth[v]
            groups.tell(u, v, same=answers[u, v])


def test_the_likeliest_pair_comes_first_and_the_first_of_equals():
    near = Neighbours.from_scores([(0, 1), (0, 2), (1, 3), (2, 3)], [0.2, 0.9, 0.5, 0.5], n=4)
    oracle = Witness([0, 1, 2, 3])
    join(near, oracle)
    assert oracle.asked.tolist() == [[0, 2], [1, 3], [2, 3], [0, 1]]


def test_pairs_outside_the_graph_are_never_asked_and_stay_apart():
    near = Neighbours.from_scores([(0, 1), (2, 3)], [0.9, 0.8], n=4)
    found = join(near, Witness([0, 0, 0, 0]))
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert (found.n_answers, found.stopped) == (2, "")


def test_one_wrong_answer_joins_two_groups_for_good():
    near = Neighbours.from_scores(Pairs.all(6), [0.9 if u // 3 == v // 3 else 0.5 for u, v in Pairs.all(6)])

    def wrong_once(pairs):
        return [1.0 if u // 3 == v // 3 or (u, v) == (0, 3) else -1.0 for u, v in pairs]

    assert join(near, wrong_once).k == 1


@pytest.mark.parametrize(
    ("prior", "message"),
    [(None, "the prior is None, and TransitiveJoin works on"), (scored(4, 0), "has 4 objects; expected 5")],
)
def test_a_graph_that_cannot_be_is_refused_before_anything_is_asked(prior, message):
    oracle = Witness(np.zeros(5))
    with pytest.raises(InvalidInputError, match=message):
        TransitiveJoin()(5, oracle, budget=9, rng=np.random.default_rng(0), prior=prior)
    assert oracle.calls == []
