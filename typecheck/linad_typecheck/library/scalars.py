"""Functions and constants of builtins, math and numpy on scalars: tables from dotted names to primitives."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from ..arrays import ranges
from ..ir.core import Const
from ..engine.arithmetic import binary, compare, truth, unary
from ..engine.elementwise import lift
from ..engine.growing import is_growing
from ..engine.hashed import is_hashed
from ..engine.numbers import as_python_number, as_scalar, cast, converted, fitted, promote
from ..engine.rulebook import Args, Rule, enter_rules, of_arrays, scalars, strong
from ..engine.places import read
from ..engine.refusal import Refused
from ..engine.sizes import dtype_of, is_array, rank_of, size_of
from ..engine.state import Lowering
from ..engine.values import Never, NoneValue, Poison, ScalarValue, TextValue, TupleValue, Value, literal
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import DEQUE
from ..ops import OPS
from ..span import Span
from ..types import (
    BOOL, BYTES, DTYPE_CLASSES, F64, FLOATS, I64, INTS, NUMPY_NAMES, UNSIGNED, DType, Scalar, join_dtypes,
)  # fmt: skip
from .rounding import math_round, numpy_round, python_round

_OPERATORS = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div, "true_divide": ast.Div,
    "power": ast.Pow,
    "pow": ast.Pow, "floor_divide": ast.FloorDiv, "mod": ast.Mod, "remainder": ast.Mod, "bitwise_and": ast.BitAnd,
    "bitwise_or": ast.BitOr, "bitwise_xor": ast.BitXor,
}  # fmt: skip
_COMPARISONS = {
    "less": ast.Lt, "less_equal": ast.LtE, "greater": ast.Gt, "greater_equal": ast.GtE, "equal": ast.Eq,
    "not_equal": ast.NotEq,
}  # fmt: skip


def _float_type(ctx: Lowering, args: Args, values: list[ScalarValue], small: bool = True) -> DType:
    """The float dtype in which NumPy computes: that of the arguments; for ints, one that holds them all. Without
    ``small``, f64 for ints."""
    first = values[0]
    dtype = first.dtype
    for v in values[1:]:
        dtype = promote(first, v)[0]
    if all(v.dtype == "bool" for v in values):
        raise Refused(WrongType(args.span, f"`{args.name}` is of numbers", "bool", "convert it: `float(...)`"))
    if small and dtype in INTS and BYTES[dtype] == 1:
        rule = f"`{args.name}` of 8-bit ints is computed in float16, which linad does not have"
        raise Refused(
            WrongType(
                args.span, rule, NUMPY_NAMES[dtype], "convert the ints: `x.astype(np.float64)`, or `np.float64(n)`"
            )
        )
    return dtype if dtype in FLOATS else "f32" if small and BYTES[dtype] == 2 else "f64"


def _numpy_unary(op: str, small: bool = True) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 1)
        if op == "sign" and values[0].dtype in INTS:
            return _sign(ctx, values[0], args)
        if op in ("floor", "ceil", "trunc") and values[0].dtype in INTS:
            return strong(values[0])
        dtype = _float_type(ctx, args, values, small)
        return ScalarValue(
            ctx.let(args.hint, op, (cast(ctx, values[0].atom, dtype, args.span),), Scalar(dtype), args.span)
        )

    return apply


def _sign(ctx: Lowering, v: ScalarValue, args: Args) -> ScalarValue:
    """``np.sign`` of an int, which has its dtype."""
    low, high = (Const(k, v.atom.type) for k in (-1 if v.dtype not in UNSIGNED else 0, 1))
    at_most = ctx.let("sign", "min", (v.atom, high), v.atom.type, args.span)
    return ScalarValue(ctx.let("sign", "max", (at_most, low), v.atom.type, args.span))


def _numpy_binary(op: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        dtype = _float_type(ctx, args, values)
        ins = tuple(cast(ctx, v.atom, dtype, args.span) for v in values)
        return ScalarValue(ctx.let(args.hint, op, ins, Scalar(dtype), args.span))

    return apply


def _numpy_operator(op: type) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        return strong(binary(ctx, op, *values, args.span, args.hint))

    return apply


def _numpy_comparison(op: type) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        return strong(compare(ctx, op, *values, args.span))

    return apply


def _test(op: str, weak: bool) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 1)
        x = values[0].atom if values[0].dtype in FLOATS else cast(ctx, values[0].atom, "f64", args.span)
        return ScalarValue(ctx.let("b", op, (x,), BOOL, args.span), weak)

    return apply


def _numpy_choose(op: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        return choose(ctx, op, values[0], values[1], args)

    return apply


def choose(ctx: Lowering, op: str, a: ScalarValue, b: ScalarValue, args: Args) -> Value:
    """NumPy's `maximum` or `minimum` of two scalars."""
    dtype, _ = promote(a, b)
    if dtype == "bool":
        raise Refused(WrongType(args.span, f"`{args.name}` is of numbers", "bool", "use `and` or `or`"))
    ins = tuple(fitted(ctx, v, dtype, args.span) for v in (a, b))
    return ScalarValue(ctx.let(args.hint, op, ins, Scalar(dtype), args.span))


