"""Scalar operations of generated code with Python's and NumPy's exact semantics and errors.

`strict` functions have no fast-math flags; `exact` functions inherit those of their caller. LLVM keeps flags per
instruction, so `strict` also holds after inlining.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import float32, float64, int8, int16, int32, int64, njit, types, uint8, uint16, uint32, uint64
from numba.extending import intrinsic

from ..codegen.llvm.pipeline import DirectCompiler
from ..codegen.inline_math import AsItStands
from .arrays import add_into, assume, carve, cells, copy_into, note_nan

__all__ = [
    "add_into",
    "assume",
    "carve",
    "cells",
    "comb",
    "copy_into",
    "float32",
    "float64",
    "float_bits",
    "float_floordiv",
    "float_mod",
    "float_sign",
    "float_to_i32",
    "float_to_i64",
    "float_to_u64",
    "gcd",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_floordiv",
    "int_mod",
    "int_sign",
    "isqrt",
    "logaddexp",
    "mul_rounded",
    "note_nan",
    "np_maximum",
    "np_minimum",
    "perm",
    "shift_left",
    "shift_right",
    "trips",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uint_floordiv",
    "uint_mod",
    "uint_shift_left",
    "uint_shift_right",
    "uint_sign",
    "wrap",
]

BIGGEST = 2**63 - 1

_HELPER = dict(
    error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=DirectCompiler
)
exact = njit(**_HELPER)  # inherits the caller's fast-math flags, as Numba does by default
# without fast-math flags: for functions in which reassociation would overflow or lose the correction terms
strict = njit(fastmath=False, **_HELPER)


@intrinsic
def _float_bits(typing_context, x):
    """The bit pattern of a float64 as an int64."""

    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def mul_rounded(typing_context, x, y):
    """A product that LLVM does not contract into a fused multiply-add, whatever the kernel's flags."""

    def generate(context, builder, signature, args):
        made = builder.fmul(*args)
        made.flags = AsItStands()
        return made

    return x(x, x), generate


@exact
def float_bits(x):
    """The bit pattern of a float as a word for the error array."""
    return _float_bits(float64(x))


@exact
def wrap(i, n):
    """A Python index as an offset: negative indices count from the end."""
    return i + n if i < 0 else i


