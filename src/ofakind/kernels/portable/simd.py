"""Sixteen numbers at a time: a small vector type for numba kernels.

Many conditional mean fields are computed side by side, one per lane. Numba's own loops over sixteen lanes are
several times slower than the processor allows, because the compiler cannot prove that the arrays do not
overlap (`make bench` shows the difference); a value of this type stays in registers. It compiles for any
processor: LLVM splits sixteen lanes into what the machine has.

`load` and `store` move lanes between a flat array and registers; the dtype of the array (float32 or
float64) is the dtype of the lanes.
"""

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import overload, register_model

from ofakind.kernels.portable import elementary

LANES = 16
intrinsic: Any = numba_intrinsic  # its declared type knows nothing of the call that kernels make


class LanesType(types.Type):
    """Numba's name for sixteen float32 or sixteen float64."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"lanes({dtype})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _vector(fe_type))  # type: ignore[no-untyped-call]


def _vector(lanes: Any) -> Any:
    return ir.VectorType(ir.FloatType() if lanes.dtype == types.float32 else ir.DoubleType(), LANES)


def _constant(vector: Any, value: float) -> Any:
    return ir.Constant(vector, [ir.Constant(vector.element, value)] * LANES)


def _lanes(builder: Any, vector: Any, which: range) -> Any:
    """Take some lanes of a vector."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(which)), list(which))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def _call(builder: Any, name: str, args: list[Any], result: Any = None) -> Any:
    """Call an LLVM intrinsic such as ``llvm.fma`` on whole vectors."""
    vector = args[-1].type
    suffix = f"v{LANES}f32" if isinstance(vector.element, ir.FloatType) else f"v{LANES}f64"
    kind = ir.FunctionType(result or vector, [arg.type for arg in args])
    return builder.call(builder.module.declare_intrinsic(f"{name}.{suffix}", fnty=kind), args)


def _address(context: Any, builder: Any, sig: Any, args: Any, vector: Any) -> Any:
    array = context.make_array(sig.args[0])(context, builder, args[0])
    return builder.bitcast(builder.gep(array.data, [args[1]]), vector.as_pointer())


@intrinsic
def load(typingctx: Any, array: Any, offset: Any) -> Any:
    """Lanes array[offset : offset + 16]."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _vector(sig.return_type)
        return builder.load(_address(context, builder, sig, args, vector), align=4, typ=vector)

    return LanesType(array.dtype)(array, types.intp), codegen


@intrinsic
def store(typingctx: Any, array: Any, offset: Any, value: Any) -> Any:
    """array[offset : offset + 16] = lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _vector(sig.args[2])
        builder.store(args[2], _address(context, builder, sig, args, vector), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), codegen


@intrinsic
def splat(typingctx: Any, number: Any) -> Any:
    """Sixteen times the same number."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _vector(sig.return_type)
        one = builder.insert_element(
            ir.Constant(vector, ir.Undefined), args[0], ir.Constant(ir.IntType(32), 0)
        )
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)

    return LanesType(number)(number), codegen


@intrinsic
def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """A * b + c, rounded once."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "llvm.fma", list(args))

    return a(a, a, a), codegen


@intrinsic
def maximum(typingctx: Any, a: Any, b: Any) -> Any:
    """Larger of the two in each lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "llvm.maxnum", list(args))

    return a(a, a), codegen


@intrinsic
def absolute(typingctx: Any, a: Any) -> Any:
    """Magnitude in each lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "llvm.fabs", list(args))

    return a(a), codegen


@intrinsic
def largest(typingctx: Any, a: Any) -> Any:
    """Largest of the sixteen, as a number."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "llvm.vector.reduce.fmax", list(args), args[0].type.element)

    return a.dtype(a), codegen


@intrinsic
def summed(typingctx: Any, a: Any) -> Any:
    """Sum of the sixteen, as a number: halves are added until one is left."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found, count = args[0], LANES
        while count > 1:
            count //= 2
            low, high = (_lanes(builder, found, range(start, start + count)) for start in (0, count))
            found = builder.fadd(low, high)
        return builder.extract_element(found, ir.Constant(ir.IntType(32), 0))

    return a.dtype(a), codegen


