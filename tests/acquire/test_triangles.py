import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.base import Selector, State
from ofakind.acquire.choose import choose
from ofakind.acquire.pool import Pool
from ofakind.acquire.triangles import (
    MaxExp,
    MaxMin,
    expected_triangle_cost,
    violating_slots,
    weakest_pairs,
)
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.kernels.graph.triangles import largest_per_pair
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from twins import triangles as twin

ALL = 10**9  # more violating pairs than there are: all of them
TIED = np.array([-1, -0.5, 0, 0.5, 1])
similarities = st.floats(-1, 1)
betas = st.floats(0.01, 100) | st.just(math.inf)


def no_posterior():
    raise AssertionError("the posterior was looked at")


def make_state(n, pairs, values, labels):
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T
    similarity = Similarity.from_pairs(n, u, v, np.array(values, float))
    return State(similarity, Clustering.of(similarity, labels), no_posterior)


def random_state(rng, n=12, share=0.6, values=None):
    """Some pairs asked, with distinct values or, if given, values of a few kinds; any clustering."""
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    pairs = pairs[rng.random(len(pairs)) < share]
    answers = rng.uniform(-1, 1, len(pairs)) if values is None else rng.choice(values, len(pairs))
    return make_state(n, pairs, answers, rng.integers(rng.integers(1, n + 1), size=n))


def dense(state):
    return state.similarity.to_scipy().toarray()


def as_dict(scores):
    return dict(zip(scores.pairs, scores.values.tolist(), strict=True))


def all_weakest(state, beta, seed=0):
    return as_dict(weakest_pairs(state, beta, violations=ALL, rng=np.random.default_rng(seed)))


def twin_weakest(state, beta, seed=0):
    S = dense(state)
    violating = twin.violating_pairs(S, state.clustering.labels)
    rng = np.random.default_rng(seed)
    dice = rng.integers(6, size=len(violating)), rng.integers(6, size=len(S))
    return twin.weakest_pairs(S, violating, dice, beta)


def pool_of(state, repeats=1, pending=(), allowed=None):
    allowed = None if allowed is None else Pairs.from_array(allowed)
    return Pool(state.similarity, Pairs.from_array(list(pending)), allowed, repeats)


# ---------------------------------------------------------------- cost of one triangle


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ((0, 1, 1), (0.91039, 0.63650, 0.01347, 0)),
        ((-0.2, 1, 1), (1.01542, 0.78525, 0.22857, 0.2)),
        ((0, -1, -1), (0.54422, 0.35054, 0.00674, 0)),
        ((-1, 1, 1), (1.33773, 1.18228, 1.00227, 1)),
        ((-0.5, 0.5, 0.5), (0.72711, 0.66887, 0.51547, 0.5)),
    ],
)
def test_expected_costs_are_the_reference_values(sides, expected):
    got = [expected_triangle_cost(*sides, beta) for beta in (0.5, 1, 5, 100)]
    assert got == pytest.approx(expected, abs=6e-6)


@given(similarities, similarities, similarities, betas)
def test_expected_cost_agrees_with_its_twin(a, b, d, beta):
    expected = twin.expected_cost(a, b, d, beta)
    assert expected_triangle_cost(a, b, d, beta) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(similarities, similarities, similarities, betas)
def test_the_order_of_the_sides_does_not_matter_to_the_last_bit(a, b, d, beta):
    assert len({expected_triangle_cost(*sides, beta) for sides in itertools.permutations((a, b, d))}) == 1


@pytest.mark.slow
@given(similarities, similarities, similarities)
def test_at_infinite_beta_the_cost_is_the_weakest_side_of_a_bad_triangle_and_0_otherwise(a, b, d):
    weakest = min(abs(a), abs(b), abs(d)) if twin.is_bad(a, b, d) else 0
    assert expected_triangle_cost(a, b, d, math.inf) == weakest


@given(similarities, similarities, similarities, st.floats(0.01, 1e12))
def test_expected_cost_goes_down_to_the_least_cost_as_beta_grows(a, b, d, beta):
    excess = expected_triangle_cost(a, b, d, beta) - expected_triangle_cost(a, b, d, math.inf)
    # Each of the four dearer partitions adds at most x exp(-beta x) <= 1 / (e beta).
    assert -1e-12 <= excess <= 4 / (math.e * beta) + 1e-12


