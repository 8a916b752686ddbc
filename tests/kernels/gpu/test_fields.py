import numpy as np
import pytest
import torch

import ofakind as ok
from ofakind.kernels.gpu import fields as gpu_fields
from ofakind.kernels.gpu import jeig as gpu_jeig
from ofakind.kernels.gpu import pairs as gpu_pairs
from ofakind.kernels.gpu import subsets as gpu_subsets
from ofakind.kernels.graph.csr import Graph
from ofakind.posterior.mean_field.conditional import ConditionalFields, Precision
from twins import gpu as twin
from twins import mean_field as plain
from twins.instances import noisy
from twins.selection import entropy_of

SEED = 2**62 + 4711


def state(n=24, pairs=90, k=3, seed=0, schedule="asynchronous"):
    similarity = noisy(n, pairs, clusters=k, rng=np.random.default_rng(seed))
    field = ok.mean_field(similarity, np.arange(n) % k, schedule=schedule, tol=1e-8)
    s = similarity
    return field, gpu_pairs.upload(Graph(s.indptr, s.indices, s.values), field.q, field.beta)


def draws_of(**options):
    standard = {"seed": SEED, "first": 0, "subsets": 2, "t": 0.3, "samples": 5, "lanes": 16}
    return gpu_subsets.Draws(**{**standard, "by_entropy": True, "clusterings": False, **options})


# -- subsets and pseudo-answers ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("by_entropy", "t"), [(True, 2.0), (False, 0.1)])
def test_subsets_answers_and_what_they_replace_are_those_of_the_twin(by_entropy, t):
    field, base = state()
    n = len(field.q)
    probability = field.q @ field.q.T
    rates = entropy_of(probability) if by_entropy else np.ones((n, n))
    draws = draws_of(by_entropy=by_entropy, t=t, first=3)
    subsets = gpu_subsets.draw_subsets(base, draws)
    member, answers = twin.dense(subsets, n)
    rows = np.repeat(np.arange(n), np.diff(field.similarity.indptr))
    for i in range(2):
        assert np.array_equal(member[i], member[i].T)
        assert np.array_equal(member[i], twin.subset(SEED, n, 3 + i, rates, t))
        expected = twin.answers(SEED, n, 3 + i, probability, 16)
        assert np.array_equal(answers[i, 0, :16], np.where(member[i], expected, 0))
        inside = member[i][rows, field.similarity.indices]
        assert inside.any()
        expected = np.where(inside, 0, field.similarity.values).astype(np.float32)
        assert np.array_equal(subsets.weights[i].cpu().numpy(), expected)


@pytest.mark.slow
def test_answers_of_more_samples_than_lanes_stand_in_several_groups():
    field, base = state()
    n, probability = len(field.q), field.q @ field.q.T
    subsets = gpu_subsets.draw_subsets(base, draws_of(samples=40))
    member, answers = twin.dense(subsets, n)
    assert subsets.bits.shape[0] == 3
    for i in range(2):
        for group in range(3):
            expected = twin.answers(SEED, n, 3 * i + group, probability, 16)
            assert np.array_equal(answers[i, group, :16], np.where(member[i], expected, 0))


