import numpy as np
import pytest
from scipy.stats import chi2_contingency

import ofakind as ok
from ofakind.acquire.choose import CHOICE
from ofakind.acquire.jeig import draw_labels
from ofakind.posterior.mean_field import conditional
from twins import mean_field as twin
from twins.instances import noisy
from twins.states import pool_of, state_of


@pytest.fixture(params=range(3))
def state(request):
    similarity = noisy(60, 300, clusters=4, rng=np.random.default_rng(request.param))
    return state_of(similarity, np.arange(60) % 4)


@pytest.mark.slow
@pytest.mark.parametrize("draw", ["pairs", "clusterings"])
@pytest.mark.parametrize("choose_by", ["entropy", "uniform"])
def test_scores_are_those_of_the_plain_twin_with_the_same_subsets(state, draw, choose_by):
    acquisition = ok.JEIG(
        subset=0.05, subsets=2, samples=5, draw=draw, choose_by=choose_by, tol=1e-6, max_sweeps=5000
    )
    field, pairs = state.posterior, ok.Pairs.all(60)
    scores = acquisition.score(state, pairs, np.random.default_rng(0)).values
    rng = np.random.default_rng(0)
    subsets, samples = [], []
    for subset in acquisition.draw_subsets(field, rng):  # the same draws in the same order
        subsets.append(np.asarray(subset))
        samples.append(acquisition.draw_answers(field, subset, rng))
    assert [len(subset) for subset in subsets] == [88, 88]
    S = twin.dense(state.similarity)
    expected = twin.joint_information_gain(
        S, field.q, field.costs, field.beta, subsets, samples, field=twin.asynchronous
    )[pairs.u, pairs.v]
    assert np.abs(scores - expected).mean() < 1e-3
    exact = ok.joint_information_gain(field, pairs.u, pairs.v, subsets, samples)
    assert np.abs(exact - expected).mean() < 1e-4


@pytest.mark.parametrize("noise", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("size", [1, 40, 1485])
def test_the_lazy_batch_is_the_batch_that_scoring_everything_gives(state, noise, size):
    acquisition = ok.JEIG(subset=0.05, subsets=2, samples=10, noise=noise)
    pool = pool_of(state)
    lazy = acquisition.select(state, pool, size, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    fields = acquisition.simulate(state.posterior, rng)
    pairs = pool.list()
    gains = state.posterior.pair_entropy(pairs.u, pairs.v) - fields.mean_pair_entropy(pairs.u, pairs.v)
    race = (-np.log1p(-rng.random(len(pairs)))) ** noise
    best = np.argsort(race / np.maximum(gains, CHOICE.floor), kind="stable")[:size]
    expected = {pair for pair, gain in zip(pairs.take(best), gains[best], strict=True) if gain > 0}
    assert {pair for pair, gain in zip(lazy.pairs, lazy.values, strict=True) if gain > 0} == expected
    assert len(lazy.pairs) == size


def test_few_pairs_are_looked_at_for_a_small_batch(state, monkeypatch):
    looked = []
    original = ok.ConditionalFields.mean_pair_entropy

    def counting(self, u, v):
        looked.append(len(u))
        return original(self, u, v)

    monkeypatch.setattr(ok.ConditionalFields, "mean_pair_entropy", counting)
    pool = pool_of(state)
    ok.JEIG().select(state, pool, 10, np.random.default_rng(0))
    assert sum(looked) < pool.size / 4


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1.0, 0.5])
def test_listed_and_drawn_batches_have_the_same_distribution(noise):
    similarity = noisy(16, 60, clusters=3, rng=np.random.default_rng(3))
    state = state_of(similarity, np.arange(16) % 3)
    acquisition = ok.JEIG(subset=0.2, subsets=2, samples=16, noise=noise)
    fields = acquisition.simulate(state.posterior, np.random.default_rng(0))
    fixed = _Fixed(acquisition, fields)
    listed, drawn = np.zeros(120), np.zeros(120)
    rng = np.random.default_rng(1)
    for _ in range(3000):
        listed[fixed.select(state, pool_of(state), 4, rng).pairs.ranks(16)] += 1
        drawn[fixed.select(state, pool_of(state, list_limit=0), 4, rng).pairs.ranks(16)] += 1
    seen = listed + drawn >= 20
    assert chi2_contingency(np.array([listed[seen], drawn[seen]])).pvalue > 1e-4


class _Fixed:
    """JEIG with conditional fields that were drawn once, so that only the choice is random."""

    def __init__(self, acquisition, fields):
        self.noise, self.device, self.fields = acquisition.noise, acquisition.device, fields

    def simulate(self, field, rng):
        return self.fields

    select = ok.JEIG.select


def test_gains_that_differ_only_by_sampling_are_alike(state):
    pairs = ok.Pairs.all(60)
    a, b = (
        ok.JEIG(samples=200, subsets=10).score(state, pairs, np.random.default_rng(seed)).values
        for seed in (0, 1)
    )
    assert np.corrcoef(a, b)[0, 1] > 0.9


def test_gains_are_at_most_the_entropy(state):
    pairs = ok.Pairs.all(60)
    gains = ok.JEIG().score(state, pairs, np.random.default_rng(0)).values
    assert np.all(gains <= state.posterior.pair_entropy(pairs.u, pairs.v) + 1e-6)


