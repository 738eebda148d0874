"""Lists that change: `append` and other methods, stored items, and items of a growing list."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ..arrays.indexing import Cell, store_cell
from ..arrays.slices import Slice, index_atom, require_index, view_of
from ..ir.core import Atom, Block, Check, Const, Fill, Loop, Var
from ..engine.evaluation import CALLS, expression, usable
from ..engine.growing import (
    appended, as_array, as_growing, as_item, copied, count_of, from_array, holder_of, is_growing, is_weak, item_at,
    cells_copied, items_copied, leaves_of, new_list, put_item, replaced, row_appended, taken_out,
)
from ..engine.hashed import is_hashed
from ..engine.numbers import as_index
from ..engine.places import base_index, force_delayed, fresh_array, loaded, materialise, nest, put, read
from ..engine.provenance import user_name
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused, forget
from ..engine.rulebook import Args
from ..engine.sequences import Generated, Iteration, Unrolled
from ..engine.sizes import dtype_of, is_array, rank_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    GROWING, LIST, LISTS, NOTHING, OPTIONAL, SILENT, SLICE, UNKNOWN_LIST, ArrayType, ArrayValue, Binding, Bottom,
    EntityValue, Loss, LostArray, Never, NoneValue, Poison, ScalarValue, TextValue, TupleType, TupleValue, UnionType,
    Value, ViewType, ViewValue, arrays, contains, describe, growing_type, is_choice, is_complex, is_optional, literal,
    map_arrays, map_objects, objects, option_key, type_of, with_item, without_axis,
)
from ..library.externals import call_external
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import CHOICE, COLUMNS, DEQUE, NESTED, RETURNED, ROWS, SET, External, is_library_object
from ..ownership.objects import (
    allocated_at, change, is_held, may_change, new_origin as new_origin, only_in, own_arrays, row_may_change,
)  # fmt: skip
from ..ownership.state import cell_of, write
from ..registry import enter
from ..span import NOWHERE, Span
from ..types import BOOL, I64, INTS, Array, common
from ..words import with_article
from .comprehensions import COMPREHENSIONS, EXTREMES, Comprehension, only_plain, run_iteration, run_through
from .iterables import iteration
from .kept_items import give_up, keep_items, lose_rows
from .records import compared_fields, has_method
from .targets import another, held_object

_MOVING = ("append", "extend", "insert", "pop")  # methods that move items to other cells
METHODS = ("append", "extend", "insert", "pop", "copy", "clear", "reverse", "sort")
COUNTED = 64  # from this length on, a list is stored in arrays


def is_list(v: Value) -> bool:
    return isinstance(v, TupleValue) and v.record in LISTS


def method(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``xs.append(v)`` and other methods; the name is rebound to a new list value."""
    span = ctx.span(node)
    if name in ("index", "count", "remove") and len(node.args) == 1 and not node.keywords:
        return _searched(ctx, node, base, name)
    if name not in METHODS or (node.keywords and name != "sort"):
        raise Refused(Unsupported(span, f"`.{name}` of a list", "make an array of it, `np.array(xs)`, or write a loop"))
    given = [
        usable(ctx, expression(ctx, a, none=name in ("append", "insert")), "the argument", ctx.span(a))
        for a in node.args
        if name != "extend" or not isinstance(a, COMPREHENSIONS)
    ]
    lost, whole = contains(base, LostArray), base
    base = usable(ctx, base, user_name(node.func.value) or "the list", span)
    silent = next((v for v in (base, *given) if isinstance(v, SILENT)), None)
    if silent is not None:
        ctx.programs.poisoned |= isinstance(silent, Poison)
        if not lost and name != "copy":
            of = node.func.value
            _unknown_item(ctx, of.id if isinstance(of, ast.Name) else "", whole, silent, span)
        return silent
    least, most = {"append": (1, 1), "extend": (1, 1), "insert": (2, 2), "pop": (0, 1)}.get(name, (0, 0))
    if not least <= len(node.args) <= most:
        takes = (
            "no argument"
            if most == 0
            else f"{least} argument{'s' * (most > 1)}"
            if least == most
            else "at most one argument"
        )
        raise Refused(BadCall(span, f"{ast.unparse(node.func.value)}.{name}", f"takes {takes}"))
    if name == "copy":
        return copied(ctx, base, span) if is_growing(base) else TupleValue(base.items, LIST)
    target = node.func.value
    if is_held(base):
        return _row_changed(ctx, node, base, name, given, span)
    where = target.id if isinstance(target, ast.Name) else ""
    may_change(ctx, base, where, *_told(target, f"`.{name}`"), span)
    if name in _MOVING:
        keep_items(ctx, base, user_name(target), span)
    new, found = _changed(ctx, node, base, name, given, where, span)
    _change(ctx, target, base, new, f"`.{name}`", span)
    return found


