"""The sparse mean field is the dense one, to within its tolerance, at a fraction of its size."""

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.acquire.choose import choose
from ofakind.posterior.mean_field import belief as belief_module
from ofakind.posterior.mean_field import sparse as module
from twins import mean_field as twin
from twins.cluster_pairs import random_field
from twins.instances import CORNERS, noisy, similarities

CORNER = pytest.mark.parametrize("similarity", CORNERS.values(), ids=CORNERS.keys())
QUIET = (ok.NotConvergedWarning, ok.CollapsedWarning)


def sparse(similarity, labels, **options):
    with warnings.catch_warnings():
        for kind in QUIET:
            warnings.simplefilter("ignore", kind)
        return ok.sparse_mean_field(similarity, labels, **options)


def full(field):
    return field.probabilities(np.arange(field.similarity.n))


def labels_for(n, k, seed):
    return np.unique(np.random.default_rng(seed).integers(max(k, 1), size=n), return_inverse=True)[1]


def small_groups(n, seed):
    """Groups of five, most answers about near pairs, a fifth of them wrong; and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) // 5
    u = rng.integers(n, size=8 * n)
    v = (u + rng.integers(1, 8, len(u))) % n
    values = np.where((truth[u] == truth[v]) != (rng.random(len(u)) < 0.2), 1.0, -1.0)
    return ok.Similarity.from_pairs(n, u, v, values), truth


@pytest.mark.slow
@given(similarities(), st.integers(1, 8), st.floats(0.1, 20), st.integers(0, 99))
def test_sweep_by_sweep_it_is_the_dense_twin_when_nothing_is_neglected(similarity, k, beta, seed):
    labels = labels_for(similarity.n, k, seed)
    order = np.random.default_rng(seed).permutation(similarity.n)
    S = twin.dense(similarity)
    expected, _ = twin.asynchronous(S, twin.start_costs(S, labels), beta, order=order, tol=0, max_sweeps=7)
    field = sparse(similarity, labels, beta=beta, order=order, tol=1e-300, max_sweeps=7)
    np.testing.assert_allclose(full(field), expected, atol=1e-9)


@given(similarities(), st.integers(1, 8), st.sampled_from([1.0, 3.0, 9.0]), st.integers(0, 99))
def test_on_return_no_update_would_move_a_probability_by_much_more_than_the_tolerance(
    similarity, k, beta, seed
):
    tol = 1e-4
    field = sparse(similarity, labels_for(similarity.n, k, seed), beta=beta, tol=tol, max_sweeps=20_000)
    q, S = full(field), twin.dense(similarity)
    assert field.converged
    # Since its own last update an object's neighbours have moved by less than tol each.
    moved = tol * (1 + beta / 2 * np.abs(S).sum(axis=1, keepdims=True))
    assert np.all(np.abs(q - twin.softmax(beta * S @ q)) <= moved)


@pytest.mark.slow
@pytest.mark.parametrize("beta", [1.0, 3.0, 8.0])
@pytest.mark.parametrize("start", ["ten", "solved", "alone", "nearly alone", "together"])
def test_settled_it_agrees_with_the_dense_field_within_the_tolerance(beta, start):
    seed = int(beta)
    similarity = noisy(120, 900, clusters=12, rng=np.random.default_rng(seed))
    labels = {
        "ten": np.arange(120) % 10,
        "solved": ok.Multilevel()(similarity, rng=np.random.default_rng(seed)).labels,
        "alone": np.arange(120),
        "nearly alone": np.minimum(np.arange(120), 115),
        "together": np.zeros(120, int),
    }[start]
    tol = 1e-6
    dense = ok.mean_field(similarity, labels, beta=beta, tol=tol, max_sweeps=20_000)
    field = sparse(similarity, labels, beta=beta, tol=tol, max_sweeps=20_000)
    assert np.abs(full(field) - dense.q).max() < 10 * tol
    assert field.k == dense.k


@pytest.mark.slow
@given(similarities(), st.integers(1, 8), st.sampled_from([0.5, 3.0, 1e3, 1e6]), st.integers(0, 99))
def test_rows_are_probabilities_for_any_beta(similarity, k, beta, seed):
    field = sparse(similarity, labels_for(similarity.n, k, seed), beta=beta, max_sweeps=50)
    q = full(field)
    assert np.all(q >= -1e-15)
    assert np.all(np.isfinite(field.above))
    np.testing.assert_allclose(q.sum(axis=1), 1)
    assert np.all((field.rest >= 0) & (field.rest <= 1))


@given(st.integers(0, 9), st.integers(1, 12), st.integers(0, 2**32))
def test_probabilities_and_entropies_are_those_of_the_full_rows(n, k, seed):
    field = random_field(n, k, np.random.default_rng(seed))
    q, pairs = full(field), ok.Pairs.all(n)
    np.testing.assert_allclose(field.same_probability(pairs.u, pairs.v), (q @ q.T)[pairs.u, pairs.v])
    np.testing.assert_allclose(
        field.pair_entropy(pairs.u, pairs.v), twin.pair_entropy(q)[pairs.u, pairs.v], atol=1e-12
    )
    np.testing.assert_allclose(field.label_entropy(), twin.label_entropy(q), atol=1e-12)


@given(similarities(), st.integers(1, 8), st.integers(0, 99))
def test_R20_the_free_energy_is_that_of_the_twin_and_never_rises(similarity, k, seed):
    labels, S = labels_for(similarity.n, k, seed), twin.dense(similarity)
    fields = [sparse(similarity, labels, tol=1e-300, max_sweeps=sweeps) for sweeps in range(1, 6)]
    energies = [field.free_energy for field in fields]
    np.testing.assert_allclose(energies, [twin.free_energy(S, full(f), 3.0) for f in fields], atol=1e-9)
    assert np.all(np.diff(energies) <= 1e-9)


@CORNER
@pytest.mark.parametrize("apart", [False, True], ids=["one cluster", "n clusters"])
def test_degenerate_cases_are_defined_and_agree(similarity, apart):
    n = similarity.n
    labels = np.arange(n) if apart else np.zeros(n, int)
    field = sparse(similarity, labels, tol=1e-9)
    pairs = ok.Pairs.all(n)
    expected = ok.mean_field(similarity, labels, tol=1e-9)
    np.testing.assert_allclose(full(field), expected.q, atol=1e-6)
    np.testing.assert_allclose(
        field.pair_entropy(pairs.u, pairs.v), expected.pair_entropy(pairs.u, pairs.v), atol=1e-5
    )
    assert field.converged
    assert np.isfinite(field.free_energy)


@pytest.mark.slow
def test_rows_that_outgrow_their_space_move_and_nothing_else_changes(monkeypatch):
    similarity = noisy(200, 3000, rng=np.random.default_rng(0))
    labels = np.arange(200) % 40
    grown = []
    larger = module._larger
    monkeypatch.setattr(module, "_larger", lambda rows, k: (grown.append(k), larger(rows, k))[1])
    field = sparse(similarity, labels, tol=1e-8)
    assert len(grown) >= 2
    assert np.abs(full(field) - ok.mean_field(similarity, labels, tol=1e-8).q).max() < 1e-6


def test_a_field_that_would_not_fit_is_refused_with_its_size_and_a_remedy(monkeypatch):
    similarity = noisy(200, 3000, rng=np.random.default_rng(0))
    monkeypatch.setattr(module, "available_memory", lambda: 1000)
    with pytest.raises(ok.TooLargeError, match=r"n = 200 objects and k = 40 clusters needs .* raise tol"):
        sparse(similarity, np.arange(200) % 40)


@pytest.mark.parametrize("beta", [3.0, 12.0])
def test_memory_grows_with_the_entries_not_with_n_times_k(beta):
    n = 10_000
    similarity, truth = small_groups(n, 0)
    sparse(*small_groups(100, 0))  # compiles
    tracemalloc.start()
    field = sparse(similarity, truth, beta=beta)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert field.k == n // 5
    assert len(field.above) < 30 * n
    assert peak < 1500 * n  # an (n, k) array has 16,000 bytes for each object


def test_with_too_many_clusters_for_beta_it_says_that_it_collapsed_and_a_larger_beta_helps():
    similarity, truth = small_groups(5000, 0)
    with pytest.warns(
        ok.CollapsedWarning, match=r"of k = 1000 clusters: beta = 3 .* raise it to log k = 6\.9"
    ):
        collapsed = ok.sparse_mean_field(similarity, truth)
    field = ok.sparse_mean_field(similarity, truth, beta=np.log(1000))  # and no warning
    same = np.flatnonzero(np.diff(truth) == 0)
    assert collapsed.spread().mean() > 0.9
    assert field.spread().mean() < 0.5
    assert field.same_probability(same, same + 1).mean() > 0.3
    assert collapsed.same_probability(same, same + 1).mean() < 0.03


@pytest.mark.parametrize("name", ["no answers", "all unlike", "all undecided", "no objects", "one object"])
def test_a_field_that_has_nothing_to_say_has_not_collapsed(name):
    similarity = CORNERS[name]
    field = ok.sparse_mean_field(similarity, np.arange(similarity.n))
    np.testing.assert_allclose(full(field), 1 / max(similarity.n, 1), atol=0.15)


def test_when_it_does_not_settle_it_says_so():
    similarity = noisy(60, 300, rng=np.random.default_rng(0))
    with pytest.warns(ok.NotConvergedWarning, match=r"still moves by .* after 1 sweeps"):
        field = ok.sparse_mean_field(similarity, np.arange(60) % 6, max_sweeps=1)
    assert not field.converged
    assert field.sweeps == 1


def test_renumbering_objects_changes_nothing_but_names():
    similarity, truth = small_groups(300, 1)
    to, pairs = np.random.default_rng(0).permutation(300), similarity.pairs()
    other = ok.Similarity.from_pairs(300, to[pairs.u], to[pairs.v], similarity.value(pairs.u, pairs.v))
    labels = np.empty(300, int)
    labels[to] = truth
    field, moved = sparse(similarity, truth, beta=6.0), sparse(other, labels, beta=6.0, order=to)
    np.testing.assert_allclose(full(moved)[to], full(field), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"beta": 0}, "beta is 0"), ({"tol": 0}, "tol is 0"), ({"max_sweeps": 0}, "max_sweeps is 0")],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(ok.InvalidInputError, match=message):
        ok.sparse_mean_field(CORNERS["all alike"], np.zeros(7, int), **options)


@pytest.mark.parametrize("ask", ["same_probability", "pair_entropy"])
def test_strangers_are_refused(ask):
    field = sparse(CORNERS["all alike"], np.zeros(7, int))
    with pytest.raises(ok.InvalidInputError, match=r"pair 1 is \(0, 7\); expected two of the 7"):
        getattr(field, ask)([0, 0], [1, 7])


# -- as an option of a learner -----------------------------------------------------------------------------


def test_a_belief_is_sparse_only_when_there_are_many_clusters_and_many_cells(monkeypatch):
    similarity, truth = small_groups(300, 0)
    clustering = ok.Clustering.of(similarity, truth)  # 60 clusters

    def kind(**options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ok.CollapsedWarning)
            return type(ok.MeanFieldBelief(**options)(similarity, clustering, rng=np.random.default_rng(0)))

    assert kind() is ok.MeanField
    assert kind(form="sparse") is ok.SparseMeanField
    monkeypatch.setattr(belief_module, "FIELD", replace(belief_module.FIELD, dense_cells=300 * 60 - 1))
    assert kind() is ok.SparseMeanField
    assert kind(form="dense") is kind(schedule="synchronous") is ok.MeanField
    monkeypatch.setattr(belief_module, "FIELD", replace(belief_module.FIELD, few_clusters=60))
    assert kind() is ok.MeanField


def test_the_two_forms_of_a_belief_agree():
    similarity, truth = small_groups(300, 0)
    clustering = ok.Clustering.of(similarity, truth)
    dense, field = (
        ok.MeanFieldBelief(beta=6.0, form=form)(similarity, clustering, rng=np.random.default_rng(5))
        for form in ("dense", "sparse")
    )
    assert np.abs(full(field) - dense.q).max() < 1e-4


@pytest.mark.parametrize("options", [{"schedule": "synchronous"}, {"device": "cuda"}])
def test_what_has_no_sparse_form_is_refused_when_it_is_asked_for(options):
    with pytest.raises(
        ok.InvalidInputError, match=r"form is 'sparse' with schedule .*expected 'asynchronous'"
    ):
        ok.MeanFieldBelief(form="sparse", **options)


def state_of(form):
    similarity, truth = small_groups(100, 0)
    clustering = ok.Clustering.of(similarity, truth)
    belief = ok.MeanFieldBelief(beta=5.0, form=form)
    return ok.State(
        similarity, clustering, lambda: belief(similarity, clustering, rng=np.random.default_rng(0))
    )


@pytest.mark.slow
@pytest.mark.parametrize("list_limit", [0, 10**6])
@pytest.mark.parametrize(
    "acquisition", [ok.Entropy(), ok.Entropy(noise=0.0), ok.MaxMin(), ok.MaxExp()], ids=repr
)
def test_acquisition_functions_work_on_it(acquisition, list_limit):
    state = state_of("sparse")
    pool = ok.Pool(state.similarity, ok.Pairs.empty(), list_limit=list_limit)
    batch = choose(acquisition, state, pool, 30, np.random.default_rng(0))
    assert len(set(batch.pairs)) == 30
    expected = acquisition.score(state_of("dense"), batch.pairs, np.random.default_rng(0))
    scored = acquisition.score(state, batch.pairs, np.random.default_rng(0))
    np.testing.assert_allclose(scored.values, expected.values, atol=1e-3)


@pytest.mark.parametrize("acquisition", [ok.EIGO(), ok.JEIG()], ids=repr)
def test_those_that_condition_mean_fields_say_which_form_they_need(acquisition):
    state = state_of("sparse")
    with pytest.raises(
        ok.InvalidInputError, match=r"cannot use a SparseMeanField; .*form='dense'\) or Entropy"
    ):
        choose(acquisition, state, ok.Pool(state.similarity, ok.Pairs.empty()), 3, np.random.default_rng(0))


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_the_same_seed_asks_the_same_also_after_save_and_load(tmp_path, suffix):
    n = 3000  # too many pairs to list
    truth = np.arange(n) // 10

    def start():
        belief = ok.MeanFieldBelief(beta=12.0, form="sparse")
        solver = ok.Multilevel(kicks=1)
        return ok.ActiveClustering(
            n, acquisition=ok.Entropy(), solver=solver, belief=belief, initial=3 * n, batch_size=200, seed=4
        )

    def rounds(learner, count):
        asked = []
        for _ in range(count):
            pairs = learner.ask()
            asked.append(pairs)
            learner.tell(pairs, np.where(truth[pairs.u] == truth[pairs.v], 1.0, -0.3))
        return asked

    whole = rounds(start(), 3)
    learner = start()
    part = rounds(learner, 2)
    learner.save(tmp_path / f"learner.{suffix}")
    again = ok.ActiveClustering.load(tmp_path / f"learner.{suffix}")
    assert again.belief == learner.belief
    assert [*part, *rounds(again, 1)] == whole
    assert isinstance(again.posterior, ok.SparseMeanField)
