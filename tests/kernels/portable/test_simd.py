import numpy as np
import pytest
from numba import njit

from ofakind.kernels.portable.simd import LANES, absolute, exp, fma, largest, load, log, maximum, splat, store

DTYPES = [np.float32, np.float64]
ACCURACY = {np.float32: 3e-7, np.float64: 2e-15}


@njit
def apply_exp(x, out):
    for at in range(0, len(x), LANES):
        store(out, at, exp(load(x, at)))


@njit
def apply_log(x, out):
    for at in range(0, len(x), LANES):
        store(out, at, log(load(x, at)))


@njit
def combine(a, b, out):
    x, y = load(a, 1), load(b, 0)
    store(out, 0, x + y)
    store(out, LANES, x - y)
    store(out, 2 * LANES, x * y)
    store(out, 3 * LANES, x / y)
    store(out, 4 * LANES, maximum(x, y))
    store(out, 5 * LANES, absolute(x))
    store(out, 6 * LANES, fma(x, y, splat(a[0])))
    return largest(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arithmetic_is_that_of_numpy_in_every_lane(dtype):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=LANES + 1).astype(dtype), rng.normal(size=LANES).astype(dtype)
    out = np.empty(7 * LANES, dtype)
    assert combine(a, b, out) == a[1:].max()
    x = a[1:]
    expected = [x + b, x - b, x * b, x / b, np.maximum(x, b), np.abs(x), x * b + a[0]]
    np.testing.assert_allclose(out.reshape(7, LANES), expected, rtol=4 * np.finfo(dtype).eps, atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_is_accurate_for_numbers_that_are_not_positive(dtype):
    x = np.linspace(-80, 0, 16_000).astype(dtype)
    out = np.empty_like(x)
    apply_exp(x, out)
    np.testing.assert_allclose(out, np.exp(x.astype(np.float64)), rtol=ACCURACY[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_of_very_negative_numbers_vanishes(dtype):
    x = np.full(LANES, -1e30, dtype)
    out = np.empty_like(x)
    apply_exp(x, out)
    assert np.all((out >= 0) & (out < 1e-37))


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_is_accurate_for_positive_numbers(dtype):
    x = np.concatenate([np.exp(np.linspace(-85, 5, 15_984)), np.ones(16)]).astype(dtype)
    out = np.empty_like(x)
    apply_log(x, out)
    np.testing.assert_allclose(out, np.log(x.astype(np.float64)), rtol=ACCURACY[dtype], atol=ACCURACY[dtype])