def _where(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 3)
    cond = truth(ctx, values[0], args.span)
    dtype, _ = promote(values[1], values[2])
    ins = tuple(fitted(ctx, v, dtype, args.span) for v in values[1:])
    return ScalarValue(ctx.let(args.hint, "select", (cond, *ins), Scalar(dtype), args.span))


def _square(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 1)
    return strong(binary(ctx, ast.Mult, values[0], values[0], args.span, args.hint))


def _negative(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 1)
    return strong(unary(ctx, ast.USub, values[0], args.span, args.hint))


def _reciprocal(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 1)
    if values[0].dtype not in FLOATS:
        told = "NumPy's reciprocal of an int is an int, mostly 0", values[0].dtype, "divide: `1.0 / n`"
        raise Refused(WrongType(args.span, *told))
    return strong(binary(ctx, ast.Div, literal(1.0), values[0], args.span, args.hint))


def _abs(weak_only: bool) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 1)
        x = values[0]
        if x.dtype == "bool" and x.weak and weak_only:
            return ScalarValue(cast(ctx, x.atom, "i64", args.span), True)
        if x.dtype == "bool":  # the absolute value of a NumPy bool is itself
            return ScalarValue(x.atom)
        return ScalarValue(ctx.let(args.hint, "abs", (x.atom,), x.atom.type, args.span), x.weak and weak_only)

    return apply


def _math(op: str, arity: int = 1) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, arity)
        ins = tuple(cast(ctx, v.atom, "f64", args.span) for v in values)
        known = OPS[op].raises
        raises = tuple((kind, test, ins) for kind, test in (_UNKNOWN if known is None else known))
        return ScalarValue(ctx.let(args.hint, op, ins, F64, args.span, raises=raises), True)

    return apply


_UNKNOWN = (("ValueError", "unknown"), ("OverflowError", "unknown"))


def _math_log(ctx: Lowering, args: Args) -> Value:
    if len(args.values) == 2:
        top, base = (_math("log")(ctx, Args(args.name, args.span, (v,), args.keywords)) for v in args.values)
        return binary(ctx, ast.Div, top, base, args.span, args.hint)
    return _math("log")(ctx, args)


def _scaled(factor: float) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 1)
        dtype = _float_type(ctx, args, values)
        number = ScalarValue(cast(ctx, values[0].atom, dtype, args.span), values[0].weak)
        return binary(ctx, ast.Mult, number, literal(factor), args.span, args.hint)

    return apply