# ---------------------------------------------------------------- which triangles, which pairs


@pytest.mark.slow
@given(st.lists(similarities.filter(bool), min_size=3, max_size=3))
def test_a_bad_triangle_asked_in_full_violates_every_clustering(sides):
    for labels in itertools.product(range(3), repeat=3):
        state = make_state(3, [(0, 1), (0, 2), (1, 2)], sides, labels)
        violated = len(violating_slots(state.similarity, state.clustering)[1]) > 0
        assert violated or not twin.is_bad(*sides)


def test_a_bad_triangle_with_an_unknown_side_may_violate_nothing():
    state = make_state(3, [(0, 1), (0, 2)], [1, 1], [0, 0, 0])
    assert len(violating_slots(state.similarity, state.clustering)[1]) == 0


@pytest.mark.parametrize("seed", range(4))
def test_violating_pairs_are_those_of_the_definition(seed):
    state = random_state(np.random.default_rng(seed), values=TIED)
    rows, slots = violating_slots(state.similarity, state.clustering)
    got = list(zip(rows.tolist(), state.similarity.indices[slots].tolist(), strict=True))
    assert got == twin.violating_pairs(dense(state), state.clustering.labels)


@pytest.mark.parametrize("beta", [0.3, 1.0, math.inf])
@pytest.mark.parametrize("values", [None, TIED, np.array([-1, 1])], ids=["distinct", "tied", "signs"])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_weakest_pairs_agree_with_their_twin_ties_included(share, values, beta):
    for seed in range(8):
        state = random_state(np.random.default_rng(seed), n=15, share=share, values=values)
        expected = twin_weakest(state, beta, seed)
        got = all_weakest(state, beta, seed)
        assert got.keys() == expected.keys()
        assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n", "entries"), [(2, 0), (2, 9), (5, 40), (30, 200)])
def test_each_pair_stands_once_with_its_largest_cost(n, entries):
    rng = np.random.default_rng(n)
    pairs = Pairs.all(n)
    row, costs = rng.integers(len(pairs), size=entries), rng.random(entries)
    u, v, largest = largest_per_pair(n, pairs.u[row].astype(np.int32), pairs.v[row].astype(np.int32), costs)
    expected = {pairs[int(r)]: costs[row == r].max() for r in row}
    assert len(u) == len(expected)
    assert dict(zip(zip(u, v, strict=True), largest, strict=True)) == expected


@pytest.mark.parametrize("seed", range(3))
def test_with_every_pair_asked_the_violating_pairs_lead_to_every_bad_triangle(seed):
    state = random_state(np.random.default_rng(seed), n=10, share=1.0)
    S, expected = dense(state), {}
    for triple in itertools.combinations(range(10), 3):
        sides = list(itertools.combinations(triple, 2))
        if twin.is_bad(*(S[side] for side in sides)):
            weakest = min(sides, key=lambda side: abs(S[side]))
            expected[weakest] = abs(S[weakest])
    assert all_weakest(state, math.inf) == expected


@pytest.mark.parametrize("seed", range(3))
def test_renumbering_the_objects_renames_the_pairs_and_changes_no_value(seed):
    rng = np.random.default_rng(seed)
    state, new = random_state(rng), rng.permutation(12)
    asked = state.similarity.pairs()
    labels = np.empty(12, np.int64)
    labels[new] = state.clustering.labels
    values = state.similarity.value(asked.u, asked.v)
    renamed = make_state(12, np.stack([new[asked.u], new[asked.v]], axis=1), values, labels)
    expected = {tuple(sorted((new[u], new[v]))): x for (u, v), x in all_weakest(state, 1.0).items()}
    assert all_weakest(renamed, 1.0) == expected


