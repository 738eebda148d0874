"""Powers: of floats by a primitive, of ints by a loop if the exponent is not a literal."""

from __future__ import annotations

import ast

from ..ir.core import Const
from ..engine.arithmetic import OPERATORS, operation
from ..engine.numbers import cast
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.values import ScalarValue, Value
from ..engine.snippets import call_snippet
from ..messages.types import WrongType
from ..span import Span
from ..types import FLOATS, INTS, DType, Scalar


def _power(ctx, x: ScalarValue, y: ScalarValue, dtype: DType, weak: bool, span: Span, hint: str) -> Value:
    literal = isinstance(y.atom, Const) and y.dtype in INTS
    if dtype in FLOATS:
        if literal:
            base = cast(ctx, x.atom, dtype, span)
            raises = (() if y.atom.value >= 0 else (("ZeroDivisionError", "zero", (base,)),)) + (
                ("OverflowError", "overflow", (base,)),
            )
            return ScalarValue(
                ctx.let(hint, "powi", (base, y.atom), Scalar(dtype), span, raises=raises if weak else ()), weak
            )
        ins = (cast(ctx, x.atom, dtype, span), cast(ctx, y.atom, dtype, span))
        raises = (("ZeroDivisionError", "zero to a negative power", ins), ("OverflowError", "overflow", ins))
        return operation(ctx, "pow", x, y, dtype, weak, span, hint, raises=raises if weak else ())
    if literal and y.atom.value >= 0:
        base = cast(ctx, x.atom, dtype, span)
        return ScalarValue(ctx.let(hint, "pow", (base, Const(y.atom.value, Scalar(dtype))), Scalar(dtype), span), weak)
    if literal and weak:  # a negative power of Python numbers is a float, whatever the base is
        base = cast(ctx, x.atom, "f64", span)
        return ScalarValue(ctx.let(hint, "powi", (base, y.atom), Scalar("f64"), span), weak)
    if literal:
        rule, instead = (
            "a power of NumPy's int needs an exponent that is not negative",
            "make the base a float: `float(n) ** k`",
        )
        raise Refused(WrongType(span, rule, "int ** negative int", instead))

    base, exponent = (ScalarValue(cast(ctx, v.atom, dtype, span), weak) for v in (x, y))
    return call_snippet(ctx, Args("**", span, (), {}, hint), _POWER, base, exponent)


_POWER = """
def power(base, exponent):
    if exponent < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    result = base * 0 + 1
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base
        base = base * base
        exponent = exponent // 2
    return result
"""


OPERATORS[ast.Pow] = _power
