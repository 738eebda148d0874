"""Regular arrays: `np.arange`, `np.linspace`, `np.eye`."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from ..arrays.arguments import dtype_of, shape_of
from ..arrays.from_parts import const
from ..arrays.operands import bound
from ..ir.core import Atom, Block, Check, Const, Loop, Store, Var
from ..engine.arithmetic import binary, check_nonzero
from ..engine.numbers import as_index, as_scalar, cast, promote
from ..engine.places import fresh_array
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine import sizes as places
from ..engine.sizes import is_array, rank_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import SILENT, ArrayValue, ScalarValue, Value, describe, literal, type_of
from ..engine.snippets import snippet_value
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, F64, FLOATS, I64, INTS, DType, Scalar, common


def _cells(ctx: Lowering, n: Atom, span: Span, body: Callable[[Var], None]) -> None:
    """Emit ``for k in range(n): body(k)``, for a body that binds no name of the program."""
    index = ctx.fresh("k", I64, nonneg=True)
    with ctx.block() as stmts:
        body(index)
    ctx.emit(Loop(index, ZERO, n, ONE, (), (), Block(tuple(stmts)), (), span=span))


def _numbers(ctx: Lowering, args: Args, values: list[Value]) -> list[ScalarValue]:
    found = [as_scalar(ctx, v, args.span, f"`{args.name}` is of scalars") for v in values]
    return found


def arange(ctx: Lowering, args: Args) -> Value:
    """``np.arange([start,] stop[, step], dtype=None)``."""
    values = dict(args.keywords)
    if len(args.values) == 1 and "stop" not in values:
        values["stop"] = args.values[0]
        given = replace(args, values=(), keywords=values)
    else:
        given = args
    found = bound(ctx, given, "start stop step dtype")
    if "stop" not in found:
        found["start"], found["stop"] = literal(0), found.get("start", literal(0))
    start, stop, step = found.get("start", literal(0)), found["stop"], found.get("step", literal(1))
    numbers = _numbers(ctx, args, [start, stop, step])
    dtype = dtype_of(ctx, found["dtype"], args.span) if "dtype" in found else None
    numbers = [ScalarValue(cast(ctx, v.atom, "i64", args.span), v.weak) if v.dtype == "bool" else v for v in numbers]
    if dtype == "bool" or (dtype in INTS and any(v.dtype in FLOATS for v in numbers)):
        raise Refused(
            Unsupported(
                args.span,
                f"`{args.name}` of these numbers as {dtype}",
                "make it of ints, or convert cell by cell in a loop",
            )
        )
    if all(v.dtype in INTS for v in numbers):
        return _int_range(ctx, args, *(as_index(ctx, v.atom, args.span) for v in numbers), dtype or "i64")
    weak = all(v.weak for v in numbers)
    return _float_range(ctx, args, *(cast(ctx, v.atom, "f64", args.span) for v in numbers), dtype or "f64", weak)


def _int_range(ctx: Lowering, args: Args, start: Atom, stop: Atom, step: Atom, dtype: DType) -> Value:
    span = args.span
    check_nonzero(ctx, step, "ZeroDivisionError", "division by zero", span)
    trips = ctx.let("n", "trips", (start, stop, step), I64, span, nonneg=True)
    made = fresh_array(ctx, args.hint, (trips,), dtype, None, span)

    def cell(k: Var) -> None:
        far = k if step == ONE else ctx.let("t", "mul", (k, step), I64, span)
        value = far if start == ZERO else ctx.let("t", "add", (start, far), I64, span)
        ctx.emit(Store(made.var, (k,), cast(ctx, value, dtype, span), False, span))

    _cells(ctx, trips, span, cell)
    return made


def _float_range(ctx: Lowering, args: Args, start: Atom, stop: Atom, step: Atom, dtype: DType, weak: bool) -> Value:
    """NumPy's rule: ``ceil((stop - start) / step)`` cells with the increment ``(start + step) - start``."""
    span = args.span
    if weak:
        check_nonzero(ctx, step, "ZeroDivisionError", "float division by zero", span)
    width = ctx.let("t", "sub", (stop, start), F64, span)
    long = ctx.let("t", "div", (width, step), F64, span)
    length = ctx.let("t", "ceil", (long,), F64, span)
    ctx.emit(
        Check(
            ctx.let("ok", "eq", (length, length), BOOL, span), "ValueError", "arange: cannot compute length", (), span
        )
    )
    far = ctx.let("t", "abs", (length,), F64, span)
    fits = ctx.let("ok", "lt", (far, Const(2.0**60, F64)), BOOL, span)
    ctx.emit(Check(fits, "ValueError", "Maximum allowed size exceeded", (), span))
    some = ctx.let("t", "max", (length, Const(0.0, F64)), F64, span)
    # a quotient that underflows to +0, of a width other than 0, gives one cell
    under = ctx.let("b", "eq", (long, Const(0.0, F64)), BOOL, span)
    for op, of in (("gt", ctx.let("t", "copysign", (Const(1.0, F64), long), F64, span)), ("ne", width)):
        under = ctx.let("b", "and", (under, ctx.let("b", op, (of, Const(0.0, F64)), BOOL, span)), BOOL, span)
    some = ctx.let("t", "select", (under, Const(1.0, F64), some), F64, span)
    n = ctx.let("n", "cast", (some,), I64, span, nonneg=True)
    made = fresh_array(ctx, args.hint, (n,), dtype, None, span)
    delta = ctx.let("t", "sub", (ctx.let("t", "add", (start, step), F64, span), start), F64, span)

    def cell(k: Var) -> None:
        far = ctx.let("t", "mul_rounded", (cast(ctx, k, "f64", span), delta), F64, span)
        value = ctx.let("t", "add", (start, far), F64, span)
        begins = ctx.let("b", "eq", (k, ZERO), BOOL, span)  # with an infinite step, 0 * step would be NaN
        value = ctx.let("t", "select", (begins, start, value), F64, span)
        ctx.emit(Store(made.var, (k,), cast(ctx, value, dtype, span), False, span))

    _cells(ctx, n, span, cell)
    return made