def _searched(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``xs.index(v)``, ``xs.count(v)``, ``xs.remove(v)``."""
    function = EntityValue(External(f"%ordering._{'count' if name == 'count' else 'index'}"), name)
    call = ast.Call(Quoted(node, function), [Quoted(node, base), node.args[0]], [])
    found = expression(ctx, ast.copy_location(call, node))
    if name != "remove" or isinstance(found, SILENT):
        return found
    pop = ast.copy_location(ast.Attribute(node.func.value, "pop", ast.Load()), node.func)
    expression(ctx, ast.copy_location(ast.Call(pop, [Quoted(node, found)], []), node), none=True)
    return NoneValue()


def _changed(
    ctx: Lowering, node: ast.Call, base: TupleValue, name: str, given: list[Value], where: str, span: Span
) -> tuple[TupleValue, Value]:
    """The list after a call of a method, and the result of the call."""
    found: Value = NoneValue()
    match name:
        case "append":
            new = appended_to(ctx, base, given[0], where, span)
        case "extend":
            new = extended(ctx, base, Quoted(node.args[0], given[0]) if given else node.args[0], where, span)
        case "clear":
            new = TupleValue((), LIST)
        case "pop":
            new, found = _popped(ctx, base, given, span)
        case "sort":
            new = _in_order(ctx, base, node, *_how(ctx, node))
        case _:
            new = _rearranged(ctx, base, name, given, span)
    return new, found


def _row_changed(ctx: Lowering, node: ast.Call, row: TupleValue, name: str, given: list[Value], span: Span) -> Value:
    """A call of a method of a list that is an item of another one: ``xs[i].append(v)``."""
    holder, k, by = _holder(ctx, node.func.value, row, f"`.{name}`", span)
    same = [n for n, b in ctx.env.items() if is_growing(b.value) and _is_row(b.value, row)]
    _written(ctx, holder, by, span)
    found: Value = NoneValue()
    if name == "append":
        new = row_appended(ctx, holder, k, given[0], by, span)
    else:
        own, found = _changed(ctx, node, copied(ctx, row, span), name, given, "", span)
        own = replace(own, made=row.made)
        new = replaced(ctx, holder, k, own, by, span, _with_row(holder, own))
    if new is None:
        told = "the items of a list that grows in a loop are of one type"
        raise Refused(WrongType(span, told, f"another type in {describe(type_of(row))}", "use a list for each type"))
    lose_rows(ctx, holder, by, span)
    _change(ctx, ast.Name(by, ast.Load()) if by else None, holder, new, f"`.{name}`", span)
    if same:  # these names still hold the list
        now = item_at(ctx, new, k, span)
        ctx.bind_all({n: replace(ctx.env[n], value=now) for n in same})
    return found


def _is_row(v: TupleValue, row: TupleValue) -> bool:
    """Whether two lists are the same item of a list."""
    one, other = ([x for x in leaves_of(v.items[0]) if isinstance(x, ViewValue)] for v in (v, row))
    return bool(one) and one == other


def _with_row(holder: TupleValue, own: TupleValue) -> TupleType | None:
    return growing_type(type_of(holder), TupleType((type_of(own),), LIST))


def _holder(ctx: Lowering, node: ast.expr, row: TupleValue, what: str, span: Span) -> tuple[TupleValue, Atom, str]:
    """The list that holds a list, which an expression denotes, the index of that list in it, and a name of it."""
    told = _told(node, what)
    found = holder_of(ctx, row)
    if found is None or getattr(found[0].items[0], "record", None) not in ROWS:
        raise Refused(Unsupported(span, f"{told[0]} that is an item of a list without a name,", told[1]))
    holder, k = found
    row_may_change(ctx, holder.items[0], holder, *told, span)
    by = next((n for n, b in ctx.env.items() if n[0] != "%" and b.value == holder), "")
    may_change(ctx, holder, by, *told, span)
    return holder, k, by


def _change(ctx: Lowering, node: ast.expr | None, base: TupleValue, new: TupleValue, what: str, span: Span) -> None:
    """Replace the list ``base``, which an expression denotes, by ``new``; `Refused` if it may not be changed."""
    name = node.id if isinstance(node, ast.Name) else ""
    change(ctx, base, new, name, *_told(node, what), span)
    if name in ctx.env:
        ctx.bind(name, Binding(ctx.env[name].value, span))


def _told(node: ast.expr | None, what: str) -> tuple[str, str]:
    return f"{what} of a list", another(node, "{0} + [...]")


def _unknown_item(ctx: Lowering, name: str, base: Value, item: Value, span: Span) -> None:
    """Record that an item of unknown type was appended, under all names of the list. It does not contradict the item
    type of a growing list, nor does one whose type is not known yet contradict that of any; the problem with others has
    been reported. ``name``: the name of the list, or empty."""
    if is_growing(base):
        return
    if isinstance(item, Bottom) and is_list(base):
        new = TupleValue((*base.items, item), LIST, base.made)
    else:
        forget(ctx, (base,))
        new = replace(UNKNOWN_LIST, made=getattr(base, "made", None))
    if name:
        ctx.bind(name, Binding(new, span))


def append(ctx: Lowering, name: str, value: Value, span: Span) -> Value:
    """``xs.append(v)``: rebind the name to the list with one more item."""
    whole = ctx.env[name].value
    base, value = usable(ctx, whole, name, span), usable(ctx, value, "the item", span)
    if isinstance(base, SILENT) or isinstance(value, SILENT):
        if not contains(whole, LostArray):
            _unknown_item(ctx, name, whole, value, span)
        return Poison()
    ctx.bind(name, Binding(replace(appended_to(ctx, base, value, name, span), made=base.made), span))
    return NoneValue()


def appended_to(ctx: Lowering, base: TupleValue, value: Value, name: str, span: Span) -> TupleValue:
    """A list with one more item. ``name``: the name of the list, or empty."""
    if base.record is LIST and len(base.items) < COUNTED:
        return TupleValue((*base.items, value), LIST)
    grown = appended(ctx, base, value, name or "the list", span)
    if grown is None:
        found = f"{describe(type_of(value))} in {describe(type_of(base))}"
        raise Refused(
            WrongType(
                span, "the items of a list that grows in a loop are of one type", found, "use a list for each type"
            )
        )
    return grown


def extended(ctx: Lowering, base: TupleValue, node: ast.expr, name: str, span: Span) -> TupleValue:
    """``xs.extend(ys)`` and ``xs += ys``."""
    key = name or ctx.pseudo("longer", span)
    if not name:
        ctx.bind(key, Binding(base, span))
    done = extend(ctx, key, node, span)
    made = usable(ctx, (ctx.env[name] if name else ctx.unbind(key)).value, name or "the list", span)
    if isinstance(made, TupleValue):
        return made
    if isinstance(done, Poison):
        return base
    raise Refused(None)


def lengthen(ctx: Lowering, node: ast.expr, base: TupleValue, more: ast.expr, span: Span) -> None:
    """Lower ``xs += ys``."""
    name = node.id if isinstance(node, ast.Name) else ""
    may_change(ctx, base, name, *_told(node, "`+=`"), span)
    keep_items(ctx, base, user_name(node), span)
    _change(ctx, node, base, extended(ctx, base, more, name, span), "`+=`", span)


def rebuild(ctx: Lowering, node: ast.expr, base: TupleValue, new: TupleValue, what: str, span: Span) -> None:
    """Give a list that an expression denotes other items."""
    may_change(ctx, base, user_name(node), *_told(node, what), span)
    keep_items(ctx, base, user_name(node), span)
    _change(ctx, node, base, new, what, span)


def extend(ctx: Lowering, name: str, node: ast.expr, span: Span) -> Value:
    """The list that is being made under a name, with the items of an iterable."""
    if isinstance(node, COMPREHENSIONS):
        only_plain(ctx, node)
        run_through(ctx, node, lambda value, at: append(ctx, name, value, at), name)
        return NoneValue()
    found = iteration(ctx, node)
    over = found.over if isinstance(found, Iteration) else None
    if over is not None and is_growing(over) and not set(arrays(over)).isdisjoint(arrays(ctx.env[name].value)):
        found = iteration(ctx, Quoted(node, copied(ctx, over, span)))  # `xs += xs`
    match found:
        case Unrolled(items=items):
            for item in items:
                append(ctx, name, item, span)
        case Iteration() | Generated():
            from_iteration(ctx, found, node, lambda value: append(ctx, name, value, span))
    return Poison() if found is None else NoneValue()


def from_iteration(
    ctx: Lowering, found: Iteration | Generated, node: ast.expr, each: Callable[[Value], object]
) -> None:
    """Call ``each`` for the elements that a loop iterates over."""
    key = ctx.pseudo("item", ctx.span(node))
    target, item = ast.Name(key, ast.Store()), ast.Name(key, ast.Load())
    part = ctx.inlined.made.setdefault((node, "item"), ast.comprehension(target, node, [], 0))
    for n in (target, item):
        ast.copy_location(n, node)
    run_iteration(ctx, part, found, [Do(item, lambda: each(ctx.env[key].value))], frozenset(ctx.env))
    ctx.unbind(key)


def _popped(ctx: Lowering, base: TupleValue, given: list[Value], span: Span) -> tuple[TupleValue, Value]:
    """``xs.pop()``, ``xs.pop(0)`` and ``xs.pop(i)``: the list without the item, and the item."""
    at = given[0] if given else literal(-1)
    if not (isinstance(at, ScalarValue) and at.dtype in INTS):
        raise Refused(WrongType(span, "a list is indexed by an int", describe(type_of(at))))
    k = at.atom.value if isinstance(at.atom, Const) else None
    if base.record is LIST and k is not None:
        if not -len(base.items) <= k < len(base.items):
            ctx.raised("IndexError")
            ctx.report(WrongType(span, "pop index out of range", "an IndexError in Python"))
            return base, Bottom()  # a loop that is tried with the items before its first iteration may have more later
        items = list(base.items)
        item = items.pop(k)
        return TupleValue(tuple(items), LIST), usable(ctx, item, "the item", span)
    base = _grown(ctx, base, "popping at a computed index", span)
    count = count_of(ctx, base)
    ctx.emit(Check(ctx.let("ok", "gt", (count, ZERO), BOOL, span), "IndexError", "pop from empty list", (), span))
    last = ctx.let("n", "sub", (count, ONE), I64, span, nonneg=True)
    place = last if k == -1 else _place(ctx, base, at, "pop index", span)
    item = _taken(ctx, base, place, span)
    if isinstance(item, TupleValue) and item.changes and only_in(ctx, base):
        item = replace(item, made=frozenset((new_origin(ctx, span),)))
    if k != -1:
        for array in arrays(base.items[0]):
            _closed_up(ctx, array, place, last, span)
    return new_list(ctx, base.items[0], last, is_weak(base)), item


def _taken(ctx: Lowering, base: TupleValue, place: Atom, span: Span) -> Value:
    """An item that its list gives up, so that its cells may be given to another one."""
    return taken_out(ctx, item_at(ctx, base, place, span), lambda v: True, span)


def taken(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``taken(xs, k)`` in the prelude."""
    base, place = (usable(ctx, expression(ctx, a), "the list", ctx.span(a)) for a in node.args)
    if not is_growing(base) or isinstance(base.items[0], Never) or not isinstance(place, ScalarValue):
        return Bottom()
    ctx.not_negative(place.atom)
    return _taken(ctx, base, place.atom, ctx.span(node))


def _closed_up(ctx: Lowering, array: Var, place: Atom, last: Atom, span: Span) -> None:
    """Move the cells after a position down by one, in an ascending loop that reads each cell before it is
    overwritten."""
    _moved(ctx, array, (place, last, ONE), ONE, span)


def _moved_up(ctx: Lowering, array: Var, place: Atom, last: Atom, span: Span) -> None:
    """Move the cells from a position on up by one, in a descending loop."""
    _moved(ctx, array, (last, place, Const(-1, I64)), Const(-1, I64), span)


def _moved(ctx: Lowering, array: Var, over: tuple[Atom, Atom, Atom], by: Atom, span: Span) -> None:
    index = ctx.fresh("k", I64, nonneg=True)
    with ctx.block() as stmts:
        other = ctx.let("k", "add", (index, by), I64, span, nonneg=True)
        sizes = tuple(ctx.dim(array, axis, span) for axis in range(1, array.type.rank))

        def move(inner: tuple[Atom, ...]) -> None:
            put(ctx, ArrayValue(array), (index, *inner), read(ctx, ArrayValue(array), (other, *inner), span).atom, span)

        nest(ctx, sizes, move, span)
    ctx.emit(Loop(index, *over, (), (), Block(tuple(stmts), ()), (), False, span=span))


def _grown(ctx: Lowering, base: TupleValue, what: str, span: Span) -> TupleValue:
    """A list as a list whose items are stored in arrays."""
    if is_growing(base):
        return base
    t = growing_type(type_of(base), NOTHING)
    if t is None or not base.items:
        raise Refused(Unsupported(span, f"{what} of a list of items of several types", "use literal indices"))
    return replace(as_growing(ctx, base, t, span), made=base.made)


def _rearranged(ctx: Lowering, base: TupleValue, how: str, given: list[Value], span: Span) -> TupleValue:
    """``xs.insert(0, v)`` and ``xs.reverse()``."""
    counted = base.record is LIST
    if how == "insert" and counted and isinstance(given[0], ScalarValue) and isinstance(given[0].atom, Const):
        items = list(base.items)
        items.insert(int(given[0].atom.value), given[1])
        return TupleValue(tuple(items), LIST)
    if how == "reverse" and counted:
        return TupleValue(base.items[::-1], LIST)
    if how == "insert" and not base.items:
        return TupleValue((given[1],), LIST)
    if how == "insert":
        return _inserted(ctx, _grown(ctx, base, "inserting at a computed index", span), *given, span)
    return slice_of(ctx, base, Slice(None, None, Const(-1, I64), span), "items", span)


def _inserted(ctx: Lowering, base: TupleValue, at: Value, value: Value, span: Span) -> TupleValue:
    """``xs.insert(k, v)``: appended, and moved to its place."""
    if not (isinstance(at, ScalarValue) and at.dtype in INTS):
        raise Refused(WrongType(span, "a list is indexed by an int", describe(type_of(at))))
    count = count_of(ctx, base)
    k = as_index(ctx, at.atom, span)
    if not ctx.is_nonneg(k):
        low = ctx.let("low", "lt", (k, ZERO), BOOL, span)
        k = ctx.let("k", "select", (low, ctx.let("k", "add", (k, count), I64, span), k), I64, span)
        k = ctx.let("k", "max", (k, ZERO), I64, span, nonneg=True)
    k = ctx.let("k", "min", (k, count), I64, span, nonneg=True)
    grown = appended_to(ctx, base, value, "", span)
    last = item_at(ctx, grown, count, span)
    last = loaded(ctx, last, span, whole=True)
    last = map_arrays(last, lambda v: materialise(ctx, v, "item", span) if isinstance(v, ViewValue) else v)
    for array in arrays(grown.items[0]):
        _moved_up(ctx, array, k, count, span)
    put_item(ctx, grown.items[0], (k,), last, span)
    return grown


def _sorted(ctx: Lowering, array: Value, span: Span) -> Value:
    return call_external(ctx, "numpy.sort", Args("sort", span, (array,), {}, "sorted"))


def _are_weak(base: TupleValue) -> bool:
    return is_weak(base) if is_growing(base) else all(isinstance(v, ScalarValue) and v.weak for v in base.items)


def array_of(ctx: Lowering, v: TupleValue, span: Span) -> Value | None:
    """A list as an array; None if its items have no common type."""
    t = growing_type(type_of(v), NOTHING)
    return None if t is None else as_array(ctx, as_growing(ctx, v, t, span), "items", span)


# ---------------------------------------------------------------------------------------------------- items and slices


def item(ctx: Lowering, base: TupleValue, index: Value, name: str, span: Span) -> Value:
    """``xs[k]`` of a growing list."""
    if not isinstance(index, ScalarValue) or index.dtype not in INTS:
        told = WrongType(span, "a list is indexed by an int", describe(type_of(index)))
        raise Refused(None if isinstance(index, SILENT) else told)
    return item_at(ctx, base, _place(ctx, base, index, name, span), span)


def holds_parts(base: TupleValue) -> bool:
    """Whether the items of a list, or of a tuple without lists and objects, are lists and tuples, or may be None."""
    nested = all(is_list(v) or _is_tuple(v) for v in base.items) or _holds_none(base)
    return bool(base.items) and nested and (base.listed or next(objects(base), None) is None)


def in_arrays(ctx: Lowering, base: TupleValue, named: bool = True) -> TupleValue | None:
    """A list or tuple of known length with its items in arrays, where computed indices can read them; None if the items
    have no common type. ``named``: names that hold a list keep it in this form; a list of numbers of two types keeps
    them. For anything else it is done once, before the value is read in different places."""
    known = ctx.path.cells.get(base)
    if isinstance(known, TupleValue):
        return known
    t = growing_type(type_of(TupleValue(base.items, LIST)), NOTHING)
    if t is None:
        return None
    grown = replace(as_growing(ctx, TupleValue(base.items, LIST), t, NOWHERE), made=base.made)
    dtypes = {v.dtype if isinstance(v, ScalarValue) else None for v in base.items}
    if named and base.listed and len(dtypes) == 1:
        left = {n: map_objects(b.value, lambda o: grown if o == base else o) for n, b in ctx.env.items()}
        left = {n: v for n, v in left.items() if v is not ctx.env[n].value}
        if left:
            ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items()})
            return grown
    if next(arrays(base), None) is None:
        ctx.go(cells=ctx.path.cells.having({base: grown}))
    return grown