@intrinsic
def exp(typingctx: Any, a: Any) -> Any:
    """Exponential of numbers that are not positive, to 2e-7 in float32 and 1e-15 in float64."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _exp(builder, args[0], EXP32 if sig.args[0].dtype == types.float32 else EXP64)

    return a(a), codegen


class _Exp(NamedTuple):
    """How exp is computed in a format: see `_exp`."""

    lowest: float  # below this it is as good as 0
    ln2: tuple[float, float]  # ln 2 as a short number plus the rest, so that k ln 2 is exact enough
    series: tuple[float, ...]  # coefficients, highest power first
    bits: tuple[int, int, int]  # of the format, of its mantissa, and the bias of its exponent


EXP32 = _Exp(
    -87.0,
    (0.693359375, -2.12194440e-4),
    (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5, 1.0, 1.0),
    (32, 23, 127),
)
EXP64 = _Exp(
    -708.0,
    (6.93147180369123816490e-01, 1.90821492927058770002e-10),
    tuple(1 / math.factorial(power) for power in range(13, -1, -1)),
    (64, 52, 1023),
)


def _exp(builder: Any, x: Any, how: _Exp) -> Any:
    """2^k exp(r) with k whole and |r| <= ln(2) / 2: a polynomial in r, and k put into the exponent bits."""
    vector = x.type
    size, mantissa, bias = how.bits
    whole = ir.VectorType(ir.IntType(size), LANES)

    def c(value: float) -> Any:
        return _constant(vector, value)

    x = _call(builder, "llvm.maxnum", [x, c(how.lowest)])
    k = _call(builder, "llvm.floor", [_call(builder, "llvm.fma", [x, c(1 / math.log(2)), c(0.5)])])
    r = _call(builder, "llvm.fma", [k, c(-how.ln2[0]), x])
    r = _call(builder, "llvm.fma", [k, c(-how.ln2[1]), r])
    p = c(how.series[0])
    for coefficient in how.series[1:]:
        p = _call(builder, "llvm.fma", [p, r, c(coefficient)])
    bits = builder.add(builder.fptosi(k, whole), ir.Constant(whole, [bias] * LANES))
    power = builder.bitcast(builder.shl(bits, ir.Constant(whole, [mantissa] * LANES)), vector)
    return builder.fmul(p, power)


@intrinsic
def log(typingctx: Any, a: Any) -> Any:
    """Natural logarithm of positive numbers, to 2e-7 in float32 and 1e-15 in float64."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if sig.args[0].dtype == types.float32:
            return _log32(builder, args[0])
        return _log64(builder, args[0])

    return a(a), codegen


def _log32(builder: Any, x: Any) -> Any:
    """K ln(2) + log(1 + m) with k from the exponent bits and m in [sqrt(1/2) - 1, sqrt(2) - 1]."""
    vector = x.type
    whole = ir.VectorType(ir.IntType(32), LANES)

    def i(value: int) -> Any:
        return ir.Constant(whole, [value] * LANES)

    # Shifting the bits by those of sqrt(1/2) makes the rounding of k fall at the right place.
    bits = builder.sub(builder.bitcast(x, whole), i(0x3F3504F3))
    k = builder.sitofp(builder.ashr(bits, i(23)), vector)
    mantissa = builder.add(builder.and_(bits, i(0x007FFFFF)), i(0x3F3504F3))
    m = builder.fsub(builder.bitcast(mantissa, vector), _constant(vector, 1.0))
    p = _constant(vector, 7.0376836292e-2)
    for coefficient in (
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    ):
        p = _call(builder, "llvm.fma", [p, m, _constant(vector, coefficient)])
    square = builder.fmul(m, m)
    series = builder.fmul(builder.fmul(p, m), square)
    series = _call(builder, "llvm.fma", [square, _constant(vector, -0.5), series])
    return _call(builder, "llvm.fma", [k, _constant(vector, 0.69314718055994531), builder.fadd(series, m)])


def _log64(builder: Any, x: Any) -> Any:
    """Do the same in float64; log(1 + m) as in `elementary.log_of_normal`."""
    vector = x.type
    whole = ir.VectorType(ir.IntType(64), LANES)
    c = partial(_constant, vector)

    def fma(a: Any, b: Any, add: Any) -> Any:
        return _call(builder, "llvm.fma", [a, b, add])

    bits = builder.bitcast(x, whole)
    shifted = builder.sub(bits, ir.Constant(whole, [elementary.SQRT_HALF_BITS] * LANES))
    e = builder.ashr(shifted, ir.Constant(whole, [52] * LANES))
    k = builder.sitofp(e, vector)
    near_one = builder.sub(bits, builder.shl(e, ir.Constant(whole, [52] * LANES)))
    f = builder.fsub(builder.bitcast(near_one, vector), c(1.0))
    s = builder.fdiv(f, builder.fadd(f, c(2.0)))
    z = builder.fmul(s, s)
    series = c(elementary.LOG_SERIES[0])
    for coefficient in elementary.LOG_SERIES[1:]:
        series = fma(series, z, c(coefficient))
    half = builder.fmul(builder.fmul(f, f), c(0.5))
    low = fma(s, builder.fadd(half, builder.fmul(series, z)), builder.fmul(k, c(elementary.LN2_LOW)))
    return fma(k, c(elementary.LN2_HIGH), builder.fsub(f, builder.fsub(half, low)))


def _arithmetic(symbol: Callable[..., Any], instruction: str) -> None:
    """Teach numba ``a + b`` and the like for lanes."""

    @intrinsic
    def apply(typingctx: Any, a: Any, b: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1])

        return a(a, a), codegen

    @overload(symbol, strict=False)  # strict would compare the annotations too
    def implement(a: Any, b: Any) -> Any:
        if isinstance(a, LanesType) and a == b:
            return lambda a, b: apply(a, b)
        return None


_arithmetic(operator.add, "fadd")
_arithmetic(operator.sub, "fsub")
_arithmetic(operator.mul, "fmul")
_arithmetic(operator.truediv, "fdiv")
