"""Transposes, reshapes and flips: views wherever NumPy has views."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..ir.core import Atom, Check, Const, Var
from ..engine.places import (
    as_view, check_same_size, materialise, of_side, plus, product, ravelled, simplify_view, times,
)
from ..engine.refusal import Refused
from ..engine.programs import Programs
from ..engine.rulebook import Args, enter_rules
from ..engine.snippets import snippet_value
from ..engine.sizes import AnyArray, is_array, rank_of, shape_of
from ..engine.state import ONE, TRUE, ZERO, Lowering
from ..engine.values import (
    SILENT, ArrayValue, Delayed, Loss, ScalarValue, TextValue, TupleValue, UnionValue, Value, ViewValue,
    describe, type_of,
)
from ..engine.views import Along, Flat, View, Whole
from ..messages.language import BadCall, Unsupported
from ..messages.types import NoAxis, WrongRank, WrongType
from ..span import Span
from ..types import BOOL, I64, INTS
from .arguments import shape_of as shape_argument
from .arguments import sizes_in


def transposed(ctx: Lowering, v: AnyArray, order: Sequence[int] | None, span: Span) -> Value:
    """The view with permuted axes: axis k is axis ``order[k]`` of the original. Without ``order`` the axes are
    reversed."""
    rank = rank_of(v)
    order = tuple(range(rank))[::-1] if order is None else tuple(k + rank if k < 0 else k for k in order)
    if sorted(order) != list(range(rank)):
        raise Refused(WrongRank(span, "the array", rank, len(order)))
    match v:
        case UnionValue(one=one, other=other):
            return replace(v, one=transposed(ctx, one, order, span), other=transposed(ctx, other, order, span))
        case Delayed(shape=shape, cell=cell, reads=reads):
            same = order == tuple(range(rank))
            return Delayed(
                v.dtype,
                tuple(shape[k] for k in order),
                lambda index: cell(_put(index, order)),
                tuple((a, aligned and same) for a, aligned in reads),
                v.expensive,
                tests=v.tests,
            )
    view = as_view(v).view
    axes = tuple(replace(a, of=None if a.of is None else order.index(a.of)) for a in view.axes)
    return simplify_view(v.var, View(axes, tuple(view.shape[k] for k in order), view.flat, view.readonly, view))


def _put(index: tuple[Atom, ...], order: Sequence[int]) -> tuple[Atom, ...]:
    """The index before the permutation of axes."""
    return tuple(index[order.index(k)] for k in range(len(order)))


def transpose_method(ctx: Lowering, v: AnyArray, args: Args, by: str) -> Value:
    """``a.transpose()``, ``a.transpose(1, 0)`` or ``a.transpose((1, 0))``."""
    given = args.values[0].items if len(args.values) == 1 and isinstance(args.values[0], TupleValue) else args.values
    if args.keywords:
        raise Refused(BadCall(args.span, args.name, "takes the order of the axes, and no keywords"))
    order = axes_of(ctx, TupleValue(tuple(given)), rank_of(v), args.span)
    return transposed(ctx, v, order or None, args.span)


def axes_of(ctx: Lowering, v: Value, rank: int, span: Span, lists: bool = True) -> tuple[int, ...]:
    """Axes given by a literal int or a tuple of them, counted from the front; also by a list, if NumPy accepts
    ``lists``."""
    if isinstance(v, TupleValue) and v.listed and not lists:
        raise Refused(WrongType(span, "axes are an int or a tuple of ints", "a list", "write a tuple: `axis=(0, 1)`"))
    found: list[int] = []
    for item in v.items if isinstance(v, TupleValue) else (v,):
        if not (isinstance(item, ScalarValue) and isinstance(item.atom, Const) and item.dtype in INTS):
            if not isinstance(item, SILENT):
                ctx.wants_literal(item)
                raise Refused(
                    WrongType(span, "an axis is a literal int", describe(type_of(item)), "write it out: `axis=0`")
                )
            raise Refused(None)
        k = item.atom.value
        if not -rank <= k < rank:
            raise Refused(NoAxis(span, rank, k))
        found.append(k % rank)
    if len(set(found)) != len(found):
        raise Refused(WrongType(span, "axes are given once", "repeated"))
    return tuple(found)


def reshape_method(ctx: Lowering, v: AnyArray, args: Args, by: str) -> Value:
    """``a.reshape(n, m)`` or ``a.reshape((n, m))``."""
    order = args.keywords.get("order", TextValue("C"))
    if (
        args.keywords.keys() - {"order"}
        or not args.values
        or not (isinstance(order, TextValue) and order.text in ("C", "F"))
    ):
        raise Refused(BadCall(args.span, args.name, "takes the new shape, and `order='C'` or `'F'`"))
    shape = args.values[0] if len(args.values) == 1 else TupleValue(args.values)
    if order.text == "C":
        return reshaped(ctx, v, shape, args)
    turned = replace(shape, items=shape.items[::-1]) if isinstance(shape, TupleValue) else shape
    made = reshaped(ctx, transposed(ctx, v, None, args.span), turned, args)
    return transposed(ctx, made, None, args.span) if is_array(made) else made


def reshaped(ctx: Lowering, v: AnyArray, shape: Value, args: Args, dense: bool = False) -> Value:
    """The array in another shape, its cells in C order: a view of an array with cells in that order; with ``dense``
    only of a contiguous one."""
    span = args.span
    sizes = _new_shape(ctx, v, shape, span)
    match v:
        case UnionValue(one=one, other=other):
            one, other = (of_side(ctx, v, k, lambda x: reshaped(ctx, x, shape, args, dense), span) for k in range(2))
            return replace(v, one=one, other=other)
        case ArrayValue(var=var):
            if not is_in_order(ctx, var):
                return _perhaps_copied(ctx, as_view(v), sizes, args)
            return ViewValue(var, _in_order(Flat(sizes)))
        case ViewValue(var=var, view=old):
            flat = None if old.readonly or not is_in_order(ctx, var) else reindexed(ctx, v, sizes, span)
            if flat is None or (dense and flat.step != ONE):
                return _perhaps_copied(ctx, v, sizes, args)
            return ViewValue(var, _in_order(flat))
    return ViewValue(materialise(ctx, v, args.hint, span).var, _in_order(Flat(sizes)))


_PERMUTING = frozenset(
    "T mT transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis rot90 einsum tensordot diagonal".split()
)


def is_in_order(ctx: Lowering, var: Var) -> bool:
    """Whether the cells of an array are known to be in C order. NumPy gives results the layout of their operands: if
    axes are permuted anywhere, this is known only for arrays that are created in C order in any case."""
    if (
        var.type.rank < 2
        or ctx.known(var).in_order
        or ((lent := ctx.variables.lent(var.name)) is not None and lent.kind != "helper")
    ):
        return True
    if permuting(ctx.programs):
        return False
    # what comes later in the loop, or before another call of the function, is not seen yet
    ctx.programs.in_order |= ctx.path.looping or ctx.spec is not None
    return True


def permuting(programs: Programs) -> bool:
    """Whether anything that an entry reaches permutes axes."""
    sources = {id(s.node): s.node for s in (programs.entry, *(spec.source for spec in programs.specs.values()))}
    return programs.permuted or any(
        getattr(n, "attr", getattr(n, "id", "")) in _PERMUTING for node in sources.values() for n in ast.walk(node)
    )


def _in_order(flat: Flat) -> View:
    return View(tuple(Along(ZERO, ONE, k) for k in range(len(flat.sizes))), flat.sizes, flat)


def reindexed(ctx: Lowering, v: ViewValue, sizes: tuple[Atom, ...], span: Span) -> Flat | None:
    """How the cells of a view are indexed in another shape, if they are known to have one stride in C order: NumPy then
    returns a view. None if that is not known."""
    view = v.view
    around = view.flat or Flat(tuple(ctx.dim(v.var, k, span) for k in range(v.var.type.rank)))
    moving = [k for k, a in enumerate(view.axes) if a.of is not None and view.shape[a.of] != ONE]
    order = [view.axes[k].of for k in moving]
    if order != [k for k, n in enumerate(view.shape) if n != ONE]:
        return None
    for k in range(moving[0] + 1, len(view.axes)) if len(moving) > 1 else ():
        a = view.axes[k]
        if (a.start, a.step) != (ZERO, ONE) or a.of is None or view.shape[a.of] not in (Whole(k), around.sizes[k]):
            return None
    if len(moving) > 1 and view.axes[moving[0]].step != ONE:
        return None
    first = ravelled(ctx, [a.start for a in view.axes], around.sizes, span)
    step = ONE
    if len(moving) == 1:
        step = times(ctx, view.axes[moving[0]].step, product(ctx, around.sizes[moving[0] + 1 :], span), span)
    start = plus(ctx, around.start, times(ctx, around.step, first, span), span)
    return Flat(sizes, start, times(ctx, around.step, step, span))


def _perhaps_copied(ctx: Lowering, v: ViewValue, sizes: tuple[Atom, ...], args: Args) -> UnionValue:
    """What NumPy copies or not depending on sizes: a copy that is valid as long as its source is not updated."""
    copy = ViewValue(materialise(ctx, v, args.hint, args.span).var, _in_order(Flat(sizes)))
    original = ViewValue(v.var, View(tuple(Along(ZERO) for _ in range(v.var.type.rank)), sizes))
    return UnionValue(TRUE, copy, original, Loss("reshaped", args.name, args.span))


def _new_shape(ctx: Lowering, v: AnyArray, shape: Value, span: Span) -> tuple[Atom, ...]:
    """The sizes that a shape argument denotes; one of them may be -1."""
    items = sizes_in(ctx, shape, span)
    unknown = [k for k, x in enumerate(items) if isinstance(x, ScalarValue) and x.atom == Const(-1, I64)]

    one = ScalarValue(ONE, True)
    sizes = shape_argument(ctx, TupleValue(tuple(one if k in unknown else x for k, x in enumerate(items))), span)
    if len(unknown) > 1:
        if sizes is not None:
            raise Refused(WrongType(span, "one size of a shape may be left open", "-1 twice"))
        raise Refused(None)
    total, rest = product(ctx, shape_of(ctx, v, span), span), product(ctx, sizes, span)
    text = f"cannot reshape array of size {{0}} into shape {_text(items, sizes, unknown)}"
    if unknown:
        open_size = _divided(ctx, total, rest, span)
        return tuple(open_size if k in unknown else n for k, n in enumerate(sizes))
    check_same_size(ctx, total, rest, text, (total, *sizes), span)
    return sizes


def _text(items, sizes, unknown) -> str:
    parts = ["-1" if k in unknown else f"{{{k + 1}}}" for k in range(len(items))]
    return f"({','.join(parts)}{',' if len(parts) == 1 else ''})"


def _divided(ctx: Lowering, total: Atom, rest: Atom, span: Span) -> Atom:
    """``total / rest``, checked to be an integer."""
    if rest == ONE:
        return total
    if isinstance(total, Const) and isinstance(rest, Const) and rest.value and total.value % rest.value == 0:
        return Const(total.value // rest.value, I64)
    some = ctx.let("ok", "gt", (rest, ZERO), BOOL, span)
    ctx.emit(Check(some, "ValueError", "cannot reshape an array into a shape of no cells with an open size", (), span))
    left = ctx.let("t", "mod", (total, rest), I64, span)
    ctx.emit(
        Check(
            ctx.let("ok", "eq", (left, ZERO), BOOL, span),
            "ValueError",
            "cannot reshape array of size {0}",
            (total,),
            span,
        )
    )
    return ctx.let("n", "floordiv", (total, rest), I64, span, nonneg=True)


def _ravel(ctx: Lowering, args: Args) -> Value:
    if args.name != "flatten" and args.values and isinstance(args.values[0], TupleValue):
        made = snippet_value(ctx, args, "np.array(v)", v=args.values[0])
        args = replace(args, values=(made, *args.values[1:]))
    match args.values:
        case (v,) if is_array(v) and not args.keywords:
            return (
                reshaped(ctx, v, ScalarValue(Const(-1, I64), True), args, True)
                if args.name != "flatten"
                else _flat_copy(ctx, v, args)
            )
    order = args.keywords.get("order", args.values[1] if len(args.values) == 2 else None)
    if args.values and is_array(args.values[0]) and isinstance(order, TextValue):
        if order.text not in ("C", "F") and rank_of(args.values[0]) > 1:
            what = f"`order={order.text!r}`, which depends on where the cells lie in memory,"
            raise Refused(Unsupported(args.span, what, "write `order='C'`, or leave it out"))
        of = args.values[0] if order.text != "F" else transposed(ctx, args.values[0], None, args.span)
        return _ravel(ctx, replace(args, values=(of,), keywords={}))
    raise Refused(BadCall(args.span, args.name, "takes one array"))


def _flat_copy(ctx: Lowering, v: AnyArray, args: Args) -> Value:
    return materialise(ctx, reshaped(ctx, v, ScalarValue(Const(-1, I64), True), args), args.hint, args.span)


def rank_zero(v: ScalarValue) -> Delayed:
    """A number as an array of rank 0."""
    return Delayed(v.dtype, (), lambda index: v)


def _reshape(ctx: Lowering, args: Args) -> Value:
    """``np.reshape(a, shape, order)``, where ``shape`` was called ``newshape`` before NumPy 2.1."""
    given = {**dict(zip(("a", "shape", "order"), args.values, strict=False)), **args.keywords}
    v, shape = given.pop("a", None), given.pop("shape", given.pop("newshape", None))
    v = rank_zero(v) if isinstance(v, ScalarValue) else v
    if not is_array(v) or shape is None:
        raise Refused(BadCall(args.span, args.name, "takes an array and its new shape"))
    return reshape_method(ctx, v, replace(args, values=(shape,), keywords=given), "")


def with_axes(ctx: Lowering, v: AnyArray, at: Sequence[int], span: Span) -> AnyArray:
    """A view with an axis of size 1 at each position in ``at``, in order."""
    if not at:
        return v
    sizes = list(shape_of(ctx, v, span))
    for k in at:
        sizes.insert(k, ONE)
    old = [k for k in range(len(sizes)) if k not in at]
    match v:
        case UnionValue(one=one, other=other):
            return UnionValue(v.cond, with_axes(ctx, one, at, span), with_axes(ctx, other, at, span), v.loss)
        case Delayed(cell=cell, reads=reads):
            picked = lambda index: cell(tuple(index[k] for k in old))
            own = tuple((a, False) for a, _ in reads)
            return Delayed(v.dtype, tuple(sizes), picked, own, v.expensive, tests=v.tests)
    base: ViewValue = as_view(v)
    shape = list(base.view.shape)
    for k in at:
        shape.insert(k, ONE)
    axes = tuple(a if a.of is None else type(a)(a.start, a.step, old[a.of], a.end) for a in base.view.axes)
    return simplify_view(base.var, View(axes, tuple(shape), base.view.flat, base.view.readonly, base.view))


def without_axes(ctx: Lowering, v: AnyArray, at: Sequence[int], span: Span) -> AnyArray:
    """A view without the axes ``at``, each of which has size 1."""
    if not at:
        return v
    left = [k for k in range(len(shape_of(ctx, v, span))) if k not in at]

    def whole_index(index: tuple[Atom, ...]) -> tuple[Atom, ...]:
        given = iter(index)
        return tuple(ZERO if k in at else next(given) for k in range(len(left) + len(at)))

    match v:
        case UnionValue(one=one, other=other):
            return UnionValue(v.cond, without_axes(ctx, one, at, span), without_axes(ctx, other, at, span), v.loss)
        case Delayed(cell=cell, reads=reads):
            sizes = tuple(v.shape[k] for k in left)
            own = tuple((a, False) for a, _ in reads)
            return Delayed(v.dtype, sizes, lambda index: cell(whole_index(index)), own, v.expensive, tests=v.tests)
    base = as_view(v)
    axes = tuple(
        type(a)(a.start) if a.of in at else a if a.of is None else type(a)(a.start, a.step, left.index(a.of), a.end)
        for a in base.view.axes
    )
    return simplify_view(
        base.var, View(axes, tuple(base.view.shape[k] for k in left), base.view.flat, base.view.readonly, base.view)
    )


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.ravel": _ravel,
    "numpy.reshape": _reshape,
}
enter_rules(RULES)
