"""Scalar arithmetic with the promotion rules of NumPy 2: Python's own numbers are weak, NumPy's are strong."""

from __future__ import annotations

import ast
import operator
from typing import Any

from ..core import Atom, Check, Const, Var
from ..messages.language import Unsupported
from ..messages.types import Widened, WrongType
from ..scope import Helper, RecordClass
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, DType, Scalar
from .context import Lowering
from .values import (
    ARRAYS,
    SILENT,
    ArrayValue,
    Bottom,
    Delayed,
    DerivativeValue,
    EntityValue,
    FunctionValue,
    NoneValue,
    Poison,
    ScalarValue,
    TextValue,
    TupleValue,
    UnionValue,
    Value,
    ViewValue,
    describe,
    type_of,
)

ARITHMETIC = {ast.Add: ("add", "+"), ast.Sub: ("sub", "-"), ast.Mult: ("mul", "*")}
BITS = {ast.BitAnd: ("bitand", "&"), ast.BitOr: ("bitor", "|"), ast.BitXor: ("bitxor", "^")}
SHIFTS = {ast.LShift: ("shl", "<<"), ast.RShift: ("shr", ">>")}
TELLS_APART = {ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>"}
COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
LOGIC_OF_BITS = {"bitand": "and", "bitor": "or", "bitxor": "ne"}


def as_scalar(ctx: Lowering, v: Value, span: Span, what: str = "a scalar is needed here", instead: str = "") -> ScalarValue | None:
    """``v`` if it is a scalar (rank-0 arrays are not), else None and a report."""
    if isinstance(v, ScalarValue):
        return v
    if isinstance(v, SILENT):
        ctx.programs.poisoned |= isinstance(v, Poison)
    else:
        is_array = isinstance(v, (*ARRAYS, Delayed))
        instead = (instead or "use one cell of it: `a[i]`") if is_array else ""
        ctx.report(WrongType(span, what, f"an {describe(type_of(v))}" if is_array else describe(type_of(v)), instead))
    return None


def promote(a: ScalarValue, b: ScalarValue) -> tuple[DType, bool]:
    """The dtype two numbers meet in, and whether the result is weak."""
    x, y = a.dtype, b.dtype
    if a.weak and b.weak:
        order = ("bool", "i64", "f64")
        return max(x, y, key=order.index), True
    if a.weak != b.weak:
        weak, strong = (x, y) if a.weak else (y, x)
        if strong[0] == "f" or weak == "bool" or (weak[0] == "i" and strong[0] == "i"):
            return strong, False
        return weak, False
    if x == y:
        return x, False
    if "bool" in (x, y):
        return (y if x == "bool" else x), False
    return ("f64" if "f" in (x[0], y[0]) else "i64"), False


def cast(ctx: Lowering, a: Atom, dtype: DType, span: Span, hint: str = "t") -> Atom:
    """The atom converted to a dtype; constants are converted here."""
    if a.type.dtype == dtype:
        return a
    if isinstance(a, Const):
        done = _cast_const(a.value, dtype)
        if done is not None:
            return done
    if dtype == "bool":
        return ctx.let("b", "ne", (a, Const(0.0 if a.type.dtype in FLOATS else 0, a.type)), BOOL, span)
    known = {}
    if dtype == "i64" and a.type.dtype in INTS:
        known = ctx.signed(ctx.counts(a), ctx.bits(a) if ctx.is_nonneg(a) else 63)
    return ctx.let(hint, "cast", (a,), Scalar(dtype), span, **known)


def to_int(ctx: Lowering, a: Atom, dtype: DType, span: Span, hint: str = "t") -> Atom:
    """A number truncated to an int; one that has no int of 64 bits raises as Python's `int` does."""
    if a.type.dtype in FLOATS:
        if isinstance(a, Const) and abs(a.value) < 2**31:
            return Const(int(a.value), Scalar(dtype))
        number = ctx.let("ok", "eq", (a, a), BOOL, span)
        ctx.emit(Check(number, "ValueError", "cannot convert float NaN to integer", (), span))
        bits = 63 if dtype == "i64" else 31
        whole = ctx.let("t", "trunc", (a,), a.type, span)
        low, high = (Const(limit, a.type) for limit in (-(2.0**bits), 2.0**bits))
        inside = ctx.let("ok", "ge", (whole, low), BOOL, span), ctx.let("ok", "lt", (whole, high), BOOL, span)
        fits = ctx.let("ok", "and", inside, BOOL, span)
        ctx.emit(Check(fits, "OverflowError", f"the float {{0}} is too large for an int of {bits + 1} bits", (a,), span))
    return cast(ctx, a, dtype, span, hint)


def _cast_const(value: float | int | bool, dtype: DType) -> Const | None:
    if dtype == "f64" or (dtype == "f32" and float(value) == int(value) and abs(value) < 2**24 if _finite(value) else False):
        return Const(float(value), Scalar(dtype))
    if dtype in INTS and isinstance(value, int):
        return Const(int(value), Scalar(dtype))
    if dtype == "bool":
        return Const(bool(value), BOOL)
    return None


def _finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")


def truth(ctx: Lowering, v: Value, span: Span) -> Atom | None:
    """Python's truth value, as a bool atom: of a scalar, an array of rank 0, or what is true or false by what it is."""
    match v:
        case NoneValue() | TextValue(text=""):
            return Const(False, BOOL)
        case TupleValue(items=items) if v.record is None or v.listed:
            return Const(bool(items), BOOL)
        case TextValue() | FunctionValue() | DerivativeValue() | EntityValue(entity=Helper() | RecordClass()):
            return Const(True, BOOL)
        case ArrayValue() | ViewValue() | UnionValue() | Delayed():
            from .operands import unwrapped

            v = unwrapped(ctx, v, span)
    s = as_scalar(ctx, v, span, "a condition is a scalar", "say which cells count: `np.any(...)` or `np.all(...)`; `&`, `|` and `np.where` work cell by cell")
    return None if s is None else cast(ctx, s.atom, "bool", span)


def binary(ctx: Lowering, op: type[ast.operator], a: Value, b: Value, span: Span, hint: str = "t") -> Value:
    """``a op b`` of two scalars."""
    if isinstance(a, Bottom) or isinstance(b, Bottom):
        return Bottom()
    if isinstance(a, Poison) or isinstance(b, Poison):
        ctx.programs.poisoned = True
        return Poison()
    x, y = as_scalar(ctx, a, span, "arithmetic is on scalars"), as_scalar(ctx, b, span, "arithmetic is on scalars")
    if x is None or y is None:
        return Poison()
    dtype, weak = promote(x, y)
    if op in TELLS_APART:
        _report_widened(ctx, op, (x, y), span)
    if op in BITS or op in SHIFTS:
        return _bits(ctx, op, x, y, dtype, weak, span, hint)
    if dtype == "bool":
        if not weak and op is not ast.Div:
            ctx.report(WrongType(span, "arithmetic is on numbers", "bool with bool", "convert one of them: `int(...)`"))
            return Poison()
        dtype = "f64" if op is ast.Div else "i64"
    match op:
        case ast.Div:
            dtype = dtype if dtype in FLOATS else "f64"
            return _let(ctx, "div", x, y, dtype, weak, span, hint)
        case ast.FloorDiv | ast.Mod:
            return _division(ctx, "floordiv" if op is ast.FloorDiv else "mod", x, y, dtype, weak, span, hint)
        case ast.Pow:
            return _power(ctx, x, y, dtype, weak, span, hint)
        case _ if op in ARITHMETIC:
            folded = _fold(ARITHMETIC[op][0], x.atom, y.atom, dtype)
            if folded is not None:
                return ScalarValue(folded, weak)
            known = {}
            if op is not ast.Sub and dtype in INTS and ctx.counts(x.atom) and ctx.counts(y.atom):
                a, b = sorted((ctx.bits(x.atom), ctx.bits(y.atom)))
                # counting on by small steps does not come to more than a program has the time for
                known = ctx.signed(True, a + b if op is ast.Mult else b + (a > 16), dtype)
            return _let(ctx, ARITHMETIC[op][0], x, y, dtype, weak, span, hint, **known)
    ctx.report(Unsupported(span, "this operator", "use + - * / // % ** or write a loop"))
    return Poison()


def _report_widened(ctx: Lowering, op: type[ast.operator], operands: tuple[ScalarValue, ...], span: Span) -> None:
    """Report a number that is an int in Python on some paths only where it reaches an operation that tells the two apart."""
    for v in operands:
        found = ctx.known(v.atom).widened
        if found is not None:
            text = ctx.source.source.segment(found[1])
            ctx.report(Widened(span, found[0], TELLS_APART[op], found[1], text if text.isdigit() else ""))
            return


def _let(
    ctx: Lowering, op: str, x: ScalarValue, y: ScalarValue, dtype: DType, weak: bool, span: Span, hint: str, **known: Any
) -> ScalarValue:
    ins = cast(ctx, x.atom, dtype, span), cast(ctx, y.atom, dtype, span)
    return ScalarValue(ctx.let(hint, op, ins, Scalar(dtype), span, **known), weak)


def _fold(op: str, a: Atom, b: Atom, dtype: DType) -> Const | None:
    """Sums and products of int literals."""
    if dtype != "i64" or not (isinstance(a, Const) and isinstance(b, Const)):
        return None
    value = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}[op](int(a.value), int(b.value))
    return Const(value, I64) if abs(value) < 2**63 else None


