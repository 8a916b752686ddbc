import numpy as np
import pytest
import torch

import ofakind as ok
from ofakind.kernels.gpu import batch as gpu_batch
from ofakind.kernels.gpu import pairs as gpu_pairs
from ofakind.kernels.graph.csr import Graph
from twins import gpu as twin
from twins.selection import entropy_of, random_q

SEED = 2**62 + 99


def base_of(q, similarity=None):
    s = ok.Similarity.from_pairs(len(q), [], [], []) if similarity is None else similarity
    return gpu_pairs.upload(Graph(s.indptr, s.indices, s.values), q, 3.0)


def some_fields(n, k, *, blocks, lanes, samples, groups=1, seed=0):
    """Random fields on the device, and as an array (fields, n, k)."""
    q = np.random.default_rng(seed).dirichlet(np.ones(k), (blocks, lanes, n))  # (blocks, lanes, n, k)
    tensor = torch.zeros((blocks, n + 1, k, lanes), dtype=torch.float32)
    tensor[:, :n] = torch.tensor(q.transpose(0, 2, 3, 1))
    by_subset = q.reshape(blocks // groups, groups * lanes, n, k)[:, :samples].reshape(-1, n, k)
    return gpu_pairs.Fields(tensor.to(base_of(q[0, 0]).q.device), samples, groups), by_subset


@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (40, 3), (33, 17)])
def test_without_fields_gains_are_entropies(n, k):
    q = random_q(n, k, np.random.default_rng(n), confident=0.5)
    u, v = np.triu_indices(n, 1)
    found = gpu_pairs.gains_of(base_of(q), None, u, v)
    np.testing.assert_allclose(found, entropy_of((q @ q.T)[u, v]), atol=2e-6)


def test_certain_pairs_have_no_entropy():
    q = np.eye(3)[[0, 0, 1, 2]]
    u, v = np.triu_indices(4, 1)
    assert np.abs(gpu_pairs.gains_of(base_of(q), None, u, v)).max() == 0


@pytest.mark.parametrize(
    ("blocks", "lanes", "samples", "groups"), [(1, 16, 1, 1), (3, 16, 13, 1), (4, 16, 21, 2)]
)
def test_gains_are_the_entropy_minus_its_mean_over_the_fields(blocks, lanes, samples, groups):
    n, k = 20, 5
    q = random_q(n, k, np.random.default_rng(1))
    fields, plain = some_fields(n, k, blocks=blocks, lanes=lanes, samples=samples, groups=groups)
    u, v = np.triu_indices(n, 1)
    mean = np.mean([entropy_of((field @ field.T)[u, v]) for field in plain], axis=0)
    expected = entropy_of((q @ q.T)[u, v]) - mean
    np.testing.assert_allclose(gpu_pairs.gains_of(base_of(q), fields, u, v), expected, atol=2e-6)


def test_no_pairs_have_no_gains():
    q = random_q(3, 2, np.random.default_rng(0))
    nothing = np.empty(0, np.int64)
    assert len(gpu_pairs.gains_of(base_of(q), None, nothing, nothing)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1.0, 0.5])
@pytest.mark.parametrize("n", [2, 31, 70])
def test_the_race_finds_the_pairs_below_the_limit_and_no_others(n, noise):
    q = random_q(n, 4, np.random.default_rng(n), confident=0.3)
    u, v = np.triu_indices(n, 1)
    key = twin.keys(SEED, u, v, entropy_of((q @ q.T)[u, v]), noise)
    limit = float(np.quantile(key, 0.3)) if n > 2 else 50.0
    found, race = gpu_pairs.racers(base_of(q), seed=SEED, noise=noise, limit=limit, capacity=3)
    found, race = found.cpu().numpy(), race.cpu().numpy()
    clear = np.abs(key - limit) > 1e-4
    every = np.stack([u, v], axis=1)
    expected = {(int(a), int(b)) for a, b in every[clear & (key < limit)]}
    doubtful = {(int(a), int(b)) for a, b in every[~clear]}
    pairs = [(int(a), int(b)) for a, b in found]
    assert set(pairs) - doubtful == expected
    assert pairs == sorted(pairs)
    assert len(pairs) == len(set(pairs))
    exact = twin.keys(SEED, found[:, 0], found[:, 1], np.ones(len(found)), noise)
    np.testing.assert_allclose(race, exact, rtol=1e-4, atol=1e-5)


