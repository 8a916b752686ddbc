import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import ofakind as ok
from ofakind.acquire.gpu import upload
from ofakind.kernels.gpu import gains as gpu_gains
from ofakind.kernels.gpu.fields import Sweeps
from ofakind.kernels.graph.colours import colour_classes
from ofakind.posterior.mean_field.conditional import answer_gains
from twins import gpu as twin
from twins import mean_field as plain
from twins.instances import CORNERS, noisy, similarities

# -- EIG-O -------------------------------------------------------------------------------------------------


def state(n=20, pairs=120, k=3, seed=0):
    similarity = noisy(n, pairs, clusters=k, rng=np.random.default_rng(seed))
    field = ok.mean_field(similarity, np.arange(n) % k, tol=1e-8)
    return field, upload(field)


def gains_on_gpu(field, base, pairs, sweeps):
    device = base.q.device
    u, v = torch.tensor(pairs.u, device=device), torch.tensor(pairs.v, device=device)
    old = torch.tensor(field.similarity.value(pairs.u, pairs.v), device=device)
    return gpu_gains.answer_gains(base, u, v, old, sweeps).cpu().numpy()


def some_pairs(field, count):
    """Asked and unasked pairs."""
    asked, every = field.similarity.pairs(), ok.Pairs.all(field.similarity.n)
    unasked = every.take(field.similarity.count(every.u, every.v) == 0)
    return ok.Pairs.of(*(np.r_[getattr(asked, x)[:count], getattr(unasked, x)[:count]] for x in "uv"))


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 4])
def test_gains_of_each_answer_are_those_of_the_twin(parts):
    field, base = state()
    pairs, S = some_pairs(field, 20), plain.dense(field.similarity)  # 40 pairs: two blocks
    found = gains_on_gpu(field, base, pairs, Sweeps(1e-3, 3, parts))
    before = plain.label_entropy(field.q).sum()
    for (u, v), gain in zip(pairs, found, strict=True):
        for e, got in zip((1, -1), gain, strict=True):
            q = twin.sweeps(
                plain.replaced(S, u, v, e), field.q, field.beta, count=3, parts_in_all=parts, tol=1e-3
            )
            assert got == pytest.approx(before - plain.label_entropy(q).sum(), abs=3e-4)


@pytest.mark.slow
def test_gains_are_those_of_the_cpu_where_there_is_one_place_to_rest():
    field, base = state(n=14, pairs=130)
    pairs = some_pairs(field, 8)
    found = gains_on_gpu(field, base, pairs, Sweeps(1e-5, 16, 2))
    np.testing.assert_allclose(found, answer_gains(field, pairs), atol=2e-3)


@pytest.mark.slow
def test_what_an_answer_does_not_reach_adds_exactly_nothing():
    similarity = ok.Similarity.from_pairs(6, [0, 2, 4], [1, 3, 5], [1.0, -0.5, 0.2])
    field = ok.mean_field(similarity, [0, 0, 1, 0, 1, 1], tol=1e-3)
    base = upload(field)
    pairs = ok.Pairs.of([0], [1])
    found = gains_on_gpu(field, base, pairs, Sweeps(1e-2, 8, 1))
    assert found[0, 0] == 0  # the answer that was given already


@pytest.mark.slow
def test_fields_are_split_over_several_launches_when_there_are_many(monkeypatch):
    field, base = state()
    pairs = some_pairs(field, 20)
    whole = gains_on_gpu(field, base, pairs, Sweeps(1e-3, 1, 2))
    monkeypatch.setattr(gpu_gains, "GAIN_BYTES", 1)
    assert np.array_equal(whole, gains_on_gpu(field, base, pairs, Sweeps(1e-3, 1, 2)))
    assert gains_on_gpu(field, base, ok.Pairs.empty(), Sweeps(1e-3, 1, 2)).shape == (0, 2)


def test_fields_that_do_not_fit_are_refused(monkeypatch):
    field, base = state()
    monkeypatch.setattr(gpu_gains, "free_memory", lambda _: 3 * 4 * 64 * 21 * 3 - 1)
    with pytest.raises(ok.TooLargeError, match=r"EIG-O of n = 20 objects and k = 3 clusters.*device='cpu'"):
        gains_on_gpu(field, base, some_pairs(field, 2), Sweeps(1e-3, 1, 2))


# -- the mean field ----------------------------------------------------------------------------------------


@given(similarities(), st.integers(0, 5))
def test_no_two_neighbours_have_a_colour(similarity, seed):
    order = np.random.default_rng(seed).permutation(similarity.n)
    classes = colour_classes(similarity.indptr, similarity.indices, order)
    assert sorted(np.concatenate(classes)) == list(range(similarity.n))
    S = plain.dense(similarity) != 0
    asked = similarity.pairs()
    S[asked.u, asked.v] = S[asked.v, asked.u] = True
    assert not any(S[np.ix_(objects, objects)].any() for objects in classes)


def test_asynchronous_sweeps_are_those_of_the_cpu_in_the_same_order():
    similarity = noisy(30, 300, clusters=3, rng=np.random.default_rng(0))
    labels, order = np.arange(30) % 3, np.random.default_rng(0).permutation(30)
    gpu = ok.mean_field(similarity, labels, order=order, device="cuda")
    same_order = np.concatenate(colour_classes(similarity.indptr, similarity.indices, order))
    cpu = ok.mean_field(similarity, labels, order=same_order)
    np.testing.assert_allclose(gpu.q, cpu.q, atol=1e-12)
    assert (gpu.sweeps, gpu.converged) == (cpu.sweeps, True)
    assert gpu.residual == pytest.approx(cpu.residual, rel=1e-6)
    np.testing.assert_allclose(gpu.costs, cpu.costs, atol=1e-12)


def test_synchronous_sweeps_are_those_of_the_cpu():
    similarity = noisy(40, 200, clusters=4, rng=np.random.default_rng(0))
    options = {"schedule": "synchronous", "max_sweeps": 6, "tol": 1e-12}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        gpu = ok.mean_field(similarity, np.arange(40) % 4, device="cuda", **options)
        cpu = ok.mean_field(similarity, np.arange(40) % 4, **options)
    np.testing.assert_allclose(gpu.q, cpu.q, atol=1e-13)
    assert gpu.sweeps == cpu.sweeps == 6


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["asynchronous", "synchronous"])
@pytest.mark.parametrize("name", CORNERS)
def test_corner_cases_are_as_on_the_cpu(name, schedule):
    similarity = CORNERS[name]
    labels = np.arange(similarity.n) % 2
    options = {"schedule": schedule, "tol": 1e-3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        gpu = ok.mean_field(similarity, labels, device="cuda", max_sweeps=30, **options)
        cpu = ok.mean_field(similarity, labels, max_sweeps=30, **options)
    assert gpu.q.shape == cpu.q.shape
    assert (gpu.sweeps, gpu.converged) == (cpu.sweeps, cpu.converged) or schedule == "asynchronous"
    if schedule == "synchronous":
        np.testing.assert_allclose(gpu.q, cpu.q, atol=1e-12)


@pytest.mark.slow
@settings(max_examples=5)
@given(similarities(), st.integers(0, 3))
def test_sweeps_never_raise_the_free_energy(similarity, seed):
    labels = np.random.default_rng(seed).integers(2, size=similarity.n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ok.NotConvergedWarning)
        fields = [ok.mean_field(similarity, labels, max_sweeps=sweeps, device="cuda") for sweeps in (1, 2, 4)]
    energies = [field.free_energy for field in fields]
    assert energies[0] >= energies[1] - 1e-9
    assert energies[1] >= energies[2] - 1e-9
