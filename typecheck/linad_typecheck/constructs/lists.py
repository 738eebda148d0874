"""Lists that change: `append` and other methods, stored items, and items of a growing list."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ..arrays.indexing import MOST_CHOSEN, Cell
from ..arrays.slices import Slice, index_atom, require_index, view_of
from ..ir.core import Atom, Block, Check, Const, Fill, Loop, Var
from ..engine.evaluation import CALLS, expression, usable
from ..engine.growing import (
    appended, as_array, as_growing, copied, count_of, from_array, is_growing, is_weak, item_at, items_copied, made,
)
from ..engine.numbers import whole
from ..engine.places import fresh_array, held, materialise, nest, put, read
from ..engine.provenance import user_name
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.sequences import Generated, Iteration, Unrolled
from ..engine.sizes import is_array, rank_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    GROWING, LIST, LISTS, SILENT, ArrayValue, Binding, Bottom, EntityValue, LostArray, NoneValue, Poison, ScalarValue,
    TupleValue, Value, ViewValue, arrays, contains, describe, growing_type, literal, map_arrays, type_of,
)
from ..library.externals import call_external
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import RETURNED, External
from ..ownership.objects import change, may_change
from ..span import Span
from ..types import BOOL, I64, INTS
from .comprehensions import COMPREHENSIONS, Comprehension, only_plain, run_through, through
from .iterables import iteration
from .targets import another, held_object

METHODS = ("append", "extend", "insert", "pop", "copy", "clear", "reverse", "sort")
COUNTED = 64  # from this length on, a list is stored in arrays
UNKNOWN = TupleValue((Poison(), literal(0)), GROWING[0])  # a list whose items are unknown
NOTHING = type_of(TupleValue((), LIST))


def is_list(v: Value) -> bool:
    return isinstance(v, TupleValue) and v.record in LISTS


def method(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``xs.append(v)`` and other methods; the name is rebound to a new list value."""
    span = ctx.span(node)
    if name not in METHODS or node.keywords:
        raise Refused(Unsupported(span, f"`.{name}` of a list", "make an array of it, `np.array(xs)`, or write a loop"))
    given = [
        usable(ctx, expression(ctx, a), "the argument", ctx.span(a))
        for a in node.args
        if not isinstance(a, COMPREHENSIONS)
    ]
    lost = contains(base, LostArray)
    base = usable(ctx, base, user_name(node.func.value) or "the list", span)
    silent = next((v for v in (base, *given) if isinstance(v, SILENT)), None)
    if silent is not None:
        ctx.programs.poisoned |= isinstance(silent, Poison)
        if not lost and isinstance(node.func.value, ast.Name) and name != "copy":
            _unknown_item(ctx, node.func.value.id, base, silent, span)
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
    where = target.id if isinstance(target, ast.Name) else ""
    may_change(ctx, base, where, *_told(target, f"`.{name}`"), span)
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
        case _:
            new = _rearranged(ctx, base, name, given, span)
    _change(ctx, target, base, new, f"`.{name}`", span)
    return found


def _change(ctx: Lowering, node: ast.expr | None, base: TupleValue, new: TupleValue, what: str, span: Span) -> None:
    """Replace the list ``base``, which an expression denotes, by ``new``; `Refused` if it may not be changed."""
    name = node.id if isinstance(node, ast.Name) else ""
    change(ctx, base, new, name, *_told(node, what), span)
    if name in ctx.env:
        ctx.bind(name, Binding(ctx.env[name].value, span))


def _told(node: ast.expr | None, what: str) -> tuple[str, str]:
    return f"{what} of a list", another(node, "{0} + [...]")


def _unknown_item(ctx: Lowering, name: str, base: Value, item: Value, span: Span) -> None:
    """Record that an item of unknown type was appended. It does not contradict the item type of a growing list, nor
    does one whose type is not known yet contradict that of any; the problem with others has been reported."""
    if isinstance(item, Bottom) and is_list(base) and not is_growing(base):
        ctx.bind(name, Binding(TupleValue((*base.items, item), LIST, base.made), span))
    elif not is_growing(base):
        ctx.bind(name, Binding(replace(UNKNOWN, made=getattr(base, "made", None)), span))


def append(ctx: Lowering, name: str, value: Value, span: Span) -> Value:
    """``xs.append(v)``: rebind the name to the list with one more item."""
    base, value = usable(ctx, ctx.env[name].value, name, span), usable(ctx, value, "the item", span)
    if isinstance(base, SILENT) or isinstance(value, SILENT):
        if not contains(ctx.env[name].value, LostArray):
            _unknown_item(ctx, name, base, value, span)
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
    _change(ctx, node, base, extended(ctx, base, more, name, span), "`+=`", span)