def _convert(dtype: DType, dotted: str) -> Rule:
    weak = dotted.startswith("builtins.")

    def apply(ctx: Lowering, args: Args) -> Value:
        if not args.values and not args.keywords:
            return ScalarValue(cast(ctx, Const(0, Scalar("i64")), dtype, args.span), weak)
        if len(args.values) == 1 and isinstance(args.values[0], TextValue) and dtype in ("f64", "i64"):
            number = _of_text(ctx, args.values[0].text, dtype, args)
            return ScalarValue(Const(number, Scalar(dtype)), weak)
        if len(args.values) == 1 and dotted == "builtins.bool":
            return ScalarValue(truth(ctx, args.values[0], args.span), weak)
        if len(args.values) == 1 and is_array(args.values[0]) and dotted.startswith("numpy."):
            if rank_of(args.values[0]) and dtype_of(args.values[0]) == dtype:
                return args.values[0]  # NumPy returns the array itself
            return lift(ctx, args.values, lambda v: apply(ctx, replace(args, values=v)), args.span, args.hint)
        if len(args.values) == 1 and is_array(args.values[0]) and not rank_of(args.values[0]):
            return apply(ctx, replace(args, values=(read(ctx, args.values[0], (), args.span),)))
        if len(args.values) == 1 and is_array(args.values[0]):
            ctx.raised("TypeError")
            raise Refused(
                Unsupported(args.span, f"`{args.name}` of an array with axes", "take its cell: `a[0]`, or `a.item()`")
            )
        values = scalars(ctx, args, 1)
        return ScalarValue((as_python_number if weak else converted)(ctx, values[0], dtype, args.span, args.hint), weak)

    return apply


def _of_text(ctx: Lowering, text: str, dtype: DType, args: Args) -> float | int:
    """``float("inf")`` and ``int("3")``."""
    try:
        return float(text) if dtype == "f64" else int(text)
    except ValueError as error:
        ctx.raised("ValueError")
        raise Refused(BadCall(args.span, args.name, f"raises ValueError: {error}")) from None


def extreme(ctx: Lowering, name: str, op: str, span: Span, values: tuple[Value, ...], hint: str) -> Value:
    """Python's ``min`` or ``max`` of values, in their common type."""
    found = [
        as_scalar(ctx, v, span, f"`{name}` is applied to scalars here", of_arrays(name, len(values) > 1))
        for v in values
    ]
    best = found[0]
    for v in found[1:]:
        dtype = join_dtypes(best.dtype, best.weak, v.dtype, v.weak)
        if dtype is None or dtype == "bool":
            raise Refused(WrongType(span, f"`{name}` is of numbers", "bool", "use `and` or `or`"))
        ins = tuple(fitted(ctx, x, dtype, span) for x in (best, v))
        if dtype in INTS and all(isinstance(a, Const) for a in ins):  # folded, for example for the ranks of arrays
            chosen = (max if op == "max" else min)(a.value for a in ins)
            best = ScalarValue(Const(chosen, Scalar(dtype)), best.weak and v.weak)
            continue
        signs = [dtype in INTS and ctx.is_nonneg(a) for a in ins]
        sure = all(signs) or (op == "max" and any(signs))
        out = ctx.let(hint, op, ins, Scalar(dtype), span, nonneg=sure, bits=max(map(ctx.bits, ins)) if sure else 0)
        best = ScalarValue(out, best.weak and v.weak)
    return best