@pytest.mark.parametrize(
    ("sides", "shares"), [((1, 1, -1), (1 / 3, 1 / 3, 1 / 3)), ((0.5, 0.5, -1), (0.5, 0.5, 0))]
)
def test_equally_weak_sides_are_chosen_evenly(sides, shares):
    count = 4000  # separate triangles, each seen through its one violating pair
    first = 3 * np.arange(count)
    pairs = np.concatenate(
        [np.stack([first + a, first + b], axis=1) for a, b in itertools.combinations(range(3), 2)]
    )
    state = make_state(3 * count, pairs, np.repeat(sides, count), np.repeat(np.arange(count), 3))
    weakest = weakest_pairs(state, 1.0, violations=ALL, rng=np.random.default_rng(0)).pairs
    assert len(weakest) == count
    chosen = weakest.u % 3 + weakest.v % 3 - 1  # (0, 1), (0, 2), (1, 2)
    for got, share in zip(np.bincount(chosen, minlength=3), shares, strict=True):
        assert abs(got - count * share) <= 5 * math.sqrt(count * share * (1 - share))


# ---------------------------------------------------------------- how many violating pairs


@pytest.mark.slow
def test_one_violating_pair_is_drawn_evenly_among_all():
    state = random_state(np.random.default_rng(3), n=7, share=0.9)
    S = dense(state)
    violating = twin.violating_pairs(S, state.clustering.labels)
    outcomes = [twin.weakest_pairs(S, [pair], ([0], [0] * 7), math.inf) for pair in violating]
    draws = 300 * len(violating)
    got = [
        as_dict(weakest_pairs(state, math.inf, violations=1, rng=np.random.default_rng(seed)))
        for seed in range(draws)
    ]
    for outcome in outcomes:
        share = outcomes.count(outcome) / len(outcomes)
        assert abs(got.count(outcome) - draws * share) <= 5 * math.sqrt(draws * share * (1 - share))
    assert all(outcome in outcomes for outcome in got)


@pytest.mark.parametrize("seed", range(3))
def test_by_default_as_many_violating_pairs_are_drawn_as_there_are_objects(seed):
    state = random_state(np.random.default_rng(seed), n=20, share=1.0)
    assert len(violating_slots(state.similarity, state.clustering)[1]) > 20
    default, named, every = (
        MaxExp(violations=limit).score(state, Pairs.all(20), np.random.default_rng(seed)).values
        for limit in (None, 20, ALL)
    )
    assert np.array_equal(default, named)
    assert np.all(default <= every)
    assert default.sum() < every.sum()


def test_no_violating_pairs_drawn_means_no_values():
    state = random_state(np.random.default_rng(0))
    assert not MaxExp(violations=0).score(state, Pairs.all(12), np.random.default_rng(0)).values.any()


# ---------------------------------------------------------------- scores of given pairs


def test_maxexp_values_the_unknown_side_of_two_positive_ones_and_maxmin_does_not():
    state = make_state(3, [(0, 1), (0, 2)], [1, 1], [0, 0, 1])
    rng = np.random.default_rng(0)
    assert MaxExp().score(state, Pairs.all(3), rng).values == pytest.approx([0, 0, 0.63650], abs=6e-6)
    assert MaxMin().score(state, Pairs.all(3), rng).values.tolist() == [0, 0, 0]


@pytest.mark.parametrize("acquisition", [MaxMin(violations=ALL), MaxExp(violations=ALL)])
def test_pairs_are_scored_in_the_order_given_and_0_in_no_bad_triangle(acquisition):
    rng = np.random.default_rng(1)
    state = random_state(rng)
    pairs = Pairs.all(12).take(rng.permutation(66)[:40])
    scores = acquisition.score(state, pairs, rng)
    known = all_weakest(state, getattr(acquisition, "beta", math.inf))
    assert scores.pairs == pairs
    assert scores.values.tolist() == [known.get(pair, 0.0) for pair in pairs]
    assert 0 < np.count_nonzero(scores.values) < 40


# ---------------------------------------------------------------- batches


@pytest.mark.parametrize("acquisition", [MaxMin(), MaxExp()])
def test_both_are_selectors(acquisition):
    assert isinstance(acquisition, Selector)


@pytest.mark.parametrize("seed", range(5))
def test_maxmin_selects_nothing_when_no_pair_may_be_asked_twice(seed):
    state = random_state(np.random.default_rng(seed))
    assert len(MaxMin(explore=0).select(state, pool_of(state), 5, np.random.default_rng(seed)).pairs) == 0


