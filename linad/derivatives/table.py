"""The derivative table: one row for each scalar primitive.

A rule receives the operands, the result and a builder of core operations, and returns one partial derivative per
operand (None if no derivative flows). The adjoint of operand k is the partial times the adjoint of the result; a
tangent is the sum of partials times tangents. Reverse and forward mode read the same rows.

Conventions at kinks: ties of ``min``, ``max``, ``minimum`` and ``maximum`` give all to the first operand; ``abs`` has
derivative 0 at 0; ``x**0`` has derivative 0 everywhere; the derivative of ``0**y`` by its exponent is 0; `select` masks
the adjoint itself, so that nan of the side not taken never propagates.

A partial times an exact zero is zero, even if the partial is infinite or nan (`rule.exact_zeros`).

Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 4 to 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from linad_typecheck.ir.core import Atom, Const
from linad_typecheck.types import I64

from .rule import Point, Rule, Slope, minus, over, same, square, times, unary
from .special import SPECIAL

__all__ = ["RULES", "Point", "Rule"]


def _inverse_root(p: Point, sign_one: float, sign_square: float) -> Atom:
    """``1 / sqrt(sign_one + sign_square x^2)``."""
    squared = square(p, p.x)
    inside = p.op("add" if sign_square > 0 else "sub", p.c(sign_one), squared)
    if sign_one < 0:
        inside = p.op("sub", squared, p.c(1.0))
    return p.b.div(p.c(1.0), p.op("sqrt", inside))


def _one_plus(p: Point, a: Atom, sign: str = "add") -> Atom:
    return p.op(sign, p.c(1.0), a)


def _gaussian(p: Point, scale: float) -> Atom:
    return p.b.mul(p.c(scale), p.op("exp", p.b.neg(square(p, p.x))))


def _powi(p: Point) -> Atom:
    k = p.y.value  # a literal
    if k == 0:
        return p.c(0.0)
    lower = p.c(1.0) if k == 1 else p.x if k == 2 else p.op("powi", p.x, Const(k - 1, I64))
    return p.b.mul(p.c(float(k)), lower)


def _pow_base(p: Point) -> Atom:
    """``y x^(y-1)``, and 0 if y is 0."""
    if isinstance(p.y, Const):  # powers of small multiples of a half are known by their literal
        y = float(p.y.value)
        return p.c(0.0) if y == 0 else p.b.mul(p.y, p.op("pow", p.x, p.c(y - 1.0)))
    # without a choice between slopes, which would keep loops with powers from being vectorised: 0 x^0 is 0
    exponent = p.op("select", p.op("eq", p.y, p.c(0.0)), p.c(1.0), p.y)
    return p.b.mul(p.y, p.op("pow", p.x, p.b.sub(exponent, p.c(1.0))))


def _pow_exponent(p: Point) -> Atom:
    """``x^y log x``, and 0 if x is 0."""
    zero = p.op("eq", p.x, p.c(0.0))
    inside = p.op("select", zero, p.c(1.0), p.x)
    return p.op("select", zero, p.c(0.0), p.b.mul(p.out, p.op("log", inside)))


def _first_wins(compare: str) -> Rule:
    """min and max: the selected operand receives the seed; the second is selected if ``y compare x``."""

    def first(p: Point, seed: Atom) -> Atom:
        return p.op("select", p.op(compare, p.y, p.x), p.b.const(0.0, seed), seed)

    def second(p: Point, seed: Atom) -> Atom:
        return p.op("select", p.op(compare, p.y, p.x), seed, p.b.const(0.0, seed))

    return Rule((first, second), ("xy", "xy"))


def _select(taken: bool) -> Slope:
    def slope(p: Point, seed: Atom) -> Atom:
        zero = p.b.const(0.0, seed)
        return p.op("select", p.x, *((seed, zero) if taken else (zero, seed)))

    return slope


def _sign_of_copy(p: Point) -> Atom:
    """copysign(x, s): the derivative is sign(x) sign(s)."""
    return p.op("copysign", p.op("sign", p.x), p.b.mul(p.op("sign", p.x), p.y))


def _side(k: int) -> Callable[[Point], Atom]:
    """hypot: the operand divided by the result, and 0 if both operands are 0, as for `abs`."""

    def partial(p: Point) -> Atom:
        return p.op("select", p.op("eq", p.out, p.c(0.0)), p.c(0.0), p.b.div(p.ins[k], p.out))

    return partial


def _tan(p: Point) -> Atom:
    return _one_plus(p, square(p, p.out))


def _root(p: Point, seed: Atom) -> Atom:
    """``1 / (2 sqrt(x))``; times x this is ``sqrt(x) / 2``, as in the derivative of ``x * sqrt(x)``, which needs no
    division and exists at 0."""
    if p.rest is not None:
        return p.b.mul(p.b.mul(p.c(0.5), p.out), p.rest)
    return p.b.mul(p.b.div(p.c(0.5), p.out), seed)


_HALF_ROOT_PI = 2.0 / math.sqrt(math.pi)

RULES: dict[str, Rule] = {
    "add": Rule((same, same), ("", "")),
    "sub": Rule((same, minus(same)), ("", "")),
    "neg": Rule((minus(same),), ("",)),
    "mul": Rule((times(lambda p: p.y), times(lambda p: p.x)), ("y", "x")),
    "mul_rounded": Rule((times(lambda p: p.y), times(lambda p: p.x)), ("y", "x")),
    "div": Rule((over(lambda p: p.y), lambda p, seed: p.b.neg(p.b.mul(p.b.div(seed, p.y), p.out))), ("y", "oy")),
    "mod": Rule((same, lambda p, seed: p.b.neg(p.b.mul(p.op("floordiv", p.x, p.y), seed))), ("", "xy")),
    "pow": Rule((times(_pow_base), times(_pow_exponent)), ("xy", "xyo")),
    "powi": Rule((times(_powi), None), ("xy", "")),
    "min": _first_wins("lt"),
    "max": _first_wins("gt"),
    "minimum": _first_wins("lt"),
    "maximum": _first_wins("gt"),
    "select": Rule((None, _select(True), _select(False)), ("", "x", "x")),
    "zero_or": Rule((None, same), ("", "")),
    "copysign": Rule((times(_sign_of_copy), None), ("xy", "")),
    "atan2": Rule(
        (
            times(lambda p: p.b.div(p.y, p.op("add", square(p, p.x), square(p, p.y)))),
            minus(times(lambda p: p.b.div(p.x, p.op("add", square(p, p.x), square(p, p.y))))),
        ),
        ("xy", "xy"),
    ),
    "hypot": Rule((times(_side(0)), times(_side(1))), ("xo", "yo")),
    "cast": Rule((same,), ("",)),  # the caller casts the seed to the type of the operand
    "exp": unary("o", lambda p: p.out),
    "exp2": unary("o", lambda p: p.b.mul(p.c(math.log(2.0)), p.out)),
    "expm1": unary("o", lambda p: _one_plus(p, p.out)),
    "log": Rule((over(lambda p: p.x),), ("x",)),
    "log2": unary("x", lambda p: p.b.div(p.c(1.0 / math.log(2.0)), p.x)),
    "log10": unary("x", lambda p: p.b.div(p.c(1.0 / math.log(10.0)), p.x)),
    "log1p": Rule((over(lambda p: _one_plus(p, p.x)),), ("x",)),
    "sqrt": Rule((_root,), ("o",)),
    "cbrt": unary("o", lambda p: p.b.div(p.c(1.0 / 3.0), square(p, p.out))),
    "sin": unary("x", lambda p: p.op("cos", p.x)),
    "cos": unary("x", lambda p: p.b.neg(p.op("sin", p.x))),
    "tan": unary("o", _tan),
    "asin": unary("x", lambda p: _inverse_root(p, 1.0, -1.0)),
    "acos": unary("x", lambda p: p.b.neg(_inverse_root(p, 1.0, -1.0))),
    "atan": Rule((over(lambda p: _one_plus(p, square(p, p.x))),), ("x",)),
    "sinh": unary("x", lambda p: p.op("cosh", p.x)),
    "cosh": unary("x", lambda p: p.op("sinh", p.x)),
    "tanh": unary("o", lambda p: _one_plus(p, square(p, p.out), "sub")),
    "asinh": unary("x", lambda p: _inverse_root(p, 1.0, 1.0)),
    "acosh": unary("x", lambda p: _inverse_root(p, -1.0, 1.0)),
    "atanh": unary("x", lambda p: p.b.div(p.c(1.0), _one_plus(p, square(p, p.x), "sub"))),
    "abs": unary("x", lambda p: p.op("sign", p.x)),
    "erf": unary("x", lambda p: _gaussian(p, _HALF_ROOT_PI)),
    "erfc": unary("x", lambda p: _gaussian(p, -_HALF_ROOT_PI)),
    "lgamma": unary("x", lambda p: p.op("digamma", p.x)),
    "gamma": unary("xo", lambda p: p.b.mul(p.out, p.op("digamma", p.x))),
    "digamma": unary("x", lambda p: p.op("polygamma", p.x, Const(1, I64))),
    **SPECIAL,
}
