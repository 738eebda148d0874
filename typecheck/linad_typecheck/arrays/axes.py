"""Axes added, removed, exchanged and stretched: views of the same cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..ir.core import Atom, Check, Const
from ..engine.elementwise import common_shape, shapes_text
from ..engine.numbers import as_python_number
from ..engine.places import as_view, check_same_size, check_stretch, is_one, product, read
from ..engine.provenance import sizes_differ
from ..engine.refusal import Refused, require_rank
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, is_array, rank_of, shape_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import Delayed, ScalarValue, TupleValue, UnionValue, Value, ViewValue, literal
from ..engine.views import Along, View
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import RecordClass, RecordField
from ..span import Span
from ..types import BOOL, PYTHONS
from .arguments import shape_of as shape_argument
from .operands import as_array, axis_of, bound, force_expensive
from .shapes import axes_of, transposed, with_axes, without_axes


def _expand_dims(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args)
    array = as_array(ctx, found["a"], args)
    more = len(found["axis"].items) if isinstance(found["axis"], TupleValue) else 1
    rank = rank_of(array) + more
    require_rank(args.span, rank)
    axes = axes_of(ctx, found["axis"], rank, args.span)
    return with_axes(ctx, array, sorted(axes), args.span)


def _squeeze(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "axis")
    array = as_array(ctx, found["a"], args)
    span, sizes = args.span, shape_of(ctx, array, args.span)
    if "axis" not in found:
        axes: Sequence[int] | None = [k for k, n in enumerate(sizes) if n == ONE or ctx.known(n).single]
        for k, n in enumerate(sizes):  # the rank of the result is known at compile time
            if k not in axes and not isinstance(n, Const):
                text = f"`{args.name}` left out no axis when it was compiled, and axis {k} has one cell: "
                text += f"say which, `axis={k}`"
                ctx.emit(Check(ctx.let("ok", "ne", (n, ONE), BOOL, span), "ValueError", text, (), span))
    else:
        axes = axes_of(ctx, found["axis"], rank_of(array), span, lists=False)
    text = "cannot select an axis to squeeze out which has size not equal to one"
    for k in axes:
        if isinstance(sizes[k], Const) and sizes[k] != ONE:
            sizes_differ(ctx, span, f"axis {k} has {sizes[k].value} cells and cannot be left out")
            raise Refused(None)
        check_same_size(ctx, sizes[k], ONE, text, (), span)
    return without_axes(ctx, array, sorted(axes), span)


def _swapaxes(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args)
    array = as_array(ctx, found["a"], args)
    pair = [axis_of(ctx, found[k], rank_of(array), args.span) for k in ("axis1", "axis2")]
    order = list(range(rank_of(array)))
    order[pair[0]], order[pair[1]] = pair[1], pair[0]
    return transposed(ctx, array, order, args.span)


def _moveaxis(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args)
    array = as_array(ctx, found["a"], args)
    source, to = (axes_of(ctx, found[k], rank_of(array), args.span) for k in ("source", "destination"))
    if len(source) != len(to):
        raise Refused(
            WrongType(args.span, "`source` and `destination` have as many axes", f"{len(source)} and {len(to)}")
        )
    order = [k for k in range(rank_of(array)) if k not in source]
    for place, axis in sorted(zip(to, source, strict=True)):
        order.insert(place, axis)
    return transposed(ctx, array, order, args.span)


# ---------------------------------------------------------------------------------------------------- broadcasting


def broadcast_view(ctx: Lowering, v: AnyArray, shape: Sequence[Atom], span: Span) -> Value:
    """A read-only view with a larger shape. An axis of size 1 is stretched if its size is known to be 1."""
    own = shape_of(ctx, v, span)
    more = len(shape) - len(own)
    if more < 0:
        sizes_differ(ctx, span, f"an array of rank {len(own)} does not fit into one of rank {len(shape)}")
        raise Refused(None)
    texts = shapes_text([own, shape]).split(" ")
    message = (
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{texts[0]}  and requested shape {texts[1]}"
    )
    for n, m in zip(own, shape[more:], strict=True):
        if n != ONE and isinstance(n, Const) and isinstance(m, Const) and n != m:
            sizes_differ(ctx, span, f"{n.value} cells are not stretched to {m.value}")
            raise Refused(None)
        check_stretch(ctx, n, m, message, (*own, *shape), span)
    return _stretched(ctx, v, own, tuple(shape), span)


def _stretched(ctx: Lowering, v: AnyArray, own: tuple[Atom, ...], shape: tuple[Atom, ...], span: Span) -> Value:
    more = len(shape) - len(own)
    single = [is_one(ctx, n) for n in own]
    match v:
        case UnionValue(one=one, other=other):
            return replace(
                v, one=_stretched(ctx, one, own, shape, span), other=_stretched(ctx, other, own, shape, span)
            )
        case Delayed(cell=cell, reads=reads):
            at = lambda index: cell(tuple(ZERO if s else i for i, s in zip(index[more:], single, strict=True)))
            return Delayed(v.dtype, shape, at, tuple((a, False) for a, _ in reads), v.expensive, tests=v.tests)
    base = as_view(v)

    def moved(a: Along) -> Along:
        return a if a.of is None else Along(a.start) if single[a.of] else Along(a.start, a.step, a.of + more, a.end)

    return ViewValue(
        base.var, View(tuple(map(moved, base.view.axes)), shape, base.view.flat, "a view that stretches an array")
    )


def _broadcast_to(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args)
    array = as_array(ctx, found["array"], args)
    shape = shape_argument(ctx, found["shape"], args.span)
    return broadcast_view(ctx, force_expensive(ctx, array, args.hint, args.span), shape, args.span)


def _at_least(rank: int) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        arrays = bound(ctx, args)["arys"].items
        if len(arrays) != 1:
            return TupleValue(tuple(apply(ctx, replace(args, values=(a,))) for a in arrays))
        array = as_array(ctx, arrays[0], args)
        if rank == 3 and rank_of(array) in (1, 2):
            front = 1 if rank_of(array) == 1 else 0
            return with_axes(ctx, array, (*range(front), 2), args.span)
        return with_axes(ctx, array, range(max(rank - rank_of(array), 0)), args.span)

    return apply


# --------------------------------------------------------------------------------------------------------- queries


def _shape(ctx: Lowering, args: Args) -> Value:

    found = bound(ctx, args)
    array = as_array(ctx, found["a"], args)
    return TupleValue(tuple(ScalarValue(n, True) for n in shape_of(ctx, array, args.span)))


def _size(ctx: Lowering, args: Args) -> Value:

    found = bound(ctx, args, "axis")
    array = as_array(ctx, found["a"], args)
    axis = axis_of(ctx, found["axis"], rank_of(array), args.span) if "axis" in found else None
    sizes = shape_of(ctx, array, args.span)
    return ScalarValue(product(ctx, sizes if axis is None else [sizes[axis]], args.span), True)


def _ndim(ctx: Lowering, args: Args) -> Value:

    found = bound(ctx, args)
    array = as_array(ctx, found["a"], args)
    return literal(rank_of(array))


def item(ctx: Lowering, v: AnyArray, args: Args) -> Value:
    """``a.item()``: the single cell of an array, as a Python number."""
    if args.values or args.keywords:
        raise Refused(Unsupported(args.span, "`.item` with an index", "read the cell: `a[i, j]`"))
    for n in shape_of(ctx, v, args.span):
        if n != ONE:
            ok = Const(False, BOOL) if isinstance(n, Const) else ctx.let("ok", "eq", (n, ONE), BOOL, args.span)
            ctx.emit(Check(ok, "ValueError", "can only convert an array of size 1 to a Python scalar", (), args.span))
    found = read(ctx, v, (ZERO,) * rank_of(v), args.span)
    return ScalarValue(as_python_number(ctx, found, PYTHONS[found.dtype], args.span), True)


def _broadcast(ctx: Lowering, args: Args) -> Value:
    """``np.broadcast(a, b)``: an object whose shape can be read."""
    shapes = [shape_of(ctx, v, args.span) if is_array(v) else () for v in args.values]
    if not shapes or args.keywords:
        raise Refused(BadCall(args.span, args.name, "takes arrays"))
    found = common_shape(ctx, shapes, args.span, "shape mismatch: objects")
    shape = TupleValue(tuple(ScalarValue(n, True) for n in found))
    return TupleValue((shape, literal(len(found)), ScalarValue(product(ctx, found, args.span), True)), _BROADCAST)


_BROADCAST = RecordClass("broadcast", "numpy.broadcast", False, tuple(map(RecordField, ("shape", "ndim", "size"))))


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.expand_dims": _expand_dims,
    "numpy.squeeze": _squeeze,
    "numpy.swapaxes": _swapaxes,
    "numpy.moveaxis": _moveaxis,
    "numpy.broadcast_to": _broadcast_to,
    "numpy.atleast_1d": _at_least(1),
    "numpy.atleast_2d": _at_least(2),
    "numpy.atleast_3d": _at_least(3),
    "numpy.broadcast": _broadcast,
    "numpy.shape": _shape,
    "numpy.size": _size,
    "numpy.ndim": _ndim,
}
enter_rules(RULES)
