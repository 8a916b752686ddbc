"""Elementary functions of one number, in plain arithmetic: the same bits on every processor.

The C library and NumPy choose other code on other processors, with other last bits, and a last bit is enough
to turn a tie. Here nothing but +, -, *, / and square roots is used, each rounded once as IEEE 754 has it, in
the order that is written. The polynomials are those of fdlibm. No branch depends on the argument, so that
LLVM computes several numbers at a time.

Kernels call these; `arrays` has them for arrays. How far each is off stands in its test.
"""

from math import inf, nan
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic as numba_intrinsic

from ofakind.kernels.compiled import compiled

intrinsic: Any = numba_intrinsic  # its declared type knows nothing of the call that kernels make

LN2: Final = 0.6931471805599453
LN2_HIGH: Final = (
    6.93147180369123816490e-01  # ln 2 to 32 bits: its product with a small whole number is exact
)
LN2_LOW: Final = 1.90821492927058770002e-10
LOG2_E: Final = 1.4426950408889634
ROUNDING: Final = 6755399441055744.0  # 1.5 * 2^52: added and taken off again, it leaves a whole number
SQRT_HALF_BITS: Final = 0x3FE6A09E667F3BCD
SMALLEST_NORMAL: Final = 2.2250738585072014e-308
LOG_SERIES: Final = (  # the last first
    *(1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01),
    *(2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01),
)
LEAST_EXP: Final = -746.0  # e to this is 0
LARGEST_EXP: Final = 709.782712893384  # e to more is infinite
HALF_LOG_2PI: Final = 0.9189385332046727
STIRLING: Final = (
    *(-3617 / 122400, 1 / 156, -691 / 360360, 1 / 1188),  # the last first
    *(-1 / 1680, 1 / 1260, -1 / 360, 1 / 12),
)
PI_2: Final = (
    1.57079632673412561417,
    6.07710050630396597660e-11,
    2.02226624879595063154e-21,
)  # pi / 2 in parts


def _reinterpreted(source: Any, target: Any) -> Any:
    """Make the intrinsic that reads the bits of one type as another."""

    @intrinsic
    def read(_typing: Any, _value: Any) -> Any:
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            return builder.bitcast(args[0], ir.DoubleType() if target is types.float64 else ir.IntType(64))

        return target(source), codegen

    return read


bits_of = _reinterpreted(types.float64, types.int64)
float_of = _reinterpreted(types.int64, types.float64)


@compiled(error_model="numpy", forceinline=True)
def _reduced(x: float) -> tuple[float, float]:
    """Split x: k whole and exp(r) - 1 with x = k ln 2 + r, |r| <= ln(2) / 2."""
    k = (x * LOG2_E + ROUNDING) - ROUNDING
    high, low = x - k * LN2_HIGH, k * LN2_LOW
    r = high - low
    t = r * r
    c = 6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08)
    c = r - t * (1.66666666666666019037e-01 + t * (-2.77777777770155933842e-03 + t * c))
    return k, high - (low - (r * c) / (2.0 - c))


@compiled(error_model="numpy", forceinline=True)
def _power_of_2(k: float) -> float:
    return float_of((np.int64(k) + 1023) << 52)  # type: ignore[no-any-return]


@compiled(error_model="numpy", forceinline=True)
def exp(x: float) -> float:
    """e^x; 0 below -746, infinite above 709.79."""
    t = LEAST_EXP if x < LEAST_EXP else x
    t = LARGEST_EXP if t > LARGEST_EXP else t
    k, e = _reduced(t)
    half = (k * 0.5 + ROUNDING) - ROUNDING  # in two steps, for neither 2^1024 nor 2^-1074 is a normal number
    y = (1.0 + e) * _power_of_2(half) * _power_of_2(k - half)
    return inf if x > LARGEST_EXP else y


@compiled(error_model="numpy", forceinline=True)
def expm1(x: float) -> float:
    """e^x - 1, exact where x is small."""
    t = -40.0 if x < -40.0 else x  # as good as -1
    t = LARGEST_EXP if t > LARGEST_EXP else t
    k, e = _reduced(t)
    half = (k * 0.5 + ROUNDING) - ROUNDING
    first, second = _power_of_2(half), _power_of_2(k - half)
    low = 0.0 if k >= 60.0 else k  # beyond, the 1 that is taken off is lost
    scale = _power_of_2(low)
    y = (1.0 + e) * first * second if k >= 60.0 else scale * e + (scale - 1.0)
    return inf if x > LARGEST_EXP else y


@compiled(error_model="numpy", forceinline=True)
def log_of_normal(x: float, before: float) -> float:
    """Logarithm of x 2^before for a positive x that is neither infinite nor less than 2^-1022.

    Of 0 it is some finite number.
    """
    bits = bits_of(x)
    e = (bits - SQRT_HALF_BITS) >> 52
    f = float_of(bits - (e << 52)) - 1.0
    k = float(e) + before
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    L = LOG_SERIES
    rest = w * (L[5] + w * (L[3] + w * L[1])) + z * (L[6] + w * (L[4] + w * (L[2] + w * L[0])))
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + rest) + k * LN2_LOW)) - f)  # type: ignore[no-any-return]