def _between_arrays(ctx: Lowering, args: Args, found: dict[str, Value]) -> Value:
    """``np.linspace`` of arrays, along a new first axis."""
    ends = found["start"], found["stop"]
    rank = max(rank_of(v) for v in ends if is_array(v))
    own = [places.dtype_of(v) if is_array(v) else v.dtype for v in ends if is_array(v) or not getattr(v, "weak", True)]
    number = "float32" if reduce(common, own) == "f32" else "float64"
    text = f"""
    if n < 0: raise ValueError("Number of samples must be non-negative.")
    parts = n - 1 if end else n
    k = np.arange(n).astype(np.{number}).reshape({", ".join(("-1", *"1" * rank))})
    cells = k * ((b - a) / max(parts, 1)) + a
    cells = np.where((k == parts) & (n > 1), np.asarray(b).astype(np.{number}), cells) if end else cells
    {"cells.astype(dtype)" if "dtype" in found else "cells"}
    """
    given = {"a": found["start"], "b": found["stop"], "n": found.get("num", literal(50))}
    given |= {"end": found.get("endpoint", literal(True))}
    return snippet_value(ctx, args, textwrap.dedent(text), **given, **{k: found[k] for k in ("dtype",) if k in found})


def linspace(ctx: Lowering, args: Args) -> Value:
    """``np.linspace(start, stop, num=50, endpoint=True, dtype=None)``."""
    span = args.span
    found = bound(ctx, args, "num endpoint dtype")
    if is_array(found["start"]) or is_array(found["stop"]):
        return _between_arrays(ctx, args, found)
    numbers = _numbers(ctx, args, [found["start"], found["stop"], found.get("num", literal(50))])
    a, b, num = numbers
    end = found.get("endpoint", literal(True))
    if num.dtype not in INTS:
        raise Refused(
            WrongType(span, "the number of points is an int", describe(type_of(num)), "convert it: `int(...)`")
        )
    if not (isinstance(end, ScalarValue) and isinstance(end.atom, Const)):
        raise Refused(
            Unsupported(span, "an `endpoint` that is not a literal", "write `endpoint=True` or `endpoint=False`")
        )
    kind, _ = promote(ScalarValue(Const(0.0, Scalar(promote(a, b)[0])), a.weak and b.weak), literal(0.0))
    dtype = dtype_of(ctx, found["dtype"], span) if "dtype" in found else kind
    if dtype is None or dtype not in FLOATS:
        if dtype is not None:
            raise Refused(Unsupported(span, f"`{args.name}` as {dtype}", "convert cell by cell in a loop"))
        raise Refused(None)
    t = Scalar(kind)
    n = as_index(ctx, num.atom, span)
    if not ctx.is_nonneg(n):
        ok = ctx.let("ok", "ge", (n, ZERO), BOOL, span)
        ctx.emit(Check(ok, "ValueError", "Number of samples, {0}, must be non-negative.", (n,), span))
        ctx.not_negative(n)
    first, last = (cast(ctx, v.atom, kind, span) for v in (a, b))
    delta = ctx.let("t", "sub", (last, first), t, span)
    parts = n if not end.atom.value else binary(ctx, ast.Sub, ScalarValue(n, True), literal(1), span).atom
    if not (isinstance(parts, Const) and parts.value > 0):
        parts = ctx.let("n", "max", (parts, ONE), I64, span)  # a single point
    step = ctx.let("t", "div", (delta, cast(ctx, parts, kind, span)), t, span)
    made = fresh_array(ctx, args.hint, (n,), dtype, None, span)
    final = binary(ctx, ast.Sub, ScalarValue(n, True), literal(1), span).atom

    def cell(k: Var) -> None:
        far = ctx.let("t", "mul_rounded", (cast(ctx, k, kind, span), step), t, span)
        value = ctx.let("t", "add", (far, first), t, span)
        if end.atom.value:
            ends = ctx.let("b", "eq", (k, final), BOOL, span)
            several = ctx.let("b", "gt", (k, ZERO), BOOL, span)
            ends = ctx.let("b", "and", (ends, several), BOOL, span)
            value = ctx.let("t", "select", (ends, last, value), t, span)
        ctx.emit(Store(made.var, (k,), cast(ctx, value, dtype, span), False, span))

    _cells(ctx, n, span, cell)
    return made