def _is_tuple(v: Value) -> bool:
    """Whether a value is a tuple of numbers, texts, lists and such tuples."""
    parts = v.items if isinstance(v, TupleValue) and not v.changes else ()
    plain = lambda x: isinstance(x, ScalarValue) or is_list(x) or is_choice(x) or option_key(x) is not None
    return bool(parts) and all(plain(x) or _is_tuple(x) for x in parts)


def _place(ctx: Lowering, base: TupleValue, index: ScalarValue, name: str, span: Span) -> Atom:
    count = count_of(ctx, base)
    k = index_atom(ctx, index, count, span)
    require_index(ctx, k, count, 0, name or "the list", span)
    ctx.not_negative(k)
    return k


def slice_of(ctx: Lowering, base: TupleValue, where: Slice, name: str, span: Span) -> Value:
    """``xs[lo:hi]``, which is a new list."""
    count = count_of(ctx, base)

    def cut(cells: Value, inside: int) -> Value:
        items = as_array(ctx, new_list(ctx, cells, count, True), name, span)
        return items_copied(ctx, view_of(ctx, items, [where], name, span), cells, span, inside=inside)

    cells = cells_copied(base.items[0], cut)
    first = next(arrays(cells))
    return new_list(ctx, cells, ctx.dim(first, 0, span), is_weak(base))