def test_too_many_racers_for_the_memory_are_refused(monkeypatch):
    q = random_q(20, 3, np.random.default_rng(0))
    monkeypatch.setattr(gpu_pairs, "free_memory", lambda _: 80 * 189)
    with pytest.raises(ok.TooLargeError, match=r"190 pairs must be looked at.*smaller batch"):
        gpu_pairs.racers(base_of(q), seed=SEED, noise=1.0, limit=100.0, capacity=10)


def test_more_clusters_than_a_tile_holds_are_refused():
    q = np.full((2, 1025), 1 / 1025)
    with pytest.raises(ok.TooLargeError, match=r"1025 clusters.*at most 1024.*device='cpu'"):
        base_of(q)


# -- the batch ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [1.0, 0.5, 2.0])
@pytest.mark.parametrize("share", [1e-5, 0.02, 0.7])
def test_the_level_leaves_the_wanted_share_of_keys_below(noise, share):
    values = np.random.default_rng(0).random(3000) ** 4
    limit = gpu_batch.level(torch.tensor(values), noise, share)
    strength = (limit + np.log(np.maximum(values, 1e-16))) / noise
    assert np.mean(-np.expm1(-np.exp(strength))) == pytest.approx(share, rel=1e-3)


def test_all_keys_lie_below_the_highest_level():
    q = np.eye(2)[[0, 0, 1, 1, 1]]  # all pairs are certain
    limit = gpu_batch.level(torch.zeros(10), 1.0, 1.0)
    found, _ = gpu_pairs.racers(base_of(q), seed=SEED, noise=1.0, limit=limit, capacity=100)
    assert len(found) == 10


def brute_force(q, plain, noise, closed, size, seed=SEED):
    """Positions of the batch that scoring every pair gives, and all gains."""
    u, v = np.triu_indices(len(q), 1)
    gains = entropy_of((q @ q.T)[u, v])
    if plain is not None:
        gains = gains - np.mean([entropy_of((field @ field.T)[u, v]) for field in plain], axis=0)
    key = np.where(closed, np.inf, twin.keys(seed, u, v, gains, noise))
    return np.argsort(key, kind="stable")[:size], gains


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1.0, 0.5, 2.0, 0.0])
@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize("conditioned", [True, False])
def test_the_batch_is_the_one_that_scoring_everything_gives(noise, size, conditioned):
    n, k = 22, 3
    rng = np.random.default_rng(size)
    q = random_q(n, k, rng, confident=0.3)
    fields, plain = some_fields(n, k, blocks=1, lanes=16, samples=4) if conditioned else (None, None)
    u, v = np.triu_indices(n, 1)
    closed = rng.random(len(u)) < 0.5
    is_closed = np.zeros((n, n), bool)
    is_closed[u, v] = closed
    wanted = gpu_batch.Wanted(size, noise, int(np.count_nonzero(~closed)))
    a, b, values = gpu_batch.best_pairs(
        base_of(q), fields, wanted, seed=SEED, is_open=lambda u, v: ~is_closed[u, v]
    )
    best, gains = brute_force(q, plain, max(noise, 1e-6), closed, size)
    assert len(a) == size
    matrix = np.zeros((n, n))
    matrix[u, v] = gains
    np.testing.assert_allclose(values, matrix[a, b], atol=3e-6)
    if noise == 0:
        np.testing.assert_allclose(np.sort(values), np.sort(gains[best]), atol=1e-5)
    else:
        positive = {(int(u[e]), int(v[e])) for e in best if gains[e] > 1e-4}
        got = {(int(i), int(j)) for i, j in zip(a, b, strict=True) if matrix[i, j] > 1e-4}
        assert got == positive


def test_all_open_pairs_can_be_asked_for():
    q = random_q(9, 2, np.random.default_rng(0))
    wanted = gpu_batch.Wanted(36, 1.0, 36)
    u, v, _ = gpu_batch.best_pairs(base_of(q), None, wanted, seed=SEED, is_open=lambda u, v: u < v)
    assert set(zip(u.tolist(), v.tolist(), strict=True)) == set(ok.Pairs.all(9))


def test_random_pairs_are_of_two_objects_and_uniform():
    u, v = gpu_batch.sample_pairs(400, SEED, base_of(np.eye(2)).q.device)
    u, v = u.cpu().numpy(), v.cpu().numpy()
    assert len(u) == gpu_batch.SAMPLE
    assert np.all(u != v)
    assert np.bincount(np.r_[u, v], minlength=400).min() > 200  # 328 on average
    u, v = gpu_batch.sample_pairs(5, SEED, base_of(np.eye(2)).q.device)
    assert sorted(zip(u.tolist(), v.tolist(), strict=True)) == list(ok.Pairs.all(5))