def eye(ctx: Lowering, args: Args) -> Value:
    """``np.eye(N, M=None, k=0, dtype=float)`` and ``np.identity(n, dtype=float)``."""
    span = args.span
    found = bound(ctx, args, "M k dtype")
    dtype = dtype_of(ctx, found["dtype"], span) if "dtype" in found else "f64"
    rows = shape_of(ctx, next(iter(found.values())), span)
    columns = shape_of(ctx, found["M"], span) if "M" in found else rows
    k = found.get("k", literal(0))
    if len(rows) != 1 or len(columns) != 1:
        if any(n is not None and len(n) != 1 for n in (rows, columns)):
            raise Refused(WrongType(span, "the numbers of rows and columns are ints", "a tuple"))
        raise Refused(None)
    if not isinstance(k, ScalarValue) or k.dtype not in INTS:
        if not isinstance(k, SILENT):
            raise Refused(WrongType(span, "the number of a diagonal is an int", describe(type_of(k))))
        raise Refused(None)
    made: ArrayValue = fresh_array(ctx, args.hint, (*rows, *columns), dtype, const(0.0, dtype), span)
    shift = as_index(ctx, k.atom, span)
    if shift == ZERO:
        n = rows[0] if rows == columns else ctx.let("n", "min", (rows[0], columns[0]), I64, span)
        _cells(ctx, n, span, lambda i: ctx.emit(Store(made.var, (i, i), const(1.0, dtype), False, span)))
        return made

    def cell(i: Var) -> None:
        j = ctx.let("j", "add", (i, shift), I64, span)
        low, high = ctx.let("b", "ge", (j, ZERO), BOOL, span), ctx.let("b", "lt", (j, columns[0]), BOOL, span)
        inside = ctx.let("b", "and", (low, high), BOOL, span)
        column = ctx.let("j", "select", (inside, j, ZERO), I64, span)
        one = ctx.let("t", "select", (inside, const(1.0, dtype), const(0.0, dtype)), Scalar(dtype), span)
        # a row without the diagonal stores a zero again; a matrix without columns has no cell to store to
        ctx.emit(Store(made.var, (i, column), one, False, span))

    some = ctx.let("b", "gt", (columns[0], ZERO), BOOL, span)
    n = ctx.let("n", "select", (some, rows[0], ZERO), I64, span)
    _cells(ctx, n, span, cell)
    return made


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.arange": arange,
    "numpy.linspace": linspace,
    "numpy.eye": eye,
    "numpy.identity": eye,
}
enter_rules(RULES, "stored arrays")