@compiled(error_model="numpy", forceinline=True)
def log(x: float) -> float:
    """Natural logarithm; of 0 it is -inf, of less nan."""
    small = x < SMALLEST_NORMAL  # then its bits are x 2^1074
    y = log_of_normal(float(bits_of(x)) if small else x, -1074.0 if small else 0.0)
    y = y if x > 0.0 else (-inf if x == 0.0 else nan)
    return y if x < inf else x  # also what is no number


@compiled(error_model="numpy", forceinline=True)
def log1p(x: float) -> float:
    """log(1 + x), exact where x is small."""
    t = x if x > -1.0 else 1.0
    t = t if t < inf else 1.0
    u = 1.0 + t
    y = log_of_normal(u, 0.0) + (t - (u - 1.0)) / u
    y = y if x > -1.0 else (-inf if x == -1.0 else nan)
    return y if x < inf else x  # also what is no number


@compiled(error_model="numpy", forceinline=True)
def log_gamma(x: float) -> float:
    """Log Gamma(x) for x > 0: Stirling's series from 8 on; smaller ones are moved up by 8."""
    small = x < 8.0
    product = x * (x + 1.0) * (x + 2.0) * (x + 3.0) * (x + 4.0) * (x + 5.0) * (x + 6.0) * (x + 7.0)
    moved = x + (8.0 if small else 0.0)
    z = 1.0 / (moved * moved)
    series = STIRLING[0]
    for coefficient in STIRLING[1:]:
        series = coefficient + z * series
    y = (moved - 0.5) * log(moved) - moved + HALF_LOG_2PI + series / moved
    y = y - log(product if small else 1.0)
    return y if x > 0.0 else (inf if x == 0.0 else nan)


@compiled(error_model="numpy", forceinline=True)
def power(x: float, y: float) -> float:
    """x^y for x > 0, or x = 0 and y > 0, of which the error grows with y log x; exactly x for y = 1."""
    if y == 1.0:
        return x
    return exp(y * log(x))


@compiled(error_model="numpy", forceinline=True)
def tanh(x: float) -> float:
    """Hyperbolic tangent."""
    size = abs(x)
    t = expm1(-2.0 * (50.0 if size > 50.0 else size))
    y = -t / (2.0 + t)
    return y if x > 0.0 else -y


@compiled(error_model="numpy", forceinline=True)
def arctanh(x: float) -> float:
    """Inverse of `tanh`."""
    return 0.5 * (log1p(x) - log1p(-x))


@compiled(error_model="numpy", forceinline=True)
def expit(x: float) -> float:
    """1 / (1 + e^-x)."""
    e = exp(-abs(x))
    return (1.0 if x >= 0.0 else e) / (1.0 + e)


@compiled(error_model="numpy", forceinline=True)
def log_expit(x: float) -> float:
    """log(1 / (1 + e^-x))."""
    return (0.0 if x > 0.0 else x) - log1p(exp(-abs(x)))


@compiled(error_model="numpy", forceinline=True)
def logit(p: float) -> float:
    """log(p / (1 - p)); -inf at 0, inf at 1."""
    inside = p if p > 0.0 else 0.5
    inside = inside if inside < 1.0 else 0.5
    far, near = log(inside / (1.0 - inside)), log1p((2.0 * inside - 1.0) / (1.0 - inside))
    y = near if abs(inside - 0.5) < 0.2 else far
    y = y if p > 0.0 else (-inf if p == 0.0 else nan)
    return y if p < 1.0 else (inf if p == 1.0 else nan)


@compiled(error_model="numpy", forceinline=True)
def entr(p: float) -> float:
    """-p log p; 0 at 0, -inf below."""
    y = 0.0 - p * log(p if p > 0.0 else 1.0)
    return y if p > 0.0 else (0.0 if p == 0.0 else (-inf if p < 0.0 else nan))


@compiled(error_model="numpy", forceinline=True)
def xlogy(x: float, y: float) -> float:
    """X log y; 0 where x is 0."""
    return x * log(y) if x != 0.0 else 0.0


@compiled(error_model="numpy", forceinline=True)
def logaddexp(a: float, b: float) -> float:
    """log(e^a + e^b)."""
    if a == b:
        return a + LN2
    return max(a, b) + log1p(exp(-abs(a - b)))


@compiled(error_model="numpy", forceinline=True)
def _quarter(x: float) -> tuple[float, Any]:
    """Split an angle: x = q pi / 2 + r, |r| <= pi / 4. Exact to 1e-16 up to a million."""
    q = (x * 0.6366197723675814 + ROUNDING) - ROUNDING
    return ((x - q * PI_2[0]) - q * PI_2[1]) - q * PI_2[2], np.int64(q) & 3


@compiled(error_model="numpy", forceinline=True)
def _turned(r: float, q: int) -> float:
    """Return the sine of r + q pi / 2."""
    z = r * r
    s = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    s = -1.66666666666666324348e-01 + z * (
        8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * s)
    )
    c = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)
    c = 4.16666666666666019037e-02 + z * (
        -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * c)
    )
    sine, cosine = r + r * z * s, 1.0 - (0.5 * z - z * z * c)
    y = cosine if q & 1 else sine
    return -y if q & 2 else y


@compiled(error_model="numpy", forceinline=True)
def sin(x: float) -> float:
    """Sine, of angles up to a million."""
    r, q = _quarter(x)
    return _turned(r, q)


@compiled(error_model="numpy", forceinline=True)
def cos(x: float) -> float:
    """Cosine, of angles up to a million."""
    r, q = _quarter(x)
    return _turned(r, q + 1)
