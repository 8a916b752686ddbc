"""Elementary functions: how far each is off, at its ends, and that its bits are those that were recorded."""

import hashlib

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.kernels import portable
from ofakind.kernels.compiled import compiled
from ofakind.kernels.portable import elementary

RNG = np.random.default_rng(0)
WIDE = np.r_[RNG.normal(size=600) * 4, RNG.uniform(-700, 700, 300), RNG.normal(size=300) * 1e-9]
POSITIVE = np.r_[RNG.random(600), np.ldexp(RNG.random(600) + 0.5, RNG.integers(-1000, 1000, 600))]
SHARES = np.r_[RNG.random(900), 1 - 10.0 ** -RNG.uniform(1, 15, 100), 10.0 ** -RNG.uniform(1, 300, 200)]
ABOVE_MINUS_ONE = np.r_[
    RNG.uniform(-1, 1, 600), RNG.normal(size=300) * 1e-9, np.exp(RNG.uniform(0, 300, 300))
]
ANGLES = np.r_[RNG.uniform(-10, 10, 600), RNG.uniform(-1e5, 1e5, 600)]


def expit(x):
    return 1 / (1 + mpmath.exp(-x))


# The function, what it is exactly, arguments, and how many units in the last place it is off at most.
OFF = [
    ("exp", mpmath.exp, WIDE, 1.0),
    ("expm1", mpmath.expm1, WIDE, 2.0),
    ("log", mpmath.log, POSITIVE, 1.0),
    ("log1p", mpmath.log1p, ABOVE_MINUS_ONE, 2.0),
    ("tanh", mpmath.tanh, WIDE, 3.0),
    ("arctanh", mpmath.atanh, RNG.uniform(-1, 1, 600), 5.0),
    ("expit", expit, WIDE, 3.0),
    ("log_expit", lambda x: -mpmath.log1p(mpmath.exp(-x)), WIDE, 3.0),
    ("logit", lambda p: mpmath.log(p) - mpmath.log1p(-p), SHARES, 4.0),
    ("entr", lambda p: -p * mpmath.log(p), SHARES, 2.0),
]
# The same where values near 0 are differences of larger ones: how far it is off, relative to 1 or to itself.
ABSOLUTELY_OFF = [
    ("log_gamma", mpmath.loggamma, np.r_[RNG.uniform(0, 30, 900), np.exp(RNG.uniform(-30, 30, 300))], 1e-14),
    ("sin", mpmath.sin, ANGLES, 1e-15),
    ("cos", mpmath.cos, ANGLES, 1e-15),
]


@pytest.fixture(autouse=True)
def many_digits():
    with mpmath.workdps(60):
        yield


@pytest.mark.slow
@pytest.mark.parametrize(("name", "exact", "x", "most"), OFF, ids=[one[0] for one in OFF])
def test_in_units_of_the_last_place_no_function_is_off_by_more_than(name, exact, x, most):
    found = getattr(portable, name)(x)
    true = [exact(mpmath.mpf(value)) for value in x.tolist()]
    normal = [(f, t) for f, t in zip(found.tolist(), true, strict=True) if abs(t) > 1e-300]
    off = [abs(mpmath.mpf(f) - t) / mpmath.mpf(np.spacing(abs(float(t)))) for f, t in normal]
    assert len(off) > 500
    assert max(off) <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "exact", "x", "most"), ABSOLUTELY_OFF, ids=[one[0] for one in ABSOLUTELY_OFF]
)
def test_no_function_is_off_by_more_than(name, exact, x, most):
    found = getattr(portable, name)(x)
    true = [exact(mpmath.mpf(value)) for value in x.tolist()]
    off = [abs(mpmath.mpf(f) - t) / max(1, abs(t)) for f, t in zip(found.tolist(), true, strict=True)]
    assert max(off) <= most


