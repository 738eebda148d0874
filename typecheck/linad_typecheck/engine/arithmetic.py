"""Scalar operators: arithmetic, comparisons, bit operations, and truth values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from ..ir.core import Atom, Check, Const
from ..messages.language import Unsupported
from ..messages.types import Widened, WrongType
from ..names.scope import DEQUE, HASHED, Helper, RecordClass
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, SCALARS, DType, wrapped
from .numbers import as_scalar, cast, fitted, promote
from .places import unwrapped
from .refusal import Refused
from .state import Lowering, Raises, zero
from .values import (
    GROWING, SEQUENCES, ArrayValue, Bottom, Delayed, DerivativeValue, EntityValue, FunctionValue, Never, NoneValue,
    Poison, ScalarValue, TextValue, TupleValue, UnionValue, Value, ViewValue, is_complex,
)


ARITHMETIC = {ast.Add: ("add", "+"), ast.Sub: ("sub", "-"), ast.Mult: ("mul", "*")}
BITS = {ast.BitAnd: ("bitand", "&"), ast.BitOr: ("bitor", "|"), ast.BitXor: ("bitxor", "^")}
SHIFTS = {ast.LShift: ("shl", "<<"), ast.RShift: ("shr", ">>")}
TELLS_APART = {ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>"}
COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
_OF_BOOLS = {ast.Add: "or", ast.Mult: "and"}
LOGIC_OF_BITS = {"bitand": "and", "bitor": "or", "bitxor": "ne"}

Operator = Callable[[Lowering, ScalarValue, ScalarValue, DType, bool, Span, str], Value]
# Operators on numbers that are already converted to the dtype of the result; files that build on this one enter them.
OPERATORS: dict[type[ast.operator], Operator] = {}


def truth(ctx: Lowering, v: Value, span: Span) -> Atom:
    """The truth value of ``v`` as a bool atom: of a scalar, an array of rank 0, or a value whose truth is known
    statically."""
    match v:
        case NoneValue() | TextValue(text=""):
            return Const(False, BOOL)
        case TupleValue(items=(Never(), _), record=record) if record in GROWING:
            return Const(False, BOOL)
        case TupleValue(items=(_, ScalarValue(atom=count)), record=record) if record in GROWING:
            return ctx.let("b", "ne", (count, Const(0, I64)), BOOL, span)
        case TupleValue(items=(items, head, _), record=record) if record is DEQUE:
            return (
                Const(False, BOOL)
                if isinstance(items.items[0], Never)
                else ctx.let("b", "ne", (items.items[1].atom, head.atom), BOOL, span)
            )
        case TupleValue(items=(keys, *_), record=record) if record in HASHED:
            return truth(ctx, keys, span)
        case TupleValue(items=(ScalarValue() as real, ScalarValue() as imag)) if is_complex(v):
            parts = [compare(ctx, ast.NotEq, part, ScalarValue(zero(part.dtype)), span) for part in (real, imag)]
            return ctx.let("b", "or", tuple(p.atom for p in parts), BOOL, span)
        case TupleValue(items=items) if v.record in SEQUENCES or v.mapping:
            return Const(bool(items), BOOL)
        case TextValue() | FunctionValue() | DerivativeValue() | EntityValue(entity=Helper() | RecordClass()):
            return Const(True, BOOL)
        case ArrayValue() | ViewValue() | UnionValue() | Delayed():
            v = unwrapped(ctx, v, span)
    s = as_scalar(
        ctx,
        v,
        span,
        "a condition is a scalar",
        "say which cells count: `np.any(...)` or `np.all(...)`; `&`, `|` and `np.where` work cell by cell",
    )
    return cast(ctx, s.atom, "bool", span)


def binary(ctx: Lowering, op: type[ast.operator], a: Value, b: Value, span: Span, hint: str = "t") -> Value:
    """``a op b`` of two scalars."""
    x, y = a, b
    if not type(a) is type(b) is ScalarValue:
        if isinstance(a, Bottom) or isinstance(b, Bottom):
            return Bottom()
        if isinstance(a, Poison) or isinstance(b, Poison):
            ctx.programs.poisoned = True
            return Poison()  # the target of the statement becomes unknown too, so this does not raise
        x, y = (as_scalar(ctx, v, span, "arithmetic is on scalars") for v in (a, b))
    dtype, weak = promote(x, y)
    if op in TELLS_APART and not (
        op is ast.Pow and isinstance(y.atom, Const) and y.dtype in INTS and y.atom.value >= 0
    ):
        _report_widened(ctx, op, (x, y), span)
    if op in BITS or op in SHIFTS:
        return _bits(ctx, op, x, y, dtype, weak, span, hint)
    if dtype == "bool":
        if not weak and op in _OF_BOOLS:  # NumPy bools
            return ScalarValue(ctx.let(hint, _OF_BOOLS[op], (x.atom, y.atom), BOOL, span))
        if not weak and op is not ast.Div:
            instead = "convert one of them: `int(...)`"
            raise Refused(WrongType(span, "arithmetic is on numbers", "bool with bool", instead))
        dtype = "f64" if op is ast.Div else "i64"
    match op:
        case ast.Div:
            dtype = dtype if dtype in FLOATS else "f64"
            return operation(ctx, "div", x, y, dtype, weak, span, hint, raises=by_zero(y) if weak else ())
        case ast.FloorDiv | ast.Mod:
            return _division(ctx, "floordiv" if op is ast.FloorDiv else "mod", x, y, dtype, weak, span, hint)
        case _ if op in OPERATORS:
            return OPERATORS[op](ctx, x, y, dtype, weak, span, hint)
        case _ if op in ARITHMETIC:
            folded = _fold(ARITHMETIC[op][0], x.atom, y.atom, dtype)
            if folded is not None:
                return ScalarValue(folded, weak)
            known = {}
            if op is not ast.Sub and dtype in INTS and ctx.counts(x.atom) and ctx.counts(y.atom):
                a, b = sorted((ctx.bits(x.atom), ctx.bits(y.atom)))
                # a counter that grows by small steps cannot overflow within any realistic running time
                known = ctx.signed(True, a + b if op is ast.Mult else b + (a > 16), dtype)
            return operation(ctx, ARITHMETIC[op][0], x, y, dtype, weak, span, hint, **known)
    raise Refused(Unsupported(span, "this operator", "use + - * / // % ** or write a loop"))


def _report_widened(ctx: Lowering, op: type[ast.operator], operands: tuple[ScalarValue, ...], span: Span) -> None:
    """Report a number that is a Python int on some paths only, if this operation treats ints and floats differently."""
    for v in operands:
        found = ctx.known(v.atom).widened
        if found is not None:
            text = ctx.source.source.segment(found[1])
            ctx.report(Widened(span, found[0], TELLS_APART[op], found[1], text if text.isdigit() else ""))
            return


def operation(
    ctx: Lowering,
    op: str,
    x: ScalarValue,
    y: ScalarValue,
    dtype: DType,
    weak: bool,
    span: Span,
    hint: str,
    **known: Any,
) -> ScalarValue:
    ins = fitted(ctx, x, dtype, span), fitted(ctx, y, dtype, span)
    return ScalarValue(ctx.let(hint, op, ins, SCALARS[dtype], span, **known), weak)


def by_zero(y: ScalarValue) -> Raises:
    """The exception that Python raises when one of its own numbers is divided by zero."""
    return () if isinstance(y.atom, Const) and y.atom.value != 0 else (("ZeroDivisionError", "zero", (y.atom,)),)


_FOLDED = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "floordiv": int.__floordiv__, "mod": int.__mod__}


def _fold(op: str, a: Atom, b: Atom, dtype: DType) -> Const | None:
    """Constant folding of int arithmetic; None where the result is not a constant."""
    if (
        dtype != "i64"
        or not (isinstance(a, Const) and isinstance(b, Const))
        or (op in ("floordiv", "mod") and b.value == 0)
    ):
        return None
    value = _FOLDED[op](int(a.value), int(b.value))
    return Const(value, I64) if abs(value) < 2**63 else None


def _division(ctx, op, x: ScalarValue, y: ScalarValue, dtype: DType, weak: bool, span: Span, hint: str) -> ScalarValue:
    if dtype in INTS:
        check_nonzero(
            ctx, cast(ctx, y.atom, dtype, span), "ZeroDivisionError", "integer division or modulo by zero", span
        )
        folded = _fold(op, x.atom, y.atom, dtype)
        if folded is not None:
            return ScalarValue(folded, weak)
    known: dict[str, Any] = {"raises": by_zero(y)} if weak and dtype in FLOATS else {}
    if dtype in INTS and ctx.is_nonneg(y.atom) and (op == "mod" or ctx.counts(x.atom)):
        sure = op == "mod" or ctx.is_nonneg(x.atom)
        known = {"nonneg": True, "bits": ctx.bits(y.atom if op == "mod" else x.atom)} if sure else {"wraps": True}
    return operation(ctx, op, x, y, dtype, weak, span, hint, **known)


def check_nonzero(ctx: Lowering, a: Atom, error: str, message: str, span: Span) -> None:
    if isinstance(a, Const) and a.value != 0:
        return
    ok = Const(False, BOOL) if isinstance(a, Const) else ctx.let("ok", "ne", (a, Const(0, a.type)), BOOL, span)
    ctx.emit(Check(ok, error, message, (), span))


def _bits(ctx, op, x: ScalarValue, y: ScalarValue, dtype: DType, weak: bool, span: Span, hint: str) -> Value:
    name, sign = BITS[op] if op in BITS else SHIFTS[op]
    if dtype == "bool" and op in BITS:
        out = ctx.let(hint, LOGIC_OF_BITS[name], (x.atom, y.atom), BOOL, span)
        return ScalarValue(out, weak)
    if dtype == "bool":
        dtype = "i64"
    if dtype not in INTS:
        raise Refused(WrongType(span, f"`{sign}` is an operation on ints", "float", "convert with `int(...)`"))
    if op in SHIFTS and weak:  # Python ints; shifts of NumPy ints give 0
        _check_count(ctx, cast(ctx, y.atom, dtype, span), span)
    return operation(ctx, name, x, y, dtype, weak, span, hint)


def _check_count(ctx: Lowering, count: Atom, span: Span) -> None:
    """Shifting a Python int by a negative number of bits raises."""
    if isinstance(count, Const) and count.value >= 0 or ctx.is_nonneg(count):
        return
    zero = Const(0, count.type)
    ok = Const(False, BOOL) if isinstance(count, Const) else ctx.let("ok", "ge", (count, zero), BOOL, span)
    ctx.emit(Check(ok, "ValueError", "negative shift count", (), span))


def compare(ctx: Lowering, op: type[ast.cmpop], a: Value, b: Value, span: Span) -> Value:
    """One comparison of two scalars."""
    if isinstance(a, Poison) or isinstance(b, Poison):
        ctx.programs.poisoned = True
        raise Refused(None)
    x, y = as_scalar(ctx, a, span, "a comparison is of scalars"), as_scalar(ctx, b, span, "a comparison is of scalars")
    dtype, weak = promote(x, y)
    # ints of different dtypes are compared by value
    if x.dtype != y.dtype and x.dtype in INTS and y.dtype in INTS:
        if "u64" in (x.dtype, y.dtype):
            return _compare_unsigned(ctx, op, x, y, span)
        dtype = "i64"
    ins = cast(ctx, x.atom, dtype, span), cast(ctx, y.atom, dtype, span)
    if all(isinstance(a, Const) for a in ins):  # folded, so that the dead arm of an `if` on this is not lowered
        return ScalarValue(Const(getattr(operator, COMPARE[op])(*(a.value for a in ins)), BOOL), weak)
    if ins[0] == ins[1] and dtype in INTS:  # `x.size == x.shape[0]` of an array of rank 1
        return ScalarValue(Const(op in (ast.Eq, ast.LtE, ast.GtE), BOOL), weak)
    return ScalarValue(ctx.let("b", COMPARE[op], ins, BOOL, span), weak)


def _compare_unsigned(ctx: Lowering, op: type[ast.cmpop], x: ScalarValue, y: ScalarValue, span: Span) -> Value:
    """Compare a uint64 with another int: a uint64 beyond the int64 range is larger than any of them."""
    zero, first = Const(0, I64), x.dtype == "u64"
    ins = cast(ctx, x.atom, "i64", span), cast(ctx, y.atom, "i64", span)
    beyond = ctx.let("b", "lt", (ins[0 if first else 1], zero), BOOL, span)
    larger = Const(op in ((ast.Gt, ast.GtE, ast.NotEq) if first else (ast.Lt, ast.LtE, ast.NotEq)), BOOL)
    within = ctx.let("b", COMPARE[op], ins, BOOL, span)
    return ScalarValue(ctx.let("b", "select", (beyond, larger, within), BOOL, span), x.weak and y.weak)


def unary(ctx: Lowering, op: type[ast.unaryop], v: Value, span: Span, hint: str = "t") -> Value:
    if op is ast.Not:
        b = truth(ctx, v, span)
        if isinstance(b, Const):
            return ScalarValue(Const(not b.value, BOOL), True)
        return ScalarValue(ctx.let("b", "not", (b,), BOOL, span), True)
    x = as_scalar(ctx, v, span, "arithmetic is on scalars")
    if op is ast.Invert:
        if x.dtype == "bool" and not x.weak:
            return ScalarValue(ctx.let("b", "not", (x.atom,), BOOL, span))
        if x.dtype in FLOATS:
            raise Refused(WrongType(span, "`~` is an operation on ints", "float", "convert with `int(...)`"))
        atom = cast(ctx, x.atom, "i64" if x.dtype == "bool" else x.dtype, span)
        return ScalarValue(ctx.let(hint, "invert", (atom,), atom.type, span), x.weak)
    if x.dtype == "bool":
        if not x.weak:
            raise Refused(WrongType(span, "arithmetic is on numbers", "bool", "convert it: `int(...)`"))
        x = ScalarValue(cast(ctx, x.atom, "i64", span), True)
    if op is ast.UAdd:
        return x
    if isinstance(x.atom, Const):
        value = -x.atom.value
        return ScalarValue(Const(wrapped(value, x.dtype) if x.dtype in INTS else value, x.atom.type), x.weak)
    return ScalarValue(ctx.let(hint, "neg", (x.atom,), x.atom.type, span), x.weak)
