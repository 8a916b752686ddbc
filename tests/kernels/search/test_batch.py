"""The bucket queue chooses what a plain look at all candidates would choose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.kernels.search.batch import STEP, familiarity, greedy, knownness
from twins.batch import dense_knownness, is_greedy, losses_when_chosen


def random_candidates(rng, m, groups, owners, decades):
    loss = rng.random(m) * decades * np.log(10)
    if m:
        loss -= loss.min()
    return loss, rng.integers(groups, size=m), rng.integers(-1, owners, size=m)


@given(
    st.integers(0, 2**32),
    st.integers(0, 60),
    st.integers(1, 20),
    st.integers(0, 10),
    st.sampled_from([0.0, 0.01, 1.0, 5.0]),
    st.sampled_from([0, 1, 10, 100]),
)
def test_every_choice_is_the_best_of_what_is_left(seed, m, groups, owners, decades, size):
    rng = np.random.default_rng(seed)
    candidates = random_candidates(rng, m, groups, owners, decades)
    costs = tuple(rng.uniform(0, 2, 2))
    chosen, lost = greedy(*candidates, costs, size)
    assert is_greedy(chosen, *candidates, costs, size)
    steps = losses_when_chosen(chosen, *candidates, costs)
    np.testing.assert_allclose(lost, [now[i] for i, now in zip(chosen, steps, strict=False)], atol=1e-9)


def test_a_batch_that_is_not_greedy_is_noticed():
    rng = np.random.default_rng(0)
    candidates = random_candidates(rng, 30, 5, 5, 1.0)
    chosen = greedy(*candidates, (1.0, 1.0), 10)[0]
    assert is_greedy(chosen, *candidates, (1.0, 1.0), 10)
    assert not is_greedy(chosen[::-1], *candidates, (1.0, 1.0), 10)
    assert not is_greedy(chosen[:9], *candidates, (1.0, 1.0), 10)


def test_without_discounts_the_batch_is_the_top_in_order():
    loss = np.random.default_rng(1).permutation(200) * 1.5 * STEP
    chosen = greedy(loss, np.zeros(200, np.int64), np.full(200, -1), (0.0, 0.0), 50)[0]
    assert np.array_equal(chosen, np.argsort(loss)[:50])


def test_a_group_is_asked_again_only_after_better_ones():
    loss, group = np.zeros(6), np.array([0, 0, 0, 1, 1, 2])
    chosen = greedy(loss, group, np.full(6, -1), (1.0, 1.0), 6)[0]
    assert sorted(group[chosen[:3]]) == [0, 1, 2]
    assert sorted(group[chosen[3:5]]) == [0, 1]
    assert group[chosen[5]] == 0


def test_questions_about_one_object_count_against_each_other():
    owner = np.array([7, 7, 7, 3])
    chosen = greedy(np.zeros(4), np.arange(4), owner, (1.0, 1.0), 4)[0]
    assert sorted(owner[chosen[:2]]) == [3, 7]


def test_what_is_worth_less_than_a_ten_thousandth_is_never_chosen():
    loss = np.array([0.0, np.log(9_999), np.log(10_001), 50.0])
    assert greedy(loss, np.arange(4), np.full(4, -1), (0.0, 0.0), 4)[0].tolist() == [0, 1]
    tired = greedy(np.zeros(100), np.zeros(100, np.int64), np.full(100, -1), (np.log(2), 0.0), 100)[0]
    assert len(tired) == 14  # 2^13 < 10^4 < 2^14


@pytest.mark.parametrize("size", [0, 3])
def test_no_candidates_give_no_batch(size):
    none = np.empty(0, np.int64)
    assert [len(part) for part in greedy(np.empty(0), none, none, (1.0, 1.0), size)] == [0, 0]


@given(st.floats(0, 1), st.floats(1e-6, 0.5))
def test_a_pair_is_known_by_the_share_of_its_entropy_that_is_gone(p, share):
    prior = -share * np.log(share) - (1 - share) * np.log1p(-share)
    known = knownness(-p * np.log(max(p, 1e-300)) - (1 - p) * np.log1p(-min(p, 1 - 1e-16)), prior, 0.3)
    assert 0 <= known <= 1
    assert known == pytest.approx(dense_knownness(np.full((2, 2), p), share)[0, 1], abs=1e-9)
    assert knownness(0.0, prior, 0.3) == 1
    assert knownness(prior, prior, 0.3) == 0


def test_familiarity_leaves_the_object_itself_out():
    P, weights = np.array([[0.5, 1.0], [0.5, 1.0]]), np.array([0.25, 0.75])
    weight, unknown = familiarity(P, np.array([0, -1]), weights, np.log(2), 0.3)
    np.testing.assert_allclose(weight, [0.75, 0.75])
    np.testing.assert_allclose(unknown, [0.0, 0.5])
    alone = familiarity(np.ones((1, 1)), np.array([0]), np.ones(1), np.log(2), 0.3)
    assert [x.tolist() for x in alone] == [[0.0], [0.0]]
