"""Diagonals and triangles: `np.diag`, `np.diagonal`, `np.trace`, `np.tril`, `np.triu`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..arrays.operands import as_array, axis_of, bound, smaller
from ..ir.core import Atom, Const
from ..engine.numbers import as_index
from ..engine.places import as_view, fresh_array, nest, plus, put, read, run_checks, tests_of, times
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, dtype_of, rank_of, shape_of
from ..engine.snippets import snippet_value
from ..engine.state import ZERO, Lowering, zero
from ..engine.values import (
    SILENT, Delayed, ScalarValue, UnionValue, Value, ViewValue, describe, literal, type_of,
)
from ..engine.views import Along, View
from ..messages.language import BadCall
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, I64, INTS, Scalar
from .externals import call_external


def _offset(ctx: Lowering, v: Value, span: Span) -> Atom:
    """The offset of a diagonal: 0 for the main diagonal, 1 for the one above it."""
    if isinstance(v, ScalarValue) and v.dtype in INTS:
        return as_index(ctx, v.atom, span)
    if not isinstance(v, SILENT):
        raise Refused(WrongType(span, "the number of a diagonal is an int", describe(type_of(v))))
    raise Refused(None)


def _start(ctx: Lowering, k: Atom, span: Span) -> tuple[Atom, Atom]:
    """The row and the column at which a diagonal starts."""
    if isinstance(k, Const):
        return Const(max(-k.value, 0), I64), Const(max(k.value, 0), I64)
    minus = ctx.let("k", "neg", (k,), I64, span)
    return tuple(ctx.let("k", "max", (x, ZERO), I64, span, nonneg=True) for x in (minus, k))


def _left(ctx: Lowering, n: Atom, k: Atom, span: Span) -> Atom:
    """``max(n - k, 0)``."""
    if k == ZERO:
        return n
    if isinstance(n, Const) and isinstance(k, Const):
        return Const(max(n.value - k.value, 0), I64)
    return ctx.let("n", "max", (ctx.let("n", "sub", (n, k), I64, span), ZERO), I64, span, nonneg=True)


def diagonal(ctx: Lowering, v: AnyArray, k: Atom, span: Span) -> Value:
    """A diagonal of a matrix: a view, read-only as in NumPy."""
    rows, columns = shape_of(ctx, v, span)
    row, column = _start(ctx, k, span)
    n = smaller(ctx, _left(ctx, rows, row, span), _left(ctx, columns, column, span), span)
    return _along(ctx, v, (row, column), n, span)


def _along(ctx: Lowering, v: AnyArray, starts: tuple[Atom, Atom], n: Atom, span: Span) -> Value:
    match v:
        case UnionValue(one=one, other=other):
            return replace(v, one=_along(ctx, one, starts, n, span), other=_along(ctx, other, starts, n, span))
        case Delayed(cell=cell, reads=reads):
            run_checks(v)
            at = lambda index: cell(tuple(plus(ctx, s, index[0], span) for s in starts))
            return Delayed(v.dtype, (n,), at, tuple((a, False) for a, _ in reads), v.expensive)
    base = as_view(v)

    def moved(a: Along) -> Along:
        return a if a.of is None else Along(plus(ctx, a.start, times(ctx, a.step, starts[a.of], span), span), a.step, 0)

    return ViewValue(base.var, View(tuple(map(moved, base.view.axes)), (n,), base.view.flat, "a diagonal"))


def _matrix(ctx: Lowering, args: Args, v: Value, least: int = 2, most: int = 2) -> AnyArray:
    array = as_array(ctx, v, args)
    if least <= rank_of(array) <= most:
        return array
    wants = "2" if least == most else f"{least} or 2" if most == 2 else f"{least} or more"
    raise Refused(
        WrongType(args.span, f"`{args.name}` is of arrays of rank {wants}", f"an array of rank {rank_of(array)}")
    )


def _diag(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "k")
    array = _matrix(ctx, args, found["v"], 1)
    k = _offset(ctx, found.get("k", literal(0)), args.span)
    span = args.span
    if rank_of(array) == 2:
        return diagonal(ctx, array, k, span)
    row, column = _start(ctx, k, span)
    (n,) = shape_of(ctx, array, span)
    size = plus(ctx, n, plus(ctx, row, column, span), span)
    made = fresh_array(ctx, args.hint, (size, size), dtype_of(array), zero(dtype_of(array)), span)

    def store(index: tuple[Atom, ...]) -> None:
        place = tuple(plus(ctx, s, index[0], span) for s in (row, column))
        put(ctx, made, place, read(ctx, array, index, span).atom, span)

    nest(ctx, (n,), store, span)
    return made


def _diagonal(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "offset axis1 axis2")
    array = _matrix(ctx, args, found["a"])
    k = _offset(ctx, found.get("offset", literal(0)), args.span)
    swapped = _exchanged(ctx, args, found)
    if swapped:
        k = Const(-k.value, I64) if isinstance(k, Const) else ctx.let("k", "neg", (k,), I64, args.span)
    return diagonal(ctx, array, k, args.span)


def _exchanged(ctx: Lowering, args: Args, found: dict[str, Value]) -> bool:
    """Whether `axis1` and `axis2` exchange rows and columns."""
    pair = [axis_of(ctx, found.get(name, literal(k)), 2, args.span) for k, name in enumerate(("axis1", "axis2"))]
    if pair[0] == pair[1]:
        raise Refused(WrongType(args.span, "`axis1` and `axis2` are two axes", "one axis"))
    return pair == [1, 0]


def _traces(ctx: Lowering, args: Args, found: dict[str, Value], a: AnyArray) -> Value:
    """The trace of each matrix of a stack."""
    rank = rank_of(a)
    one, two = (axis_of(ctx, found.get(n, literal(k)), rank, args.span) for k, n in enumerate(("axis1", "axis2")))
    if one == two or found.keys() & {"offset", "dtype"}:
        raise Refused(BadCall(args.span, args.name, "takes two axes of a stack, and no `offset` and `dtype`"))
    letters = "abcdefgh"[:rank]
    result = "".join(c for k, c in enumerate(letters) if k not in (one, two))
    letters = letters[:two] + letters[one] + letters[two + 1 :]
    return snippet_value(ctx, args, f"np.einsum('{letters}->{result}', a)", a=a)


def _trace(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "offset axis1 axis2 dtype")
    array = as_array(ctx, found["a"], args)
    if rank_of(array) > 2:
        return _traces(ctx, args, found, array)
    array = _matrix(ctx, args, found["a"])
    k = _offset(ctx, found.get("offset", literal(0)), args.span)
    swapped = _exchanged(ctx, args, found)
    if swapped:
        k = Const(-k.value, I64) if isinstance(k, Const) else ctx.let("k", "neg", (k,), I64, args.span)
    given = {"dtype": found["dtype"]} if "dtype" in found else {}
    return call_external(
        ctx, "numpy.sum", Args(args.name, args.span, (diagonal(ctx, array, k, args.span),), given, args.hint)
    )


def _triangle(op: str) -> Callable[[Lowering, Args], Value]:
    """The cells on one side of a diagonal, and zeros elsewhere."""

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "k")
        array = _matrix(ctx, args, found["m"], 2, 4)
        k = _offset(ctx, found.get("k", literal(0)), args.span)
        span, t = args.span, Scalar(dtype_of(array))

        def cell(index: tuple[Atom, ...]) -> ScalarValue:
            limit = plus(ctx, index[-2], k, span)
            inside = ctx.let("b", op, (index[-1], limit), BOOL, span)
            return ScalarValue(
                ctx.let("t", "select", (inside, read(ctx, array, index, span).atom, zero(t.dtype)), t, span)
            )

        reads = array.reads if isinstance(array, Delayed) else ((array, True),)
        expensive = isinstance(array, Delayed) and array.expensive
        return Delayed(t.dtype, shape_of(ctx, array, span), cell, reads, expensive, tests=tests_of(array))

    return apply


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.diag": _diag,
    "numpy.diagonal": _diagonal,
    "numpy.trace": _trace,
    "numpy.tril": _triangle("le"),
    "numpy.triu": _triangle("ge"),
}
enter_rules(RULES)
