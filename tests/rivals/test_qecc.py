"""QECC: what it asks, what it makes of the answers, and how good that is."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.clustering import adjusted_rand_index, canonical_labels
from ofakind.errors import InvalidInputError
from ofakind.pairs import count_pairs
from ofakind.rivals.qecc import QECC, random_order
from twins.witness import Witness, sized

both = pytest.mark.parametrize("rival", [QECC(), QECC(positive_pair=True)], ids=["published", "heuristic"])
truths = st.lists(st.integers(0, 5), max_size=20)
gammas = st.sampled_from([0.0, 0.4, 1.0])
seeds = st.integers(0, 2**32 - 1)


def start(rival, oracle, budget, seed=0):
    return rival(len(oracle.truth), oracle, budget=budget, rng=np.random.default_rng(seed))


# ---------------------------------------------------------------- the algorithm, read off its questions


def read_star(rest, pairs):
    """The object that was compared with all others left."""
    pivot = set.intersection(*map(set, pairs.tolist()))
    centre = min(pivot)
    assert len(pivot) == 1 or len(rest) == 2
    assert sorted({*pairs.ravel().tolist()} - {centre}) == sorted(rest - {centre})
    return centre


def others(pairs, centre):
    return np.where(pairs[:, 0] == centre, pairs[:, 1], pairs[:, 0])


def replay_published(n, calls):
    labels, rest = np.arange(n), set(range(n))
    for pairs, answers in calls:
        centre = read_star(rest, pairs)
        cluster = {centre, *others(pairs, centre)[answers > 0].tolist()}
        labels[sorted(cluster)] = centre
        rest -= cluster
    return labels, rest


def replay_heuristic(n, calls):
    labels, rest, tried, calls = np.arange(n), set(range(n)), set(), list(calls)
    while calls:
        pairs, answers = calls.pop(0)
        pair = tuple(pairs[0].tolist())
        assert len(pairs) == 1
        assert pair not in tried
        assert set(pair) <= rest
        tried.add(pair)
        if answers[0] < 0:
            continue
        cluster = set(pair)
        if len(rest) > 2:
            if not calls:
                break  # the budget does not allow the comparison: all stay alone
            pairs, answers = calls.pop(0)
            centre = next(end for end in pair if np.all(np.any(pairs == end, axis=1)))
            assert sorted(others(pairs, centre).tolist()) == sorted(rest - set(pair))
            cluster |= set(others(pairs, centre)[answers > 0].tolist())
        labels[sorted(cluster)] = pair[0]
        rest, tried = rest - cluster, set()
    return labels, rest


@given(truth=truths, budget=st.integers(0, 250), gamma=gammas, seed=seeds)
def test_the_published_algorithm_compares_a_pivot_with_all_that_are_left(truth, budget, gamma, seed):
    oracle = Witness(truth, gamma, seed)
    found = start(QECC(), oracle, budget, seed)
    labels, rest = replay_published(len(truth), oracle.calls)
    assert np.array_equal(found.labels, canonical_labels(labels))
    assert len(rest) <= 1 or budget - len(oracle.asked) < len(rest) - 1
    assert bool(found.stopped) == (len(rest) > 1)


@pytest.mark.slow
@given(truth=truths, budget=st.integers(0, 250), gamma=gammas, seed=seeds)
def test_the_heuristic_looks_for_a_positive_pair_and_compares_one_of_the_two(truth, budget, gamma, seed):
    oracle = Witness(truth, gamma, seed)
    found = start(QECC(positive_pair=True), oracle, budget, seed)
    labels, rest = replay_heuristic(len(truth), oracle.calls)
    assert np.array_equal(found.labels, canonical_labels(labels))
    if found.stopped:
        assert budget - len(oracle.asked) < len(rest)
    else:
        searched = oracle.asked[len(oracle.asked) - count_pairs(len(rest)) :]
        assert set(searched.ravel().tolist()) == (rest if len(rest) > 1 else set())


@pytest.mark.parametrize("answer", [-1e-9, 0.0, 1e-9])
def test_a_pair_may_begin_a_cluster_with_0_but_none_joins_with_it(answer):
    def same(pairs):
        return np.full(len(pairs), answer)

    sizes = {
        rival: sorted(rival(6, same, budget=99, rng=np.random.default_rng(0)).sizes().tolist())
        for rival in (QECC(), QECC(positive_pair=True))
    }
    published, heuristic = ([6], [6]) if answer > 0 else ([1] * 6, [2] * 3 if answer == 0 else [1] * 6)
    assert sizes == {QECC(): published, QECC(positive_pair=True): heuristic}


@pytest.mark.slow
def test_each_end_of_the_pair_is_the_pivot_half_of_the_time():
    seen, runs = 0, 500
    for seed in range(runs):
        oracle = Witness([0] * 3)
        start(QECC(positive_pair=True), oracle, 3, seed)
        (pair,), (compared,) = oracle.calls[0][0], oracle.calls[1][0]
        seen += pair[1] in compared
    assert abs(seen - runs / 2) <= 5 * np.sqrt(runs / 4)


@pytest.mark.slow
@both
def test_the_first_pivot_is_any_object_with_the_same_probability(rival):
    runs, n = 500, 4
    counts = np.zeros(n)
    for seed in range(runs):
        oracle = Witness(np.zeros(n))
        start(rival, oracle, n, seed)
        pairs = oracle.asked
        counts += np.bincount(pairs.ravel(), minlength=n) == np.bincount(pairs.ravel()).max()
    assert np.all(np.abs(counts - runs / n) <= 5 * np.sqrt(runs / n))


# ---------------------------------------------------------------- the budget


@pytest.mark.parametrize("seed", range(3))
def test_exactly_enough_is_enough_and_one_less_leaves_the_last_objects_alone(seed):
    truth = sized([10, 10, 10])
    full = start(QECC(), Witness(truth), 29 + 19 + 9, seed)
    less = start(QECC(), Witness(truth), 29 + 19 + 8, seed)
    assert (full.n_answers, full.k, full.stopped) == (57, 3, "")
    assert (less.n_answers, less.k) == (48, 2 + 10)
    assert less.stopped == "9 more answers were wanted, and 8 of the budget of 56 are left"


@pytest.mark.parametrize("seed", range(3))
def test_the_heuristic_begins_a_cluster_only_with_an_answer_to_spare(seed):
    truth = sized([10])
    assert start(QECC(positive_pair=True), Witness(truth), 9, seed).n_answers == 0
    found = start(QECC(positive_pair=True), Witness(truth), 10, seed)
    assert (found.n_answers, found.k) == (9, 1)


def test_a_search_that_the_budget_ends_leaves_the_rest_alone():
    found = start(QECC(positive_pair=True), Witness(np.arange(20)), 50)
    assert (found.n_answers, found.k) == (50, 20)
    assert found.stopped.startswith("1 more answer was wanted")


def test_objects_that_are_all_unlike_stay_alone():
    found = start(QECC(positive_pair=True), Witness(np.arange(8)), 99)
    assert (found.n_answers, found.k, found.stopped) == (28, 8, "")


# ---------------------------------------------------------------- pairs in random order


@given(count=st.integers(0, 60), seed=seeds)
def test_a_random_order_holds_every_number_once(count, seed):
    assert sorted(random_order(count, np.random.default_rng(seed))) == list(range(count))


def test_every_order_is_equally_likely():
    runs, rng = 4800, np.random.default_rng(0)
    orders = [tuple(random_order(4, rng)) for _ in range(runs)]
    counts = np.array([orders.count(order) for order in permutations(range(4))])
    assert np.sum((counts - 200) ** 2 / 200) < 80  # twenty-three degrees of freedom: once in ten million


def test_the_beginning_of_a_huge_order_is_cheap():
    order = random_order(10**15, np.random.default_rng(0))
    first = [next(order) for _ in range(1000)]
    assert len(set(first)) == 1000
    assert 0 <= min(first) < max(first) < 10**15


# ---------------------------------------------------------------- how good it is


@both
def test_true_answers_to_a_twentieth_of_the_pairs_give_the_truth(rival):
    truth = sized([100] * 10)
    for seed in range(5):
        found = start(rival, Witness(truth), count_pairs(1000) // 20, seed)
        assert adjusted_rand_index(found.labels, truth) == 1


# Sizes of the clusters, the mean ARI that was published for the heuristic with gamma 0.2 and 0.4 once the
# budget covers one pass, and how many runs bring the standard error of ours below 0.005. The sizes are those
# of the samples that were clustered there, drawn with replacement; user knowledge has its fifth class.
# Cardiotocography is allowed 0.04: with gamma 0.2 ours is 0.473 (standard error 0.002), 0.025 above.
PLATEAUS = {
    "synthetic": ([50] * 10, (0.294, 0.084), 40),
    "ecoli": ([137, 76, 1, 2, 37, 26, 5, 52], (0.585, 0.310), 230),
    "forest": ([168, 84, 86, 185], (0.580, 0.300), 140),
    "user knowledge": ([111, 129, 116, 28, 19], (0.569, 0.268), 150),
    "cardiotocography": ([183, 259, 26, 36, 43, 161, 127, 44, 27, 94], (0.448, 0.205), 140),
}
# The published algorithm is as good where clusters are of similar sizes. With small ones beside large ones it
# falls behind: 0.547 and 0.267 on ecoli, 0.441 and 0.175 on cardiotocography (300 runs).
CASES = [(QECC(positive_pair=True), name) for name in PLATEAUS]
CASES += [(QECC(), name) for name in ("synthetic", "forest", "user knowledge")]


@pytest.mark.slow
@pytest.mark.parametrize(("rival", "name"), CASES, ids=str)
@pytest.mark.parametrize("noise", [0, 1], ids=["gamma=0.2", "gamma=0.4"])
def test_the_plateau_is_the_published_one(rival, name, noise):
    sizes, published, runs = PLATEAUS[name]
    runs *= 1 if rival.positive_pair else 2  # faster, and further from the heuristic's plateau
    truth, gamma = sized(sizes), (0.2, 0.4)[noise]
    scores = []
    for seed in range(runs):
        found = start(rival, Witness(truth, gamma, seed), count_pairs(len(truth)) // 20, seed)
        scores.append(adjusted_rand_index(found.labels, truth))
    assert np.std(scores) / np.sqrt(runs) < 0.005
    assert np.mean(scores) == pytest.approx(
        published[noise], abs=0.04 if name == "cardiotocography" else 0.03
    )


@pytest.mark.parametrize("value", ["yes", None, 0, 1, [True]])
def test_an_option_that_is_neither_true_nor_false_is_refused(value):
    with pytest.raises(InvalidInputError, match="positive_pair is"):
        QECC(positive_pair=value)
