"""Values and partial derivatives of scalar primitives on plain numbers.

They are deliberately independent of `linad.derivatives.table`; tests compare the two. A partial is None if no
derivative flows at all, which is stronger than 0: not even nan or inf propagates.

Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 4 to 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .special_rules import VALUES, polygamma

Number = float | int | np.generic
Partials = tuple[Number | None, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """The derivative rule of a primitive: ``value(*ins)`` and ``partials(result, *ins)``."""

    value: Callable[..., Number]
    partials: Callable[..., Partials]


def _special(f: Callable[[float], float], at_pole: float) -> Callable[[Number], Number]:
    """A function of `math` with IEEE semantics: it raises no exceptions and keeps the operand's precision."""

    def value(x: Number) -> Number:
        kind = x.dtype.type if isinstance(x, np.floating) else np.float64
        try:
            return kind(f(float(x)))
        except ValueError:
            return kind(math.nan if math.isnan(x) or (x < 0 and not math.isinf(at_pole)) else at_pole)
        except OverflowError:
            return kind(math.inf)

    return value


def digamma(x: float) -> float:
    """The derivative of log gamma, by reflection, recurrence and the asymptotic series."""
    x = float(x)
    if math.isnan(x) or x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.nan
    if x == math.inf:
        return x
    if x < 0:
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * (x - math.floor(x)))
    total = 0.0
    while x < 10.0:
        total -= 1.0 / x
        x += 1.0
    s = 1.0 / (x * x)
    series = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * (691 / 32760 - s / 12))))))
    return total + math.log(x) - 0.5 / x - series


def _unary(value: Callable[..., Number], slope: Callable[[Number, Number], Number]) -> Rule:
    """The rule of a unary function with derivative ``slope(result, x)``."""
    return Rule(value, lambda o, x: (slope(o, x),))


def _pow_partials(o: Number, x: Number, y: Number) -> Partials:
    by_x = 0.0 if y == 0 else y * np.power(x, y - 1)
    return by_x, 0.0 if x == 0 else o * np.log(x)


def _choose(second: Callable[[Number, Number], bool]) -> Callable[..., Partials]:
    return lambda o, x, y: (None, 1.0) if second(x, y) else (1.0, None)


def _hypot_partials(o: Number, x: Number, y: Number) -> Partials:
    return (np.divide(x, o), np.divide(y, o)) if o != 0 else (0.0, 0.0)


def _atan2_partials(o: Number, y: Number, x: Number) -> Partials:
    square = x * x + y * y
    return np.divide(x, square), -np.divide(y, square)


def _sign_of_copy(o: Number, x: Number, s: Number) -> Partials:
    return np.sign(x) * np.copysign(1.0, s), None


_ROOT = 2.0 / math.sqrt(math.pi)
_NONE1: Callable[..., Partials] = lambda o, *ins: (None,) * len(ins)  # noqa: E731


def _lift(value: Number) -> Number:
    """Convert a Python float to NumPy's, whose arithmetic raises no exceptions."""
    return np.float64(value) if type(value) is float else value