def extend(ctx: Lowering, name: str, node: ast.expr, span: Span) -> Value:
    """The list that is being made under a name, with the items of an iterable."""
    if isinstance(node, COMPREHENSIONS):
        only_plain(ctx, node)
        run_through(ctx, node, lambda value, at: append(ctx, name, value, at), name)
        return NoneValue()
    found = iteration(ctx, node)
    match found:
        case Unrolled(items=items):
            for item in items:
                append(ctx, name, item, span)
        case Iteration() | Generated():
            from_iteration(ctx, found, node, lambda value: append(ctx, name, value, span))
    return Poison() if found is None else NoneValue()


def from_iteration(ctx: Lowering, found: Iteration | Generated, node: ast.expr, each: Callable[[Value], object]) -> None:
    """Call ``each`` for the elements that a loop iterates over."""
    key = ctx.pseudo("item", ctx.span(node))
    target, item = ast.Name(key, ast.Store()), ast.Name(key, ast.Load())
    part = ctx.inlined.made.setdefault((node, "item"), ast.comprehension(target, node, [], 0))
    for n in (target, item):
        ast.copy_location(n, node)
    through(ctx, part, found, [Do(item, lambda: each(ctx.env[key].value))], frozenset(ctx.env))
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
    take = lambda v: items_copied(ctx, v, ArrayValue(v.var), span, taken=True) if isinstance(v, ViewValue) else v
    item = map_arrays(item_at(ctx, base, place, span), take)
    if k != -1:
        for array in arrays(base.items[0]):
            _closed_up(ctx, array, place, last, span)
    return made(ctx, base.items[0], last, is_weak(base)), item


def _closed_up(ctx: Lowering, array: Var, place: Atom, last: Atom, span: Span) -> None:
    """Move the cells after a position down by one, in an ascending loop that reads each cell before it is
    overwritten."""
    index = ctx.fresh("k", I64, nonneg=True)
    with ctx.block() as stmts:
        after = ctx.let("k", "add", (index, ONE), I64, span, nonneg=True)
        sizes = tuple(ctx.dim(array, axis, span) for axis in range(1, array.type.rank))

        def move(inner: tuple[Atom, ...]) -> None:
            put(ctx, ArrayValue(array), (index, *inner), read(ctx, ArrayValue(array), (after, *inner), span).atom, span)

        nest(ctx, sizes, move, span)
    ctx.emit(Loop(index, place, last, ONE, (), (), Block(tuple(stmts), ()), (), False, span=span))


def _grown(ctx: Lowering, base: TupleValue, what: str, span: Span) -> TupleValue:
    """A list as a list whose items are stored in arrays."""
    if is_growing(base):
        return base
    t = growing_type(type_of(base), NOTHING)
    if t is None or not base.items:
        raise Refused(Unsupported(span, f"{what} of a list of items of several types", "use literal indices"))
    return replace(as_growing(ctx, base, t, span), made=base.made)


def indexable(ctx: Lowering, base: TupleValue, span: Span) -> TupleValue:
    """A list or tuple of known length in a form that computed indices can read, if there is one."""
    numbers = all(isinstance(v, ScalarValue) for v in base.items)
    if is_growing(base) or (numbers and len(base.items) <= MOST_CHOSEN):
        return base
    t = growing_type(type_of(TupleValue(base.items, LIST)), NOTHING)
    return base if t is None else as_growing(ctx, TupleValue(base.items, LIST), t, span)


def _rearranged(ctx: Lowering, base: TupleValue, how: str, given: list[Value], span: Span) -> TupleValue:
    """``xs.insert(0, v)``, ``xs.reverse()`` and ``xs.sort()``."""
    counted = base.record is LIST
    if how == "insert" and counted and isinstance(given[0], ScalarValue) and isinstance(given[0].atom, Const):
        items = list(base.items)
        items.insert(int(given[0].atom.value), given[1])
        return TupleValue(tuple(items), LIST)
    if how == "reverse" and counted:
        return TupleValue(base.items[::-1], LIST)
    array = array_of(ctx, base, span) if how in ("reverse", "sort") else None
    if not is_array(array) or (how == "sort" and rank_of(array) != 1):
        raise Refused(Unsupported(span, f"`.{how}` of this list", "make an array of it: `np.array(xs)`"))
    fixed = (
        view_of(ctx, array, [Slice(None, None, Const(-1, I64), span)], "items", span)
        if how == "reverse"
        else _sorted(ctx, array, span)
    )
    return from_array(ctx, fixed, _are_weak(base), span)


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


def _place(ctx: Lowering, base: TupleValue, index: ScalarValue, name: str, span: Span) -> Atom:
    count = count_of(ctx, base)
    k = index_atom(ctx, index, count, span)
    require_index(ctx, k, count, 0, name or "the list", span)
    ctx.not_negative(k)
    return k