def counted_item(ctx: Lowering, node: ast.Subscript) -> int | None:
    """The position of the item of a fixed-length list that a target denotes; None for other targets."""
    base = held_object(ctx, node.value)
    if base is None or not base.listed:
        return None
    k = _known(ctx.attempt(lambda: expression(ctx, node.slice)).value)
    return k if k is not None and -len(base.items) <= k < len(base.items) else None


def _known(v: Value) -> int | None:
    """An int that is known at compile time."""
    literal = isinstance(v, ScalarValue) and isinstance(v.atom, Const) and v.dtype in INTS
    return int(v.atom.value) if literal else None


def store_items(ctx: Lowering, node: ast.Subscript, value: Value, span: Span) -> bool:
    """Whether ``xs[k] = v`` is on a fixed-length list at a known position, or ``xs[lo:hi] = ys`` on a list; then the
    name is rebound to a new list value."""
    if isinstance(value, Poison) and (base := held_object(ctx, node.value)) is not None and is_list(base):
        raise Refused(None, changes=(base,))
    if (base := with_part(ctx, node)) is not None:
        value = usable(ctx, value, "the value", span)
        if isinstance(value, SILENT):
            raise Refused(None)
        more = extended(ctx, TupleValue((), LIST), Quoted(node, value), "", span)
        rebuild(ctx, node.value, base, _with_items(ctx, base, node, more, span), "storing items", span)
        return True
    k = counted_item(ctx, node)
    if k is None:
        return _stored_at(ctx, node, value, span)
    base = held_object(ctx, node.value)
    value = force_delayed(ctx, usable(ctx, value, "the value", span), "t", span)
    if base is not None:
        items = list(base.items)
        items[k] = value
        _change(ctx, node.value, base, TupleValue(tuple(items), LIST), "storing an item", span)
    return True


def holds_lists(v: Value) -> bool:
    """Whether a value is a list of a computed number of lists."""
    return is_growing(v) and isinstance(v.items[0], TupleValue) and v.items[0].record in ROWS


def is_replaced(ctx: Lowering, s: ast.AugAssign) -> bool:
    """Whether ``xs[k] op= v`` stores a new item or updates an array, and does not update a cell: an item of a list of
    arrays, tuples or complex numbers, or one that gives the items of a list of numbers another type."""
    base = held_object(ctx, s.target.value)
    if base is None or not is_list(base) or not base.items:
        return False
    cells = base.items[0]
    if isinstance(cells, TupleValue):
        return is_growing(base) and cells.record not in ROWS
    if not any(isinstance(v, ScalarValue) or is_array(v) for v in base.items[:1]):
        return False
    if is_array(cells) and rank_of(cells) > int(is_growing(base)):
        return True
    new = ast.copy_location(ast.BinOp(s.target, s.op, s.value), s)
    return retyped(base, ctx.attempt(lambda: expression(ctx, new)).value)


def with_part(ctx: Lowering, node: ast.Subscript) -> TupleValue | None:
    """The list of which ``xs[lo:hi]`` as a target is a part; None for other targets."""
    base = held_object(ctx, node.value) if isinstance(node.slice, ast.Slice) else None
    return base if base is not None and is_list(base) else None


def remove_part(ctx: Lowering, node: ast.Subscript, base: TupleValue) -> None:
    """``del xs[lo:hi]``."""
    span = ctx.span(node)
    rebuild(ctx, node.value, base, _with_items(ctx, base, node, None, span), "deleting items", span)