def _extreme(op: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        if args.keywords or not args.values:
            raise Refused(BadCall(args.span, args.name, "takes several values, or one iterable and `default=`"))
        return extreme(ctx, args.name, op, args.span, args.values, args.hint)

    return apply


def _divmod(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 2)
    return TupleValue(tuple(binary(ctx, op, *values, args.span) for op in (ast.FloorDiv, ast.Mod)))


def _len(ctx: Lowering, args: Args) -> Value:
    match args.values:
        case (v,) if is_array(v) and rank_of(v) > 0:
            return ScalarValue(size_of(ctx, v, 0, args.span), True)
        case (TupleValue(items=(cells, count)) as t,) if is_growing(t):
            return literal(0) if isinstance(cells, Never) else count
        case (TupleValue(items=(items, head, _), record=record),) if record is DEQUE:
            n = _len(ctx, replace(args, values=(items,)))
            return binary(ctx, ast.Sub, n, head, args.span)
        case (TupleValue(items=(keys, *_)) as t,) if is_hashed(t):
            return _len(ctx, replace(args, values=(keys,)))
        case (TupleValue(items=items) as t,) if t.mapping or not t.closed:
            return literal(len(items))
        case (TextValue(text=text),):
            return literal(len(text))
        case (TupleValue() as r,) if ranges.is_range(r):
            return ScalarValue(ranges.length(ctx, r, args.span), True)
        case (Poison(),):
            raise Refused(None)
    if isinstance(args.values[0] if len(args.values) == 1 else None, ScalarValue | NoneValue):
        ctx.raised("TypeError")
    raise Refused(WrongType(args.span, "`len` is of an array or a tuple", "something else"))


def _unary_logic(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 1)
    return strong(unary(ctx, ast.Not, values[0], args.span))


def _numpy_logic(op: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        ins = tuple(truth(ctx, v, args.span) for v in values)
        return ScalarValue(ctx.let("b", op, ins, BOOL, args.span))

    return apply


RULES: dict[str, Rule] = {
    **{
        f"numpy.{n}": _numpy_binary(op.name) if op.arity == 2 else _numpy_unary(op.name)
        for op in OPS.values()
        for n in op.numpy
    },
    **{f"numpy.{n}": _numpy_operator(op) for n, op in _OPERATORS.items()},
    **{f"numpy.{n}": _numpy_comparison(op) for n, op in _COMPARISONS.items()},
    **{f"numpy.{n}": _test(n, False) for n in ("isnan", "isinf", "isfinite")},
    **{f"math.{n}": _test(n, True) for n in ("isnan", "isinf", "isfinite")},
    **{f"math.{op.math}": _math(op.name, op.arity) for op in OPS.values() if op.math and not op.variadic},
    **{f"math.{n}": math_round(n) for n in ("floor", "ceil", "trunc")},
    "math.log": _math_log,
    "math.pow": _math("pow", 2),
    "math.radians": _scaled(math.pi / 180),
    "math.degrees": _scaled(180 / math.pi),
    "numpy.radians": _scaled(math.pi / 180),
    "numpy.deg2rad": _scaled(math.pi / 180),
    "numpy.degrees": _scaled(180 / math.pi),
    "numpy.rad2deg": _scaled(180 / math.pi),
    "numpy.maximum": _numpy_choose("maximum"),
    "numpy.minimum": _numpy_choose("minimum"),
    "numpy.where": _where,
    "numpy.square": _square,
    "numpy.round": numpy_round,
    "numpy.around": numpy_round,
    "numpy.negative": _negative,
    "numpy.reciprocal": _reciprocal,
    "numpy.abs": _abs(False),
    "numpy.absolute": _abs(False),
    "numpy.logical_not": _unary_logic,
    "numpy.logical_and": _numpy_logic("and"),
    "numpy.logical_or": _numpy_logic("or"),
    "scipy.special.erf": _numpy_unary("erf", small=False),
    "scipy.special.erfc": _numpy_unary("erfc", small=False),
    "builtins.abs": _abs(True),
    "builtins.min": _extreme("min"),
    "builtins.max": _extreme("max"),
    "builtins.round": python_round,
    "builtins.pow": lambda ctx, args: _power(ctx, args),
    "builtins.divmod": _divmod,
    "builtins.len": _len,
}


def _power(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 2)
    return binary(ctx, ast.Pow, *values, args.span, args.hint)


enter_rules(RULES, "scalars")
enter_rules({dotted: _convert(dtype, dotted) for dotted, dtype in DTYPE_CLASSES.items()}, "stored arrays", "dtype")
