"""Rounding to integers and to decimal digits."""

from __future__ import annotations

from ..ir.core import Const
from ..engine.numbers import as_index, to_int
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, scalars, strong
from ..engine.state import Lowering
from ..engine.values import ScalarValue, Value
from ..messages.language import Unsupported
from ..types import FLOATS, I64, INTS


def math_round(op: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 1)
        x = values[0]
        if x.dtype not in FLOATS:
            return ScalarValue(as_index(ctx, x.atom, args.span), True)
        rounded = ctx.let("t", op, (x.atom,), x.atom.type, args.span)
        return ScalarValue(to_int(ctx, rounded, "i64", args.span, args.hint), True)

    return apply


def python_round(ctx: Lowering, args: Args) -> Value:
    if len(args.values) == 2 or "ndigits" in args.keywords:
        return _to_digits(ctx, args, "ndigits")
    return math_round("rint")(ctx, args)


def numpy_round(ctx: Lowering, args: Args) -> Value:
    return strong(_to_digits(ctx, args, "decimals"))


def _to_digits(ctx: Lowering, args: Args, name: str) -> Value:
    """Scale, round half to even, and scale back, as NumPy does."""
    given = (*args.values, *([args.keywords[name]] if name in args.keywords and len(args.values) == 1 else ()))
    rest = {k: v for k, v in args.keywords.items() if k != name}
    values = scalars(ctx, Args(args.name, args.span, given, rest), 1, 2)
    x, digits = values[0], values[1].atom if len(values) == 2 else Const(0, I64)
    if not isinstance(digits, Const) or not isinstance(digits.value, int) or abs(digits.value) > 22:
        ctx.wants_literal(values[-1])
        raise Refused(
            Unsupported(args.span, f"`{args.name}` to this number of digits", "give a literal int: `round(x, 3)`")
        )
    k = digits.value
    if x.dtype not in FLOATS:
        if k >= 0 and x.dtype in INTS:
            return x
        raise Refused(Unsupported(args.span, f"`{args.name}` of an int to tens", "divide, round and multiply"))
    scale = Const(10.0 ** abs(k), x.atom.type)
    there, back = ("mul", "div") if k >= 0 else ("div", "mul")
    scaled = x.atom if k == 0 else ctx.let("t", there, (x.atom, scale), x.atom.type, args.span)
    whole = ctx.let(args.hint, "rint", (scaled,), x.atom.type, args.span)
    return ScalarValue(whole if k == 0 else ctx.let(args.hint, back, (whole, scale), x.atom.type, args.span), x.weak)