@pytest.mark.slow
def test_answers_of_clusterings_are_those_of_the_same_labels_for_all_pairs():
    field, base = state()
    n = len(field.q)
    member, answers = twin.dense(gpu_subsets.draw_subsets(base, draws_of(clusterings=True, samples=20)), n)
    for i in range(2):
        for lane in range(32):
            labels = twin.labels(SEED, field.q, 32 * i + lane)
            same = np.where(labels[:, None] == labels[None, :], 1, -1)
            assert np.array_equal(answers[i, lane // 16, lane % 16], np.where(member[i], same, 0))


def test_a_subset_has_the_wanted_size_on_average():
    field, base = state()
    n = len(field.q)
    simulation = simulation_of(size=40)
    t = gpu_jeig.ringing_time(base, simulation, SEED)
    rates = entropy_of(field.q @ field.q.T)[np.triu_indices(n, 1)]
    assert twin.chances(rates, t).sum() == pytest.approx(40, rel=1e-3)


@pytest.mark.parametrize("t", [0.0, 1e29])
def test_a_subset_may_be_empty_or_hold_every_pair(t):
    _, base = state(n=6, pairs=8)
    member, _ = twin.dense(gpu_subsets.draw_subsets(base, draws_of(t=t, subsets=1)), 6)
    assert np.array_equal(member[0], ~np.eye(6, dtype=bool) if t else np.zeros((6, 6), bool))


# -- conditional fields ------------------------------------------------------------------------------------


def simulation_of(**options):
    standard = {"size": 30, "subsets": 2, "samples": 3, "by_entropy": True, "clusterings": False}
    return gpu_jeig.Simulation(**{**standard, "tol": 1e-6, "max_sweeps": 3, "synchronous": False, **options})


def replaced(field, subsets, i, group, lane):
    """The similarities that a lane sees."""
    n = len(field.q)
    member, answers = twin.dense(subsets, n)
    return np.where(member[i], answers[i, group, lane], plain.dense(field.similarity))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "dtype"), [(1, torch.float32), (2, torch.float32), (4, torch.float32), (2, torch.float16)]
)
def test_sweeps_are_those_of_the_twin(parts, dtype):
    field, base = state()
    subsets = gpu_subsets.draw_subsets(base, draws_of())
    sweeps = gpu_fields.Sweeps(0.0, 3, parts)
    found = gpu_fields.conditional_fields(base, subsets, sweeps, lanes=16, dtype=dtype).cpu().numpy()
    assert found.shape == (2, 25, 3, 16)
    assert np.all(found[:, 24] == 0)
    for i, lane in ((0, 0), (0, 15), (1, 7)):
        S = replaced(field, subsets, i, 0, lane)
        expected = twin.sweeps(S, field.q, field.beta, count=3, parts_in_all=parts)
        atol = 1e-5 if dtype == torch.float32 else 0.02
        np.testing.assert_allclose(found[i, :24, :, lane], expected, atol=atol)


@pytest.mark.slow
def test_fields_come_to_rest_where_those_of_the_cpu_do():
    field, base = state(pairs=220)  # enough answers for one place to rest
    subsets = gpu_subsets.draw_subsets(base, draws_of(subsets=1, t=0.5))
    sweeps = gpu_fields.Sweeps(1e-6, 48, 4)
    found = gpu_fields.conditional_fields(base, subsets, sweeps, lanes=16, dtype=torch.float32)
    for lane in range(4):
        S = replaced(field, subsets, 0, 0, lane)
        expected, _ = plain.asynchronous(S, field.costs, field.beta)
        np.testing.assert_allclose(found[0, :24, :, lane].cpu().numpy(), expected, atol=1e-4)


@pytest.mark.slow
def test_with_nothing_replaced_the_fields_are_the_base_field_and_sweeps_end_early(monkeypatch):
    field, base = state(pairs=200)
    subsets = gpu_subsets.draw_subsets(base, draws_of(t=0.0, subsets=1))
    launches = []
    kernel = gpu_fields.field_kernel
    monkeypatch.setattr(gpu_fields, "field_kernel", Counting(kernel, launches))
    sweeps = gpu_fields.Sweeps(1e-4, 100, 2)
    found = gpu_fields.conditional_fields(base, subsets, sweeps, lanes=16, dtype=torch.float32)
    np.testing.assert_allclose(found[0, :24, :, 0].cpu().numpy(), field.q, atol=1e-5)
    assert len(launches) == 2 * gpu_fields.CHECK


class Counting:
    """A kernel that counts its launches."""

    def __init__(self, kernel, launches):
        self.kernel, self.launches = kernel, launches

    def __getitem__(self, grid):
        self.launches.append(grid)
        return self.kernel[grid]


@pytest.mark.parametrize("synchronous", [True, False])
def test_a_synchronous_field_is_conditioned_synchronously(synchronous):
    simulation = simulation_of(synchronous=synchronous, max_sweeps=7)
    assert simulation.sweeps(100) == ((1e-6, 7, 1) if synchronous else (1e-6, 9, 4))
    assert simulation.sweeps(10_000) == ((1e-6, 7, 1) if synchronous else (1e-6, 7, 2))