def part(ctx: Lowering, base: TupleValue, where: Slice, name: str, span: Span) -> Value:
    """``xs[lo:hi]``, which is a new list."""
    count = count_of(ctx, base)

    def cut(cells: Value) -> Value:
        if isinstance(cells, TupleValue):
            return TupleValue(tuple(map(cut, cells.items)), cells.record)
        items = as_array(ctx, made(ctx, cells, count, True), name, span)
        return items_copied(ctx, view_of(ctx, items, [where], name, span), cells, span)

    cells = cut(base.items[0])
    first = next(arrays(cells))
    return made(ctx, cells, ctx.dim(first, 0, span), is_weak(base))


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


def stored(ctx: Lowering, node: ast.Subscript, value: Value, span: Span) -> bool:
    """Whether ``xs[k] = v`` is on a fixed-length list at a known position, or ``xs[lo:hi] = ys`` on a list; then the
    name is rebound to a new list value."""
    if (base := with_part(ctx, node)) is not None:
        new = _with_items(ctx, base, node.slice, node, usable(ctx, value, "the value", span), span)
        _change(ctx, node.value, base, new, "storing items", span)
        return True
    k = counted_item(ctx, node)
    if k is None:
        return False
    base = held_object(ctx, node.value)
    value = held(ctx, usable(ctx, value, "the value", span), "t", span)
    if base is not None and not isinstance(value, SILENT):
        items = list(base.items)
        items[k] = value
        _change(ctx, node.value, base, TupleValue(tuple(items), LIST), "storing an item", span)
    return True


def with_part(ctx: Lowering, node: ast.Subscript) -> TupleValue | None:
    """The list of which ``xs[lo:hi]`` as a target is a part; None for other targets."""
    base = held_object(ctx, node.value) if isinstance(node.slice, ast.Slice) else None
    return base if base is not None and is_list(base) else None


def _with_items(
    ctx: Lowering, base: TupleValue, where: ast.Slice, node: ast.Subscript, value: Value, span: Span
) -> TupleValue:
    """A list with the items of an iterable in place of ``xs[lo:hi]``."""
    if isinstance(value, SILENT):
        raise Refused(None)
    given = [n for n in (where.lower, where.upper, where.step) if n is not None]
    new = extended(ctx, TupleValue((), LIST), Quoted(node, value), "", span)
    if not given:
        return new
    known = [None if n is None else _known(expression(ctx, n)) for n in (where.lower, where.upper, where.step)]
    if base.record is not LIST or new.record is not LIST or known.count(None) != 3 - len(given):
        raise Refused(
            Unsupported(
                span,
                "storing items into a part of a list whose length or bounds are not known before the program runs",
                "build the list anew: `xs = xs[:lo] + ys + xs[hi:]`",
            )
        )
    items = list(base.items)
    try:
        items[slice(*known)] = new.items
    except ValueError as error:
        raise Refused(WrongType(span, "as many items are stored as the slice with a step has", str(error))) from None
    return TupleValue(tuple(items), LIST)


def target(ctx: Lowering, node: ast.Subscript, base: TupleValue, index: Value, span: Span) -> Cell | None:
    """The cell that ``xs[k] = v`` denotes; None if a problem was reported, or if the store is already done."""
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if not isinstance(index, ScalarValue) or index.dtype not in INTS:
        if not isinstance(index, SILENT):
            ctx.report(WrongType(span, "a list is indexed by an int", describe(type_of(index))))
        return None
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
    if not isinstance(cells, ArrayValue) or cells.var.type.rank != 1:
        ctx.report(
            Unsupported(
                span,
                "storing an array or a tuple into a list of a computed length",
                "make an array: `np.zeros((n, m))`",
            )
        )
        return None
    return Cell(cells.var, (_place(ctx, base, index, name, span),), name, span, checked=False)


# -------------------------------------------------------------------------------------------------------- construction


def comprehension(ctx: Lowering, node: Comprehension, hint: str) -> Value:
    """``[e for v in x if c]`` of a length known only at run time: a growing list filled by a loop."""
    only_plain(ctx, node)
    span = ctx.span(node)
    key = ctx.pseudo("list", span)
    ctx.bind(key, Binding(TupleValue((), LIST), span))

    def each(value: Value, at: Span) -> None:
        if isinstance(value, SILENT):
            ctx.bind(key, Binding(UNKNOWN, at))
        else:
            append(ctx, key, value, at)

    run_through(ctx, node, each, key)
    found = usable(ctx, ctx.unbind(key).value, "the list", span)
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
    key = ctx.pseudo("list", ctx.span(node))
    ctx.bind(key, Binding(TupleValue((), LIST), ctx.span(node)))
    done = extend(ctx, key, node, ctx.span(node))
    made = ctx.unbind(key).value
    return usable(ctx, made, "the list", ctx.span(node)) if isinstance(done, NoneValue) else Poison()