@pytest.mark.slow
@pytest.mark.parametrize("explore", [0, 0.3])
@pytest.mark.parametrize("share", [0, 0.4], ids=["nothing known", "something known"])
def test_so_maxmin_asks_every_open_pair_with_the_same_probability(share, explore):
    state = random_state(np.random.default_rng(1), n=6, share=share)
    pool, draws = pool_of(state), 1000
    counts = np.zeros(15)
    for seed in range(draws):
        batch = choose(MaxMin(explore), state, pool, 2, np.random.default_rng(seed))
        counts[batch.pairs.ranks(6)] += 1
    fair = 2 * draws / pool.size
    assert np.array_equal(np.flatnonzero(counts), pool.ranks())
    assert np.all(np.abs(counts[counts > 0] - fair) <= 5 * math.sqrt(fair))


@pytest.mark.parametrize(
    "acquisition", [MaxMin(explore=0, violations=ALL), MaxExp(explore=0, violations=ALL)]
)
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("size", [0, 1, 4, 1000])
def test_a_batch_holds_the_open_pairs_of_the_largest_positive_values(acquisition, repeats, size):
    for seed in range(5):
        state = random_state(np.random.default_rng(seed), share=0.4)
        pool = pool_of(state, repeats)
        known = all_weakest(state, getattr(acquisition, "beta", math.inf))
        usable = {pair: x for pair, x in known.items() if x > 0 and pool.is_open(*np.array([pair]).T)[0]}
        batch = acquisition.select(state, pool, size, np.random.default_rng(seed))
        assert all(usable[pair] == x for pair, x in as_dict(batch).items())
        assert batch.values.tolist() == sorted(usable.values(), reverse=True)[:size]


def test_pending_and_ruled_out_pairs_are_not_selected():
    # Two open ends of positive paths that leave a cluster: (1, 2) and (4, 5).
    state = make_state(6, [(0, 1), (0, 2), (3, 4), (3, 5)], [1, 1, 1, 1], [0, 0, 1, 2, 2, 3])
    choose, rng = MaxExp(explore=0), np.random.default_rng(0)
    assert set(choose.select(state, pool_of(state), 9, rng).pairs) == {(1, 2), (4, 5)}
    assert list(choose.select(state, pool_of(state, pending=[(1, 2)]), 9, rng).pairs) == [(4, 5)]
    assert list(choose.select(state, pool_of(state, allowed=[(1, 2), (1, 5)]), 9, rng).pairs) == [(1, 2)]


def test_equal_values_are_chosen_between_evenly():
    state = make_state(6, [(0, 1), (0, 2), (3, 4), (3, 5)], [1, 1, 1, 1], [0, 0, 1, 2, 2, 3])
    pool, draws = pool_of(state), 1000
    chosen = [
        MaxExp(explore=0).select(state, pool, 1, np.random.default_rng(seed)).pairs[0]
        for seed in range(draws)
    ]
    assert set(chosen) == {(1, 2), (4, 5)}
    assert abs(chosen.count((1, 2)) - draws / 2) <= 5 * math.sqrt(draws / 4)


def test_the_coin_is_thrown_once_for_the_whole_batch():
    state = make_state(6, [(0, 1), (0, 2), (3, 4), (3, 5)], [1, 1, 1, 1], [0, 0, 1, 2, 2, 3])
    pool, draws = pool_of(state), 1000
    sizes = [len(MaxExp().select(state, pool, 2, np.random.default_rng(seed)).pairs) for seed in range(draws)]
    assert set(sizes) == {0, 2}
    assert abs(sizes.count(0) - 0.3 * draws) <= 5 * math.sqrt(draws * 0.3 * 0.7)


@pytest.mark.parametrize("acquisition", [MaxMin(explore=1), MaxExp(explore=1)])
def test_exploring_leaves_the_batch_to_be_filled_when_no_pair_may_be_asked_twice(acquisition):
    state = random_state(np.random.default_rng(0))
    assert len(acquisition.select(state, pool_of(state), 5, np.random.default_rng(0)).pairs) == 0


