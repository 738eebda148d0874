"""The derivative of every scalar primitive: one row each.

A rule is given the operands, the result and a builder of core operations, and returns one partial per operand (None where
no derivative flows). The adjoint of operand k is the partial times the adjoint of the result; a tangent is the sum of
partials times tangents: reverse and forward mode read the same rows.

Conventions at kinks: ties of ``min``, ``max``, ``minimum`` and ``maximum`` give all to the first operand; ``abs`` has slope
0 at 0; ``x**0`` has slope 0 everywhere; the exponent of ``0**y`` has slope 0; `select` masks the adjoint itself, so
that nan of the untaken side never gets through.

Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 4 to 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from linad_typecheck.core import Atom, Const, Let, Names, Stmt, Var
from linad_typecheck.ops import OPS
from linad_typecheck.span import NOWHERE, Span
from linad_typecheck.types import BOOL, I64, Scalar, Type


@dataclass
class Builder:
    """Emits scalar operations; identities that need no operation emit none."""

    names: Names
    stmts: list[Stmt] = field(default_factory=list)
    span: Span = NOWHERE
    hint: str = "t"

    def const(self, value: float, type: Scalar) -> Const:
        return Const(type_of_value(value, type), type)

    def zero(self, like: Atom) -> Const:
        return self.const(0.0, like.type)

    def op(self, name: str, *ins: Atom, type: Type | None = None) -> Atom:
        result = {"bool": BOOL, "int": I64, "second": ins[1].type if len(ins) > 1 else None, "same": ins[0].type, "out": type}
        out = self.names.var(self.hint, type or result[OPS[name].result])
        self.stmts.append(Let(out, name, ins, self.span))
        return out

    def add(self, a: Atom, b: Atom) -> Atom:
        return b if is_const(a, 0.0) else a if is_const(b, 0.0) else self.op("add", a, b)

    def sub(self, a: Atom, b: Atom) -> Atom:
        return a if is_const(b, 0.0) else self.op("sub", a, b)

    def mul(self, a: Atom, b: Atom) -> Atom:
        if is_const(a, 1.0):
            return b
        if is_const(b, 1.0):
            return a
        if is_const(a, -1.0):
            return self.neg(b)
        return self.neg(a) if is_const(b, -1.0) else self.op("mul", a, b)

    def div(self, a: Atom, b: Atom) -> Atom:
        return self.op("div", a, b)

    def neg(self, a: Atom) -> Atom:
        return Const(-a.value, a.type) if isinstance(a, Const) else self.op("neg", a)


def type_of_value(value: float, type: Scalar) -> float | int:
    return float(value) if type.dtype in ("f64", "f32") else int(value)


def is_const(a: Atom, value: float) -> bool:
    return isinstance(a, Const) and a.value == value and not isinstance(a.value, bool)


@dataclass(frozen=True, slots=True)
class Point:
    """Where a partial is taken: operands, result and the builder to write with."""

    b: Builder
    ins: tuple[Atom, ...]
    out: Var

    @property
    def x(self) -> Atom:
        return self.ins[0]

    @property
    def y(self) -> Atom:
        return self.ins[1]

    def c(self, value: float) -> Const:
        return self.b.const(value, self.out.type)

    def op(self, name: str, *ins: Atom, type: Type | None = None) -> Atom:
        return self.b.op(name, *ins, type=type)


# The derivative by one operand as a linear map of one number: the seed is the adjoint of the result in reverse mode and the
# tangent of the operand in forward mode; a map of one number is its own transpose.
Slope = Callable[[Point, Atom], Atom]
Partial = Callable[[Point], Atom]


@dataclass(frozen=True, slots=True)
class Rule:
    """A slope per operand (None where no derivative flows). ``needs`` lists what each one reads: ``x`` and ``y`` for the
    first and second operand, ``o`` for the result."""

    slopes: tuple[Slope | None, ...]
    needs: tuple[str, ...]


def times(partial: Partial) -> Slope:
    """The slope that multiplies by a partial derivative."""
    return lambda p, seed: p.b.mul(partial(p), seed)


def over(divisor: Partial) -> Slope:
    """The slope that divides."""
    return lambda p, seed: p.b.div(seed, divisor(p))


def minus(slope: Slope) -> Slope:
    return lambda p, seed: p.b.neg(slope(p, seed))


def _same(p: Point, seed: Atom) -> Atom:
    return seed


def _unary(needs: str, partial: Partial) -> Rule:
    return Rule((times(partial),), (needs,))


def _square(p: Point, a: Atom) -> Atom:
    return p.op("mul", a, a)


def _inverse_root(p: Point, sign_one: float, sign_square: float) -> Atom:
    """1 / sqrt(sign_one + sign_square x^2)."""
    square = _square(p, p.x)
    inside = p.op("add" if sign_square > 0 else "sub", p.c(sign_one), square)
    if sign_one < 0:
        inside = p.op("sub", square, p.c(1.0))
    return p.b.div(p.c(1.0), p.op("sqrt", inside))


def _one_plus(p: Point, a: Atom, sign: str = "add") -> Atom:
    return p.op(sign, p.c(1.0), a)


def _gaussian(p: Point, scale: float) -> Atom:
    return p.b.mul(p.c(scale), p.op("exp", p.b.neg(_square(p, p.x))))


def _powi(p: Point) -> Atom:
    k = p.y.value  # a literal
    if k == 0:
        return p.c(0.0)
    lower = p.c(1.0) if k == 1 else p.x if k == 2 else p.op("powi", p.x, Const(k - 1, I64))
    return p.b.mul(p.c(float(k)), lower)


def _pow_base(p: Point) -> Atom:
    """y x^(y-1), and 0 where y is 0."""
    slope = p.b.mul(p.y, p.op("pow", p.x, p.b.sub(p.y, p.c(1.0))))
    if isinstance(p.y, Const):
        return p.c(0.0) if p.y.value == 0 else slope
    return p.op("select", p.op("eq", p.y, p.c(0.0)), p.c(0.0), slope)


def _pow_exponent(p: Point) -> Atom:
    """x^y log x, and 0 where x is 0."""
    zero = p.op("eq", p.x, p.c(0.0))
    inside = p.op("select", zero, p.c(1.0), p.x)
    return p.op("select", zero, p.c(0.0), p.b.mul(p.out, p.op("log", inside)))


def _first_wins(compare: str) -> Rule:
    """min and max: the operand chosen gets the seed; the second is chosen where ``y compare x``."""

    def first(p: Point, seed: Atom) -> Atom:
        return p.op("select", p.op(compare, p.y, p.x), p.b.zero(seed), seed)

    def second(p: Point, seed: Atom) -> Atom:
        return p.op("select", p.op(compare, p.y, p.x), seed, p.b.zero(seed))

    return Rule((first, second), ("xy", "xy"))


def _select(taken: bool) -> Slope:
    def slope(p: Point, seed: Atom) -> Atom:
        zero = p.b.zero(seed)
        return p.op("select", p.x, *((seed, zero) if taken else (zero, seed)))

    return slope


def _sign_of_copy(p: Point) -> Atom:
    """copysign(x, s): the derivative is sign(x) sign(s)."""
    return p.op("copysign", p.op("sign", p.x), p.b.mul(p.op("sign", p.x), p.y))


def _tan(p: Point) -> Atom:
    return _one_plus(p, _square(p, p.out))


_HALF_ROOT_PI = 2.0 / math.sqrt(math.pi)

RULES: dict[str, Rule] = {
    "add": Rule((_same, _same), ("", "")),
    "sub": Rule((_same, minus(_same)), ("", "")),
    "neg": Rule((minus(_same),), ("",)),
    "mul": Rule((times(lambda p: p.y), times(lambda p: p.x)), ("y", "x")),
    "div": Rule(
        (over(lambda p: p.y), lambda p, seed: p.b.neg(p.b.mul(p.b.div(seed, p.y), p.out))),
        ("y", "oy"),
    ),
    "mod": Rule((_same, lambda p, seed: p.b.neg(p.b.mul(p.op("floordiv", p.x, p.y), seed))), ("", "xy")),
    "pow": Rule((times(_pow_base), times(_pow_exponent)), ("xy", "xyo")),
    "powi": Rule((times(_powi), None), ("xy", "")),
    "min": _first_wins("lt"),
    "max": _first_wins("gt"),
    "minimum": _first_wins("lt"),
    "maximum": _first_wins("gt"),
    "select": Rule((None, _select(True), _select(False)), ("", "x", "x")),
    "copysign": Rule((times(_sign_of_copy), None), ("xy", "")),
    "atan2": Rule(
        (
            times(lambda p: p.b.div(p.y, p.op("add", _square(p, p.x), _square(p, p.y)))),
            minus(times(lambda p: p.b.div(p.x, p.op("add", _square(p, p.x), _square(p, p.y))))),
        ),
        ("xy", "xy"),
    ),
    "hypot": Rule((times(lambda p: p.b.div(p.x, p.out)), times(lambda p: p.b.div(p.y, p.out))), ("xo", "yo")),
    "logaddexp": Rule(
        (
            times(lambda p: p.op("exp", p.b.sub(p.x, p.out))),
            times(lambda p: p.op("exp", p.b.sub(p.y, p.out))),
        ),
        ("xo", "yo"),
    ),
    "cast": Rule((_same,), ("",)),  # the walk casts the seed to the operand's type
    "exp": _unary("o", lambda p: p.out),
    "exp2": _unary("o", lambda p: p.b.mul(p.c(math.log(2.0)), p.out)),
    "expm1": _unary("o", lambda p: _one_plus(p, p.out)),
    "log": Rule((over(lambda p: p.x),), ("x",)),
    "log2": _unary("x", lambda p: p.b.div(p.c(1.0 / math.log(2.0)), p.x)),
    "log10": _unary("x", lambda p: p.b.div(p.c(1.0 / math.log(10.0)), p.x)),
    "log1p": Rule((over(lambda p: _one_plus(p, p.x)),), ("x",)),
    "sqrt": _unary("o", lambda p: p.b.div(p.c(0.5), p.out)),
    "cbrt": _unary("o", lambda p: p.b.div(p.c(1.0 / 3.0), _square(p, p.out))),
    "sin": _unary("x", lambda p: p.op("cos", p.x)),
    "cos": _unary("x", lambda p: p.b.neg(p.op("sin", p.x))),
    "tan": _unary("o", _tan),
    "asin": _unary("x", lambda p: _inverse_root(p, 1.0, -1.0)),
    "acos": _unary("x", lambda p: p.b.neg(_inverse_root(p, 1.0, -1.0))),
    "atan": Rule((over(lambda p: _one_plus(p, _square(p, p.x))),), ("x",)),
    "sinh": _unary("x", lambda p: p.op("cosh", p.x)),
    "cosh": _unary("x", lambda p: p.op("sinh", p.x)),
    "tanh": _unary("o", lambda p: _one_plus(p, _square(p, p.out), "sub")),
    "asinh": _unary("x", lambda p: _inverse_root(p, 1.0, 1.0)),
    "acosh": _unary("x", lambda p: _inverse_root(p, -1.0, 1.0)),
    "atanh": _unary("x", lambda p: p.b.div(p.c(1.0), _one_plus(p, _square(p, p.x), "sub"))),
    "abs": _unary("x", lambda p: p.op("sign", p.x)),
    "erf": _unary("x", lambda p: _gaussian(p, _HALF_ROOT_PI)),
    "erfc": _unary("x", lambda p: _gaussian(p, -_HALF_ROOT_PI)),
    "lgamma": _unary("x", lambda p: p.op("digamma", p.x)),
    "gamma": _unary("xo", lambda p: p.b.mul(p.out, p.op("digamma", p.x))),
    "digamma": _unary("x", lambda p: p.op("trigamma", p.x)),
}