def _with_items(
    ctx: Lowering, base: TupleValue, node: ast.Subscript, new: TupleValue | None, span: Span
) -> TupleValue:
    """A list with the items of another one in place of ``xs[lo:hi]``, or without that part."""
    where = [node.slice.lower, node.slice.upper, node.slice.step]
    bounds = [NoneValue() if n is None else expression(ctx, n, none=True) for n in where]
    known = [None if isinstance(v, NoneValue) else _known(v) for v in bounds]
    fixed = all(k is not None or isinstance(v, NoneValue) for k, v in zip(known, bounds, strict=True))
    if known == [None] * 3 and fixed:
        return new or TupleValue((), LIST)
    if fixed and base.record is LIST and (new is None or new.record is LIST):
        items = list(base.items)
        try:
            if new is None:
                del items[slice(*known)]
            else:
                items[slice(*known)] = new.items
        except ValueError as error:
            told = "as many items are stored as the slice with a step has"
            raise Refused(WrongType(span, told, str(error))) from None
        return TupleValue(tuple(items), LIST)
    if holds_lists(base) or any(map(is_list, base.items)):
        what = "a change of a part of a list of lists whose length or bounds are not known before the program runs"
        raise Refused(Unsupported(span, what, "build the list anew: `xs = xs[:lo] + ys + xs[hi:]`"))
    base = replace(_grown(ctx, base, "a computed part", span), made=base.made) if base.items else base
    new = None if new is None else allocated_at(ctx, new, span)
    if new is None:
        return _of_prelude(ctx, node, "_without", base, *bounds)
    if known[2] in (None, 1) and (isinstance(bounds[2], NoneValue) or known[2]):
        return _of_prelude(ctx, node, "_spliced", base, *bounds[:2], new)
    return _of_prelude(ctx, node, "_stored", base, *bounds, new)


def _stored_at(ctx: Lowering, node: ast.Subscript, value: Value, span: Span) -> bool:
    """Whether ``xs[k] = v`` stores a list, a tuple or an array in a list of a computed length, a number in one whose
    items it gives another type, or anything in one that may hold None."""
    base = held_object(ctx, node.value)
    if base is None or not is_list(base) or isinstance(node.slice, ast.Slice):
        return False
    if contains(base, LostArray):
        usable(ctx, base, user_name(node.value) or "the list", span)
        return True
    value = usable(ctx, value, "the value", span)
    never = is_growing(base) and isinstance(base.items[0], Never)
    changed_type = _holds_none(base) or retyped(base, value)
    if not (never or changed_type or isinstance(value, TupleValue | NoneValue) or is_array(value)):
        return False
    t = with_item(type_of(base), type_of(value)) if changed_type else growing_type(type_of(base), NOTHING)
    if not base.items or (t is None and not (changed_type and isinstance(value, ScalarValue))):
        return False
    index = expression(ctx, node.slice)
    if not isinstance(index, ScalarValue) or index.dtype not in INTS:
        return False
    value = force_delayed(ctx, value, "t", span)
    if isinstance(value, SILENT):
        return True
    what = "storing an item"
    found = f"{describe(type_of(value))} in {describe(type_of(base))}"
    unlike = WrongType(span, "the items of a list are of one type", found, "use a list for each type")
    if t is None:
        raise Refused(unlike)
    numbers = all(isinstance(v, ScalarValue) for v in leaves_of(value))
    if is_held(base):
        if changed_type:
            base, value = _row_for(ctx, node, base, value, span)
            numbers = all(isinstance(v, ScalarValue) for v in leaves_of(value))
        if not numbers or not _is_one_of(base.items[0], value):
            told = f"{_told(node.value, what)[0]} that is an item of a list,"
            raise Refused(Unsupported(span, told, "store numbers"))
        for cell, x in zip(_cells_of_row(ctx, node, base, index, span), leaves_of(value), strict=True):
            write(ctx, cell_of(cell.array, cell.index), cell.name, span)
            store_cell(ctx, cell, x)
        return True
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if changed_type and is_growing(base):
        value = as_item(ctx, value, without_axis(t.items[0], is_weak(base)), span)
    numbers = numbers and next(objects(base.items[0]), None) is None  # an object that is replaced is kept by its names
    if is_growing(base) and numbers and own_arrays(ctx, base) and _fits(base, value):
        row_may_change(ctx, base, None, *_told(node.value, what), span)
        place = _place(ctx, base, index, name, span)
        _written(ctx, base, user_name(node.value), span)
        put_item(ctx, base.items[0], (place,), value, span)
        return True
    may_change(ctx, base, name, *_told(node.value, what), span)
    base = replace(as_growing(ctx, base, t, span), made=base.made) if changed_type else _grown(ctx, base, what, span)
    place = _place(ctx, base, index, name, span)
    give_up(ctx, base, place, user_name(node.value), span)
    new = replaced(ctx, base, place, value, name, span)
    if new is None:
        raise Refused(unlike)
    lose_rows(ctx, base, name, span)
    _change(ctx, node.value, base, new, what, span)
    return True


def _row_for(
    ctx: Lowering, node: ast.Subscript, row: TupleValue, value: Value, span: Span
) -> tuple[TupleValue, Value]:
    """A list that is an item of another one, in arrays that ``value`` fits, and the value in their form. The first
    number in a list of None, or the first float in one of ints, changes the list that holds it."""
    t = with_item(type_of(row), type_of(value))
    item = value if t is None else as_item(ctx, value, without_axis(t.items[0], is_weak(row)), span)
    if t is None or _is_one_of(row.items[0], item):
        return row, item
    what = "storing an item"
    holder, k, by = _holder(ctx, node.value, row, what, span)
    whole = growing_type(type_of(holder), TupleType((t,), LIST))
    if whole is None:
        return row, item
    same = [n for n, b in ctx.env.items() if is_growing(b.value) and _is_row(b.value, row)]
    new = replace(as_growing(ctx, holder, whole, span), made=holder.made)
    lose_rows(ctx, holder, by, span)
    _change(ctx, ast.Name(by, ast.Load()) if by else None, holder, new, what, span)
    now = item_at(ctx, new, k, span)
    ctx.bind_all({n: replace(ctx.env[n], value=now) for n in same})
    return now, item


def retyped(base: TupleValue, value: Value) -> bool:
    """Whether a number that is stored among the items of a list of numbers is not of their type: ints with a float are
    floats, numbers with a complex one are complex, and bools with another number have no common type."""
    t = growing_type(type_of(base), NOTHING) if isinstance(value, ScalarValue) else None
    if t is None or not isinstance(t.items[0], ArrayType | ViewType | UnionType):
        return t is not None and is_complex(t.items[0])
    return common(t.items[0].dtype, value.dtype) != t.items[0].dtype


def _holds_none(base: TupleValue) -> bool:
    """Whether an item of a list may be None."""
    return any(map(_is_or_holds_none, base.items[:1] if base.record in GROWING else base.items))


def _is_or_holds_none(v: Value) -> bool:
    parts = v.items if isinstance(v, TupleValue) and not v.changes else ()
    return isinstance(v, NoneValue) or is_optional(v) or any(map(_is_or_holds_none, parts))


