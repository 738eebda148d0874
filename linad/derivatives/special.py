"""Rows of the derivative table for special functions.

Families of functions with an integer order, a literal second operand, contain their own derivatives (`polygamma`, the
Bessel functions, `sinc`), so they can be differentiated any number of times, also at 0.

Conventions: at ``x = 0``, the derivative of ``x log y`` by ``y`` is 0, and by ``x`` it is ``log y``; the derivative of
the sum of two equal exponentials, infinite ones included, is shared equally.

Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.4.1, 7.2.8, 9.1.27, 9.6.26 and 26.2.
"""

from __future__ import annotations

import math

from linad_typecheck.ir.core import Atom, Const
from linad_typecheck.types import I64

from .rule import Partial, Point, Rule, Slope, minus, same, square, times, unary

_HALF_ROOT_PI = 0.5 * math.sqrt(math.pi)
_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


def _order(p: Point, by: int) -> Const:
    return Const(p.ins[1].value + by, I64)


def _family(partial: Partial, needs: str = "x") -> Rule:
    return Rule((times(partial), None), (needs, ""))


def _bessel(op: str, sign: str) -> Partial:
    """Half the sum, or difference, of the functions of neighbouring orders; at order 0 they are equal, or opposite."""

    def partial(p: Point) -> Atom:
        after = p.op(op, p.x, _order(p, 1))
        if p.ins[1].value == 0:
            return after if sign == "add" else p.b.neg(after)
        return p.b.mul(p.c(0.5), p.op(sign, p.op(op, p.x, _order(p, -1)), after))

    return partial


def _scaled_bessel(p: Point) -> Atom:
    return p.b.sub(_bessel("bessel_ie", "add")(p), p.b.mul(p.op("sign", p.x), p.out))


def _exp_square(scale: float, factor: float) -> Partial:
    """``scale exp(factor o^2)``: the derivative of an inverse function is the reciprocal of the derivative."""
    return lambda p: p.b.mul(p.c(scale), p.op("exp", p.b.mul(p.c(factor), square(p, p.out))))


def _ndtr(p: Point) -> Atom:
    return p.b.mul(p.c(1.0 / _ROOT_TWO_PI), p.op("exp", p.b.mul(p.c(-0.5), square(p, p.x))))


def _erfcx(p: Point) -> Atom:
    return p.b.sub(p.b.mul(p.b.mul(p.c(2.0), p.x), p.out), p.c(1.0 / _HALF_ROOT_PI))


def _unless_zero(partial: Partial) -> Partial:
    """The partial derivative, or 0 if ``x`` is 0."""

    def masked(p: Point) -> Atom:
        return p.op("select", p.op("eq", p.x, p.c(0.0)), p.c(0.0), partial(p))

    return masked


def _one_plus_y(p: Point) -> Atom:
    return p.op("add", p.c(1.0), p.y)


def _share(scale: float, mine: int) -> Partial:
    """The share of one of two exponentials in their sum: `expit` of the difference."""

    def partial(p: Point) -> Atom:
        difference = p.b.mul(p.c(scale), p.op("sub", p.ins[mine], p.ins[1 - mine]))
        return p.op("select", p.op("eq", p.x, p.y), p.c(0.5), p.op("expit", difference))

    return partial


def _times_quotient(p: Point, seed: Atom) -> Atom:
    """Multiply by the integer quotient of `fmod` or `remainder`."""
    return p.b.mul(p.op("rint", p.b.div(p.op("sub", p.x, p.out), p.y)), seed)


def _times_power(p: Point, seed: Atom) -> Atom:
    """Multiply by the power of two, in two factors, because it may be too large for a float."""
    half = p.op("floor", p.b.mul(p.c(0.5), p.y))
    return p.b.mul(p.op("exp2", p.op("sub", p.y, half)), p.b.mul(p.op("exp2", half), seed))


def _both(first: Partial, second: Partial, needs: tuple[str, str]) -> Rule:
    return Rule((times(first), times(second)), needs)


_REDUCED: tuple[Slope, Slope] = (same, minus(_times_quotient))

SPECIAL: dict[str, Rule] = {
    "logaddexp": _both(_share(1.0, 0), _share(1.0, 1), ("xy", "xy")),
    "logaddexp2": _both(_share(math.log(2.0), 0), _share(math.log(2.0), 1), ("xy", "xy")),
    "fmod": Rule(_REDUCED, ("", "oxy")),
    "remainder": Rule(_REDUCED, ("", "oxy")),
    "ldexp": Rule((_times_power, None), ("y", "")),
    "erfinv": unary("o", _exp_square(_HALF_ROOT_PI, 1.0)),
    "erfcinv": unary("o", _exp_square(-_HALF_ROOT_PI, 1.0)),
    "erfcx": unary("xo", _erfcx),
    "ndtr": unary("x", _ndtr),
    "ndtri": unary("o", _exp_square(_ROOT_TWO_PI, 0.5)),
    "log_ndtr": unary("x", lambda p: p.op("mills", p.x)),
    "mills": unary("xo", lambda p: p.b.neg(p.b.mul(p.out, p.op("add", p.x, p.out)))),
    "expit": unary("xo", lambda p: p.b.mul(p.out, p.op("expit", p.b.neg(p.x)))),
    "logit": unary("x", lambda p: p.b.div(p.c(1.0), p.b.mul(p.x, p.op("sub", p.c(1.0), p.x)))),
    "log_expit": unary("x", lambda p: p.op("expit", p.b.neg(p.x))),
    "entr": unary("x", lambda p: p.op("sub", p.c(-1.0), p.op("log", p.x))),
    "xlogy": _both(lambda p: p.op("log", p.y), _unless_zero(lambda p: p.b.div(p.x, p.y)), ("y", "xy")),
    "xlog1py": _both(lambda p: p.op("log1p", p.y), _unless_zero(lambda p: p.b.div(p.x, _one_plus_y(p))), ("y", "xy")),
    "rel_entr": _both(
        lambda p: p.op("add", p.c(1.0), p.op("log", p.b.div(p.x, p.y))),
        _unless_zero(lambda p: p.b.neg(p.b.div(p.x, p.y))),
        ("xy", "xy"),
    ),
    "polygamma": _family(lambda p: p.op("polygamma", p.x, _order(p, 1))),
    "bessel_i": _family(_bessel("bessel_i", "add")),
    "bessel_ie": _family(_scaled_bessel, "xo"),
    "bessel_j": _family(_bessel("bessel_j", "sub")),
    "sinc": _family(lambda p: p.op("sinc", p.x, _order(p, 1))),
}