def _division(ctx, op, x: ScalarValue, y: ScalarValue, dtype: DType, weak: bool, span: Span, hint: str) -> ScalarValue:
    if dtype in INTS:
        check_nonzero(ctx, cast(ctx, y.atom, dtype, span), "ZeroDivisionError", "integer division or modulo by zero", span)
    known = {}
    if dtype in INTS and ctx.is_nonneg(y.atom) and (op == "mod" or ctx.counts(x.atom)):
        sure = op == "mod" or ctx.is_nonneg(x.atom)
        known = {"nonneg": True, "bits": ctx.bits(y.atom if op == "mod" else x.atom)} if sure else {"wraps": True}
    return _let(ctx, op, x, y, dtype, weak, span, hint, **known)


def check_nonzero(ctx: Lowering, a: Atom, error: str, message: str, span: Span) -> None:
    if isinstance(a, Const) and a.value != 0:
        return
    ok = Const(False, BOOL) if isinstance(a, Const) else ctx.let("ok", "ne", (a, Const(0, a.type)), BOOL, span)
    ctx.emit(Check(ok, error, message, (), span))


def _power(ctx, x: ScalarValue, y: ScalarValue, dtype: DType, weak: bool, span: Span, hint: str) -> Value:
    literal = isinstance(y.atom, Const) and y.dtype in ("i64", "i32")
    if dtype in FLOATS:
        if literal:
            base = cast(ctx, x.atom, dtype, span)
            return ScalarValue(ctx.let(hint, "powi", (base, y.atom), Scalar(dtype), span), weak)
        return _let(ctx, "pow", x, y, dtype, weak, span, hint)
    if literal and y.atom.value >= 0:
        base = cast(ctx, x.atom, dtype, span)
        return ScalarValue(ctx.let(hint, "pow", (base, Const(y.atom.value, Scalar(dtype))), Scalar(dtype), span), weak)
    if literal and weak:  # Python's int: a float, whatever the base is
        base = cast(ctx, x.atom, "f64", span)
        return ScalarValue(ctx.let(hint, "powi", (base, y.atom), Scalar("f64"), span), weak)
    if literal:
        rule, instead = "a power of NumPy's int needs an exponent that is not negative", "make the base a float: `float(n) ** k`"
        ctx.report(WrongType(span, rule, "int ** negative int", instead))
        return Poison()
    from .rulebook import Args
    from .written import called

    base, exponent = (ScalarValue(cast(ctx, v.atom, dtype, span), weak) for v in (x, y))
    return called(ctx, Args("**", span, (), {}, hint), _POWER, base, exponent)


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


