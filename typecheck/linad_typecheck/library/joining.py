"""Joining and splitting of arrays: `np.concatenate`, `np.stack` and related functions, `np.split`, `np.meshgrid`."""

from __future__ import annotations

from collections.abc import Callable

from ..arrays.arguments import dtype_of as dtype_argument
from ..arrays.from_parts import concatenated, stacked
from ..arrays.operands import as_array, axis_of, bound, choice, flag, literal_int
from ..arrays.shapes import reshaped, transposed, with_axes
from ..arrays.slices import Slice, delayed_view, view_of
from ..ir.core import Atom, Check, Const
from ..engine.elementwise import spread
from ..engine.numbers import as_index
from ..engine.places import force_array, fresh_array, materialise, nest, plus, put, times
from ..engine.provenance import sizes_differ
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    SILENT, ArrayValue, Delayed, ScalarValue, TupleValue, Value, describe, literal, type_of,
)
from ..engine.snippets import snippet_value
from ..ownership.state import names_of
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, I64, INTS, DType


def _parts(ctx: Lowering, args: Args, v: Value, least: int) -> list[AnyArray]:
    """The arrays of a tuple or list, of rank ``least`` or more."""
    if not isinstance(v, TupleValue) or v.closed:
        if not isinstance(v, SILENT):
            found = describe(type_of(v))
            raise Refused(
                WrongType(
                    args.span, f"`{args.name}` is of a tuple or list of arrays", found, "write the arrays out: `(a, b)`"
                )
            )
        raise Refused(None)
    if not v.items:
        raise Refused(BadCall(args.span, args.name, "needs at least one array"))
    arrays = [as_array(ctx, x, args) for x in v.items]
    if any(rank_of(a) < least for a in arrays):
        raise Refused(
            WrongType(
                args.span,
                f"`{args.name}` is of arrays of rank {least} or more",
                "a scalar",
                "use `np.stack` or `np.array`",
            )
        )
    return arrays


def _dtype(ctx: Lowering, args: Args, found: dict[str, Value]) -> DType | None:
    return dtype_argument(ctx, found["dtype"], args.span) if "dtype" in found else None


def _of_rows(ctx: Lowering, args: Args, rows: AnyArray, axis: int | None, dtype: DType | None) -> Value:
    """The parts of an array along its first axis, concatenated along one of their axes: two axes are merged into one.

    With ``axis`` None, the parts as they are.
    """
    rank = rank_of(rows)
    own = dtype in (None, dtype_of(rows)) and isinstance(rows, ArrayValue) and not names_of(ctx, rows.var)
    if axis is None:
        return rows if own else materialise(ctx, rows, args.hint, args.span, dtype)
    sizes = [f"m.shape[{k}]" for k in range(rank)]
    sizes[axis : axis + 2] = [f"m.shape[{axis}] * m.shape[{axis + 1}]"]
    found = snippet_value(ctx, args, f"m = np.moveaxis(rows, 0, {axis})\nm.reshape({', '.join(sizes)})", rows=rows)
    return found if own and not axis else materialise(ctx, found, args.hint, args.span, dtype)


def _flat(ctx: Lowering, args: Args, found: dict[str, Value]) -> Value:
    """All cells of an array in a new array of rank 1."""
    dtype = _dtype(ctx, args, found)
    flat = reshaped(ctx, found["arrays"], ScalarValue(Const(-1, I64), True), args)
    return materialise(ctx, flat, args.hint, args.span, dtype)


def _concatenate(ctx: Lowering, args: Args) -> Value:
    whole = "axis" in args.keywords or len(args.values) > 1
    found = bound(ctx, args, "axis dtype")
    if is_array(found["arrays"]) and rank_of(found["arrays"]) > 1:
        if whole and "axis" not in found:
            return _flat(ctx, args, found)
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(found["arrays"]) - 1, args.span)
        dtype = _dtype(ctx, args, found)
        return _of_rows(ctx, args, found["arrays"], axis, dtype)
    arrays = _parts(ctx, args, found["arrays"], 0 if whole and "axis" not in found else 1)
    if whole and "axis" not in found:  # axis=None
        open_ = ScalarValue(Const(-1, I64), True)
        arrays = [reshaped(ctx, a, open_, args) for a in arrays]
    axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(arrays[0]), args.span)
    dtype = _dtype(ctx, args, found)
    return concatenated(ctx, arrays, axis, dtype, args.hint, args.span)