def test_labels_are_drawn_with_their_probabilities():
    q = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    labels = draw_labels(q, 20_000, np.random.default_rng(0))
    shares = np.array([(labels == c).mean(axis=0) for c in range(3)]).T
    np.testing.assert_allclose(shares, q, atol=0.02)


@pytest.mark.parametrize("choose_by", ["entropy", "uniform"])
def test_a_subset_is_capped_so_that_memory_does_not_grow_with_the_square_of_n(state, choose_by):
    acquisition = ok.JEIG(subset=0.5, max_subset=17, choose_by=choose_by)
    subsets = list(acquisition.draw_subsets(state.posterior, np.random.default_rng(0)))
    assert [len(subset) for subset in subsets] == [17] * 5


def test_subsets_may_be_pairs_arrays_or_columns(state):
    field = state.posterior
    pairs = ok.Pairs.of([0, 4, 9], [3, 5, 1])
    answers = np.array([[1, -1, 1], [-1, -1, 1]])
    results = [
        ok.joint_information_gain(field, [0, 1], [2, 3], [subset], [answers])
        for subset in (pairs, np.asarray(pairs), (pairs.u, pairs.v))
    ]
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_subsets_without_their_samples_are_refused(state):
    with pytest.raises(ok.InvalidInputError, match="1 subsets and 0 sets of samples"):
        ok.joint_information_gain(state.posterior, [0], [1], [ok.Pairs.of([0], [1])], [])


@pytest.mark.parametrize(
    ("subsets", "samples", "message"),
    [
        ([], [], "got no subsets; expected one or more"),
        (None, [], "subsets come as a NoneType; expected a list"),
        ([[(0, 1)]], 3, "samples come as a int; expected a list"),
        ([[(0, 1)]], [np.empty((0, 1))], r"answers have shape \(0, 1\).* one field or more"),
        ([[(0, 1)]], [[1]], r"answers have shape \(1,\); expected \(fields, 1\)"),
        ([[(0, 1)]], [[[1], [np.nan]]], r"answer 0 of field 1 is nan; expected a number in \[-1, 1\]"),
        ([[(0, 1), (2, 3)]], [[[1, -1], [1, -1.5]]], "answer 1 of field 1 is -1.5"),
        ([[(0, 1)]], [np.array([[-128]], np.int8)], "answer 0 of field 0 is -128"),
        ([[(0, 1)]], [[["1"]]], "answers have type <U1; expected numbers"),
        ([[(0, 1)]], [[[True]]], "answers have type bool; expected numbers"),
        ([[(0, 1)]], [[[None]]], "answers have type object; expected numbers"),
    ],
)
def test_samples_that_cannot_be_are_refused_in_words(state, subsets, samples, message):
    with pytest.raises(ok.InvalidInputError, match=message):
        ok.joint_information_gain(state.posterior, [0], [1], subsets, samples)


def test_pairs_of_strangers_are_named_and_repeated_pairs_are_not_refused(state):
    given = [[(0, 1)]], [[[1], [-1]]]
    with pytest.raises(ok.InvalidInputError, match=r"pair 1 is \(60, 2\); expected two different objects"):
        ok.joint_information_gain(state.posterior, [0, 60], [1, 2], *given)
    gains = ok.joint_information_gain(state.posterior, [5, 1, 5, 9], [9, 2, 9, 5], *given)
    assert gains[0] == gains[2] == gains[3] != gains[1]


@pytest.mark.parametrize(
    "options",
    [
        {"subset": 0},
        {"subset": 1.5},
        {"subsets": 0},
        {"samples": 0},
        {"choose_by": "chance"},
        {"draw": "all"},
        {"noise": -1},
        {"noise": np.inf},
        {"max_subset": 0},
        {"tol": 0},
        {"max_sweeps": 0},
    ],
    ids=str,
)
def test_impossible_options_are_refused(options):
    with pytest.raises(ok.InvalidInputError, match=next(iter(options))):
        ok.JEIG(**options)


def test_all_fields_together_must_fit_in_memory(state, monkeypatch):
    one_subset = 4 * 60 * 4 * 16 * 4  # blocks, objects, clusters, lanes, bytes
    monkeypatch.setattr(conditional, "available_memory", lambda: 2 * 5 * one_subset)
    ok.JEIG().simulate(state.posterior, np.random.default_rng(0))
    monkeypatch.setattr(conditional, "available_memory", lambda: 2 * 5 * one_subset - 1)
    with pytest.raises(ok.TooLargeError, match="use fewer subsets or samples"):
        ok.JEIG().simulate(state.posterior, np.random.default_rng(0))


def test_subsets_are_drawn_by_entropy_and_apart_whatever_the_noise_of_the_batch(state):
    noisy_one, plain_one = (
        list(ok.JEIG(noise=noise).draw_subsets(state.posterior, np.random.default_rng(0))) for noise in (1, 0)
    )
    assert [set(subset) for subset in noisy_one] == [set(subset) for subset in plain_one]
    assert len({frozenset(subset) for subset in plain_one}) == 5
