import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from ofakind.kernels.gpu import randomness as gpu_random
from ofakind.kernels.gpu.device import open_device
from twins import gpu as twin
from twins.selection import draw_probabilities

SEED = 2**62 + 0x1234_5678_9ABC


@triton.jit
def words_kernel(u, v, out, seed, purpose, place, count, SIZE: tl.constexpr):
    e = tl.arange(0, SIZE)
    a = tl.load(u + e, mask=e < count, other=0)
    b = tl.load(v + e, mask=e < count, other=0)
    r0, r1, r2, r3 = gpu_random.pair_words(seed, a, b, purpose, place)
    tl.store(out + 4 * e, r0.to(tl.int64), mask=e < count)
    tl.store(out + 4 * e + 1, r1.to(tl.int64), mask=e < count)
    tl.store(out + 4 * e + 2, r2.to(tl.int64), mask=e < count)
    tl.store(out + 4 * e + 3, r3.to(tl.int64), mask=e < count)


@triton.jit
def numbers_kernel(high, low, out, t, SIZE: tl.constexpr):
    e = tl.arange(0, SIZE)
    u = gpu_random.uniform(tl.load(high + e).to(tl.uint32), tl.load(low + e).to(tl.uint32))
    tl.store(out + e, u)
    tl.store(out + SIZE + e, gpu_random.exponential(u))
    tl.store(out + 2 * SIZE + e, gpu_random.rung_before(tl.load(t + e)))


def on_device(array, dtype):
    return torch.tensor(np.asarray(array), dtype=dtype, device=open_device())


def test_the_twin_gives_the_published_numbers():
    assert [hex(word) for word in twin.philox(0, [0, 0, 0, 0])] == [
        "0x6627e8d5",
        "0xe169c58d",
        "0xbc57ac4c",
        "0x9b00dbd8",
    ]


@pytest.mark.parametrize(("purpose", "place"), [(0, 0), (3, 70_000)])
def test_words_are_those_of_the_twin_whichever_object_comes_first(purpose, place):
    rng = np.random.default_rng(0)
    u, v = rng.integers(2**31 - 1, size=(2, 50))
    found = []
    for one, two in ((u, v), (v, u)):
        out = torch.zeros((50, 4), dtype=torch.int64, device=open_device())
        ends = (on_device(side, torch.int32) for side in (one, two))
        words_kernel[(1,)](*ends, out, SEED, purpose, place, 50, SIZE=64)
        found.append(out.cpu().numpy())
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], twin.words(SEED, u, v, purpose, place))


def test_numbers_are_exact_near_0_where_the_first_of_many_lie():
    high = np.r_[0, 0, 0, 1, 2, 1000, 2**20, 2**28, 2**31, 2**32 - 2**10, 2**32 - 1]
    low = np.r_[0, 7, 2**32 - 1, 5, 0, 3, 2**31, 1, 0, 0, 2**32 - 1]
    t = np.r_[0.0, 1e-30, 1e-9, 1e-5, 9e-4, 1.1e-3, 0.1, 1.0, 20.0, 1e10, 1e30]
    size = 16
    pad = size - len(high)
    out = torch.zeros((3, size), dtype=torch.float32, device=open_device())
    words = (on_device(np.pad(side, (0, pad)), torch.int64) for side in (high, low))
    numbers_kernel[(1,)](*words, out, on_device(np.pad(t, (0, pad)), torch.float32), SIZE=size)
    uniform, exponential, rung = out.cpu().numpy()[:, : len(high)].astype(float)
    exact = high / 2**32 + (low + 0.5) / 2**64
    np.testing.assert_allclose(uniform, exact, rtol=2e-7)
    assert uniform.min() > 0
    np.testing.assert_allclose(exponential[:-2], -np.log1p(-exact[:-2]), rtol=1e-5)
    assert np.all(exponential[-2:] > 13)
    np.testing.assert_allclose(rung, -np.expm1(-t), rtol=1e-4)


@pytest.mark.slow
def test_the_race_draws_pairs_without_replacement_in_proportion_to_their_worth():
    """The kernels use the twin's numbers, so what holds for it holds for them."""
    values = np.array([0.1, 0.2, 0.3, 0.4])
    u, v = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
    for noise in (1.0, 0.5):
        expected = draw_probabilities(values, 2, noise)
        seen = dict.fromkeys(expected, 0)
        for seed in range(2500):
            first = np.argsort(twin.keys(2**62 + seed, u, v, values, noise))[:2]
            seen[tuple(int(e) for e in first)] += 1
        chi2 = sum((seen[draw] - 2500 * p) ** 2 / (2500 * p) for draw, p in expected.items())
        assert chi2 < 35  # 11 degrees of freedom: p = 2e-4
