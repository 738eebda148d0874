"""The ownership rules during lowering: writes, moves, and names that may no longer be used.

Two names alias if and only if they hold the same array variable. A write through one name, or a move, marks the other
names of that array as lost. Only a later *use* of a lost name is an error, so dead names do not matter.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..ir.core import Atom, Same, Var
from ..diagnostics import Edit
from ..messages.ownership import (
    ArgumentUpdated, CapturedArrayUpdated, ConflictingUpdates, Lent, MovedInLoop, MovedOnSomePaths, PerhapsCopied,
    SharedUpdate, StoredTwice, UseAfterMove,
)
from ..repairs import copied, copy_at, declare_update, first
from ..messages.language import Consumed, Unsupported
from ..span import NOWHERE, Span
from ..types import Array

if TYPE_CHECKING:
    from ..engine.state import Lowering
    from ..engine.values import Binding

from ..engine.disjoint import views_disjoint
from ..engine.path import Fixed
from ..engine.values import (
    ARRAYS, SEQUENCES, ArrayValue, Delayed, Loss, LostArray, ScalarValue, TupleValue, UnionValue, Value, ViewValue,
    arrays, is_complex, is_field, map_arrays, type_of,
)
from ..engine.views import ITEM, LISTED, Along, View, within


def names_of(ctx: Lowering, var: Var) -> list[str]:
    """The names that hold an array or a view of it, user names first."""
    name, others = var.name, [(n, b.value) for n, b in ctx.env.items() if type(b.value) is not ScalarValue]
    held = [n for n, value in others if name in [v.name for v in arrays(value)]]
    return sorted(held, key=lambda n: n.startswith("%"))


def join_aliases(ctx: Lowering, *names: str) -> None:
    """Record that these arrays may be one array in Python: they join one may-alias class.

    The checker may hold a copy where a name continues with an array that stays in use. The copy cannot be observed as
    long as none of them is updated while another one is used.
    """
    together = frozenset(names).union(*(ctx.path.alike.get(n, ()) for n in names))
    if len(together) > 1:
        ctx.go(alike=Fixed({**ctx.path.alike, **dict.fromkeys(together, together)}))


def record_copy(ctx: Lowering, copy: Var, value: Value, span: Span) -> None:
    """Record a copy that Python does not make, of an array that stays in use.

    The core states this by `Same`, from which `check_aliases` proves that the copy cannot be observed. A list of
    which the array is an item holds the copy: it may get other items.
    """
    if isinstance(value, UnionValue):
        record_copy(ctx, copy, value.one, span)
        record_copy(ctx, copy, value.other, span)
        return
    for array in arrays(value):
        join_aliases(ctx, copy.name, array.name)
        ctx.emit(Same(array, copy, span, "holds") if is_item(value) else Same(copy, array, span))


def is_item(v: Value) -> bool:
    """Whether an array is that which a list holds, or the list as an array: in Python not a part of another one."""
    return isinstance(v, ViewValue) and v.view.readonly in (ITEM, LISTED)


_SHARED = "%shared "  # with the name of the cells of a list: in the class of cells that may hold an array twice


def shares_items(ctx: Lowering, cells: Var) -> None:
    """Record that two items of a list may be one array, or arrays of different dtypes: none is updated in place."""
    join_aliases(ctx, cells.name, _SHARED + cells.name)


def may_share_items(names: Iterable[str]) -> bool:
    """Whether a may-alias class has the cells of a list with an item that must not be updated."""
    return any(n.startswith(_SHARED) for n in names)


def item_updated(ctx: Lowering, cells: Var, by: str, span: Span) -> bool:
    """Record an update of an array that a list holds. False, after a report, if other items may be the same array."""
    if may_share_items(aliases(ctx, cells)):
        what = f"an update of {f'`{by}`' if by else 'an array'}, which may be an item of a list twice,"
        ctx.report(Unsupported(span, what, "put a copy into the list: `xs.append(v.copy())`"))
        return False
    ctx.variables.items_updated.add(cells.name)
    ctx.emit(Same(cells, cells, span, "updated"))

    def copied(leaf: Value) -> Value:
        listed = isinstance(leaf, ViewValue) and leaf.view.readonly == LISTED and leaf.var == cells
        return LostArray(_type_of(leaf), Loss("written", by or "the list", span)) if listed else leaf

    left = {n: map_arrays(b.value, copied) for n, b in ctx.env.items()}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})
    return True


def inherits(ctx: Lowering, new: Var, *old: Atom) -> None:
    """An array gets a new name, which joins the may-alias class of the old one."""
    for array in old:
        if array.name in ctx.path.alike:
            join_aliases(ctx, new.name, array.name)


def aliases(ctx: Lowering, var: Var) -> frozenset[str]:
    """The other arrays of the may-alias class."""
    return ctx.path.alike.get(var.name, frozenset()) - {var.name}


def lose(ctx: Lowering, place: Var | ArrayValue | ViewValue, loss: Loss, keep: frozenset[str] = frozenset()) -> None:
    """Mark the array as lost under every name except ``keep``, and every view that may overlap the place."""

    def change(leaf):
        return LostArray(_type_of(leaf), loss) if isinstance(leaf, ARRAYS) and may_overlap(ctx, leaf, place) else leaf

    left = {n: map_arrays(b.value, change) for n, b in ctx.env.items() if n not in keep}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})


def _type_of(leaf: Value) -> Array:
    t = type_of(leaf)
    return Array(t.dtype, t.rank)


def may_overlap(ctx: Lowering, leaf: Value, place: Var | ArrayValue | ViewValue) -> bool:
    """Whether the value of a name may overlap a place."""
    var = place if isinstance(place, Var) else place.var
    if not any(v.name == var.name for v in arrays(leaf)):
        return False
    if isinstance(leaf, ViewValue) and isinstance(place, ViewValue):
        return not views_disjoint(ctx, leaf.view, place.view)
    return True


def write(ctx: Lowering, place: ArrayValue | ViewValue, by: str, span: Span) -> None:
    """Record an update of a place through the name ``by`` (empty for a temporary).

    Names and views that are known to hold this array show the update from here on, and a warning marks their uses.
    Names that only may hold it are lost.
    """
    ctx.variables.updated.add(place.var.name)
    alike = aliases(ctx, place.var)
    if _of_somebody_else(ctx, place.var, sorted(alike), by, span):
        return
    # A pending value that is evaluated shows the update, as in Python, unless it may be a copy. A delayed expression
    # must not show it, nor an item of a list whose cells get another one.
    unseen = lambda part, read: (
        any(v.name in alike for v in arrays(part))
        or ((read or isinstance(part, UnionValue) or is_item(part)) and may_overlap(ctx, part, place))
    )
    _lose_waiting(ctx, unseen, by, span, True)
    holder = by if by in ctx.env else by.replace("[", ".").partition(".")[0]  # `p` holds the array `p.x`
    if not by or holder not in ctx.env:
        for array in alike:
            lose(ctx, Var(array, place.var.type), Loss("written", by, span))
        return
    bound = ctx.env[holder].span
    held = [
        leaf
        for leaf in array_leaves(ctx.env[holder].value)
        if may_overlap(ctx, leaf, place) or any(v.name in alike for v in arrays(leaf))
    ]
    if len(held) > 1 and not all(_same_array(leaf, place) for leaf in held):
        ctx.report(StoredTwice(span, by, holder))
    through = next((leaf for leaf in held if may_overlap(ctx, leaf, place)), ctx.env[holder].value)
    left: dict[str, Binding] = {}
    for other, b in ctx.env.items():
        if other == holder:
            continue

        def loss(at=b.span):
            return Loss("written", by, span, max((bound, at), key=lambda s: (s.line, s.column)))

        def change(leaf, loss=loss, hidden=other.startswith("%")):
            if isinstance(leaf, ARRAYS) and any(v.name in alike for v in arrays(leaf)):
                return LostArray(_type_of(leaf), loss())
            if hidden and not isinstance(leaf, UnionValue):  # a loop iterates over the array as it is at that time
                return leaf
            # the parent of a view is meant to be updated through the view
            parent = isinstance(through, ViewValue) and (
                isinstance(leaf, ArrayValue) or (isinstance(leaf, ViewValue) and within(through.view, leaf.view))
            )
            if not isinstance(leaf, ARRAYS) or parent or not may_overlap(ctx, leaf, place):
                return leaf
            if isinstance(through, UnionValue) or not _same_array(leaf, place):
                return LostArray(_type_of(leaf), loss())
            shown.append(loss())
            return leaf

        shown: list[Loss] = []
        value = map_arrays(b.value, change)
        if value is not b.value or shown:
            left[other] = replace(b, value=value, shared=b.shared or next(iter(shown), None))
    ctx.bind_all(left)


def item_replaced(ctx: Lowering, cells: ArrayValue, by: str, span: Span) -> None:
    """Report values in flight that are items of a list, of which one is replaced."""
    lost = lambda part, read: (read or is_item(part) or is_field(part)) and may_overlap(ctx, part, cells)
    _lose_waiting(ctx, lost, by, span, True)


def _same_array(leaf: Value, place: ArrayValue | ViewValue) -> bool:
    """Whether a name holds the array of the place, or a view of it, on every path."""
    return isinstance(leaf, (ArrayValue, ViewValue)) and leaf.var.name == place.var.name


def shared_use(ctx: Lowering, name: str, b: Binding, span: Span) -> None:
    """Warn, once, about the use of a name whose array was updated under another name."""
    ctx.bind(name, replace(b, shared=None))
    told = isinstance(b.value, (ArrayValue, ViewValue)) and b.shared.by
    if told and not (ctx.spec is not None and ctx.spec.options.disjoint and b.span == ctx.span(ctx.source.node)):
        copies = copy_at(ctx.source, b.shared.made, (b.shared.by, name))
        ctx.report(SharedUpdate(span, name, b.shared.by, b.shared.span, b.shared.made, copies))


def _lose_waiting(ctx: Lowering, lost: Callable[[Value, bool], bool], by: str, span: Span, written: bool) -> None:
    """Report values that an expression evaluated before an array was updated or moved, and that it uses afterwards.

    ``lost`` decides for each array that a value holds, or that a delayed expression reads, whether it is affected.
    """
    for value, node in ctx.waiting():
        read = isinstance(value, Delayed)
        if any(lost(part, read) for part in ([r for r, _ in value.reads] if read else array_leaves(value))):
            ctx.report(UseAfterMove(ctx.span(node), ast.unparse(node), by, span, written=written))


def _is_array(v: Value) -> bool:
    """Whether a value is a whole array, of complex numbers or others."""
    return isinstance(v, ArrayValue) or (is_complex(v) and isinstance(v.items[0], ArrayValue))


def _own_copy(ctx: Lowering, name: str, array: str) -> tuple[str, str]:
    """The expression for an array of the parameter ``name``, and a statement that replaces it by a copy."""
    b = ctx.env.get(name)
    value = None if b is None else b.value
    if isinstance(value, TupleValue) and value.record not in SEQUENCES and not is_complex(value):
        record = value.record
        for field, item in zip(record.names, value.items, strict=True):
            if _is_array(item) and any(v.name == array for v in arrays(item)):
                own = f"{field}={name}.{field}.copy()"
                return f"{name}.{field}", f"{name} = " + (
                    f"{name}._replace({own})" if record.named_tuple else f"dataclasses.replace({name}, {own})"
                )
    return name, f"{name} = {name}.copy()"


def _of_somebody_else(ctx: Lowering, var: Var, alike: list[str], by: str, span: Span) -> bool:
    """Report the update of an array that the function does not own. Returns True if the array is a copy that stands
    for it, so that nothing else is to be reported."""
    for array in (var.name, *alike):
        lent = ctx.variables.lent(array)
        match lent.kind if lent is not None else None:
            case "global":
                ctx.report(CapturedArrayUpdated(span, lent.name))
            case "entry":
                place, statement = _own_copy(ctx, lent.name, array)
                edits = () if "dataclasses" in statement else first(ctx.source, statement)
                ctx.report(
                    ArgumentUpdated(
                        span,
                        lent.name,
                        by or lent.name,
                        ctx.source.name,
                        edits,
                        declare_update(ctx.source, lent.name),
                        place,
                        statement,
                    )
                )
            case "helper" | "update" if array != var.name:  # the lender would have to see the update
                ctx.report(MovedOnSomePaths(span, by or "the array", f"`{lent.name}`", span))
            case _:
                continue
        if array != var.name:
            return True
    return False


def array_leaves(v: Value) -> list[Value]:
    """The leaves of a value that hold an array, in order."""
    found: list[Value] = []
    map_arrays(v, lambda leaf: found.append(leaf) or leaf)
    return [leaf for leaf in found if isinstance(leaf, ARRAYS)]


def stays_in_use(ctx: Lowering, var: Var) -> bool:
    """Whether some name still refers to the array after the statement that is being lowered."""
    held = names_of(ctx, var)
    if any(n[0] == "%" for n in held) or any(var in arrays(v) for v, _ in ctx.waiting()):
        return True
    s, live = ctx.path.stmt, ctx.live
    if s is None:
        return False
    mentions = Counter(n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    later = (
        live.after.get(s, frozenset()).difference(live.bound(s)) | live.head.get(s, frozenset()) | live.always
    )
    return any(n in later or mentions[n] > 1 for n in held)


def cell_of(var: Var, index: tuple) -> ViewValue:
    """A single cell as a place."""
    return ViewValue(var, View(tuple(Along(i) for i in index), ()))


def movable(ctx: Lowering, var: Var) -> bool:
    """Whether the function may move the array."""
    lent = ctx.variables.lent(var.name)
    return lent is None or lent.kind == "helper"


def move(ctx: Lowering, var: Var, into: str, span: Span, how: str, quiet: bool = False) -> bool:
    """Record that the array is moved into a call, a result or a loop. False, after a report, if the function does
    not own it. ``quiet``: it is not said where things are explained."""
    if not movable(ctx, var):
        lent = ctx.variables.lent(var.name)
        what = "the module-level array" if lent.kind == "global" else "the array"
        ctx.report(Lent(span, f"{what} `{lent.name}`", how))
        return False
    lose(ctx, var, Loss("moved", into, span))
    _lose_waiting(ctx, lambda part, read: any(v.name == var.name for v in arrays(part)), into, span, False)
    if not quiet:
        ctx.fact("move", ", ".join(names_of(ctx, var)) or var.name.partition(".")[0], span, how)
    return True


def _updates(ctx: Lowering, span: Span) -> bool:
    """Whether a name is updated at its position: it is the base of an assigned subscript."""
    for node in ast.walk(ctx.source.node):
        match node:
            case ast.Subscript(value=base, ctx=ast.Store()) | ast.AugAssign(target=ast.Name() as base):
                if ctx.span(base) == span:
                    return True
    return False


def _rebound(ctx: Lowering, name: str, at: Span) -> tuple[Span | None, tuple[Edit, ...], str]:
    """The single assignment that binds ``name`` to another name's array, at a position or with the value there.

    Returns its value, the edits that insert a copy, and the other name if a swap of the two may be intended.
    """
    inside = [
        a
        for s in ast.walk(ctx.source.node)
        if isinstance(s, ast.stmt)
        and ((span := ctx.span(s)).line, span.column) == (at.line, at.column)
        or (isinstance(s, ast.Assign) and ctx.span(s.value) == at)
        for a in ast.walk(s)
        if isinstance(a, ast.Assign)
        and [t.id for t in a.targets if isinstance(t, ast.Name)] == [name]
        and isinstance(a.value, (ast.Name, ast.Subscript))
    ]
    if len({id(a) for a in inside}) != 1:
        return None, (), ""
    value = inside[0].value
    in_loop = any(isinstance(s, (ast.For, ast.While)) and inside[0] in s.body for s in ast.walk(ctx.source.node))
    return (
        ctx.span(value),
        copied(ctx.source.source, value),
        value.id if in_loop and isinstance(value, ast.Name) else "",
    )


def _goes_round(ctx: Lowering, move: Span, use: Span) -> bool:
    """Whether a loop leads from a move back to a use that is before it in the text."""
    start = lambda s: (s.line, s.column)
    around = (
        n for n in ast.walk(ctx.source.node) if isinstance(n, (ast.For, ast.While, ast.GeneratorExp, ast.ListComp))
    )
    within = lambda n, s: start(ctx.span(n)) <= start(s) < (ctx.span(n).end_line, ctx.span(n).end_column)
    return start(move) >= start(use) and any(within(n, move) and within(n, use) for n in around)


def report_lost(ctx: Lowering, name: str, lost: LostArray, span: Span) -> None:
    """Report the use of a lost array."""
    loss = lost.loss
    match loss.reason:
        case "written":
            copies = copy_at(ctx.source, loss.made, (loss.by, name))
            by = "" if loss.by == name else loss.by  # an array that the name held before
            kind = ConflictingUpdates if _updates(ctx, span) else UseAfterMove
            ctx.report(kind(span, name, by, loss.span, loss.made, copies=copies))
        case "joined" | "carried":
            by = "another name" if "%" in loss.by else loss.by  # a pseudo-name, which the user does not know
            ctx.report(MovedOnSomePaths(span, name, by, loss.span, *_rebound(ctx, name, loss.span)))
        case "consumed":
            ctx.report(Consumed(span, name, at=loss.span))
        case "reshaped":
            ctx.report(PerhapsCopied(span, name, loss.by, loss.span))
        case "lent":
            where = loss.made if loss.made != NOWHERE else loss.span
            # an edit after the expression could not copy a part, such as a field
            part = any(lent.name == loss.by and v.partition(".")[0] != loss.by for v, lent in ctx.variables.all_lent())
            how = f"bound to `{name}`, which is another array on other paths"
            what = f"an array of `{loss.by}`" if part else f"the array `{loss.by}`"
            ctx.report(Lent(where, what, how, () if part else None))
        case _ if _goes_round(ctx, loss.span, span):
            ctx.report(MovedInLoop(span, name, loss.by, loss.span))
        case _:
            ctx.report(UseAfterMove(span, name, loss.by, loss.span, written=False))
