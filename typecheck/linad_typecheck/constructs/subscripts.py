"""Subscripts: reading cells, regions and tuple items, and the targets of assignments."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ..arrays import ranges
from ..arrays.from_parts import row_of
from ..arrays.gather import fits, gathered, mask_of, under
from ..arrays.indexing import (
    MOST_CHOSEN, Cell, cell_at, indexed, inner_parts, is_cell, place_in, select_item, value_parts,
)
from ..arrays.shapes import rank_zero
from ..arrays.slices import Part, Place, Rest, Slice, is_basic, is_bound, slice_of, view_of
from ..arrays.updates import Region, may_meet, picked_cells, region
from ..ir.core import Check, Const, Var
from ..engine.choices import as_choices
from ..engine.entities import named
from ..engine.evaluation import EXPRESSIONS, expand_starred, expression, force_before, pull, usable
from ..engine.growing import is_growing
from ..engine.hashed import is_hashed
from ..engine.numbers import as_index
from ..engine.places import materialise, writable
from ..engine.provenance import not_an_int, user_name
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.sizes import AnyArray, dtype_of, is_array
from ..engine.state import FALSE, Lowering
from ..engine.values import (
    KNOWN_RANGE, LIST, RANGE, SILENT, SLICE, ArrayValue, Bottom, Delayed, EntityValue, NoneValue, Poison, ScalarValue,
    TextValue, TupleValue, Value, ViewValue, describe, is_complex, type_of,
)
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..registry import enter
from ..names.scope import External
from ..span import Span
from ..types import INTS
from . import complexes, enumerations, hashed, lists, queues
from .dicts import item as dict_item
from .records import by_class, only_fields
from .static_texts import item as text_item
from .targets import evaluated_before


def subscript(ctx: Lowering, node: ast.Subscript) -> Value:
    """A subscript that is read: ``a[i, j]``, ``a[lo:hi]``, ``a[idx]`` or ``t[k]``."""
    joined = _joined(ctx, node)
    if joined is None:
        joined = _index(ctx, node)
    if joined is not None:
        return joined
    if not isinstance(node.slice, ast.Slice) and (index := evaluated_before(ctx, node.value, [node.slice])):
        node = ast.copy_location(ast.Subscript(node.value, index[0], node.ctx), node)  # the index may change the list
    base = force_before(ctx, pull(ctx, node.value), node.slice)
    if is_growing(base):
        return _of_list(ctx, node, usable(ctx, base, user_name(node.value) or "the list", ctx.span(node.value)))
    if is_complex(base):
        parts = parts_of(ctx, node.slice)
        return Poison() if parts is None else complexes.item(ctx, base, parts, user_name(node.value), ctx.span(node))
    if isinstance(base, TupleValue):
        base = hashed.hashed_for_key(ctx, base, node.slice) or base
        if queues.is_deque(base):
            return queues.item(ctx, node, base, user_name(node.value))
        if is_hashed(base):
            return hashed.item(ctx, node, base)
        if base.mapping:
            return dict_item(ctx, node, base)
        index = [] if isinstance(node.slice, ast.Slice) else [node.slice]
        found = by_class(ctx, "__getitem__", base, node, index) if index else None
        return _item(ctx, node, base) if found is None else found
    if isinstance(base, EntityValue) and (found := by_class(ctx, "__getitem__", base, node, [node.slice])) is not None:
        return found
    if enumerations.members(base) is not None:
        return enumerations.by_name(ctx, base, expression(ctx, node.slice), ctx.span(node))
    if isinstance(base, TextValue) and (part := text_item(ctx, node, base.text)) is not None:
        return part
    if isinstance(base, TextValue) and base.text and not isinstance(node.slice, ast.Slice):  # a computed index
        return _item(ctx, node, TupleValue(tuple(map(TextValue, base.text))))
    if isinstance(base, ScalarValue) and not base.weak and (_adds_axes(node.slice) or _is_mask(ctx, node.slice)):
        base = rank_zero(base)
    if not is_array(base):
        if isinstance(base, ScalarValue):
            ctx.raised("TypeError" if base.weak else "IndexError")
        if not isinstance(base, SILENT):
            instead = "leave the index out: it is one number already" if isinstance(base, ScalarValue) else ""
            ctx.report(
                WrongType(ctx.span(node.value), "only arrays and tuples are indexed", describe(type_of(base)), instead)
            )
        # the meaning of the index is unknown
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            if not isinstance(part, (ast.Slice, ast.Starred, ast.Constant)):
                pull(ctx, part)
        return Poison()
    parts = parts_of(ctx, node.slice)
    if parts is None:
        raise Refused(None)
    return indexed(ctx, base, parts, user_name(node.value), ctx.span(node))


def _adds_axes(node: ast.expr) -> bool:
    """Whether an index part consumes no axis: ``...``, None and ``()``."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(ast.unparse(n) in ("...", "None", "np.newaxis", "numpy.newaxis", "newaxis") for n in parts)