def _stack(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "axis dtype")
    if is_array(found["arrays"]) and rank_of(found["arrays"]):  # its rows are stacked
        rows = found["arrays"]
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(rows), args.span)
        dtype = _dtype(ctx, args, found)
        order = list(range(1, rank_of(rows)))
        order.insert(axis or 0, 0)
        return materialise(ctx, transposed(ctx, rows, order, args.span), args.hint, args.span, dtype)
    arrays = _parts(ctx, args, found["arrays"], 0)
    axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(arrays[0]) + 1, args.span)
    dtype = _dtype(ctx, args, found)
    return stacked(ctx, arrays, axis, dtype, args.hint, args.span)


def _at_least(ctx: Lowering, a: AnyArray, rank: int, span: Span) -> AnyArray:
    """The array with leading axes of size 1, so that its rank is at least ``rank``."""
    return with_axes(ctx, a, range(max(rank - rank_of(a), 0)), span)


def _raised(
    raised: Callable[[Lowering, AnyArray, Span], AnyArray], axis: Callable[[int], int]
) -> Callable[[Lowering, Args], Value]:
    """A function that adds axes to its arrays, and concatenates them along an axis that depends on their rank."""

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "dtype")
        found["arrays"] = next(iter(found.values()))
        if is_array(found["arrays"]) and rank_of(found["arrays"]) == 1 and raised is not _as_depth:  # of numbers
            some = ctx.let("ok", "gt", (shape_of(ctx, found["arrays"], args.span)[0], ZERO), BOOL, args.span)
            ctx.emit(Check(some, "ValueError", "need at least one array to concatenate", (), args.span))
            whole = materialise(ctx, found["arrays"], args.hint, args.span, _dtype(ctx, args, found))
            return with_axes(ctx, whole, {_as_row: [1], _as_column: [0]}.get(raised, []), args.span)
        if is_array(found["arrays"]) and rank_of(found["arrays"]) > 1 and raised is not _as_depth:
            rows = rank_of(found["arrays"]) - 1
            dtype = _dtype(ctx, args, found)
            along = axis(rows) if rows > 1 else {_as_row: None, _as_column: 1}.get(raised, 0)
            if rows == 1 and along == 1:
                return materialise(ctx, transposed(ctx, found["arrays"], None, args.span), args.hint, args.span, dtype)
            return _of_rows(ctx, args, found["arrays"], along, dtype)
        arrays = _parts(ctx, args, found["arrays"], 0)
        arrays = [raised(ctx, a, args.span) for a in arrays]
        dtype = _dtype(ctx, args, found)
        return concatenated(ctx, arrays, axis(rank_of(arrays[0])), dtype, args.hint, args.span)

    return apply


def _as_row(ctx: Lowering, a: AnyArray, span: Span) -> AnyArray:
    return _at_least(ctx, a, 2, span)


def _as_column(ctx: Lowering, a: AnyArray, span: Span) -> AnyArray:
    return a if rank_of(a) > 1 else with_axes(ctx, _at_least(ctx, a, 1, span), (1,), span)


def _as_depth(ctx: Lowering, a: AnyArray, span: Span) -> AnyArray:
    return a if rank_of(a) > 2 else with_axes(ctx, _at_least(ctx, a, 2, span), (2,), span)


# --------------------------------------------------------------------------------------------------------- parts


def part(ctx: Lowering, v: AnyArray, axis: int, low: Atom | None, high: Atom | None, span: Span) -> Value:
    """The view ``v[..., low:high, ...]``."""
    full = Slice(None, None, None, span)
    parts = [*[full] * axis, Slice(low, high, None, span)]
    return delayed_view(ctx, v, parts, "", span) if isinstance(v, Delayed) else view_of(ctx, v, parts, "", span)


def _split(even: bool) -> Callable[[Lowering, Args], Value]:
    """``np.split`` and ``np.array_split``: views of the parts, given by a literal number or by indices."""

    def apply(ctx: Lowering, args: Args) -> Value:
        span = args.span
        found = bound(ctx, args, "axis")
        array = as_array(ctx, found["ary"], args)
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(array), span)
        array = force_array(ctx, array, args.hint, span) if isinstance(array, Delayed) else array
        cuts = _cuts(ctx, args, found["indices_or_sections"], size_of(ctx, array, axis, span), even)
        return TupleValue(
            tuple(part(ctx, array, axis, a, b, span) for a, b in zip([None, *cuts], [*cuts, None], strict=True))
        )

    return apply


