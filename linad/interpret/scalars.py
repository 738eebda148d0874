"""The semantics of each scalar primitive, on NumPy scalars of exactly its type.

Each operation has one rule, which takes NumPy scalars (and Python bools). The machine converts its value to the type of
the statement's result. All rules run under ``np.errstate(all="ignore")``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np
from linad_typecheck.ops import OPS
from linad_typecheck.types import NUMPY_NAMES

from .special import SPECIAL

DTYPES: dict[str, type] = {d: np.dtype(name).type for d, name in NUMPY_NAMES.items()} | {"bool": bool}


def power_by_multiplication(x: np.floating, k: int) -> np.floating:
    """``x ** k`` by repeated squaring, in the type of ``x``."""
    one = type(x)(1.0)
    result, square, n = one, x, abs(int(k))
    while n:
        if n & 1:
            result = result * square
        n >>= 1
        if n:
            square = square * square
    return result if k >= 0 else one / result


def _math(f: Callable[[float], float], pole: float = math.nan) -> Callable[[np.floating], float]:
    """A function of `math` with IEEE results instead of exceptions: infinity on overflow, ``pole`` on a domain error.
    """

    def ieee(x: np.floating) -> float:
        x = float(x)
        try:
            return f(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return pole

    return ieee


def _power(a: np.number, b: np.number) -> object:
    """C's ``pow``, as NumPy uses for arrays. For scalars with exponent 1/2 NumPy takes a square root, which differs at
    -0.0 and -inf."""
    return np.power(np.atleast_1d(a), np.atleast_1d(b))[0]


def _gamma(x: float) -> float:
    try:
        return math.copysign(math.inf, x) if x == 0.0 else math.gamma(x)
    except OverflowError:
        return -math.inf if x < 0.0 and math.floor(x) % 2 else math.inf


# psi(x) ~ log x - 1/(2x) - sum B_2k / (2k x**2k)
_PSI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def digamma(x: float) -> float:
    """The derivative of log gamma; nan at its poles except 0."""
    if x == 0.0:
        return math.copysign(math.inf, -x)
    if math.isnan(x) or x == -math.inf or (x < 0.0 and x == math.floor(x)):
        return math.nan
    if x < 0.0:
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * x)
    total = 0.0
    while x < 10.0:
        total -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = 0.0
    for c in reversed(_PSI):
        series = (series + c) * inverse
    return total + math.log(x) - 0.5 / x - series


def _trips(start: np.int64, stop: np.int64, step: np.int64) -> int:
    a, b, c = int(start), int(stop), int(step)
    return max(0, -((a - b) // c)) if c else 0


def cast(value: object, dtype: str) -> object:
    """Convert a scalar to another type: float to int truncates towards zero, to bool is ``!= 0``."""
    if dtype == "bool":
        return bool(value != 0)
    return np.asarray(value).astype(DTYPES[dtype])[()]


def _whole(f: Callable[..., int]) -> Callable[..., int]:
    """A function of non-negative ints that returns -1 if the result needs more than 63 bits."""

    def call(*args: np.integer) -> int:
        result = f(*map(int, args))
        return result if result < 2**63 else -1

    return call


def _remainder(x: np.floating, y: np.floating) -> float:
    defined = math.isfinite(x) and y != 0 and y == y
    return math.remainder(float(x), float(y)) if defined else math.nan


def _ufuncs() -> dict[str, Callable[..., object]]:
    same = ("isnan", "isinf", "isfinite", "minimum", "maximum", "logaddexp2")
    renamed = {"floordiv": "floor_divide", "mod": "remainder", "invert": "invert"}
    renamed |= {"bitand": "bitwise_and", "bitor": "bitwise_or", "bitxor": "bitwise_xor"}
    renamed |= {"shl": "left_shift", "shr": "right_shift"}
    names = {n: n for n in same} | renamed | {op.name: op.numpy[0] for op in OPS.values() if op.numpy}
    return {op: getattr(np, n) for op, n in names.items()}


RULES: dict[str, Callable[..., object]] = {
    **_ufuncs(),
    **SPECIAL,
    "add": operator.add,
    "sub": operator.sub,
    "neg": operator.neg,
    "stop_gradient": lambda a: a,
    "mul": operator.mul,
    "mul_rounded": operator.mul,
    "div": operator.truediv,
    "pow": _power,
    "powi": power_by_multiplication,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
    "select": lambda c, a, b: a if c else b,
    "zero_or": lambda seed, a: type(a)(0.0) if seed == 0.0 else a,
    "trips": _trips,
    "wrap": lambda i, n: i + n if i < 0 else i,
    "erf": _math(math.erf),
    "erfc": _math(math.erfc),
    "gamma": _math(_gamma),
    "lgamma": _math(math.lgamma, math.inf),
    "digamma": _math(digamma),
    "fmod": np.fmod,
    "ldexp": lambda x, k: np.ldexp(x, int(k)),
    "gcd": lambda a, b: (math.gcd(int(a), int(b)) + 2**63) % 2**64 - 2**63,
    "comb": _whole(math.comb),
    "perm": _whole(math.perm),
    "isqrt": _whole(math.isqrt),
    "remainder": _remainder,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
}