RULES: dict[str, Rule] = {
    "add": Rule(np.add, lambda o, x, y: (1.0, 1.0)),
    "sub": Rule(np.subtract, lambda o, x, y: (1.0, -1.0)),
    "neg": Rule(np.negative, lambda o, x: (-1.0,)),
    "mul": Rule(np.multiply, lambda o, x, y: (y, x)),
    "mul_rounded": Rule(np.multiply, lambda o, x, y: (y, x)),
    "div": Rule(np.true_divide, lambda o, x, y: (np.divide(1.0, y), -np.divide(x, y) / y)),
    "mod": Rule(np.mod, lambda o, x, y: (1.0, -np.floor_divide(x, y))),
    "fmod": Rule(np.fmod, lambda o, x, y: (1.0, -np.trunc(np.divide(x, y)))),
    "ldexp": Rule(lambda x, k: np.ldexp(x, int(k)), lambda o, x, k: (np.ldexp(1.0, int(k)), None)),
    "floordiv": Rule(np.floor_divide, _NONE1),
    "pow": Rule(np.power, _pow_partials),
    "powi": Rule(np.power, lambda o, x, k: (0.0 if k == 0 else k * np.power(x, float(k - 1)), None)),
    "min": Rule(lambda x, y: y if y < x else x, _choose(lambda x, y: y < x)),
    "max": Rule(lambda x, y: y if y > x else x, _choose(lambda x, y: y > x)),
    "minimum": Rule(np.minimum, _choose(lambda x, y: y < x)),
    "maximum": Rule(np.maximum, _choose(lambda x, y: y > x)),
    "fmin": Rule(np.fmin, _choose(lambda x, y: y < x or x != x)),
    "fmax": Rule(np.fmax, _choose(lambda x, y: y > x or x != x)),
    "select": Rule(lambda c, x, y: x if c else y, lambda o, c, x, y: (None, 1.0, None) if c else (None, None, 1.0)),
    "zero_or": Rule(lambda f, x: x if f != 0.0 else 0.0, lambda o, f, x: (None, 1.0)),
    "copysign": Rule(np.copysign, _sign_of_copy),
    "atan2": Rule(np.arctan2, _atan2_partials),
    "hypot": Rule(np.hypot, _hypot_partials),
    "exp": _unary(np.exp, lambda o, x: o),
    "exp2": _unary(np.exp2, lambda o, x: o * math.log(2.0)),
    "expm1": _unary(np.expm1, lambda o, x: np.exp(x)),
    "log": _unary(np.log, lambda o, x: np.divide(1.0, x)),
    "log2": _unary(np.log2, lambda o, x: np.divide(1.0, x * math.log(2.0))),
    "log10": _unary(np.log10, lambda o, x: np.divide(1.0, x * math.log(10.0))),
    "log1p": _unary(np.log1p, lambda o, x: np.divide(1.0, 1.0 + x)),
    "sqrt": _unary(np.sqrt, lambda o, x: np.divide(0.5, o)),
    "cbrt": _unary(np.cbrt, lambda o, x: np.divide(1.0, 3.0 * o * o)),
    "sin": _unary(np.sin, lambda o, x: np.cos(x)),
    "cos": _unary(np.cos, lambda o, x: -np.sin(x)),
    "tan": _unary(np.tan, lambda o, x: 1.0 / np.cos(x) ** 2),
    "asin": _unary(np.arcsin, lambda o, x: np.divide(1.0, np.sqrt((1.0 - x) * (1.0 + x)))),
    "acos": _unary(np.arccos, lambda o, x: -np.divide(1.0, np.sqrt((1.0 - x) * (1.0 + x)))),
    "atan": _unary(np.arctan, lambda o, x: 1.0 / (1.0 + x * x)),
    "sinh": _unary(np.sinh, lambda o, x: np.cosh(x)),
    "cosh": _unary(np.cosh, lambda o, x: np.sinh(x)),
    "tanh": _unary(np.tanh, lambda o, x: 1.0 / np.cosh(x) ** 2),
    "asinh": _unary(np.arcsinh, lambda o, x: 1.0 / np.hypot(1.0, x)),
    "acosh": _unary(np.arccosh, lambda o, x: np.divide(1.0, np.sqrt((x - 1.0) * (x + 1.0)))),
    "atanh": _unary(np.arctanh, lambda o, x: np.divide(1.0, (1.0 - x) * (1.0 + x))),
    "abs": _unary(np.abs, lambda o, x: np.sign(x)),
    "erf": _unary(_special(math.erf, math.nan), lambda o, x: _ROOT * np.exp(-x * x)),
    "erfc": _unary(_special(math.erfc, math.nan), lambda o, x: -_ROOT * np.exp(-x * x)),
    "gamma": _unary(_special(math.gamma, math.nan), lambda o, x: o * digamma(x)),
    "lgamma": _unary(_special(math.lgamma, math.inf), lambda o, x: digamma(x)),
    "digamma": _unary(_special(digamma, math.nan), lambda o, x: polygamma(x, 1)),
    **{name: Rule(value, partials) for name, (value, partials) in VALUES.items()},
    **{name: Rule(getattr(np, name), _NONE1) for name in ("sign", "floor", "ceil", "trunc", "rint")},
    "stop_gradient": Rule(lambda x: x, _NONE1),
}


def evaluate(op: str, *ins: Number) -> tuple[Number, Partials]:
    """The result of a primitive and its partial derivatives.

    If no operand is a NumPy scalar, the result is a Python float, which NumPy 2's promotion treats as *weak*.
    """
    rule = RULES[op]
    lifted = tuple(_lift(x) for x in ins)
    if any(isinstance(x, np.number) for x in ins):
        out = rule.value(*ins)
    else:
        out = float(rule.value(*lifted))
    return out, rule.partials(_lift(out), *lifted)