def returned(ctx: Lowering, value: Value, span: Span) -> Value:
    """The result of an entry function with each growing list as an array. The call converts it back to a list."""
    if is_growing(value):
        if isinstance(value.items[0], TupleValue):
            raise Refused(Unsupported(span, "a list of tuples as a result", "return a list for each of their parts"))
        return TupleValue(
            (materialise(ctx, as_array(ctx, value, "result", span), "result", span),), RETURNED[is_weak(value)]
        )
    if isinstance(value, TupleValue):
        items = tuple(returned(ctx, x, span) for x in value.items)
        return value if items == value.items else replace(value, items=items)
    return value


def repeated(ctx: Lowering, base: TupleValue, times: ScalarValue, span: Span) -> Value:
    """``[0.0] * n`` with a computed ``n``."""
    if len(base.items) != 1 or not isinstance(base.items[0], ScalarValue):
        ctx.wants_literal(times)
        raise Refused(
            Unsupported(
                span, "a list of this kind repeated a computed number of times", "make an array: `np.full(n, 0.0)`"
            )
        )
    (value,) = base.items
    n = whole(ctx, times.atom, span)
    n = n if ctx.is_nonneg(n) else ctx.let("n", "max", (n, ZERO), I64, span, nonneg=True)
    cells = fresh_array(ctx, "items", (n,), value.dtype, None, span, in_order=True)
    ctx.emit(Fill(cells.var, value.atom, span))
    return made(ctx, cells, n, value.weak)


def joined(ctx: Lowering, a: TupleValue, b: TupleValue, node: ast.BinOp) -> Value:
    """``xs + ys``, where one has a length known only at run time."""
    span = ctx.span(node)
    key = ctx.pseudo("sum", span)
    ctx.bind(key, Binding(copied(ctx, a, span) if is_growing(a) else a, span))
    extend(ctx, key, Quoted(node.right, b), span)
    return ctx.unbind(key).value


def ordered(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``sorted(x)`` and ``sorted(x, reverse=True)``: a list of numbers."""
    span = ctx.span(node)
    back = [expression(ctx, k.value) for k in node.keywords if k.arg == "reverse"]
    by = [k.value for k in node.keywords if k.arg == "key"]
    backwards = bool(back) and isinstance(back[0], ScalarValue) and back[0].atom == Const(True, BOOL)
    odd = len(back) + len(by) != len(node.keywords) or (back and not isinstance(getattr(back[0], "atom", None), Const))
    if len(node.args) == 1 and not odd and by:
        return _by_key(ctx, node, by[0], backwards)
    if len(node.args) != 1 or odd:
        raise Refused(Unsupported(span, "this `sorted`", "sort an array: `np.sort(x)`, or `x[np.argsort(key)]`"))
    found = of_iterable(ctx, node.args[0])
    if isinstance(found, SILENT):
        return found
    found = _rearranged(ctx, found, "sort", [], span)
    return _rearranged(ctx, found, "reverse", [], span) if backwards else found


def _by_key(ctx: Lowering, node: ast.Call, by: ast.expr, backwards: bool) -> Value:
    """``sorted(x, key=f)``, where ``f`` gives numbers: the items in the order of their keys."""
    span = ctx.span(node)
    names = [ctx.pseudo(what, span) for what in ("items", "key", "item", "place")]
    items, key, item, place = (ast.Name(n, ast.Load()) for n in names)
    name = lambda n: ast.Name(n.id, ast.Store())
    numpy = lambda f: Quoted(node, EntityValue(External(f"numpy.{f}"), f"np.{f}"))
    found = of_iterable(ctx, node.args[0])
    function = expression(ctx, by)
    if isinstance(found, SILENT) or isinstance(function, SILENT):
        return Poison()
    if isinstance(function, NoneValue):
        ordered_ = _rearranged(ctx, found, "sort", [], span)
        return _rearranged(ctx, ordered_, "reverse", [], span) if backwards else ordered_
    for n, v in zip(names, (found, function), strict=False):
        ctx.bind(n, Binding(v, span))
    keys: ast.expr = ast.ListComp(ast.Call(key, [item], []), [ast.comprehension(name(item), items, [], 0)])
    keys = ast.Call(numpy("array"), [keys], [])
    keys = ast.UnaryOp(ast.USub(), keys) if backwards else keys  # items with equal keys keep their order
    order = ast.Call(numpy("argsort"), [keys], [ast.keyword("kind", ast.Constant("stable"))])
    made = ast.ListComp(ast.Subscript(items, place, ast.Load()), [ast.comprehension(name(place), order, [], 0)])
    for n in ast.walk(made):
        if not isinstance(n, Quoted):
            ast.copy_location(n, node)
    value = expression(ctx, made, "sorted")
    for n in names[:2]:
        ctx.unbind(n)
    return value


CALLS["builtins.sorted"] = ordered