@pytest.mark.parametrize("size", [0, 1, 3, 4, 6, 9])
def test_exploring_takes_the_least_asked_open_pairs_when_pairs_may_be_asked_again(size):
    asked = [(0, 1)] * 3 + [(0, 2)] * 2 + [(0, 3)] * 2 + [(1, 2)]  # (1, 3), (2, 3) never; (0, 1) too often
    state = make_state(4, asked, np.ones(len(asked)), [0] * 4)
    for seed in range(20):
        batch = MaxMin(explore=1).select(state, pool_of(state, repeats=3), size, np.random.default_rng(seed))
        assert batch.values.tolist() == [0, 0, -1, -2, -2][:size]
        assert (-state.similarity.count(batch.pairs.u, batch.pairs.v)).tolist() == batch.values.tolist()
        assert len(set(batch.pairs)) == len(batch.pairs)


@pytest.mark.slow
def test_exploring_draws_evenly_among_equally_asked_pairs():
    state = make_state(4, list(Pairs.all(4)), np.ones(6), [0] * 4)
    pool, draws = pool_of(state, repeats=2, pending=[(0, 1)]), 2000
    chosen = [
        MaxExp(explore=1).select(state, pool, 1, np.random.default_rng(seed)).pairs[0]
        for seed in range(draws)
    ]
    assert set(chosen) == set(Pairs.all(4)) - {(0, 1)}
    assert all(
        abs(chosen.count(pair) - draws / 5) <= 5 * math.sqrt(draws * 0.2 * 0.8) for pair in set(chosen)
    )


@pytest.mark.parametrize("acquisition", [MaxMin(), MaxExp()])
def test_the_same_stream_gives_the_same_batch(acquisition):
    state = random_state(np.random.default_rng(2), values=TIED)
    for seed in range(10):
        first, second = (
            acquisition.select(state, pool_of(state, repeats=2), 6, np.random.default_rng(seed))
            for _ in range(2)
        )
        assert as_dict(first) == as_dict(second)


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize("acquisition", [MaxMin(explore=0), MaxExp(explore=0), MaxMin(explore=1)])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_without_answers_nothing_is_worth_more(n, acquisition):
    state = make_state(n, [], [], np.zeros(n, np.int64))
    rng = np.random.default_rng(0)
    assert not acquisition.score(state, Pairs.all(n), rng).values.any()
    assert len(acquisition.select(state, pool_of(state), 3, rng).pairs) == 0


@pytest.mark.parametrize("answer", [-1, 0, 1])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_equal_answers_to_every_pair_make_no_bad_triangle(n, answer):
    for labels in (np.zeros(n, np.int64), np.arange(n)):
        state = make_state(n, list(Pairs.all(n)), np.full(n * (n - 1) // 2, answer), labels)
        assert all_weakest(state, 1.0) == {}


@pytest.mark.parametrize("labels", [np.zeros(10, np.int64), np.arange(10)], ids=["one cluster", "n clusters"])
def test_one_cluster_and_n_clusters_agree_with_the_twin(labels):
    for seed in range(5):
        asked = random_state(np.random.default_rng(seed), n=10, values=TIED).similarity
        state = State(asked, Clustering.of(asked, labels), no_posterior)
        assert all_weakest(state, 1.0) == pytest.approx(twin_weakest(state, 1.0), rel=1e-12)


def test_an_answered_0_counts_as_an_unknown_similarity():
    answered = make_state(3, [(0, 1), (0, 2), (1, 2)], [1, 1, 0], [0, 0, 1])
    unknown = make_state(3, [(0, 1), (0, 2)], [1, 1], [0, 0, 1])
    assert all_weakest(answered, 1.0) == all_weakest(unknown, 1.0) != {}


@pytest.mark.parametrize("make", [MaxMin, MaxExp])
@pytest.mark.parametrize(
    "option", [{"explore": -0.1}, {"explore": 1.1}, {"explore": math.nan}, {"violations": -1}]
)
def test_impossible_options_are_refused_by_name(make, option):
    with pytest.raises(InvalidInputError, match=f"{next(iter(option))} is .*expected"):
        make(**option)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(("1", 1, 1), "a"), ((0, None, 1), "b"), ((0, 1, math.nan), "d"), ((0, 1, 1, -1), "beta")],
)
def test_sides_and_beta_of_a_triangle_are_numbers(arguments, name):
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*; expected a"):
        expected_triangle_cost(*arguments)


@pytest.mark.parametrize("beta", [0, -1, math.nan])
def test_an_impossible_beta_is_refused(beta):
    with pytest.raises(InvalidInputError, match=r"beta is .*expected"):
        MaxExp(beta=beta)