def shift(seed, sweeps):
    """Share by which sweeps in parts make the mean gain larger than the CPU's ten do; the same draws."""
    n, acquisition, rng = 40, ok.JEIG(subsets=6, samples=48), np.random.default_rng(seed)
    similarity = noisy(n, 150, clusters=5, rng=rng)
    field = ok.mean_field(similarity, ok.LocalSearch()(similarity, rng=rng).labels)
    subsets = list(acquisition.draw_subsets(field, rng))
    given = [(pairs, acquisition.draw_answers(field, pairs, rng)) for pairs in subsets]
    left = []
    for pairs, answers in given:
        S = np.repeat(plain.dense(similarity)[None], len(answers), axis=0)
        S[:, pairs.u, pairs.v] = S[:, pairs.v, pairs.u] = answers
        q = np.repeat(field.q[None], len(answers), axis=0)
        q = twin.sweeps(S, q, field.beta, count=sweeps.most, parts_in_all=sweeps.parts)
        left.append(entropy_of(q @ q.transpose(0, 2, 1))[:, *np.triu_indices(n, 1)].mean())
    precision = Precision(np.float32, acquisition.tol, acquisition.max_sweeps)
    fields = ConditionalFields.given_each(field, given, precision)
    on_cpu = fields.mean_pair_entropy(*np.triu_indices(n, 1)).mean()
    return (on_cpu - np.mean(left)) / (field.pair_entropy(*np.triu_indices(n, 1)).mean() - on_cpu)


@pytest.mark.slow
def test_gains_are_on_average_those_of_ten_sweeps_of_the_cpu():
    """Another number of sweeps, such as twice as many, would make them larger or smaller."""
    sweeps = simulation_of(max_sweeps=10).sweeps(40)
    ours = np.array([shift(seed, sweeps) for seed in range(24)])
    twice = np.array([shift(seed, sweeps._replace(most=20)) for seed in range(24)])
    error, other_error = (shifts.std() / np.sqrt(len(shifts)) for shifts in (ours, twice))
    assert error < 0.003
    assert abs(ours.mean()) < 3 * error
    assert twice.mean() > 3 * other_error


@pytest.mark.slow
def test_fields_do_not_depend_on_how_many_subsets_are_worked_on_together(monkeypatch):
    _, base = state()
    simulation = simulation_of(max_sweeps=1, tol=1e-3)
    whole = gpu_jeig.simulate(base, simulation, SEED)
    monkeypatch.setattr(gpu_jeig, "SUBSET_BYTES", 1)
    split = gpu_jeig.simulate(base, simulation, SEED)
    assert torch.equal(whole.blocks, split.blocks)
    assert whole.blocks.dtype == torch.float16
    assert whole.blocks.shape == (2, 25, 3, 16)


def test_lanes_and_groups_hold_all_samples():
    sizes = {samples: simulation_of(samples=samples) for samples in (1, 16, 17, 50, 64, 65, 1000)}
    assert {samples: (s.lanes, s.groups) for samples, s in sizes.items()} == {
        1: (16, 1), 16: (16, 1), 17: (32, 1), 50: (64, 1), 64: (64, 1), 65: (64, 2), 1000: (64, 16),
    }  # fmt: skip


# -- memory ------------------------------------------------------------------------------------------------


def test_what_does_not_fit_is_refused_with_what_would(monkeypatch):
    _, base = state()
    block = 16 * 25 * 3 * 4
    answers = 2 * 4 * len(base.values)
    fields = 8 * block + answers
    pair = 2 * 2 * 12 * 1.1
    monkeypatch.setattr(gpu_jeig, "free_memory", lambda _: fields + int(pair * 20.5))
    assert gpu_jeig.check_memory(base, simulation_of(size=20)) == 2
    with pytest.raises(ok.TooLargeError, match=r"n = 24 objects.*of 30 pairs.*max_subset=20 would fit"):
        gpu_jeig.check_memory(base, simulation_of(size=30))
    monkeypatch.setattr(gpu_jeig, "free_memory", lambda _: fields - 1)
    with pytest.raises(ok.TooLargeError, match=r"50 samples.*samples=\d+, or fewer subsets, would fit"):
        gpu_jeig.check_memory(base, simulation_of(samples=50))


def test_an_error_of_the_device_itself_is_told_in_words(monkeypatch):
    _, base = state()

    def full(*arguments):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(gpu_jeig, "draw_subsets", full)
    with pytest.raises(ok.TooLargeError, match="did not fit on the GPU; max_subset=15 would take half"):
        gpu_jeig.simulate(base, simulation_of(), SEED)