def _cuts(ctx: Lowering, args: Args, v: Value, n: Atom, even: bool) -> list[Atom]:
    """The indices at which an axis of ``n`` cells is split."""
    span = args.span
    if isinstance(v, TupleValue):
        if all(isinstance(x, ScalarValue) and x.dtype in INTS for x in v.items):
            return [as_index(ctx, x.atom, span) for x in v.items]
        raise Refused(WrongType(span, "an array is cut at ints", describe(type_of(v))))
    count = literal_int(ctx, v, 0, "the number of parts", span)
    if count < 1:
        raise Refused(WrongType(span, "the number of parts is 1 or more", str(count)))
    parts = Const(count, I64)
    if isinstance(n, Const):
        if even and n.value % count:
            sizes_differ(ctx, span, f"{n.value} cells are not split into {count} equal parts")
            raise Refused(None)
        each, left = (Const(x, I64) for x in divmod(n.value, count))
    else:
        each, left = (ctx.let("n", name, (n, parts), I64, span, nonneg=True) for name in ("floordiv", "mod"))
    if even and not isinstance(left, Const):
        ok = ctx.let("ok", "eq", (left, ZERO), BOOL, span)
        ctx.emit(Check(ok, "ValueError", "array split does not result in an equal division", (), span))
    cuts = [times(ctx, each, Const(k, I64), span) for k in range(1, count)]
    if even or left == ZERO:
        return cuts
    more = [
        Const(min(k, left.value), I64)
        if isinstance(left, Const)
        else ctx.let("n", "min", (left, Const(k, I64)), I64, span)
        for k in range(1, count)
    ]
    return [plus(ctx, a, b, span) for a, b in zip(cuts, more, strict=True)]


def _meshgrid(ctx: Lowering, args: Args) -> Value:
    span = args.span
    rest = {k: v for k, v in args.keywords.items() if k not in ("indexing", "sparse", "copy")}
    if rest or not args.values or len(args.values) > 4:
        raise Refused(BadCall(span, args.name, "takes one to four arrays of rank 1, `indexing` and `sparse`"))
    arrays = [as_array(ctx, v, args) for v in args.values]
    order = choice(ctx, args.keywords.get("indexing"), ("xy", "ij"), "`indexing`", span)
    sparse = flag(ctx, args.keywords, "sparse", False, span)
    copied = flag(ctx, args.keywords, "copy", True, span)
    if not copied:
        raise Refused(
            Unsupported(span, "`np.meshgrid` with `copy=False`", "leave `copy` out: the grids are arrays of their own")
        )
    if any(rank_of(a) != 1 for a in arrays):
        raise Refused(Unsupported(span, f"`{args.name}` of arrays that are not of rank 1", "ravel them first"))
    count = len(arrays)
    along = list(range(count))
    if order == "xy" and count > 1:
        along[:2] = (1, 0)
    sizes = [ONE] * count
    for k, a in zip(along, arrays, strict=True):
        sizes[k] = size_of(ctx, a, 0, span)
    found = []
    for k, a in zip(along, arrays, strict=True):
        aligned = with_axes(ctx, a, [d for d in range(count) if d != k], span)
        shape = shape_of(ctx, aligned, span) if sparse else tuple(sizes)
        made = fresh_array(ctx, args.hint, tuple(shape), dtype_of(a), None, span)
        at = spread(ctx, aligned, span)
        nest(ctx, shape, lambda index, made=made, at=at: put(ctx, made, index, at(index).atom, span), span)
        found.append(made)
    return TupleValue(tuple(found))


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.concatenate": _concatenate,
    "numpy.concat": _concatenate,
    "numpy.stack": _stack,
    "numpy.hstack": _raised(lambda ctx, a, span: _at_least(ctx, a, 1, span), lambda rank: 0 if rank == 1 else 1),
    "numpy.vstack": _raised(_as_row, lambda rank: 0),
    "numpy.dstack": _raised(_as_depth, lambda rank: 2),
    "numpy.column_stack": _raised(_as_column, lambda rank: 1),
    "numpy.split": _split(True),
    "numpy.array_split": _split(False),
    "numpy.meshgrid": _meshgrid,
}
enter_rules(RULES)
