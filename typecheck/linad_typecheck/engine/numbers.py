"""Scalar arithmetic with the promotion rules of NumPy 2: Python's own numbers are weak, NumPy's are strong."""

from __future__ import annotations

from ..ir.core import Atom, Check, Const, Var
from ..messages.types import WrongType
from ..names.scope import EnumMember, Instance
from ..span import Span
from ..types import BOOL, BYTES, FLOATS, I64, INTS, LIMITS, NARROW, NUMPY_NAMES, DType, Scalar, common, wrapped
from .refusal import Refused
from .state import Lowering
from .values import (
    ARRAYS, SILENT, Delayed, EntityValue, Poison, ScalarValue, TextValue, TupleValue, Value, both_weak,
    describe, is_choice, literal, type_of,
)


def as_scalar(
    ctx: Lowering, v: Value, span: Span, what: str = "a scalar is needed here", instead: str = ""
) -> ScalarValue:
    """``v``, if it is a scalar. Anything else is refused, also an array of rank 0."""
    if isinstance(v, ScalarValue):
        return v
    if (number := number_of(ctx, v, span)) is not None:
        return number
    if isinstance(v, SILENT):
        ctx.programs.poisoned |= isinstance(v, Poison)
        raise Refused(None)
    is_array = isinstance(v, (*ARRAYS, Delayed))
    shown = describe(type_of(v))
    match v:
        case EntityValue(entity=Instance(classes=(key, *_), made=None)):
            shown = f"{shown}, an object of the class `{key.rpartition('.')[2]}`"
            instead = (
                "write the computation with floats: operators of classes have no meaning here, their attributes have"
            )
        case _ if is_array:
            shown, instead = f"an {shown}", instead or "use one cell of it: `a[i]`"
        case TupleValue(items=(_, *_) as items) if not v.closed and all(isinstance(x, ScalarValue) for x in items):
            instead = "make an array of it: `np.array(...)`"
        case TextValue():
            instead = "make texts outside the function"
        case _ if is_choice(v):
            instead = "compare it, or look up what belongs to it; what has many values is an int"
        case _:
            instead = ""
    raise Refused(WrongType(span, what, shown, instead))


def number_of(ctx: Lowering, v: Value, span: Span) -> ScalarValue | None:
    """The number of an `IntEnum` member, or of one of several; None for any other value."""
    match v:
        case EntityValue(entity=EnumMember(value=int() | float() as value, plain=True)):
            return literal(value)
        case TupleValue(items=(code, *options)) if is_choice(v):
            numbers = [number_of(ctx, x, span) for x in options]
            if None in numbers or len({n.dtype for n in numbers}) > 1:
                return None
            found = numbers.pop().atom
            for option, number in zip(options, numbers, strict=False):
                this = ctx.let("b", "eq", (code.atom, Const(ctx.programs.code(option), I64)), BOOL, span)
                found = ctx.let("t", "select", (this, number.atom, found), found.type, span)
            return ScalarValue(found, True)
    return None


def promote(a: ScalarValue, b: ScalarValue) -> tuple[DType, bool]:
    """The dtype of the result of two numbers, and whether it is weak."""
    x, y = a.dtype, b.dtype
    if x == y:
        return x, both_weak(a.weak, b.weak)
    if a.weak and b.weak:
        order = ("bool", "i64", "f64")
        return max(x, y, key=order.index), True
    if a.weak != b.weak:
        weak, strong = (x, y) if a.weak else (y, x)
        if strong in FLOATS or weak == "bool" or (weak in INTS and strong in INTS):
            return strong, False
        return weak, False
    return common(x, y), False


def fitted(ctx: Lowering, v: ScalarValue, dtype: DType, span: Span, hint: str = "t") -> Atom:
    """A number converted to a dtype. A Python int that is out of range raises, as in NumPy; other numbers wrap."""
    a = v.atom
    if v.dtype == "i64" and dtype in INTS and dtype != "i64" and v.weak:
        low, high = LIMITS[dtype]
        ends = {"ge": low} if not ctx.is_nonneg(a) else {}
        if dtype != "u64" and ctx.bits(a) > high.bit_length():
            ends["le"] = high
        tests = (
            [ctx.let("ok", test, (a, Const(end, I64)), BOOL, span) for test, end in ends.items()]
            if isinstance(a, Var)
            else []
        )
        if isinstance(a, Const) and not low <= a.value <= high:
            tests = [Const(False, BOOL)]
        for ok in tests:
            ctx.emit(
                Check(ok, "OverflowError", f"Python integer {{0}} out of bounds for {NUMPY_NAMES[dtype]}", (a,), span)
            )
    return cast(ctx, a, dtype, span, hint)