def _is_one_of(cells: Value, item: Value) -> bool:
    """Whether a tuple of numbers has the type of the items that the arrays ``cells`` hold."""
    if isinstance(cells, TupleValue) and isinstance(item, TupleValue):
        alike = cells.record is item.record and len(cells.items) == len(item.items)
        return alike and all(map(_is_one_of, cells.items, item.items))
    return is_array(cells) and isinstance(item, ScalarValue) and dtype_of(cells) in (item.dtype, "f64")


def _fits(base: TupleValue, item: Value) -> bool:
    """Whether a list keeps its type, and its arrays, with another item."""
    t = type_of(base)
    whole = all(isinstance(leaf, ArrayValue) for leaf in leaves_of(base.items[0]))
    return whole and with_item(t, type_of(item)) == t


def _written(ctx: Lowering, base: TupleValue, by: str, span: Span) -> None:
    """Record that the arrays of a list are updated in place."""
    for leaf in leaves_of(base.items[0]):
        if isinstance(leaf, ArrayValue):
            write(ctx, leaf, by, span)


def exchanged(ctx: Lowering, s: ast.Assign) -> bool:
    """Whether an assignment only exchanges lists or objects that are items of one list, as
    ``xs[i], xs[j] = xs[j], xs[i]``. They are still different ones afterwards."""
    match s:
        case ast.Assign(targets=[ast.Tuple(elts=places)], value=ast.Tuple(elts=items)):
            nodes = [n for n in places if isinstance(n, ast.Subscript) and not isinstance(n.slice, ast.Slice)]
        case _:
            return False
    if len(nodes) != len(places) or len({ast.unparse(n.value) for n in nodes}) > 1:
        return False
    if sorted(map(ast.unparse, places)) != sorted(map(ast.unparse, items)):
        return False
    base, span = held_object(ctx, nodes[0].value), ctx.span(s)
    if base is None or base.record not in GROWING or not getattr(base.items[0], "changes", False):
        return False
    rows = [usable(ctx, expression(ctx, n), "the item", span) for n in items]
    places_ = [expression(ctx, n.slice) for n in nodes]
    if not all(isinstance(v, TupleValue) for v in rows):
        raise Refused(None)
    name = user_name(nodes[0].value)
    may_change(ctx, base, name, *_told(nodes[0].value, "storing an item"), span)
    whole = lambda v: replace(copied(ctx, v, span), made=v.made) if is_growing(v) else taken_out(ctx, v, bool, span)
    new, own = base, [whole(v) for v in rows]
    _written(ctx, base, name, span)
    if not holds_lists(base):
        keep_items(ctx, base, name, span)
    for k, row in zip(places_, own, strict=True):
        new = replaced(ctx, new, _place(ctx, base, k, name, span), row, name, span, type_of(base))
    lose_rows(ctx, base, name, span)
    _change(ctx, nodes[0].value, base, new, "storing an item", span)
    return True


def target(ctx: Lowering, node: ast.Subscript, base: TupleValue, index: Value, span: Span) -> Cell | None:
    """The cell that ``xs[k] = v`` denotes; None if a problem was reported, or if the store is already done."""
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if not isinstance(index, ScalarValue) or index.dtype not in INTS:
        if not isinstance(index, SILENT):
            ctx.report(WrongType(span, "a list is indexed by an int", describe(type_of(index))))
        return None
    if is_held(base):
        if isinstance(base.items[0], Never):  # it has no items: an IndexError
            _place(ctx, base, index, name, span)
            return None
        if not isinstance(base.items[0], ViewValue):
            what = "storing a tuple or a list in a list that is an item of a list"
            raise Refused(Unsupported(span, what, "store numbers"))
        return _cells_of_row(ctx, node, base, index, span)[0]
    if is_growing(base) and isinstance(base.items[0], ArrayValue) and own_arrays(ctx, base):  # updated in place
        row_may_change(ctx, base, None, *_told(node.value, "storing an item"), span)
    else:
        may_change(ctx, base, name, *_told(node.value, "storing an item"), span)
    if base.record is LIST:
        t = growing_type(type_of(base), NOTHING)
        if t is None or not base.items:
            ctx.wants_literal(index)
            ctx.report(
                Unsupported(
                    span, "a computed index into a list of items of several types", "use an array, or literal indices"
                )
            )
            return None
        grown = as_growing(ctx, base, t, span)
        _change(ctx, node.value, base, grown, "storing an item", span)
        base = grown
    cells = base.items[0]
    if isinstance(cells, SILENT):
        return None
    if not isinstance(cells, ArrayValue) or cells.var.type.rank != 1:
        ctx.report(
            Unsupported(
                span,
                "storing an array or a tuple into a list of a computed length",
                "make an array: `np.zeros((n, m))`",
            )
        )
        return None
    return Cell(cells.var, (_place(ctx, base, index, name, span),), name, span, checked=False, item=True)


def _cells_of_row(ctx: Lowering, node: ast.Subscript, row: TupleValue, index: ScalarValue, span: Span) -> list[Cell]:
    """The cell that ``xs[i][j] = v`` denotes, or those of the parts of a tuple of numbers."""
    leaves, name = list(leaves_of(row.items[0])), user_name(node.value)
    if own_arrays(ctx, row):
        row_may_change(ctx, row, None, *_told(node.value, "storing an item"), span)
    else:
        _holder(ctx, node.value, row, "storing an item", span)
    if not all(isinstance(v, ViewValue) and rank_of(v) == 1 for v in leaves):
        raise Refused(Unsupported(span, "storing a list in a list that is an item of a list", "store numbers"))
    k = _place(ctx, row, index, name, span)
    by = next((n for n, b in ctx.env.items() if n[0] != "%" and leaves[0].var in arrays(b.value)), name)
    return [Cell(v.var, base_index(ctx, v, (k,), span), by, span, checked=False, item=True) for v in leaves]


# -------------------------------------------------------------------------------------------------------- construction


def comprehension(ctx: Lowering, node: Comprehension, hint: str) -> Value:
    """``[e for v in x if c]`` of a length known only at run time: a growing list filled by a loop."""
    only_plain(ctx, node)
    span = ctx.span(node)
    key = ctx.pseudo("list", span)
    ctx.bind(key, Binding(TupleValue((), LIST), span))

    waits = False  # for the result of a recursive call

    def each(value: Value, at: Span) -> None:
        nonlocal waits
        if isinstance(value, SILENT):
            waits = isinstance(value, Bottom)
            ctx.bind(key, Binding(UNKNOWN_LIST, at))
        else:
            append(ctx, key, value, at)

    run_through(ctx, node, each, key)
    found = usable(ctx, ctx.unbind(key).value, "the list", span)
    if waits and ctx.programs.unsettled():
        return Bottom()
    if (
        isinstance(found, Poison)
        and not ctx.programs.unknown
        and not any(d.severity == "error" for d in ctx.programs.findings.told())
    ):
        ctx.report(
            Unsupported(
                span,
                "a list of lists, or of items of several types, of a computed length",
                "make an array of it: `np.array([... for ...])`",
            )
        )
    return found