def _is_mask(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an index is a single bool."""
    found = ctx.attempt(lambda: expression(ctx, node)).value
    return isinstance(found, ScalarValue) and found.dtype == "bool"


JOINED = ("r_", "c_", "mgrid", "ogrid")  # NumPy objects that build an array by a subscript
INDICES = ("s_", "index_exp")  # NumPy objects whose subscript is an index


def _joined(ctx: Lowering, node: ast.Subscript) -> Value | None:
    """``np.r_[a, 1.0, b]`` and ``np.c_[x, y]``, ``np.mgrid[0:m, 0:n]`` and ``np.ogrid``; None for anything else."""
    found = named(ctx, node.value)
    home, _, attr = found.dotted.rpartition(".") if isinstance(found, External) else ("", "", "")
    if home != "numpy" or attr not in JOINED:
        return None

    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if attr in ("mgrid", "ogrid"):
        if not all(map(_is_range, items)):
            what = f"`np.{attr}` of anything but `lo:hi` and `lo:hi:step`"
            instead = "write `np.meshgrid(np.linspace(...), ..., indexing='ij')`"
            raise Refused(Unsupported(ctx.span(node), what, instead))
        return pull(ctx, _at(node, _grid(node, items, attr)))
    if any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in items):
        instead = "name the axis: `np.concatenate((...), axis=...)`"
        raise Refused(Unsupported(ctx.span(node), f"a text in `np.{attr}`", instead))
    items = [_points(node, n) if _is_range(n) else n for n in items]
    given = ast.Tuple([_of_numpy(node, "atleast_1d", n) for n in items] if attr == "r_" else items, ast.Load())
    return pull(ctx, _at(node, _of_numpy(node, "concatenate" if attr == "r_" else "column_stack", given)))


def _index(ctx: Lowering, node: ast.Subscript) -> Value | None:
    """``np.s_[1:, 0]``: the index as a value; None for anything else."""
    found = named(ctx, node.value)
    if not isinstance(found, External) or found.dotted not in (f"numpy.{name}" for name in INDICES):
        return None
    index = _part_as_value(ctx, node.slice)
    wrapped = found.dotted.endswith("index_exp") and not isinstance(node.slice, ast.Tuple)
    return TupleValue((index,)) if wrapped else index


def _part_as_value(ctx: Lowering, node: ast.expr) -> Value:
    if isinstance(node, ast.Tuple):
        return TupleValue(tuple(_part_as_value(ctx, n) for n in node.elts))
    if isinstance(node, ast.Slice):
        bounds = (node.lower, node.upper, node.step)
        return TupleValue(tuple(NoneValue() if n is None else expression(ctx, n, none=True) for n in bounds), SLICE)
    return expression(ctx, node)


def _of_numpy(at: ast.expr, name: str, *given: ast.expr, **keywords: object) -> ast.Call:
    keys = [ast.keyword(k, ast.Constant(v)) for k, v in keywords.items()]
    return ast.Call(Quoted(at, EntityValue(External(f"numpy.{name}"), f"np.{name}")), list(given), keys)


def _at(node: ast.expr, made: ast.expr) -> ast.expr:
    for n in ast.walk(made):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


def _is_range(n: ast.expr) -> bool:
    """``lo:hi`` or ``lo:hi:step``."""
    return isinstance(n, ast.Slice) and n.upper is not None


def _points(at: ast.expr, n: ast.Slice) -> ast.expr:
    """The numbers of a range; an imaginary step is how many there are, the last one included."""
    start, step = n.lower or ast.Constant(0), n.step or ast.Constant(1)
    if isinstance(step, ast.Constant) and isinstance(step.value, complex):
        return _of_numpy(at, "linspace", start, n.upper, ast.Constant(int(abs(step.value))))
    return _of_numpy(at, "arange", start, n.upper, step)


def _grid(at: ast.expr, items: Sequence[ast.Slice], attr: str) -> ast.expr:
    """The coordinates of the cells of a grid."""
    along = [_points(at, n) for n in items]
    if len(along) == 1:
        return along[0]
    axes = _of_numpy(at, "meshgrid", *along, indexing="ij", **({"sparse": True} if attr == "ogrid" else {}))
    return axes if attr == "ogrid" else _of_numpy(at, "stack", axes)


def target(ctx: Lowering, node: ast.Subscript, keep: bool = False) -> Cell | Region | None:
    """The cell or region that ``a[...]`` denotes as a target.

    With ``keep``, code before the update may change arrays, so index arrays are evaluated now, as in NumPy.
    """
    base = expression(ctx, node.value)
    name, span = user_name(node.value), ctx.span(node)
    if lists.is_list(base):
        index = expression(ctx, node.slice)
        if isinstance(index, Poison):
            raise Refused(None, changes=(base,))
        return lists.target(ctx, node, base, index, span)
    if isinstance(base, TupleValue):
        ctx.report(Unsupported(span, "assigning to an element of a tuple", "build a new tuple"))
        return None
    if not is_array(base):
        if not isinstance(base, SILENT):
            ctx.report(WrongType(ctx.span(node.value), "only arrays have cells to assign to", describe(type_of(base))))
        return None
    parts = parts_of(ctx, node.slice)
    place = None if parts is None else writable(ctx, base, name, span)
    if place is None:
        return None
    place, parts = under(ctx, place, parts, name, span)
    mask = mask_of(parts)
    if mask is not None:
        if not fits(ctx, place, mask, name, span):
            return None
        old = materialise(ctx, place, "old", span) if keep else None
        return region(ctx, place, name, span, mask=_settled(ctx, place, mask, keep, span), old=old)
    if not is_basic(parts):
        parts = [
            replace(p, value=_settled(ctx, place, p.value, keep, span))
            if isinstance(p, Place) and is_array(p.value)
            else p
            for p in parts
        ]
        picked = gathered(ctx, place, parts, name, span)
        if picked is None:
            return None
        place = picked.base
        old = materialise(ctx, picked_cells(ctx, place, picked, span), "old", span) if keep else None
        return region(ctx, place, name, span, picked, old=old)
    if is_cell(place, parts):
        return cell_at(ctx, place, parts, name, span)
    view = view_of(ctx, place, parts, name, span)
    return None if isinstance(view, SILENT) else region(ctx, view, name, span)


def _settled(ctx: Lowering, place: ArrayValue | ViewValue, v: AnyArray, keep: bool, span: Span) -> AnyArray:
    """An index array or mask that the update itself does not change."""
    changes = keep and isinstance(v, Delayed)
    return materialise(ctx, v, "at", span) if changes or may_meet(ctx, place, v, dtype_of(v) == "bool") else v


def _item(ctx: Lowering, node: ast.Subscript, base: TupleValue) -> Value:
    """``t[k]``, and ``t[lo:hi]`` with literal bounds."""
    if isinstance(node.slice, ast.Slice) and base.record in (RANGE, KNOWN_RANGE):
        return _part(ctx, node, base)
    if isinstance(node.slice, ast.Slice):
        parts = [
            (NoneValue() if n is None else expression(ctx, n), n or node)
            for n in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return _items(ctx, parts, base, ctx.span(node))
    index = expression(ctx, node.slice)
    if isinstance(index, TupleValue) and index.record is SLICE:
        return _items(ctx, [(v, node.slice) for v in index.items], base, ctx.span(node))
    if isinstance(index, ScalarValue) and index.dtype == "bool" and index.weak:
        index = ScalarValue(as_index(ctx, index.atom, ctx.span(node.slice)), True)
    computed = isinstance(index, ScalarValue) and index.dtype in INTS
    fixed = base.record is KNOWN_RANGE and all(isinstance(v.atom, Const) for v in base.items)
    if computed and (base.record is RANGE or (fixed and not isinstance(index.atom, Const))):
        return ranges.item(ctx, ranges.computed(base), index, ctx.span(node))
    if only_fields(ctx, base, ctx.span(node), "an element is of a tuple"):
        raise Refused(None)
    kind = "list" if base.listed else "tuple"
    if isinstance(index, ScalarValue) and isinstance(index.atom, Const) and index.dtype == "i64":
        k = index.atom.value
        if -len(base.items) <= k < len(base.items):
            return usable(ctx, base.items[k], ast.unparse(node), ctx.span(node))
        ctx.report(WrongType(ctx.span(node), f"a {kind} of {len(base.items)} has no element {k}", "out of range"))
        return Bottom() if base.listed else Poison()  # a loop that appends to it is tried again
    elif any(isinstance(v, SILENT) for v in base.items):
        return Poison()
    elif computed and base.items and all(isinstance(v, ScalarValue) for v in base.items):
        if len(base.items) > MOST_CHOSEN and (cells := lists.in_arrays(ctx, base)) is not None:
            return lists.item(ctx, cells, index, user_name(node.value), ctx.span(node))
        return select_item(ctx, base.items, index, ctx.span(node))
    elif computed and (found := as_choices(ctx, base.items)) is not None:
        code = select_item(ctx, tuple(v.items[0] for v in found), index, ctx.span(node))
        return replace(found[0], items=(code, *found[0].items[1:]))
    elif isinstance(index, ScalarValue) and base.listed and not base.items:
        ctx.emit(Check(FALSE, "IndexError", "list index out of range", (), ctx.span(node)))
        ctx.go(dead=True)
        return Bottom()
    elif computed and lists.holds_parts(base) and (grown := lists.in_arrays(ctx, base)) is not None:
        return lists.item(ctx, grown, index, user_name(node.value), ctx.span(node))
    elif computed and 0 < len(base.items) <= _FEW_ARRAYS and all(map(is_array, base.items)):
        return _one_array(ctx, node, base.items, index)
    elif not isinstance(index, SILENT):
        make = "stack" if any(map(is_array, base.items)) else "array"
        nested = all(is_array(v) or isinstance(v, TupleValue) for v in base.items)
        instead = f"make an array of it first: `a = np.{make}(t)`, then `a[k]`" if base.items and nested else ""
        ctx.wants_literal(index)
        ctx.report(
            WrongType(ctx.span(node.slice), f"a {kind} is indexed by a literal int", describe(type_of(index)), instead)
        )
    return Bottom() if base.listed and computed else Poison()  # a loop may store it in arrays when it is tried again


def _part(ctx: Lowering, node: ast.Subscript, base: TupleValue) -> Value:
    """``r[lo:hi]`` of a range."""
    parts = parts_of(ctx, node.slice)
    if parts is None:
        return Poison()
    (where,) = parts
    bounds = (where.lower, where.upper, where.step)
    known = [a if a is None else a.value for a in bounds if not isinstance(a, Var)]
    if base.record is KNOWN_RANGE and len(known) == 3 and known[2] != 0:
        return TupleValue(base.items[slice(*known)], KNOWN_RANGE)
    return ranges.part(ctx, ranges.computed(base), where, ctx.span(node))


_FEW_ARRAYS = 8  # of which a computed index selects one


def _one_array(ctx: Lowering, node: ast.Subscript, arrays: tuple[Value, ...], index: ScalarValue) -> Value:
    """One of a few arrays, by a computed index: ``a if k == 0 else b if k == 1 else c``."""
    ctx.wants_literal(index)  # such an array cannot be used in every way
    k = Quoted(node.slice, ScalarValue(place_in(ctx, len(arrays), index, ctx.span(node)), True))
    *before, chosen = (Quoted(node, v) for v in arrays)
    for at, other in reversed([*enumerate(before)]):
        chosen = _at(node, ast.IfExp(ast.Compare(k, [ast.Eq()], [ast.Constant(at)]), other, chosen))
    return expression(ctx, chosen)


def _of_list(ctx: Lowering, node: ast.Subscript, base: Value) -> Value:
    """``xs[k]`` and ``xs[lo:hi]`` of a list of a length known only at run time."""
    if isinstance(base, SILENT):
        return Poison()
    if not isinstance(node.slice, ast.Slice):
        return lists.item(ctx, base, expression(ctx, node.slice), user_name(node.value), ctx.span(node))
    parts = parts_of(ctx, node.slice)
    return Poison() if parts is None else lists.slice_of(ctx, base, parts[0], user_name(node.value), ctx.span(node))


def _items(ctx: Lowering, parts: list[tuple[Value, ast.expr]], base: TupleValue, span: Span) -> Value:
    bounds: list[int | None] = []
    for value, part in parts:
        match value:
            case NoneValue():
                bounds.append(None)
            case ScalarValue(atom=Const(value=k), dtype=dtype) if dtype in INTS:
                bounds.append(k)
            case _:
                ctx.wants_literal(value)
                if not isinstance(value, SILENT):
                    ctx.report(
                        WrongType(
                            ctx.span(part),
                            "the bounds of a slice of a tuple are literal ints",
                            describe(type_of(value)),
                        )
                    )
                return Poison()
    if bounds[2] == 0:
        raise Refused(WrongType(span, "the step of a slice is not 0", "0"))
    if only_fields(ctx, base, span, "a slice is of a tuple"):
        raise Refused(None)
    return TupleValue(base.items[slice(*bounds)], LIST if base.listed else None)


def parts_of(ctx: Lowering, node: ast.expr) -> list[Part] | None:
    """The parts of an index, evaluated from left to right; None if a problem was reported."""
    nodes = expand_starred(ctx, node.elts) if isinstance(node, ast.Tuple) else [node]
    found: list[Part | None] = [None] if nodes is None else []
    for n in nodes or ():
        span = ctx.span(n)
        match n:
            case ast.Slice(lower=lower, upper=upper, step=step):
                bounds = [_bound(ctx, b) for b in (lower, upper, step)]
                found.append(None if Poison in map(type, bounds) else slice_of(ctx, bounds, span))
            case ast.Constant(value=value) if value is ...:
                found.append(Rest())
            case ast.List(elts=[_, *_]):
                found += value_parts(ctx, row_of(ctx, n), span)
            case _:
                found += (value_parts if n is node else inner_parts)(ctx, pull(ctx, n), span)
    return None if None in found else found


def _bound(ctx: Lowering, node: ast.expr | None) -> Value:
    value = NoneValue() if node is None else expression(ctx, node, none=True)
    if is_bound(value):
        return value
    if not isinstance(value, SILENT):
        not_an_int(ctx, "the bounds of a slice are ints", value, ctx.span(node))
    return Poison()


EXPRESSIONS[ast.Subscript] = lambda ctx, node, hint: subscript(ctx, node)
enter("subscript", (f"numpy.{name}" for name in (*JOINED, *INDICES)))