def cast(ctx: Lowering, a: Atom, dtype: DType, span: Span, hint: str = "t") -> Atom:
    """An atom converted to a dtype. Constants are folded."""
    if a.type.dtype == dtype:
        return a
    if isinstance(a, Const):
        done = _cast_const(a.value, dtype)
        if done is not None:
            return done
    if dtype == "bool":
        return ctx.let("b", "ne", (a, Const(0.0 if a.type.dtype in FLOATS else 0, a.type)), BOOL, span)
    known = {}
    if dtype in NARROW and a.type.dtype in FLOATS:
        a = ctx.let(hint, "cast", (a,), I64, span)
    if dtype == "i64" and a.type.dtype in INTS:
        known = ctx.signed(ctx.counts(a), ctx.bits(a) if ctx.is_nonneg(a) else 63)
    return ctx.let(hint, "cast", (a,), Scalar(dtype), span, **known)


def as_index(ctx: Lowering, a: Atom, span: Span) -> Atom:
    """An int as a Python int, which has 64 bits here: an index, a size or a count. A larger one raises."""
    found = cast(ctx, a, "i64", span)
    if a.type.dtype == "u64" and isinstance(found, Var):
        ok = ctx.let("ok", "ge", (found, Const(0, I64)), BOOL, span)
        ctx.emit(Check(ok, "OverflowError", "the int is too large for one of 64 bits", (), span))
    return found


def to_int(ctx: Lowering, a: Atom, dtype: DType, span: Span, hint: str = "t") -> Atom:
    """A number truncated to an int. If the result does not fit, it raises as Python's `int` does."""
    if a.type.dtype in FLOATS:
        if isinstance(a, Const) and abs(a.value) < 2**31:
            return Const(int(a.value), Scalar(dtype))
        number = ctx.let("ok", "eq", (a, a), BOOL, span)
        ctx.emit(Check(number, "ValueError", "cannot convert float NaN to integer", (), span))
        low, high = LIMITS[dtype]
        # for a larger range no float lies strictly between low - 1 and low
        exact = -low < 2 ** (23 if a.type.dtype == "f32" else 52)
        above, low = ("gt", low - 1.0) if exact else ("ge", float(low))
        # no float lies between these bounds and the nearest float that truncates to a representable int
        ends = Const(low, a.type), Const(high + 1.0, a.type)
        inside = ctx.let("ok", above, (a, ends[0]), BOOL, span), ctx.let("ok", "lt", (a, ends[1]), BOOL, span)
        fits = ctx.let("ok", "and", inside, BOOL, span)
        ctx.emit(
            Check(
                fits, "OverflowError", f"the float {{0}} is too large for an int of {8 * BYTES[dtype]} bits", (a,), span
            )
        )
    return cast(ctx, a, dtype, span, hint)


def converted(ctx: Lowering, v: ScalarValue, dtype: DType, span: Span, hint: str = "t") -> Atom:
    """A number as stored in a cell of a dtype. A number that is out of range raises."""
    return (
        to_int(ctx, v.atom, dtype, span, hint)
        if dtype in INTS and v.dtype in FLOATS
        else fitted(ctx, v, dtype, span, hint)
    )


def as_python_number(ctx: Lowering, v: ScalarValue, dtype: DType, span: Span, hint: str = "t") -> Atom:
    """A number as one of Python's own, as `int`, `float` and `tolist` return it."""
    return as_index(ctx, v.atom, span) if dtype == "i64" and v.dtype in INTS else converted(ctx, v, dtype, span, hint)


def _cast_const(value: float | int | bool, dtype: DType) -> Const | None:
    if dtype == "f64" or (
        dtype == "f32" and float(value) == int(value) and abs(value) < 2**24 if _finite(value) else False
    ):
        return Const(float(value), Scalar(dtype))
    if dtype in INTS and isinstance(value, int):
        return Const(wrapped(int(value), dtype), Scalar(dtype))
    if dtype == "bool":
        return Const(bool(value), BOOL)
    return None


def _finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")
