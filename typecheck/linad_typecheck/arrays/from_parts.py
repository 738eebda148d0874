"""Arrays built from parts: from other arrays along an axis, and from scalars in nested tuples."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Sequence

from ..ir.core import Atom, Const, Store
from ..engine.complexes import as_complex, pair
from ..engine.evaluation import present, pull
from ..engine.growing import as_array, is_growing
from ..engine.numbers import cast, fitted, number_of, promote
from ..engine.places import check_same_size, fresh_array, materialise, nest, plus, put, read
from ..engine.provenance import sizes_differ
from ..engine.refusal import Refused, require_rank
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    KNOWN_RANGE, SILENT, ArrayValue, Delayed, Poison, ScalarValue, TupleValue, Value, arrays, describe,
    is_complex, type_of,
)
from ..frozen import frozen
from ..messages.types import WrongType
from ..span import Span
from ..types import FLOATS, I64, DType, Scalar
from . import ranges
from .shapes import with_axes


_SIZES = (
    "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {0}, the "
    "array "
    "at index {1} has size {2} and the array at index {3} has size {4}"
)


def common_dtype(arrays: Sequence[AnyArray]) -> DType:
    """The dtype to which the arrays are promoted."""
    found = dtype_of(arrays[0])
    for a in arrays[1:]:
        pair = (ScalarValue(Const(0, Scalar(d))) for d in (found, dtype_of(a)))
        found = promote(*pair)[0]
    return found


def concatenated(
    ctx: Lowering, arrays: Sequence[AnyArray], axis: int, dtype: DType | None, hint: str, span: Span
) -> Value:
    """The arrays joined along an axis."""
    ranks = {rank_of(a) for a in arrays}
    if len(ranks) > 1:
        sizes_differ(
            ctx, span, f"arrays of ranks {', '.join(map(str, sorted(ranks)))} are not put together along one axis"
        )
        raise Refused(None)
    shapes = [shape_of(ctx, a, span) for a in arrays]
    sizes = list(shapes[0])
    for k, shape in enumerate(shapes[1:], 1):
        for d, (n, m) in enumerate(zip(sizes, shape, strict=True)):
            if d == axis:
                continue
            if isinstance(n, Const) and isinstance(m, Const) and n != m:
                sizes_differ(ctx, span, f"array {k} has size {m.value} along axis {d} and array 0 has {n.value}")
                raise Refused(None)
            where = tuple(Const(i, I64) for i in (d, 0, k))
            check_same_size(ctx, n, m, _SIZES, (where[0], where[1], n, where[2], m), span)
    starts: list[Atom] = [ZERO]
    for shape in shapes:
        starts.append(plus(ctx, starts[-1], shape[axis], span))
    sizes[axis] = starts[-1]
    made = fresh_array(ctx, hint, tuple(sizes), dtype or common_dtype(arrays), None, span)
    to = made.var.type.dtype
    for a, shape, start in zip(arrays, shapes, starts[:-1], strict=True):

        def store(index: tuple[Atom, ...], a=a, start=start) -> None:
            place = plus(ctx, start, index[axis], span)
            value = cast(ctx, read(ctx, a, index, span).atom, to, span)
            put(ctx, made, (*index[:axis], place, *index[axis + 1 :]), value, span)

        nest(ctx, shape, store, span)
    return made


def stacked(ctx: Lowering, arrays: Sequence[AnyArray], axis: int, dtype: DType | None, hint: str, span: Span) -> Value:
    """Arrays of equal shape joined along a new axis."""
    require_rank(span, rank_of(arrays[0]) + 1)
    text = "all input arrays must have the same shape"
    if len({rank_of(a) for a in arrays}) == 1:
        for a in arrays[1:]:
            for n, m in zip(shape_of(ctx, arrays[0], span), shape_of(ctx, a, span), strict=True):
                if not (isinstance(n, Const) and isinstance(m, Const)):
                    check_same_size(ctx, n, m, text, (), span)
    return concatenated(ctx, [with_axes(ctx, a, (axis,), span) for a in arrays], axis, dtype, hint, span)


def stack_of_values(ctx: Lowering, items: Sequence[Value], dtype: DType | None, hint: str, span: Span) -> Value:
    """``np.array`` of a list that contains arrays: all items are arrays of one rank."""
    if any(map(is_complex, items)):
        parts = zip(*(as_complex(ctx, x, span).items for x in items if is_complex(x) or is_array(x)), strict=True)
        return pair(ctx, *(stack_of_values(ctx, p, dtype, hint, span) for p in parts), span, hint)
    if not all(is_array(x) for x in items):
        sizes_differ(ctx, span, "arrays and scalars are mixed in this list")
        raise Refused(None)
    if len({rank_of(x) for x in items}) > 1:
        sizes_differ(ctx, span, "the arrays of this list have different ranks")
        raise Refused(None)
    made = stacked(ctx, items, 0, dtype, hint, span)
    return made if isinstance(made, ArrayValue) else Poison()


def copy(
    ctx: Lowering, array: AnyArray, hint: str, span: Span, dtype: DType | None = None, in_order: bool = False
) -> ArrayValue:
    """A fresh array with the cells of an array of any kind. ``in_order``: the result is in C order, whatever the
    layout of the source."""
    name = next(arrays(array)).name.partition(".")[0] if not isinstance(array, Delayed) else "the expression"
    ctx.fact("copy", name, span, "copied as written")
    return materialise(ctx, array, hint, span, dtype, in_order)


def _int(value: float, dtype: DType) -> Const:
    return Const(bool(value) if dtype == "bool" else int(value), Scalar(dtype))


def const(value: float, dtype: DType) -> Const:
    """A number as a literal of a dtype."""
    return Const(float(value), Scalar(dtype)) if dtype in FLOATS else _int(value, dtype)


def array_of_values(ctx: Lowering, value: Value, dtype: DType | None, hint: str, span: Span) -> Value:
    """The array of evaluated scalars in nested tuples."""
    cells: list[ScalarValue] = []
    return array_of_cells(ctx, collect(ctx, value, cells, span), cells, dtype, hint, span, "np.array")


# items of a list display that need more than evaluation
ROWS: dict[type[ast.expr], Callable[[Lowering, ast.expr], Value]] = {}


def row_of(ctx: Lowering, node: ast.expr) -> Value:
    """An item of a list that NumPy converts to an array. Lists, tuples and comprehensions in it are converted first."""
    lower = ROWS.get(type(node))
    if lower is not None:
        return lower(ctx, node)
    value = pull(ctx, node)
    return array_of_values(ctx, value, None, "row", ctx.span(node)) if isinstance(value, TupleValue) else value


@frozen
class Stacked:
    """A new array built from the arrays of a list."""

    array: ArrayValue


def array_of_cells(
    ctx: Lowering, shape, cells: list[ScalarValue], dtype: DType | None, hint: str, span: Span, name: str
) -> Value:
    if shape is None:
        return Poison()
    if is_complex(shape):
        both = [array_of_cells(ctx, part, [], dtype, hint, span, name) for part in shape.items]
        return pair(ctx, *both, span, hint)
    if any(map(is_complex, cells)):
        parts = zip(*(as_complex(ctx, c, span).items for c in cells), strict=True)
        return pair(ctx, *(array_of_cells(ctx, shape, list(p), dtype, hint, span, name) for p in parts), span, hint)
    if isinstance(shape, Stacked):
        return (
            shape.array if dtype in (None, dtype_of(shape.array)) else materialise(ctx, shape.array, hint, span, dtype)
        )
    if is_array(shape):
        same = dtype in (None, dtype_of(shape))
        return (
            shape
            if name.endswith(("asarray", "asanyarray", "asfarray")) and same
            else copy(ctx, shape, hint, span, dtype)
        )
    if dtype is None:
        dtype = _common(cells)
    made = fresh_array(ctx, hint, tuple(Const(n, I64) for n in shape), dtype, None if cells else const(0, dtype), span)
    for k, value in enumerate(cells):
        ctx.emit(
            Store(
                made.var,
                tuple(Const(i, I64) for i in _position(k, shape)),
                fitted(ctx, value, dtype, span),
                False,
                span,
            )
        )
    return made


def _common(cells: list[ScalarValue]) -> DType:
    if not cells:
        return "f64"
    best = cells[0]
    for v in cells[1:]:
        dtype, weak = promote(ScalarValue(best.atom), ScalarValue(v.atom))
        best = ScalarValue(Const(0, Scalar(dtype)), weak)
    return best.dtype


def _position(k: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    out = []
    for n in reversed(shape):
        k, r = divmod(k, n)
        out.append(r)
    return tuple(reversed(out))


def collect(ctx: Lowering, v: Value, cells: list[ScalarValue], span: Span):
    v = present(ctx, v, span)
    if is_growing(v):
        v = as_array(ctx, v, "items", span)
    match number_of(ctx, v, span) or v:
        case ScalarValue() as number:
            cells.append(number)
            return ()
        case TupleValue(items=(real, _)) if is_complex(v):
            if is_array(real):
                return v
            cells.append(v)
            return ()
        case TupleValue() if ranges.is_range(v):
            return ranges.as_array(ctx, v, span)
        case TupleValue(items=()) if v.record is KNOWN_RANGE:
            return ranges.as_array(ctx, ranges.range_of(ZERO, ZERO, ONE), span)
        case TupleValue(items=items, closed=False):
            return shape_of_parts(ctx, [collect(ctx, x, cells, span) for x in items], cells, span)
        case _ if is_array(v):
            return v
        case _ if not isinstance(v, SILENT):
            ctx.report(WrongType(span, "an array is made of scalars", describe(type_of(v))))
    return None


def _as_parts(ctx: Lowering, shapes: list, cells: list[ScalarValue], span: Span) -> list:
    """Parts of a list of which some are arrays: the last of the cells, which are those of the others, as arrays too.
    Arrays of rank 0 are numbers like those beside them."""
    own = [0 if is_array(s) or is_complex(s) or isinstance(s, Stacked) else math.prod(s) for s in shapes]
    rest = iter(cells[len(cells) - sum(own) :])
    del cells[len(cells) - sum(own) :]
    parts: list[Value] = []
    for s, n in zip(shapes, own, strict=True):
        mine = list(itertools.islice(rest, n))
        if isinstance(s, Stacked):
            whole = s.array
        else:
            whole = s if is_array(s) or is_complex(s) else mine[0] if s == () else None
        parts.append(array_of_cells(ctx, s, mine, None, "row", span, "np.array") if whole is None else whole)
    return parts


def shape_of_parts(
    ctx: Lowering, shapes: list, cells: list[ScalarValue], span: Span
) -> tuple[int, ...] | Stacked | None:
    if any(s is None for s in shapes):
        return None
    if any(is_array(s) or is_complex(s) or isinstance(s, Stacked) for s in shapes):
        parts = _as_parts(ctx, shapes, cells, span)
        if all(isinstance(p, ScalarValue) or (is_array(p) and rank_of(p) == 0) for p in parts):
            cells += (p if isinstance(p, ScalarValue) else read(ctx, p, (), span) for p in parts)
            return (len(parts),)
        made = stack_of_values(ctx, parts, None, "stack", span)
        return Stacked(made) if is_array(made) else made if is_complex(made) else None
    if len(set(shapes)) > 1:
        sizes_differ(ctx, span, "the rows of this array have different lengths")
        raise Refused(None)
    require_rank(span, 1 + len(shapes[0] if shapes else ()))
    return (len(shapes), *(shapes[0] if shapes else ()))