def _bits(ctx, op, x: ScalarValue, y: ScalarValue, dtype: DType, weak: bool, span: Span, hint: str) -> Value:
    name, sign = BITS[op] if op in BITS else SHIFTS[op]
    if dtype == "bool" and op in BITS:
        out = ctx.let(hint, LOGIC_OF_BITS[name], (x.atom, y.atom), BOOL, span)
        return ScalarValue(out, weak)
    if dtype == "bool":
        dtype = "i64"
    if dtype not in INTS:
        ctx.report(WrongType(span, f"`{sign}` is an operation on ints", "float", "convert with `int(...)`"))
        return Poison()
    if op in SHIFTS and weak:  # Python's ints; NumPy's give 0
        _check_count(ctx, cast(ctx, y.atom, dtype, span), span)
    return _let(ctx, name, x, y, dtype, weak, span, hint)


def _check_count(ctx: Lowering, count: Atom, span: Span) -> None:
    """A shift of a Python int by a negative number of bits raises."""
    if isinstance(count, Const) and count.value >= 0 or ctx.is_nonneg(count):
        return
    zero = Const(0, count.type)
    ok = Const(False, BOOL) if isinstance(count, Const) else ctx.let("ok", "ge", (count, zero), BOOL, span)
    ctx.emit(Check(ok, "ValueError", "negative shift count", (), span))