def of_iterable(ctx: Lowering, node: ast.expr) -> Value:
    """``list(x)`` of a length known only at run time."""
    return display(ctx, [ast.copy_location(ast.Starred(node, ast.Load()), node)], node)


def display(ctx: Lowering, items: list[ast.expr], node: ast.expr) -> Value:
    """``[a, *x]`` of a length known only at run time."""
    span = ctx.span(node)
    key = ctx.pseudo("list", span)
    ctx.bind(key, Binding(TupleValue((), LIST), span))
    for n in items:
        if isinstance(n, ast.Starred):
            done = extend(ctx, key, n.value, span)
        else:
            done = append(ctx, key, expression(ctx, n, none=True), span)
        if not isinstance(done, NoneValue):
            ctx.unbind(key)
            return Poison()
    return usable(ctx, ctx.unbind(key).value, "the list", span)


def entry_result(ctx: Lowering, value: Value, span: Span) -> Value:
    """The result of an entry function with each growing list as an array. The call converts it back to a list."""
    if is_growing(value):
        cells, count = value.items
        if isinstance(cells, TupleValue):
            if cells.record in ROWS:
                whole = materialise(ctx, as_array(ctx, value, "result", span), "result", span)
                return TupleValue((whole,), NESTED[ROWS.index(cells.record)])
            if cells.record not in (None, LIST):
                of = "texts or members of an enumeration" if cells.record is CHOICE else f"{cells.record.name} items"
                what = f"a list of {of} as a result"
                raise Refused(Unsupported(span, what, "return an array, or lists of the parts"))
            parts = (entry_result(ctx, TupleValue((x, count), value.record), span) for x in cells.items)
            return TupleValue(tuple(parts), COLUMNS["list of tuples" if cells.record is None else "list of lists"])
        return TupleValue(
            (materialise(ctx, as_array(ctx, value, "result", span), "result", span),), RETURNED[is_weak(value)]
        )
    if is_hashed(value):
        kind = "set" if value.record is SET else "dict"
        return TupleValue(tuple(entry_result(ctx, x, span) for x in value.items[:-1]), COLUMNS[kind])
    if isinstance(value, TupleValue) and value.record is DEQUE:
        raise Refused(Unsupported(span, "a deque as a result", "return a list of it: `list(q)`"))
    if isinstance(value, TupleValue):
        if value.record is not None and (value.record is SLICE or is_library_object(value.record)):
            what = f"{with_article(f'`{value.record.name}`')} as a result"
            raise Refused(Unsupported(span, what, "return the numbers and arrays that are taken from it"))
        items = tuple(entry_result(ctx, x, span) for x in value.items)
        return value if items == value.items else replace(value, items=items)
    return value


def repeated(ctx: Lowering, base: TupleValue, times: ScalarValue, node: ast.expr) -> Value:
    """``xs * n``, of which one is known only at run time."""
    span, item = ctx.span(node), base.items[0] if len(base.items) == 1 else None
    if (is_growing(base) or item is None) and not any(map(is_list, base.items)) and not holds_lists(base):
        return _of_prelude(ctx, node, "_repeated", _grown(ctx, base, "repeating it", span), times)
    if isinstance(item, NoneValue):
        item = TupleValue((Never(), literal(False)), OPTIONAL)
    numbers = isinstance(item, ScalarValue | TupleValue) and next(objects(item), None) is None
    parts = [v for v in leaves_of(item) if not isinstance(v, Never)] if numbers else []
    if not parts or not all(isinstance(v, ScalarValue) for v in parts):
        ctx.wants_literal(times)
        raise Refused(
            Unsupported(
                span, "a list of this kind repeated a computed number of times", "make an array: `np.full(n, 0.0)`"
            )
        )
    n = as_index(ctx, times.atom, span)
    n = n if ctx.is_nonneg(n) else ctx.let("n", "max", (n, ZERO), I64, span, nonneg=True)

    def filled(v: Value) -> Value:
        if isinstance(v, TupleValue):
            return replace(v, items=tuple(map(filled, v.items)))
        if isinstance(v, Never):
            return v
        cells = fresh_array(ctx, "items", (n,), v.dtype, None, span, in_order=True)
        ctx.emit(Fill(cells.var, v.atom, span))
        return cells

    return new_list(ctx, filled(item), n, all(v.weak for v in parts))


def concatenated(ctx: Lowering, a: TupleValue, b: TupleValue, node: ast.BinOp) -> Value:
    """``xs + ys``, where one has a length known only at run time."""
    span = ctx.span(node)
    key = ctx.pseudo("sum", span)
    ctx.bind(key, Binding(copied(ctx, a, span) if is_growing(a) else a, span))
    extend(ctx, key, Quoted(node.right, b), span)
    return ctx.unbind(key).value


