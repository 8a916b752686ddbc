import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.posterior.mean_field import dense as module
from twins import mean_field as twin
from twins.instances import CORNERS, similarities

CORNER = pytest.mark.parametrize("similarity", CORNERS.values(), ids=CORNERS.keys())


def random_labels(n, k, seed):
    return np.random.default_rng(seed).integers(k, size=n)


def noisy(n=60, pairs=500, k=5, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    asked = ok.Pairs.from_ranks(rng.choice(n * (n - 1) // 2, pairs, replace=False), n)
    return ok.Similarity.from_pairs(n, asked.u, asked.v, ok.NoisyOracle(truth, seed=seed)(asked)), truth


@pytest.mark.slow
@given(similarities(), st.integers(1, 4), st.floats(0.1, 20), st.integers(0, 99))
def test_the_asynchronous_field_equals_its_plain_twin(similarity, k, beta, seed):
    labels = np.unique(random_labels(similarity.n, k, seed), return_inverse=True)[1]
    order = np.random.default_rng(seed).permutation(similarity.n)
    S = twin.dense(similarity)
    expected, _ = twin.asynchronous(S, twin.start_costs(S, labels), beta, order=order, tol=0, max_sweeps=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        field = ok.mean_field(similarity, labels, beta=beta, order=order, tol=1e-300, max_sweeps=7)
    np.testing.assert_allclose(field.q, expected, atol=1e-9)


@pytest.mark.slow
@given(similarities(), st.integers(1, 4), st.floats(0.1, 20), st.integers(0, 99))
def test_the_synchronous_field_equals_its_plain_twin(similarity, k, beta, seed):
    labels = np.unique(random_labels(similarity.n, k, seed), return_inverse=True)[1]
    S = twin.dense(similarity)
    expected, _ = twin.synchronous(S, twin.start_costs(S, labels), beta, tol=0, max_sweeps=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        field = ok.mean_field(similarity, labels, beta=beta, schedule="synchronous", tol=1e-300, max_sweeps=7)
    np.testing.assert_allclose(field.q, expected, atol=1e-9)


@pytest.mark.slow
@given(similarities(), st.integers(1, 4), st.floats(0.1, 30), st.integers(0, 99))
def test_R20_the_free_energy_never_rises_in_an_asynchronous_sweep(similarity, k, beta, seed):
    labels = random_labels(similarity.n, k, seed)
    energies = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        for sweeps in range(1, 8):
            field = ok.mean_field(similarity, labels, beta=beta, tol=1e-300, max_sweeps=sweeps)
            energies.append(field.free_energy)
    assert np.all(np.diff(energies) <= 1e-9)


@pytest.mark.slow
@given(similarities(), st.integers(1, 4), st.sampled_from([1.0, 3.0, 1e3, 1e6]), st.integers(0, 99))
def test_R20_rows_sum_to_one_and_costs_are_those_of_q_for_any_beta(similarity, k, beta, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        field = ok.mean_field(similarity, random_labels(similarity.n, k, seed), beta=beta, max_sweeps=200)
    S = twin.dense(similarity)
    assert np.all(np.isfinite(field.q))
    np.testing.assert_allclose(field.q.sum(axis=1), 1)
    np.testing.assert_allclose(field.costs, -S @ field.q, atol=1e-9)
    np.testing.assert_allclose(field.free_energy, twin.free_energy(S, field.q, beta), atol=1e-9)


@pytest.mark.parametrize("schedule", ["asynchronous", "synchronous"])
@pytest.mark.parametrize("seed", range(3))
def test_R20_a_fixed_point_is_a_fixed_point_of_the_warm_start(schedule, seed):
    similarity, truth = noisy(pairs=900, seed=seed)
    field = ok.mean_field(similarity, truth, schedule=schedule, tol=1e-11)
    again = ok.mean_field(similarity, costs=field.costs, schedule=schedule, tol=1e-9)
    assert again.sweeps == 1
    np.testing.assert_allclose(again.q, field.q, atol=1e-9)


def test_with_few_answers_the_synchronous_field_alternates_and_says_so():
    outcomes = []
    for seed in range(8):
        similarity, _ = noisy(n=100, pairs=200, seed=seed)
        labels = random_labels(100, 5, seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            field = ok.mean_field(similarity, labels, schedule="synchronous", max_sweeps=500)
        assert field.converged == (field.residual < 1e-6)
        assert bool(caught) == (not field.converged)
        assert ok.mean_field(similarity, labels).converged
        outcomes.append(field.converged)
    assert not all(outcomes)


@pytest.mark.parametrize("schedule", ["asynchronous", "synchronous"])
def test_renumbering_objects_and_relabelling_clusters_change_nothing_but_names(schedule):
    similarity, truth = noisy(pairs=900)
    n, k = similarity.n, truth.max() + 1
    rng = np.random.default_rng(1)
    to, names = rng.permutation(n), rng.permutation(k)
    pairs = similarity.pairs()
    other = ok.Similarity.from_pairs(n, to[pairs.u], to[pairs.v], similarity.value(pairs.u, pairs.v))
    labels = np.empty(n, np.int64)
    labels[to] = names[truth]
    field = ok.mean_field(similarity, truth, schedule=schedule, tol=1e-10)
    moved = ok.mean_field(other, labels, schedule=schedule, order=to, tol=1e-10)
    np.testing.assert_allclose(moved.q[to][:, names], field.q, atol=1e-8)
    np.testing.assert_allclose(moved.free_energy, field.free_energy)


@CORNER
def test_degenerate_cases_are_defined(similarity):
    n, pairs = similarity.n, ok.Pairs.all(similarity.n)
    for schedule, labels in product(["asynchronous", "synchronous"], [np.arange(n), np.zeros(n, int)]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ok.NotConvergedWarning)
            field = ok.mean_field(similarity, labels, schedule=schedule)
        assert field.q.shape == (n, len(set(labels.tolist()))), schedule
        assert np.all(np.isfinite(field.q))
        entropy = field.pair_entropy(pairs.u, pairs.v)
        assert np.all((entropy >= 0) & (entropy <= np.log(2)))
        np.testing.assert_allclose(field.all_pair_entropy(), entropy, atol=1e-12)
        assert np.isfinite(field.free_energy)


def test_gaps_in_the_labels_do_not_matter():
    similarity, truth = noisy(pairs=900)
    assert np.array_equal(ok.mean_field(similarity, truth * 7 + 3).q, ok.mean_field(similarity, truth).q)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": 0}, "beta is 0"),
        ({"beta": np.nan}, "beta is nan"),
        ({"schedule": "both"}, "schedule is 'both'"),
        ({"tol": 0}, "tol is 0"),
        ({"max_sweeps": 0}, "max_sweeps is 0"),
        ({"order": [0, 1]}, "order must hold"),
        ({"costs": np.zeros((60, 2))}, "either labels or costs"),
    ],
)
def test_impossible_options_are_refused(options, message):
    similarity, truth = noisy()
    with pytest.raises(ok.InvalidInputError, match=message):
        ok.mean_field(similarity, truth, **options)


def test_a_field_that_would_not_fit_is_refused_with_its_size_and_a_remedy(monkeypatch):
    similarity, truth = noisy()
    monkeypatch.setattr(module, "available_memory", lambda: 1000)
    with pytest.raises(ok.TooLargeError, match=r"n = 60 objects and k = 5 clusters.*use a solver"):
        ok.mean_field(similarity, truth)


def test_a_belief_gives_the_same_field_for_the_same_stream():
    similarity, truth = noisy()
    clustering = ok.Clustering.of(similarity, truth)
    fields = [
        ok.MeanFieldBelief(beta=2.0)(similarity, clustering, rng=np.random.default_rng(5)) for _ in range(2)
    ]
    assert np.array_equal(fields[0].q, fields[1].q)
    assert fields[0].beta == 2.0
    assert fields[0].converged


@pytest.mark.parametrize("ask", ["same_probability", "pair_entropy"])
@pytest.mark.parametrize("stranger", [-1, 60, 10**8])
def test_strangers_are_refused(ask, stranger):
    similarity, truth = noisy()
    with pytest.raises(ok.InvalidInputError, match=rf"pair 1 is \(0, {stranger}\); expected two of the 60"):
        getattr(ok.mean_field(similarity, truth), ask)([0, 0], [1, stranger])


def test_labels_may_be_a_clustering_or_text():
    similarity, truth = noisy(pairs=900)
    expected = ok.mean_field(similarity, truth).q
    assert np.array_equal(ok.mean_field(similarity, [f"group {label}" for label in truth]).q, expected)
    clustering = ok.Clustering.of(similarity, truth)
    by_clustering, by_labels = (ok.mean_field(similarity, given) for given in (clustering, clustering.labels))
    assert np.array_equal(by_clustering.q, by_labels.q)


def test_costs_without_clusters_are_refused():
    similarity, _ = noisy()
    with pytest.raises(ok.InvalidInputError, match=r"costs have shape \(60, 0\)"):
        ok.mean_field(similarity, costs=np.zeros((60, 0)))
