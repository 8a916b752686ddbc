import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.posterior.mean_field import conditional as module
from ofakind.posterior.mean_field.conditional import EXACT, ConditionalFields, answer_gains
from twins import mean_field as twin
from twins.instances import similarities

FIELDS = {"asynchronous": twin.asynchronous, "synchronous": twin.synchronous}


def noisy(n=40, pairs=420, k=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    asked = ok.Pairs.from_ranks(rng.choice(n * (n - 1) // 2, pairs, replace=False), n)
    return ok.Similarity.from_pairs(n, asked.u, asked.v, ok.NoisyOracle(truth, seed=seed)(asked)), truth


def some_pairs(n, count, seed):
    rng = np.random.default_rng(seed)
    return ok.Pairs.from_ranks(rng.choice(n * (n - 1) // 2, count, replace=False), n)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", FIELDS)
@pytest.mark.parametrize("samples", [1, 16, 21])
@pytest.mark.parametrize("seed", range(3))
def test_conditional_fields_equal_their_plain_twins(schedule, samples, seed):
    similarity, truth = noisy(seed=seed)
    field = ok.mean_field(similarity, truth, schedule=schedule, tol=1e-11)
    subset = some_pairs(similarity.n, 30, seed)
    answers = np.random.default_rng(seed).choice([-1.0, 1.0], size=(samples, 30))
    fields = ConditionalFields.given(field, subset, answers).probabilities()
    S = twin.dense(similarity)
    assert fields.shape == (samples, *field.q.shape)
    for q, e in zip(fields, answers, strict=True):
        expected, _ = FIELDS[schedule](twin.replaced(S, subset.u, subset.v, e), field.costs, field.beta)
        np.testing.assert_allclose(q, expected, atol=1e-7)


@pytest.mark.slow
@given(similarities(), st.integers(1, 3), st.integers(0, 9))
def test_with_nothing_changed_the_conditional_field_is_the_base_field(similarity, k, seed):
    labels = np.random.default_rng(seed).integers(k, size=similarity.n)
    with warnings.catch_warnings():  # at a critical point convergence can be slower than geometric
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        field = ok.mean_field(similarity, labels, tol=1e-9, max_sweeps=5000)
    assume(field.converged)
    asked = similarity.pairs()
    unchanged = similarity.value(asked.u, asked.v)[None]
    fields = ConditionalFields.given(field, asked, unchanged).probabilities()
    np.testing.assert_allclose(fields[0], field.q, atol=1e-5)


def test_no_answers_give_no_fields_and_no_subset_gives_the_base_field():
    similarity, truth = noisy()
    field = ok.mean_field(similarity, truth, tol=1e-11)
    fields = ConditionalFields.given(field, ok.Pairs.empty(), np.empty((3, 0)))
    np.testing.assert_allclose(
        fields.probabilities(), np.broadcast_to(field.q, (3, *field.q.shape)), atol=1e-9
    )
    pairs = some_pairs(similarity.n, 50, 1)
    np.testing.assert_allclose(
        fields.mean_pair_entropy(pairs.u, pairs.v), field.pair_entropy(pairs.u, pairs.v), atol=1e-7
    )


@pytest.mark.parametrize("over_pairs", [False, True], ids=["labels", "pairs"])
@pytest.mark.parametrize("schedule", FIELDS)
@pytest.mark.parametrize("seed", range(3))
def test_gains_of_each_answer_equal_their_plain_twins(over_pairs, schedule, seed):
    similarity, truth = noisy(seed=seed)
    field = ok.mean_field(similarity, truth, schedule=schedule, tol=1e-11)
    asked, unasked = similarity.pairs(), some_pairs(similarity.n, 30, seed)
    unasked = unasked.take(similarity.count(unasked.u, unasked.v) == 0)
    pairs = ok.Pairs.of(np.r_[asked.u[:9], unasked.u[:10]], np.r_[asked.v[:9], unasked.v[:10]])
    gains = answer_gains(field, pairs, over_pairs=over_pairs)
    p = field.same_probability(pairs.u, pairs.v)
    S = twin.dense(similarity)
    for (u, v), gain in zip(pairs, p * gains[:, 0] + (1 - p) * gains[:, 1], strict=True):
        expected = twin.expected_information_gain(
            S, field.q, field.costs, field.beta, u, v, field=FIELDS[schedule], over_pairs=over_pairs
        )
        np.testing.assert_allclose(gain, expected, atol=1e-5)


def test_a_pair_gains_the_same_alone_and_in_company():
    similarity, truth = noisy(pairs=300)
    field = ok.mean_field(similarity, truth)
    pairs = some_pairs(similarity.n, 40, 3)
    together = answer_gains(field, pairs)
    alone = np.concatenate([answer_gains(field, pairs.take([row])) for row in range(len(pairs))])
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_single_precision_is_close_to_double():
    similarity, truth = noisy(n=100, pairs=2000)
    field = ok.mean_field(similarity, truth)
    pairs = some_pairs(100, 300, 0)
    exact = answer_gains(field, pairs)
    fast = answer_gains(field, pairs, precision=ok.Precision(np.float32, 1e-5, 1000))
    assert np.abs(fast - exact).mean() < 1e-3
    answers = np.random.default_rng(0).choice([-1.0, 1.0], size=(20, 300))
    exact_fields = ConditionalFields.given(field, pairs, answers, EXACT)
    fast_fields = ConditionalFields.given(field, pairs, answers, ok.Precision(np.float32, 1e-6, 1000))
    others = some_pairs(100, 500, 1)
    difference = exact_fields.mean_pair_entropy(others.u, others.v) - fast_fields.mean_pair_entropy(
        others.u, others.v
    )
    assert np.abs(difference).mean() < 1e-3


def test_wrong_shapes_are_refused():
    similarity, truth = noisy()
    field = ok.mean_field(similarity, truth)
    with pytest.raises(ok.InvalidInputError, match=r"expected \(fields, 5\)"):
        ConditionalFields.given(field, some_pairs(similarity.n, 5, 0), np.ones((2, 4)))


def test_fields_that_would_not_fit_are_refused_with_their_size(monkeypatch):
    similarity, truth = noisy()
    field = ok.mean_field(similarity, truth)
    monkeypatch.setattr(module, "available_memory", lambda: 1000)
    with pytest.raises(ok.TooLargeError, match=r"n = 40 objects and k = 4 clusters.*fewer subsets"):
        ConditionalFields.given(field, ok.Pairs.empty(), np.empty((3, 0)))


def test_strangers_are_refused():
    similarity, truth = noisy()
    fields = ConditionalFields.given(ok.mean_field(similarity, truth), ok.Pairs.empty(), np.empty((1, 0)))
    with pytest.raises(ok.InvalidInputError, match=r"pair 0 is \(0, 40\); expected two of the 40"):
        fields.mean_pair_entropy([0], [40])


def two_chains():
    """Two objects whose only link is the pair in question, and longer chains around such a pair."""
    yield ok.Similarity.from_pairs(2, [0], [1], [-1.0]), np.array([0, 1]), (0, 1)
    yield ok.Similarity.from_pairs(3, [0], [2], [1.0]), np.array([0, 1, 0]), (0, 1)
    yield ok.Similarity.from_pairs(3, [0, 1], [1, 2], [-1.0, 1.0]), np.array([0, 1, 1]), (0, 1)
    yield ok.Similarity.from_pairs(4, [0, 1, 2], [1, 2, 3], [1.0, -1.0, 1.0]), np.array([0, 0, 1, 1]), (1, 2)


@pytest.mark.parametrize(
    ("similarity", "labels", "pair"), list(two_chains()), ids=["two", "a stranger", "three", "four"]
)
def test_a_change_goes_back_and_forth_over_the_pair_that_was_answered(similarity, labels, pair):
    field = ok.mean_field(similarity, labels, tol=1e-13)
    S = twin.dense(similarity)
    u, v = pair
    p = field.same_probability([u], [v])[0]
    gains = answer_gains(field, ok.Pairs.of([u], [v]))[0]
    expected = twin.expected_information_gain(
        S, field.q, field.costs, field.beta, u, v, field=twin.asynchronous
    )
    np.testing.assert_allclose(p * gains[0] + (1 - p) * gains[1], expected, atol=1e-7)
    given = ConditionalFields.given(field, ok.Pairs.of([u], [v]), [[1.0], [-1.0]]).probabilities()
    for q, e in zip(given, (1.0, -1.0), strict=True):
        exact, _ = twin.asynchronous(twin.replaced(S, u, v, e), field.costs, field.beta, tol=1e-13)
        np.testing.assert_allclose(q, exact, atol=1e-8)
