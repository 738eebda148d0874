"""Cells of arrays: reading and writing them at integer indices."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ..core import Atom, Check, Const, Load, Store, Var
from ..frozen import frozen
from ..messages.language import Unsupported
from ..messages.types import Truncated, WrongType
from ..scope import External
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, Scalar
from .context import ONE, ZERO, Lowering
from .gather import fits, gather, gathered, mask_of
from .numbers import cast, to_int
from .places import (
    AnyArray,
    as_view,
    base_index,
    dtype_of,
    either,
    is_array,
    made_sure,
    materialise,
    rank_of,
    read,
    size_of,
    writable,
)
from .quoted import Quoted
from .records import only_fields, user_name
from .slices import (
    Part,
    Place,
    delayed_view,
    index_atom,
    is_basic,
    parts_of,
    require_index,
    scalar_part,
    view_of,
)
from .updates import Region, may_meet, picked_cells, region
from .values import (
    LIST,
    SILENT,
    ArrayValue,
    Delayed,
    EntityValue,
    NoneValue,
    Poison,
    ScalarValue,
    TupleValue,
    UnionValue,
    Value,
    ViewValue,
    describe,
    type_of,
)
from .views import View, Whole
from .whence import made


@frozen
class Cell:
    """A cell of an array that is held by a name."""

    array: Var
    index: tuple[Atom, ...]
    name: str  # the user's name of the array, empty for a temporary
    span: Span
    checked: bool = True


def subscript(ctx: Lowering, node: ast.Subscript) -> Value:
    """``a[i, j]``, ``a[lo:hi]``, ``a[idx]`` or ``t[k]`` read."""
    from .expressions import pull, settled

    joined = _joined(ctx, node)
    if joined is not None:
        return joined
    base = settled(ctx, pull(ctx, node.value), node.slice)
    if isinstance(base, TupleValue):
        return _item(ctx, node, base)
    if not is_array(base):
        if not isinstance(base, SILENT):
            instead = "leave the index out: it is one number already" if isinstance(base, ScalarValue) else ""
            ctx.report(WrongType(ctx.span(node.value), "only arrays and tuples are indexed", describe(type_of(base)), instead))
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:  # what it means is unknown
            if not isinstance(part, (ast.Slice, ast.Starred, ast.Constant)):
                pull(ctx, part)
        return Poison()
    parts = parts_of(ctx, node.slice)
    if parts is None:
        return Poison()
    return indexed(ctx, base, parts, user_name(node.value), ctx.span(node))


JOINED = ("r_", "c_", "mgrid", "ogrid")  # of NumPy: arrays made by a subscript


def _joined(ctx: Lowering, node: ast.Subscript) -> Value | None:
    """``np.r_[a, 1.0, b]`` and ``np.c_[x, y]``, ``np.mgrid[0:m, 0:n]`` and ``np.ogrid``; None for anything else."""
    from .entities import named
    from .expressions import pull

    found = named(ctx, node.value)
    home, _, attr = found.dotted.rpartition(".") if isinstance(found, External) else ("", "", "")
    if home != "numpy" or attr not in JOINED:
        return None

    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if attr in ("mgrid", "ogrid"):
        return pull(ctx, _at(node, _grid(node, items, attr))) if all(map(_is_range, items)) else _no_ranges(ctx, node, attr)
    if any(isinstance(n, ast.Slice) or (isinstance(n, ast.Constant) and isinstance(n.value, str)) for n in items):
        instead = "write `np.arange(...)` or `np.linspace(...)`, and `np.concatenate`"
        ctx.report(Unsupported(ctx.span(node), f"a range or a text in `np.{attr}`", instead))
        return Poison()
    given = ast.Tuple([_of_numpy(node, "atleast_1d", n) for n in items] if attr == "r_" else items, ast.Load())
    return pull(ctx, _at(node, _of_numpy(node, "concatenate" if attr == "r_" else "column_stack", given)))


def _of_numpy(at: ast.expr, name: str, *given: ast.expr, **keywords: object) -> ast.Call:
    keys = [ast.keyword(k, ast.Constant(v)) for k, v in keywords.items()]
    return ast.Call(Quoted(at, EntityValue(External(f"numpy.{name}"), f"np.{name}")), list(given), keys)


def _at(node: ast.expr, made: ast.expr) -> ast.expr:
    for n in ast.walk(made):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


def _is_range(n: ast.expr) -> bool:
    """``lo:hi`` or ``lo:hi:step``; a step that is imaginary is a number of places, which is written as `np.linspace`."""
    return isinstance(n, ast.Slice) and n.upper is not None and not isinstance(getattr(n.step, "value", None), complex)


def _no_ranges(ctx: Lowering, node: ast.Subscript, attr: str) -> Poison:
    ctx.report(Unsupported(ctx.span(node), f"`np.{attr}` of anything but `lo:hi` and `lo:hi:step`", "write `np.meshgrid(np.linspace(...), ..., indexing='ij')`"))
    return Poison()


def _grid(at: ast.expr, items: Sequence[ast.Slice], attr: str) -> ast.expr:
    """The coordinates of the cells of a grid."""
    along = [_of_numpy(at, "arange", n.lower or ast.Constant(0), n.upper, n.step or ast.Constant(1)) for n in items]
    if len(along) == 1:
        return along[0]
    axes = _of_numpy(at, "meshgrid", *along, indexing="ij", **({"sparse": True} if attr == "ogrid" else {}))
    return axes if attr == "ogrid" else _of_numpy(at, "stack", axes)


def indexed(ctx: Lowering, base: Value, parts: Sequence[Part], name: str, span: Span) -> Value:
    """``base[parts]``."""
    if not is_basic(parts):
        return gather(ctx, base, parts, name, span)
    if not _is_cell(base, parts):
        return delayed_view(ctx, base, parts, name, span) if isinstance(base, Delayed) else view_of(ctx, base, parts, name, span)
    match base:
        case ArrayValue() | ViewValue():
            return load_cell(ctx, _cell(ctx, base, parts, name, span))
        case UnionValue(cond=cond, one=one, other=other):
            sides = (lambda: indexed(ctx, one, parts, name, span)), (lambda: indexed(ctx, other, parts, name, span))
            return either(ctx, cond, *sides, span)
    made_sure(base)
    return read(ctx, base, _in_range(ctx, base, parts, name, span), span)


def _is_cell(base: Value, parts: Sequence[Part]) -> bool:
    return len(parts) == rank_of(base) and all(isinstance(p, Place) for p in parts)


def _in_range(ctx: Lowering, base: Value, parts: Sequence[Part], name: str, span: Span) -> tuple[Atom, ...]:
    """The index of a cell, every part of it checked here."""
    found: list[Atom] = []
    for axis, p in enumerate(parts):
        size = size_of(ctx, base, axis, span)
        found.append(index_atom(ctx, scalar_part(ctx, p), size, p.span))
        require_index(ctx, found[-1], size, axis, name or "the array", span)
    return tuple(found)


def target(ctx: Lowering, node: ast.Subscript, keep: bool = False) -> Cell | Region | None:
    """The cell or the region that ``a[...]`` as a target means. With ``keep`` what stands between now and the update may change
    arrays: what NumPy reads now, at indices of arrays, is read now."""
    from .expressions import expression

    base = expression(ctx, node.value)
    name, span = user_name(node.value), ctx.span(node)
    if isinstance(base, TupleValue):
        what, instead = ("list", "make an array: `np.zeros(n)`, or `np.array([...])`") if base.listed else ("tuple", "build a new tuple")
        ctx.report(Unsupported(span, f"assigning to an element of a {what}", instead))
        return None
    if not is_array(base):
        if not isinstance(base, SILENT):
            ctx.report(WrongType(ctx.span(node.value), "only arrays have cells to assign to", describe(type_of(base))))
        return None
    parts = parts_of(ctx, node.slice)
    place = None if parts is None else writable(ctx, base, name, span)
    if place is None:
        return None
    mask = mask_of(parts)
    if mask is not None:
        if not fits(ctx, place, mask, name, span):
            return None
        old = materialise(ctx, place, "old", span) if keep else None
        return region(ctx, place, name, span, mask=_settled(ctx, place, mask, keep, span), old=old)
    if not is_basic(parts):
        parts = [replace(p, value=_settled(ctx, place, p.value, keep, span)) if isinstance(p, Place) and is_array(p.value) else p for p in parts]
        picked = gathered(ctx, place, parts, name, span)
        if picked is None:
            return None
        place = picked.base
        old = materialise(ctx, picked_cells(ctx, place, picked, span), "old", span) if keep else None
        return region(ctx, place, name, span, picked, old=old)
    if _is_cell(place, parts):
        return _cell(ctx, place, parts, name, span)
    view = view_of(ctx, place, parts, name, span)
    return None if isinstance(view, SILENT) else region(ctx, view, name, span)


def _settled(ctx: Lowering, place: ArrayValue | ViewValue, v: AnyArray, keep: bool, span: Span) -> AnyArray:
    """An array of indices or a mask that the update of the place does not change."""
    changes = keep and isinstance(v, Delayed)
    return materialise(ctx, v, "at", span) if changes or may_meet(place, v, dtype_of(v) == "bool") else v


def load_cell(ctx: Lowering, where: Cell) -> ScalarValue:
    out = ctx.fresh(f"{where.array.name.partition('.')[0]}_i", Scalar(where.array.type.dtype))
    ctx.emit(Load(out, where.array, where.index, where.checked, where.span))
    return ScalarValue(out)


def store_cell(ctx: Lowering, where: Cell, value: ScalarValue) -> None:
    """Store a scalar, converted as NumPy does."""
    dtype = where.array.type.dtype
    if dtype in INTS and value.dtype in FLOATS:
        ctx.report(Truncated(where.span, where.name or where.array.name, made(ctx, where.name, where.span)))
        if where.checked:  # NumPy looks for the cell before it converts
            place, where = where, replace(where, checked=False)
            require_cell(ctx, place)
        atom = to_int(ctx, value.atom, dtype, where.span)
    else:
        atom = cast(ctx, value.atom, dtype, where.span)
    ctx.emit(Store(where.array, where.index, atom, where.checked, where.span))


def require_cell(ctx: Lowering, where: Cell) -> None:
    """Raise IndexError here where there is no such cell, by checks of their own."""
    for axis, index in enumerate(where.index):
        span, n = where.span, ctx.dim(where.array, axis, where.span)
        if isinstance(index, Const) and isinstance(n, Const) and 0 <= index.value < n.value:
            continue
        ok, shown = ctx.let("ok", "lt", (index, n), BOOL, span), index
        if not ctx.is_nonneg(index):  # a negative index has been wrapped: the user wrote what it was before
            low = ctx.let("low", "ge", (index, Const(0, I64)), BOOL, span)
            ok = ctx.let("ok", "and", (low, ok), BOOL, span)
            written = ctx.let("t", "sub", (index, n), I64, span)
            shown = ctx.let("shown", "select", (low, index, written), I64, span)
        name = where.name or where.array.name.partition(".")[0]
        text = f"index {{0}} is out of bounds for axis {axis} of {name} with size {{1}}"
        ctx.emit(Check(ok, "IndexError", text, (shown, n), span))


def _item(ctx: Lowering, node: ast.Subscript, base: TupleValue) -> Value:
    """``t[k]``, and ``t[lo:hi]`` with literal bounds."""
    from .expressions import expression, usable

    if isinstance(node.slice, ast.Slice):
        return _items(ctx, node.slice, base, ctx.span(node))
    index = expression(ctx, node.slice)
    if only_fields(ctx, base, ctx.span(node), "an element is of a tuple"):
        return Poison()
    if isinstance(index, ScalarValue) and isinstance(index.atom, Const) and index.dtype == "i64":
        k = index.atom.value
        if -len(base.items) <= k < len(base.items):
            return usable(ctx, base.items[k], ast.unparse(node), ctx.span(node))
        ctx.report(WrongType(ctx.span(node), f"a tuple of {len(base.items)} has no element {k}", "out of range"))
    elif isinstance(index, ScalarValue) and index.dtype in INTS and base.items and all(isinstance(v, ScalarValue) for v in base.items):
        return _chosen(ctx, base.items, index, ctx.span(node))
    elif not isinstance(index, SILENT):
        instead = "make an array of it first: `a = np.stack(t)`, then `a[k]`" if any(map(is_array, base.items)) else ""
        ctx.report(WrongType(ctx.span(node.slice), "a tuple is indexed by a literal int", describe(type_of(index)), instead))
    return Poison()


MOST_CHOSEN = 32


def _chosen(ctx: Lowering, items: tuple[ScalarValue, ...], index: ScalarValue, span: Span) -> Value:
    """``t[k]`` of a tuple of numbers with a computed index."""
    n = len(items)
    if not alike(items):
        found = f"{n} numbers" if n > MOST_CHOSEN else " and ".join(sorted({describe(type_of(v)) for v in items}))
        instead = "make an array of it before the loop: `a = np.array(t)`, then `a[k]`"
        ctx.report(WrongType(span, f"a computed index picks out of a tuple of at most {MOST_CHOSEN} numbers of one type", found, instead))
        return Poison()
    k = index_atom(ctx, index, Const(n, I64), span)
    ok = ctx.let("ok", "lt", (k, Const(n, I64)), BOOL, span)
    if not ctx.is_nonneg(k):
        ok = ctx.let("ok", "and", (ctx.let("low", "ge", (k, ZERO), BOOL, span), ok), BOOL, span)
    ctx.emit(Check(ok, "IndexError", "tuple index out of range", (), span))
    return picked(ctx, items, k, span)


def alike(items: tuple[Value, ...]) -> bool:
    """Whether a computed index can pick one of some values: they are few, and numbers of one type or tuples of such."""
    if not 0 < len(items) <= MOST_CHOSEN:
        return False
    if all(isinstance(v, TupleValue) for v in items):
        return len({(len(v.items), v.record) for v in items}) == 1 and all(map(alike, zip(*(v.items for v in items), strict=True)))
    dtypes = {v.dtype for v in items if isinstance(v, ScalarValue)}
    numbers = dtypes == {"f64", "i64"} and all(v.weak for v in items)  # Python's own, which meet in floats anyway
    return all(isinstance(v, ScalarValue) for v in items) and (len(dtypes) == 1 or numbers)


def picked(ctx: Lowering, items: tuple[Value, ...], k: Atom, span: Span) -> Value:
    """That of values which are `alike` at which an index within bounds points."""
    if isinstance(items[0], TupleValue):
        return TupleValue(tuple(picked(ctx, part, k, span) for part in zip(*(v.items for v in items), strict=True)), items[0].record)
    dtype = "f64" if len({v.dtype for v in items}) > 1 else items[0].dtype
    *before, atom = (cast(ctx, v.atom, dtype, span) for v in items)
    for at, other in reversed(list(enumerate(before))):
        atom = ctx.let("item", "select", (ctx.let("b", "eq", (k, Const(at, I64)), BOOL, span), other, atom), atom.type, span)
    return ScalarValue(atom, all(v.weak for v in items))


def _items(ctx: Lowering, node: ast.Slice, base: TupleValue, span: Span) -> Value:
    from .expressions import expression

    bounds: list[int | None] = []
    for part in (node.lower, node.upper, node.step):
        value = NoneValue() if part is None else expression(ctx, part)
        match value:
            case NoneValue():
                bounds.append(None)
            case ScalarValue(atom=Const(value=k), dtype=dtype) if dtype in INTS:
                bounds.append(k)
            case _:
                if not isinstance(value, SILENT):
                    ctx.report(WrongType(ctx.span(part), "the bounds of a slice of a tuple are literal ints", describe(type_of(value))))
                return Poison()
    if bounds[2] == 0:
        ctx.report(WrongType(span, "the step of a slice is not 0", "0"))
        return Poison()
    if only_fields(ctx, base, span, "a slice is of a tuple"):
        return Poison()
    return TupleValue(base.items[slice(*bounds)], LIST if base.listed else None)


def _cell(ctx: Lowering, base: ArrayValue | ViewValue, parts: Sequence[Place], name: str, span: Span) -> Cell:
    """The cell of the base array behind a full index. An axis that a view takes whole is checked where the cell is
    accessed, any other one here, against the size of the view."""
    v = as_view(base)
    index: list[Atom] = []
    direct = 0
    for axis, p in enumerate(parts):
        size = size_of(ctx, v, axis, span)
        index.append(index_atom(ctx, scalar_part(ctx, p), size, p.span))
        if isinstance(v.view.shape[axis], Whole) and v.view.flat is None and _taken_whole(v.view, axis):
            direct += 1
        else:
            require_index(ctx, index[-1], size, axis, name or v.var.name.partition(".")[0], span)
    place = tuple(index) if isinstance(base, ArrayValue) else base_index(ctx, v, index, span)
    return Cell(v.var, place, name, span, bool(direct))


def _taken_whole(view: View, axis: int) -> bool:
    along = [(a.start, a.step) for a in view.axes if a.of == axis]
    return along == [(ZERO, ONE)]