def test_powers_sums_of_exponentials_and_products_with_logarithms():
    x, y = RNG.random(300) * 5, RNG.uniform(-8, 8, 300)
    raised = [mpmath.mpf(a) ** mpmath.mpf(b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    np.testing.assert_allclose(portable.power(x, y), np.array(raised, float), rtol=1e-14)
    assert portable.power(x, 1.0).tolist() == x.tolist()
    assert portable.power([0.0, 4.0], 0.5).tolist() == [0.0, 2.0]
    assert portable.power(0.5, np.arange(3)).tolist() == [1.0, 0.5, 0.25]
    both = [mpmath.log(mpmath.exp(a) + mpmath.exp(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    np.testing.assert_allclose(portable.logaddexp(x, y), np.array(both, float), rtol=1e-15, atol=1e-15)
    assert portable.logaddexp(-np.inf, 2.0) == 2.0
    assert portable.logaddexp(-np.inf, -np.inf) == -np.inf
    assert portable.xlogy([0.0, 2.0, 0.0], [0.0, 1.0, np.inf]).tolist() == [0.0, 0.0, 0.0]
    table = RNG.normal(size=(7, 30)) * 300
    exact = [mpmath.log(sum(map(mpmath.exp, column))) for column in table.T.tolist()]
    np.testing.assert_allclose(portable.logsumexp(table), np.array(exact, float), rtol=1e-15)
    assert portable.logsumexp(np.full((2, 1), -np.inf)).tolist() == [-np.inf]
    spaced = portable.geomspace(0.3, 700.0, 24)
    np.testing.assert_allclose(spaced, np.geomspace(0.3, 700.0, 24), rtol=1e-14)
    assert (spaced[0], spaced[-1]) == (0.3, 700.0)


ENDS = {
    "exp": [(-np.inf, 0.0), (-1000.0, 0.0), (0.0, 1.0), (1000.0, np.inf), (np.inf, np.inf)],
    "expm1": [(-np.inf, -1.0), (-50.0, -1.0), (0.0, 0.0), (1000.0, np.inf), (np.inf, np.inf)],
    "log": [(0.0, -np.inf), (-1.0, np.nan), (1.0, 0.0), (np.inf, np.inf), (5e-324, -744.4400719213812)],
    "log1p": [(-1.0, -np.inf), (-2.0, np.nan), (0.0, 0.0), (np.inf, np.inf), (1e-320, 1e-320)],
    "tanh": [(-np.inf, -1.0), (0.0, 0.0), (np.inf, 1.0)],
    "arctanh": [(-1.0, -np.inf), (0.0, 0.0), (1.0, np.inf)],
    "expit": [(-np.inf, 0.0), (0.0, 0.5), (np.inf, 1.0)],
    "log_expit": [(-np.inf, -np.inf), (np.inf, 0.0), (-800.0, -800.0)],
    "logit": [(0.0, -np.inf), (0.5, 0.0), (1.0, np.inf), (1.5, np.nan), (-0.5, np.nan)],
    "entr": [(0.0, 0.0), (1.0, 0.0), (-0.5, -np.inf)],
    "log_gamma": [(0.0, np.inf), (-1.0, np.nan)],
    "sin": [(0.0, 0.0)],
    "cos": [(0.0, 1.0)],
}


@pytest.mark.parametrize("name", ENDS)
def test_ends_are_exact_and_what_is_no_number_stays_none(name):
    function = getattr(portable, name)
    for x, expected in ENDS[name]:
        np.testing.assert_equal(float(function(x)), expected)
    with np.errstate(invalid="ignore"):
        assert np.isnan(function(np.nan))


@pytest.mark.parametrize("name", ["exp", "log", "log1p", "entr", "logaddexp"])
def test_functions_work_on_any_array_as_numpys_do(name):
    function = getattr(portable, name)
    rest = (2.0,) if name == "logaddexp" else ()
    table = RNG.random((6, 8)) + 0.1
    expected = np.array([[float(function(float(x), *rest)) for x in row] for row in table])
    assert np.array_equal(function(table, *rest), expected)
    assert np.array_equal(function(table.T, *rest), expected.T)
    assert np.array_equal(function(table[::2, ::3], *rest), expected[::2, ::3])
    assert np.array_equal(function(table.tolist(), *rest), expected)
    assert function(np.float32(1), *rest).dtype == np.float64
    assert function(np.empty((0, 3)), *rest).shape == (0, 3)
    out = table.copy()
    assert function(out, *rest, out=out) is out
    assert np.array_equal(out, expected)


@compiled
def in_a_kernel(x, out):
    for i in range(len(x)):
        out[i] = elementary.exp(x[i]) + elementary.log_gamma(x[i] * x[i] + 1.0)
        out[i] += elementary.power(x[i] * x[i], 0.7)


def test_kernels_get_the_same_bits_as_arrays_do():
    out = np.empty(len(WIDE))
    in_a_kernel(WIDE, out)
    squares = WIDE * WIDE
    expected = portable.exp(WIDE) + portable.log_gamma(squares + 1.0) + portable.power(squares, 0.7)
    assert np.array_equal(out, expected)


@given(st.floats(-700, 700), st.floats(0, 1))
def test_exponentials_never_fall_and_logarithms_turn_them_back(x, step):
    assert portable.exp(x) <= portable.exp(x + step)
    assert portable.log(portable.exp(x)) == pytest.approx(x, rel=1e-15, abs=1e-15)


# Written down on one processor: any other must give the same.
BITS = {
    "exp": "487cf1271180becc",
    "expm1": "2fe1ecbf6364a03c",
    "log": "26abd5e9ea2a1293",
    "log1p": "125376bcb688ce5c",
    "log_gamma": "15329a5e1e1bfb1b",
    "tanh": "ef863ec5fa230404",
    "arctanh": "f49959c33f3b017a",
    "expit": "38ea5df12e20ed73",
    "log_expit": "2f2f5d700f61792f",
    "logit": "6b9b31af4ac9b549",
    "entr": "b9aac494cd312c77",
    "sin": "78b5791e71f9b40a",
    "cos": "6f2269bc74783e36",
    "power": "7748e3fc3b447ce3",
    "logaddexp": "667631467a4cd736",
    "xlogy": "eb2d14817f9d483e",
}


@pytest.mark.parametrize("name", BITS)
def test_bits_are_those_of_any_processor(name):
    rng = np.random.default_rng(7)
    x = rng.random(100_000) if name in ("logit", "entr", "arctanh") else rng.exponential(9, 100_000)
    rest = (rng.random(100_000),) if name in ("power", "logaddexp", "xlogy") else ()
    found = np.asarray(getattr(portable, name)(x, *rest))
    assert hashlib.sha256(found.tobytes()).hexdigest()[:16] == BITS[name]