def sorted_list(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``sorted(x, key=f, reverse=True)``."""
    span = ctx.span(node)
    if len(node.args) != 1:
        raise Refused(BadCall(span, "sorted", "takes one iterable, `key=` and `reverse=`"))
    key, descending = _how(ctx, node)
    what = node.args[0] if key is not None else _as_list(ctx, node.args[0])  # equal keys keep the order of the items
    found = of_iterable(ctx, what)
    if isinstance(found, SILENT):
        return found
    made, count = _in_order(ctx, found, node, key, descending), len(found.items)
    if is_growing(found) or not is_growing(made) or count > _FEW or isinstance(made.items[0], Never):
        return made
    return TupleValue(tuple(item_at(ctx, made, Const(k, I64), span) for k in range(count)), LIST)


_FEW = 8  # so many items that are sorted are still known one by one


def _as_list(ctx: Lowering, node: ast.expr) -> ast.expr:
    """An iterable whose order does not matter: the keys of a dict, the elements of a set."""
    if not isinstance(node, Quoted | ast.Name | ast.Attribute | ast.Set | ast.SetComp):
        return node
    value = expression(ctx, node)
    return Quoted(node, value.items[0] if is_hashed(value) else value)


def _how(ctx: Lowering, node: ast.Call) -> tuple[Value | None, bool]:
    """The options of `sorted` and `.sort`: the key function, and whether the order is descending."""
    given = {k.arg: k.value for k in node.keywords}
    if given.keys() - {"key", "reverse"}:
        raise Refused(BadCall(ctx.span(node), ast.unparse(node.func), "takes `key=` and `reverse=`"))
    back = expression(ctx, given["reverse"]) if "reverse" in given else literal(False)
    if not (isinstance(back, ScalarValue) and isinstance(back.atom, Const)):
        ctx.wants_literal(back)
        raise Refused(Unsupported(ctx.span(node), "a computed `reverse=`", "write both calls in an `if`"))
    key = expression(ctx, given["key"]) if "key" in given else NoneValue()
    return None if isinstance(key, NoneValue) else key, bool(back.atom.value)


def _in_order(ctx: Lowering, base: TupleValue, node: ast.Call, key: Value | None, descending: bool) -> TupleValue:
    """A list sorted: by its numbers, or by the items of tuples from the last one to the first, which is stable."""
    span = ctx.span(node)
    if not base.items:
        return base
    if key is None and all(isinstance(v, TextValue) for v in base.items):
        return TupleValue(tuple(sorted(base.items, key=lambda v: v.text, reverse=descending)), LIST)
    array = array_of(ctx, base, span) if key is None and not descending else None
    if is_array(array) and rank_of(array) == 1:
        return from_array(ctx, _sorted(ctx, array, span), _are_weak(base), span)
    base = _grown(ctx, base, "sorting", span)
    if isinstance(base.items[0], Never):
        return base
    order = order_of(ctx, _keys(ctx, base, key, node), descending, node)
    return permuted(ctx, base, order, span)


def _keys(ctx: Lowering, base: TupleValue, key: Value | None, node: ast.Call) -> TupleValue:
    """The keys of the items of a list. What the function captures may change from call to call."""
    if key is None:
        return base
    name, function = (ctx.pseudo(what, ctx.span(node)) for what in ("item", "key"))
    ctx.bind(function, Binding(key, ctx.span(node)))
    call = ast.Call(ast.Name(function, ast.Load()), [ast.Name(name, ast.Load())], [])
    part = ast.comprehension(ast.Name(name, ast.Store()), Quoted(node, base), [], 0)
    made_ = ast.ListComp(call, [part])
    for n in ast.walk(made_):
        ast.copy_location(n, node)
    found = comprehension(ctx, made_, "keys")
    ctx.unbind(function)
    if isinstance(found, SILENT):
        raise Refused(None, found)
    return found


def _has_no_order(cells: Value) -> bool:
    """Whether items are complex numbers, objects, or tuples with these."""
    return isinstance(cells, TupleValue) and (cells.closed or any(map(_has_no_order, cells.items)))


def _as_compared(ctx: Lowering, cells: Value) -> Value:
    """The cells of items, with the fields by which objects are ordered in place of the objects."""
    if not isinstance(cells, TupleValue):
        return cells
    fields = compared_fields(ctx, cells, "__lt__")
    named = fields is not None
    items = [cells.items[cells.record.names.index(n)] for n in fields] if named else cells.items
    return TupleValue(tuple(_as_compared(ctx, x) for x in items), None if named else cells.record)


def order_of(ctx: Lowering, keys: TupleValue, descending: bool, node: ast.expr) -> Value:
    """The order of a list of numbers or of tuples of numbers, as indices."""
    span, sign = ctx.span(node), literal(-1 if descending else 1)
    if has_method(ctx, keys.items[0], "__lt__"):
        return _of_prelude(ctx, node, "_order_by_less", keys, sign)
    keys = replace(keys, items=(_as_compared(ctx, keys.items[0]), keys.items[1]))
    if _has_no_order(keys.items[0]):
        raise Refused(Unsupported(span, "sorting complex numbers, lists or objects", "sort by a key: `key=abs`"))
    columns = [
        as_array(ctx, new_list(ctx, c, count_of(ctx, keys), True), "keys", span) for c in leaves_of(keys.items[0])
    ]
    if any(not is_array(c) or rank_of(c) != 1 for c in columns):
        raise Refused(Unsupported(span, "sorting by keys that are not numbers or tuples of them", "return numbers"))
    *others, last = columns
    order = _of_prelude(ctx, node, "_order", last, sign)
    for column in reversed(others):
        order = _of_prelude(ctx, node, "_refined", order, column, sign)
    return order


def _of_prelude(ctx: Lowering, at: ast.expr, name: str, *given: Value) -> Value:
    function = Quoted(at, EntityValue(External(f"%ordering.{name}"), name))
    found = expression(ctx, ast.copy_location(ast.Call(function, [Quoted(at, v) for v in given], []), at))
    if isinstance(found, SILENT):
        raise Refused(None, found)
    return found


def end_to_end(ctx: Lowering, at: ast.expr, base: TupleValue) -> Value:
    """The arrays of a list, which have several lengths, as one."""
    return _of_prelude(ctx, at, "_end_to_end", base)


def permuted(ctx: Lowering, base: TupleValue, order: Value, span: Span) -> TupleValue:
    """A new list with the items in another order."""
    count = count_of(ctx, base)

    def moved(leaf: Value) -> Value:
        if not isinstance(leaf, ArrayValue):
            return leaf
        sizes = (count, *(ctx.dim(leaf.var, k, span) for k in range(1, rank_of(leaf))))
        out = fresh_array(ctx, "items", sizes, leaf.var.type.dtype, None, span, in_order=True)

        def move(index: tuple[Atom, ...]) -> None:
            at = read(ctx, order, (index[0],), span).atom
            ctx.not_negative(at)
            put(ctx, out, index, read(ctx, leaf, (at, *index[1:]), span).atom, span)

        nest(ctx, sizes, move, span)
        return out

    return new_list(ctx, map_arrays(base.items[0], moved), count, is_weak(base))


def extreme_by(ctx: Lowering, node: ast.Call, name: str, key: Value | None) -> Value:
    """``min(xs, key=f)``: the first item with the smallest key. Without a key: the smallest tuple."""
    span, base = ctx.span(node), held_object(ctx, node.args[0])
    base = base if base is not None and is_growing(base) else of_iterable(ctx, node.args[0])
    if isinstance(base, SILENT):
        return base
    if not base.items:
        raise Refused(BadCall(span, name, "is of an empty sequence here"))
    base = _grown(ctx, base, f"`key=` of `{name}`", span)
    some = ctx.let("some", "gt", (count_of(ctx, base), ZERO), BOOL, span)
    ctx.emit(Check(some, "ValueError", f"{name}() arg is an empty sequence", (), span))
    if isinstance(base.items[0], Never):
        return Bottom()
    order = order_of(ctx, _keys(ctx, base, key, node), name == "max", node)
    return item_at(ctx, base, read(ctx, order, (ZERO,), span).atom, span)


def selected(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``heapq.nsmallest(n, xs, key=f)`` and ``nlargest``: the first items of the sorted list."""
    if len(node.args) != 2 or any(k.arg != "key" for k in node.keywords):
        raise Refused(BadCall(ctx.span(node), name, "takes a number, an iterable and `key=`"))
    back = [ast.keyword("reverse", ast.Constant(dotted.endswith("nlargest")))]
    sort = Quoted(node, EntityValue(External("builtins.sorted"), "sorted"))
    ordered_ = ast.Call(sort, node.args[1:], node.keywords + back)
    most = ast.Call(Quoted(node, EntityValue(External("builtins.max"), "max")), [node.args[0], ast.Constant(0)], [])
    made_ = ast.Subscript(ordered_, ast.Slice(None, most, None), ast.Load())
    for n in ast.walk(made_):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return expression(ctx, made_, hint)


CALLS["%taken"] = taken
CALLS["builtins.sorted"] = sorted_list
CALLS["heapq.nsmallest"] = CALLS["heapq.nlargest"] = selected
enter("fold", ("heapq.nsmallest", "heapq.nlargest"))
EXTREMES.append(extreme_by)