def compare(ctx: Lowering, op: type[ast.cmpop], a: Value, b: Value, span: Span) -> Value:
    """One comparison of two scalars."""
    if isinstance(a, Poison) or isinstance(b, Poison):
        ctx.programs.poisoned = True
        return Poison()
    x, y = as_scalar(ctx, a, span, "a comparison is of scalars"), as_scalar(ctx, b, span, "a comparison is of scalars")
    if x is None or y is None:
        return Poison()
    dtype, weak = promote(x, y)
    ins = cast(ctx, x.atom, dtype, span), cast(ctx, y.atom, dtype, span)
    if all(isinstance(a, Const) for a in ins):  # an arm of an `if` on it is not even looked at where it is never taken
        return ScalarValue(Const(getattr(operator, COMPARE[op])(*(a.value for a in ins)), BOOL), weak)
    return ScalarValue(ctx.let("b", COMPARE[op], ins, BOOL, span), weak)


def unary(ctx: Lowering, op: type[ast.unaryop], v: Value, span: Span, hint: str = "t") -> Value:
    if op is ast.Not:
        b = truth(ctx, v, span)
        if b is None:
            return Poison()
        if isinstance(b, Const):
            return ScalarValue(Const(not b.value, BOOL), True)
        return ScalarValue(ctx.let("b", "not", (b,), BOOL, span), True)
    x = as_scalar(ctx, v, span, "arithmetic is on scalars")
    if x is None:
        return Poison()
    if op is ast.Invert:
        if x.dtype == "bool" and not x.weak:
            return ScalarValue(ctx.let("b", "not", (x.atom,), BOOL, span))
        if x.dtype in FLOATS:
            ctx.report(WrongType(span, "`~` is an operation on ints", "float", "convert with `int(...)`"))
            return Poison()
        atom = cast(ctx, x.atom, "i64" if x.dtype == "bool" else x.dtype, span)
        return ScalarValue(ctx.let(hint, "invert", (atom,), atom.type, span), x.weak)
    if x.dtype == "bool":
        if not x.weak:
            ctx.report(WrongType(span, "arithmetic is on numbers", "bool", "convert it: `int(...)`"))
            return Poison()
        x = ScalarValue(cast(ctx, x.atom, "i64", span), True)
    if op is ast.UAdd:
        return x
    if isinstance(x.atom, Const):
        return ScalarValue(Const(-x.atom.value, x.atom.type), x.weak)
    return ScalarValue(ctx.let(hint, "neg", (x.atom,), x.atom.type, span), x.weak)