@exact
def trips(start, stop, step):
    """``len(range(start, stop, step))``, without overflow; 0 for a step of 0."""
    if step > 0 and start < stop:
        return int64((uint64(stop) - uint64(start) - uint64(1)) // uint64(step) + uint64(1))
    if step < 0 and start > stop:
        return int64((uint64(start) - uint64(stop) - uint64(1)) // (uint64(0) - uint64(step)) + uint64(1))
    return int64(0)


@exact
def int_floordiv(a, b):
    """``a // b``. The smallest int divided by -1 wraps; division by 0, which the caller has excluded, gives 0 instead
    of a trap."""
    if b == 0:
        return int64(0)
    if b == -1:
        return -int64(a)
    return int64(a) // int64(b)


@exact
def int_mod(a, b):
    """``a % b``, with the sign of ``b``."""
    if b == 0 or b == -1:
        return int64(0)
    return int64(a) % int64(b)


@exact
def uint_floordiv(a, b):
    """``a // b`` for unsigned ints."""
    return uint64(0) if uint64(b) == uint64(0) else uint64(a) // uint64(b)


@exact
def uint_mod(a, b):
    """``a % b`` for unsigned ints."""
    return uint64(0) if uint64(b) == uint64(0) else uint64(a) % uint64(b)


@exact
def uint_shift_left(a, k):
    """``a << k`` for unsigned ints; 0 if ``k`` >= 64."""
    return uint64(a) << uint64(k) if uint64(k) < uint64(64) else uint64(0)


@exact
def uint_shift_right(a, k):
    """``a >> k`` for unsigned ints; 0 if ``k`` >= 64."""
    return uint64(a) >> uint64(k) if uint64(k) < uint64(64) else uint64(0)


@exact
def uint_sign(x):
    """The sign of an unsigned int: 0 or 1."""
    return uint64(uint64(x) != uint64(0))


@exact
def float_mod(a, b):
    """``a % b`` with the sign of ``b``, as in NumPy: nan if ``b == 0``."""
    r = np.fmod(a, b)
    if r == 0:
        return math.copysign(r, b) if b != 0 else r
    if (b < 0) != (r < 0) and r == r:
        return r + b
    return r


@exact
def float_floordiv(a, b):
    """``a // b`` as in NumPy: infinite or nan if ``b == 0``."""
    if b == 0:
        return float64(a / b)
    r = np.fmod(a, b)
    q = float64((a - r) / b)
    if r != 0 and (b < 0) != (r < 0):
        q -= 1.0
    if q == 0:
        return math.copysign(q, float64(a / b))
    k = np.floor(q)
    if q - k > 0.5:
        k += 1.0
    return k


@exact
def float_sign(x):
    """The sign of a float: -1, 0, 1, or nan. Without branches, which LLVM does not vectorise in a chain of three."""
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x + 0.0


@exact
def int_sign(x):
    """The sign of an int: -1, 0 or 1."""
    return int64(x > 0) - int64(x < 0)


@exact
def gcd(a, b):
    """The greatest common divisor. It is negative only if it is the smallest int, whose absolute value does not fit."""
    a, b = int64(a), int64(b)
    while b != 0:
        if b == -1:
            return int64(1)
        a, b = b, a % b
    return abs(a)


@exact
def comb(n, k):
    """``math.comb`` of non-negative ints; -1 if the result needs more than 63 bits."""
    if k > n:
        return int64(0)
    k = min(k, n - k)
    total = int64(1)
    for i in range(1, k + 1):
        shared = gcd(total, i)
        factor = (n - k + i) // (i // shared)
        total //= shared
        if total > BIGGEST // factor:
            return int64(-1)
        total *= factor
    return total


@exact
def perm(n, k):
    """``math.perm`` of non-negative ints; -1 if the result needs more than 63 bits."""
    if k > n:
        return int64(0)
    total = int64(1)
    for factor in range(n - k + 1, n + 1):
        if total > BIGGEST // factor:
            return int64(-1)
        total *= factor
    return total


@exact
def isqrt(n):
    """The square root of a non-negative int, rounded down."""
    root = int64(math.sqrt(n))
    while root > 3037000499 or root * root > n:
        root -= 1
    while root < 3037000499 and (root + 1) * (root + 1) <= n:
        root += 1
    return root


@exact
def shift_left(a, k):
    """``a << k``; 0 if ``k`` is not in [0, 64)."""
    return int64(a) << int64(k) if 0 <= k < 64 else int64(0)


@exact
def shift_right(a, k):
    """``a >> k``; the sign bit in every position if ``k`` is not in [0, 64)."""
    return int64(a) >> int64(k) if 0 <= k < 64 else (int64(-1) if a < 0 else int64(0))


def _extremum(name):
    """An LLVM intrinsic on two floats of the same type. It propagates nan and vectorises even in a reduction."""

    @intrinsic
    def extremum(typing_context, a, b):
        def generate(context, builder, signature, args):
            t = args[0].type
            function = builder.module.declare_intrinsic(name, [t], ir.FunctionType(t, [t, t]))
            return builder.call(function, args)

        return a(a, a), generate

    return extremum


np_minimum = _extremum("llvm.minimum")
np_maximum = _extremum("llvm.maximum")


@exact
def logaddexp(a, b):
    """``log(exp(a) + exp(b))`` without overflow."""
    if a == b:
        return a + math.log(2.0)
    d = float64(a - b)
    if d > 0:
        return a + math.log1p(math.exp(-d))
    if d <= 0:
        return b + math.log1p(math.exp(d))
    return d


@exact
def float_to_i64(x):
    """Truncate to int64; values out of range and nan become the smallest int, as in NumPy on x86."""
    if -9223372036854775808.0 <= x < 9223372036854775808.0:
        return int64(x)
    return int64(-9223372036854775808)


@exact
def float_to_i32(x):
    """Truncate to int32; values out of range and nan become the smallest int32."""
    if -2147483649.0 < x < 2147483648.0:
        return int32(x)
    return int32(-2147483648)


@exact
def float_to_u64(x):
    """Truncate to uint64; values out of range and nan give the bits of `float_to_i64`."""
    wide = float64(x)
    if 9223372036854775808.0 <= wide < 18446744073709551616.0:
        return uint64(int64(wide - 9223372036854775808.0)) ^ uint64(-9223372036854775808)
    return uint64(float_to_i64(wide))
