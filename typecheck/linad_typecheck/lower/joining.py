"""Arrays put together and taken apart: `np.concatenate`, `np.stack` and their relatives, `np.split`, `np.meshgrid`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core import Atom, Check, Const
from ..linear.ownership import names_of
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, I64, INTS, DType, Scalar
from .context import ONE, ZERO, Lowering
from .elementwise import spread
from .externals import Args
from .numbers import cast, promote
from .operands import as_array, axis_of, bound, choice, flag, literal_int, with_axes
from .places import (
    AnyArray,
    dtype_of,
    fresh_array,
    is_array,
    materialise,
    nest,
    plus,
    put,
    rank_of,
    read,
    same_size,
    shape_of,
    size_of,
    times,
)
from .shapes import reshaped, transposed
from .slices import Slice, delayed_view, view_of
from .values import (
    SILENT,
    ArrayValue,
    Delayed,
    Poison,
    ScalarValue,
    TupleValue,
    Value,
    describe,
    literal,
    type_of,
)
from .whence import sizes_differ

_SIZES = (
    "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {0}, the array "
    "at index {1} has size {2} and the array at index {3} has size {4}"
)


def common_dtype(arrays: Sequence[AnyArray]) -> DType:
    """The dtype in which all arrays are held together."""
    found = dtype_of(arrays[0])
    for a in arrays[1:]:
        pair = (ScalarValue(Const(0, Scalar(d))) for d in (found, dtype_of(a)))
        found = promote(*pair)[0]
    return found


def concatenated(ctx: Lowering, arrays: Sequence[AnyArray], axis: int, dtype: DType | None, hint: str, span: Span) -> Value:
    """One array with the cells of all, one after the other along an axis."""
    ranks = {rank_of(a) for a in arrays}
    if len(ranks) > 1:
        sizes_differ(ctx, span, f"arrays of ranks {', '.join(map(str, sorted(ranks)))} are not put together along one axis")
        return Poison()
    shapes = [shape_of(ctx, a, span) for a in arrays]
    sizes = list(shapes[0])
    for k, shape in enumerate(shapes[1:], 1):
        for d, (n, m) in enumerate(zip(sizes, shape, strict=True)):
            if d == axis:
                continue
            if isinstance(n, Const) and isinstance(m, Const) and n != m:
                sizes_differ(ctx, span, f"array {k} has size {m.value} along axis {d} and array 0 has {n.value}")
                return Poison()
            where = tuple(Const(i, I64) for i in (d, 0, k))
            same_size(ctx, n, m, _SIZES, (where[0], where[1], n, where[2], m), span)
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
    """Arrays of one shape along a new axis."""
    if rank_of(arrays[0]) == 4:
        ctx.report(WrongType(span, "an array has at most 4 dimensions", "a stack of arrays of rank 4"))
        return Poison()
    text = "all input arrays must have the same shape"
    if len({rank_of(a) for a in arrays}) == 1:
        for a in arrays[1:]:
            for n, m in zip(shape_of(ctx, arrays[0], span), shape_of(ctx, a, span), strict=True):
                if not (isinstance(n, Const) and isinstance(m, Const)):
                    same_size(ctx, n, m, text, (), span)
    return concatenated(ctx, [with_axes(ctx, a, (axis,), span) for a in arrays], axis, dtype, hint, span)


def _parts(ctx: Lowering, args: Args, v: Value, least: int) -> list[AnyArray] | None:
    """The arrays of a tuple or list, of rank ``least`` or more."""
    if not isinstance(v, TupleValue) or v.closed:
        if not isinstance(v, SILENT):
            found = describe(type_of(v))
            ctx.report(WrongType(args.span, f"`{args.name}` is of a tuple or list of arrays", found, "write the arrays out: `(a, b)`"))
        return None
    if not v.items:
        ctx.report(BadCall(args.span, args.name, "needs at least one array"))
        return None
    arrays = [as_array(ctx, x, args) for x in v.items]
    if None in arrays:
        return None
    if any(rank_of(a) < least for a in arrays):
        ctx.report(WrongType(args.span, f"`{args.name}` is of arrays of rank {least} or more", "a scalar", "use `np.stack` or `np.array`"))
        return None
    return arrays


def _dtype(ctx: Lowering, args: Args, found: dict[str, Value]) -> tuple[bool, DType | None]:
    from .arrays import dtype_of as dtype_argument

    if "dtype" not in found:
        return True, None
    dtype = dtype_argument(ctx, found["dtype"], args.span)
    return dtype is not None, dtype


def _of_rows(ctx: Lowering, args: Args, rows: AnyArray, axis: int | None, dtype: DType | None) -> Value:
    """The parts of an array along its first axis, one after the other along an axis of theirs: two axes become one. None: the
    parts as they are."""
    from .written import written

    rank = rank_of(rows)
    own = dtype in (None, dtype_of(rows)) and isinstance(rows, ArrayValue) and not names_of(ctx, rows.var)
    if axis is None:
        return rows if own else materialise(ctx, rows, args.hint, args.span, dtype)
    sizes = [f"m.shape[{k}]" for k in range(rank)]
    sizes[axis : axis + 2] = [f"m.shape[{axis}] * m.shape[{axis + 1}]"]
    found = written(ctx, args, f"m = np.moveaxis(rows, 0, {axis})\nm.reshape({', '.join(sizes)})", rows=rows)
    return found if own and not axis else materialise(ctx, found, args.hint, args.span, dtype)


def _flat(ctx: Lowering, args: Args, found: dict[str, Value]) -> Value:
    """All cells of an array, in a row of their own."""
    ok, dtype = _dtype(ctx, args, found)
    flat = reshaped(ctx, found["arrays"], ScalarValue(Const(-1, I64), True), args)
    return materialise(ctx, flat, args.hint, args.span, dtype) if ok and is_array(flat) else Poison()


def _concatenate(ctx: Lowering, args: Args) -> Value:
    whole = "axis" in args.keywords or len(args.values) > 1
    found = bound(ctx, args, ("arrays", "axis", "out", "dtype"))
    if found is not None and is_array(found["arrays"]) and rank_of(found["arrays"]) > 1:
        if whole and "axis" not in found:
            return _flat(ctx, args, found)
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(found["arrays"]) - 1, args.span)
        ok, dtype = _dtype(ctx, args, found)
        return Poison() if axis is None or not ok else _of_rows(ctx, args, found["arrays"], axis, dtype)
    arrays = None if found is None else _parts(ctx, args, found["arrays"], 0 if whole and "axis" not in found else 1)
    if arrays is None:
        return Poison()
    if whole and "axis" not in found:  # axis=None
        open_ = ScalarValue(Const(-1, I64), True)
        arrays = [reshaped(ctx, a, open_, args) for a in arrays]
    axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(arrays[0]), args.span)
    ok, dtype = _dtype(ctx, args, found)
    return Poison() if axis is None or not ok else concatenated(ctx, arrays, axis, dtype, args.hint, args.span)


def _stack(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("arrays", "axis", "out", "dtype"))
    if found is not None and is_array(found["arrays"]) and rank_of(found["arrays"]):  # of its rows
        rows = found["arrays"]
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(rows), args.span)
        ok, dtype = _dtype(ctx, args, found)
        order = list(range(1, rank_of(rows)))
        order.insert(axis or 0, 0)
        return materialise(ctx, transposed(ctx, rows, order, args.span), args.hint, args.span, dtype) if axis is not None and ok else Poison()
    arrays = None if found is None else _parts(ctx, args, found["arrays"], 0)
    if arrays is None:
        return Poison()
    axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(arrays[0]) + 1, args.span)
    ok, dtype = _dtype(ctx, args, found)
    return Poison() if axis is None or not ok else stacked(ctx, arrays, axis, dtype, args.hint, args.span)


def _at_least(ctx: Lowering, a: AnyArray, rank: int, span: Span) -> AnyArray:
    """With axes of size 1 in front, so that there are ``rank``."""
    return with_axes(ctx, a, range(max(rank - rank_of(a), 0)), span)


def _raised(raised: Callable[[Lowering, AnyArray, Span], AnyArray], axis: Callable[[int], int]) -> Callable[[Lowering, Args], Value]:
    """A function that gives its arrays more axes, and puts them together along one that depends on their rank."""

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, ("arrays", "dtype"))
        if found is not None and is_array(found["arrays"]) and rank_of(found["arrays"]) > 1 and raised is not _as_depth:
            rows = rank_of(found["arrays"]) - 1
            ok, dtype = _dtype(ctx, args, found)
            along = axis(rows) if rows > 1 else {_as_row: None, _as_column: 1}.get(raised, 0)
            if rows == 1 and along == 1:
                return materialise(ctx, transposed(ctx, found["arrays"], None, args.span), args.hint, args.span, dtype) if ok else Poison()
            return _of_rows(ctx, args, found["arrays"], along, dtype) if ok else Poison()
        arrays = None if found is None else _parts(ctx, args, found["arrays"], 0)
        if arrays is None:
            return Poison()
        arrays = [raised(ctx, a, args.span) for a in arrays]
        ok, dtype = _dtype(ctx, args, found)
        return concatenated(ctx, arrays, axis(rank_of(arrays[0])), dtype, args.hint, args.span) if ok else Poison()

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
    """``np.split`` and ``np.array_split``: views of the parts, a literal number of them or cut at given places."""

    def apply(ctx: Lowering, args: Args) -> Value:
        from .places import stored

        span = args.span
        found = bound(ctx, args, ("ary", "indices_or_sections", "axis"), 2)
        array = None if found is None else as_array(ctx, found["ary"], args)
        if array is None:
            return Poison()
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(array), span)
        if axis is None:
            return Poison()
        array = stored(ctx, array, args.hint, span) if isinstance(array, Delayed) else array
        cuts = _cuts(ctx, args, found["indices_or_sections"], size_of(ctx, array, axis, span), even)
        if cuts is None:
            return Poison()
        return TupleValue(tuple(part(ctx, array, axis, a, b, span) for a, b in zip([None, *cuts], [*cuts, None], strict=True)))

    return apply


def _cuts(ctx: Lowering, args: Args, v: Value, n: Atom, even: bool) -> list[Atom] | None:
    """The places at which an axis of ``n`` cells is cut."""
    span = args.span
    if isinstance(v, TupleValue):
        if all(isinstance(x, ScalarValue) and x.dtype in INTS for x in v.items):
            return [cast(ctx, x.atom, "i64", span) for x in v.items]
        ctx.report(WrongType(span, "an array is cut at ints", describe(type_of(v))))
        return None
    count = literal_int(ctx, v, 0, "the number of parts", span)
    if count is None:
        return None
    if count < 1:
        ctx.report(WrongType(span, "the number of parts is 1 or more", str(count)))
        return None
    parts = Const(count, I64)
    if isinstance(n, Const):
        if even and n.value % count:
            sizes_differ(ctx, span, f"{n.value} cells are not split into {count} equal parts")
            return None
        each, left = (Const(x, I64) for x in divmod(n.value, count))
    else:
        each, left = (ctx.let("n", name, (n, parts), I64, span, nonneg=True) for name in ("floordiv", "mod"))
    if even and not isinstance(left, Const):
        ok = ctx.let("ok", "eq", (left, ZERO), BOOL, span)
        ctx.emit(Check(ok, "ValueError", "array split does not result in an equal division", (), span))
    cuts = [times(ctx, each, Const(k, I64), span) for k in range(1, count)]
    if even or left == ZERO:
        return cuts
    more = [Const(min(k, left.value), I64) if isinstance(left, Const) else ctx.let("n", "min", (left, Const(k, I64)), I64, span) for k in range(1, count)]
    return [plus(ctx, a, b, span) for a, b in zip(cuts, more, strict=True)]


def _meshgrid(ctx: Lowering, args: Args) -> Value:
    span = args.span
    rest = {k: v for k, v in args.keywords.items() if k not in ("indexing", "sparse", "copy")}
    if rest or not args.values or len(args.values) > 4:
        ctx.report(BadCall(span, args.name, "takes one to four arrays of rank 1, `indexing` and `sparse`"))
        return Poison()
    arrays = [as_array(ctx, v, args) for v in args.values]
    order = choice(ctx, args.keywords.get("indexing"), ("xy", "ij"), "`indexing`", span)
    sparse = flag(ctx, args.keywords, "sparse", False, span)
    copied = flag(ctx, args.keywords, "copy", True, span)
    if None in arrays or order is None or sparse is None or copied is None:
        return Poison()
    if not copied:
        ctx.report(Unsupported(span, "`np.meshgrid` with `copy=False`", "leave `copy` out: the grids are arrays of their own"))
        return Poison()
    if any(rank_of(a) != 1 for a in arrays):
        ctx.report(Unsupported(span, f"`{args.name}` of arrays that are not of rank 1", "ravel them first"))
        return Poison()
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


def stack_of_values(ctx: Lowering, items: Sequence[Value], dtype: DType | None, hint: str, span: Span) -> Value:
    """``np.array`` of a list with arrays in it: all are arrays of one rank."""
    if not all(is_array(x) for x in items):
        sizes_differ(ctx, span, "arrays and scalars are mixed in this list")
        return Poison()
    if len({rank_of(x) for x in items}) > 1:
        sizes_differ(ctx, span, "the arrays of this list have different ranks")
        return Poison()
    made = stacked(ctx, items, 0, dtype, hint, span)
    return made if isinstance(made, ArrayValue) else Poison()


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
