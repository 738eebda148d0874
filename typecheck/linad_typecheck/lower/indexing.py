"""Cells of arrays: reading and writing them at integer indices."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from ..core import Atom, Check, Const, Load, Store, Var
from ..messages.language import Unsupported
from ..messages.types import Truncated, WrongRank, WrongType
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, Scalar
from .context import Lowering
from .numbers import cast, to_int
from .records import only_fields, user_name
from .values import SILENT, ArrayValue, Poison, ScalarValue, TupleValue, Value, describe, type_of


@dataclass(frozen=True)
class Cell:
    """A cell of an array that is held by a name."""

    array: Var
    index: tuple[Atom, ...]
    name: str  # the user's name of the array, empty for a temporary
    span: Span
    checked: bool = True


def subscript(ctx: Lowering, node: ast.Subscript) -> Value:
    """``a[i, j]`` or ``t[k]`` read."""
    from .expressions import expression

    base = expression(ctx, node.value)
    if isinstance(base, TupleValue):
        return _item(ctx, node, base)
    if not isinstance(base, ArrayValue):
        if not isinstance(base, SILENT):
            ctx.report(WrongType(ctx.span(node.value), "only arrays and tuples are indexed", describe(type_of(base))))
        expression_of_index(ctx, node.slice)
        return Poison()
    where = _cell(ctx, node, base.var)
    return Poison() if where is None else load_cell(ctx, where)


def cell(ctx: Lowering, node: ast.Subscript) -> Cell | None:
    """The cell that ``a[i, j]`` as a target means."""
    from .expressions import expression

    base = expression(ctx, node.value)
    if isinstance(base, ArrayValue):
        return _cell(ctx, node, base.var)
    if isinstance(base, TupleValue):
        ctx.report(Unsupported(ctx.span(node), "assigning to an element of a tuple", "build a new tuple"))
    elif not isinstance(base, SILENT):
        ctx.report(WrongType(ctx.span(node.value), "only arrays have cells to assign to", describe(type_of(base))))
    return None


def load_cell(ctx: Lowering, where: Cell) -> ScalarValue:
    out = ctx.fresh(f"{where.array.name.partition('.')[0]}_i", Scalar(where.array.type.dtype))
    ctx.emit(Load(out, where.array, where.index, where.checked, where.span))
    return ScalarValue(out)


def store_cell(ctx: Lowering, where: Cell, value: ScalarValue) -> None:
    """Store a scalar, converted as NumPy does."""
    dtype = where.array.type.dtype
    if dtype in INTS and value.dtype in FLOATS:
        ctx.report(Truncated(where.span, where.name or where.array.name))
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
    from .expressions import expression, usable

    index = expression(ctx, node.slice)
    if only_fields(ctx, base, ctx.span(node), "an element is of a tuple"):
        return Poison()
    if isinstance(index, ScalarValue) and isinstance(index.atom, Const) and index.dtype == "i64":
        k = index.atom.value
        if -len(base.items) <= k < len(base.items):
            return usable(ctx, base.items[k], ast.unparse(node), ctx.span(node))
        ctx.report(WrongType(ctx.span(node), f"a tuple of {len(base.items)} has no element {k}", "out of range"))
    elif not isinstance(index, SILENT):
        ctx.report(WrongType(ctx.span(node.slice), "a tuple is indexed by a literal int", describe(type_of(index))))
    return Poison()


def _cell(ctx: Lowering, node: ast.Subscript, array: Var) -> Cell | None:
    name = user_name(node.value)
    values = expression_of_index(ctx, node.slice)
    if values is None:
        return None
    span = ctx.span(node)
    if len(values) != array.type.rank:
        ctx.report(WrongRank(span, name or ast.unparse(node.value), array.type.rank, len(values)))
        return None
    atoms: list[Atom] = []
    for axis, (value, where) in enumerate(values):
        atom = _index(ctx, value, where, array, axis, span)
        if atom is None:
            return None
        atoms.append(atom)
    return Cell(array, tuple(atoms), name, span)


def expression_of_index(ctx: Lowering, node: ast.expr) -> list[tuple[Value, Span]] | None:
    """The indices between the brackets; slices and the like are reported."""
    from .expressions import expression

    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    values: list[tuple[Value, Span]] = []
    for part in parts:
        if isinstance(part, (ast.Slice, ast.Starred)) or (isinstance(part, ast.Constant) and part.value in (None, ...)):
            what = "a slice" if isinstance(part, ast.Slice) else "this index"
            ctx.report(Unsupported(ctx.span(node), what, "write a loop over the cells: views are not part of the language yet"))
            return None
        value, span = expression(ctx, part), ctx.span(part)
        if isinstance(value, TupleValue):
            values += [(item, span) for item in value.items]
        else:
            values.append((value, span))
    return values


def _index(ctx: Lowering, value: Value, at: Span, array: Var, axis: int, span: Span) -> Atom | None:
    """A non-negative or failing i64 index."""
    if isinstance(value, SILENT):
        return None
    if not isinstance(value, ScalarValue) or value.dtype not in INTS:
        instead = "convert it: `int(...)`" if isinstance(value, ScalarValue) and value.dtype in FLOATS else ""
        if isinstance(value, ArrayValue):
            instead = "write a loop over the indices"
        ctx.report(WrongType(at, "an index is an int", describe(type_of(value)), instead))
        return None
    atom = value.atom
    if atom.type != I64:
        wide = cast(ctx, atom, "i64", at)
        if isinstance(wide, Var) and ctx.is_nonneg(atom):
            ctx.nonneg.add(wide.name)
        atom = wide
    if ctx.is_nonneg(atom):
        return atom
    n = ctx.dim(array, axis, span)
    if isinstance(n, Const) and isinstance(atom, Const) and atom.value + n.value >= 0:
        return Const(atom.value + n.value, I64)
    return ctx.let("j", "wrap", (atom, n), I64, at)
